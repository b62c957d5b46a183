"""Reading fields from what a client returned: SDK objects, plain dicts, or a test's doubles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["count", "items", "pick", "text"]


def pick(thing: Any, *path: str) -> Any:
    """`pick(completion, "usage", "prompt_tokens")`, through mappings and attributes alike; None where it ends."""
    for name in path:
        if isinstance(thing, dict):
            thing = thing.get(name)
        else:
            found = getattr(thing, name, None)
            thing = thing.get(name) if found is None and isinstance(thing, Mapping) else found
        if thing is None:
            return None
    return thing


def text(thing: Any, *path: str) -> str | None:
    """The string there; anything else (a double's auto-created attribute, a number) is None."""
    value = pick(thing, *path)
    return value if isinstance(value, str) else None


def count(thing: Any, *path: str) -> int:
    """The token count there; 0 when the provider does not tell."""
    value = pick(thing, *path)
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def items(thing: Any, *path: str) -> Sequence[Any]:
    """The list there; empty when there is none."""
    value = pick(thing, *path)
    return value if isinstance(value, (list, tuple)) else ()
