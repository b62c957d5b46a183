"""Rules for references that are one fact of a known kind: yes or no, a date, a number."""

from __future__ import annotations

from dataclasses import replace

from judgekit.core.lexical.case import Case, Match, Statement
from judgekit.core.lexical.dates import Date
from judgekit.core.lexical.lexicon import (
    ALTERNATIVES,
    APPROXIMATORS,
    CONJUNCTIONS,
    FUNCTION_WORDS,
    NO_WORDS,
    OPEN_QUESTIONS,
    SCALES,
    YES_WORDS,
    ZERO_WORDS,
)
from judgekit.core.lexical.numerals import Quantity
from judgekit.core.lexical.reading import Reading, scripts

__all__ = ["match_date", "match_number", "match_truth"]

_SPARE = FUNCTION_WORDS | APPROXIMATORS
"""May surround a date or a number in a reference that is nothing else."""

_COUNTED = 2
"""How many words may follow the number of a reference and say what is counted: `775 rooms`."""

_ECHO = 0.6
"""The share of the question's words that a bare statement must repeat to count as a yes."""

_READ = frozenset({"latin", "cjk"})
"""The scripts whose number words are read."""

_TRUTHS = YES_WORDS | NO_WORDS
_JOINERS = CONJUNCTIONS | ALTERNATIVES
_SAID = {True: "yes", False: "no"}


def match_truth(case: Case) -> Match | None:
    """A reference that is yes or no, alone or before a comma (`Yes, Minister` answers an open question)."""
    wanted = _truth(case.reference)
    is_open = (
        len(case.reference.words) > 1 and case.question.words[:1] and case.question.words[0] in OPEN_QUESTIONS
    )
    if wanted is None or is_open:
        return None
    if _is_both(case.answer.words):
        return Match(None, "the answer says yes and no at once")
    said = _truth(case.answer, leading=True)
    if said is None:
        said = _implied(case)
    if said is None:
        return Match(None, f"the answer says neither yes nor no where the reference says {_SAID[wanted]}")
    if said is not wanted:
        return Match(False, f"the answer says {_SAID[said]} where the reference says {_SAID[wanted]}")
    if left_out := _tail(case):
        return Match(
            None, f"the answer says {_SAID[said]} and leaves out {left_out}, which the reference adds"
        )
    return Match(True, f"the answer says {_SAID[said]}, as the reference does")


def _tail(case: Case) -> str | None:
    """A name or a number that the reference adds to its yes or no, and that neither question nor answer has."""
    known = case.question.vocabulary | case.answer.vocabulary
    added = [i for i in case.reference.content[1:] if case.reference.stems[i] not in known]
    telling = (i for i in added if case.reference.is_capitalized(i) or case.reference.words[i][0].isdigit())
    return next((case.reference.words[i] for i in telling), None)


def _is_both(words: list[str]) -> bool:
    return len(words) > 2 and words[0] in _TRUTHS and words[1] in _JOINERS and words[2] in _TRUTHS


def _truth(text: Reading, *, leading: bool = False) -> bool | None:
    """The truth value that stands alone in the first clause; in an answer, also one that merely begins it."""
    first = text.words[0]
    alone = len(text.words) == 1 or text.clauses[1] > text.clauses[0]
    if leading or alone:
        return True if first in YES_WORDS else False if first in NO_WORDS else None
    return None


def _implied(case: Case) -> bool | None:
    """What a statement without yes or no says about the question: it denies it, or repeats it."""
    if case.question.negations:
        return None
    if case.answer.negations:
        return False
    asked = {case.question.stems[i] for i in case.question.content} if case.question.words else set()
    repeated = asked & case.answer.vocabulary
    return True if asked and len(repeated) >= _ECHO * len(asked) else None


def match_date(case: Case) -> Match | None:
    """A reference that is one date. A bare year that the answer lacks is left to `match_number`."""
    if (wanted := _only_date(case.reference)) is None:
        return None
    found = case.answer.dates
    same = [date for date in found if wanted.agrees(date) and not date.either]
    if same:
        return case.decide([case.answer.span(date) for date in same], f"the date {wanted}")
    if not found:
        return (
            None
            if _is_bare_year(wanted)
            else Match(False, f"the answer has no date, the reference has {wanted}")
        )
    if any(wanted.agrees(date) or wanted.agrees(date.swapped()) for date in found if date.either):
        return Match(None, f"the answer's date may have day and month swapped, the reference has {wanted}")
    loose = [date for date in found if not date.conflicts(wanted)]
    if loose and loose[0].year and "year" in case.question.words:
        return case.decide([case.answer.span(loose[0])], f"the year {loose[0].year}")
    if loose:
        return Match(None, f"the answer has the date {loose[0]}, which says less than {wanted}")
    if _is_bare_year(wanted) and case.answer.numbers:
        return None
    return Match(False, f"the answer has the date {found[0]} where the reference has {wanted}")


def _is_bare_year(date: Date) -> bool:
    """Whether the date may as well be a plain number."""
    return date.month is None and date.year is not None and date.year > 0


def _only_date(text: Statement) -> Date | None:
    if len(text.dates) != 1 or any(text.words[i] not in _SPARE for i in text.beside(text.dates[0])):
        return None
    return text.dates[0]


def match_number(case: Case) -> Match | None:
    """A reference that is one number, perhaps with a unit or with what is counted."""
    if (wanted := _only_number(case.reference)) is None:
        return None
    shown = case.reference.quote(wanted)
    found = [number for number in case.answer.numbers if wanted.ordinal or not number.ordinal]
    if same := [number for number in found if number.equals(wanted)]:
        return case.decide([case.answer.span(number) for number in same], f"the number {shown}")
    if wanted.values == (0.0,) and not ZERO_WORDS.isdisjoint(case.answer.words):
        return Match(True, "the answer says that there is none")
    if near := [number for number in found if number.near(wanted)]:
        return Match(
            None, f"the answer has {case.answer.quote(near[0])}, which is close to {shown} and not equal"
        )
    asked = case.question.numbers
    fresh = [number for number in found if not any(number.equals(known) for known in asked)]
    if fresh:
        return Match(False, f"the answer has {case.answer.quote(fresh[0])} where the reference has {shown}")
    if not SCALES.keys().isdisjoint(case.answer.words) or not scripts(case.answer.text) <= _READ:
        return Match(None, f"the answer has a number that cannot be read where the reference has {shown}")
    return Match(False, f"the answer has no number where the reference has {shown}")


def _only_number(text: Statement) -> Quantity | None:
    """The number that the text consists of, with or without what it counts (`Apollo 11` is a name, not a number)."""
    if len(text.numbers) != 1:
        return None
    number = text.numbers[0]
    first, _ = text.span(number)
    rest = [i for i in text.beside(number) if text.words[i] not in _SPARE]
    if len(rest) > _COUNTED or any(i < first or text.is_capitalized(i) for i in rest):
        return None
    return replace(number, rough=number.rough or not APPROXIMATORS.isdisjoint(text.words))
