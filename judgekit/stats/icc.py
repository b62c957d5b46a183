"""The intraclass correlation of numeric ratings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np

from judgekit.stats.inputs import (
    Column,
    FloatArray,
    Rng,
    equal_lengths,
    named_raters,
    one_of,
    optional_numbers,
)
from judgekit.stats.resampling import Plan, ratio
from judgekit.stats.result import Estimate
from judgekit.stats.sums import ItemSums

__all__ = ["IccForm", "icc"]

IccForm = Literal["ICC(2,1)", "ICC(2,k)", "ICC(3,1)"]

# what the between-items mean square, less the error, is divided by: (items, raters, error mean squares, n, k)
_FORMS: dict[str, Callable[[FloatArray, FloatArray, FloatArray, FloatArray, int], FloatArray]] = {
    "ICC(2,1)": lambda items, raters, error, n, k: items + (k - 1) * error + k * (raters - error) / n,
    "ICC(2,k)": lambda items, raters, error, n, _: items + (raters - error) / n,
    "ICC(3,1)": lambda items, _raters, error, _n, k: items + (k - 1) * error,
}


def icc(
    *raters: Column,
    form: IccForm = "ICC(2,1)",
    cluster: Column | None = None,
    level: float = 0.95,
    resamples: int = 10_000,
    rng: Rng = 0,
) -> Estimate:
    """Intraclass correlation (Shrout & Fleiss 1979), over the items that every rater rated.

    Args:
        *raters: numbers of each rater, one an item; None where there is none.
        form: `ICC(2,1)` one rater of a random set, `ICC(2,k)` the mean of the k raters, `ICC(3,1)` one of these
            very raters, whose differences in level do not count.
        cluster: what the items belong to, one an item; the bootstrap then draws whole clusters.
        level: confidence level.
        resamples: number of bootstrap samples.
        rng: a seed or a generator.

    Raises:
        ConfigError: fewer than two raters, or an option out of range.
        DataError: unequal lengths, or a rating that is not a finite number.
    """
    one_of(form, "form", tuple(_FORMS))
    named, k = named_raters(raters), len(raters)
    equal_lengths(**named)
    ratings = np.stack([optional_numbers(values, name) for name, values in named.items()], axis=1)
    full = np.asarray(np.isfinite(ratings).all(axis=1))
    x = ratings - (ratings[full].mean() if full.any() else 0.0)
    features = np.column_stack([np.ones(len(x)), x, (x[:, :, None] * x[:, None, :]).reshape(len(x), k * k)])

    def coefficient(sums: FloatArray) -> FloatArray:
        n, columns, products = sums[:, 0], sums[:, 1 : k + 1], sums[:, k + 1 :].reshape(-1, k, k)
        means = columns / n[:, None]
        squares = products - columns[:, :, None] * means[:, None, :]
        between = squares.sum(axis=(1, 2)) / k / np.maximum(n - 1, 1)
        total = np.trace(squares, axis1=1, axis2=2) / np.maximum(n - 1, 1)
        error = (total - between) / (k - 1)
        below = _FORMS[form](between, n * means.var(axis=1) * k / (k - 1), error, n, k)
        return ratio(between - error, np.where((n > 1) & (below > 1e-12), below, 0.0))

    plan = Plan(level=level, resamples=resamples, rng=rng)
    undefined = "all ratings are equal, or there is one item"
    return ItemSums.of(features, full, cluster).estimate(form, coefficient, plan, undefined=undefined)
