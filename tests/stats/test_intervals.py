"""Intervals of proportions and means: against SciPy, their coverage, and what degenerate data give."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from judgekit.errors import ConfigError, DataError
from judgekit.stats import Interval, clopper_pearson, cluster_se, jeffreys, mean, proportion, wilson


def both_ends(interval: Interval | None) -> tuple[float, float]:
    assert interval is not None
    return interval.low, interval.high


@settings(deadline=None)
@given(
    st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))),
    st.sampled_from([0.5, 0.9, 0.95]),
)
def test_intervals_of_a_proportion_equal_scipys(counts: tuple[int, int], level: float) -> None:
    k, n = counts
    result = scipy_stats.binomtest(k, n)
    for mine, method in ((wilson, "wilson"), (clopper_pearson, "exact")):
        oracle = result.proportion_ci(level, method)
        assert both_ends(mine(k, n, level=level)) == pytest.approx((oracle.low, oracle.high), abs=1e-9)


@settings(deadline=None)
@given(st.integers(1, 60).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_intervals_of_a_proportion_hold_it_and_stay_inside(counts: tuple[int, int]) -> None:
    for interval in (wilson(*counts), clopper_pearson(*counts), jeffreys(*counts)):
        assert 0 <= interval.low <= counts[0] / counts[1] <= interval.high <= 1
        assert interval.width > 0


def test_jeffreys_is_the_beta_posterior() -> None:
    expected = scipy_stats.beta.ppf([0.025, 0.975], 17.5, 3.5)
    assert both_ends(jeffreys(17, 20)) == pytest.approx(tuple(expected), abs=1e-9)


@pytest.mark.parametrize(("n", "p", "coverage"), [(20, 0.9, 0.957), (50, 0.9, 0.970), (20, 0.97, 0.979)])
def test_wilson_covers(n: int, p: float, coverage: float) -> None:
    exact = sum(scipy_stats.binom.pmf(k, n, p) for k in range(n + 1) if p in wilson(k, n))
    assert exact == pytest.approx(coverage, abs=0.001)


@pytest.mark.parametrize(
    ("successes", "n", "level"), [(3, 2, 0.95), (-1, 2, 0.95), (0, 0, 0.95), (1, 2, 95), (1, 2, 0)]
)
def test_counts_and_levels_out_of_range(successes: int, n: int, level: float) -> None:
    for function in (wilson, clopper_pearson, jeffreys):
        with pytest.raises(ConfigError, match="must"):
            function(successes, n, level=level)


def test_proportion_counts_what_is_missing() -> None:
    found = proportion([True, None, False, 1, np.bool_(True)], name="pass rate")
    assert (found.value, found.n, found.missing, found.reason) == (0.75, 4, 1, None)
    assert both_ends(found.interval) == both_ends(wilson(3, 4))
    assert repr(found).startswith("pass rate 0.75, 95% interval 0.3006 to 0.9544 (Wilson), n = 4, 1 left out")


@pytest.mark.parametrize("clusters", [(12, 5, 0.2), (60, 5, 0.4)])
def test_clustered_intervals_cover(clusters: tuple[int, int, float]) -> None:
    """Beta-binomial clusters: the plain interval is too narrow, the clustered one is not."""
    count, size, correlation = clusters
    p, rng = 0.85, np.random.default_rng(3)
    a, b = p * (1 - correlation) / correlation, (1 - p) * (1 - correlation) / correlation
    owner = np.repeat(np.arange(count), size)
    covered, covered_plain, trials = 0, 0, 300
    for _ in range(trials):
        values = rng.random(count * size) < np.repeat(rng.beta(a, b, count), size)
        covered += p in (proportion(values, cluster=owner).interval or ())
        covered_plain += p in (proportion(values).interval or ())
    assert covered / trials >= 0.92
    assert covered_plain < covered


def test_a_proportion_of_clusters_all_alike_counts_clusters() -> None:
    found = proportion([1] * 40, cluster=[row // 10 for row in range(40)])
    alone = proportion([1] * 4)
    assert both_ends(found.interval)[0] < both_ends(alone.interval)[0]


def test_mean_equals_scipys_t_interval() -> None:
    values = np.random.default_rng(0).normal(3, 2, 25)
    oracle = scipy_stats.ttest_1samp(values, 0).confidence_interval(0.9)
    found = mean(values, level=0.9)
    assert both_ends(found.interval) == pytest.approx((oracle.low, oracle.high))
    assert found.se == pytest.approx(scipy_stats.sem(values))


@pytest.mark.parametrize("method", ["bca", "percentile"])
def test_bootstrap_mean_equals_scipys(method: Any) -> None:
    values = np.random.default_rng(1).exponential(size=60)
    oracle = scipy_stats.bootstrap(
        (values,), np.mean, method="BCa" if method == "bca" else "percentile", rng=np.random.default_rng(2)
    ).confidence_interval
    found = mean(values, method=method)
    assert both_ends(found.interval) == pytest.approx((oracle.low, oracle.high), abs=0.03)
    assert found.interval == mean(values, method=method).interval
    assert found.interval != mean(values, method=method, rng=1).interval
    assert found.interval == mean(values, method=method, rng=np.random.default_rng(0)).interval


def test_clusters_of_one_item_change_nothing() -> None:
    values = [0.1, 0.5, 0.2, 0.9, 0.4]
    plain, clustered = mean(values), mean(values, cluster="abcde")
    assert both_ends(clustered.interval) == pytest.approx(both_ends(plain.interval))
    assert clustered.se == pytest.approx(plain.se)
    assert (plain.clusters, clustered.clusters) == (None, 5)


def test_copies_of_an_item_add_nothing() -> None:
    values = [0.1, 0.5, 0.2, 0.9, 0.4]
    copied = mean(values * 3, cluster=list("abcde") * 3)
    assert copied.value == pytest.approx(mean(values).value)
    assert copied.se == pytest.approx(mean(values).se)
    drawn, copies = mean(values, method="bca"), mean(values * 3, cluster=list("abcde") * 3, method="bca")
    assert both_ends(copies.interval) == pytest.approx(both_ends(drawn.interval))


@pytest.mark.parametrize(
    ("values", "cluster", "value", "words"),
    [
        ([], None, None, "no value"),
        ([None, None], None, None, "no value"),
        ([0.5], None, 0.5, "one value"),
        ([2, 2, 2], None, 2.0, "all values are 2"),
        ([1, 2], ["a", "a"], 1.5, "one cluster"),
    ],
)
def test_degenerate_means(
    values: list[Any], cluster: list[str] | None, value: float | None, words: str
) -> None:
    found = mean(values, cluster=cluster)
    assert (found.value, found.interval) == (value, None)
    assert words in str(found.reason)
    assert words in repr(found)


@pytest.mark.parametrize("values", [[0.5], [2.0, 2.0]])
def test_degenerate_bootstraps(values: list[float]) -> None:
    found = mean(values, method="bca")
    assert (found.value, found.interval) == (values[0], None)
    assert found.reason


def test_degenerate_proportions() -> None:
    assert proportion([]).value is None
    alone = proportion([1, 0], cluster=["a", "a"])
    assert (alone.value, alone.interval) == (0.5, None)
    assert "one cluster" in str(alone.reason)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([0.5, "pass"], r"values\[1\] is 'pass', not a number"),
        ([float("nan")], r"values\[0\] is nan; pass None"),
        ([1, float("inf")], r"values\[1\] is inf"),
    ],
)
def test_values_that_are_no_numbers(values: list[Any], words: str) -> None:
    with pytest.raises(DataError, match=words):
        mean(values)


def test_other_errors() -> None:
    with pytest.raises(DataError, match=r"values\[1\] is 2, but must be True or False"):
        proportion([1, 2])
    with pytest.raises(DataError, match="cluster has 1 entries for 2 items"):
        mean([1, 2], cluster=["a"])
    with pytest.raises(DataError, match=r"cluster\[1\] is None"):
        mean([1, 2], cluster=["a", None])
    with pytest.raises(ConfigError, match="'z' is unknown; use one of 't', 'bca'"):
        mean([1, 2], method="z")  # type: ignore[arg-type]  # what the error is for
    with pytest.raises(ConfigError, match="resamples=5 must be an integer of at least 100"):
        mean([1, 2], method="bca", resamples=5)
    with pytest.raises(DataError, match="at least one value"):
        cluster_se([], [])
    with pytest.raises(DataError, match=r"values\[0\] is None"):
        cluster_se([None], ["a"])
