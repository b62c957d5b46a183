"""Agreement on labels of two or more raters with gaps: Krippendorff's alpha, Gwet's AC, Fleiss' kappa.

Each takes one argument for each rater, with one label an item and None where the rater gave none.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from judgekit.errors import ConfigError
from judgekit.stats.agreement import Weights, require_scale, weight_matrix
from judgekit.stats.inputs import (
    Coded,
    Column,
    FloatArray,
    Label,
    Rng,
    code_labels,
    kind_of,
    named_raters,
    one_of,
)
from judgekit.stats.resampling import Plan, ratio
from judgekit.stats.result import Estimate
from judgekit.stats.sums import ItemSums, SumStatistic

__all__ = ["Metric", "fleiss_kappa", "gwet_ac", "krippendorff_alpha"]

Metric = Literal["nominal", "ordinal", "interval", "ratio"]

_MOST_LEVELS = 64  # a coincidence table is held for each item
_ONE_LABEL = "one and the same label was given throughout; items of another label are needed"


def krippendorff_alpha(
    *raters: Column,
    metric: Metric = "nominal",
    scale: Sequence[Label] | None = None,
    cluster: Column | None = None,
    level: float = 0.95,
    resamples: int = 10_000,
    rng: Rng = 0,
) -> Estimate:
    """Krippendorff's alpha: 1 - observed / expected disagreement, over items with two or more labels.

    Krippendorff, "Computing Krippendorff's alpha-reliability", 2011.

    Args:
        *raters: labels of each rater, one an item; None where there is none.
        metric: how far two labels are apart; `interval` and `ratio` need numbers.
        scale: all labels in order; required for `ordinal` when the labels are words.
        cluster: what the items belong to, one an item; the bootstrap then draws whole clusters.
        level: confidence level.
        resamples: number of bootstrap samples.
        rng: a seed or a generator.

    Raises:
        ConfigError: fewer than two raters, words where `metric` needs numbers or an order, or an option out of range.
        DataError: unequal lengths, or a label off the scale.
    """
    one_of(metric, "metric", ("nominal", "ordinal", "interval", "ratio"))
    coded = code_labels(named_raters(raters), scale)
    if metric in {"interval", "ratio"} or (metric == "ordinal" and scale is None):
        _require_numbers(coded.scale, metric)
    features, alpha = _interval_alpha(coded) if metric == "interval" else _table_alpha(coded, metric)
    paired = (coded.codes >= 0).sum(axis=0) >= 2
    plan = Plan(level=level, resamples=resamples, rng=rng)
    name = f"Krippendorff's alpha ({metric})"
    return ItemSums.of(features, paired, cluster).estimate(name, alpha, plan, undefined=_ONE_LABEL)


def _table_alpha(coded: Coded, metric: str) -> tuple[FloatArray, SumStatistic]:
    """Each item's coincidences of labels, and alpha as a function of their sum."""
    levels = coded.levels
    if levels > _MOST_LEVELS:
        msg = f"metric={metric!r} takes at most {_MOST_LEVELS} different labels, here {levels}; round or group them"
        raise ConfigError(msg)
    counts = _counts(coded)
    pairs = np.einsum("ui,uj->uij", counts, counts)
    pairs[:, np.arange(levels), np.arange(levels)] -= counts
    pairs /= np.maximum(counts.sum(axis=1) - 1, 1)[:, None, None]

    def alpha(sums: FloatArray) -> FloatArray:
        table = sums.reshape(-1, levels, levels)
        marginal = table.sum(axis=2)
        distance = _distance(coded.scale, metric, marginal)
        observed = (table * distance).sum(axis=(1, 2)) * (marginal.sum(axis=1) - 1)
        expected = (marginal[:, :, None] * distance * marginal[:, None, :]).sum(axis=(1, 2))
        return 1 - ratio(observed, expected)

    return pairs.reshape(len(counts), levels * levels), alpha


def _distance(scale: tuple[Label, ...], metric: str, marginal: FloatArray) -> FloatArray:
    """(1 or resamples, levels, levels) squared distance of two labels."""
    if metric == "nominal":
        return np.asarray(1 - np.eye(len(scale))[None])
    if metric == "ordinal":
        middles = np.cumsum(marginal, axis=1) - marginal / 2
        return np.asarray((middles[:, :, None] - middles[:, None, :]) ** 2)
    values = np.array(scale, dtype=np.float64)
    apart = ratio(np.subtract.outer(values, values), np.add.outer(values, values))
    return np.nan_to_num(apart)[None] ** 2  # 0 against 0 is no distance


