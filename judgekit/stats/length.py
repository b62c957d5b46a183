"""The win rate that a system would have if its answers were as long as the baseline's."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from judgekit.stats.inputs import (
    Column,
    FloatArray,
    cluster_codes,
    equal_lengths,
    optional_numbers,
    share,
    unit_values,
)
from judgekit.stats.result import Estimate, Interval
from judgekit.stats.special import t_two_sided_quantile

__all__ = ["length_controlled_win_rate"]

_LEAST = 10


def length_controlled_win_rate(
    preference: Column,
    length_difference: Column,
    *,
    difficulty: Column,
    cluster: Column | None = None,
    level: float = 0.95,
) -> Estimate:
    """The mean preference at equal length, from a logistic model of length and item difficulty.

    logit P(preferred) = intercept + a * difficulty + b * tanh(length difference / its standard deviation), evaluated
    with the last term at 0 and averaged over items (Dubois et al. 2024, arXiv:2404.04475). The interval is from the
    items' influence on that average.

    Args:
        preference: how far the system is preferred to the baseline, 0 to 1; None where the verdict failed.
        length_difference: length of the system's answer minus the baseline's, in any unit.
        difficulty: how easily the item is won, such as the log-odds of the mean preference over other systems.
            Required: without it, what length and easy items share is laid to length alone.
        cluster: what the items belong to, one an item.
        level: confidence level.

    Raises:
        DataError: unequal lengths, or a value out of range.
        ConfigError: the level out of range.
    """
    share(level, "level")
    n = equal_lengths(preference=preference, length_difference=length_difference, difficulty=difficulty)
    names = ("preference", "length_difference", "difficulty")
    columns = [
        optional_numbers(values, name)
        for values, name in zip((preference, length_difference, difficulty), names, strict=True)
    ]
    unit_values(columns[0], "preference", binary=False)
    kept = ~np.isnan(np.sum(columns, axis=0))
    y, longer, ease = (column[kept] for column in columns)
    codes = cluster_codes(cluster, n)
    groups = np.arange(y.size) if codes is None else np.unique(codes[kept], return_inverse=True)[1]
    units = int(groups.max(initial=-1)) + 1
    known: dict[str, Any] = {"name": "length-controlled win rate", "n": y.size, "missing": int((~kept).sum())}
    if units < _LEAST:
        return Estimate(
            value=None, interval=None, reason=f"a model of length needs {_LEAST} items or clusters", **known
        )
    if longer.std() == 0:
        return Estimate(value=None, interval=None, reason="all answers differ equally in length", **known)
    design = np.column_stack([np.ones_like(y), ease - ease.mean(), np.tanh(longer / longer.std())])
    weights = _logistic(design, y)
    if weights is None:
        reason = "length and difficulty separate the wins from the losses, so no finite model fits"
        return Estimate(value=None, interval=None, reason=reason, **known)
    equal = design * [1.0, 1.0, 0.0]
    rates = _sigmoid(equal @ weights)
    value = float(rates.mean())
    influence = _influence(design, y, weights, equal, rates)
    sums = np.bincount(groups, weights=influence)
    se = math.sqrt(float(sums @ sums) * units / (units - 1))
    half = t_two_sided_quantile(level, units - 1) * se
    method = "influence" if codes is None else f"influence, {units} clusters"
    interval = Interval(max(0.0, value - half), min(1.0, value + half), level, method)
    return Estimate(value=value, interval=interval, **known)


def _sigmoid(logit: FloatArray) -> FloatArray:
    return np.asarray(1 / (1 + np.exp(-np.clip(logit, -700, 700))))


def _logistic(design: FloatArray, y: FloatArray) -> FloatArray | None:
    """Weights of a logistic regression on soft labels, by Newton's method; None where it does not settle."""
    weights = np.zeros(design.shape[1])
    for _ in range(100):
        p = _sigmoid(design @ weights)
        step = _inverse_information(design, p) @ (design.T @ (y - p))
        weights = weights + step / max(1.0, float(np.abs(step).max()) / 2)
        if np.abs(step).max() < 1e-10:
            return weights
    return None


def _inverse_information(design: FloatArray, p: FloatArray) -> FloatArray:
    """Inverse Fisher information; a constant column, which explains nothing, gets a weight of 0."""
    information = design.T @ (design * (p * (1 - p))[:, None])
    return np.asarray(np.linalg.pinv(information, rcond=1e-10, hermitian=True))


def _influence(
    design: FloatArray, y: FloatArray, weights: FloatArray, equal: FloatArray, rates: FloatArray
) -> FloatArray:
    """(items,) how far each item moves the average of the rates, through the items and through the weights."""
    p = _sigmoid(design @ weights)
    slope = (equal * (rates * (1 - rates))[:, None]).mean(axis=0)
    through_weights = (design * (y - p)[:, None]) @ _inverse_information(design, p) @ slope
    return np.asarray((rates - rates.mean()) / rates.size + through_weights)
