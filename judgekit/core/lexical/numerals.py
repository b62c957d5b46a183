"""Numbers in running text, with their units: digits in English and continental style, English number words, CJK.

A text such as `1.234` means 1.234 to one reader and 1234 to another. Both readings are kept, and two numbers
are equal when any of their readings are.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from judgekit.core.lexical.lexicon import APPROXIMATORS, CARDINALS, MONEY_SCALES, ORDINALS, SCALES
from judgekit.core.lexical.reading import Reading, has_cjk
from judgekit.core.lexical.units import CURRENCY_SIGNS, UNITS, Unit, unit_of

__all__ = ["Quantity", "quantities"]

_GLUED_SCALES = SCALES | {"k": 1000}
_LONGEST = 24
_BEGINNINGS = {*CARDINALS, *ORDINALS, "a"}
_GROUPED = re.compile(r"\d{1,3}(?:([.,' ])\d{3})(?:\1\d{3})*")
_GLUED = re.compile(r"(\d+)([^\W\d_]+\d?)")
_HAN_DIGITS = {digit: i for i, digit in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_HAN_SCALES = {"十": 10, "百": 100, "千": 1000}
_HAN_GROUPS = {"": 1, "万": 10**4, "亿": 10**8}
_CJK_UNITS = sorted(
    (name for name in UNITS if not name.isascii() and len(name.encode()) > 2), key=len, reverse=True
)
_CJK = re.compile(
    r"(\d[\d,]*(?:\.\d+)?|[零〇一二两三四五六七八九十百千]+)\s?([十百千]?)([万亿]?)(?:\s?("
    + "|".join(_CJK_UNITS)
    + r"|%|°C))?"
)
_CONVERSION_TOLERANCE = 5e-3
_NEARBY = 2e-2


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number with its unit, and its place in the reading's text.

    `values` holds every reading of the digits; `step` is the size of the last digit written, `digits` how many
    were written, `rough` says that a word such as `about` stands before it.
    """

    values: tuple[float, ...]
    unit: Unit | None
    start: int
    end: int
    step: float = 1.0
    digits: int = 1
    rough: bool = False
    ordinal: bool = False

    def equals(self, other: Quantity) -> bool:
        """Whether both are one number: the same, one the rounding of the other, or one converted to the other."""
        if not self.comparable(other):
            return False
        if self.unit and other.unit and self.unit != other.unit:
            return self._distance(other) <= _CONVERSION_TOLERANCE
        coarse = max(self, other, key=lambda quantity: quantity.step)
        slack = 0.5 * coarse.step if self.step != other.step and coarse.digits >= 3 else 0.0
        return any(
            math.isclose(mine, theirs, rel_tol=1e-9, abs_tol=slack)
            for mine in self.values
            for theirs in other.values
        )

    def near(self, other: Quantity) -> bool:
        """Whether the two may be one number, said roughly."""
        loose = self.rough or other.rough or self.step != other.step
        return loose and self.comparable(other) and self._distance(other) <= _NEARBY

    def comparable(self, other: Quantity) -> bool:
        """Whether the units allow a comparison; a number without a unit compares with any."""
        return not self.unit or not other.unit or self.unit.dimension == other.unit.dimension

    def _distance(self, other: Quantity) -> float:
        """The smallest relative difference between any two readings, in base units where both have one."""
        both = self.unit is not None and other.unit is not None
        return min(
            abs(mine - theirs) / max(abs(mine), abs(theirs), 1e-300)
            for mine in self._base(both)
            for theirs in other._base(both)
        )

    def _base(self, convert: bool) -> tuple[float, ...]:
        if not convert or self.unit is None:
            return self.values
        return tuple(value * self.unit.factor + self.unit.offset for value in self.values)


def quantities(reading: Reading) -> list[Quantity]:
    """The numbers in a text, in order."""
    found = list(_spaced(reading))
    if has_cjk(reading.text):
        found += _cjk(reading.text)
        found.sort(key=lambda quantity: (quantity.start, -quantity.end))
    kept: list[Quantity] = []
    for quantity in found:
        if not kept or quantity.start >= kept[-1].end:
            kept.append(quantity)
    return kept


@dataclass(frozen=True, slots=True)
class _Number:
    values: tuple[float, ...]
    step: float
    digits: int
    words: int = 1
    ordinal: bool = False

    def times(self, scale: float) -> _Number:
        return replace(self, values=tuple(value * scale for value in self.values), step=self.step * scale)


def _spaced(reading: Reading) -> Iterator[Quantity]:
    """Numbers that are words of their own."""
    words, spans = reading.words, reading.spans
    i = 0
    while i < len(words):
        may_begin = words[i] in _BEGINNINGS or words[i][0].isdigit()
        number = _number(reading, i) if may_begin else None
        if number is None:
            i += 1
            continue
        last = i + number.words - 1
        unit, used = _unit(reading, i, last)
        sign = -1 if _is_negative(reading.text, spans[i][0]) else 1
        yield Quantity(
            values=tuple(sign * value for value in number.values),
            unit=unit,
            start=spans[i][0],
            end=spans[last + used][1],
            step=number.step,
            digits=number.digits,
            rough=not APPROXIMATORS.isdisjoint(words[max(i - 2, 0) : i]),
            ordinal=number.ordinal,
        )
        i = last + used + 1


