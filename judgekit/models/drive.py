"""The two drivers: they answer a flow's rounds, keep its deadline and sleep its delays. All that sync and async differ in."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Callable
from typing import Any, TypeVar

from judgekit.core.asking import NotSent
from judgekit.core.exchange import Answer, Request
from judgekit.core.flow import Effect, Failed, Flow, Job, Outcomes, Round, arun, run
from judgekit.errors import JudgeError, WrongClientError
from judgekit.models.threads import start, waited

__all__ = ["adrive", "drive"]

T = TypeVar("T")


def drive(flow: Flow[T], *, deadline: float | None = None) -> T:
    """Run a flow to its end and return its value.

    Args:
        flow: what to run.
        deadline: seconds for all of it; None is no limit.

    Raises:
        JudgeError: whatever ended the flow.
    """
    clock = _Clock(deadline)

    def ask(effects: Round) -> Outcomes:
        if len(effects) == 1:
            return (_outcome(effects[0], clock),)
        return _side_by_side(effects, lambda effect: _outcome(effect, clock))

    return run(flow, ask)


async def adrive(flow: Flow[T], *, deadline: float | None = None) -> T:
    """Run a flow to its end without blocking the event loop; otherwise as `drive`."""
    clock = _Clock(deadline)

    async def ask(effects: Round) -> Outcomes:
        if len(effects) == 1:
            return (await _aoutcome(effects[0], clock),)
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(_aoutcome(effect, clock)) for effect in effects]
        except ExceptionGroup as errors:  # the caller shall see the error, as under the sync driver
            raise errors.exceptions[0] from None
        return tuple(task.result() for task in tasks)

    return await arun(flow, ask)


class _Clock:
    """When one judgement must end."""

    __slots__ = ("deadline", "ends")

    def __init__(self, deadline: float | None) -> None:
        self.deadline = deadline
        self.ends = None if deadline is None else time.monotonic() + deadline

    @property
    def left(self) -> float | None:
        """Seconds until then; None without a deadline."""
        return None if self.ends is None else self.ends - time.monotonic()

    def refusal(self, request: Request) -> NotSent | None:
        """The outcome of a request which cannot start before the end."""
        if self.ends is None or self.ends - time.monotonic() > request.delay:
            return None
        wait = f", and the next attempt would wait {request.delay:.1f} s" if request.delay else ""
        return NotSent(
            f"The judgement's deadline of {self.deadline:g} s has passed or is too near{wait}: raise `deadline`, or lower "
            "`retries`."
        )


def _outcome(effect: Effect, clock: _Clock) -> Any:
    if isinstance(effect, Job):
        try:
            value = effect.call()
        except Exception as error:  # noqa: BLE001  # raised again by `doing`, where the job was asked for
            return Failed(error)
        if inspect.isawaitable(value):
            _discard(value)
            return Failed(
                WrongClientError(
                    "An async function was given to a sync evaluator: use the async factory (create_async_...), or a "
                    "plain function."
                )
            )
        return value
    if (refusal := clock.refusal(effect)) is not None:
        return refusal
    if effect.delay:
        time.sleep(effect.delay)
    return _of(effect).answer(effect, clock.left)


async def _aoutcome(effect: Effect, clock: _Clock) -> Any:
    if isinstance(effect, Job):
        try:
            if effect.acall is not None:
                return await effect.acall()
            value = await asyncio.to_thread(effect.call) if effect.blocking else effect.call()
            return await value if inspect.isawaitable(value) else value
        except Exception as error:  # noqa: BLE001  # as above
            return Failed(error)
    if (refusal := clock.refusal(effect)) is not None:
        return refusal
    if effect.delay:
        await asyncio.sleep(effect.delay)
    outcome: Answer | JudgeError = await _of(effect).aanswer(effect, clock.left)
    return outcome


def _of(request: Request) -> Any:
    """The model that a request is addressed to; core knows of it only that it has a name."""
    return request.model


def _discard(awaitable: Any) -> None:
    """A coroutine that nobody will await is closed, or the interpreter warns of it."""
    close = getattr(awaitable, "close", None)
    if close is not None:
        close()


def _side_by_side(effects: Round, answer: Callable[[Effect], Any]) -> Outcomes:
    return tuple(map(waited, [start(answer, effect) for effect in effects]))
