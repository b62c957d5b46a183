"""From a model's answer to one verdict that the scale allows, or the reason why there is none.

    the finish            refusal, filter: no verdict, whatever the text says
      -> channels         the text and the calls of the score tool; a reasoning channel is never read
      -> values           JSON objects outside thinking, repaired where one reading is possible
      -> claims           verdict-shaped objects among them, unwrapped
      -> one verdict      all claims agree, the scale allows it, and the explanation is there

A failure is never a score: every way out but the last is a typed error whose message can go back to the model.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from judgekit.core.characters import is_blank, shortened, storable
from judgekit.core.claims import REASONING, SCORE, Claim, Heard, ObjectShape, ScoreShape, Shape, hear
from judgekit.core.coercion import Flaw, same, shown
from judgekit.core.decoding import Decoded, Members, exact
from judgekit.core.exchange import Answer, ToolCall
from judgekit.core.scales import Custom, Scale, Score
from judgekit.core.scanning import NOTHING, Found, find
from judgekit.errors import ContentFilterError, JudgeError, ParseError, RefusalError

__all__ = ["Reading", "read_verdict"]


@dataclass(frozen=True, slots=True)
class Reading:
    """A verdict and how it was read.

    Attributes:
        value: the score as the scale gives it, or the whole object for `Custom`.
        explanation: the model's reasoning, or None where none was wanted or the model cannot give one.
        label: the word that was chosen, where the choices are words.
        repairs: what was mended or taken off around the JSON; none of it can change a value.
        coercions: how values were converted, `text to number` say.
        score_before_reasoning: the model wrote the score first, so the reasoning cannot have led to it.
    """

    value: Any
    explanation: str | None = None
    label: str | None = None
    repairs: tuple[str, ...] = ()
    coercions: tuple[str, ...] = ()
    score_before_reasoning: bool = False


def read_verdict(answer: Answer, scale: Scale, *, explain: bool, tool_name: str = "score") -> Reading:
    """Read the verdict of an answer.

    Args:
        answer: what the model said; only its text and its calls of `tool_name` are read.
        scale: what the score may be.
        explain: whether an explanation was asked for; without one the answer is then no verdict, unless the
            model cannot explain itself (`answer.explains`).
        tool_name: the tool that the model was given to answer with.

    Raises:
        RefusalError: the model refused.
        ContentFilterError: the provider's filter removed the prompt or the answer.
        ParseError: there is no verdict, more than one, or one that the scale does not allow; `code` says which.
    """
    _refuse_the_refused(answer)
    try:
        return _plainly(answer, scale, explain) or _read(
            answer, _shape(scale, explain and answer.explains), tool_name
        )
    except Flaw as flaw:
        code, words = flaw.code, flaw.words
    except RecursionError:
        code, words = "no_json", "its JSON is nested too deeply to be read"
    message = f"{_LEADS[code]}: {words}."
    if code in _REPAIRABLE:
        message += f" {scale.wording()}"
    raise ParseError(message, code=code, raw=_raw(answer), request_id=answer.request_id)


_LEADS = {
    "ambiguous": "The answer gives more than one verdict",
    "empty": "The answer is empty",
    "invalid_score": "The answer has a value that is not allowed",
    "missing_field": "The answer is incomplete",
    "no_json": "The answer cannot be read",
    "truncated": "The answer was cut off",
}
_REFUSALS: dict[str, tuple[type[JudgeError], str, str]] = {
    "refusal": (
        RefusalError,
        "The model refused to judge this item",
        "Reword the prompt, or leave the item out.",
    ),
    "content_filter": (
        ContentFilterError,
        "The provider's filter removed the prompt or the answer",
        "Change the item, or the filter's settings.",
    ),
}
_REPAIRABLE = {"ambiguous", "invalid_score", "missing_field", "no_json"}
_CUT = "the output budget ended before the JSON object was closed; raise max_tokens (hidden reasoning counts towards it)"
_UNCLOSED = "its JSON object is not closed, although the provider reports no limit; raise max_tokens, or drop the stop sequence"
_HIDDEN = (
    "the server put the answer into its reasoning channel, which may hold drafts and is never read; "
    "turn the server's reasoning parser off, or use a model or a format that it supports"
)


def _refuse_the_refused(answer: Answer) -> None:
    if answer.finish not in _REFUSALS:
        return
    error, what, advice = _REFUSALS[answer.finish]
    detail = f": {shortened(answer.detail, 500).rstrip('.')}" if answer.detail else ""
    raise error(f"{what}{detail}. {advice}", raw=_raw(answer), request_id=answer.request_id)


def _plainly(answer: Answer, scale: Scale, explain: bool) -> Reading | None:
    """The usual case, read fast: the text is `{"reasoning": ..., "score": ...}` and nothing else; None otherwise."""
    if not answer.text or answer.calls or answer.finish != "stop" or not explain or isinstance(scale, Custom):
        return None
    try:
        value = exact(answer.text)
    except (ValueError, RecursionError):
        return None
    if type(value) is not Members or len(value) != 2:
        return None
    (first, reason), (second, raw) = value
    if first != REASONING or second != SCORE or type(reason) is not str or not answer.explains:
        return None
    reason = storable(reason)
    if is_blank(reason):
        return None
    score = scale.read(raw)
    return Reading(score.value, reason, score.label, (), score.coercions)


def _shape(scale: Scale, explain: bool) -> Shape:
    return ObjectShape(scale) if isinstance(scale, Custom) else ScoreShape(scale, explain)


def _read(answer: Answer, shape: Shape, tool_name: str) -> Reading:
    called = [_found_in(call, tool_name) for call in answer.calls if call.name == tool_name]
    written = [find(answer.text, tool_name)] if answer.text else []
    sources = written + called
    _refuse_the_cut(answer, called or written, sources)
    heard = [hear(found, shape) for found in sources]
    claims = [claim for one in heard for claim in one.claims]
    if not claims:
        raise _no_claim(answer, sources, shape, tool_name)
    _refuse_fragments(heard, shape)
    claim = _agreed(claims)
    if isinstance(claim.score, Flaw):
        raise claim.score
    return Reading(
        claim.score.value,
        claim.explanation,
        claim.score.label,
        tuple(sorted({repair for one in heard for repair in one.repairs})),
        claim.score.coercions,
        claim.score_first,
    )


def _found_in(call: ToolCall, tool_name: str) -> Found:
    if isinstance(call.arguments, str):
        return find(call.arguments, tool_name)
    # Whether the object was whole before somebody decoded it cannot be seen: it does not count as closed.
    return Found((Decoded(Members((str(key), value) for key, value in call.arguments.items()), 0, 0),))


def _refuse_the_cut(answer: Answer, last: list[Found], sources: list[Found]) -> None:
    if answer.finish == "length" and not (last and all(found.closed for found in last)):
        raise Flaw("truncated", _CUT)
    for found in sources:
        if found.open and found.unclear:
            raise Flaw("no_json", "its JSON is malformed: a quotation mark in a text is not escaped")
        if found.open:
            raise Flaw("truncated", _UNCLOSED)
        if found.tangled:
            raise Flaw("no_json", "it holds too many braces and brackets that are no JSON")


def _agreed(claims: list[Claim]) -> Claim:
    """The claim to take when all say the same: the first that is complete."""
    for claim in claims:
        if isinstance(claim.score, Flaw) and claim.score.code == "ambiguous":
            raise claim.score
    for other in claims[1:]:
        if not same(claims[0].said, other.said):
            raise Flaw("ambiguous", f"{len(claims)} objects in it look like a verdict, and they disagree")
    return next((claim for claim in claims if isinstance(claim.score, Score)), claims[0])


def _refuse_fragments(heard: list[Heard], shape: Shape) -> None:
    """A verdict that could not be read is a verdict still: it may be the real one, and the one read a quotation."""
    for text in (text for one in heard for text in one.unread):
        if not is_blank(text) and (key := shape.fragment.search(text)):
            raise Flaw("ambiguous", f"beside a verdict it has one that is no JSON, at {shown(key[0])}")


def _no_claim(answer: Answer, sources: list[Found], shape: Shape, tool_name: str) -> Flaw:
    if any(shape.fragment.search(text) for found in sources for text in found.guessed):
        return Flaw(
            "ambiguous", "a quotation mark in its reasoning is not escaped, so where it ends is unclear"
        )
    if any(found.values for found in sources):
        return Flaw("missing_field", f"no JSON object in it has {shape.wanted}")
    is_empty = all(found.is_empty for found in sources)
    called = {call.name for call in answer.calls}
    if is_empty and tool_name in called:
        return Flaw("missing_field", f'the call of "{tool_name}" has no arguments')
    if called and tool_name not in called:
        return Flaw("missing_field", f'it calls "{shortened(answer.calls[0].name)}" and not "{tool_name}"')
    if any(found.scalar() is not NOTHING for found in sources):
        return Flaw("missing_field", f"it is a bare value, without {shape.wanted}")
    if is_empty:
        return Flaw("empty", _emptiness(answer, sources))
    return Flaw("no_json", f"it has no JSON object with {shape.wanted}")


def _emptiness(answer: Answer, sources: list[Found]) -> str:
    if answer.hidden:
        return _HIDDEN
    if any(found.thought for found in sources):
        return "all of it is thinking, and drafts in thinking are not read; raise max_tokens, or turn thinking off"
    return (
        "the model wrote nothing; ask again, with a larger max_tokens if the model thinks before it answers"
    )


def _raw(answer: Answer) -> str | None:
    """What came, the arguments of calls included."""
    parts = [answer.text] if answer.text else []
    parts += [_as_text(call.arguments) for call in answer.calls]
    return "\n".join(parts) if parts else answer.text


def _as_text(arguments: str | Mapping[str, Any]) -> str:
    if isinstance(arguments, str):
        return arguments
    try:
        return json.dumps(dict(arguments), default=str, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):  # decoded by somebody else, so it may hold anything
        return f"an object with the fields {', '.join(map(str, arguments))}"
