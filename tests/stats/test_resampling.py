"""The bootstrap itself: what it draws, and when it declines."""

from __future__ import annotations

import numpy as np
import pytest

from judgekit.errors import ConfigError
from judgekit.stats import Interval
from judgekit.stats.inputs import FloatArray, IntArray
from judgekit.stats.resampling import BootstrapMethod, Plan, bootstrap_interval, ratio

VALUES: FloatArray = np.array([0.0, 1.0, 5.0])


def mean_of(weights: FloatArray) -> FloatArray:
    return np.asarray(weights @ VALUES / weights.sum(axis=1))


def ones(n: int) -> IntArray:
    return np.ones(n, dtype=np.int64)


@pytest.mark.parametrize("counts", [[1, 1, 1], [9, 20, 4], [900, 2000, 400]])
def test_every_draw_has_as_many_items_as_the_data(counts: list[int]) -> None:
    totals: list[FloatArray] = []

    def statistic(weights: FloatArray) -> FloatArray:
        totals.append(weights)
        return mean_of(weights)

    multiplicity = np.array(counts)
    bootstrap_interval(statistic, multiplicity, Plan(method="percentile"))
    drawn = np.concatenate(totals)
    assert drawn.shape == (10_000, 3)
    assert (drawn.sum(axis=1) == sum(counts)).all()
    assert drawn.mean(axis=0) == pytest.approx(multiplicity, rel=0.05)


@pytest.mark.parametrize("method", ["bca", "percentile"])
def test_equal_items_held_once_or_apart_give_the_same_interval(method: BootstrapMethod) -> None:
    counts = np.array([90, 200, 40])
    spread = np.repeat(VALUES, counts)

    def apart(weights: FloatArray) -> FloatArray:
        return np.asarray(weights @ spread / weights.sum(axis=1))

    plan = Plan(method=method)
    together, single = bootstrap_interval(mean_of, counts, plan), bootstrap_interval(apart, ones(330), plan)
    assert isinstance(together, Interval)
    assert isinstance(single, Interval)
    assert (together.low, together.high) == pytest.approx((single.low, single.high), abs=0.01)


def test_bca_falls_back_where_no_draw_reaches_the_value() -> None:
    def distinct(weights: FloatArray) -> FloatArray:
        return np.asarray((weights > 0).sum(axis=1), dtype=np.float64)

    bca = bootstrap_interval(distinct, ones(50), Plan())
    percentile = bootstrap_interval(distinct, ones(50), Plan(method="percentile"))
    assert isinstance(bca, Interval)
    assert isinstance(percentile, Interval)
    assert (bca.low, bca.high) == (percentile.low, percentile.high)


def test_it_declines() -> None:
    assert bootstrap_interval(mean_of, np.array([1, 0, 0]), Plan()) == "a bootstrap needs at least two items"
    lone = bootstrap_interval(mean_of, np.array([0, 1, 0]), Plan(), clustered=True)
    assert lone == "a bootstrap needs at least two clusters"

    def rarely(weights: FloatArray) -> FloatArray:
        return np.where(weights[:, 0] > 0, mean_of(weights), np.nan)

    assert "of the resamples leave it undefined" in str(
        bootstrap_interval(rarely, np.array([1, 9, 9]), Plan())
    )
    assert "no variation" in str(bootstrap_interval(mean_of, np.array([0, 7, 0]), Plan()))


def test_plans_are_checked() -> None:
    with pytest.raises(ConfigError, match="level=95"):
        Plan(level=95)
    with pytest.raises(ConfigError, match="resamples=True"):
        Plan(resamples=True)
    with pytest.raises(ConfigError, match="method='t' is unknown"):
        Plan(method="t")  # type: ignore[arg-type]  # what the error is for


def test_ratio_is_nan_over_nothing() -> None:
    assert np.isnan(ratio(np.array([1.0, 0.0]), np.array([0.0, 0.0]))).all()
    assert ratio(np.array([1.0]), np.array([4.0]))[0] == 0.25
