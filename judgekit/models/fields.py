"""Reading fields from what a client returned: SDK objects, plain dicts, or a test's doubles."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

__all__ = ["count", "getter", "items", "pick", "string", "text"]

Getter = Callable[[Any, str], Any]


def getter(thing: Any) -> Getter:
    """What gets the fields of one thing, `get(thing, "content")`, be it a dict or an object; None for what is not there."""
    return dict.get if isinstance(thing, dict) else _attribute


def _attribute(thing: Any, name: str) -> Any:
    return getattr(thing, name, None)


def pick(thing: Any, *path: str) -> Any:
    """`pick(completion, "usage", "prompt_tokens")`; None where the path ends."""
    for name in path:
        thing = thing.get(name) if isinstance(thing, dict) else getattr(thing, name, None)
    return thing


def string(value: Any) -> str | None:
    """A string as it is; anything else (a double's auto-created attribute, a number) is None."""
    return value if isinstance(value, str) else None


def text(thing: Any, *path: str) -> str | None:
    """The string there, or None."""
    return string(pick(thing, *path))


def count(thing: Any, *path: str) -> int:
    """The token count there; 0 when the provider does not tell."""
    value = pick(thing, *path)
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def items(value: Any) -> Sequence[Any]:
    """A list as it is; anything else is an empty one."""
    return value if isinstance(value, (list, tuple)) else ()
