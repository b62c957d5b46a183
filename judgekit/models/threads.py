"""A blocking call in a daemon thread: it can be given up on, and keeps neither Ctrl-C nor the exit waiting."""

from __future__ import annotations

import contextvars
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

    threading.Thread(target=work, name="judgekit-call", daemon=True).start()
    return future


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
