"""Label pairs as a table of counts: the sufficient statistic of every two-rater coefficient."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from judgekit.stats.inputs import Coded, Column, FloatArray, IntArray, Label, cluster_codes, code_labels
from judgekit.stats.resampling import Plan
from judgekit.stats.result import Estimate
from judgekit.stats.sums import ItemSums

__all__ = ["LabelPairs", "TableStatistic"]

TableStatistic = Callable[[FloatArray], FloatArray]
"""From tables (resamples, levels, levels) to values (resamples,), NaN where undefined."""


@dataclass(frozen=True)
class LabelPairs:
    """Two raters' labels on one scale; rows of the table are the judge's labels, columns the human's."""

    coded: Coded
    table: IntArray
    sums: ItemSums

    @classmethod
    def of(
        cls,
        judge: Column,
        human: Column,
        scale: Sequence[Label] | None,
        cluster: Column | None,
    ) -> LabelPairs:
        """The pairs with both labels.

        Raises:
            DataError: unequal lengths, a label off the scale, or clusters that do not match.
        """
        coded = code_labels({"judge": judge, "human": human}, scale)
        kept, k = coded.complete(), coded.levels
        cells = (coded.codes[0] * k + coded.codes[1])[kept]
        observed, kind = np.unique(cells, return_inverse=True)
        kinds = np.zeros((observed.size, k * k))
        kinds[np.arange(observed.size), observed] = 1
        codes = cluster_codes(cluster, kept.size)
        sums = ItemSums(kinds, kind, None if codes is None else codes[kept], int((~kept).sum()))
        return cls(coded, np.bincount(cells, minlength=k * k).reshape(k, k), sums)

    @property
    def missing(self) -> int:
        """Items left out because a side has no label."""
        return self.sums.missing

    def estimate(self, name: str, statistic: TableStatistic, plan: Plan, *, undefined: str) -> Estimate:
        """The statistic of the table with its bootstrap interval; `undefined` says why it may be undefined."""
        k = self.coded.levels
        return self.sums.estimate(
            name, lambda sums: statistic(sums.reshape(-1, k, k)), plan, undefined=undefined
        )
