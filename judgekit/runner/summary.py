"""A run in numbers: per key the pass rate, mean or label shares with their intervals, what failed, and what it took.

Rows are read once, in their order, and kept as arrays of numbers, so a stored run of any length can be summed up.
"""

from __future__ import annotations

import json
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING, Any

from judgekit.core.exchange import Usage
from judgekit.errors import ConfigError
from judgekit.runner.exports import data_frame
from judgekit.runner.records import RowResult
from judgekit.runner.tables import estimated, failed, shortly, text_table, times
from judgekit.runner.tally import Costs, Kind, Scores, Tally, close_names, key_names

if TYPE_CHECKING:
    import pandas as pd

    from judgekit.stats.result import Estimate

__all__ = ["KeySummary", "Slice", "Spread", "Summary", "Timing", "summarize"]


@dataclass(frozen=True)
class Spread:
    """How far the scores of one example lie apart when it is repeated.

    Attributes:
        examples: how many examples have two scores or more.
        unsteady: how many of those were not scored the same each time.
        sd: standard deviation within an example, pooled over examples, in the unit of the scores; None for labels.
    """

    examples: int
    unsteady: int
    sd: float | None


@dataclass(frozen=True)
class Timing:
    """Seconds that the target, or an evaluator, took for a row: how many rows, the median, the 95th percentile, the most."""

    n: int
    p50: float
    p95: float
    max: float


@dataclass(frozen=True)
class KeySummary:
    """The scores of one key.

    Attributes:
        key: the key; where several evaluators give the same one, `EVALUATOR.KEY`.
        kind: what the scores are; None when there is none.
        n: how many rows have one.
        failures: failure code -> how many rows the evaluator failed on.
        missing: rows with neither, because their target failed or the evaluator gave other keys there.
        estimate: the pass rate (Wilson's interval) or the mean (t interval), over whole examples where they were
            repeated; None for labels, and when there is no score.
        labels: label -> its share of the scores, with Wilson's interval, the most frequent first.
        counts: label -> how many rows.
        spread: how repetitions differ; None without repetitions.
    """

    key: str
    kind: Kind | None
    n: int
    failures: Mapping[str, int]
    missing: int
    estimate: Estimate | None = None
    labels: Mapping[str, Estimate] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    spread: Spread | None = None

    @property
    def failed(self) -> int:
        """How many rows the evaluator failed on."""
        return sum(self.failures.values())

    def estimates(self) -> Iterator[tuple[str | None, Estimate]]:
        """The estimate, under None; or one for each label."""
        if self.estimate is not None:
            yield None, self.estimate
        yield from self.labels.items()


@dataclass(frozen=True)
class Slice:
    """The rows with the same values in the columns that a summary is sliced by; `values` are these, as text."""

    values: tuple[str | None, ...]
    rows: int
    keys: Mapping[str, KeySummary]


