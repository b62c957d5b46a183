"""Agreement of scores: correlation pooled or within groups, bias, and distance.

A correlation pooled over documents mixes two things, which document is better and which answer is better within a
document; `within=` takes the correlation inside each group and averages, which is the second alone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from judgekit.errors import ConfigError
from judgekit.stats import weighted
from judgekit.stats.inputs import (
    Column,
    FloatArray,
    IntArray,
    Rng,
    cluster_codes,
    equal_lengths,
    optional_numbers,
)
from judgekit.stats.intervals import Mean, mean
from judgekit.stats.resampling import Plan, bootstrap_interval
from judgekit.stats.result import Estimate, Interval, interval_or_reason
from judgekit.stats.weighted import Points, PointStatistic

__all__ = [
    "Correlation",
    "bias",
    "kendall_tau",
    "lin_ccc",
    "mae",
    "pairwise_accuracy",
    "pearson",
    "rmse",
    "spearman",
]


@dataclass(frozen=True, repr=False, kw_only=True)
class Correlation(Estimate):
    """A correlation, pooled or averaged over groups.

    Attributes:
        groups: how many groups were averaged, or None when pooled.
        skipped: groups left out because a side is constant in them or they have one item.
    """

    groups: int | None = None
    skipped: int = 0

    def _facts(self) -> list[str]:
        if self.groups is None:
            return []
        return [f"mean of {self.groups} groups ({self.skipped} constant ones skipped)"]


def pearson(
    judge: Column,
    human: Column,
    *,
    within: Column | None = None,
    cluster: Column | None = None,
    level: float = 0.95,
    resamples: int = 2_000,
    rng: Rng = 0,
) -> Correlation:
    """Pearson's product-moment correlation of two columns of scores.

    Args:
        judge: the judge's scores, one an item; None where there is none.
        human: the human's scores of the same items.
        within: a group for each item (a document, a question); the correlation is taken inside each group and
            averaged, groups in which a side is constant skipped and counted; the interval is the t interval of
            the groups' values.
        cluster: what the items belong to, one an item; the bootstrap then draws whole clusters. Not together
            with `within`, whose groups are what is independent.
        level: confidence level.
        resamples: number of bootstrap samples.
        rng: a seed or a generator.

    Raises:
        DataError: unequal lengths, or a score that is not a finite number.
        ConfigError: an option out of range.
    """
    plan = Plan(level=level, resamples=resamples, rng=rng)
    return _correlation(
        "Pearson correlation", weighted.pearson, _Columns.of(judge, human, within, cluster), plan
    )


def spearman(
    judge: Column,
    human: Column,
    *,
    within: Column | None = None,
    cluster: Column | None = None,
    level: float = 0.95,
    resamples: int = 2_000,
    rng: Rng = 0,
) -> Correlation:
    """Spearman's rank correlation, ties at their middle rank. Arguments and errors as in `pearson`."""
    plan = Plan(level=level, resamples=resamples, rng=rng)
    return _correlation(
        "Spearman correlation", weighted.spearman, _Columns.of(judge, human, within, cluster), plan
    )


def kendall_tau(
    judge: Column,
    human: Column,
    *,
    within: Column | None = None,
    cluster: Column | None = None,
    level: float = 0.95,
    resamples: int = 2_000,
    rng: Rng = 0,
) -> Correlation:
    """Kendall's tau-b, (C - D) / sqrt((C + D + Tx)(C + D + Ty)). Arguments and errors as in `pearson`."""
    plan = Plan(level=level, resamples=resamples, rng=rng)
    return _correlation("Kendall's tau-b", weighted.kendall, _Columns.of(judge, human, within, cluster), plan)


def lin_ccc(
    judge: Column,
    human: Column,
    *,
    cluster: Column | None = None,
    level: float = 0.95,
    resamples: int = 2_000,
    rng: Rng = 0,
) -> Correlation:
    """Lin's concordance correlation (1989): Pearson's, lowered by a shift or a stretch of the scores.

    Arguments and errors as in `pearson`.
    """
    plan = Plan(level=level, resamples=resamples, rng=rng)
    return _correlation("Lin's concordance", weighted.ccc, _Columns.of(judge, human, None, cluster), plan)


def pairwise_accuracy(
    judge: Column,
    human: Column,
    *,
    within: Column | None = None,
    cluster: Column | None = None,
    level: float = 0.95,
    resamples: int = 2_000,
    rng: Rng = 0,
) -> Correlation:
    """The share of item pairs that both put in the same order, a tie matching only a tie (Deutsch et al. 2023).

    Arguments and errors as in `pearson`.
    """
    plan = Plan(level=level, resamples=resamples, rng=rng)
    return _correlation(
        "pairwise accuracy", weighted.pairwise, _Columns.of(judge, human, within, cluster), plan
    )


