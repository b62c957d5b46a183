"""How many items or labels it takes, and what a given number can show."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

from judgekit.errors import ConfigError
from judgekit.stats.inputs import share, whole
from judgekit.stats.intervals import wilson
from judgekit.stats.result import Estimate, shown
from judgekit.stats.special import normal_quantile

__all__ = [
    "SampleSize",
    "labels_to_halve",
    "minimum_detectable_effect",
    "sample_size_kappa",
    "sample_size_paired",
    "sample_size_proportion",
]

_MOST = 10**12


@dataclass(frozen=True, repr=False)
class SampleSize:
    """How many independent items it takes.

    Attributes:
        n: the smallest whole number of items.
        value: the same before rounding up.
        purpose: what they are for.
        assumes: what was taken for granted, by name.
    """

    n: int
    value: float
    purpose: str
    assumes: dict[str, float]

    def __repr__(self) -> str:
        assumed = ", ".join(f"{name} {shown(value)}" for name, value in self.assumes.items())
        return f"{self.n} items {self.purpose} (assuming {assumed})"

    def to_dict(self) -> dict[str, Any]:
        """The fields as JSON values."""
        return asdict(self)


def sample_size_paired(
    difference: float,
    *,
    variance: float,
    noise_a: float = 0.0,
    noise_b: float = 0.0,
    samples_a: int = 1,
    samples_b: int = 1,
    design_effect: float = 1.0,
    level: float = 0.95,
    power: float = 0.8,
) -> SampleSize:
    """Items needed to find a true mean difference of two systems on the same items.

    (z_level + z_power)^2 (variance + noise_a / samples_a + noise_b / samples_b) / difference^2, Miller 2024
    (arXiv:2411.00640).

    Args:
        difference: the true difference to be found, in the unit of the scores.
        variance: variance over items of the difference of the two expected scores.
        noise_a: mean variance of one item's score of system a over repeated runs; 0 for a deterministic one.
        noise_b: the same for system b.
        samples_a: runs of system a averaged on each item.
        samples_b: runs of system b averaged on each item.
        design_effect: by how much clusters inflate the variance, 1 for independent items.
        level: confidence level of the two-sided test.
        power: chance that the difference is found.

    Raises:
        ConfigError: a number out of range.
    """
    _positive(difference=abs(difference))
    spread = _spread(variance, (noise_a, samples_a), (noise_b, samples_b), design_effect)
    value = _z(level, power) ** 2 * spread / difference**2
    return SampleSize(
        math.ceil(value - 1e-9),
        value,
        f"to find a difference of {shown(difference)} {power:.0%} of the time",
        {"variance": spread, "level": level},
    )


def minimum_detectable_effect(
    n: int,
    *,
    variance: float,
    noise_a: float = 0.0,
    noise_b: float = 0.0,
    samples_a: int = 1,
    samples_b: int = 1,
    design_effect: float = 1.0,
    level: float = 0.95,
    power: float = 0.8,
) -> float:
    """The smallest true mean difference that n items find with the given power: `sample_size_paired`, solved for it.

    Raises:
        ConfigError: a number out of range.
    """
    whole(n, "n", least=2)
    spread = _spread(variance, (noise_a, samples_a), (noise_b, samples_b), design_effect)
    return _z(level, power) * math.sqrt(spread / n)


def _z(level: float, power: float) -> float:
    return normal_quantile((1 + share(level, "level")) / 2) + normal_quantile(share(power, "power"))


def _spread(variance: float, a: tuple[float, int], b: tuple[float, int], design_effect: float) -> float:
    """Variance of one item's difference, with the noise of each system averaged over its runs."""
    if min(variance, a[0], b[0]) < 0:
        msg = "variance, noise_a and noise_b must be at least 0"
        raise ConfigError(msg)
    runs_a, runs_b = whole(a[1], "samples_a", least=1), whole(b[1], "samples_b", least=1)
    total = variance + a[0] / runs_a + b[0] / runs_b
    _positive(total_variance=total, design_effect=design_effect)
    return total * design_effect


def _positive(**values: float) -> None:
    for name, value in values.items():
        if not (value > 0 and math.isfinite(value)):
            msg = f"{name}={value!r} must be a finite number above 0"
            raise ConfigError(msg)


