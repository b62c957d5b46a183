"""Reading a verdict from next-token probabilities: which values there are, and how much probability each has.

The model's answer is begun for it, `{"score":`, and each allowed value gets the probability of the tokens that
could spell it. A token that could begin several values (a space, the 1 of 1 and 10) is followed one step further,
so no tokenizer is needed to know how a value is spelled. Reading all allowed values, instead of sampling one,
follows the probability-weighted scores of G-Eval (Liu et al. 2023, https://arxiv.org/abs/2303.16634).
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from judgekit.core.conforming import declared
from judgekit.core.exchange import AnswerSchema
from judgekit.errors import ConfigError, ModelError

__all__ = ["MOST_VALUES", "Look", "Token", "allowed", "asking", "masses", "opening", "verdict"]

MOST_VALUES = 26
LEAST_SHARE = 0.01  # an ambiguous token is followed if it has this share of what could still become a value
MOST_LOOKS = 40

FIELD = "score"


class Token(NamedTuple):
    """A possible next token: its bytes (some tokens are no whole character) and its probability."""

    spelling: bytes
    probability: float


Look = Callable[[str], Sequence[Token]]
"""The likeliest next tokens after an answer that begins with this text."""


def allowed(schema: AnswerSchema) -> tuple[str, ...]:
    """The values that the schema allows for its score, each as JSON text, in the schema's order.

    Raises:
        ConfigError: there is no score in the schema, or its values cannot be counted, or they are too many.
    """
    part = _score(schema)
    if part is None:
        raise ConfigError(
            f"readout='logprobs' reads the property {FIELD!r}, and the schema {schema.name!r} has none: "
            f"call the verdict {FIELD!r}, or drop readout."
        )
    values = _listed(part)
    if not values:
        raise ConfigError(
            f"readout='logprobs' needs a finite set of values, and the {FIELD} of {schema.name!r} is "
            f"{part.get('type', 'of any type')}: a continuous scale has none. Give choices=[...], or drop readout."
        )
    texts = tuple(dict.fromkeys(json.dumps(value, ensure_ascii=False) for value in values))
    if len(texts) > MOST_VALUES:
        raise ConfigError(
            f"readout='logprobs' reads at most {MOST_VALUES} values, and the {FIELD} of {schema.name!r} has "
            f"{len(texts)}: give fewer choices, or drop readout."
        )
    return texts


def asking(messages: Sequence[Mapping[str, Any]], schema: AnswerSchema) -> list[dict[str, Any]]:
    """The messages with the possible answers at the end of the last user message; a copy where it changes.

    Each answer is written out. Told the JSON schema instead, a model of 135M parameters begins to copy the schema.
    """
    answers = "\n".join(_answer(text) for text in allowed(schema))
    told = f"Answer with one of these JSON objects only, nothing before or after it:\n{answers}"
    if meaning := (_score(schema) or {}).get("description"):
        told = f"{told}\n{FIELD}: {meaning}"
    changed = [dict(message) for message in messages]
    last = next((message for message in reversed(changed) if message.get("role") == "user"), None)
    if last is None:
        return [*changed, {"role": "user", "content": told}]
    content = last.get("content")
    if isinstance(content, list | tuple):
        last["content"] = [*content, {"type": "text", "text": told}]
    else:
        last["content"] = f"{content or ''}\n\n{told}"
    return changed


def opening(texts: Sequence[str]) -> str:
    """The beginning of the answer, up to where the values differ, cut where tokenizers cut.

    A space belongs to the word that follows it (` true`) and to the quote (` "`), and stands alone before digits.
    """
    start = f'{{"{FIELD}":'
    if all(text.startswith('"') for text in texts):
        return f'{start} "'
    if all(text[0] in "-0123456789" for text in texts):
        return f"{start} "
    return start


def masses(texts: Sequence[str], look: Look) -> dict[str, float]:
    """The probability of each value, before they are made to sum to 1.

    Args:
        texts: the allowed values as JSON text.
        look: asks the model; called once, and once more for each ambiguous token that matters.

    Returns:
        A probability for each text; together they are at most 1, and what is missing went to other tokens.
    """
    start = opening(texts)
    values = _Values(texts, quoted=start.endswith('"'))
    found = dict.fromkeys(texts, 0.0)
    paths = [(b"", 1.0)]
    for _ in range(MOST_LOOKS):
        if not paths:
            break
        written, share = paths.pop(0)
        tokens = look(start + written.decode())
        steps = [(written + token.spelling, share * token.probability) for token in tokens if token.spelling]
        fits = [(path, probability, values.begun_by(path)) for path, probability in steps]
        worth = LEAST_SHARE * sum(probability for _, probability, fitting in fits if fitting)
        for path, probability, fitting in fits:
            if len(fitting) == 1:
                found[fitting[0]] += probability
            elif fitting and probability >= worth and _can_go_on(written, path):
                paths.append((path, probability))
    return found


def verdict(found: Mapping[str, float]) -> tuple[str, dict[str, float], float]:
    """The most probable value as the answer's text, all probabilities made to sum to 1, and their sum before.

    Raises:
        ModelError: no value had any probability.
    """
    mass = math.fsum(found.values())
    if mass <= 0:
        raise ModelError(
            f"None of {', '.join(found)} was among the model's likely next tokens, so there is no verdict to read: "
            "drop readout, or use a model that follows instructions."
        )
    best = max(found, key=lambda text: found[text])
    return _answer(best), {text: share / mass for text, share in found.items()}, mass


class _Values:
    """The ways in which each value may be spelled after the opening."""

    def __init__(self, texts: Sequence[str], *, quoted: bool) -> None:
        distinct = len({text.casefold() for text in texts}) == len(texts)
        self._fold: Callable[[bytes], bytes] = bytes.lower if distinct else bytes
        self._quoted = quoted
        self._spellings = {text: [self._fold(way.encode()) for way in self._ways(text)] for text in texts}

    def begun_by(self, path: bytes) -> list[str]:
        """The values that an answer could still be, or has become, after these bytes."""
        bare = self._fold(path if self._quoted else path.lstrip())
        return [text for text, ways in self._spellings.items() if any(self._fits(bare, way) for way in ways)]

    def _fits(self, path: bytes, spelling: bytes) -> bool:
        if spelling.startswith(path):
            return True
        ended = self._quoted or path[len(spelling) : len(spelling) + 1] in _ENDS
        return path.startswith(spelling) and ended

    def _ways(self, text: str) -> list[str]:
        if self._quoted:
            return [text.removeprefix('"')]
        value = json.loads(text)
        if isinstance(value, bool) or not isinstance(value, int | float) or value != int(value):
            return [text]
        return [str(int(value)), f"{int(value)}.0"]


def _answer(text: str) -> str:
    return f'{{"{FIELD}": {text}}}'


_ENDS = (b" ", b"\t", b"\r", b"\n", b",", b"}")


def _score(schema: AnswerSchema) -> Mapping[str, Any] | None:
    properties = declared(schema.schema, schema.schema).get("properties", {})
    part = properties.get(FIELD)
    return declared(part, schema.schema) if isinstance(part, Mapping) else None


def _listed(part: Mapping[str, Any]) -> Sequence[Any]:
    if "const" in part:
        return (part["const"],)
    if part.get("enum"):
        return tuple(part["enum"])
    if part.get("type") == "boolean":
        return (True, False)
    low, high = part.get("minimum"), part.get("maximum")
    if part.get("type") == "integer" and isinstance(low, int) and isinstance(high, int):
        return range(low, high + 1)
    return ()


def _can_go_on(written: bytes, path: bytes) -> bool:
    """Whether to ask what follows: after whole characters only, and after one token of blanks, not after more."""
    if written and not path.strip():
        return False
    try:
        path.decode()
    except UnicodeDecodeError:
        return False
    return True