@dataclass(frozen=True)
class Summary:
    """A run in numbers. `summary["key"]` is the `KeySummary` of a key; `str()` is a table.

    Attributes:
        name: the run's name.
        rows: how many rows there are, repetitions counted.
        repetitions: how often each example was run.
        errors: failure code -> how many rows the target failed on.
        cost: dollars that the judges cost; None when the price of any row is unknown.
        unpriced: how many rows have no known cost.
        usage: tokens that were counted and paid for, or None.
        seconds: "target" and evaluator -> how long they took.
        keys: key -> its scores in all rows, in order of appearance.
        by: the metadata columns of the slices.
        slices: in the order of their values.
    """

    name: str
    rows: int
    repetitions: int
    errors: Mapping[str, int]
    cost: float | None
    unpriced: int
    usage: Usage | None
    seconds: Mapping[str, Timing]
    keys: Mapping[str, KeySummary]
    by: tuple[str, ...] = ()
    slices: tuple[Slice, ...] = ()

    def __getitem__(self, key: str) -> KeySummary:
        if key not in self.keys:
            raise KeyError(f"{key!r}; the keys are {', '.join(map(repr, self.keys)) or 'none'}")
        return self.keys[key]

    def to_dict(self) -> dict[str, Any]:
        """The fields as JSON values."""
        return asdict(self)

    def to_pandas(self) -> pd.DataFrame:
        """One row a key (and label), and slice where there are slices: n, failed, missing, value, low, high, method."""
        slices = self.slices or (Slice((), self.rows, self.keys),)
        return data_frame(
            {**dict(zip(self.by, part.values, strict=True)), **line}
            for part in slices
            for scores in part.keys.values()
            for line in _lines(scores)
        )

    @property
    def headline(self) -> str:
        """Rows, failures of the target, tokens and cost, in one line."""
        facts = [
            f"{self.rows} rows"
            if self.repetitions < 2
            else f"{self.rows} rows in {self.repetitions} repetitions"
        ]
        if self.errors:
            facts.append(f"{times(self.errors)} failed in the target")
        if self.usage is not None:
            facts.append(f"{self.usage.input_tokens + self.usage.output_tokens:,} tokens")
        facts.append(
            f"cost of {self.unpriced} rows unknown"
            if self.cost is None
            else f"${self.cost:.4f}"
            if self.cost
            else "$0"
        )
        return ", ".join(facts)

    def table(self) -> list[list[str]]:
        """The scores as cells, a header first: one line a slice and key, and label."""
        head = [*self.by, "key", "score", "n", "failed", "missing"]
        if self.repetitions > 1:
            head.append("between repetitions")
        slices = self.slices or (Slice((), self.rows, self.keys),)
        body = [
            [*("-" if value is None else value for value in part.values), *cells]
            for part in slices
            for scores in part.keys.values()
            for cells in _cells(scores)
        ]
        return [head, *(line[: len(head)] for line in body)]

    def __str__(self) -> str:
        lines = [f"{self.name}: {self.headline}" if self.name else self.headline, text_table(self.table())]
        if self.seconds:
            timings = [
                [source, *map(shortly, asdict(each).values())] for source, each in self.seconds.items()
            ]
            lines.append(text_table([["seconds", "n", "p50", "p95", "max"], *timings]))
        return "\n\n".join(lines)


def _cells(scores: KeySummary) -> Iterator[list[str]]:
    facts = [str(scores.n), failed(scores.failures), str(scores.missing), _told(scores.spread)]
    if scores.estimate is None:
        yield [scores.key, "" if scores.n else "no score", *facts]
    for label, estimate in scores.estimates():
        if label is None:
            yield [scores.key, f"{estimate.name} {estimated(estimate)}", *facts]
        else:
            yield [f"  {label}", estimated(estimate), str(scores.counts[label]), "", "", ""]


def _told(spread: Spread | None) -> str:
    if spread is None:
        return ""
    unsteady = f"{spread.unsteady} of {spread.examples} examples differ"
    return unsteady if spread.sd is None else f"sd {shortly(spread.sd)}, {unsteady}"


def _lines(scores: KeySummary) -> Iterator[dict[str, Any]]:
    facts = {"n": scores.n, "failed": scores.failed, "missing": scores.missing}
    estimates: list[tuple[str | None, Estimate | None]] = [*scores.estimates()] or [(None, None)]
    for label, estimate in estimates:
        interval = None if estimate is None else estimate.interval
        yield {
            "key": scores.key,
            "kind": scores.kind,
            "label": label,
            **facts,
            "value": None if estimate is None else estimate.value,
            "low": None if interval is None else interval.low,
            "high": None if interval is None else interval.high,
            "method": None if interval is None else interval.method,
            "repetition_sd": None if scores.spread is None else scores.spread.sd,
        }


def summarize(
    rows: Iterable[RowResult],
    *,
    by: str | Sequence[str] | None = None,
    level: float = 0.95,
    name: str = "",
) -> Summary:
    """Sum up rows.

    Args:
        rows: read once, in order.
        by: a metadata column, or several, to slice by.
        level: confidence level of the intervals.
        name: the run's name.

    Raises:
        ConfigError: no row has such a metadata column, or the level is out of range.
    """
    columns = (by,) if isinstance(by, str) else tuple(by or ())
    whole, costs, parts = Tally(), Costs(), dict[tuple[str | None, ...], Tally]()
    seen: set[str] = set()
    for row in rows:
        whole.add(row)
        costs.add(row)
        if columns:
            seen.update(row.metadata)
            values = tuple(_text(row.metadata.get(column)) for column in columns)
            parts.setdefault(values, Tally()).add(row)
    for column in columns:
        if column not in seen and whole.rows:
            raise ConfigError(f"No row has the metadata column {column!r}.{close_names(column, seen)}")
    names = key_names(whole.columns)
    names.update({(source, source): source for source in whole.failures if source not in _sources(names)})
    reading = _Reading(names, level, costs.repetitions > 1)
    return Summary(
        name=name,
        rows=whole.rows,
        repetitions=costs.repetitions,
        errors=dict(costs.errors),
        cost=costs.dollars if not costs.unpriced else None,
        unpriced=costs.unpriced,
        usage=costs.usage,
        seconds={source: _timing(times) for source, times in costs.seconds.items()},
        keys=reading.keys(whole),
        by=columns,
        slices=tuple(
            Slice(values, parts[values].rows, reading.keys(parts[values]))
            for values in sorted(parts, key=lambda values: [(value is None, value or "") for value in values])
        ),
    )