def sample_size_proportion(
    half_width: float, *, expected: float = 0.5, design_effect: float = 1.0, level: float = 0.95
) -> SampleSize:
    """Items needed for a Wilson interval of a proportion no wider than twice `half_width`.

    Args:
        half_width: wanted distance from the middle of the interval to its ends, between 0 and 0.5.
        expected: the proportion that will be found; 0.5 needs the most items.
        design_effect: by how much clusters inflate the variance, 1 for independent items.
        level: confidence level.

    Raises:
        ConfigError: a number out of range.
    """
    if not 0 < half_width < 0.5:
        msg = f"half_width={half_width!r} must lie strictly between 0 and 0.5; write 5 points as 0.05"
        raise ConfigError(msg)
    if not 0 <= expected <= 1:
        msg = f"expected={expected!r} must lie in [0, 1]"
        raise ConfigError(msg)
    _positive(design_effect=design_effect)
    value = _wilson_n(expected, 2 * half_width, level) * design_effect
    purpose = f"for a proportion within {shown(half_width)}"
    return SampleSize(math.ceil(value - 1e-9), value, purpose, {"proportion": expected, "level": level})


def _wilson_n(rate: float, width: float, level: float) -> float:
    """The sample size, not rounded, at which Wilson's interval is as wide as asked."""
    low, high = 1e-9, float(_MOST)
    for _ in range(200):
        middle = math.sqrt(low * high)
        if wilson(rate * middle, middle, level=level).width > width:
            low = middle
        else:
            high = middle
    return high


def sample_size_kappa(
    half_width: float,
    *,
    kappa: float,
    prevalence: float = 0.5,
    design_effect: float = 1.0,
    level: float = 0.95,
) -> SampleSize:
    """Items needed to know Cohen's kappa of two yes/no raters within `half_width`.

    From the large-sample variance of kappa (Fleiss, Cohen & Everitt 1969), both raters saying yes equally often.

    Args:
        half_width: wanted distance from kappa to the ends of its interval.
        kappa: the kappa that will be found; more agreement needs fewer items.
        prevalence: how often each rater says yes; 0.5 needs the fewest items.
        design_effect: by how much clusters inflate the variance, 1 for independent items.
        level: confidence level.

    Raises:
        ConfigError: a number out of range, or a kappa that the prevalence does not allow.
    """
    _positive(half_width=half_width, design_effect=design_effect)
    p = share(prevalence, "prevalence")
    lowest = -min(p / (1 - p), (1 - p) / p)
    if not lowest <= kappa < 1:
        msg = f"kappa={kappa!r} must lie in [{lowest:.3g}, 1) when each rater says yes {p:.0%} of the time"
        raise ConfigError(msg)
    variance = _kappa_variance(kappa, p)
    value = normal_quantile((1 + share(level, "level")) / 2) ** 2 * variance * design_effect / half_width**2
    purpose = f"for kappa within {shown(half_width)}"
    return SampleSize(
        math.ceil(value - 1e-9), value, purpose, {"kappa": kappa, "prevalence": p, "level": level}
    )


def _kappa_variance(kappa: float, p: float) -> float:
    """n times the variance of kappa for two raters with the same share p of yes."""
    chance = p * p + (1 - p) ** 2
    both, neither = (share_ * (share_ + kappa * (1 - share_)) for share_ in (p, 1 - p))
    apart = p * (1 - p) * (1 - kappa)  # each of the two off-diagonal cells
    on = sum(cell * (1 - 2 * rate * (1 - kappa)) ** 2 for cell, rate in ((both, p), (neither, 1 - p)))
    off = (1 - kappa) ** 2 * 2 * apart  # the two margins of an off-diagonal cell add up to 1
    return (on + off - (kappa - chance * (1 - kappa)) ** 2) / (1 - chance) ** 2


def labels_to_halve(estimate: Estimate) -> int | None:
    """How many labels in all would make the interval half as wide, other things equal; None without an interval.

    Exact for Wilson's interval; otherwise four times the present number, since width falls with the square root.
    """
    interval = estimate.interval
    if interval is None or estimate.value is None or interval.width == 0:
        return None
    if interval.method != "Wilson":
        return 4 * estimate.n
    return math.ceil(_wilson_n(estimate.value, interval.width / 2, interval.level) - 1e-6)
