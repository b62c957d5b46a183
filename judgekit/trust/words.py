"""Numbers as they stand in a sentence about a judge: `.70 (.60 to .80)`, `81 % (76 to 86)`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from judgekit.runner.tables import bounded, shortly, text_table
from judgekit.stats import Estimate, labels_to_halve

__all__ = ["as_data", "coefficient", "estimates_table", "percent", "undefined"]


def coefficient(estimate: Estimate) -> str:
    """`.70 (.60 to .80)`."""
    return _told(estimate, _decimals, "")


def percent(estimate: Estimate) -> str:
    """`81 % (76 to 86)`."""
    return _told(estimate, lambda value: f"{100 * value:.0f}", " %")


def _told(estimate: Estimate, shown: Any, unit: str) -> str:
    if estimate.value is None:
        return f"unknown ({estimate.reason})"
    interval = estimate.interval
    bounds = "" if interval is None else f" ({shown(interval.low)} to {shown(interval.high)})"
    return f"{shown(estimate.value)}{unit}{bounds}"


def _decimals(value: float) -> str:
    text = f"{round(value, 2) + 0.0:.2f}"  # adding 0.0 makes minus zero zero
    return text.replace("-0.", "-.").removeprefix("0")


def undefined(name: str, reason: str) -> Estimate:
    """An estimate that the data leave undefined, and why."""
    return Estimate(name=name, value=None, interval=None, n=0, reason=reason)


def estimates_table(estimates: Iterable[Estimate]) -> str:
    """One line an estimate, with the n that would make its interval half as wide."""
    lines = [["statistic", "value", "interval", "n", "n to halve it"]]
    for found in estimates:
        value = shortly(found.value)
        told = bounded(found.interval) or found.reason or ""
        more = labels_to_halve(found)
        lines.append([found.name, value, told, str(found.n), "-" if more is None else str(more)])
    return text_table(lines)


def as_data(value: Any) -> Any:
    """A report's field as a JSON value."""
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if isinstance(value, Mapping):
        return {str(name): as_data(each) for name, each in value.items()}
    return [as_data(each) for each in value] if isinstance(value, tuple) else value
