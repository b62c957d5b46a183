"""Inspect: judges as the `scorer` of a `Task`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from judgekit.adapters.translating import imported, translated
from judgekit.evaluators.base import AsyncEvaluator
from judgekit.runner.records import Score

__all__ = ["inspect_scorer"]

_PACKAGE = "inspect_ai"


def inspect_scorer(judge: Any, *, metrics: Sequence[Any] | None = None) -> Any:
    """A judge as a scorer of Inspect.

    Args:
        judge: an evaluator by the contract of `judgekit.evaluator`; sync ones run in threads. It gets the sample's input,
            the completion, the target and the sample's metadata.
        metrics: Inspect's metrics over its scores; by default mean and standard error, over every key for a judge of
            several.

    Returns:
        A scorer that is called as the judge is. True and false are 1 and 0; a judge of several scores gives them by
        key. A judgement that failed raises, and is an error of its sample: see `fail_on_error` of Inspect's `eval`.

    Raises:
        ConfigError: it is no evaluator.
        MissingDependencyError: Inspect is not installed.
    """
    package = imported("inspect_ai.scorer", _PACKAGE)

    def write(scores: tuple[Score, ...]) -> Any:
        values = {score.key: _value(score) for score in scores}
        single = scores[0] if len(scores) == 1 else None
        return package.Score(
            value=values if single is None else values[single.key],
            explanation=_explained(scores),
            metadata=None if single is None or single.metadata is None else dict(single.metadata),
        )

    made = translated(judge, write)
    asked = AsyncEvaluator(made)

    def judging() -> Any:
        async def score(state: Any, target: Any) -> Any:
            found = await asked(
                inputs=state.input_text,
                outputs=state.output.completion,
                reference_outputs=target.text,
                metadata=state.metadata,
            )
            return found.model_copy(update={"answer": state.output.completion})

        return score

    return package.scorer(
        metrics=list(metrics) if metrics is not None else [package.mean(), package.stderr()],
        name=made.key,
    )(judging)()


def _value(score: Score) -> float | str:
    return score.score if isinstance(score.score, str) else float(score.score)


def _explained(scores: tuple[Score, ...]) -> str | None:
    told = [(score.key, score.comment) for score in scores if score.comment]
    if len(scores) == 1:
        return told[0][1] if told else None
    return "\n".join(f"{key}: {comment}" for key, comment in told) or None
