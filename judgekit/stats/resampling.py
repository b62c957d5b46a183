"""The bootstrap, written once for every statistic that is a function of how often each unit was drawn.

A unit is what is drawn independently: an item, a group of identical items with its multiplicity, or a cluster. A
statistic maps weights (resamples, units) to values (resamples,), NaN where it is undefined; so a resample costs a
row of a matrix product and no loop in Python.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from judgekit.stats.inputs import FloatArray, IntArray, Rng, generator, one_of, share, whole
from judgekit.stats.result import Interval
from judgekit.stats.special import normal_cdf, normal_quantile

__all__ = ["BootstrapMethod", "Plan", "WeightedStatistic", "bootstrap_interval", "ratio"]

WeightedStatistic = Callable[[FloatArray], FloatArray]
BootstrapMethod = Literal["bca", "percentile"]

_MOST_UNDEFINED = 0.05
_CHUNK = 1 << 21  # weights held at once


@dataclass(frozen=True)
class Plan:
    """How an interval is resampled.

    Attributes:
        level: confidence level.
        resamples: number of bootstrap samples.
        rng: a seed or a generator.
        method: `bca` corrects the percentiles for bias and skewness (Efron 1987); `percentile` does not.
    """

    level: float = 0.95
    resamples: int = 10_000
    rng: Rng = 0
    method: BootstrapMethod = "bca"

    def __post_init__(self) -> None:
        share(self.level, "level")
        whole(self.resamples, "resamples", least=100)
        one_of(self.method, "method", ("bca", "percentile"))


def bootstrap_interval(
    statistic: WeightedStatistic, multiplicity: IntArray, plan: Plan, *, clustered: bool = False
) -> Interval | str:
    """The bootstrap interval of a statistic, or the reason why there is none.

    Args:
        statistic: from weights (resamples, units) to values (resamples,).
        multiplicity: (units,) how many observations each unit stands for; its sum is drawn, with replacement.
        plan: level, resamples, generator and method.
        clustered: whether the units are clusters; only the name of the method depends on it.
    """
    if multiplicity.sum() < 2:
        return f"a bootstrap needs at least two {'clusters' if clustered else 'items'}"
    drawn = np.concatenate([statistic(weights) for weights in _draws(multiplicity, plan)])
    defined = np.sort(drawn[~np.isnan(drawn)])
    undefined = 1 - defined.size / drawn.size
    if undefined > _MOST_UNDEFINED:
        return f"{undefined:.0%} of the resamples leave it undefined; more items of the rare kind are needed"
    if defined[-1] - defined[0] <= 1e-12 * max(1.0, abs(defined[0])):
        return "every resample gives the same value, so the data show no variation to measure"
    low, high = (1 - plan.level) / 2, (1 + plan.level) / 2
    if plan.method == "bca":
        low, high = _bca_shares(statistic, multiplicity, defined, low, high)
    ends = np.quantile(defined, [low, high])
    name = "BCa" if plan.method == "bca" else "percentile"
    kind = "cluster bootstrap" if clustered else "bootstrap"
    return Interval(float(ends[0]), float(ends[1]), plan.level, f"{name} {kind}")


def _draws(multiplicity: IntArray, plan: Plan) -> Iterator[FloatArray]:
    rng = generator(plan.rng)
    units, total = multiplicity.size, int(multiplicity.sum())
    size = max(1, _CHUNK // max(total, units))
    owner = np.repeat(np.arange(units), multiplicity)
    for start in range(0, plan.resamples, size):
        rows = min(size, plan.resamples - start)
        if units * 16 < total:  # few kinds of items: the counts themselves are multinomial
            yield rng.multinomial(total, multiplicity / total, size=rows).astype(np.float64)
            continue
        picked = owner[rng.integers(0, total, size=(rows, total))] + units * np.arange(rows)[:, None]
        yield np.bincount(picked.ravel(), minlength=rows * units).reshape(rows, units).astype(np.float64)


def _bca_shares(
    statistic: WeightedStatistic, multiplicity: IntArray, drawn: FloatArray, low: float, high: float
) -> tuple[float, float]:
    """The two percentiles of the BCa interval (Efron 1987); unchanged where the correction is undefined."""
    whole_sample = multiplicity.astype(np.float64)
    value = statistic(whole_sample[None, :])[0]
    below = (
        0.5 * (np.searchsorted(drawn, value, "left") + np.searchsorted(drawn, value, "right")) / drawn.size
    )
    if not 0 < below < 1:
        return low, high
    bias = normal_quantile(float(below))
    acceleration = _acceleration(statistic, whole_sample)

    def moved(p: float) -> float:
        shifted = bias + normal_quantile(p)
        return normal_cdf(bias + shifted / (1 - acceleration * shifted))

    return moved(low), moved(high)


def _acceleration(statistic: WeightedStatistic, multiplicity: FloatArray) -> float:
    units = multiplicity.size
    size = max(1, _CHUNK // units)
    parts = []
    for start in range(0, units, size):
        left_out = np.arange(start, min(start + size, units))
        weights = np.tile(multiplicity, (left_out.size, 1))
        weights[np.arange(left_out.size), left_out] -= 1
        parts.append(statistic(weights))
    values = np.concatenate(parts)
    usable = ~np.isnan(values)
    if not usable.any():
        return 0.0
    weight = multiplicity[usable]
    off = np.average(values[usable], weights=weight) - values[usable]
    spread = float((weight * off**2).sum())
    return float((weight * off**3).sum()) / (6 * math.pow(spread, 1.5)) if spread > 0 else 0.0


def ratio(top: FloatArray, bottom: FloatArray) -> FloatArray:
    """top / bottom, NaN where the bottom is 0."""
    top, bottom = np.broadcast_arrays(np.asarray(top, dtype=np.float64), bottom)
    quotient: FloatArray = np.divide(top, bottom, out=np.full(top.shape, np.nan), where=bottom != 0)
    return quotient
