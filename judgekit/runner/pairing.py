"""How two runs are compared: examples paired by id, their repetitions averaged, and each key put to a paired test."""

from __future__ import annotations

import json
from array import array
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from judgekit.errors import DataError
from judgekit.runner.comparison import NOT_ENOUGH, Change, KeyComparison, RunComparison, Verdict
from judgekit.runner.records import RowResult
from judgekit.runner.tally import Kind, close_names, key_names

if TYPE_CHECKING:
    from judgekit.stats.compare import Comparison

__all__ = ["Rows", "compare_runs"]

_SIGNS = 200_000_000  # what the permutation test may draw, over all resamples


class Rows(Protocol):
    """What is compared: a run's name, and its rows, which are read twice."""

    @property
    def name(self) -> str: ...

    @property
    def rows(self) -> Sequence[RowResult]: ...


def compare_runs(
    here: Rows,
    there: Rows,
    *,
    cluster: str | None = None,
    lower_is_better: Collection[str] = (),
    level: float = 0.95,
) -> RunComparison:
    """Compare a run with another one over the same examples, paired by id; repetitions of an example are averaged.

    Args:
        here: the run.
        there: the run that it is held against.
        cluster: a metadata column that says which examples belong together (a document, a conversation).
        lower_is_better: keys whose scores are the better the lower they are.
        level: confidence level.

    Raises:
        DataError: an example has no such metadata column.
        ConfigError: the level is out of range.
    """
    a, b = _Side(here.rows, cluster), _Side(there.rows, None)
    ids = [id_ for id_ in a.places if id_ in b.places]
    places = [(a.places[id_], b.places[id_]) for id_ in ids]
    clusters = None if cluster is None else [a.clusters[place] for place, _ in places]
    pairs = _Pairs(ids, places, clusters, level)
    shared = [key for key in a.columns if key in b.columns]
    found = [pairs.compared(key, a.columns[key], b.columns[key]) for key in shared]
    judged = _judged(found, frozenset(lower_is_better), level)
    return RunComparison(
        name=here.name,
        other_name=there.name,
        both=len(ids),
        only_here=tuple(id_ for id_ in a.places if id_ not in b.places),
        only_there=tuple(id_ for id_ in b.places if id_ not in a.places),
        keys=_commented(judged, (here.rows, a.names), (there.rows, b.names)),
        keys_here=tuple(key for key in a.columns if key not in b.columns),
        keys_there=tuple(key for key in b.columns if key not in a.columns),
        warnings=tuple(_warnings((here.name, a), (there.name, b), places)),
    )


class _Scores:
    """The scores of one key: a sum and a count for each example, and the words of those that have words."""

    def __init__(self) -> None:
        self.sums, self.counts = array("d"), array("q")
        self.words: dict[int, Counter[str]] = {}
        self.numbers = False

    def add(self, place: int, score: bool | float | str) -> None:
        if isinstance(score, str):
            self.words.setdefault(place, Counter())[score] += 1
            return
        short = place + 1 - len(self.sums)
        if short > 0:
            self.sums.extend([0.0] * short)
            self.counts.extend([0] * short)
        self.sums[place] += score
        self.counts[place] += 1
        self.numbers = self.numbers or not isinstance(score, bool)

    def mean(self, place: int) -> float | None:
        if place >= len(self.counts) or not self.counts[place]:
            return None
        return self.sums[place] / self.counts[place]

    def word(self, place: int) -> str | None:
        if place in self.words:
            return self.words[place].most_common(1)[0][0]
        mean = self.mean(place)
        return None if mean is None else f"{mean:g}"


class _Side:
    """One run, read once: where each id stands, and the scores there."""

    def __init__(self, rows: Iterable[RowResult], cluster: str | None) -> None:
        self.places: dict[str, int] = {}
        self.indexes, self.inputs = array("q"), array("q")
        self.clusters: list[str] = []
        self.shared_ids: set[str] = set()
        found: dict[tuple[str, str], _Scores] = {}
        for row in rows:
            place = self.places.setdefault(row.id, len(self.indexes))
            if place == len(self.indexes):
                self.indexes.append(row.index)
                self.inputs.append(hash(json.dumps(row.inputs, sort_keys=True, default=str)))
                if cluster is not None:
                    self.clusters.append(_cluster_of(row, cluster))
            elif self.indexes[place] != row.index:
                self.shared_ids.add(row.id)
            for score in row.scores:
                where = (score.source, score.key)
                if where not in found:
                    found[where] = _Scores()
                found[where].add(place, score.score)
        self.names = key_names(found)
        self.columns = {self.names[where]: scores for where, scores in found.items()}


def _cluster_of(row: RowResult, column: str) -> str:
    value = row.metadata.get(column)
    if value is None:
        raise DataError(
            f"Row {row.id} has no metadata {column!r} to cluster by.{close_names(column, row.metadata)}"
        )
    return json.dumps(value, sort_keys=True, default=str)


