"""Langfuse: judges among the `evaluators` of `run_experiment`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from judgekit.adapters.translating import imported, translated
from judgekit.evaluators.base import AsyncEvaluator
from judgekit.runner.records import Score

__all__ = ["langfuse_evaluator"]


def langfuse_evaluator(judge: Any) -> Callable[..., Any]:
    """A judge as an evaluator of Langfuse.

    Args:
        judge: an evaluator by the contract of `judgekit.evaluator`; sync ones run in threads.

    Returns:
        An async evaluator of `input`, `output`, `expected_output` and `metadata` that gives a `langfuse.Evaluation` for each
        score: NUMERIC, BOOLEAN, or CATEGORICAL for a label. A judgement that failed raises, and Langfuse logs it and
        keeps no score.

    Raises:
        ConfigError: it is no evaluator.
        MissingDependencyError: Langfuse is not installed.
    """
    evaluation = imported("langfuse", "langfuse").Evaluation

    def write(scores: tuple[Score, ...]) -> list[Any]:
        return [
            evaluation(
                name=score.key,
                value=score.score,
                comment=score.comment,
                metadata=None if score.metadata is None else dict(score.metadata),
                data_type=_data_type(score.score),
            )
            for score in scores
        ]

    made = translated(judge, write)
    asked = AsyncEvaluator(made)

    def evaluate(**given: Any) -> Any:
        return asked(
            inputs=given["input"],
            outputs=given["output"],
            reference_outputs=given.get("expected_output"),
            metadata=given.get("metadata"),
        )

    evaluate.__name__ = made.name
    return evaluate


def _data_type(score: bool | float | str) -> str:
    if isinstance(score, bool):
        return "BOOLEAN"
    return "CATEGORICAL" if isinstance(score, str) else "NUMERIC"
