"""A blocking call in a daemon thread: it can be given up on, and keeps neither Ctrl-C nor the exit waiting.

A thread that is done waits a while for the next call, because starting one costs as much as a small call.
"""

from __future__ import annotations

import contextvars
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

__all__ = ["StillRunning", "start", "waited"]

T = TypeVar("T")


class StillRunning(TimeoutError):
    """The call has not returned in time; it goes on, and nobody waits for it."""


def start(function: Callable[..., T], *arguments: Any) -> Future[T]:
    """Call `function(*arguments)` in a thread of its own, with the caller's context variables.

    A pool would not do: its few threads would limit how many calls are under way, and its exit handler waits for a
    call that hangs.

    Returns:
        The future of what it returns; `asyncio.wrap_future` makes it awaitable.
    """
    future: Future[T] = Future()
    future.set_running_or_notify_cancel()  # from here on it cannot be cancelled, only left alone
    context = contextvars.copy_context()

    def work() -> None:
        try:
            value = context.run(function, *arguments)
        except BaseException as error:  # noqa: BLE001  # raised again where the future is waited for
            future.set_exception(error)
        else:
            future.set_result(value)

    _give(work)
    return future


_IDLE_SECONDS = 5.0
_idle: list[_Worker] = []


class _Worker(threading.Thread):
    """Does one call after the other, and ends when none came for a while."""

    def __init__(self, first: Callable[[], None]) -> None:
        super().__init__(name="judgekit-call", daemon=True)
        self.calls: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self.calls.put(first)

    def run(self) -> None:
        while True:
            try:
                call = self.calls.get(timeout=_IDLE_SECONDS)
            except queue.Empty:
                try:
                    _idle.remove(self)
                except ValueError:  # somebody took this one just now, and its call is on the way
                    call = self.calls.get()
                else:
                    return
            call()
            del call  # what it holds is not this thread's to keep while it waits
            _idle.append(self)


def _give(call: Callable[[], None]) -> None:
    """To a thread that waits, or to a new one. Lists are popped and appended to by one thread at a time."""
    while _idle:
        try:
            worker = _idle.pop()
        except IndexError:
            break
        if worker.is_alive():  # in a forked process none is
            worker.calls.put(call)
            return
    _Worker(call).start()


def waited(future: Future[T], timeout: float | None = None) -> T:
    """What the call returned; what it raised is raised here.

    Raises:
        StillRunning: it has not returned within `timeout` seconds.
    """
    try:
        return future.result(timeout)
    except TimeoutError as error:
        if future.done():  # the call's own
            raise
        raise StillRunning from error
