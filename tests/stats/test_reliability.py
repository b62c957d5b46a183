"""Several raters with gaps: against an independent implementation, and against each other where they must meet."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from judgekit.errors import ConfigError, DataError
from judgekit.stats import cohen_kappa, fleiss_kappa, gwet_ac, icc, krippendorff_alpha, scott_pi
from judgekit.stats.reliability import Metric


def ratings(seed: int, raters: int, items: int, *, gaps: float = 0.0, levels: int = 5) -> list[list[Any]]:
    """Raters who scatter around a truth, one list each, None with the probability `gaps`."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(1, levels + 1, items)
    table = np.clip(truth + rng.integers(-1, 2, (raters, items)), 1, levels)
    missing = rng.random((raters, items)) < gaps
    return [
        [None if gap else int(value) for value, gap in zip(*row, strict=True)]
        for row in zip(table, missing, strict=True)
    ]


@pytest.mark.parametrize("metric", ["nominal", "ordinal", "interval", "ratio"])
@pytest.mark.parametrize("seed", range(5))
def test_alpha_equals_the_krippendorff_package(metric: Metric, seed: int) -> None:
    krippendorff = pytest.importorskip("krippendorff")
    raters = ratings(seed, raters=2 + seed, items=40, gaps=0.2)
    data = np.array([[np.nan if value is None else value for value in row] for row in raters])
    found = krippendorff_alpha(*raters, metric=metric, resamples=100)
    assert found.value == pytest.approx(krippendorff.alpha(data, level_of_measurement=metric))
    assert found.n == int((~np.isnan(data)).sum(axis=0).__ge__(2).sum())
    assert found.n + found.missing == 40


def test_alpha_of_two_raters_approaches_scotts_pi() -> None:
    """Krippendorff 2011: alpha is pi with a correction that fades with n."""
    a, b = ratings(1, raters=2, items=2000)
    alpha, pi = krippendorff_alpha(a, b, resamples=100).value, scott_pi(a, b, resamples=100).value
    assert alpha == pytest.approx(pi, abs=1e-3)
    assert fleiss_kappa(a, b, resamples=100).value == pytest.approx(pi)


def test_the_interval_metric_takes_any_number_of_levels() -> None:
    rng = np.random.default_rng(0)
    a = rng.normal(size=200)
    b = a + rng.normal(scale=0.5, size=200)
    found = krippendorff_alpha(a, b, metric="interval", resamples=200)
    moved = krippendorff_alpha(1e6 + 10 * a, 1e6 + 10 * b, metric="interval", resamples=200)
    assert found.value == pytest.approx(icc(a, b, resamples=200).value, abs=0.01)
    assert moved.value == pytest.approx(found.value, abs=1e-6)
    with pytest.raises(ConfigError, match="at most 64 different labels, here 400"):
        krippendorff_alpha(a, b, metric="ordinal")


def test_ordinal_words_need_their_order() -> None:
    a, b = ["poor", "good", "fair", "good"], ["poor", "fair", "fair", "good"]
    ranks = {"poor": 1, "fair": 2, "good": 3}
    by_number = krippendorff_alpha([ranks[w] for w in a], [ranks[w] for w in b], metric="ordinal")
    by_scale = krippendorff_alpha(a, b, metric="ordinal", scale=("poor", "fair", "good"))
    assert by_scale.value == pytest.approx(by_number.value)
    with pytest.raises(ConfigError, match="the order of the words"):
        krippendorff_alpha(a, b, metric="ordinal")
    with pytest.raises(ConfigError, match="metric='interval' needs numbers"):
        krippendorff_alpha(a, b, metric="interval", scale=("poor", "fair", "good"))


def test_ac1_does_not_collapse_under_a_skewed_base_rate() -> None:
    a, b = [1] * 97 + [0] * 3, [1] * 94 + [0] * 3 + [1] * 3
    assert (cohen_kappa(a, b).value or 0) < 0 < (gwet_ac(a, b).value or 0)


def test_intervals_hold_the_value_and_clusters_widen_them() -> None:
    raters = ratings(3, raters=3, items=60)
    twice = [row * 3 for row in raters]
    clusters = list(range(60)) * 3
    for function in (krippendorff_alpha, gwet_ac, fleiss_kappa, icc):
        plain, copies = function(*raters), function(*twice)
        clustered = function(*twice, cluster=clusters)
        assert plain.interval is not None
        assert copies.interval is not None
        assert clustered.interval is not None
        assert plain.interval.low <= (plain.value or 0) <= plain.interval.high
        assert copies.interval.width < 0.7 * plain.interval.width
        assert clustered.interval.width == pytest.approx(plain.interval.width, rel=0.15)


def test_icc_forms_order_as_they_must() -> None:
    """A rater who is harsher by a constant lowers agreement, and not consistency."""
    truth = list(range(10))
    harsh = [value - 3 for value in truth]
    assert icc(truth, harsh, form="ICC(3,1)").value == pytest.approx(1)
    single, averaged = icc(truth, harsh).value, icc(truth, harsh, form="ICC(2,k)").value
    assert single is not None
    assert averaged is not None
    assert single < averaged < 1


def test_fleiss_and_icc_leave_out_items_with_gaps() -> None:
    full = ratings(5, raters=3, items=30)
    gapped = [[*full[0], 1], [*full[1], None], [*full[2], 1]]
    for function in (fleiss_kappa, icc):
        whole, partial = function(*full), function(*gapped)
        assert partial.value == pytest.approx(whole.value)
        assert (partial.n, partial.missing) == (30, 1)


@pytest.mark.parametrize("function", [krippendorff_alpha, gwet_ac, fleiss_kappa, icc])
def test_degenerate_ratings(function: Any) -> None:
    none = function([], [])
    assert (none.value, none.n) == (None, 0)
    assert none.reason
    same = function([2, 2, 2], [2, 2, 2])
    assert (same.value, same.interval) == (None, None)
    assert same.reason
    with pytest.raises(ConfigError, match="at least two raters"):
        function([1, 2])
    with pytest.raises(DataError, match="rater_1 has 1, rater_2 has 2"):
        function([1], [1, 2])


def test_ac1_of_one_label_is_defined_once_the_scale_names_another() -> None:
    assert gwet_ac([1] * 9, [1] * 9, scale=(0, 1)).value == 1
    assert gwet_ac([1, None], [None, 0]).value is None


def test_options() -> None:
    with pytest.raises(ConfigError, match="metric='rank' is unknown"):
        krippendorff_alpha([1], [2], metric="rank")  # type: ignore[arg-type]  # what the error is for
    with pytest.raises(ConfigError, match="form='ICC' is unknown"):
        icc([1], [2], form="ICC")  # type: ignore[arg-type]  # what the error is for
    with pytest.raises(ConfigError, match="needs the declared scale"):
        gwet_ac([1], [2], weights="linear")
