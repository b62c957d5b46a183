"""The engine alone: which rows are under way, what ends a run, and that nothing is lost or done twice."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest

from judgekit.core.exchange import Answer
from judgekit.errors import RateLimitError
from judgekit.models.limits import Gate
from judgekit.runner.engine import Engine, watched
from judgekit.runner.records import Example, RowResult
from judgekit.runner.scorers import read_scorers
from judgekit.runner.scoring import Plan, Todo
from judgekit.runner.targets import read_target

ROWS = 300


def rows(count: int = ROWS) -> Iterator[Todo]:
    return (Todo(Example(number, str(number), inputs=number)) for number in range(count))


async def arows(count: int) -> AsyncIterator[Todo]:
    for todo in rows(count):
        await asyncio.sleep(0)
        yield todo


def plan(target: Any, evaluators: Any = (), **settings: Any) -> Plan:
    return Plan(
        read_target(target),
        read_scorers(evaluators),
        lambda _, __: (),
        lambda _, __: 0.0,
        side_by_side=False,
        **settings,
    )


class Kept:
    """What the engine handed on; `after` is called with the number of rows so far."""

    def __init__(self, after: Callable[[int], None] = lambda _: None) -> None:
        self.rows: list[RowResult] = []
        self._after = after

    def __call__(self, todo: Todo, row: RowResult) -> None:
        assert (todo.example.index, todo.repetition) == (row.index, row.repetition)
        self.rows.append(row)
        self._after(len(self.rows))

    @property
    def outputs(self) -> list[Any]:
        return [row.outputs for row in sorted(self.rows, key=lambda row: row.index)]


def double(inputs: int) -> int:
    return 2 * inputs


async def adouble(inputs: int) -> int:
    await asyncio.sleep(0)
    return 2 * inputs


@pytest.mark.parametrize("workers", [1, 2, 16])
def test_every_row_is_done_once_in_threads(workers: int) -> None:
    kept = Kept()
    Engine(plan(double), rows(), kept, Gate(4, 16)).run(workers)
    assert kept.outputs == [2 * number for number in range(ROWS)]


@pytest.mark.parametrize("workers", [1, 2, 16])
@pytest.mark.parametrize("source", [rows, arows])
def test_every_row_is_done_once_on_a_loop(workers: int, source: Callable[[int], Any]) -> None:
    kept = Kept()
    asyncio.run(Engine(plan(adouble), source(ROWS), kept, Gate(4, 16)).arun(workers))
    assert kept.outputs == [2 * number for number in range(ROWS)]


def test_slow_rows_get_all_the_threads() -> None:
    """Each row waits for the three others: with fewer threads than four it would never end."""
    together = threading.Barrier(4, timeout=30)

    def meet(inputs: int) -> int:
        together.wait()
        return inputs

    kept = Kept()
    Engine(plan(meet), rows(8), kept, Gate(4, 4)).run(4)
    assert kept.outputs == list(range(8))


def test_no_more_rows_are_under_way_than_workers() -> None:
    under_way = most = 0

    async def count(inputs: int) -> int:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        await asyncio.sleep(0)
        under_way -= 1
        return inputs

    asyncio.run(Engine(plan(count), rows(), Kept(), Gate(5, 5)).arun(5))
    assert most == 5


def test_the_gate_keeps_workers_waiting_and_lets_them_in_again() -> None:
    gate = Gate(2, 8)
    under_way, seen = 0, []

    async def count(inputs: int) -> int:
        nonlocal under_way
        under_way += 1
        seen.append(under_way)
        await asyncio.sleep(0)
        under_way -= 1
        gate.succeeded()
        return inputs

    asyncio.run(Engine(plan(count), rows(), Kept(), gate).arun(8))
    assert len(seen) == ROWS
    assert max(seen[:4]) <= 2
    assert max(seen) > 2


def test_a_busy_provider_narrows_the_gate() -> None:
    gate = Gate(8, 8)

    def told(outcome: Any) -> None:
        layer = watched(gate)((object(),))  # type: ignore[arg-type]  # a round that the layer only passes on
        next(layer)
        with pytest.raises(StopIteration):
            layer.send((outcome,))

    for _ in range(6):
        told(RateLimitError("slow down", status=429))
    assert gate.allowed == 4
    for _ in range(200):
        told(Answer("{}"))
    assert gate.allowed == 8


def test_a_row_that_cannot_be_read_ends_the_run_after_what_was_begun() -> None:
    def broken() -> Iterator[Todo]:
        yield from rows(5)
        raise OSError("the disk is gone")

    kept = Kept()
    with pytest.raises(OSError, match="the disk is gone"):
        Engine(plan(double), broken(), kept, Gate(4, 16)).run(3)
    assert kept.outputs == [0, 2, 4, 6, 8]


@pytest.mark.parametrize("target", [double, adouble])
def test_a_row_that_cannot_be_kept_ends_the_run(target: Any) -> None:
    def full(count: int) -> None:
        if count == 3:
            raise OSError("no space left")

    kept = Kept(full)
    engine = Engine(plan(target), rows(), kept, Gate(4, 16))
    with pytest.raises(OSError, match="no space left"):
        engine.run(1) if target is double else asyncio.run(engine.arun(1))
    assert len(kept.rows) == 3


@pytest.mark.parametrize("target", [double, adouble])
def test_a_stopped_run_takes_no_further_rows(target: Any) -> None:
    kept = Kept(lambda count: engine.stop("enough") if count == 10 else None)
    engine = Engine(plan(target), rows(), kept, Gate(4, 16))
    if target is double:
        engine.run(1)
    else:
        asyncio.run(engine.arun(4))
    assert engine.stopped == "enough"
    assert 10 <= len(kept.rows) < 20


def test_an_interrupt_in_a_row_is_not_a_result() -> None:
    def interrupt(inputs: int) -> int:
        raise KeyboardInterrupt

    engine = Engine(plan(interrupt), rows(), Kept(), Gate(4, 16))
    with pytest.raises(KeyboardInterrupt):
        engine.run(4)
    assert engine.stopped == "interrupted"
