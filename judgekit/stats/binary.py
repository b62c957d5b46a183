"""A yes/no judge against the human's labels: sensitivity, specificity and what follows from them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import compress
from typing import Any

import numpy as np

from judgekit.errors import DataError
from judgekit.stats.inputs import Coded, Column, FloatArray, Label, Rng, code_labels, kind_of
from judgekit.stats.intervals import proportion
from judgekit.stats.pairs import LabelPairs
from judgekit.stats.resampling import Plan, ratio
from judgekit.stats.result import Estimate

__all__ = ["BinaryAgreement", "binary_agreement", "class_rate"]


@dataclass(frozen=True, repr=False, kw_only=True)
class BinaryAgreement:
    """A yes/no judge against the human's labels; each rate an `Estimate`.

    Attributes:
        tp: positive for both.
        fp: positive for the judge alone.
        fn: positive for the human alone.
        tn: negative for both.
        accuracy: share of equal labels.
        tpr: share of the human's positives that the judge finds (sensitivity, recall).
        tnr: share of the human's negatives that the judge finds (specificity).
        ppv: share of the judge's positives that are right (precision).
        npv: share of the judge's negatives that are right.
        balanced_accuracy: mean of `tpr` and `tnr`.
        f1: harmonic mean of `ppv` and `tpr`.
        mcc: Matthews' correlation coefficient.
    """

    tp: int
    fp: int
    fn: int
    tn: int
    accuracy: Estimate
    tpr: Estimate
    tnr: Estimate
    ppv: Estimate
    npv: Estimate
    balanced_accuracy: Estimate
    f1: Estimate
    mcc: Estimate

    @property
    def estimates(self) -> tuple[Estimate, ...]:
        """The eight rates, in the order of the fields."""
        return tuple(value for value in vars(self).values() if isinstance(value, Estimate))

    def __repr__(self) -> str:
        return "; ".join(map(repr, self.estimates))

    def to_dict(self) -> dict[str, Any]:
        """The counts, and each rate as an object, as JSON values."""
        return {
            name: value.to_dict() if isinstance(value, Estimate) else value
            for name, value in vars(self).items()
        }


def binary_agreement(
    judge: Column,
    human: Column,
    *,
    positive: Label = True,
    cluster: Column | None = None,
    level: float = 0.95,
    resamples: int = 10_000,
    rng: Rng = 0,
) -> BinaryAgreement:
    """The rates of a yes/no judge against the human's labels.

    The five proportions have Wilson's interval, the three composite rates a bootstrap interval.

    Args:
        judge: the judge's labels, one an item; None where there is none.
        human: the human's labels of the same items.
        positive: the label that counts as a hit; True is also 1.
        cluster: what the items belong to, one an item.
        level: confidence level.
        resamples: number of bootstrap samples.
        rng: a seed or a generator.

    Raises:
        DataError: unequal lengths, labels that are more than two with `positive`, or of another type.
        ConfigError: an option out of range.
    """
    seen = code_labels({"judge": judge, "human": human}, None).scale
    if len({*seen, positive}) > 2 or any(kind_of(label) != kind_of(positive) for label in seen):
        msg = f"a yes/no judge has two labels, but there are {seen!r} and positive={positive!r}; name the positive one"
        raise DataError(msg)
    columns = {"judge": _hits(judge, positive), "human": _hits(human, positive)}
    coded = code_labels(columns, (False, True))
    pairs = LabelPairs.of(columns["judge"], columns["human"], (False, True), cluster)
    plan = Plan(level=level, resamples=resamples, rng=rng)
    (tn, fn), (fp, tp) = (tuple(int(count) for count in row) for row in pairs.table)
    rates = {name: class_rate(name, coded, cluster, level) for name in _PROPORTIONS}
    composites = {
        field: pairs.estimate(name, statistic, plan, undefined=reason)
        for field, (name, statistic, reason) in _COMPOSITES.items()
    }
    return BinaryAgreement(tp=tp, fp=fp, fn=fn, tn=tn, **rates, **composites)


def _hits(labels: Column, positive: Label) -> list[bool | None]:
    return [None if label is None else bool(label == positive) for label in labels]


# name -> (rater whose label selects the items, that label or None for all; why there may be none)
_PROPORTIONS: dict[str, tuple[int, int | None, str]] = {
    "accuracy": (0, None, "no item has both labels"),
    "tpr": (1, 1, "the human called no item positive"),
    "tnr": (1, 0, "the human called no item negative"),
    "ppv": (0, 1, "the judge called no item positive"),
    "npv": (0, 0, "the judge called no item negative"),
}


def class_rate(name: str, coded: Coded, cluster: Column | None, level: float) -> Estimate:
    """The share of equal labels among the items that one rater's label selects.

    Args:
        name: `accuracy`, `tpr`, `tnr`, `ppv` or `npv`.
        coded: the judge's and the human's labels on the scale (False, True).
        cluster: what the items belong to, one an item.
        level: confidence level.
    """
    rater, label, empty = _PROPORTIONS[name]
    complete = coded.complete()
    chosen = complete if label is None else complete & (coded.codes[rater] == label)
    same = (coded.codes[0] == coded.codes[1])[chosen]
    of = None if cluster is None else list(compress(cluster, chosen))
    found = proportion(list(same), cluster=of, level=level, name=name)
    return replace(
        found, missing=int((~complete).sum()), reason=empty if found.value is None else found.reason
    )


def _balanced_accuracy(table: FloatArray) -> FloatArray:
    found = np.diagonal(table, axis1=-2, axis2=-1)
    return np.asarray(ratio(found, table.sum(axis=-2)).mean(axis=-1))


def _f1(table: FloatArray) -> FloatArray:
    twice = 2 * table[..., 1, 1]
    return ratio(twice, twice + table[..., 0, 1] + table[..., 1, 0])


def _mcc(table: FloatArray) -> FloatArray:
    cross = table[..., 1, 1] * table[..., 0, 0] - table[..., 0, 1] * table[..., 1, 0]
    margins = table.sum(axis=-1).prod(axis=-1) * table.sum(axis=-2).prod(axis=-1)
    return ratio(cross, np.sqrt(margins))


_COMPOSITES = {
    "balanced_accuracy": ("balanced accuracy", _balanced_accuracy, "the human used one label alone"),
    "f1": ("F1", _f1, "neither the judge nor the human called an item positive"),
    "mcc": ("Matthews' correlation", _mcc, "the judge or the human used one label alone"),
}
