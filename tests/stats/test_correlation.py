"""Correlations and distances: against SciPy, pooled and within groups."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import stats as scipy_stats

from judgekit.errors import ConfigError, DataError
from judgekit.stats import (
    Correlation,
    bias,
    kendall_tau,
    lin_ccc,
    mae,
    mean,
    pairwise_accuracy,
    pearson,
    rmse,
    spearman,
)

ORACLES: dict[Callable[..., Correlation], Any] = {
    pearson: lambda x, y: scipy_stats.pearsonr(x, y).statistic,
    spearman: lambda x, y: scipy_stats.spearmanr(x, y).statistic,
    kendall_tau: lambda x, y: scipy_stats.kendalltau(x, y).statistic,
}


def scores(seed: int, n: int, *, rounded: bool) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    rng = np.random.default_rng(seed)
    human = rng.normal(3, 1, n)
    judge = human + rng.normal(0.3, 0.8, n)
    return (judge.round(), human.round()) if rounded else (judge, human)


@pytest.mark.parametrize("function", ORACLES)
@pytest.mark.parametrize("rounded", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_correlations_equal_scipys(function: Callable[..., Correlation], rounded: bool, seed: int) -> None:
    judge, human = scores(seed, 30 + seed, rounded=rounded)
    found = function(judge, human, resamples=200)
    assert found.value == pytest.approx(ORACLES[function](judge, human))


@pytest.mark.parametrize("function", ORACLES)
def test_intervals_equal_scipys_bootstrap(function: Callable[..., Correlation]) -> None:
    judge, human = scores(7, 60, rounded=True)
    oracle = scipy_stats.bootstrap(
        (judge, human),
        ORACLES[function],
        paired=True,
        vectorized=False,
        n_resamples=500,
        rng=np.random.default_rng(1),
    ).confidence_interval
    found = function(judge, human).interval
    assert found is not None
    assert (found.low, found.high) == pytest.approx((oracle.low, oracle.high), abs=0.04)


@pytest.mark.parametrize("function", ORACLES)
def test_within_groups_is_the_mean_over_groups(function: Callable[..., Correlation]) -> None:
    judge, human = scores(2, 40, rounded=True)
    groups = np.arange(40) // 5
    human[:5] = 3  # a constant group
    values = [ORACLES[function](judge[groups == g], human[groups == g]) for g in range(1, 8)]
    found = function(judge, human, within=groups)
    assert found.value == pytest.approx(np.mean(values))
    assert found.interval == mean(values).interval
    assert (found.groups, found.skipped, found.n) == (7, 1, 40)
    assert "mean of 7 groups (1 constant ones skipped)" in repr(found)


def test_pooled_and_within_tell_different_things() -> None:
    """Documents differ, answers within a document do not: the judge knows documents alone."""
    rng = np.random.default_rng(0)
    document = np.repeat(np.arange(50), 4)
    quality = rng.normal(0, 2, 50)[document]
    human, judge = quality + rng.normal(size=200), quality + rng.normal(size=200)
    pooled, within = pearson(judge, human), pearson(judge, human, within=document)
    assert (pooled.value or 0) > 0.6
    assert within.interval is not None
    assert 0.0 in within.interval


def test_clusters_widen_the_interval() -> None:
    judge, human = scores(1, 50, rounded=True)
    for function in (*ORACLES, lin_ccc, pairwise_accuracy, rmse):
        plain = function(judge, human).interval
        copied = function(
            np.repeat(judge, 3), np.repeat(human, 3), cluster=np.repeat(np.arange(50), 3)
        ).interval
        assert plain is not None
        assert copied is not None
        assert copied.width == pytest.approx(plain.width, rel=0.2)


def test_bias_is_judge_minus_human() -> None:
    found = bias([3, 4, None, 5], [2, 4, 1, 3])
    assert (found.value, found.n, found.missing) == (1.0, 3, 1)
    assert found.interval == mean([1, 0, 2]).interval
    assert mae([3, 4], [5, 4]).value == 1.0
    assert rmse([3, 4], [5, 4]).value == pytest.approx(2**0.5)


def test_a_shift_lowers_concordance_alone() -> None:
    judge, human = [2, 3, 4, 5, 6], [1, 2, 3, 4, 5]
    assert pearson(judge, human).value == pytest.approx(1)
    assert lin_ccc(judge, human).value == pytest.approx(0.8)


def test_pairwise_accuracy_matches_ties_with_ties() -> None:
    assert pairwise_accuracy([1, 1, 2], [3, 3, 5]).value == 1.0
    assert pairwise_accuracy([1, 1, 2], [3, 4, 5]).value == pytest.approx(2 / 3)


@pytest.mark.parametrize("function", ORACLES)
def test_degenerate_correlations(function: Callable[..., Correlation]) -> None:
    constant = function([3, 3, 3], [1, 2, 3])
    assert (constant.value, constant.interval) == (None, None)
    assert constant.reason == "the judge gave 3 to every item"
    assert "and the human gave 0" in str(function([0.1] * 5, [0] * 5).reason)
    for few in ([], [1]):
        assert function(few, few).reason == "it takes at least two items with both scores"
    flat = function([1, 1, 2, 2], [1, 2, 3, 3], within=["a", "a", "b", "b"])
    assert (flat.value, flat.groups, flat.skipped) == (None, 0, 2)
    assert "in every group" in str(flat.reason)
    perfect = function([1, 2, 3, 4], [1, 2, 3, 4])
    assert perfect.value == pytest.approx(1)
    assert perfect.interval is None


def test_errors() -> None:
    with pytest.raises(ConfigError, match="within= or cluster=, not both"):
        pearson([1, 2], [1, 2], within=[0, 0], cluster=[0, 0])
    with pytest.raises(DataError, match=r"judge\[0\] is 'good', not a number"):
        spearman(["good"], [1])
    with pytest.raises(DataError, match="within has 1 entries for 2 items"):
        kendall_tau([1, 2], [1, 2], within=[0])