def bias(judge: Column, human: Column, *, cluster: Column | None = None, level: float = 0.95) -> Mean:
    """The mean of judge minus human: above 0 the judge is lenient. t interval; arguments as in `pearson`."""
    columns = _Columns.of(judge, human, None, None)
    return mean(columns.differences(), cluster=cluster, level=level, name="bias of the judge")


def mae(judge: Column, human: Column, *, cluster: Column | None = None, level: float = 0.95) -> Mean:
    """The mean absolute difference of judge and human. t interval; arguments as in `pearson`."""
    columns = _Columns.of(judge, human, None, None)
    sizes = [None if off is None else abs(off) for off in columns.differences()]
    return mean(sizes, cluster=cluster, level=level, name="mean absolute error")


def rmse(
    judge: Column,
    human: Column,
    *,
    cluster: Column | None = None,
    level: float = 0.95,
    resamples: int = 2_000,
    rng: Rng = 0,
) -> Correlation:
    """The root mean squared difference of judge and human. Bootstrap interval; arguments as in `pearson`."""
    plan = Plan(level=level, resamples=resamples, rng=rng)
    return _correlation(
        "root mean squared error", weighted.rmse, _Columns.of(judge, human, None, cluster), plan
    )


@dataclass(frozen=True)
class _Columns:
    x: FloatArray
    y: FloatArray
    within: IntArray | None
    cluster: IntArray | None

    @classmethod
    def of(
        cls,
        judge: Column,
        human: Column,
        within: Column | None,
        cluster: Column | None,
    ) -> _Columns:
        if within is not None and cluster is not None:
            msg = "give within= or cluster=, not both: the groups of within= are already taken as independent"
            raise ConfigError(msg)
        n = equal_lengths(judge=judge, human=human)
        x, y = optional_numbers(judge, "judge"), optional_numbers(human, "human")
        return cls(x, y, cluster_codes(within, n, "within"), cluster_codes(cluster, n))

    def differences(self) -> list[float | None]:
        return [None if np.isnan(off) else float(off) for off in self.x - self.y]


def _correlation(name: str, statistic: PointStatistic, columns: _Columns, plan: Plan) -> Correlation:
    kept = ~np.isnan(columns.x + columns.y)
    missing = int((~kept).sum())
    x, y = columns.x[kept], columns.y[kept]
    if columns.within is not None:
        found = _grouped(name, statistic, Points(x, y), columns.within[kept], plan.level)
        return replace(found, missing=missing)
    value = _value(statistic, Points(x, y))
    if value is None:
        return Correlation(name=name, value=None, interval=None, n=x.size, missing=missing, reason=_why(x, y))
    clusters = None if columns.cluster is None else columns.cluster[kept]
    bounds = interval_or_reason(_pooled_interval(statistic, x, y, clusters, plan))
    return Correlation(name=name, value=value, n=x.size, missing=missing, **bounds)


def _why(x: FloatArray, y: FloatArray) -> str:
    if x.size < 2:
        return "it takes at least two items with both scores"
    constant = [
        f"the {side} gave {v[0]:g} to every item"
        for side, v in (("judge", x), ("human", y))
        if np.ptp(v) == 0
    ]
    return " and ".join(constant) or "the scores hardly vary"


def _value(statistic: PointStatistic, points: Points) -> float | None:
    if not points.x.size:
        return None
    value = float(statistic(points)(np.ones((1, points.x.size)))[0])
    return None if np.isnan(value) else value


def _pooled_interval(
    statistic: PointStatistic, x: FloatArray, y: FloatArray, clusters: IntArray | None, plan: Plan
) -> Interval | str:
    points, place, count = np.unique(np.stack([x, y]), axis=1, return_inverse=True, return_counts=True)
    at_points = statistic(Points(points[0], points[1]))
    if clusters is None:
        return bootstrap_interval(at_points, count, plan)
    units = np.unique(clusters, return_inverse=True)[1]
    table = np.zeros((int(units.max()) + 1, count.size))
    np.add.at(table, (units, place.ravel()), 1)
    ones = np.ones(len(table), dtype=np.int64)
    return bootstrap_interval(lambda weights: at_points(weights @ table), ones, plan, clustered=True)


def _grouped(
    name: str, statistic: PointStatistic, points: Points, within: IntArray, level: float
) -> Correlation:
    members = [
        Points(points.x[rows], points.y[rows]) for rows in (within == group for group in np.unique(within))
    ]
    values = [value for group in members if (value := _value(statistic, group)) is not None]
    skipped = len(members) - len(values)
    averaged = mean(values, level=level)
    reason = averaged.reason
    if averaged.value is None:
        reason = "in every group a side is constant or there is one item"
    return Correlation(
        name=name,
        value=averaged.value,
        interval=averaged.interval,
        n=points.x.size,
        reason=reason,
        groups=len(values),
        skipped=skipped,
    )
