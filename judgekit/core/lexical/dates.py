"""Calendar dates in running text: ISO, with slashes or dots, with month names in five languages, and CJK."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from judgekit.core.lexical.lexicon import ERAS, MONTHS, ORDINALS
from judgekit.core.lexical.reading import Reading

__all__ = ["Date", "dates"]

_ISO = re.compile(r"(?<![\d-])(\d{4})-(\d{1,2})(?:-(\d{1,2}))?(?![\d-])")
_YEAR_FIRST = re.compile(r"(?<!\d)(\d{4})[/.](\d{1,2})[/.](\d{1,2})(?!\d)")
_YEAR_LAST = re.compile(r"(?<![\d/.-])(\d{1,2})([/.-])(\d{1,2})\2(\d{4})(?!\d)")
_HAN = "〇零一二三四五六七八九十"
_HAN_SMALL = r"\d{1,2}|[一二三]?十[一二三四五六七八九]?|[一二三四五六七八九]"
_CJK = re.compile(
    rf"(?:(\d{{1,4}}|[{_HAN}]{{4}})\s?年)?(?:\s?({_HAN_SMALL})\s?月(?!球|亮)(?:\s?({_HAN_SMALL})\s?[日号])?)?"
)
_HAS_DIGIT = re.compile(rf"[\d{_HAN}]")
_YEAR = re.compile(r"[1-9]\d{2,3}")
_ERA_YEAR = re.compile(r"\d{1,5}")
_DAY = re.compile(r"(\d{1,2})(?:st|nd|rd|th)?")
_GLUE = frozenset({"of", "the", "de", "del", "der", "du", "in"})


@dataclass(frozen=True, slots=True)
class Date:
    """A date, as far as it was said; years before the era are negative.

    `start` and `end` are its place in the reading's text. `either` says that the two numbers of a date such
    as 07/08/1969 may be swapped; `month` and `day` then hold the day-first reading.
    """

    year: int | None
    month: int | None
    day: int | None
    start: int
    end: int
    either: bool = False

    def agrees(self, other: Date) -> bool:
        """Whether `other` says all that this date says, and the same."""
        return all(
            mine is None or mine == theirs
            for mine, theirs in zip(self._fields(), other._fields(), strict=True)
        )

    def conflicts(self, other: Date) -> bool:
        """Whether the two name a different year, month or day."""
        return any(
            mine is not None and theirs is not None and mine != theirs
            for mine, theirs in zip(self._fields(), other._fields(), strict=True)
        )

    def swapped(self) -> Date:
        """The month-first reading of an ambiguous date."""
        return Date(self.year, self.day, self.month, self.start, self.end, either=True)

    def _fields(self) -> tuple[int | None, int | None, int | None]:
        return self.year, self.month, self.day

    def __str__(self) -> str:
        year = f"{-self.year} BC" if self.year and self.year < 0 else self.year and f"{self.year:04d}"
        parts = [year, *(part and f"{part:02d}" for part in (self.month, self.day))]
        return "-".join(str(part) for part in parts if part)


def dates(reading: Reading) -> list[Date]:
    """The dates in a text, in order. A bare year has four digits, or an era after it."""
    found = [date for date in _candidates(reading) if _is_real(date)]
    kept: list[Date] = []
    for date in sorted(found, key=lambda date: (date.start, -date.end)):
        if not kept or date.start >= kept[-1].end:
            kept.append(date)
    return kept


def _is_real(date: Date) -> bool:
    return (date.month is None or 1 <= date.month <= 12) and (date.day is None or 1 <= date.day <= 31)


def _candidates(reading: Reading) -> Iterator[Date]:
    text = reading.text
    if not _HAS_DIGIT.search(text):
        return
    for match in _ISO.finditer(text):
        year, month, day = match.groups()
        yield Date(int(year), int(month), int(day) if day else None, *match.span())
    for match in _YEAR_FIRST.finditer(text):
        year, month, day = match.groups()
        yield Date(int(year), int(month), int(day), *match.span())
    for match in _YEAR_LAST.finditer(text):
        yield _year_last(match)
    if not text.isascii():
        yield from _cjk(text)
    yield from _worded(reading)


def _year_last(match: re.Match[str]) -> Date:
    first, second, year = int(match[1]), int(match[3]), int(match[4])
    day, month = (second, first) if second > 12 else (first, second)
    either = match[2] != "." and first != second and max(first, second) <= 12
    return Date(year, month, day, *match.span(), either=either)


def _cjk(text: str) -> Iterator[Date]:
    for match in _CJK.finditer(text):
        year, month, day = (part and _han(part) for part in match.groups())
        if month or (year and len(match[1]) >= 3):
            yield Date(year or None, month or None, day or None, *match.span())


def _han(digits: str) -> int:
    if digits.isdecimal():
        return int(digits)
    if "十" in digits:
        tens, _, ones = digits.partition("十")
        return 10 * (_HAN.index(tens) - 1 if tens else 1) + (_HAN.index(ones) - 1 if ones else 0)
    return int("".join(str(max(_HAN.index(digit) - 1, 0)) for digit in digits))


def _worded(reading: Reading) -> Iterator[Date]:
    """Dates around the name of a month, and bare years."""
    words, spans = reading.words, reading.spans
    for i, word in enumerate(words):
        if word in MONTHS:
            yield from _around_month(reading, i)
        elif word[0].isdigit() and (year := _year(words, i)):
            era = _era(words, i)
            if era or len(word) == 4:
                yield Date(year, None, None, spans[i][0], spans[i + 1 if era else i][1])


def _around_month(reading: Reading, i: int) -> Iterator[Date]:
    """The date whose month is word `i`, when a day or a year stands beside it (`may` is a verb, too)."""
    words, spans = reading.words, reading.spans
    before, after = _skip(words, i, -1), _skip(words, i, 1)
    first = last = i
    day = _day(words, before)
    if day:
        first = before
    elif day := _day(words, after):
        last, after = after, _skip(words, after, 1)
    year = _year(words, after)
    if year:
        last = after + 1 if _era(words, after) else after
    if day or year:
        yield Date(year, MONTHS[words[i]], day, spans[first][0], spans[last][1])


def _skip(words: list[str], i: int, step: int) -> int:
    i += step
    while 0 <= i < len(words) and words[i] in _GLUE:
        i += step
    return i


def _day(words: list[str], i: int) -> int | None:
    if not 0 <= i < len(words):
        return None
    if match := _DAY.fullmatch(words[i]):
        return int(match[1]) if 1 <= int(match[1]) <= 31 else None
    return ORDINALS.get(words[i])


def _era(words: list[str], i: int) -> int | None:
    return ERAS.get(words[i + 1]) if i + 1 < len(words) else None


def _year(words: list[str], i: int) -> int | None:
    if not 0 <= i < len(words):
        return None
    era = _era(words, i)
    if _YEAR.fullmatch(words[i]) or (era and _ERA_YEAR.fullmatch(words[i])):
        return int(words[i]) * (era or 1)
    return None
