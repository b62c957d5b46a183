"""The judgements of a test session together: per key how many, how good, what they cost, and which minimum was missed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from judgekit.errors import ConfigError
from judgekit.runner.checks import check
from judgekit.runner.records import RowResult
from judgekit.runner.summary import KeySummary, Summary, summarize
from judgekit.runner.tables import estimated, failed, text_table

__all__ = ["Sitting", "sum_up"]


@dataclass(frozen=True)
class Sitting:
    """A test session in words.

    Attributes:
        table: a line for each key: score with its interval, n, failures, cost.
        kept: the minimums that were reached, a line each.
        missed: those that were not.
    """

    table: str
    kept: tuple[str, ...]
    missed: tuple[str, ...]


def sum_up(
    judged: Mapping[str, Sequence[RowResult]],
    minimums: Iterable[tuple[str, float]] = (),
    of_tests: Mapping[str, Mapping[str, float]] | None = None,
) -> Sitting:
    """Sum up a session.

    Args:
        judged: test -> its judgements in all repetitions; what a test judged first, second and so on is told by `index`.
        minimums: (key, least mean or pass rate) over the session.
        of_tests: test -> key -> least mean or pass rate over that test's repetitions.
    """
    numbered = {test: _of_keys(test, rows) for test, rows in judged.items()}
    places = {place: i for i, place in enumerate(_places(numbered))}
    rows = [replace(row, index=places[test, row.index]) for test, rows in numbered.items() for row in rows]
    whole = summarize(rows)
    lines = [_held(whole, key, least) for key, least in minimums]
    for test, wanted in (of_tests or {}).items():
        part = summarize(numbered.get(test, ()))
        lines += [_held(part, key, least, test) for key, least in wanted.items()]
    return Sitting(
        text_table(_cells(whole, rows)) if rows else "no judgement",
        tuple(line for passed, line in lines if passed),
        tuple(line for passed, line in lines if not passed),
    )


def _of_keys(test: str, rows: Iterable[RowResult]) -> list[RowResult]:
    """Scores of one key belong together in a session, whichever evaluator gave them."""
    return [
        replace(row, id=test, scores=tuple(replace(score, source=score.key) for score in row.scores))
        for row in rows
    ]


def _places(judged: Mapping[str, Sequence[RowResult]]) -> dict[tuple[str, int], None]:
    return dict.fromkeys((test, row.index) for test, rows in judged.items() for row in rows)


def _held(summary: Summary, key: str, least: float, test: str = "") -> tuple[bool, str]:
    where = f"{test}: " if test else ""
    try:
        (line,) = check(summary, [f"{key} >= {least!r}"]).lines
    except ConfigError:
        why = "it has labels" if key in summary.keys else "nothing was judged under this key"
        return False, f"{where}FAILED  {key} >= {least}  (no value: {why})"
    return line.passed, f"{where}{line}"


def _cells(summary: Summary, rows: Sequence[RowResult]) -> list[list[str]]:
    spent = _spent(rows)
    lines = [["key", "score", "n", "failed", "cost"]]
    for key, found in summary.keys.items():
        facts = [str(found.n), failed(found.failures), _dollars(spent.get(key, 0.0))]
        lines += [[*cells, *facts] if first else [*cells, "", "", ""] for first, cells in _scores(key, found)]
    return lines


def _scores(key: str, found: KeySummary) -> list[tuple[bool, list[str]]]:
    if found.estimate is not None:
        return [(True, [key, f"{found.estimate.name} {estimated(found.estimate)}"])]
    labels = [(False, [f"  {label}", estimated(share)]) for label, share in found.labels.items()]
    return [(True, [key, "" if labels else "no score"]), *labels]


def _spent(rows: Iterable[RowResult]) -> dict[str, float | None]:
    """Dollars by key; what a judgement with several keys cost is told under its first one."""
    spent: dict[str, float | None] = defaultdict(float)
    for row in rows:
        key = row.scores[0].key if row.scores else row.failures[0].source
        before = spent[key]
        spent[key] = None if before is None or row.cost is None else before + row.cost
    return spent


def _dollars(amount: float | None) -> str:
    return "unknown" if amount is None else f"${amount:.4f}"