def _sources(names: Mapping[tuple[str, str], str]) -> set[str]:
    return {source for source, _ in names}


def _text(value: Any) -> str | None:
    return (
        value if value is None or isinstance(value, str) else json.dumps(value, sort_keys=True, default=str)
    )


@dataclass(frozen=True)
class _Reading:
    """How tallies become summaries: what each key is called, the level, whether examples were repeated."""

    names: Mapping[tuple[str, str], str]
    level: float
    repeated: bool

    def keys(self, tally: Tally) -> dict[str, KeySummary]:
        return {name: self._key(name, place, tally) for place, name in self.names.items()}

    def _key(self, name: str, place: tuple[str, str], tally: Tally) -> KeySummary:
        scores = tally.columns.get(place) or Scores()
        failures = dict(tally.failures.get(place[0], {}))
        kind = scores.kind
        missing = max(0, tally.rows - scores.n - sum(failures.values()))
        found: dict[str, Any] = {}
        if kind == "label":
            scores = scores.as_words()
            found = self._labels(scores)
        elif kind is not None:
            found = {"estimate": self._estimate(scores, kind)}
        spread = _spread(scores, kind) if self.repeated and kind is not None else None
        return KeySummary(name, kind, scores.n, failures, missing, spread=spread, **found)

    def _estimate(self, scores: Scores, kind: Kind) -> Estimate:
        from judgekit.stats import mean, proportion

        cluster = scores.owners if self.repeated else None
        if kind == "bool":
            return proportion(scores.values, cluster=cluster, level=self.level, name="pass rate")
        return mean(scores.values, cluster=cluster, level=self.level)

    def _labels(self, scores: Scores) -> dict[str, Any]:
        from judgekit.stats import Estimate, proportion, wilson

        n, counts, shares = scores.n, Counter(scores.words), {}
        spelled = {code: label for label, code in scores.codes.items()}
        ordered = {spelled[code]: count for code, count in counts.most_common()}
        for label, count in ordered.items():
            if self.repeated:
                isit = array("b", (word == scores.codes[label] for word in scores.words))
                shares[label] = proportion(isit, cluster=scores.word_owners, level=self.level, name=label)
            else:
                bounds = wilson(count, n, level=self.level)
                shares[label] = Estimate(name=label, value=count / n, interval=bounds, n=n)
        return {"labels": shares, "counts": ordered}


def _spread(scores: Scores, kind: Kind | None) -> Spread:
    labels = kind == "label"
    values, owners = (scores.words, scores.word_owners) if labels else (scores.values, scores.owners)
    order = sorted(range(len(owners)), key=owners.__getitem__)
    examples = unsteady = 0
    squares, freedom = 0.0, 0
    for _, places in groupby(order, owners.__getitem__):
        repeated = [values[place] for place in places]
        if len(repeated) > 1:
            center = sum(repeated) / len(repeated)
            examples += 1
            unsteady += len(set(repeated)) > 1
            squares += sum((value - center) ** 2 for value in repeated)
            freedom += len(repeated) - 1
    sd = None if labels or not freedom else (squares / freedom) ** 0.5
    return Spread(examples, unsteady, sd)


def _timing(times: array[float]) -> Timing:
    ordered = sorted(times)
    return Timing(len(ordered), _quantile(ordered, 0.5), _quantile(ordered, 0.95), ordered[-1])


def _quantile(ordered: Sequence[float], share: float) -> float:
    """Linear between the two nearest, as NumPy and pandas have it."""
    place = share * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])
