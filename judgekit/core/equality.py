"""When two values are equal: the one notion that all evaluators share.

Values are compared as data, by JSON's types rather than Python's:

- Numbers are equal by value, whatever holds them: 1, 1.0, `Decimal("1.00")` and numpy's 1. True is no number.
- NaN equals NaN: what is compared is what was written, and no arithmetic is done with it.
- A mapping is equal whatever the order of its keys. A key is a value like any other, so 1 is not "1".
- A tuple is a list. Lists are compared in order.
- Pydantic models, dataclasses, messages, arrays are compared as their fields and items; anything else (a date, a
  UUID, a set) as the text or list that `core.plain` makes of it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from typing import Any, Final, TypeVar

from judgekit.core.characters import shortened
from judgekit.core.foreign import unfold
from judgekit.core.plain import to_plain
from judgekit.errors import ConfigError, PromptError

__all__ = ["EXACT", "MISSING", "Difference", "Tolerance", "as_data", "difference", "same", "shown", "token"]

T = TypeVar("T")


class _Missing(Enum):
    MISSING = "missing"

    def __repr__(self) -> str:
        return "MISSING"


MISSING: Final = _Missing.MISSING
"""Stands in a `Difference` for the value that one side does not have."""


@dataclass(frozen=True, slots=True)
class Tolerance:
    """How far apart two numbers may be and still be equal: `math.isclose` with these bounds.

    Attributes:
        relative: as a share of the larger of the two magnitudes; 0.01 is one percent.
        absolute: in the numbers' own unit.

    Raises:
        ConfigError: a bound is negative or not finite.
    """

    relative: float = 0.0
    absolute: float = 0.0

    def __post_init__(self) -> None:
        for name, bound in (("relative", self.relative), ("absolute", self.absolute)):
            if not (math.isfinite(bound) and bound >= 0):
                raise ConfigError(
                    f"The {name} tolerance is {bound!r}: give a finite number that is not negative."
                )

    def __bool__(self) -> bool:
        return self.relative > 0 or self.absolute > 0

    def covers(self, one: Any, other: Any) -> bool:
        """Whether two numbers are equal, or near enough."""
        if one == other or (_is_nan(one) and _is_nan(other)):
            return True
        try:
            return bool(self) and math.isclose(one, other, rel_tol=self.relative, abs_tol=self.absolute)
        except OverflowError:  # an int beyond every float
            return False


EXACT = Tolerance()


@dataclass(frozen=True, slots=True)
class Difference:
    """Where two values differ first, and what stands there on each side; `MISSING` on the side that has nothing.

    `path` is dotted, `b.c[0]`, and empty when the values differ as a whole.
    """

    path: str
    got: Any
    expected: Any

    def __str__(self) -> str:
        where = f"{self.path}: " if self.path else ""
        if self.got is MISSING:
            return f"{where}missing, expected {shown(self.expected)}"
        if self.expected is MISSING:
            return f"{where}not in the reference, got {shown(self.got)}"
        return f"{where}expected {shown(self.expected)}, got {shown(self.got)}"


def same(one: Any, other: Any, tolerance: Tolerance = EXACT) -> bool:
    """Whether two values are equal, in the sense of this module.

    Raises:
        PromptError: a value has no plain form, contains itself, or is nested too deeply.
    """
    return difference(one, other, tolerance) is None


def difference(got: Any, expected: Any, tolerance: Tolerance = EXACT) -> Difference | None:
    """The first place where two values differ, or None when they are equal.

    Args:
        got: what is compared, such as an output.
        expected: what it should be.
        tolerance: for the numbers in them.

    Raises:
        PromptError: as `same`.
    """
    found = _bounded(_compared, got, expected, tolerance)
    if found is None:
        return None
    steps, left, right = found
    return Difference("".join(_path(reversed(steps))), left, right)


def token(value: Any) -> Hashable:
    """A hashable value that two values share exactly when they are `same`, to find equal ones among many.

    Raises:
        PromptError: as `same`.
    """
    return _bounded(_token, value)


def as_data(value: Any) -> Any:
    """The value as a mapping, a list, a text, a number, a truth value or None; what is inside stays as it is.

    Raises:
        PromptError: the value has no plain form.
    """
    return value if type(value) in _PLAIN else _unfolded(value)


def shown(value: Any) -> str:
    """A value for a comment: JSON on one line, cut in the middle when it is long."""
    try:
        text = _encode(to_plain(value))
    except PromptError:
        text = repr(value)
    return shortened(text, 80)


_encode = json.JSONEncoder(ensure_ascii=False).encode  # made once: `json.dumps` makes one for each call

_Found = tuple[list[Any], Any, Any] | None
"""The steps to a difference, last one first, and the two values there."""

_PLAIN = frozenset({str, bool, int, float, type(None), dict, list, tuple})
_SIMPLE = frozenset({str, bool, int, type(None)})
_NAN = ("nan",)


class _Index(int):
    """A step into a list; a plain int is a key."""


def _bounded(work: Callable[..., T], *values: Any) -> T:
    try:
        return work(*values)
    except RecursionError:
        raise PromptError(
            "A value contains itself or is nested too deeply to be compared; pass flatter data."
        ) from None


def _compared(one: Any, other: Any, tolerance: Tolerance) -> _Found:
    kind = type(one)
    if kind is type(other):
        if kind in _SIMPLE and one == other:
            return None
        if kind is dict:
            return _mappings(one, other, tolerance)
        if kind is list:
            return _lists(one, other, tolerance)
    left, right = as_data(one), as_data(other)
    if _is_number(left) and _is_number(right):
        return None if tolerance.covers(left, right) else ([], one, other)
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        return _mappings(left, right, tolerance)
    if isinstance(left, list | tuple) and isinstance(right, list | tuple):
        return _lists(left, right, tolerance)
    return None if type(left) is type(right) and left == right else ([], one, other)


def _mappings(one: Mapping[Any, Any], other: Mapping[Any, Any], tolerance: Tolerance) -> _Found:
    entries: dict[Hashable, Any] | None = None  # of `other`, by token: Python's own lookup takes True for 1
    for key, value in one.items():
        if type(key) is str:
            expected = other.get(key, MISSING)
        else:
            if entries is None:
                entries = {_token(name): inner for name, inner in other.items()}
            expected = entries.get(_token(key), MISSING)
        found = ([], value, expected) if expected is MISSING else _compared(value, expected, tolerance)
        if found is not None:
            found[0].append(key)
            return found
    if len(one) == len(other):
        return None
    names = {_token(key) for key in one}
    missing = next(key for key in other if _token(key) not in names)
    return [missing], MISSING, other[missing]


def _lists(one: Sequence[Any], other: Sequence[Any], tolerance: Tolerance) -> _Found:
    for index, (left, right) in enumerate(zip(one, other, strict=False)):
        found = _compared(left, right, tolerance)
        if found is not None:
            found[0].append(_Index(index))
            return found
    if len(one) == len(other):
        return None
    index = min(len(one), len(other))
    longer = (one[index], MISSING) if len(one) > len(other) else (MISSING, other[index])
    return [_Index(index)], *longer


def _token(value: Any) -> Hashable:
    if type(value) is str:
        return value
    data = as_data(value)
    if isinstance(data, bool):
        return (bool, data)
    if isinstance(data, Mapping):
        return (dict, frozenset([(_token(key), _token(inner)) for key, inner in data.items()]))
    if isinstance(data, list | tuple):
        return (list, tuple([_token(item) for item in data]))
    return _NAN if _is_nan(data) else data  # the rest is hashable by itself


def _unfolded(value: Any) -> Any:
    """A value of none of the plain types, in one of them; its parts are looked at when they are compared."""
    if not any(base.__module__.partition(".")[0] in _LIBRARIES for base in type(value).__mro__):
        for kind, read in _KINDS:
            if isinstance(value, kind):
                return read(value)
    try:
        plainer = unfold(value)
    except ValueError:
        plainer = NotImplemented  # `to_plain` meets it again, and says where
    return to_plain(value) if plainer is NotImplemented else as_data(plainer)


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | Decimal | Fraction) and not isinstance(value, bool)


def _path(steps: Iterator[Any]) -> Iterator[str]:
    first = True
    for step in steps:
        if type(step) is str and step.isidentifier():
            yield step if first else f".{step}"
        else:
            yield f"[{int(step) if isinstance(step, _Index) else shown(step)}]"
        first = False


_LIBRARIES = frozenset({"numpy", "pandas"})  # some of their types are subclasses of float, str or datetime

_KINDS: tuple[tuple[Any, Callable[[Any], Any]], ...] = (
    (Enum, lambda value: as_data(value.value)),
    (str, str.__str__),
    (int, int.__int__),
    (float, float.__float__),
    (Decimal, lambda value: float("nan") if value.is_nan() else value),
    (Fraction, lambda value: value),
    (bytes | bytearray | memoryview, bytes),
    (Mapping, lambda value: value),
    (Set, to_plain),
    (Sequence, list),
)