@dataclass(frozen=True)
class _Pairs:
    """The examples of both runs: their ids, where each stands in the two, and what it belongs to."""

    ids: Sequence[str]
    places: Sequence[tuple[int, int]]
    clusters: Sequence[str] | None
    level: float

    def compared(self, key: str, here: _Scores, there: _Scores) -> KeyComparison:
        if here.words or there.words:
            return self._labels(key, here, there)
        return self._numbers(key, here, there)

    def _labels(self, key: str, here: _Scores, there: _Scores) -> KeyComparison:
        changed, n = [], 0
        for id_, (a, b) in zip(self.ids, self.places, strict=True):
            after, before = here.word(a), there.word(b)
            if after is not None and before is not None:
                n += 1
                if after != before:
                    changed.append(Change(id_, before, after))
        verdict: Verdict = "labels differ" if changed else "no change" if n else NOT_ENOUGH
        return KeyComparison(key, "label", n, len(self.ids) - n, verdict=verdict, changes=tuple(changed))

    def _numbers(self, key: str, here: _Scores, there: _Scores) -> KeyComparison:
        from judgekit.stats import paired_difference

        first = [here.mean(a) for a, _ in self.places]
        second = [there.mean(b) for _, b in self.places]
        resamples = min(10_000, max(1_000, _SIGNS // max(1, len(self.ids))))
        off = paired_difference(first, second, cluster=self.clusters, level=self.level, resamples=resamples)
        kind: Kind = "number" if here.numbers or there.numbers else "bool"
        scored = [
            (id_, before, after)
            for id_, after, before in zip(self.ids, first, second, strict=True)
            if after is not None and before is not None
        ]
        changes = [
            Change(id_, _value(before, kind), _value(after, kind))
            for id_, before, after in scored
            if after != before
        ]
        changes.sort(key=lambda change: -abs(change.size))
        return KeyComparison(
            key,
            kind,
            off.n,
            off.missing,
            mean=sum(after for _, _, after in scored) / off.n if off.n else None,
            other_mean=sum(before for _, before, _ in scored) / off.n if off.n else None,
            difference=off,
            changes=tuple(changes),
        )


def _value(mean: float, kind: Kind) -> bool | float:
    return bool(mean) if kind == "bool" and mean in (0.0, 1.0) else mean


def _judged(found: Sequence[KeyComparison], lower: frozenset[str], level: float) -> list[KeyComparison]:
    from judgekit.stats import holm

    known = [
        each.difference.p_value for each in found if each.difference and each.difference.p_value is not None
    ]
    adjusted = iter(holm(known))
    judged = []
    for each in found:
        if each.difference is None or each.difference.p_value is None:
            judged.append(each)
            continue
        p = next(adjusted)
        verdict = _verdict(each.difference, p, level, lower=each.key in lower)
        needed = _needed(each.difference, 1 - (1 - level) / len(known)) if verdict == NOT_ENOUGH else None
        judged.append(replace(each, p_adjusted=p, verdict=verdict, needed=needed))
    return judged


def _verdict(off: Comparison, p: float, level: float, *, lower: bool) -> Verdict:
    if not off.a_better and not off.b_better:
        return "no change"
    includes_zero = off.interval is not None and 0 in off.interval
    if off.value is None or includes_zero or p > 1 - level:
        return NOT_ENOUGH
    return "better" if (off.value > 0) != lower else "worse"


def _needed(off: Comparison, level: float) -> int | None:
    from judgekit.stats import sample_size_paired

    if not off.value or not off.se:
        return None
    return max(off.n + 1, sample_size_paired(off.value, variance=off.se**2 * off.n, level=level).n)


_Named = tuple[Iterable[RowResult], Mapping[tuple[str, str], str]]


def _commented(found: Sequence[KeyComparison], here: _Named, there: _Named) -> dict[str, KeyComparison]:
    """The comparisons with the judges' words on what changed; rows are read again for these, not kept until then."""
    wanted = {(change.id, each.key) for each in found for change in each.changes}
    after, before = _comments(wanted, *here), _comments(wanted, *there)

    def told(key: str, change: Change) -> Change:
        where = (change.id, key)
        return replace(change, comment_before=before.get(where), comment_after=after.get(where))

    return {
        each.key: replace(each, changes=tuple(told(each.key, change) for change in each.changes))
        for each in found
    }


def _comments(
    wanted: set[tuple[str, str]], rows: Iterable[RowResult], names: Mapping[tuple[str, str], str]
) -> dict[tuple[str, str], str]:
    found: dict[tuple[str, str], str] = {}
    for row in rows if wanted else ():
        for score in row.scores:
            where = (row.id, names[score.source, score.key])
            if score.comment and where in wanted:
                found.setdefault(where, score.comment)
    return found


def _warnings(
    here: tuple[str, _Side], there: tuple[str, _Side], places: Sequence[tuple[int, int]]
) -> Iterator[str]:
    for name, side in (here, there):
        if side.shared_ids:
            some = ", ".join(sorted(side.shared_ids)[:3])
            yield f"{len(side.shared_ids)} ids of {name} belong to several examples, which were averaged ({some})"
    differ = sum(here[1].inputs[a] != there[1].inputs[b] for a, b in places)
    if differ:
        yield f"the inputs of {differ} of {len(places)} examples are not the same in both runs"
