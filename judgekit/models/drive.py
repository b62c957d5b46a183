"""The two drivers: they answer a flow's rounds, keep its deadline and sleep its delays. All that sync and async differ in."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, TypeVar

from judgekit.core.asking import NotSent
from judgekit.core.exchange import Answer, Request
from judgekit.core.flow import Effect, Failed, Flow, Job, Layer, Outcomes, Round, arun, run, through
from judgekit.errors import JudgeError, WrongClientError
from judgekit.models.threads import start, waited
from judgekit.models.tracing import tracing

__all__ = ["adrive", "drive", "layered"]

T = TypeVar("T")

_LAYERS: ContextVar[tuple[Layer, ...]] = ContextVar("judgekit_layers", default=())


class layered:  # noqa: N801  # used as a function; a class because a generator costs ten times as much to enter
    """Put layers under every flow that is driven inside the block, also by judges that the user's own functions call.

    The first layer sees a round of requests first; the last hands it to the driver. Those of an outer block come after
    them. Rounds without a request pass by them.
    """

    __slots__ = ("_layers", "_token")

    def __init__(self, *layers: Layer) -> None:
        self._layers = layers

    def __enter__(self) -> None:
        self._token = _LAYERS.set((*self._layers, *_LAYERS.get()))

    def __exit__(self, *_: object) -> None:
        _LAYERS.reset(self._token)


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

    layers = (*_LAYERS.get(), *tracing())
    if not layers:
        return run(flow, ask)
    return run(flow, lambda effects: run(_layered(effects, layers), ask) if _asks(effects) else ask(effects))


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

    layers = (*_LAYERS.get(), *tracing())
    if not layers:
        return await arun(flow, ask)

    async def ask_layered(effects: Round) -> Outcomes:
        return await (arun(_layered(effects, layers), ask) if _asks(effects) else ask(effects))

    return await arun(flow, ask_layered)


def _asks(effects: Round) -> bool:
    return any(isinstance(effect, Request) for effect in effects)


def _layered(effects: Round, layers: tuple[Layer, ...]) -> Flow[Outcomes]:
    """One round, on its way through the layers to the driver."""
    flow = _passed_on(effects)
    for layer in layers:
        flow = through(flow, layer)
    return flow


def _passed_on(effects: Round) -> Flow[Outcomes]:
    return (yield effects)


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


_PLAIN = frozenset(
    (bool, int, float, str, dict, list, type(None))
)  # known to be nothing to await, without a look


def _outcome(effect: Effect, clock: _Clock) -> Any:
    if isinstance(effect, Job):
        try:
            value = effect.call()
        except Exception as error:  # noqa: BLE001  # raised again by `doing`, where the job was asked for
            return Failed(error)
        if type(value) not in _PLAIN and inspect.isawaitable(value):
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
            value = await asyncio.wrap_future(start(effect.call)) if effect.blocking else effect.call()
            return await value if type(value) not in _PLAIN and inspect.isawaitable(value) else value
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
