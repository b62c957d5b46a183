"""Many rows through one evaluator, whatever it returns: bounded, in one event loop, nothing swallowed.

`judgekit judge` reads a file this way, also with an output schema that has no score; `judgekit.evaluate` is for experiments.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from judgekit.errors import ConfigError, PromptError
from judgekit.evaluators.base import AsyncEvaluator
from judgekit.models.clients import PORTAL
from judgekit.runner.records import Failure

__all__ = ["Outcome", "evaluate_rows"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """One row's outcome: `result` is what the evaluator returned, or None beside a `failure`."""

    index: int
    item: Mapping[str, Any]
    result: Any = None
    failure: Failure | None = None

    def to_dict(self) -> dict[str, Any]:
        """A JSON-able line: the row's place and id, and its score or its error."""
        head: dict[str, Any] = {"index": self.index}
        if self.item.get("id") is not None:
            head["id"] = self.item["id"]
        if self.failure is not None:
            return {**head, "error": self.failure.to_dict()}
        result = self.result if isinstance(self.result, Mapping) else {"result": self.result}
        return {**head, **result}


def evaluate_rows(
    evaluator: AsyncEvaluator,
    items: Iterable[Mapping[str, Any]],
    *,
    concurrency: int = 8,
    on_result: Callable[[Outcome], None] = lambda _: None,
) -> list[Outcome]:
    """Evaluate every item and return the outcomes in the items' order.

    Args:
        evaluator: an async evaluator.
        items: keyword arguments for it, one mapping a row; read as they are needed.
        concurrency: at most so many rows at the same time.
        on_result: called with each outcome as it comes, in the order of completion.

    Returns:
        One `Outcome` a row. A row whose evaluation failed has a `Failure` there.

    Raises:
        ConfigError: the evaluator itself cannot work (no key, a missing package), or the items could not be read to
            their end; what was finished was handed to `on_result`.
    """
    if concurrency < 1:
        raise ConfigError(f"concurrency is {concurrency}: at least one row must be under way.")
    return PORTAL.call(_evaluate_all(evaluator, enumerate(items), concurrency, on_result))


async def _evaluate_all(
    evaluator: AsyncEvaluator,
    rows: Iterator[tuple[int, Mapping[str, Any]]],
    concurrency: int,
    on_result: Callable[[Outcome], None],
) -> list[Outcome]:
    done: list[Outcome] = []

    async def work() -> None:
        for index, item in rows:  # the workers share one iterator: each takes the next row when it is free
            outcome = await _evaluate(evaluator, index, item)
            done.append(outcome)
            on_result(outcome)

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(concurrency):
                group.create_task(work())
    except* Exception as errors:  # noqa: BLE001  # unpacked: the caller shall see the one error, not a group
        raise errors.exceptions[0] from None
    return sorted(done, key=lambda outcome: outcome.index)


async def _evaluate(evaluator: AsyncEvaluator, index: int, item: Mapping[str, Any]) -> Outcome:
    try:
        return Outcome(index, item, result=await evaluator(**item))
    except ConfigError as error:
        if not isinstance(error, PromptError):  # a missing key or client: it would be the same for every row
            raise
        return Outcome(index, item, failure=Failure.of(error))
    except Exception as error:  # noqa: BLE001  # whatever it is, it is this row's failure and no other's
        return Outcome(index, item, failure=Failure.of(error))
