"""Ragas: judges as metrics of its experiments."""

from __future__ import annotations

from typing import Any

from judgekit.adapters.translating import imported, only, translated
from judgekit.errors import ConfigError
from judgekit.evaluators.base import AsyncEvaluator
from judgekit.runner.records import Score

__all__ = ["ragas_metric"]


def ragas_metric(judge: Any, *, allowed_values: tuple[float, float] = (0.0, 1.0)) -> Any:
    """A judge as a numeric metric of Ragas, for `metric.ascore` in an `@experiment`.

    Args:
        judge: an evaluator by the contract of `judgekit.evaluator` with one score that is a number, true or false.
        allowed_values: the ends of its scale.

    Returns:
        A metric of `inputs`, `outputs` and `reference_outputs`. It gives a `MetricResult` with the number and the comment as
        its reason; there is no place for metadata. Ragas makes a judgement that failed a
        result whose value is None and whose reason is the error.

    Raises:
        ConfigError: it is no evaluator; a label for a score is an error of the judgement.
        MissingDependencyError: Ragas is not installed.
    """
    package = imported("ragas.metrics", "ragas")

    def write(scores: tuple[Score, ...]) -> Any:
        score = only(scores, "Ragas")
        if score.number is None:
            raise ConfigError(
                f"A numeric metric takes numbers, and {score.key} is {score.score!r}: map the judge's choices to numbers."
            )
        return package.MetricResult(value=score.number, reason=score.comment)

    made = translated(judge, write)
    asked = AsyncEvaluator(made)

    async def judged(inputs: Any, outputs: Any, reference_outputs: Any = None) -> Any:
        return await asked(inputs=inputs, outputs=outputs, reference_outputs=reference_outputs)

    return package.numeric_metric(name=made.key, allowed_values=allowed_values)(judged)
