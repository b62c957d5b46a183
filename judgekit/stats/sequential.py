"""Looking at results as they come in without spoiling the error rate: intervals valid at every n at once."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from judgekit.errors import ConfigError
from judgekit.stats.inputs import Column, required_numbers, share, unit_values
from judgekit.stats.result import Estimate, Interval
from judgekit.stats.special import log_beta

__all__ = ["Monitored", "anytime_interval", "monitor"]

_PRIOR = (0.5, 0.5)


def anytime_interval(
    successes: int, n: int, *, level: float = 0.95, prior: tuple[float, float] = _PRIOR
) -> Interval:
    """An interval of a proportion that may be looked at after every label, as often as one likes.

    All p whose mixture likelihood ratio B(a + S, b + n - S) / B(a, b) / (p^S (1 - p)^(n - S)) stays below
    1 / (1 - level): by Ville's inequality the chance that the true rate ever leaves is at most 1 - level
    (Robbins 1970).

    Args:
        successes: successes so far.
        n: trials so far; at 0 the interval is all of [0, 1].
        level: confidence level, for all n together.
        prior: a and b of the beta mixture, where the interval is to be narrow; it holds its level whatever they are.

    Raises:
        ConfigError: a number out of range.
    """
    share(level, "level")
    if not 0 <= successes <= n:
        msg = f"successes={successes!r} must lie between 0 and n={n!r}"
        raise ConfigError(msg)
    if min(prior) <= 0:
        msg = f"prior={prior!r} must be two numbers above 0"
        raise ConfigError(msg)
    method, bound = "anytime, beta mixture", -math.log(1 - level)
    if n == 0:
        return Interval(0.0, 1.0, level, method)
    rate = successes / n

    def outside(p: float) -> bool:
        return _log_e_value(p, successes, n, prior) >= bound

    low = _boundary(outside, 0.0, rate) if successes else 0.0
    high = _boundary(outside, 1.0, rate) if successes < n else 1.0
    return Interval(low, high, level, method)


def _log_e_value(p: float, successes: float, n: float, prior: tuple[float, float]) -> float:
    """Logarithm of the evidence against the rate p, 0 < p < 1; it grows as data contradict p, and its mean under p is 1."""
    a, b = prior
    failures = n - successes
    mixture = log_beta(a + successes, b + failures) - log_beta(a, b)
    return mixture - successes * math.log(p) - failures * math.log1p(-p)


def _boundary(outside: Callable[[float], bool], out: float, inside: float) -> float:
    """Where between a rate that is outside and one that is inside the interval ends."""
    for _ in range(200):
        middle = 0.5 * (out + inside)
        if middle in {out, inside}:
            break
        if outside(middle):
            out = middle
        else:
            inside = middle
    return inside


@dataclass(frozen=True, repr=False, kw_only=True)
class Monitored(Estimate):
    """A rate watched against a threshold; the interval is valid at every n.

    Attributes:
        threshold: the rate it is watched against.
        stopped_at: after how many labels the interval first excluded the threshold, or None when it has not.
        side: `above` or `below` the threshold once it stopped, else None.
        p_value: valid at whatever n one stops: one over the largest evidence so far.
    """

    threshold: float
    stopped_at: int | None = None
    side: Literal["above", "below"] | None = None
    p_value: float = 1.0

    def _facts(self) -> list[str]:
        if self.side is None:
            return [f"{self.threshold:g} not excluded yet"]
        return [f"{self.side} {self.threshold:g} since label {self.stopped_at}"]


def monitor(
    outcomes: Column, *, threshold: float, level: float = 0.95, prior: tuple[float, float] = _PRIOR
) -> Monitored:
    """Watch a rate, label by label, until it is known to be above or below a threshold.

    Stop when `side` is not None, or go on: the chance of ever excluding the true rate is at most 1 - level.

    Args:
        outcomes: True or False (1 or 0) in the order they came.
        threshold: the rate that matters, such as the accuracy that a judge must exceed.
        level: confidence level, for all labels together.
        prior: a and b of the beta mixture.

    Raises:
        DataError: an outcome that is not true or false.
        ConfigError: a number out of range.
    """
    share(threshold, "threshold")
    values = required_numbers(outcomes, "outcomes")
    unit_values(values, "outcomes", binary=True)
    so_far, n = np.cumsum(values), values.size
    evidence = [_log_e_value(threshold, int(s), t, prior) for t, s in enumerate(so_far.tolist(), start=1)]
    interval = anytime_interval(int(values.sum()), n, level=level, prior=prior)
    known: dict[str, Any] = {"name": "rate so far", "interval": interval, "n": n, "threshold": threshold}
    if not n:
        return Monitored(value=None, reason="there is no outcome yet", **known)
    decided = np.flatnonzero(np.array(evidence) >= -math.log(1 - level))
    stopped_at = int(decided[0]) + 1 if decided.size else None
    side: Literal["above", "below"] | None = None
    if stopped_at is not None:
        side = "above" if so_far[stopped_at - 1] > threshold * stopped_at else "below"
    p_value = math.exp(-max(0.0, *evidence))
    return Monitored(value=float(values.mean()), stopped_at=stopped_at, side=side, p_value=p_value, **known)
