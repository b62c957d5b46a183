"""What the rules of reference matching share: the texts in question, a verdict, and how a mention decides it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from judgekit.core.lexical.dates import Date, dates
from judgekit.core.lexical.mentions import Span, Standing, standing
from judgekit.core.lexical.numerals import Quantity, quantities
from judgekit.core.lexical.reading import Reading

__all__ = ["Case", "Match", "Statement"]


@dataclass(frozen=True, slots=True)
class Match:
    """Whether an answer gives the reference.

    `verdict` is None when the rules cannot tell; `reason` is one sentence that says what decided.
    """

    verdict: bool | None
    reason: str


class Statement(Reading):
    """A reading, with the dates and the numbers that it states."""

    @cached_property
    def dates(self) -> list[Date]:
        return dates(self)

    @cached_property
    def numbers(self) -> list[Quantity]:
        """The numbers that are no part of a day or a month; a bare year is a number as well."""
        calendar = [date for date in self.dates if date.month]
        starts = [date.start for date in calendar]

        def is_dated(number: Quantity) -> bool:
            i = bisect_right(starts, number.start) - 1
            return i >= 0 and number.start < calendar[i].end

        return [number for number in quantities(self) if not is_dated(number)]

    def span(self, fact: Date | Quantity) -> Span:
        """The words that say `fact`."""
        return self.place(fact.start), self.place(fact.end - 1)

    def quote(self, fact: Date | Quantity) -> str:
        """`fact` in the text's own words."""
        return self.text[fact.start : fact.end].strip()

    def beside(self, fact: Date | Quantity) -> list[int]:
        """The places of the words that say something other than `fact`."""
        return [i for i, (start, end) in enumerate(self.spans) if end <= fact.start or start >= fact.end]


_REASONS: dict[Standing, tuple[bool | None, str]] = {
    Standing.STATED: (True, "{} is in the answer"),
    Standing.DENIED: (False, "the answer denies {}"),
    Standing.UNCLEAR: (
        None,
        "the answer has {} beside a negation or a doubt, and words alone cannot place it",
    ),
    Standing.OFFERED: (None, "the answer offers {} as one of several alternatives"),
}


@dataclass(frozen=True, slots=True)
class Case:
    """One answer, one reference, and the question (without words when it is not known)."""

    answer: Statement
    reference: Statement
    question: Statement

    def decide(self, spans: Iterable[Span], what: str) -> Match:
        """The verdict on an answer that mentions `what` at `spans`."""
        how = standing(self.answer, spans, asked_negatively=bool(self.question.negations))
        verdict, reason = _REASONS[how]
        return Match(verdict, reason.format(what))
