"""How far a run is: one line on the error stream, only where a person is looking."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any, Protocol

from judgekit.runner.records import RowResult

__all__ = ["Progress", "shown"]


class Progress(Protocol):
    """Is told of every row, in the order of completion."""

    def add(self, row: RowResult) -> None: ...
    def close(self) -> None: ...


def shown(progress: bool | Callable[[RowResult], None]) -> Progress:
    """The progress that a user asked for: True a line on a terminal, False none, or a function of each row."""
    if callable(progress):
        return _Told(progress)
    if progress and sys.stderr is not None and sys.stderr.isatty():
        return _Line()
    return _Told(lambda _: None)


class _Told:
    def __init__(self, tell: Callable[[RowResult], None]) -> None:
        self.add = tell

    def close(self) -> None:
        """Nothing is open."""


class _Line:
    """Rows done, rows a second, failures and dollars, at most ten times a second."""

    def __init__(self) -> None:
        self._bar: Any = None
        self._started = self._last = time.monotonic()
        self._done = self._failed = 0
        self._dollars: float | None = 0.0

    def add(self, row: RowResult) -> None:
        self._done += 1
        self._failed += row.failed
        if self._dollars is not None:
            self._dollars = None if row.cost is None else self._dollars + row.cost
        now = time.monotonic()
        if now - self._last > _INTERVAL:
            self._last = now
            self._write("\r")

    def close(self) -> None:
        if self._done:
            self._write("\r", "\n")

    def _write(self, before: str, after: str = "") -> None:
        rate = self._done / max(time.monotonic() - self._started, 1e-9)
        money = "cost unknown" if self._dollars is None else f"${self._dollars:.4f}"
        line = f"{self._done:,} rows, {rate:,.1f} rows/s, {self._failed:,} failed, {money}"
        sys.stderr.write(f"{before}{line:<{_WIDTH}}{after}")
        sys.stderr.flush()


_INTERVAL = 0.1
_WIDTH = 72
