"""Where an answer mentions something, and whether it asserts or denies it there."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from itertools import islice

from judgekit.core.lexical.lexicon import ALTERNATIVES, DOUBTS, FUNCTION_WORDS
from judgekit.core.lexical.reading import Reading

__all__ = ["Span", "Standing", "standing"]

Span = tuple[int, int]
"""The first and the last word of a mention."""

_BEFORE, _AFTER = 4, 3
"""How many words away a negation surely reaches a mention: `was not written by X`, `X is not`."""

_MOST = 100
"""How many mentions are looked at; it bounds the time that a text which repeats itself can take."""

_SKIPPED = FUNCTION_WORDS - ALTERNATIVES


class Standing(Enum):
    """What an answer makes of something that it mentions."""

    STATED = "stated"
    DENIED = "denied"
    UNCLEAR = "unclear"
    OFFERED = "offered"


def standing(answer: Reading, spans: Iterable[Span], *, asked_negatively: bool = False) -> Standing:
    """Judge all mentions of one thing together.

    Args:
        answer: the text that holds the mentions.
        spans: the mentions, at least one.
        asked_negatively: the question holds a negation, so the answer may repeat it and still assert; then
            only a negation right before a mention counts.
    """
    found = {_one(answer, span, asked_negatively) for span in islice(spans, _MOST)}
    if len(found) == 1:
        return found.pop()
    if Standing.DENIED in found or Standing.OFFERED in found:
        return Standing.UNCLEAR
    return Standing.STATED


def _one(answer: Reading, span: Span, asked_negatively: bool) -> Standing:
    first, last = span
    if _is_offered(answer, first, last):
        return Standing.OFFERED
    if not answer.negations:
        return Standing.STATED
    reach = {answer.clauses[first], answer.clauses[last]}
    near = [i for clause in reach for i in answer.negated.get(clause, ()) if not first <= i <= last]
    if asked_negatively:
        near = [i for i in near if i == first - 1]
    if not near:
        return Standing.STATED
    denied = any(_denies(answer.words, i, span) for i in near)
    return Standing.DENIED if denied else Standing.UNCLEAR


def _denies(words: list[str], i: int, span: Span) -> bool:
    """Whether the negation at word `i` surely reaches the mention."""
    first, last = span
    doubts = i + 1 < len(words) and words[i + 1] in DOUBTS
    return not doubts and (0 < first - i <= _BEFORE or 0 < i - last <= _AFTER)


def _is_offered(answer: Reading, first: int, last: int) -> bool:
    """Whether an `or` joins the mention to something else."""
    words = answer.words
    before, after = first - 1, last + 1
    while before >= 0 and words[before] in _SKIPPED:
        before -= 1
    return (before > 0 and words[before] in ALTERNATIVES) or (
        after < len(words) - 1 and words[after] in ALTERNATIVES
    )
