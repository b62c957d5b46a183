"""Conditions on a run, as text: `"correctness >= 0.8"`. What a CI job asks before it lets a change through."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from judgekit.errors import ConfigError, JudgekitError
from judgekit.runner.records import Score
from judgekit.runner.summary import KeySummary, Summary
from judgekit.runner.tables import bounded, failed, shortly
from judgekit.runner.tally import close_names

__all__ = ["CheckFailed", "CheckLine", "CheckReport", "check"]

_CONDITION = re.compile(
    r"\s*(?P<name>.*?[^\s=<>!])\s*(?P<comparison>>=|<=|==|!=|>|<)\s*"
    r"(?P<number>[+-]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*(?P<percent>%?)\s*",
    re.ASCII | re.DOTALL,
)

_COMPARISONS: Mapping[str, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
    "==": operator.eq,
    "!=": operator.ne,
}


class CheckFailed(JudgekitError, AssertionError):
    """A run does not meet its conditions; `report` says which."""

    def __init__(self, report: CheckReport) -> None:
        super().__init__(str(report))
        self.report = report

    def __reduce__(self) -> tuple[Any, ...]:
        return (CheckFailed, (self.report,))


@dataclass(frozen=True)
class CheckLine:
    """One condition: its text, the value that was found (None where there is none), whether it holds, and what is behind
    the value."""

    condition: str
    value: float | None
    passed: bool
    note: str = ""

    def __str__(self) -> str:
        return f"{'passed' if self.passed else 'FAILED'}  {self.condition}  ({', '.join(self._facts())})"

    def _facts(self) -> Iterator[str]:
        yield "no value" if self.value is None else f"is {shortly(self.value)}"
        if self.note:
            yield self.note


@dataclass(frozen=True)
class CheckReport:
    """The conditions of one `check`, in order. True in a condition when all hold, so that it can be asserted."""

    name: str
    lines: tuple[CheckLine, ...]

    @property
    def passed(self) -> bool:
        """Whether all conditions hold."""
        return all(line.passed for line in self.lines)

    def __bool__(self) -> bool:
        return self.passed

    def require(self) -> None:
        """Go on only if all conditions hold.

        Raises:
            CheckFailed: one does not.
        """
        if not self.passed:
            raise CheckFailed(self)

    def to_dict(self) -> dict[str, Any]:
        """The fields as JSON values."""
        return {"passed": self.passed, **asdict(self)}

    def __str__(self) -> str:
        bad = sum(not line.passed for line in self.lines)
        told = (
            f"{bad} of {len(self.lines)} conditions failed"
            if bad
            else f"all {len(self.lines)} conditions hold"
        )
        return "\n".join([f"{self.name}: {told}", *(f"  {line}" for line in self.lines)])


@dataclass(frozen=True)
class _Quantity:
    """A number that can be checked; `of` is the count that a per cent of it refers to."""

    value: float | None
    note: str = ""
    of: int | None = None

    def scaled(self, *, percent: bool) -> float | None:
        if not percent or self.of is None or self.value is None:
            return self.value
        return self.value / self.of if self.of else None


def check(
    summary: Summary, conditions: Sequence[str], scores: Mapping[str, Score] | None = None
) -> CheckReport:
    """Check a run.

    Args:
        summary: the run in numbers.
        conditions: each `NAME COMPARISON NUMBER`, as in `correctness >= 0.8`, `correctness.lower >= 75%` or
            `latency.target.p95 < 2`. Names are a key (its pass rate or mean), `KEY.lower` and `KEY.upper` (the ends of the
            interval), `KEY.n`, `KEY.failed`, `KEY.missing`, `KEY.LABEL` (the share of a label) with its `.lower` and
            `.upper`, `latency.SOURCE.p50`, `.p95` and `.max` (seconds), `rows`, `errors` (rows whose target failed), `cost`
            (dollars) and `tokens`. A per cent of `failed`, `missing` and `errors` is of all rows.
        scores: summary scores, by key.

    Raises:
        ConfigError: a condition that cannot be read, or a name that the run does not have.
    """
    quantities = {**_of_run(summary), **_of_scores(scores or {})}
    for found in summary.keys.values():
        quantities.update(_of_key(found, summary.rows))
    return CheckReport(summary.name, tuple(_checked(each, quantities) for each in conditions))


def _checked(condition: str, quantities: Mapping[str, _Quantity]) -> CheckLine:
    parts = _CONDITION.fullmatch(condition)
    if parts is None:
        raise ConfigError(
            f"{condition!r} is no condition: write a name, one of {' '.join(_COMPARISONS)} and a number, as in "
            "'correctness >= 0.8'."
        )
    name, percent = parts["name"], bool(parts["percent"])
    if name not in quantities:
        raise ConfigError(f"{condition!r}: the run has no {name!r}.{close_names(name, quantities)}")
    quantity = quantities[name]
    value = quantity.scaled(percent=percent)
    bound = float(parts["number"]) / (100 if percent else 1)
    passed = value is not None and _COMPARISONS[parts["comparison"]](value, bound)
    return CheckLine(" ".join(condition.split()), value, passed, quantity.note)


def _of_run(summary: Summary) -> dict[str, _Quantity]:
    usage = summary.usage
    unpriced = f"unknown for {summary.unpriced} of {summary.rows} rows" if summary.unpriced else ""
    found = {
        "rows": _Quantity(summary.rows),
        "errors": _Quantity(sum(summary.errors.values()), failed(summary.errors), summary.rows),
        "cost": _Quantity(summary.cost, unpriced),
        "tokens": _Quantity(None if usage is None else usage.input_tokens + usage.output_tokens),
    }
    for source, timing in summary.seconds.items():
        note = f"seconds, n = {timing.n}"
        for statistic in ("p50", "p95", "max"):
            found[f"latency.{source}.{statistic}"] = _Quantity(getattr(timing, statistic), note)
    return found


def _of_scores(scores: Mapping[str, Score]) -> dict[str, _Quantity]:
    return {
        key: _Quantity(
            score.number, "over the whole run" if score.number is not None else f"a label, {score.score!r}"
        )
        for key, score in scores.items()
    }


def _of_key(found: KeySummary, rows: int) -> Iterator[tuple[str, _Quantity]]:
    counted = f"n = {found.n}, {failed(found.failures)} failed"
    yield f"{found.key}.n", _Quantity(found.n)
    yield f"{found.key}.failed", _Quantity(found.failed, failed(found.failures), rows)
    yield f"{found.key}.missing", _Quantity(found.missing, "", rows)
    if found.kind != "label":
        yield found.key, _Quantity(None, counted)
        yield f"{found.key}.lower", _Quantity(None, counted)
        yield f"{found.key}.upper", _Quantity(None, counted)
    for label, estimate in found.estimates():
        name = found.key if label is None else f"{found.key}.{label}"
        interval = estimate.interval
        note = ", ".join(filter(None, [bounded(interval).strip("()"), estimate.reason, counted]))
        yield name, _Quantity(estimate.value, note)
        yield f"{name}.lower", _Quantity(None if interval is None else interval.low, note)
        yield f"{name}.upper", _Quantity(None if interval is None else interval.high, note)
