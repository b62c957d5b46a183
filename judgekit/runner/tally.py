"""Rows read once and kept as arrays of numbers: 24 bytes a score at most, however many rows a run has."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Literal

from judgekit.core.exchange import Usage
from judgekit.runner.records import RowResult, Score

__all__ = ["Costs", "Kind", "Scores", "Tally", "close_names", "key_names"]

Kind = Literal["bool", "number", "label"]
"""What the scores of one key are: all true or false, all numbers, or some of them words."""


def key_names(pairs: Iterable[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """What the scores of an evaluator under a key are called, by (evaluator, key): the key, or `EVALUATOR.KEY` where
    another evaluator gives the same key and is not called by it."""
    found = list(pairs)
    times = Counter(key for _, key in found)
    return {
        (source, key): key if times[key] == 1 or source == key else f"{source}.{key}" for source, key in found
    }


def close_names(name: str, known: Iterable[str]) -> str:
    """Which of the known names was meant, as a sentence to end an error with."""
    names = list(known)
    close = get_close_matches(name, names, 3)
    if close:
        return f" Did you mean {' or '.join(map(repr, close))}?"
    return f" There are {', '.join(map(repr, names))}." if names else " There is none."


class Scores:
    """The scores of one key, as numbers (and words by their number), with the example that each belongs to."""

    __slots__ = ("booleans", "codes", "owners", "values", "word_owners", "words")

    def __init__(self) -> None:
        self.values, self.owners = array("d"), array("q")
        self.words, self.word_owners = array("q"), array("q")
        self.codes: dict[str, int] = {}
        self.booleans = 0

    def add(self, score: Score, owner: int) -> None:
        given = score.score
        if isinstance(given, str):
            self.words.append(self.codes.setdefault(given, len(self.codes)))
            self.word_owners.append(owner)
        else:
            self.values.append(given)
            self.owners.append(owner)
            self.booleans += isinstance(given, bool)

    @property
    def n(self) -> int:
        return len(self.values) + len(self.words)

    @property
    def kind(self) -> Kind | None:
        if self.words:
            return "label"
        if not self.values:
            return None
        return "bool" if self.booleans == len(self.values) else "number"

    def as_words(self) -> Scores:
        """The same with its numbers as words: some evaluator gives both."""
        made = Scores()
        made.codes, made.words, made.word_owners = dict(self.codes), self.words[:], self.word_owners[:]
        for value, owner in zip(self.values, self.owners, strict=True):
            made.add(Score("", f"{value:g}"), owner)
        return made


class Tally:
    """The scores and failures of some rows."""

    def __init__(self) -> None:
        self.rows = 0
        self.columns: dict[tuple[str, str], Scores] = {}
        self.failures: dict[str, Counter[str]] = {}

    def add(self, row: RowResult) -> None:
        self.rows += 1
        for score in row.scores:
            place = (score.source, score.key)
            if place not in self.columns:
                self.columns[place] = Scores()
            self.columns[place].add(score, row.index)
        for failure in row.failures:
            self.failures.setdefault(failure.source, Counter())[failure.code] += 1


class Costs:
    """What rows took: dollars, tokens, seconds, errors of the target."""

    def __init__(self) -> None:
        self.repetitions = 0
        self.dollars, self.unpriced = 0.0, 0
        self.usage: Usage | None = None
        self.seconds: dict[str, array[float]] = {}
        self.errors: Counter[str] = Counter()

    def add(self, row: RowResult) -> None:
        self.repetitions = max(self.repetitions, row.repetition + 1)
        if row.cost is None:
            self.unpriced += 1
        else:
            self.dollars += row.cost
        if row.usage is not None:
            self.usage = row.usage if self.usage is None else self.usage + row.usage
        for source, seconds in row.seconds.items():
            if source not in self.seconds:
                self.seconds[source] = array("d")
            self.seconds[source].append(seconds)
        if row.error is not None:
            self.errors[row.error.code] += 1
