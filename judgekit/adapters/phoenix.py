"""Arize Phoenix: judges as evaluators of `phoenix.evals`."""

from __future__ import annotations

from typing import Any

from judgekit.adapters.translating import imported, translated, waited_for
from judgekit.evaluators.base import AsyncEvaluator
from judgekit.runner.records import Score

__all__ = ["phoenix_evaluator"]


def phoenix_evaluator(judge: Any) -> Any:
    """A judge as an evaluator of Phoenix.

    Args:
        judge: an evaluator by the contract of `judgekit.evaluator`.

    Returns:
        An `Evaluator` with the fields `inputs`, `outputs` and `reference_outputs`, of which the last may be missing; bind
        it to your columns with `bind_evaluator`. Each score is one of its `Score`s: a number is its `score`, a label its
        `label`, the comment its `explanation`. A judgement that failed raises, and is in the `execution_details` of a
        data frame's evaluation.

    Raises:
        ConfigError: it is no evaluator.
        MissingDependencyError: Phoenix's evaluators are not installed.
    """
    package = imported("phoenix.evals", "arize-phoenix-evals")
    fields = imported("pydantic", "pydantic")
    base: Any = package.Evaluator

    def write(scores: tuple[Score, ...]) -> list[Any]:
        return [
            package.Score(
                name=score.key,
                score=score.number,
                label=score.score if isinstance(score.score, str) else None,
                explanation=score.comment,
                metadata=dict(score.metadata or {}),
                kind="llm",
            )
            for score in scores
        ]

    made = translated(judge, write)
    asked, awaited = waited_for(judge, made), AsyncEvaluator(made)
    given = fields.create_model("Given", inputs=(Any, ...), outputs=(Any, ...), reference_outputs=(Any, None))

    class Judge(base):  # type: ignore[misc]  # the class is known only where Phoenix is installed
        def _evaluate(self, eval_input: dict[str, Any]) -> Any:
            return asked(**eval_input)

        def _async_evaluate(self, eval_input: dict[str, Any]) -> Any:
            return awaited(**eval_input)

    return Judge(name=made.key, kind="llm", direction="maximize", input_schema=given)
