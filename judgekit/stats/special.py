"""Quantiles and tails of the normal, t, beta and binomial distributions, without SciPy.

Scalars only: each is asked for once an interval. The incomplete beta function is the continued fraction of
Abramowitz & Stegun 26.5.8, evaluated with Lentz's method.
"""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist

__all__ = [
    "beta_cdf",
    "beta_quantile",
    "binomial_two_sided_p",
    "log_beta",
    "normal_cdf",
    "normal_quantile",
    "t_two_sided_quantile",
    "t_upper_tail",
]

_NORMAL = NormalDist()
_TINY = 1e-300
_MAX_TERMS = 100_000


def normal_quantile(p: float) -> float:
    """The z with P(Z <= z) = p, for p strictly between 0 and 1."""
    return _NORMAL.inv_cdf(p)


def normal_cdf(z: float) -> float:
    """P(Z <= z)."""
    return 0.5 * math.erfc(-z / math.sqrt(2))


def log_beta(a: float, b: float) -> float:
    """Logarithm of the beta function."""
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)


def beta_cdf(x: float, a: float, b: float) -> float:
    """P(X <= x) of a beta variable: the regularized incomplete beta function."""
    if x <= 0:
        return 0.0
    if x >= 1:
        return 1.0
    front = math.exp(a * math.log(x) + b * math.log1p(-x) - log_beta(a, b))
    if x < (a + 1) / (a + b + 2):  # where the fraction converges fast
        return front * _beta_fraction(x, a, b) / a
    return 1.0 - front * _beta_fraction(1 - x, b, a) / b


def _beta_fraction(x: float, a: float, b: float) -> float:
    def away_from_zero(value: float) -> float:
        return value if abs(value) > _TINY else _TINY

    upper = 1.0
    lower = 1.0 / away_from_zero(1.0 - (a + b) * x / (a + 1.0))
    fraction = lower
    for m in range(1, _MAX_TERMS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        step = 1.0
        for term in (even, odd):
            lower = 1.0 / away_from_zero(1.0 + term * lower)
            upper = away_from_zero(1.0 + term / upper)
            step = lower * upper
            fraction *= step
        if abs(step - 1.0) < 1e-16:
            break
    return fraction


@lru_cache(maxsize=1024)
def beta_quantile(p: float, a: float, b: float) -> float:
    """The x with P(X <= x) = p of a beta variable, by bisection."""
    low, high = 0.0, 1.0
    for _ in range(200):
        middle = 0.5 * (low + high)
        if middle in {low, high}:
            break
        if beta_cdf(middle, a, b) < p:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)


def t_two_sided_quantile(level: float, df: float) -> float:
    """The t with P(-t <= T <= t) = level for `df` degrees of freedom."""
    share = beta_quantile(level, 0.5, df / 2)
    return math.sqrt(df * share / (1 - share))


def t_upper_tail(t: float, df: float) -> float:
    """P(T >= t) for `df` degrees of freedom."""
    half = 0.5 * beta_cdf(df / (df + t * t), df / 2, 0.5)
    return half if t >= 0 else 1 - half


def binomial_two_sided_p(k: int, n: int) -> float:
    """Exact two-sided p-value of k successes in n fair trials (the doubled smaller tail, at most 1)."""
    least = min(k, n - k)
    if 2 * least >= n:
        return 1.0
    return min(1.0, 2 * beta_cdf(0.5, n - least, least + 1))
