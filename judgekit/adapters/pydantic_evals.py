"""pydantic-evals: judges among the `evaluators` of a `Dataset` or a `Case`, and its evaluators as judgekit's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from judgekit.adapters.borrowing import Borrowed
from judgekit.adapters.translating import imported, translated
from judgekit.evaluators.base import AsyncEvaluator
from judgekit.models.clients import PORTAL
from judgekit.runner.records import Score

__all__ = ["from_pydantic_evals", "pydantic_evaluator"]

_PACKAGE = "pydantic-evals"


def pydantic_evaluator(judge: Any) -> Any:
    """A judge as a `pydantic_evals.evaluators.Evaluator`.

    Args:
        judge: an evaluator by the contract of `judgekit.evaluator`; sync ones run in threads.

    Returns:
        A dataclass with the one field `judge`. Truth values are assertions there, numbers scores and texts labels, under the
        judge's keys, with its comment as the reason; a judgement that failed is an `EvaluatorFailure`. There is no place for
        metadata.

    Raises:
        ConfigError: it is no evaluator.
        MissingDependencyError: pydantic-evals is not installed.
    """
    base: Any = imported("pydantic_evals.evaluators", _PACKAGE).Evaluator
    made = translated(judge, _reasons)
    asked = AsyncEvaluator(made)

    @dataclass(repr=False)
    class Judge(base):  # type: ignore[misc]  # the class is known only where pydantic-evals is installed
        judge: Any

        def evaluate(self, ctx: Any) -> Any:
            return asked(
                inputs=ctx.inputs,
                outputs=ctx.output,
                reference_outputs=ctx.expected_output,
                metadata=ctx.metadata,
            )

        def get_default_evaluation_name(self) -> str:
            return made.key

        def build_serialization_arguments(self) -> dict[str, Any]:
            return {"judge": made.name}

    return Judge(judge)


def from_pydantic_evals(given: Any, *, name: str | None = None) -> AsyncEvaluator:
    """An evaluator of pydantic-evals as one of judgekit's.

    Args:
        given: an instance: `EqualsExpected()`, `LLMJudge(...)`. The context that it gets holds inputs, output, expected
            output and metadata; it has no duration, no metrics and no span tree.
        name: the evaluator's name, by default the one that pydantic-evals reports it by.

    Returns:
        An async evaluator with a result for each of the values.

    Raises:
        MissingDependencyError: pydantic-evals is not installed.
    """
    called = name or str(given.get_default_evaluation_name())

    def read(found: Any) -> Any:
        values = found if isinstance(found, Mapping) else {called: found}
        return [{"key": key, **_value(value)} for key, value in values.items()]

    return AsyncEvaluator(
        Borrowed(
            called,
            lambda item: PORTAL.call(given.evaluate_async(_context(item))),
            lambda item: given.evaluate_async(_context(item)),
            read,
        )
    )


def _context(item: Mapping[str, Any]) -> Any:
    package = imported("pydantic_evals.evaluators", _PACKAGE)
    missing = imported("pydantic_evals.otel", _PACKAGE).SpanTreeRecordingError(
        "judgekit records no spans: evaluators of spans need pydantic-evals' own runner."
    )
    return package.EvaluatorContext(
        name=None,
        inputs=item["inputs"],
        metadata=item.get("metadata"),
        expected_output=item["reference_outputs"],
        output=item["outputs"],
        duration=0.0,
        _span_tree=missing,
        attributes={},
        metrics={},
    )


def _reasons(scores: tuple[Score, ...]) -> dict[str, Any]:
    reason = imported("pydantic_evals.evaluators", _PACKAGE).EvaluationReason
    return {score.key: reason(value=score.score, reason=score.comment) for score in scores}


def _value(found: Any) -> dict[str, Any]:
    """A plain value, or one with its reason."""
    if hasattr(found, "reason"):
        return {"score": found.value, "comment": found.reason}
    return {"score": found}
