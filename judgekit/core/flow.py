"""A judgement as a generator: it yields rounds of effects, is sent their outcomes, and returns a value.

Sync, async and batch differ only in the driver that answers the rounds. The drivers are here (`run`, `arun`);
what answers a round (clients, threads, clocks) is on a higher floor. A failure travels as a value, so one bad
answer among many sinks nothing.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from itertools import islice
from typing import Any, Generic, TypeVar

from judgekit.core.exchange import Answer, Request
from judgekit.errors import JudgeError

__all__ = [
    "Done",
    "Effect",
    "Failed",
    "Flow",
    "Job",
    "Layer",
    "Round",
    "advance",
    "arun",
    "asking",
    "doing",
    "in_turn",
    "run",
    "settled",
    "through",
    "together",
]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Job:
    """Work that is not a model call: the user's prompt function, an embedding call, a subprocess.

    `call` is what a sync driver calls; it may return an awaitable under an async driver. `acall`, when given,
    is what an async driver awaits instead. `blocking` work goes to a thread under an async driver.
    """

    call: Callable[[], Any]
    acall: Callable[[], Awaitable[Any]] | None = None
    blocking: bool = False


@dataclass(frozen=True, slots=True)
class Failed:
    """A job that raised; `doing` raises it again where it was asked for."""

    error: Exception


Effect = Request | Job
Round = tuple[Effect, ...]
"""Effects that may happen at the same time."""

Outcomes = tuple[Any, ...]
"""One for each effect, in order: `Answer | JudgeError` for a request, a value or `Failed` for a job."""

Flow = Generator[Round, Outcomes, T]
Layer = Callable[[Round], Generator[Round, Outcomes, Outcomes]]


@dataclass(frozen=True, slots=True)
class Done(Generic[T]):
    """A flow's end, with what it returned."""

    value: T


def advance(flow: Flow[T], outcomes: Outcomes | None = None) -> Round | Done[T]:
    """Drive a flow one step. Only this function may meet `StopIteration`."""
    try:
        return next(flow) if outcomes is None else flow.send(outcomes)
    except StopIteration as stop:
        return Done(stop.value)


def run(flow: Flow[T], ask: Callable[[Round], Outcomes]) -> T:
    with closing(flow):
        step = advance(flow)
        while not isinstance(step, Done):
            step = advance(flow, ask(step))
        return step.value


async def arun(flow: Flow[T], ask: Callable[[Round], Awaitable[Outcomes]]) -> T:
    with closing(flow):
        step = advance(flow)
        while not isinstance(step, Done):
            step = advance(flow, await ask(step))
        return step.value


def asking(request: Request) -> Flow[Answer | JudgeError]:
    """Ask one question; the failure comes back as a value."""
    (outcome,) = yield (request,)
    return outcome  # type: ignore[no-any-return]  # drivers answer a request with an Answer or a JudgeError


def doing(job: Job) -> Flow[Any]:
    """Do one job and return what it returned.

    Raises:
        Exception: whatever the job raised.
    """
    (outcome,) = yield (job,)
    if isinstance(outcome, Failed):
        raise outcome.error
    return outcome


def together(*flows: Flow[T]) -> Flow[list[T]]:
    """Run flows in step, their rounds merged into one; the values come back in the order of the flows.

    The first flow that raises ends all of them: wrap them in `settled` where one must not sink the rest.
    """
    with ExitStack() as stack:
        for flow in flows:
            stack.enter_context(closing(flow))
        steps: list[Round | Done[T]] = [advance(flow) for flow in flows]
        while live := {i: step for i, step in enumerate(steps) if not isinstance(step, Done)}:
            outcomes = iter((yield tuple(effect for step in live.values() for effect in step)))
            for i, step in live.items():
                steps[i] = advance(flows[i], tuple(islice(outcomes, len(step))))
        return [step.value for step in steps if isinstance(step, Done)]


def in_turn(*flows: Flow[T]) -> Flow[list[T]]:
    """Run flows one after the other; the values come back in their order. The first that raises ends all of them."""
    values = []
    with ExitStack() as stack:
        for flow in flows:
            stack.enter_context(closing(flow))
        for flow in flows:
            values.append((yield from flow))  # noqa: PERF401  # a comprehension cannot yield
    return values


def settled(flow: Flow[T], *errors: type[Exception]) -> Flow[T | Exception]:
    """The flow's value, or the error (one of `errors`, any `Exception` by default) that ended it, as a value."""
    try:
        return (yield from flow)
    except Exception as error:
        if errors and not isinstance(error, errors):
            raise
        return error


def through(flow: Flow[T], layer: Layer) -> Flow[T]:
    """Put a layer between a flow and its driver: it answers a round, and asks further only if it must."""
    with closing(flow):
        step = advance(flow)
        while not isinstance(step, Done):
            step = advance(flow, (yield from layer(step)))
        return step.value
