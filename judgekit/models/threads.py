"""A blocking call in a daemon thread: it can be given up on, and keeps neither Ctrl-C nor the exit waiting."""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable
from typing import Any, Generic, TypeVar

__all__ = ["Calling", "StillRunning"]

T = TypeVar("T")


class StillRunning(TimeoutError):
    """The call has not returned in time; it goes on, and nobody waits for it."""


class Calling(Generic[T]):
    """`function(*arguments)`, started at once in a thread of its own, with the caller's context variables."""

    def __init__(self, function: Callable[..., T], *arguments: Any) -> None:
        self._value: list[T] = []
        self._error: list[BaseException] = []
        context = contextvars.copy_context()

        def work() -> None:
            try:
                self._value.append(context.run(function, *arguments))
            except BaseException as error:  # noqa: BLE001  # raised again in the thread that waits
                self._error.append(error)

        self._thread = threading.Thread(target=work, name="judgekit-call", daemon=True)
        self._thread.start()

    def result(self, timeout: float | None = None) -> T:
        """What the function returned.

        Raises:
            StillRunning: it has not returned within `timeout` seconds.
            BaseException: whatever the function raised.
        """
        self._thread.join(timeout)
        if self._error:
            raise self._error[0]
        if not self._value:
            raise StillRunning
        return self._value[0]
