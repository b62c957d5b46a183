"""Statistics that are functions of sums over items: one evaluation, one bootstrap, for all of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from judgekit.stats.inputs import Column, FloatArray, IntArray, cluster_codes
from judgekit.stats.resampling import Plan, bootstrap_interval
from judgekit.stats.result import Estimate, Interval, interval_or_reason

__all__ = ["ItemSums", "SumStatistic"]

SumStatistic = Callable[[FloatArray], FloatArray]
"""From sums (resamples, features) to values (resamples,), NaN where undefined."""


@dataclass(frozen=True)
class ItemSums:
    """Items as rows of numbers to be added up, equal rows held once.

    Attributes:
        kinds: (kinds, features) the different rows.
        kind: (items,) which of them each item has.
        cluster: (items,) which cluster each item is in, or None for independent items.
        missing: how many items were left out before.
    """

    kinds: FloatArray
    kind: IntArray
    cluster: IntArray | None
    missing: int

    @classmethod
    def of(cls, features: FloatArray, kept: NDArray[np.bool_], cluster: Column | None) -> ItemSums:
        """The rows (items, features) that are kept, with their clusters.

        Raises:
            DataError: not one cluster for each row.
        """
        codes = cluster_codes(cluster, kept.size)
        kinds, kind = np.unique(features[kept], axis=0, return_inverse=True)
        return cls(kinds, kind.ravel(), None if codes is None else codes[kept], int((~kept).sum()))

    def estimate(self, name: str, statistic: SumStatistic, plan: Plan, *, undefined: str) -> Estimate:
        """The statistic with its bootstrap interval; `undefined` says why it may be undefined."""
        n = self.kind.size
        if not n:
            reason = "no item has the labels it takes"
            return Estimate(name=name, value=None, interval=None, n=0, missing=self.missing, reason=reason)
        counts = np.bincount(self.kind, minlength=len(self.kinds))
        value = float(statistic((counts @ self.kinds)[None])[0])
        if np.isnan(value):
            return Estimate(name=name, value=None, interval=None, n=n, missing=self.missing, reason=undefined)
        bounds = interval_or_reason(self.interval(statistic, plan))
        return Estimate(name=name, value=value, n=n, missing=self.missing, **bounds)

    def interval(self, statistic: SumStatistic, plan: Plan) -> Interval | str:
        """The bootstrap interval of the statistic, or the reason why there is none."""
        units, multiplicity = self._units()
        clustered = self.cluster is not None
        return bootstrap_interval(
            lambda weights: statistic(weights @ units), multiplicity, plan, clustered=clustered
        )

    def _units(self) -> tuple[FloatArray, IntArray]:
        """What is drawn: clusters, or the different kinds of items with how many there are of each."""
        if self.cluster is None:
            return self.kinds, np.bincount(self.kind, minlength=len(self.kinds))
        _, codes = np.unique(self.cluster, return_inverse=True)
        counts = np.zeros((int(codes.max()) + 1, len(self.kinds)))
        np.add.at(counts, (codes, self.kind), 1)
        return counts @ self.kinds, np.ones(len(counts), dtype=np.int64)
