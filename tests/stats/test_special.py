"""The distributions, against SciPy."""

from __future__ import annotations

import pytest
from scipy import stats as scipy_stats

from judgekit.stats import special

SHARES = [1e-6, 0.001, 0.025, 0.5, 0.8, 0.975, 0.999]


@pytest.mark.parametrize("p", SHARES)
def test_normal(p: float) -> None:
    z = special.normal_quantile(p)
    assert z == pytest.approx(scipy_stats.norm.ppf(p), rel=1e-12, abs=1e-12)
    assert special.normal_cdf(z) == pytest.approx(p, rel=1e-10)


@pytest.mark.parametrize("df", [1, 2, 5, 30, 1000, 1_000_000])
def test_t(df: int) -> None:
    for level in SHARES[1:]:
        expected = scipy_stats.t.ppf((1 + level) / 2, df)
        assert special.t_two_sided_quantile(level, df) == pytest.approx(expected, rel=1e-8)
    for t in (-40.0, -2.0, 0.0, 0.5, 8.0):
        assert special.t_upper_tail(t, df) == pytest.approx(scipy_stats.t.sf(t, df), rel=1e-7, abs=1e-300)


@pytest.mark.parametrize(("a", "b"), [(0.5, 0.5), (17, 4), (1, 1500), (100_000, 300_000), (3, 0.7)])
def test_beta(a: float, b: float) -> None:
    for p in SHARES:
        x = special.beta_quantile(p, a, b)
        assert x == pytest.approx(scipy_stats.beta.ppf(p, a, b), rel=1e-8)
        assert special.beta_cdf(x, a, b) == pytest.approx(p, rel=1e-7)
    assert (special.beta_cdf(0.0, a, b), special.beta_cdf(1.0, a, b)) == (0.0, 1.0)


def test_binomial() -> None:
    for n in (0, 1, 7, 12, 400):
        for k in range(0, n + 1, max(1, n // 9)):
            expected = scipy_stats.binomtest(k, n).pvalue if n else 1.0
            assert special.binomial_two_sided_p(k, n) == pytest.approx(expected, rel=1e-9)
