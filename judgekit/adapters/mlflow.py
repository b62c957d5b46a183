"""MLflow: judges among the `scorers` of `mlflow.genai.evaluate`."""

from __future__ import annotations

from typing import Any

from judgekit.adapters.translating import imported, translated, waited_for
from judgekit.runner.records import Score

__all__ = ["mlflow_scorer"]


def mlflow_scorer(judge: Any, *, reference_outputs: str = "expected_response") -> Any:
    """A judge as a scorer of MLflow.

    Args:
        judge: an evaluator by the contract of `judgekit.evaluator`. It gets the row's inputs and outputs; the expectations
            are its further keywords.
        reference_outputs: the expectation that is what is right.

    Returns:
        A scorer that gives a `Feedback` for each score, with the judge's key, its comment as the rationale and its metadata
        as texts. A judgement that failed raises, which MLflow makes a `Feedback` with an error and no value.

    Raises:
        ConfigError: it is no evaluator.
        MissingDependencyError: MLflow is not installed.
    """
    feedback = imported("mlflow.entities", "mlflow").Feedback
    scorer = imported("mlflow.genai", "mlflow").scorer

    def write(scores: tuple[Score, ...]) -> list[Any]:
        return [
            feedback(
                name=score.key,
                value=score.score,
                rationale=score.comment,
                metadata={name: str(value) for name, value in (score.metadata or {}).items()},
            )
            for score in scores
        ]

    made = translated(judge, write)
    asked = waited_for(judge, made)

    def judged(inputs: Any, outputs: Any, expectations: Any) -> Any:
        known = dict(expectations or {})
        reference = known.pop(reference_outputs, None)
        return asked(**known, inputs=inputs, outputs=outputs, reference_outputs=reference)

    return scorer(judged, name=made.key)
