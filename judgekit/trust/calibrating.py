"""`calibrate`: a curve from a judge's scores to people's labels, kept only when it helps on labels it has not seen."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from judgekit import stats
from judgekit.errors import ConfigError, DataError
from judgekit.stats import Estimate
from judgekit.stats.inputs import Column
from judgekit.trust.curves import Curve, Line, fit_isotonic, fit_line, fit_sigmoid
from judgekit.trust.splitting import parts, picked
from judgekit.trust.verdicts import column
from judgekit.trust.words import as_data, estimates_table

__all__ = ["Calibration", "calibrate"]

CalibrationMethod = Literal["platt", "isotonic", "line"]

_FITS: Mapping[str, Callable[[Sequence[float], Sequence[float]], Curve]] = {
    "platt": fit_sigmoid,
    "isotonic": fit_isotonic,
    "line": fit_line,
}
_FOLDS = 5
_LEAST = 20


@dataclass(frozen=True, repr=False, kw_only=True)
class Calibration:
    """A calibration and its trial on labels that it was not fitted to.

    Attributes:
        method: `platt`, `isotonic` or `line`.
        kept: whether it lowers the held-out error beyond doubt; when not, `apply` leaves scores as they are.
        before: mean squared distance of score and label without it: for labels that pass or fail, the Brier score.
        after: the same with it, each item under a curve fitted without the item.
        gain: `before` minus `after` on the same items, with its interval; above 0 it helps.
        curve: what was fitted to all labels.
    """

    method: CalibrationMethod
    kept: bool
    before: Estimate
    after: Estimate
    gain: Estimate
    curve: Curve

    def apply(self, scores: Column) -> list[float | None]:
        """The scores calibrated, or as they are when the calibration was not kept; None stays None."""
        curve = self.curve if self.kept else Line()
        return [None if score is None else curve(float(score)) for score in column(scores)]

    def to_dict(self) -> dict[str, Any]:
        """The fields as JSON values, the curve as its text."""
        return {**{name: as_data(value) for name, value in vars(self).items()}, "curve": repr(self.curve)}

    def __repr__(self) -> str:
        told = "kept" if self.kept else "not kept, since it does not help beyond doubt"
        return f"<Calibration by {self.method}, {told}: {self.before!r}; {self.after!r}; {self.gain!r}>"

    def __str__(self) -> str:
        return estimates_table((self.before, self.after, self.gain))


def calibrate(
    scores: Column,
    labels: Column,
    *,
    method: CalibrationMethod | None = None,
    cluster: Column | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> Calibration:
    """Fit a curve from a judge's scores to people's labels, and keep it only if it helps.

    The check is cross-fitted: each fifth of the labels is predicted by a curve fitted to the other four.

    Args:
        scores: the judge's, one an item, None where there is none; for labels that pass or fail, probabilities of a pass.
        labels: people's: True or False (1 or 0), or scores; None where there is none.
        method: `platt`, a logistic curve for labels that pass or fail (Platt 1999), their default; `isotonic`, any curve
            that never falls, which takes some hundreds of labels; `line`, a shrunk line for labels that are scores, their
            default.
        cluster: what the items belong to, one an item; a cluster is never both fitted to and tried on.
        level: confidence level; `kept` asks that the gain's interval lies above 0.
        seed: of the division into fifths.

    Raises:
        ConfigError: a method that is unknown, or `platt` for labels that are scores.
        DataError: columns of unequal lengths, or fewer than 20 items with a score and a label.
    """
    x, y = _numbers(scores, "scores"), _numbers(labels, "labels")
    if len(x) != len(y):
        raise DataError(f"There are {len(x)} scores and {len(y)} labels: give one of each for every item.")
    both = [a is not None and b is not None for a, b in zip(x, y, strict=True)]
    known, truth = picked(x, both), picked(y, both)
    of = None if cluster is None else picked(column(cluster), both)
    if len(known) < _LEAST:
        raise DataError(
            f"{len(known)} items have a score and a label; a calibration takes {_LEAST} at least."
        )
    how = _method(method, truth)
    error_before = _squares(known, truth)
    error_after = _squares(_cross_fitted(known, truth, _FITS[how], of, seed), truth)
    name = "Brier score" if set(truth) <= {0, 1} else "squared error"
    gain = stats.mean(
        [a - b for a, b in zip(error_before, error_after, strict=True)], cluster=of, level=level, name="gain"
    )
    return Calibration(
        method=how,
        kept=gain.interval is not None and gain.interval.low > 0,
        before=stats.mean(error_before, cluster=of, level=level, name=f"{name} before"),
        after=stats.mean(error_after, cluster=of, level=level, name=f"{name} after"),
        gain=gain,
        curve=_FITS[how](known, truth),
    )


def _numbers(values: Column, name: str) -> list[float | None]:
    found = column(values)
    stats.mean(found, name=name)  # numbers or None, or say which is not
    return [None if value is None else float(value) for value in found]


def _method(method: CalibrationMethod | None, labels: Sequence[float]) -> CalibrationMethod:
    binary = set(labels) <= {0, 1}
    if method is None:
        return "platt" if binary else "line"
    if method not in _FITS:
        raise ConfigError(f"method={method!r} is none of {', '.join(map(repr, _FITS))}.")
    if method == "platt" and not binary:
        raise ConfigError(
            "method='platt' is for labels that pass or fail; for scores use 'line' or 'isotonic'."
        )
    return method


def _squares(predicted: Sequence[float], labels: Sequence[float]) -> list[float]:
    return [(a - b) ** 2 for a, b in zip(predicted, labels, strict=True)]


def _cross_fitted(
    scores: Sequence[float],
    labels: Sequence[float],
    fit: Callable[[Sequence[float], Sequence[float]], Curve],
    cluster: Column | None,
    seed: int,
) -> list[float]:
    """Each item's prediction by the curve that was fitted to the other folds."""
    fold = parts(len(scores), [1] * _FOLDS, cluster=cluster, seed=seed)
    predicted = [0.0] * len(scores)
    for number in range(_FOLDS):
        rest = [each != number for each in fold]
        curve = fit(picked(scores, rest), picked(labels, rest))
        for row, score in enumerate(scores):
            if fold[row] == number:
                predicted[row] = curve(score)
    return predicted
