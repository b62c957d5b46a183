"""The judges that the tests of adapters put into other runners: scripted, so that what must come out is known."""

from __future__ import annotations

from typing import Any

import judgekit
from judgekit.evaluators.base import AsyncEvaluator, Evaluator
from judgekit.models.base import Model
from judgekit.models.scripted import scripted

__all__ = ["ASKED", "FAILS", "GOOD", "awaited", "judge", "several", "shown"]

GOOD = {"reasoning": "as it should be", "score": True}
FAILS = "no verdict at all"
"""An answer that no repair makes a verdict of."""

ASKED = "Q {inputs} A {outputs} R {reference_outputs}"


def judge(*lines: Any, **settings: Any) -> Evaluator:
    """A judge called `correctness` whose model says `lines`."""
    return judgekit.create_llm_as_judge(
        prompt=ASKED, feedback_key="correctness", judge=scripted(*(lines or (GOOD,))), **settings
    )


def awaited(*lines: Any, **settings: Any) -> AsyncEvaluator:
    """The same, async."""
    return AsyncEvaluator(judge(*lines, **settings).evaluation)


def shown(evaluator: Evaluator) -> list[str]:
    """The prompts that the judge's model was sent."""
    model: Model = evaluator.evaluation.model
    return [str(request.messages[0]["content"]) for request in model.client.requests]


@judgekit.evaluator
def several(outputs: Any) -> list[dict[str, Any]]:
    text = str(outputs)
    return [{"key": "length", "score": len(text)}, {"key": "kind", "score": "text", "comment": "it is one"}]
