"""Proportions and means with their intervals, for independent items and for items in clusters."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from judgekit.errors import ConfigError, DataError
from judgekit.stats.inputs import (
    Column,
    FloatArray,
    IntArray,
    Rng,
    cluster_codes,
    one_of,
    optional_numbers,
    required_numbers,
    share,
    unit_values,
)
from judgekit.stats.resampling import Plan
from judgekit.stats.result import Estimate, Interval, interval_or_reason, shown
from judgekit.stats.special import beta_quantile, normal_quantile, t_two_sided_quantile
from judgekit.stats.sums import ItemSums

__all__ = [
    "Mean",
    "MeanMethod",
    "clopper_pearson",
    "cluster_se",
    "jeffreys",
    "mean",
    "proportion",
    "wilson",
]

MeanMethod = Literal["t", "bca", "percentile"]

_ONE_CLUSTER = "all items belong to one cluster, and nothing shows how clusters differ"


def wilson(successes: float, n: float, *, level: float = 0.95) -> Interval:
    """The Wilson score interval of a proportion (Wilson 1927); it holds its level at small n and near 0 and 1.

    Args:
        successes: number of successes, 0 to n; fractions are allowed, for effective sample sizes.
        n: number of trials, above 0.
        level: confidence level.

    Raises:
        ConfigError: a count or the level out of range.
    """
    _check_counts(successes, n)
    z2 = normal_quantile((1 + share(level, "level")) / 2) ** 2
    rate = successes / n
    center = (rate + z2 / (2 * n)) / (1 + z2 / n)
    half = math.sqrt(z2 * (rate * (1 - rate) / n + z2 / (4 * n * n))) / (1 + z2 / n)
    low = 0.0 if successes == 0 else max(0.0, center - half)
    high = 1.0 if successes == n else min(1.0, center + half)
    return Interval(low, high, level, "Wilson")


def clopper_pearson(successes: int, n: int, *, level: float = 0.95) -> Interval:
    """The exact interval of a proportion (Clopper & Pearson 1934): never below its level, wider than Wilson's.

    Raises:
        ConfigError: a count or the level out of range.
    """
    _check_counts(successes, n)
    tail = (1 - share(level, "level")) / 2
    low = beta_quantile(tail, successes, n - successes + 1) if successes > 0 else 0.0
    high = beta_quantile(1 - tail, successes + 1, n - successes) if successes < n else 1.0
    return Interval(low, high, level, "Clopper-Pearson")


def jeffreys(successes: int, n: int, *, level: float = 0.95) -> Interval:
    """The equal-tailed interval of a proportion under Jeffreys' prior, Beta(1/2, 1/2) (Brown, Cai & DasGupta 2001).

    Raises:
        ConfigError: a count or the level out of range.
    """
    _check_counts(successes, n)
    tail = (1 - share(level, "level")) / 2
    a, b = successes + 0.5, n - successes + 0.5
    low = beta_quantile(tail, a, b) if successes > 0 else 0.0
    high = beta_quantile(1 - tail, a, b) if successes < n else 1.0
    return Interval(low, high, level, "Jeffreys")


def _check_counts(successes: float, n: float) -> None:
    if not (n > 0 and 0 <= successes <= n and math.isfinite(n)):
        msg = f"successes={successes!r} of n={n!r}: n must be above 0 and successes between 0 and n"
        raise ConfigError(msg)


def proportion(
    values: Column,
    *,
    cluster: Column | None = None,
    level: float = 0.95,
    name: str = "proportion",
) -> Estimate:
    """The share of true values, with Wilson's interval.

    Args:
        values: True or False (1 or 0), one an item; None where there is no value (left out and counted).
        cluster: what the items belong to, one a item (a question, a document): items of one cluster are
            alike, so the interval is Wilson's at the effective sample size, n over the design effect, with a t
            quantile for the number of clusters (Korn & Graubard 1998; Dean & Pagano 2015).
        level: confidence level.
        name: what the proportion is, for the sentence it prints.

    Raises:
        DataError: a value that is not true or false, or clusters that do not match the values.
        ConfigError: the level out of range.
    """
    share(level, "level")
    numbers = optional_numbers(values, "values")
    unit_values(numbers, "values", binary=True)
    kept = ~np.isnan(numbers)
    codes = cluster_codes(cluster, numbers.size)
    rows, missing = numbers[kept], int((~kept).sum())
    if not rows.size:
        return Estimate(
            name=name, value=None, interval=None, n=0, missing=missing, reason="there is no item to count"
        )
    value, n = float(rows.mean()), rows.size
    if codes is None:
        interval = wilson(float(rows.sum()), n, level=level)
    elif np.unique(codes[kept]).size > 1:
        interval = _clustered_wilson(rows, codes[kept], level)
    else:
        return Estimate(name=name, value=value, interval=None, n=n, missing=missing, reason=_ONE_CLUSTER)
    return Estimate(name=name, value=value, interval=interval, n=n, missing=missing)


def _clustered_wilson(values: FloatArray, codes: IntArray, level: float) -> Interval:
    n, rate = values.size, float(values.mean())
    clusters = np.unique(codes).size
    design = 1.0
    if 0 < rate < 1:
        design = max(1.0, _corrected_se(values, codes) ** 2 / (rate * (1 - rate) / n))
    elif clusters < n:
        design = n / clusters  # no variation to measure: as if each cluster were one item
    ratio = normal_quantile((1 + level) / 2) / t_two_sided_quantile(level, clusters - 1)
    effective = n / design * ratio**2
    bounds = wilson(rate * effective, effective, level=level)
    return Interval(bounds.low, bounds.high, level, f"Wilson, {clusters} clusters")


def cluster_se(values: Column, cluster: Column) -> float:
    """Standard error of a mean whose items come in clusters.

    The square root of the sum, over clusters, of the squared sum of deviations, divided by n (Miller 2024,
    arXiv:2411.00640). No small-sample correction: `mean` multiplies it by sqrt(C / (C - 1)) for C clusters.

    Raises:
        DataError: no value, a value that is not a number, or clusters that do not match the values.
    """
    numbers = required_numbers(values, "values")
    codes = cluster_codes(cluster, numbers.size)
    if codes is None or not numbers.size:
        msg = "cluster_se needs at least one value, and a cluster for each"
        raise DataError(msg)
    return _cluster_se(numbers, codes)


def _cluster_se(values: FloatArray, codes: IntArray) -> float:
    sums = np.bincount(codes, weights=values - values.mean())
    return math.sqrt(float(sums @ sums)) / values.size


def _corrected_se(values: FloatArray, codes: IntArray) -> float:
    clusters = np.unique(codes).size
    return _cluster_se(values, codes) * math.sqrt(clusters / (clusters - 1))


@dataclass(frozen=True, repr=False, kw_only=True)
class Mean(Estimate):
    """A mean.

    Attributes:
        se: its standard error, cluster-robust where clusters were given; None when it cannot be told.
        clusters: how many clusters the items came in, or None for independent items.
    """

    se: float | None = None
    clusters: int | None = None

    def _facts(self) -> list[str]:
        error = [] if self.se is None else [f"standard error {shown(self.se)}"]
        return error if self.clusters is None else [*error, f"{self.clusters} clusters"]


def mean(
    values: Column,
    *,
    cluster: Column | None = None,
    level: float = 0.95,
    method: MeanMethod = "t",
    resamples: int = 10_000,
    rng: Rng = 0,
    name: str = "mean",
) -> Mean:
    """The mean of numbers, with a t or a bootstrap interval.

    Args:
        values: numbers, one an item; None where there is no value (left out and counted).
        cluster: what the items belong to, one an item; the standard error is then cluster-robust, the t
            quantile has one degree of freedom less than clusters, and the bootstrap draws whole clusters.
        level: confidence level.
        method: `t`, or `bca` or `percentile` for the bootstrap.
        resamples: number of bootstrap samples.
        rng: a seed or a generator for the bootstrap.
        name: what the mean is of, for the sentence it prints.

    Raises:
        DataError: a value that is not a finite number, or clusters that do not match the values.
        ConfigError: an option out of range.
    """
    one_of(method, "method", ("t", "bca", "percentile"))
    share(level, "level")
    numbers = optional_numbers(values, "values")
    kept = ~np.isnan(numbers)
    codes = cluster_codes(cluster, numbers.size)
    rows, missing = numbers[kept], int((~kept).sum())
    owner = None if codes is None else np.unique(codes[kept], return_inverse=True)[1]
    units = rows.size if owner is None else int(owner.max(initial=-1)) + 1
    clusters = None if owner is None else units
    if not rows.size:
        empty = "there is no value to average"
        return Mean(
            name=name, value=None, interval=None, n=0, missing=missing, reason=empty, clusters=clusters
        )
    value = float(rows.mean())
    se = _corrected_se(rows, np.arange(rows.size) if owner is None else owner) if units > 1 else None
    if method == "t":
        bounds = _t_interval(value, se, units, level, clustered=owner is not None)
    else:
        plan = Plan(level=level, resamples=resamples, rng=rng, method=method)
        bounds = _bootstrap_mean(rows, owner, plan)
    outcome = interval_or_reason(bounds)
    return Mean(name=name, value=value, n=rows.size, missing=missing, se=se, clusters=clusters, **outcome)


def _t_interval(
    value: float, se: float | None, units: int, level: float, *, clustered: bool
) -> Interval | str:
    if se is None:
        return _ONE_CLUSTER if clustered else "one value shows no spread"
    if se == 0:
        return f"all values are {shown(value)}, so the data show no variation to measure"
    half = t_two_sided_quantile(level, units - 1) * se
    return Interval(value - half, value + half, level, f"t, {units} clusters" if clustered else "t")


def _bootstrap_mean(values: FloatArray, cluster: IntArray | None, plan: Plan) -> Interval | str:
    sums = ItemSums.of(np.stack([np.ones_like(values), values], axis=1), np.full(values.size, True), cluster)
    return sums.interval(lambda totals: totals[:, 1] / totals[:, 0], plan)
