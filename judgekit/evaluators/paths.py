"""Dotted paths into data: `a.b[0].c` is key a, in it key b, in it the first item, in it key c; `a.b.0.c` is the same."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from judgekit.core.equality import MISSING, as_data

__all__ = ["Steps", "lookup", "parse_path", "without"]

Steps = tuple[str | int, ...]
"""Keys and list indices. A key of digits is an index where it meets a list."""

_STEP = re.compile(r"(?:^|\.)([^.\[\]]+)|\[([0-9]+)\]")


def parse_path(text: str) -> Steps | None:
    """The steps of a path; None for a text that is none, which can still be a key as it stands."""
    steps: list[str | int] = []
    at = 0
    while at < len(text):
        found = _STEP.match(text, at)
        if found is None:
            return None
        steps.append(found[1] if found[1] is not None else int(found[2]))
        at = found.end()
    return tuple(steps) or None


def lookup(value: Any, steps: Steps) -> Any:
    """What a path leads to, or `MISSING`."""
    for step in steps:
        data = as_data(value)
        key = _key(data, step)
        if key is None:
            return MISSING
        value = data[key]
    return value


def without(value: Any, paths: Iterable[Steps]) -> Any:
    """The value without what the paths lead to: new containers where something is taken out, the rest as it is."""
    data = as_data(value)
    present = [(_key(data, steps[0]), steps[1:]) for steps in paths if lookup(data, steps) is not MISSING]
    if not present:
        return value
    kept = []
    for key, inner in data.items() if isinstance(data, Mapping) else enumerate(data):
        below = [steps for first, steps in present if first == key]
        if () not in below:
            kept.append((key, without(inner, below)))
    return dict(kept) if isinstance(data, Mapping) else [inner for _, inner in kept]


def _key(data: Any, step: str | int) -> str | int | None:
    """The key or index that a step means here; None when there is nothing."""
    if isinstance(data, Mapping):
        return step if step in data else None
    if not isinstance(data, list | tuple):
        return None
    index = int(step) if isinstance(step, int) or (step.isascii() and step.isdecimal()) else len(data)
    return index if index < len(data) else None
