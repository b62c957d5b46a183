"""Many rows under way: in threads where all is plain Python, on an event loop where anything is async or asks a model."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Generator, Iterator

from judgekit.core.exchange import Answer
from judgekit.core.flow import Layer, Outcomes, Round
from judgekit.errors import ModelError
from judgekit.models.drive import adrive, drive
from judgekit.models.limits import BUSY, Gate
from judgekit.models.threads import StillRunning, start, waited
from judgekit.runner.records import RowResult
from judgekit.runner.scoring import Plan, Todo, row

__all__ = ["Engine", "watched"]

_BREATH = 64  # rows that one worker does without a pause before others on the loop get their turn
_GLANCE = 0.01  # seconds between two looks at the first thread
_INSTANT = 10  # rows that it should have done in that time

Source = Iterator[Todo] | AsyncIterator[Todo]


class Engine:
    """Runs rows through a plan, several at a time.

    Args:
        plan: what is done with each.
        source: the rows; taken one by one, when a worker is free.
        keep: called with every row that is done, in the order of completion, never twice at the same time.
        gate: how many rows may be under way on an event loop.
    """

    def __init__(
        self, plan: Plan, source: Source, keep: Callable[[Todo, RowResult], None], gate: Gate
    ) -> None:
        self._plan = plan
        self._source = source
        self._keep = keep
        self._gate = gate
        self._lock = threading.Lock()
        self._error: BaseException | None = None
        self._count = 0
        self._wake: asyncio.Event | None = None
        self.stopped: str | None = None

    def stop(self, why: str) -> None:
        """Take no further rows; those under way are finished."""
        self.stopped = self.stopped or why

    def run(self, workers: int) -> None:
        """Work in threads until the rows are done. One worker works in the caller's own thread.

        Raises:
            Exception: the rows could not be read to their end, or one could not be kept.
        """
        if workers == 1:
            self._work()
        else:
            try:
                self._run_threads(workers)
            except BaseException:
                self.stop("interrupted")
                raise
        if self._error is not None:
            raise self._error

    def _run_threads(self, workers: int) -> None:
        """One thread at first, and the others when its rows turn out to take time: threads that each do instant rows
        only take the interpreter from one another."""
        threads = [start(self._work)]
        while len(threads) < workers:
            before = self._count
            try:
                waited(threads[0], _GLANCE)
                break  # it came to the end of the rows
            except StillRunning:
                if self._count - before < _INSTANT:
                    threads += [start(self._work) for _ in range(workers - 1)]
        for thread in threads:
            waited(thread)

    def _work(self) -> None:
        assert isinstance(self._source, Iterator)  # noqa: S101  # rows that come asynchronously are taken by a loop
        while (todo := self._take(self._source)) is not None:
            self._done(todo, drive(row(self._plan, todo)))

    def _take(self, source: Iterator[Todo]) -> Todo | None:
        with self._lock:
            if self.stopped is not None or self._error is not None:
                return None
            try:
                return next(source, None)
            except Exception as error:  # noqa: BLE001  # raised by `run`, when what is under way has been kept
                self._error = error
                return None

    def _done(self, todo: Todo, result: RowResult) -> None:
        with self._lock:
            if self._error is not None:
                return
            self._count += 1
            try:
                self._keep(todo, result)
            except Exception as error:  # noqa: BLE001  # a full disk, say: no further row is begun
                self._error = error

    async def arun(self, workers: int) -> None:
        """Work on the running event loop; otherwise as `run`."""
        self._wake = asyncio.Event()
        turn = asyncio.Lock()
        tasks = [asyncio.create_task(self._awork(number, turn)) for number in range(workers)]
        try:
            await asyncio.gather(*tasks)
        except BaseException:
            self.stop("interrupted")
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            raise
        if self._error is not None:
            raise self._error

    async def _awork(self, number: int, turn: asyncio.Lock) -> None:
        done = 0
        while await self._admitted(number):
            todo = await self._atake(turn)
            if todo is None:
                self._gate_is_open_to_all()
                return
            self._done(todo, await adrive(row(self._plan, todo)))
            assert self._wake is not None  # noqa: S101  # `arun` made it
            self._wake.set()
            done += 1
            if done % _BREATH == 0:
                await asyncio.sleep(0)

    async def _admitted(self, number: int) -> bool:
        """Wait until as many rows may be under way as this worker's number says; False when no more are needed."""
        assert self._wake is not None  # noqa: S101  # `arun` made it
        while number >= self._gate.allowed and not self._ended:
            self._wake.clear()
            await self._wake.wait()
        return not self._ended

    _ended = False

    def _gate_is_open_to_all(self) -> None:
        self._ended = True
        assert self._wake is not None  # noqa: S101  # `arun` made it
        self._wake.set()

    async def _atake(self, turn: asyncio.Lock) -> Todo | None:
        if isinstance(self._source, Iterator):
            return self._take(self._source)
        async with turn:  # an async generator cannot be asked twice at a time
            if self.stopped is not None or self._error is not None:
                return None
            try:
                return await anext(self._source, None)
            except Exception as error:  # noqa: BLE001  # as in `_take`
                self._error = error
                return None


def watched(gate: Gate) -> Layer:
    """Tell the gate how the provider takes it."""

    def layer(effects: Round) -> Generator[Round, Outcomes, Outcomes]:
        outcomes = yield effects
        for outcome in outcomes:
            if isinstance(outcome, Answer):
                gate.succeeded()
            elif isinstance(outcome, ModelError) and outcome.status in BUSY:
                gate.slowed()
        return outcomes

    return layer