def _unit(reading: Reading, first: int, last: int) -> tuple[Unit | None, int]:
    """The unit of the number in words `first` to `last`, and how many words after it belong to the unit."""
    words, spans = reading.words, reading.spans
    if glued := _GLUED.fullmatch(words[first]):
        return UNITS.get(glued[2]) if glued[2] != "k" else None, 0
    following = words[last + 1 : last + 4]
    slashed = len(following) > 1 and reading.text[spans[last + 1][1] : spans[last + 2][0]] == "/"
    unit, used = unit_of([following[0], "/", following[1]] if slashed else following)
    if unit is None and first and words[first - 1] in CURRENCY_SIGNS:
        return UNITS[words[first - 1]], 0
    return unit, min(used, 2) if slashed else used


def _is_negative(text: str, start: int) -> bool:
    return text[max(start - 1, 0) : start] == "-" and (start < 2 or text[start - 2].isspace())


def _number(reading: Reading, i: int) -> _Number | None:
    """The number that begins at word `i`."""
    words = reading.words
    word = words[i]
    if word[0].isdigit():
        number = _digits(word)
        j = i + 1
        scales = SCALES | MONEY_SCALES if i and words[i - 1] in CURRENCY_SIGNS else SCALES
        while number and j < len(words) and (scale := scales.get(words[j])):
            number, j = number.times(scale), j + 1
        return number and replace(number, words=j - i)
    run = _run(reading, i)
    if word != "a":
        return _worded(run)
    return _worded(["one", *run[1:]]) if len(run) > 1 and run[1] in SCALES else None


def _run(reading: Reading, i: int) -> list[str]:
    """The words from `i` on that only spaces or hyphens separate, as many as a number may have."""
    spans = reading.spans
    j, end = i + 1, min(i + _LONGEST, len(spans))
    while j < end and reading.text[spans[j - 1][1] : spans[j][0]] in {" ", "-"}:
        j += 1
    return reading.words[i:j]


def _digits(word: str) -> _Number | None:
    if glued := _GLUED.fullmatch(word):
        if glued[2] in {"st", "nd", "rd", "th"}:
            return replace(_plain(glued[1]), ordinal=True)
        if glued[2] in UNITS and glued[2] not in {"s", "k"}:  # 1960s is a decade, 50k is 50,000
            return _plain(glued[1])
        scale = _GLUED_SCALES.get(glued[2])
        return _plain(glued[1]).times(scale) if scale else None
    if grouped := _GROUPED.fullmatch(word):
        whole = _plain(re.sub(r"[.,' ]", "", word))
        separator = grouped[1]
        if word.count(separator) > 1 or separator in "' ":
            return whole
        decimal = _plain(word.replace(",", "."))
        if word.startswith("0"):
            return decimal
        first, second = (whole, decimal) if separator == "," else (decimal, whole)
        return _Number(first.values + second.values, first.step, first.digits)
    separators = re.sub(r"\d", "", word)
    if len(separators) <= 1:
        return _plain(word.replace(",", ".")) if word.replace(separators or "~", "").isdecimal() else None
    head, tail = word[: word.rindex(separators[-1])], word[word.rindex(separators[-1]) + 1 :]
    if len(set(separators)) == 2 and _GROUPED.fullmatch(head):  # 1,234.5 and 1.234,5
        return _plain(re.sub(r"[.,]", "", head) + "." + tail)
    return None


def _plain(digits: str) -> _Number:
    _, _, decimals = digits.partition(".")
    significant = len(digits.replace(".", "").lstrip("0")) or 1
    return _Number((float(digits),), 10.0 ** -len(decimals), significant)


def _worded(words: list[str]) -> _Number:
    """Read the English number that `words` begin with, such as `two hundred and six` or `nineteen sixty-nine`."""
    total, current, ended = 0.0, 0.0, 0
    for j, word in enumerate(words):
        small = CARDINALS.get(word, ORDINALS.get(word))
        if small is not None:
            joined = _joined(current, small, j)
            if joined is None:
                break
            current = joined
        elif j and word in SCALES:
            current = max(current, 1) * SCALES[word]
            if SCALES[word] >= 1000:
                total, current = total + current, 0
        elif word == "and" and words[j - 1] in SCALES:
            continue
        else:
            break
        ended = j + 1
    value = total + current
    return _Number((value,), 1.0, len(f"{value:.0f}"), ended, ordinal=words[ended - 1] in ORDINALS)


def _joined(current: float, value: int, j: int) -> float | None:
    """`current` continued by `value`: 20 and 6 are 26, 200 and 6 are 206, 19 and 69 a year; 3 and 6 are no number."""
    if j == 1 and 10 < current <= 20 and value >= 10:
        return 100 * current + value
    if current % 100 == 0 or (current % 100 >= 20 and current % 10 == 0 and value < 10):
        return current + value
    return None


def _cjk(text: str) -> Iterator[Quantity]:
    for match in _CJK.finditer(text):
        digits, small, group, unit = match.groups()
        number = _plain(digits.replace(",", "")) if digits[0].isdecimal() else _han(digits)
        number = number.times(_HAN_SCALES.get(small, 1)).times(_HAN_GROUPS[group])
        yield Quantity(
            values=number.values,
            unit=UNITS[unit.casefold()] if unit else None,
            start=match.start(),
            end=match.end(),
            step=number.step,
            digits=number.digits,
            rough=text[max(match.start() - 1, 0) : match.start()] in {"约", "近"},
        )


def _han(digits: str) -> _Number:
    if not any(digit in _HAN_SCALES for digit in digits):
        return _Number((float("".join(str(_HAN_DIGITS[digit]) for digit in digits)),), 1.0, len(digits))
    total, current = 0, None
    for digit in digits:
        if digit in _HAN_SCALES:
            total += (1 if current is None else current) * _HAN_SCALES[digit]
            current = None
        else:
            current = _HAN_DIGITS[digit]
    value = total + (current or 0)
    return _Number((float(value),), 1.0, len(str(value)))
