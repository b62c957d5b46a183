"""Is one system better than another? Differences of paired and of independent scores, and many comparisons at once."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from judgekit.stats.inputs import (
    Column,
    FloatArray,
    IntArray,
    Rng,
    cluster_codes,
    equal_lengths,
    generator,
    one_of,
    optional_numbers,
    required_numbers,
    unit_values,
    whole,
)
from judgekit.stats.intervals import Mean, MeanMethod, mean, proportion, wilson
from judgekit.stats.result import Estimate, Interval, shown
from judgekit.stats.special import binomial_two_sided_p, normal_quantile

__all__ = [
    "Comparison",
    "benjamini_hochberg",
    "benjamini_yekutieli",
    "holm",
    "mcnemar_p",
    "paired_difference",
    "rate_difference",
    "sign_flip_p",
]

_EXACT_FLIPS = 14  # up to 2**14 sign patterns are enumerated


@dataclass(frozen=True, repr=False, kw_only=True)
class Comparison(Mean):
    """The mean of a - b over the items that both have.

    Attributes:
        p_value: two-sided, against a mean difference of 0; None when there is no item.
        test: what gave it.
        a_better: items on which a is above b.
        b_better: items on which b is above a.
        se_unpaired: standard error had a and b been scored on different items; the gain from pairing.
        detectable: smallest true difference that would be found 4 times in 5 with this standard error, at the
            level of the interval.
    """

    p_value: float | None = None
    test: str
    a_better: int = 0
    b_better: int = 0
    se_unpaired: float | None = None
    detectable: float | None = None

    def _facts(self) -> list[str]:
        facts = [f"a better on {self.a_better} and b on {self.b_better}"]
        if self.p_value is not None:
            facts.insert(0, f"p = {self.p_value:.3g} ({self.test})")
        if self.detectable is not None:
            facts.append(f"smallest difference found 4 times in 5: {shown(self.detectable)}")
        return [*facts, f"{self.clusters} clusters"] if self.clusters is not None else facts


def paired_difference(
    a: Column,
    b: Column,
    *,
    cluster: Column | None = None,
    level: float = 0.95,
    method: MeanMethod | None = None,
    resamples: int = 10_000,
    rng: Rng = 0,
) -> Comparison:
    """How much better a is than b on the same items: the mean of a - b, with its interval and p-value.

    Scores of 0 and 1 on independent items get Newcombe's score interval (1998, method 10) and McNemar's exact
    test; all others a t interval and a sign-flip permutation test, of whole clusters where there are clusters.

    Args:
        a: scores of one system, one an item; None where there is none.
        b: scores of the other on the same items.
        cluster: what the items belong to, one an item.
        level: confidence level.
        method: `t`, `bca` or `percentile` (bootstrap) instead of the interval above.
        resamples: number of bootstrap samples and of random sign flips.
        rng: a seed or a generator for both.

    Raises:
        DataError: unequal lengths, or a score that is not a finite number.
        ConfigError: an option out of range.
    """
    one_of(method, "method", (None, "t", "bca", "percentile"))
    equal_lengths(a=a, b=b)
    first, second = optional_numbers(a, "a"), optional_numbers(b, "b")
    off = first - second
    kept = ~np.isnan(off)
    averaged = mean(
        [None if np.isnan(value) else value for value in off],
        cluster=cluster,
        level=level,
        method=method or "t",
        resamples=resamples,
        rng=rng,
        name="a - b",
    )
    codes = cluster_codes(cluster, off.size)
    pairs = _Scores(first[kept], second[kept], None if codes is None else codes[kept])
    interval, reason = averaged.interval, averaged.reason
    if method is None and pairs.binary and pairs.a.size:
        interval, reason = _newcombe_paired(pairs, level), None
    test, p_value = pairs.test(resamples, rng)
    return Comparison(
        name=averaged.name,
        value=averaged.value,
        interval=interval,
        n=averaged.n,
        missing=averaged.missing,
        reason=reason,
        se=averaged.se,
        clusters=averaged.clusters,
        p_value=p_value,
        test=test,
        a_better=int((pairs.a > pairs.b).sum()),
        b_better=int((pairs.a < pairs.b).sum()),
        se_unpaired=pairs.unpaired_se(),
        detectable=_detectable(averaged.se, level),
    )


def _detectable(se: float | None, level: float) -> float | None:
    return (normal_quantile((1 + level) / 2) + normal_quantile(0.8)) * se if se else None


@dataclass(frozen=True)
class _Scores:
    """The items with both scores."""

    a: FloatArray
    b: FloatArray
    cluster: IntArray | None

    @property
    def binary(self) -> bool:
        """Whether this is a 2 x 2 table of independent items."""
        values = np.concatenate([self.a, self.b])
        return self.cluster is None and bool(((values == 0) | (values == 1)).all())

    def unpaired_se(self) -> float | None:
        if self.a.size < 2:
            return None
        return math.sqrt((self.a.var(ddof=1) + self.b.var(ddof=1)) / self.a.size)

    def test(self, resamples: int, rng: Rng) -> tuple[str, float | None]:
        name = "McNemar's exact test" if self.binary else "sign-flip permutation test"
        if not self.a.size:
            return name, None
        if self.binary:
            return name, mcnemar_p(int((self.a > self.b).sum()), int((self.a < self.b).sum()))
        return name, sign_flip_p(self.a - self.b, cluster=self.cluster, resamples=resamples, rng=rng)


def mcnemar_p(a_only: int, b_only: int) -> float:
    """McNemar's exact two-sided p-value of the discordant pairs: right for a alone, and right for b alone.

    Raises:
        ConfigError: a count that is not a whole number of at least 0.
    """
    first, second = whole(a_only, "a_only", least=0), whole(b_only, "b_only", least=0)
    return binomial_two_sided_p(first, first + second)


_FLIPS_AT_ONCE = 4_000_000  # 8 bytes each


def sign_flip_p(
    differences: Column, *, cluster: Column | None = None, resamples: int = 10_000, rng: Rng = 0
) -> float:
    """Two-sided p-value that paired differences are symmetric about 0 (Fisher's randomization test).

    Exact for up to 14 units (items, or clusters, whose differences keep one sign together) that are not 0;
    else from random flips, the observed one counted among them (Phipson & Smyth 2010).

    Raises:
        DataError: a difference that is not a finite number, or clusters that do not match.
        ConfigError: too few resamples.
    """
    values = required_numbers(differences, "differences")
    whole(resamples, "resamples", least=100)
    codes = cluster_codes(cluster, values.size)
    units = values if codes is None else np.bincount(codes, weights=values)
    units = units[units != 0]
    observed = abs(units.sum()) * (1 - 1e-12)
    if units.size <= _EXACT_FLIPS:
        signs = 1 - 2 * ((np.arange(2**units.size)[:, None] >> np.arange(units.size)) & 1)
        return float((np.abs(signs @ units) >= observed).mean())
    source, extreme = generator(rng), 0
    block = max(1, min(500, _FLIPS_AT_ONCE // units.size))
    for start in range(0, resamples, block):
        signs = 1 - 2 * source.integers(0, 2, size=(min(block, resamples - start), units.size))
        extreme += int((np.abs(signs @ units) >= observed).sum())
    return (extreme + 1) / (resamples + 1)


def _newcombe_paired(pairs: _Scores, level: float) -> Interval:
    """Newcombe 1998 (Statistics in Medicine 17:2635), method 10: Wilson limits joined by the correlation of a and b."""
    n = pairs.a.size
    p, q = float(pairs.a.mean()), float(pairs.b.mean())
    of_a, of_b = wilson(float(pairs.a.sum()), n, level=level), wilson(float(pairs.b.sum()), n, level=level)
    both, neither = float((pairs.a * pairs.b).sum()), float(((1 - pairs.a) * (1 - pairs.b)).sum())
    cross = both * neither - float((pairs.a > pairs.b).sum()) * float((pairs.a < pairs.b).sum())
    cross = max(cross - n / 2, 0.0) if cross > 0 else cross
    margins = n**4 * p * (1 - p) * q * (1 - q)
    phi = cross / math.sqrt(margins) if margins > 0 else 0.0

    def reach(up: float, down: float) -> float:
        return math.sqrt(max(up * up - 2 * phi * up * down + down * down, 0.0))

    low = p - q - reach(p - of_a.low, of_b.high - q)
    high = p - q + reach(of_a.high - p, q - of_b.low)
    return Interval(max(low, -1.0), min(high, 1.0), level, "Newcombe, paired")


def rate_difference(a: Column, b: Column, *, level: float = 0.95) -> Estimate:
    """The difference of two pass rates on different items, with Newcombe's hybrid score interval (1998, method 10).

    Args:
        a: True or False (1 or 0) for each item of one group; None where there is no value (left out and counted).
        b: the same for the other group, of any length.
        level: confidence level.

    Raises:
        DataError: a value that is not true or false.
        ConfigError: the level out of range.
    """
    first, second = (proportion(values, level=level) for values in (a, b))
    name, n, missing = "difference of rates", first.n + second.n, first.missing + second.missing
    if first.value is None or second.value is None or first.interval is None or second.interval is None:
        reason = f"group {'a' if first.value is None else 'b'} has no item"
        return Estimate(name=name, value=None, interval=None, n=n, missing=missing, reason=reason)
    p, q, of_a, of_b = first.value, second.value, first.interval, second.interval
    low = p - q - math.hypot(p - of_a.low, of_b.high - q)
    high = p - q + math.hypot(of_a.high - p, q - of_b.low)
    interval = Interval(low, high, level, "Newcombe")
    return Estimate(name=name, value=p - q, interval=interval, n=n, missing=missing)


def holm(p_values: Column) -> tuple[float, ...]:
    """P-values adjusted so that the chance of any false finding stays below the level (Holm 1979).

    Raises:
        DataError: a p-value outside [0, 1].
    """
    p, order = _ordered(p_values)
    return _restored(np.maximum.accumulate((p.size - np.arange(p.size)) * p), order)


def benjamini_hochberg(p_values: Column) -> tuple[float, ...]:
    """P-values adjusted for the share of false findings, for independent tests (Benjamini & Hochberg 1995).

    Raises:
        DataError: a p-value outside [0, 1].
    """
    p, order = _ordered(p_values)
    scaled = p.size * p / np.arange(1, p.size + 1)
    return _restored(np.minimum.accumulate(scaled[::-1])[::-1], order)


def benjamini_yekutieli(p_values: Column) -> tuple[float, ...]:
    """As `benjamini_hochberg`, whatever the dependence of the tests (Benjamini & Yekutieli 2001).

    Raises:
        DataError: a p-value outside [0, 1].
    """
    harmonic = sum(1 / rank for rank in range(1, len(p_values) + 1))
    return tuple(min(1.0, harmonic * p) for p in benjamini_hochberg(p_values))


def _ordered(p_values: Column) -> tuple[FloatArray, IntArray]:
    p = required_numbers(p_values, "p_values")
    unit_values(p, "p_values", binary=False)
    order = np.argsort(p, kind="stable")
    return p[order], order


def _restored(adjusted: FloatArray, order: IntArray) -> tuple[float, ...]:
    values = np.empty_like(adjusted)
    values[order] = np.minimum(adjusted, 1.0)
    return tuple(values.tolist())
