"""Statistics of pairs of scores as functions of weights on the distinct points, for the bootstrap to call."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from judgekit.stats.inputs import FloatArray
from judgekit.stats.resampling import WeightedStatistic, ratio

__all__ = ["PointStatistic", "Points", "ccc", "kendall", "pairwise", "pearson", "rmse", "spearman"]


@dataclass(frozen=True)
class Points:
    """Points (x, y), those of equal items taken together where weights are drawn: w stands for w items there."""

    x: FloatArray
    y: FloatArray


PointStatistic = Callable[[Points], WeightedStatistic]
"""From points to a function of weights (resamples, points) that returns values (resamples,)."""


def pearson(points: Points) -> WeightedStatistic:
    """Product-moment correlation."""
    x, y = points.x - points.x.mean(), points.y - points.y.mean()

    def statistic(weights: FloatArray) -> FloatArray:
        _, _, vx, vy, cov = _moments(weights, x, y)
        return ratio(cov, np.sqrt(vx * vy))

    return statistic


def ccc(points: Points) -> WeightedStatistic:
    """Lin's concordance correlation, with population variances."""
    middle = (points.x.mean() + points.y.mean()) / 2
    x, y = points.x - middle, points.y - middle

    def statistic(weights: FloatArray) -> FloatArray:
        mx, my, vx, vy, cov = _moments(weights, x, y)
        return ratio(2 * cov, vx + vy + (mx - my) ** 2)

    return statistic


def _moments(weights: FloatArray, x: FloatArray, y: FloatArray) -> tuple[FloatArray, ...]:
    """Means, population variances and covariance for each row of weights; rounding residues of a variance are 0."""
    features = np.stack([x, y, x * x, y * y, x * y], axis=1)
    mx, my, xx, yy, xy = (weights @ features).T / weights.sum(axis=1)
    vx, vy = (np.where(v > 1e-12 * square, v, 0.0) for v, square in ((xx - mx * mx, xx), (yy - my * my, yy)))
    return mx, my, vx, vy, xy - mx * my


def rmse(points: Points) -> WeightedStatistic:
    """Root mean squared difference."""
    squares = (points.x - points.y) ** 2
    return lambda weights: np.sqrt(weights @ squares / weights.sum(axis=1))


def spearman(points: Points) -> WeightedStatistic:
    """Pearson's correlation of middle ranks."""
    sides = [_Levels(points.x), _Levels(points.y)]

    def statistic(weights: FloatArray) -> FloatArray:
        middle = weights.sum(axis=1, keepdims=True) / 2
        x, y = (side.ranks(weights) - middle for side in sides)
        cov, vx, vy = ((weights * product).sum(axis=1) for product in (x * y, x * x, y * y))
        return ratio(cov, np.sqrt(vx * vy))

    return statistic


def kendall(points: Points) -> WeightedStatistic:
    """Kendall's tau-b."""
    order = _signs(points.x) * _signs(points.y)
    sides = [_Levels(points.x), _Levels(points.y)]

    def statistic(weights: FloatArray) -> FloatArray:
        agreed = _quadratic_form(weights, order)
        pairs = weights.sum(axis=1) ** 2
        untied_x, untied_y = (pairs - (side.counts(weights) ** 2).sum(axis=1) for side in sides)
        return ratio(agreed, np.sqrt(untied_x * untied_y))

    return statistic


def pairwise(points: Points) -> WeightedStatistic:
    """Share of item pairs in the same order on both sides, ties included."""
    equal = (_signs(points.x) == _signs(points.y)).astype(np.float32)

    def statistic(weights: FloatArray) -> FloatArray:
        n = weights.sum(axis=1)
        return ratio(_quadratic_form(weights, equal) - n, n * (n - 1))

    return statistic


def _signs(values: FloatArray) -> FloatArray:
    return np.sign(np.subtract.outer(values, values))


def _quadratic_form(weights: FloatArray, matrix: FloatArray) -> FloatArray:
    """w' M w for each row; single precision, since weights and entries are small integers."""
    half = weights.astype(np.float32) @ matrix.astype(np.float32)
    return np.asarray(np.einsum("bi,bi->b", half.astype(np.float64), weights))


class _Levels:
    """The distinct values of one side, in ascending order."""

    def __init__(self, values: FloatArray) -> None:
        _, self._level = np.unique(values, return_inverse=True)
        self._order = np.argsort(self._level, kind="stable")
        self._starts = np.flatnonzero(np.diff(self._level[self._order], prepend=-1))

    def counts(self, weights: FloatArray) -> FloatArray:
        """(resamples, levels) weight on each value."""
        return np.add.reduceat(weights[:, self._order], self._starts, axis=1)

    def ranks(self, weights: FloatArray) -> FloatArray:
        """(resamples, points) middle rank of each point, counted from 0."""
        counts = self.counts(weights)
        middles = np.cumsum(counts, axis=1) - counts / 2
        return np.asarray(middles[:, self._level])
