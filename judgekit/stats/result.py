"""What every statistic returns: a value with its interval, its n, and the reason when there is none."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

__all__ = ["Estimate", "Interval", "interval_or_reason", "shown"]


@dataclass(frozen=True, repr=False)
class Interval:
    """A confidence interval: `low` to `high` in the unit of the value, at `level` (0.95), by `method`."""

    low: float
    high: float
    level: float
    method: str

    @property
    def width(self) -> float:
        """Distance between the two ends."""
        return self.high - self.low

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    def __repr__(self) -> str:
        return f"{100 * self.level:g}% interval {shown(self.low)} to {shown(self.high)} ({self.method})"

    def to_dict(self) -> dict[str, Any]:
        """The fields as JSON values."""
        return asdict(self)


@dataclass(frozen=True, repr=False, kw_only=True)
class Estimate:
    """A statistic of n observations.

    Attributes:
        name: what was estimated, in words.
        value: the estimate, or None where the data leave it undefined.
        interval: its confidence interval, or None where none can be given.
        n: how many observations (items, pairs) the value rests on.
        missing: how many were left out because a side has no value.
        reason: why the value or the interval is None, else None.
    """

    name: str
    value: float | None
    interval: Interval | None
    n: int
    missing: int = 0
    reason: str | None = None

    def __repr__(self) -> str:
        facts = [*self._facts(), f"n = {self.n}"]
        if self.missing:
            facts.append(f"{self.missing} left out for want of a value")
        return f"{self._headline()}, {', '.join(facts)}"

    def _headline(self) -> str:
        if self.value is None:
            return f"{self.name} is undefined: {self.reason}"
        if self.interval is None:
            return f"{self.name} {shown(self.value)} without an interval: {self.reason}"
        return f"{self.name} {shown(self.value)}, {self.interval!r}"

    def _facts(self) -> list[str]:
        """What a kind of estimate adds to the sentence."""
        return []

    def to_dict(self) -> dict[str, Any]:
        """The fields as JSON values, the interval as an object."""
        return asdict(self)


def interval_or_reason(bounds: Interval | str) -> dict[str, Any]:
    """The fields `interval` and `reason` of an estimate, from an interval or the words why there is none."""
    if isinstance(bounds, Interval):
        return {"interval": bounds, "reason": None}
    return {"interval": None, "reason": bounds}


def shown(value: float) -> str:
    """A number as it stands in a sentence."""
    return f"{value:.4g}"
