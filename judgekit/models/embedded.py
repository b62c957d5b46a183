"""`embedded:match`: no model at all, a rule that compares the output with the reference. It needs no key."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from judgekit.core.exchange import Answer, Request
from judgekit.core.matching import match_reference
from judgekit.core.plain import to_text
from judgekit.errors import ConfigError, ParseError, PromptError
from judgekit.models.base import Model
from judgekit.models.call import Call
from judgekit.models.capabilities import Capabilities

__all__ = ["matcher"]


def matcher() -> Model:
    """The reference matcher as a model: its verdict is read like any other model's answer.

    It judges correctness only: the output is right when it gives the reference's answer. What it cannot tell is a
    `ParseError` with code `cannot_tell`, never a guess.
    """
    return Model("embedded:match", _encode, _same, _judge, _ajudge, enforces=True)


def _encode(request: Request, _: Capabilities) -> Call:
    if request.schema is not None and not _takes_truth(request.schema.schema):
        raise ConfigError(
            "embedded:match says right or wrong and nothing between: leave out `continuous`, `choices` and "
            "`output_schema`, or connect a model."
        )
    return Call({"item": request.item})


def _takes_truth(schema: Mapping[str, Any]) -> bool:
    return bool(schema.get("properties", {}).get("score", {}).get("type") == "boolean")


def _judge(call: Call) -> Answer:
    item = call.payload["item"]
    outputs, reference, question = (item.get(name) for name in ("outputs", "reference_outputs", "inputs"))
    if outputs is None or reference is None:
        raise PromptError(
            "embedded:match compares `outputs` with `reference_outputs` and needs both: give the reference, or connect a "
            "model (model='openai:...', 'anthropic:...', 'local:...')."
        )
    found = match_reference(
        to_text(outputs), _references(reference), question=None if question is None else to_text(question)
    )
    if found.verdict is None:
        raise ParseError(
            f"The reference matcher cannot tell: {found.reason}", code="cannot_tell", raw=to_text(outputs)
        )
    verdict = {"reasoning": found.reason, "score": found.verdict}
    return Answer(json.dumps(verdict, ensure_ascii=False), model="embedded:match")


async def _ajudge(call: Call) -> Answer:
    return _judge(call)


def _references(reference: Any) -> str | Sequence[str]:
    if isinstance(reference, (list, tuple)):
        return [to_text(one) for one in reference]
    return to_text(reference)


def _same(answer: Answer) -> Answer:
    return answer
