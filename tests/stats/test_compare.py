"""Comparisons of systems: against SciPy and published examples, and their error rates."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from scipy import stats as scipy_stats

from judgekit.errors import ConfigError, DataError
from judgekit.stats import (
    Comparison,
    benjamini_hochberg,
    benjamini_yekutieli,
    holm,
    mcnemar_p,
    mean,
    paired_difference,
    rate_difference,
    sign_flip_p,
)


def ends(found: Comparison) -> tuple[float, float]:
    assert found.interval is not None
    return found.interval.low, found.interval.high


def test_newcombes_paired_interval_of_a_published_example() -> None:
    """Airway hyper-responsiveness before and after a transplantation (Fagerland, Lydersen & Laake 2014, table 2)."""
    before = [1] + [1] + [0] * 7 + [0] * 12
    after = [1] + [0] + [1] * 7 + [0] * 12
    found = paired_difference(before, after)
    assert ends(found) == pytest.approx((-0.507, -0.026), abs=5e-4)
    assert (found.a_better, found.b_better) == (1, 7)
    assert found.p_value == pytest.approx(0.0703, abs=1e-4)


def test_newcombes_paired_interval_covers_and_stays_inside() -> None:
    rng, covered, trials = np.random.default_rng(0), 0, 400
    for _ in range(trials):
        hard = rng.random(30)
        a, b = hard < 0.9, hard + rng.normal(0, 0.05, 30) < 0.8
        low, high = ends(paired_difference(a, b))
        assert -1 <= low <= high <= 1
        covered += low <= 0.1 <= high
    assert 0.93 <= covered / trials <= 1.0


def test_two_perfect_systems_still_have_an_interval() -> None:
    found = paired_difference([1] * 20, [1] * 20)
    low, high = ends(found)
    assert (found.value, found.p_value, found.detectable) == (0.0, 1.0, None)
    assert low < 0 < high


def test_scores_get_a_t_interval_and_a_permutation_test() -> None:
    rng = np.random.default_rng(1)
    a, b = rng.normal(0.4, 1, 12), rng.normal(0, 1, 12)
    found = paired_difference(a, b)
    oracle = scipy_stats.ttest_rel(a, b).confidence_interval()
    assert ends(found) == pytest.approx((oracle.low, oracle.high))
    assert found.test == "sign-flip permutation test"
    exact = scipy_stats.permutation_test((a - b,), np.sum, permutation_type="samples", n_resamples=10**5)
    assert found.p_value == pytest.approx(exact.pvalue)
    assert found.detectable == pytest.approx((1.959964 + 0.841621) * (found.se or 0), rel=1e-5)


def test_random_flips_come_near_the_exact_p() -> None:
    values = np.random.default_rng(3).normal(0.25, 1, 80)
    oracle = scipy_stats.permutation_test(
        (values,), np.sum, permutation_type="samples", rng=np.random.default_rng(0)
    )
    assert sign_flip_p(values) == pytest.approx(oracle.pvalue, abs=0.01)
    assert sign_flip_p(values) == sign_flip_p(values)
    assert sign_flip_p(values + 5) == pytest.approx(1 / 10_001)


def test_mcnemar_is_the_exact_sign_flip_test() -> None:
    for a_only, b_only in ((0, 0), (3, 0), (10, 2), (7, 6)):
        differences = [1] * a_only + [-1] * b_only + [0] * 5
        assert mcnemar_p(a_only, b_only) == pytest.approx(sign_flip_p(differences))
        if a_only:
            oracle = scipy_stats.binomtest(a_only, a_only + b_only).pvalue
            assert mcnemar_p(a_only, b_only) == pytest.approx(oracle)


def test_the_permutation_test_holds_its_level() -> None:
    rng, trials = np.random.default_rng(5), 400
    rejected = sum(sign_flip_p(rng.normal(size=10)) <= 0.1 for _ in range(trials))
    assert rejected / trials == pytest.approx(0.1, abs=0.04)


def test_clusters_flip_together() -> None:
    a, b = [0.9, 0.8, 0.7, 0.2, 0.3], [0.5, 0.1, 0.2, 0.3, 0.1]
    plain = paired_difference(a, b)
    copied = paired_difference(a * 4, b * 4, cluster=list(range(5)) * 4)
    assert copied.p_value == pytest.approx(plain.p_value)
    assert ends(copied) == pytest.approx(ends(plain))
    assert copied.clusters == 5
    binary = paired_difference([1, 1, 0, 1], [0, 1, 0, 0], cluster=[0, 0, 1, 1])
    assert binary.test == "sign-flip permutation test"


def test_methods_can_be_chosen() -> None:
    a, b = [1, 1, 0, 1, 1, 0, 1, 1], [1, 0, 0, 1, 0, 0, 1, 1]
    assert (
        paired_difference(a, b, method="t").interval == mean([0, 1, 0, 0, 1, 0, 0, 0], name="a - b").interval
    )
    assert "bootstrap" in repr(paired_difference(a, b, method="bca"))
    assert "Newcombe, paired" in repr(paired_difference(a, b))


def test_missing_and_degenerate_pairs() -> None:
    found = paired_difference([1, None, 0.5], [0.2, 1, None])
    assert (found.n, found.missing, found.interval, found.se_unpaired) == (1, 2, None, None)
    nothing = paired_difference([None], [1])
    assert (nothing.value, nothing.p_value, nothing.n) == (None, None, 0)
    assert nothing.reason
    with pytest.raises(DataError, match="a has 1, b has 2"):
        paired_difference([1], [1, 2])


def test_difference_of_independent_rates() -> None:
    found = rate_difference([True, None, True, False], [0, 1])
    assert found.value == pytest.approx(2 / 3 - 1 / 2)
    assert (found.n, found.missing) == (5, 1)
    empty = rate_difference([1, 0], [None])
    assert (empty.value, empty.reason) == (None, "group b has no item")
    assert rate_difference([], [1]).reason == "group a has no item"


@pytest.mark.parametrize(("mine", "method"), [(benjamini_hochberg, "bh"), (benjamini_yekutieli, "by")])
def test_false_discovery_control_equals_scipys(
    mine: Callable[[Sequence[float]], tuple[float, ...]], method: str
) -> None:
    p = np.random.default_rng(0).random(25).tolist()
    assert mine(p) == pytest.approx(scipy_stats.false_discovery_control(p, method=method))


def test_adjusted_p_values_keep_their_order_and_never_fall() -> None:
    p = [0.04, 0.001, 0.9, 0.04, 0.02]
    for adjust in (holm, benjamini_hochberg, benjamini_yekutieli):
        adjusted = adjust(p)
        assert all(q >= before for q, before in zip(adjusted, p, strict=True))
        assert sorted(range(5), key=lambda i: (adjusted[i], p[i])) == sorted(range(5), key=lambda i: p[i])
        assert adjust([]) == ()
        assert adjust([0.3]) == pytest.approx((0.3,))
    assert holm([0.6, 0.7]) == (1.0, 1.0)


def test_p_values_out_of_range() -> None:
    for adjust in (holm, benjamini_hochberg, benjamini_yekutieli):
        with pytest.raises(DataError, match=r"p_values\[1\] is 1.5"):
            adjust([0.1, 1.5])
    with pytest.raises(ConfigError, match="b_only=-1"):
        mcnemar_p(1, -1)
    with pytest.raises(DataError, match=r"differences\[0\] is None"):
        sign_flip_p([None])
