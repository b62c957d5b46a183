"""The caller's values as plain data (`to_plain`) and as text (`to_text`).

What a prompt shows of a value is JSON with its characters unescaped. Any depth may hold pydantic models,
dataclasses, LangChain messages, numpy and pandas objects, dates, decimals, enums; none of them is changed, and
nothing here follows an attribute that its type does not declare as data.

Conventions where JSON has none:

- A date, time, UUID, path or decimal is its text; a time span is an ISO 8601 duration.
- NaN and the infinities are the texts "NaN", "Infinity" and "-Infinity": JSON has no such numbers.
- A missing value of pandas or numpy (NA, NaT) is null.
- A set is a list: numbers by size, then the rest in the order of their JSON text.
- A key that is not text becomes the text that its value would have (`1` is "1", `True` is "true"); a key that
  is a container is refused, and so are two keys that become one.
- A DataFrame is a list of records (with its index, unless that only counts the rows); a Series is an object when
  its index names the entries, otherwise a list.
"""

from __future__ import annotations

import json
import math
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence, Set
from datetime import date, datetime, time
from decimal import Decimal
from enum import Enum
from pathlib import PurePath
from typing import Any
from uuid import UUID

from judgekit.core.foreign import unfold
from judgekit.errors import PromptError

__all__ = ["to_plain", "to_text"]

_DEEPEST = 150
"""Levels of nesting; beyond it the interpreter's own recursion limit is near."""

_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


def to_text(value: Any, *, name: str = "value") -> str:
    """Return `value` as a prompt shows it: text as it is, everything else as JSON.

    What is a text in JSON (a date, a UUID, an enum's text) is shown without quotes when it stands alone. `name`
    is what error messages call the value.

    Raises:
        PromptError: something in `value` has no plain form; the message has its path and what to do.
    """
    if type(value) is str:
        return value
    plain = to_plain(value, name=name)
    return plain if isinstance(plain, str) else _encode(plain)


def to_plain(value: Any, *, name: str = "value") -> Any:
    """Return `value` as new dicts with text keys, lists, texts, numbers, booleans and None.

    The result shares no container with `value`, and `json.dumps` accepts it.

    Raises:
        PromptError: as `to_text`.
    """
    return _Walk(name).plain(value)


class _Walk:
    """One walk over one value: where it is, and which containers it is inside of."""

    __slots__ = ("inside", "path")

    def __init__(self, name: str) -> None:
        self.path: list[str | int] = [name]
        self.inside: set[int] = set()

    def plain(self, value: Any) -> Any:
        read = _EXACT.get(type(value)) or _reader(value)
        return read(self, value)

    def step(self, value: Any, step: str | int) -> Any:
        self.path.append(step)
        plain = self.plain(value)
        self.path.pop()
        return plain

    def mapping(self, value: Mapping[Any, Any]) -> dict[str, Any]:
        self.enter(value)
        plain: dict[str, Any] = {}
        for key, item in value.items():
            text = key if type(key) is str else self.key(key)
            if text in plain:
                raise self.error(f"has two keys that both become {text!r}; rename one")
            plain[text] = item if type(item) in _LEAVES else self.step(item, text)
        self.inside.remove(id(value))
        return plain

    def key(self, key: Any) -> str:
        plain = self.plain(key)
        if isinstance(plain, dict | list):
            raise self.error(f"has a {_named(key)} as a key, {key!r:.60}; use text keys, or a list of pairs")
        return plain if isinstance(plain, str) else _encode(plain)

    def sequence(self, value: Sequence[Any]) -> list[Any]:
        self.enter(value)
        plain = [item if type(item) in _LEAVES else self.step(item, i) for i, item in enumerate(value)]
        self.inside.remove(id(value))
        return plain

    def set(self, value: Set[Any]) -> list[Any]:
        return sorted(self.sequence(list(value)), key=_order)

    def unfolded(self, value: Any) -> Any:
        self.enter(value)
        try:
            plainer = unfold(value)
        except ValueError as error:
            raise self.error(f"is of type {_named(value)} and could not be serialized: {error}") from error
        if plainer is NotImplemented:
            raise self.error(
                f"is of type {_named(value)}, which has no plain form; "
                "pass its text, a dict of its fields, a dataclass or a pydantic model"
            )
        plain = self.plain(plainer)
        self.inside.remove(id(value))
        return plain

    def enter(self, value: Any) -> None:
        if id(value) in self.inside:
            raise self.error("contains itself; pass data without the cycle")
        if len(self.inside) >= _DEEPEST:
            raise self.error(f"is nested more than {_DEEPEST} levels deep; pass a flatter value")
        self.inside.add(id(value))

    def error(self, problem: str) -> PromptError:
        name, *steps = self.path
        return PromptError(f"`{name}{''.join(map(_written, steps))}` {problem}.")


def _written(step: str | int) -> str:
    return f".{step}" if isinstance(step, str) and step.isidentifier() else f"[{step!r}]"


def _reader(value: Any) -> Callable[[_Walk, Any], Any]:
    """The way to read a value whose exact type is not in the table."""
    if any(base.__module__.partition(".")[0] in {"numpy", "pandas"} for base in type(value).__mro__):
        return _Walk.unfolded  # some of theirs are subclasses of float, str or datetime
    return next((read for kind, read in _KINDS if isinstance(value, kind)), _Walk.unfolded)


def _refuse(problem: str) -> Callable[[_Walk, Any], Any]:
    def read(walk: _Walk, value: Any) -> Any:
        raise walk.error(problem.format(_named(value)))

    return read


def _real(_: _Walk, value: float) -> float | str:
    if math.isfinite(value):
        return float.__float__(value)
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def _order(plain: Any) -> tuple[bool, float, str]:
    if isinstance(plain, int | float):
        return (False, plain, "")
    return (True, 0, _encode(plain))


def _named(value: Any) -> str:
    kind = type(value)
    return kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


_LEAVES = frozenset({str, bool, int, type(None)})
"""Types whose values are plain as they are; they are most of all values, so nobody is asked about them."""

_EXACT: dict[type, Callable[[_Walk, Any], Any]] = {
    str: lambda _, value: value,
    bool: lambda _, value: value,
    int: lambda _, value: value,
    type(None): lambda _, value: value,
    float: _real,
    dict: _Walk.mapping,
    list: _Walk.sequence,
    tuple: _Walk.sequence,
}

_KINDS: tuple[tuple[Any, Callable[[_Walk, Any], Any]], ...] = (
    (Enum, lambda walk, value: walk.plain(value.value)),
    (str, lambda _, value: str.__str__(value)),
    (int, lambda _, value: int.__int__(value)),
    (float, _real),
    (bytes | bytearray | memoryview, _refuse("is {}; decode it to text, or pass it as an attachment")),
    (complex, _refuse("is a {} number, which JSON has not; pass its real and imaginary parts")),
    (datetime | date | time, lambda _, value: value.isoformat()),
    (Decimal | UUID | PurePath, lambda _, value: str(value)),
    (type, _refuse("is a class; pass an instance, or its name")),
    (Iterator, _refuse("is a {}, which can be read only once; pass a list of its items")),
    (Awaitable, _refuse("is a {} that was not awaited; pass its result")),
    (Mapping, _Walk.mapping),
    (Set, _Walk.set),
    (Sequence, _Walk.sequence),
)
