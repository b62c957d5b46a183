"""From a decoded JSON value to a scalar of a declared type: a closed table of one-step, value-preserving changes.

What is in no table is refused: fractions, ranges, words, null, a truth value for a number. Nothing is clamped,
rounded or snapped, because each of these turns a failure into a score.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

from judgekit.core.characters import shortened, trimmed
from judgekit.core.decoding import Unquoted

__all__ = ["Flaw", "as_bool", "as_label", "as_number", "closest", "same", "shown"]


class Flaw(Exception):
    """Why an answer is no verdict: a `ParseError` code, and words that can be sent back to the model."""

    def __init__(self, code: str, words: str) -> None:
        super().__init__(words)
        self.code = code
        self.words = words


_TRUTHS = {"true": True, "yes": True, "false": False, "no": False}
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)")
_PERCENT = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*%")
_DECIMAL_COMMA = re.compile(r"0,[0-9]+|1,0{1,2}")  # not `1,000`: that may be a thousand
_LONGEST_INTEGER = 300  # digits; more overflow a float, and Python refuses to convert thousands of them
_NOISE = 1e-9


def as_bool(raw: Any) -> tuple[bool, str | None]:
    """A truth value and how it was changed: true, false, 0, 1, or the words true, false, yes, no.

    Raises:
        Flaw: anything else.
    """
    if isinstance(raw, bool):
        return raw, None
    if isinstance(raw, int | float) and raw in (0, 1):
        return bool(raw), "number to boolean"
    if isinstance(raw, str) and (truth := _TRUTHS.get(trimmed(raw).casefold())) is not None:
        return truth, "text to boolean"
    raise Flaw("invalid_score", f"{shown(raw)} is neither true nor false")


def as_number(raw: Any, *, unit: bool = False, share: bool = False) -> tuple[float, str | None]:
    """A finite number (an int stays one) and how it was changed: a number, or a plain decimal as text.

    Where all allowed values lie in [0, 1] (`unit`), `"0,75"` has one reading too; where every number between
    0 and 1 is allowed (`share`), so has `"75%"`.

    Raises:
        Flaw: anything else; a truth value is no number.
    """
    if isinstance(raw, str):
        return _from_text(trimmed(raw), unit, share), "text to number"
    if isinstance(raw, int | float) and not isinstance(raw, bool) and _is_finite(raw):
        return raw, None
    raise Flaw("invalid_score", f"{shown(raw)} is not a number")


def as_label(raw: Any, labels: Mapping[str, str]) -> tuple[str, str | None]:
    """The label as it was offered (`labels` maps its casefolded form to it) and how the answer was changed.

    Raises:
        Flaw: not exactly one of the labels, letter case and blanks at the ends aside.
    """
    label = labels.get(trimmed(raw).casefold()) if isinstance(raw, str) else None
    if label is None:
        raise Flaw("invalid_score", f"{shown(raw)} is not one of the labels")
    return label, None if label == raw else "spelling of the label"


def closest(value: float, members: Iterable[float]) -> float | None:
    """The member that is this number up to float noise (1e-9), or None: nothing is rounded to a member."""
    near = [m for m in members if m == value or math.isclose(m, value, rel_tol=_NOISE, abs_tol=_NOISE)]
    return min(near, key=lambda member: abs(member - value), default=None)


def same(one: Any, other: Any) -> bool:
    """Equality of JSON values; unlike Python's, true is not 1."""
    if isinstance(one, bool) is not isinstance(other, bool):
        return False
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other)


def shown(raw: Any) -> str:
    """A value for a message: scalars as JSON and short, containers by their kind."""
    if isinstance(raw, Unquoted):
        return shortened(raw.text)
    if isinstance(raw, str):
        return f'"{shortened(raw)}"'
    if raw is None or isinstance(raw, bool):
        return {None: "null", True: "true", False: "false"}[raw]
    if isinstance(raw, int | float):
        return shortened(repr(raw)) if isinstance(raw, float) or _is_finite(raw) else "an enormous integer"
    return "a list" if isinstance(raw, list) else "an object"


def _from_text(text: str, unit: bool, share: bool) -> float:
    number: float | None = None
    if _DECIMAL.fullmatch(text):
        number = int(text) if text.lstrip("+-").isdigit() and len(text) <= _LONGEST_INTEGER else float(text)
    elif unit and _DECIMAL_COMMA.fullmatch(text):
        number = float(text.replace(",", "."))
    elif share and (percent := _PERCENT.fullmatch(text)) and (hundredths := Decimal(percent[1])) >= 1:
        number = float(hundredths.scaleb(-2))  # below 1 % the sign may be a slip: 0.8% or 0.8
    if number is None or not _is_finite(number):
        raise Flaw("invalid_score", f'"{shortened(text)}" is not a plain number')
    return number


def _is_finite(number: float) -> bool:
    try:
        return math.isfinite(number)
    except OverflowError:  # an int beyond every float
        return False
