"""How far a judge agrees with a human, or any two raters with each other, on labels.

Every coefficient is a function of the table of label pairs, so one bootstrap serves them all. A pair with a label
missing on either side is left out and counted; it is never taken for a disagreement.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np

from judgekit.errors import ConfigError
from judgekit.stats.inputs import Column, FloatArray, Label, Rng, code_labels, one_of
from judgekit.stats.intervals import proportion
from judgekit.stats.pairs import LabelPairs
from judgekit.stats.resampling import Plan, ratio
from judgekit.stats.result import Estimate

__all__ = [
    "Confusion",
    "Weights",
    "accuracy",
    "cohen_kappa",
    "confusion",
    "require_scale",
    "scott_pi",
    "weight_matrix",
]

Weights = Literal["linear", "quadratic"]

_ONE_LABEL = "both raters gave one and the same label to every item; items of another label are needed"


def accuracy(judge: Column, human: Column, *, cluster: Column | None = None, level: float = 0.95) -> Estimate:
    """The share of items on which both give the same label (percent agreement), with Wilson's interval.

    Args:
        judge: the judge's labels, one an item; None where there is none.
        human: the human's labels of the same items.
        cluster: what the items belong to, one an item; the interval then allows for items that are alike.
        level: confidence level.

    Raises:
        DataError: unequal lengths, or labels of two kinds that can never be equal.
    """
    coded = code_labels({"judge": judge, "human": human}, None)
    same = np.where(coded.complete(), coded.codes[0] == coded.codes[1], None)
    return proportion(list(same), cluster=cluster, level=level, name="accuracy")


def cohen_kappa(
    judge: Column,
    human: Column,
    *,
    weights: Weights | None = None,
    scale: Sequence[Label] | None = None,
    cluster: Column | None = None,
    level: float = 0.95,
    resamples: int = 10_000,
    rng: Rng = 0,
) -> Estimate:
    """Cohen's kappa: agreement above what the two raters' own label frequencies give by chance.

    Cohen 1960; with `weights`, Cohen 1968: a disagreement counts by the distance (or its square) between the
    positions of the two labels on the scale.

    Args:
        judge: the judge's labels, one an item; None where there is none.
        human: the human's labels of the same items.
        weights: None, `linear` or `quadratic`.
        scale: all labels in order. Required with `weights`, since a level that nobody used changes the value.
        cluster: what the items belong to, one an item; the bootstrap then draws whole clusters.
        level: confidence level.
        resamples: number of bootstrap samples.
        rng: a seed or a generator.

    Raises:
        ConfigError: `weights` without `scale`, or an option out of range.
        DataError: unequal lengths, or a label off the scale.
    """
    require_scale(weights, scale)
    pairs = LabelPairs.of(judge, human, scale, cluster)
    cost = 1 - weight_matrix(pairs.coded.levels, weights)
    name = "kappa" if weights is None else f"{weights} kappa"
    plan = Plan(level=level, resamples=resamples, rng=rng)
    return pairs.estimate(
        name, partial(_chance_corrected, cost=cost, pooled=False), plan, undefined=_ONE_LABEL
    )


def scott_pi(
    judge: Column,
    human: Column,
    *,
    scale: Sequence[Label] | None = None,
    cluster: Column | None = None,
    level: float = 0.95,
    resamples: int = 10_000,
    rng: Rng = 0,
) -> Estimate:
    """Scott's pi (1955): as Cohen's kappa, with chance taken from both raters' labels together.

    The arguments and errors are those of `cohen_kappa`.
    """
    pairs = LabelPairs.of(judge, human, scale, cluster)
    cost = 1 - weight_matrix(pairs.coded.levels, None)
    plan = Plan(level=level, resamples=resamples, rng=rng)
    statistic = partial(_chance_corrected, cost=cost, pooled=True)
    return pairs.estimate("Scott's pi", statistic, plan, undefined=_ONE_LABEL)


def require_scale(weights: Weights | None, scale: Sequence[Label] | None) -> None:
    """Raise `ConfigError` for weights that are unknown, or given without the scale that they are distances on."""
    one_of(weights, "weights", (None, "linear", "quadratic"))
    if weights is not None and scale is None:
        msg = f"weights={weights!r} needs the declared scale, such as scale=(1, 2, 3, 4, 5)"
        raise ConfigError(msg)


def weight_matrix(levels: int, weights: Weights | None) -> FloatArray:
    """(levels, levels) agreement weights: 1 on the diagonal, falling with the distance between two labels."""
    if weights is None or levels < 2:
        return np.eye(levels)
    distance = np.abs(np.subtract.outer(np.arange(levels), np.arange(levels))) / (levels - 1)
    return np.asarray(1 - distance ** (1 if weights == "linear" else 2))


def _chance_corrected(table: FloatArray, cost: FloatArray, *, pooled: bool) -> FloatArray:
    """1 - observed / expected disagreement, of tables (resamples, levels, levels)."""
    n = table.sum(axis=(1, 2))
    rows, columns = table.sum(axis=2), table.sum(axis=1)
    if pooled:
        rows = columns = (rows + columns) / 2
    observed = (table * cost).sum(axis=(1, 2)) * n
    expected = np.einsum("bi,ij,bj->b", rows, cost, columns)
    return 1 - ratio(observed, expected)


@dataclass(frozen=True, repr=False)
class Confusion:
    """Counts of label pairs.

    Attributes:
        scale: the labels, in order.
        counts: counts[i][j] items that the judge labelled scale[i] and the human scale[j].
        n: items with both labels.
        missing: items left out because a side has no label.
    """

    scale: tuple[Label, ...]
    counts: tuple[tuple[int, ...], ...]
    n: int
    missing: int

    def __repr__(self) -> str:
        cells = [
            f"{count} judged {mine!r} and labelled {theirs!r}"
            for mine, row in zip(self.scale, self.counts, strict=True)
            for theirs, count in zip(self.scale, row, strict=True)
            if count
        ]
        return f"confusion of {self.n} items: {', '.join(cells) or 'none has both labels'}"

    def to_dict(self) -> dict[str, Any]:
        """The fields as JSON values."""
        rows = [list(row) for row in self.counts]
        return {"scale": list(self.scale), "counts": rows, "n": self.n, "missing": self.missing}


def confusion(judge: Column, human: Column, *, scale: Sequence[Label] | None = None) -> Confusion:
    """How often the judge gave each label where the human gave each; `scale` also orders the rows.

    Raises:
        DataError: unequal lengths, or a label off the scale.
    """
    pairs = LabelPairs.of(judge, human, scale, None)
    rows = tuple(tuple(int(count) for count in row) for row in pairs.table)
    return Confusion(pairs.coded.scale, rows, int(pairs.table.sum()), pairs.missing)
