"""What a run gives back: its rows, in memory or streamed from a store, and what can be asked of them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, overload

from judgekit.runner.checks import CheckReport, check
from judgekit.runner.comparison import RunComparison
from judgekit.runner.exports import to_csv, to_jsonl, to_junit, to_pandas
from judgekit.runner.pairing import compare_runs
from judgekit.runner.records import Failure, RowResult, Score
from judgekit.runner.summary import KeySummary, Summary, summarize
from judgekit.runner.tables import estimated, html_table, times

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["RecordedRun", "Results", "StoredRows"]


class RecordedRun(Protocol):
    """A run as a store keeps it: how many rows it has, and their records in the order of the data."""

    def __len__(self) -> int: ...

    def records(self) -> Iterator[Mapping[str, Any]]: ...


class StoredRows(Sequence[RowResult]):
    """The rows of a stored run, decoded as they are asked for.

    Iteration streams and holds one row at a time. An index reads the rows before it, so go through them with `for`.
    """

    def __init__(self, run: RecordedRun) -> None:
        self._run = run

    def __len__(self) -> int:
        return len(self._run)

    def __iter__(self) -> Iterator[RowResult]:
        return map(RowResult.from_dict, self._run.records())

    @overload
    def __getitem__(self, index: int) -> RowResult: ...
    @overload
    def __getitem__(self, index: slice) -> list[RowResult]: ...
    def __getitem__(self, index: int | slice) -> RowResult | list[RowResult]:
        if isinstance(index, slice):
            return self._slice(range(len(self))[index])
        place = range(len(self))[index]  # an IndexError and negative places, as of any sequence
        return self._slice(range(place, place + 1))[0]

    def _slice(self, places: range) -> list[RowResult]:
        if not places:
            return []
        ascending = places if places.step > 0 else places[::-1]
        records = islice(self._run.records(), ascending.start, ascending.stop, ascending.step)
        rows = [RowResult.from_dict(record) for record in records]
        return rows if places.step > 0 else rows[::-1]

    def __repr__(self) -> str:
        return f"<{len(self)} stored rows>"


@dataclass(frozen=True, eq=False, repr=False)
class Results:
    """The outcome of one experiment.

    Iterating gives its rows; `len` counts them; an index picks one.

    Attributes:
        name: the experiment's name.
        metadata: what is known of the experiment as a whole.
        rows: one an example and repetition, in the order of the data. They are not to change afterwards: the summary is
            made once.
        summary_scores: the verdicts of the summary evaluators, by key.
        summary_failures: the summary evaluators that have no verdict, and why.
        stopped: why the run ended before its last row, or None.
        left: how many rows were not run, or None where that is not known.
    """

    name: str
    metadata: Mapping[str, Any]
    rows: Sequence[RowResult]
    summary_scores: Mapping[str, Score] = field(default_factory=dict)
    summary_failures: tuple[Failure, ...] = ()
    stopped: str | None = None
    left: int | None = None

    def __iter__(self) -> Iterator[RowResult]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    @overload
    def __getitem__(self, index: int) -> RowResult: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[RowResult]: ...
    def __getitem__(self, index: int | slice) -> RowResult | Sequence[RowResult]:
        return self.rows[index]

    def summary(self, by: str | Sequence[str] | None = None, *, level: float = 0.95) -> Summary:
        """The scores in numbers, each with its interval, its n and what failed.

        Args:
            by: a metadata column, or several, to slice by.
            level: confidence level of the intervals.

        Raises:
            ConfigError: no row has such a column, or the level is out of range.
        """
        if by is None and level == 0.95:
            return self._summary
        return summarize(self.rows, by=by, level=level, name=self.name)

    @cached_property
    def _summary(self) -> Summary:
        return summarize(self.rows, name=self.name)

    def to_pandas(self) -> pd.DataFrame:
        """The rows as a DataFrame: one line an example and repetition, in columns `id`, `repetition`, `inputs.NAME`,
        `outputs.NAME`, `reference_outputs.NAME`, `metadata.NAME`, `feedback.KEY`, `comment.KEY`, `error`, `failures`,
        `seconds.NAME` and `cost`.

        Raises:
            MissingDependencyError: pandas is not installed.
        """
        return to_pandas(self.rows)

    def to_jsonl(self, path: str | Path) -> Path:
        """Write the rows, one JSON object a line; `RowResult.from_dict` reads them again. Returns the path."""
        return to_jsonl(self.rows, path)

    def to_csv(self, path: str | Path) -> Path:
        """Write the columns of `to_pandas` for a spreadsheet, which computes none of the cells. Returns the path."""
        return to_csv(self.rows, path)

    def to_junit(self, path: str | Path, thresholds: Mapping[str, float] | None = None) -> Path:
        """Write a test report in JUnit's XML: a test case for every row and key. Returns the path.

        Args:
            path: where to.
            thresholds: key -> the least score that passes. Without one `False` fails, and numbers and labels pass.

        Raises:
            ConfigError: a threshold for a key that no row has, or for one whose scores are labels.
        """
        return to_junit(self.rows, path, name=self.name, thresholds=thresholds)

    def compare(
        self,
        other: Results,
        *,
        cluster: str | None = None,
        lower_is_better: Collection[str] = (),
        level: float = 0.95,
    ) -> RunComparison:
        """Hold this run against another one over the same examples: is it better?

        Examples are paired by id; repetitions are averaged.

        Args:
            other: the run before the change.
            cluster: a metadata column that says which examples belong together (a document, a conversation).
            lower_is_better: keys whose scores are the better the lower they are.
            level: confidence level.

        Raises:
            DataError: an example has no such metadata column.
            ConfigError: the level is out of range.
        """
        return compare_runs(self, other, cluster=cluster, lower_is_better=lower_is_better, level=level)

    def check(self, *conditions: str) -> CheckReport:
        """Whether the run meets conditions such as `"correctness >= 0.8"` or `"latency.target.p95 < 2"`.

        Args:
            conditions: each a name, a comparison and a number or per cent; the names are those of
                `judgekit.runner.checks.check`.

        Returns:
            The report, true when all hold. `.require()` raises `CheckFailed`, an `AssertionError`, when one does not.

        Raises:
            ConfigError: a condition that cannot be read, or a name that the run does not have.
        """
        return check(self._summary, conditions, self.summary_scores)

    def report(self, path: str | Path, *, other: Results | None = None, title: str | None = None) -> Path:
        """Write the HTML page of this run; returns its path.

        Args:
            path: the file to write; one that is there is replaced.
            other: the run before the change, to be shown beside this one.
            title: what the page is called; the experiment's name by default.
        """
        page = import_module(
            "judgekit.report.html"
        )  # by name: the report is built on results, not they on it
        written: Path = page.write_report(self, path, other=other, title=title)
        return written

    def __repr__(self) -> str:
        summary = self._summary
        scores = "".join(f"; {_headline(found)}" for found in summary.keys.values())
        return f"<Results {self.name!r}: {summary.headline}{scores}{self._ended()}>"

    def _repr_html_(self) -> str:
        summary = self._summary
        told = escape(f"{self.name}: {summary.headline}{self._ended()}")
        return f"<p>{told}</p>{html_table(summary.table())}"

    def _ended(self) -> str:
        if self.stopped is None:
            return ""
        return f"; stopped: {self.stopped}" + ("" if self.left is None else f", {self.left} rows left")


def _headline(found: KeySummary) -> str:
    label, estimate = next(found.estimates(), (None, None))
    failed = f", {times(found.failures)} failed" if found.failures else ""
    if estimate is None:
        return f"{found.key} has no score{failed}"
    return f"{found.key} {estimate.name if label is None else repr(label)} {estimated(estimate)}{failed}"
