"""What the benchmarks share: CPU per call, several rounds in turn, and the best of each.

A machine that others use only ever adds time, so the best round is the figure, and peers take turns so that a slow
spell meets both.
"""

from __future__ import annotations

import asyncio
import importlib
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

ROUNDS = 7


def cpu_per_call(call: Callable[[], Any], calls: int) -> float:
    """Microseconds of CPU that one call takes."""
    started = time.process_time()
    for _ in range(calls):
        call()
    return (time.process_time() - started) / calls * 1e6


def acpu_per_call(call: Callable[[], Awaitable[Any]], calls: int) -> float:
    """The same for awaited calls, inside one event loop."""

    async def run() -> float:
        started = time.process_time()
        for _ in range(calls):
            await call()
        return (time.process_time() - started) / calls * 1e6

    return asyncio.run(run())


def in_turn(sides: Mapping[str, Callable[[], float]], rounds: int = ROUNDS) -> dict[str, float]:
    """The best (lowest) figure of each side over rounds in which all take their turn."""
    best = dict.fromkeys(sides, float("inf"))
    for _ in range(rounds):
        for name, side in sides.items():
            best[name] = min(best[name], side())
    return best


def peer(name: str) -> Any | None:
    """A peer's module, or None with a line that says why it is left out."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        print(f"{name} is left out: {error} (make bench installs it)")
        return None
