"""A judge that is probed: asked about the items as they are, edited, or again, it answers with a column of numbers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from judgekit.errors import ConfigError, DataError
from judgekit.runner.evaluating import evaluate
from judgekit.runner.pairwise import PairwiseComparison, compare
from judgekit.runner.records import RowResult
from judgekit.runner.results import Results
from judgekit.stats.inputs import Label
from judgekit.trust.people import numbering
from judgekit.trust.verdicts import key_of

__all__ = ["Edit", "Grader", "Matcher", "Subject", "subject_of"]

Edit = Callable[[str], str]
"""From an answer to what is judged in its place."""

Numbers = list[float | None]


@dataclass(frozen=True)
class Subject(ABC):
    """A judge and the items that it is probed with. Higher verdicts are better for the answer that is edited."""

    judge: Any
    items: Sequence[Mapping[str, Any]]
    key: str | None
    scale: Sequence[Label] | None

    @cached_property
    def base(self) -> Numbers:
        """The verdicts on the items as they are."""
        return self.repeated(1)[0]

    @abstractmethod
    def edited(self, edit: Edit) -> Numbers:
        """The verdicts with each answer edited; None where the answer is no text."""

    @abstractmethod
    def repeated(self, times: int) -> list[Numbers]:
        """The verdicts on the items as they are, asked for `times` times."""

    @abstractmethod
    def passing(self, passing: Label | None) -> float | None:
        """The least verdict that lets an answer pass; None where nobody said."""


class Grader(Subject):
    """A judge of one answer."""

    def edited(self, edit: Edit) -> Numbers:
        places = [place for place, item in enumerate(self.items) if isinstance(item.get("outputs"), str)]
        rows = [{**self.items[place], "outputs": edit(self.items[place]["outputs"])} for place in places]
        found: Numbers = [None] * len(self.items)
        if rows:
            for place, verdict in zip(places, self._asked(rows, 1)[0], strict=True):
                found[place] = verdict
        return found

    def repeated(self, times: int) -> list[Numbers]:
        return self._asked(self.items, times)

    def passing(self, passing: Label | None) -> float | None:
        if passing is not None:
            return self._number(passing)
        known = [verdict for verdict in self.base if verdict is not None]
        return 0.5 if self.scale is None and all(0 <= verdict <= 1 for verdict in known) else None

    def _asked(self, rows: Sequence[Mapping[str, Any]], times: int) -> list[Numbers]:
        results = evaluate(None, rows, self.judge, store=None, progress=False, repetitions=times)
        name = key_of(results.rows, self.key)
        found: list[Numbers] = [[None] * len(rows) for _ in range(times)]
        for row in results.rows:
            score = None if name is None else row.score(name)
            found[row.repetition][row.index] = None if score is None else self._number(score.score)
        return found

    def _number(self, verdict: Any) -> float:
        numbers = numbering([verdict], self.scale)
        if numbers is None:
            raise ConfigError(
                f"The judge says {verdict!r}: give scale= with its verdicts from the worst to the best."
            )
        if verdict not in numbers:
            raise DataError(f"The verdict {verdict!r} is not on the scale {tuple(self.scale or ())!r}.")
        return numbers[verdict]


class Matcher(Subject):
    """A judge of two answers, asked in both orders: 1 when the second answer wins, 0 when the first does, else 0.5."""

    def edited(self, edit: Edit) -> Numbers:
        rows = [
            {**item, "outputs": (first, edit(second))}
            for item in self.items
            for first, second in [item["outputs"]]
            if isinstance(second, str)
        ]
        texts = iter(self._second_wins(self._matched(rows, 1), 1, len(rows))[0] if rows else ())
        return [next(texts) if isinstance(item["outputs"][1], str) else None for item in self.items]

    def repeated(self, times: int) -> list[Numbers]:
        return self._second_wins(self._matched(self.items, times), times, len(self.items))

    def passing(self, passing: Label | None) -> float | None:
        if passing is not None:
            raise ConfigError("passing= is for judges of one answer; of two answers one wins.")
        return 1.0

    @cached_property
    def orders(self) -> tuple[Numbers, Numbers]:
        """Whether the first answer wins when it is shown first, and when it is shown second."""
        found: tuple[Numbers, Numbers] = ([None] * len(self.items), [None] * len(self.items))
        for verdict in self._matched(self.items, 1).preferences:
            for order, column in enumerate(found):
                column[int(verdict.id)] = 1 - _second(verdict.orders[order])
        return found

    def _matched(self, rows: Sequence[Mapping[str, Any]], times: int) -> PairwiseComparison:
        sides = [Results(name, {}, _rows(rows, side, times)) for side, name in enumerate(("first", "second"))]
        compared = compare(*sides, evaluators=self.judge, swap=True)
        if not isinstance(compared, PairwiseComparison):
            raise ConfigError(f"{self.judge!r} is no judge of two answers.")
        return compared

    def _second_wins(self, compared: PairwiseComparison, times: int, n: int) -> list[Numbers]:
        found: list[Numbers] = [[None] * n for _ in range(times)]
        for verdict in compared.preferences:
            found[verdict.repetition][int(verdict.id)] = _second(verdict.scores)
        return found


def _second(scores: Sequence[float]) -> float:
    return 0.5 if scores[0] == scores[1] else float(scores[1] > scores[0])


def _rows(items: Sequence[Mapping[str, Any]], side: int, times: int) -> list[RowResult]:
    return [
        RowResult(
            index=place,
            id=str(place),
            repetition=repetition,
            inputs=item.get("inputs"),
            outputs=item["outputs"][side],
            reference_outputs=item.get("reference_outputs"),
            metadata=item.get("metadata") or {},
        )
        for place, item in enumerate(items)
        for repetition in range(times)
    ]


def subject_of(
    judge: Any,
    items: Sequence[Mapping[str, Any]],
    *,
    key: str | None = None,
    scale: Sequence[Label] | None = None,
) -> Grader | Matcher:
    """The judge with its items: a `Matcher` where every `outputs` is a list or tuple of two answers, else a `Grader`.

    Raises:
        ConfigError: the judge cannot be called.
        DataError: there are no items, one has no `outputs`, or some have two answers and others one.
    """
    if not callable(judge):
        raise ConfigError(f"{judge!r} cannot be probed: a probe asks the judge, so give an evaluator.")
    rows = [dict(item) for item in items]
    if not rows or not all("outputs" in row for row in rows):
        raise DataError("items= needs rows with outputs: the answers that the judge is probed with.")
    pairs = [isinstance(row["outputs"], list | tuple) and len(row["outputs"]) == 2 for row in rows]
    if any(pairs) and not all(pairs):
        raise DataError("Some items have two answers in their outputs and others have not: probe them apart.")
    return (Matcher if pairs[0] else Grader)(judge, rows, key, scale)
