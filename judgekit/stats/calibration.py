"""How far a judge's probabilities can be taken at their word."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from judgekit.errors import ConfigError, DataError
from judgekit.stats.inputs import Column, FloatArray, Rng, equal_lengths, optional_numbers, unit_values, whole
from judgekit.stats.intervals import Mean, mean
from judgekit.stats.resampling import Plan, ratio
from judgekit.stats.result import Estimate, shown
from judgekit.stats.sums import ItemSums

__all__ = ["ExpectedScore", "brier", "calibration_error", "expected_score", "log_loss"]


def brier(probability: Column, human: Column, *, cluster: Column | None = None, level: float = 0.95) -> Mean:
    """The mean squared distance of the judge's probability of a pass to the label (Brier 1950); 0 is perfect.

    Args:
        probability: the judge's probabilities of a pass, one an item; None where there is none.
        human: True or False (1 or 0) for the same items; None where there is none.
        cluster: what the items belong to, one an item.
        level: confidence level.

    Raises:
        DataError: unequal lengths, or a value out of range.
        ConfigError: the level out of range.
    """
    p, y = _columns(probability, human)
    return mean(_optional((p - y) ** 2), cluster=cluster, level=level, name="Brier score")


def log_loss(
    probability: Column, human: Column, *, cluster: Column | None = None, level: float = 0.95
) -> Mean:
    """Minus the mean logarithm of the probability that the judge gave to the label, in nats. Arguments as in `brier`.

    Raises:
        DataError: also where the judge was certain and wrong, for which the loss is infinite.
    """
    p, y = _columns(probability, human)
    right = np.where(y == 1, p, 1 - p)
    certain = np.flatnonzero((right == 0) & ~np.isnan(y))
    if certain.size:
        msg = f"probability[{certain[0]}] is {p[certain[0]]:g} and wrong, an infinite loss; keep probabilities inside (0, 1)"
        raise DataError(msg)
    return mean(
        _optional(-np.log(np.where(np.isnan(y), np.nan, right))),
        cluster=cluster,
        level=level,
        name="log loss",
    )


def calibration_error(
    probability: Column,
    human: Column,
    *,
    bins: int = 10,
    cluster: Column | None = None,
    level: float = 0.95,
    resamples: int = 2_000,
    rng: Rng = 0,
) -> Estimate:
    """Expected calibration error: the distance of mean probability and pass rate, averaged over bins of equal width.

    It is above 0 even for a perfectly calibrated judge when bins hold few items. Percentile bootstrap interval.

    Args:
        probability: the judge's probabilities of a pass, one an item; None where there is none.
        human: True or False (1 or 0) for the same items; None where there is none.
        bins: number of bins of [0, 1].
        cluster: what the items belong to, one an item.
        level: confidence level.
        resamples: number of bootstrap samples.
        rng: a seed or a generator.

    Raises:
        DataError: unequal lengths, or a value out of range.
        ConfigError: an option out of range.
    """
    p, y = _columns(probability, human)
    kept = ~np.isnan(p + y)
    inside = np.minimum((np.nan_to_num(p) * whole(bins, "bins", least=1)).astype(np.int64), bins - 1)
    features = np.zeros((p.size, bins + 1))
    features[np.arange(p.size), inside] = np.nan_to_num(p - y)
    features[:, bins] = 1.0
    plan = Plan(level=level, resamples=resamples, rng=rng, method="percentile")
    items = ItemSums.of(features, kept, cluster)
    name = f"calibration error ({bins} bins)"
    return items.estimate(
        name, lambda sums: ratio(np.abs(sums[:, :bins]).sum(axis=1), sums[:, bins]), plan, undefined=""
    )


def _columns(probability: Column, human: Column) -> tuple[FloatArray, FloatArray]:
    equal_lengths(probability=probability, human=human)
    p, y = optional_numbers(probability, "probability"), optional_numbers(human, "human")
    unit_values(p, "probability", binary=False)
    unit_values(y, "human", binary=True)
    return p, y


def _optional(values: FloatArray) -> list[float | None]:
    return [None if math.isnan(value) else value for value in values.tolist()]


@dataclass(frozen=True, repr=False)
class ExpectedScore:
    """The mean of a score under the model's probabilities of its tokens.

    Attributes:
        value: the mean over the score tokens, or None when they have no probability.
        mass: total probability of the score tokens; far below 1, the value says little.
        reason: why the value is None, else None.
    """

    value: float | None
    mass: float
    reason: str | None = None

    def __repr__(self) -> str:
        if self.value is None:
            return f"expected score is undefined: {self.reason}"
        return f"expected score {shown(self.value)}, from tokens with {self.mass:.1%} of the probability"

    def to_dict(self) -> dict[str, Any]:
        """The fields as JSON values."""
        return asdict(self)


def expected_score(logprobs: Mapping[str, float], scores: Mapping[str, float]) -> ExpectedScore:
    """The probability-weighted mean of a score over the tokens that could have been said (Liu et al. 2023, G-Eval).

    Args:
        logprobs: natural-log probability of each token at the place of the score.
        scores: the score that each score token stands for; other tokens are left out.

    Raises:
        ConfigError: no score token is named.
    """
    if not scores:
        msg = "scores names no token; map each score token to its score, such as {'1': 1, '2': 2}"
        raise ConfigError(msg)
    weights = {token: math.exp(logprobs[token]) for token in scores if token in logprobs}
    mass = math.fsum(weights.values())
    if mass == 0:
        return ExpectedScore(None, 0.0, f"none of {', '.join(scores)} is among the tokens")
    return ExpectedScore(math.fsum(weight * scores[token] for token, weight in weights.items()) / mass, mass)