def _interval_alpha(coded: Coded) -> tuple[FloatArray, SumStatistic]:
    """Each item's moments, and alpha as a function of their sum; no table, so any number of different labels."""
    values = np.array(coded.scale, dtype=np.float64)
    values -= values.mean() if values.size else 0.0
    counts = _counts(coded)
    n, first, second = counts.sum(axis=1), counts @ values, counts @ values**2
    within = 2 * (n * second - first**2) / np.maximum(n - 1, 1)

    def alpha(sums: FloatArray) -> FloatArray:
        count, total, squares, observed = sums.T
        expected = count * squares - total**2
        varied = np.where(expected > 1e-12 * count * squares, expected, 0.0)
        return 1 - ratio(observed * (count - 1), 2 * varied)

    return np.stack([n, first, second, within], axis=1), alpha


def gwet_ac(
    *raters: Column,
    weights: Weights | None = None,
    scale: Sequence[Label] | None = None,
    cluster: Column | None = None,
    level: float = 0.95,
    resamples: int = 10_000,
    rng: Rng = 0,
) -> Estimate:
    """Gwet's AC1, or AC2 with weights (Gwet 2008): agreement above chance that a skewed base rate does not collapse.

    Args:
        *raters: labels of each rater, one an item; None where there is none. Items with one label count towards
            the label frequencies.
        weights: None for AC1; `linear` or `quadratic` for AC2, by the positions of the labels on the scale.
        scale: all labels in order. Required with `weights`.
        cluster: what the items belong to, one an item; the bootstrap then draws whole clusters.
        level: confidence level.
        resamples: number of bootstrap samples.
        rng: a seed or a generator.

    Raises:
        ConfigError: fewer than two raters, `weights` without `scale`, or an option out of range.
        DataError: unequal lengths, or a label off the scale.
    """
    require_scale(weights, scale)
    coded = code_labels(named_raters(raters), scale)
    counts, agree = _counts(coded), weight_matrix(coded.levels, weights)
    rated = counts.sum(axis=1)
    paired = rated >= 2
    within = (counts * (counts @ agree - 1)).sum(axis=1) / np.maximum(rated * (rated - 1), 1) * paired
    shares = counts / np.maximum(rated, 1)[:, None]
    features = np.column_stack([paired, within, rated > 0, shares])
    spread = agree.sum() / max(coded.levels * (coded.levels - 1), 1)

    def ac(sums: FloatArray) -> FloatArray:
        observed = ratio(sums[:, 1], sums[:, 0] * (coded.levels > 1))
        share = sums[:, 3:] / sums[:, 2:3]
        chance = spread * (share * (1 - share)).sum(axis=1)
        return np.asarray((observed - chance) / (1 - chance))

    plan = Plan(level=level, resamples=resamples, rng=rng)
    name = "Gwet's AC1" if weights is None else f"Gwet's AC2 ({weights})"
    undefined = "no item has two labels, or one label was given throughout and no scale names the others"
    return ItemSums.of(features, rated > 0, cluster).estimate(name, ac, plan, undefined=undefined)


def fleiss_kappa(
    *raters: Column,
    scale: Sequence[Label] | None = None,
    cluster: Column | None = None,
    level: float = 0.95,
    resamples: int = 10_000,
    rng: Rng = 0,
) -> Estimate:
    """Fleiss' kappa (1971), over the items that every rater labelled. Arguments and errors as in `gwet_ac`."""
    coded = code_labels(named_raters(raters), scale)
    counts, m = _counts(coded), len(raters)
    features = np.column_stack([((counts**2).sum(axis=1) - m) / (m * (m - 1)), counts])

    def kappa(sums: FloatArray) -> FloatArray:
        labels = sums[:, 1:].sum(axis=1)
        chance = (sums[:, 1:] ** 2).sum(axis=1) / labels**2
        return ratio(sums[:, 0] * m / labels - chance, 1 - chance)

    plan = Plan(level=level, resamples=resamples, rng=rng)
    items = ItemSums.of(features, coded.complete(), cluster)
    return items.estimate("Fleiss' kappa", kappa, plan, undefined=_ONE_LABEL)


def _require_numbers(scale: tuple[Label, ...], metric: str) -> None:
    words = [label for label in scale if kind_of(label) != "number"]
    if words:
        order = (
            " or the order of the words, such as scale=('poor', 'fair', 'good')"
            if metric == "ordinal"
            else ""
        )
        msg = f"metric={metric!r} needs numbers{order}, but a label is {words[0]!r}"
        raise ConfigError(msg)


def _counts(coded: Coded) -> FloatArray:
    """(items, levels) how many raters gave each item each label."""
    counts = np.zeros((coded.codes.shape[1], coded.levels))
    for codes in coded.codes:
        given = np.flatnonzero(codes >= 0)
        counts[given, codes[given]] += 1
    return counts
