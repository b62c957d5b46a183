"""JSON values as they were written: duplicate keys kept, and what is no JSON called by its name."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

__all__ = ["Broken", "Decoded", "Members", "Unquoted", "exact", "strict"]


class Members(tuple[tuple[str, Any], ...]):
    """A JSON object: its (key, value) pairs in the order written, duplicates kept. A JSON list is a list."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Unquoted:
    """Bare text where a value should be, `0,75` or `high`: there is a value, and it is not JSON."""

    text: str


@dataclass(frozen=True, slots=True)
class Decoded:
    """One value and where it stood: `text[start:end]`.

    Attributes:
        repairs: what was mended; none of it can change a value.
        guessed: the texts, as written, in which quotation marks were taken as content. What really ends such a
            text is a guess, which the caller has to check.
    """

    value: Any
    start: int
    end: int
    repairs: frozenset[str] = frozenset()
    guessed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Broken:
    """No value could be read.

    Attributes:
        open: an object was begun, and the text ends before it is closed.
        in_text: it ends inside a text in which quotation marks were taken as content: one may be the real end.
        keys: the keys that were read before it failed.
    """

    open: bool = False
    in_text: bool = False
    keys: tuple[str, ...] = ()


_STRICT = json.JSONDecoder(object_pairs_hook=Members)
_WITH_CONTROLS = json.JSONDecoder(object_pairs_hook=Members, strict=False)


def exact(text: str) -> Any:
    """The JSON value that the text is, to the character: no blanks around it. The cheap way in.

    Raises:
        ValueError: the text is something else.
        RecursionError: it is nested deeper than the standard library reads.
    """
    value, end = _STRICT.raw_decode(text)
    if end != len(text):
        raise ValueError("text goes on after the value")
    return value


def strict(text: str) -> tuple[Any, tuple[str, ...]]:
    """The text as one JSON value, and the one repair it may take: control characters stand raw in its texts.

    Raises:
        ValueError, RecursionError: as `exact`.
    """
    try:
        return _STRICT.decode(text), ()
    except json.JSONDecodeError:
        return _WITH_CONTROLS.decode(text), ("control characters",)
