"""What judges of several requests share: their tokens together, and a failure that tells all of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

from judgekit.core.flow import Flow, settled, together
from judgekit.errors import JudgeError
from judgekit.types import EvaluatorResult

__all__ = ["after", "all_of", "attempts_of", "facts_of", "usage_of"]

T = TypeVar("T")


def usage_of(outcomes: Iterable[Any]) -> dict[str, int] | None:
    """Tokens of several results and failures together; None when none of them told its own."""
    found = [usage for outcome in outcomes if isinstance(usage := _fact(outcome, "usage"), Mapping)]
    total: Counter[str] = Counter()
    for usage in found:
        total.update(usage)
    return dict(total) if found else None


def attempts_of(outcomes: Iterable[Any]) -> int:
    """Requests that were sent for several results and failures together."""
    return sum(_fact(outcome, "attempts") or 0 for outcome in outcomes)


def _fact(outcome: Any, name: str) -> Any:
    if isinstance(outcome, Exception):
        return getattr(outcome, name, None)
    return (outcome["metadata"] or {}).get(name)


def all_of(*flows: Flow[EvaluatorResult]) -> Flow[list[EvaluatorResult]]:
    """The results of judgements that are asked together, all of which are needed.

    Raises:
        JudgeError: the first failure in their order, once all have ended; it tells the tokens of all.
    """
    outcomes = yield from together(*(settled(flow, JudgeError) for flow in flows))
    failed = next((outcome for outcome in outcomes if isinstance(outcome, JudgeError)), None)
    if failed is None:
        return [outcome for outcome in outcomes if not isinstance(outcome, Exception)]
    failed.usage, failed.attempts = usage_of(outcomes), attempts_of(outcomes)
    raise failed


def after(earlier: Sequence[EvaluatorResult], flow: Flow[T]) -> Flow[T]:
    """A flow whose failure also tells the tokens of what was asked before it."""
    try:
        return (yield from flow)
    except JudgeError as error:
        error.usage = usage_of([*earlier, error])
        error.attempts += attempts_of(earlier)
        raise


def facts_of(results: Sequence[EvaluatorResult]) -> dict[str, Any]:
    """The metadata that several answers to one prompt have in common, and what they took together."""
    metadata = results[0]["metadata"] or {}
    return {
        "model": metadata.get("model"),
        "prompt": metadata.get("prompt"),
        "usage": usage_of(results),
        "attempts": attempts_of(results),
    }
