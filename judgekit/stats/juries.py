"""Juries of judges: how many independent votes they are worth, and the truth that their votes point to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from judgekit.errors import ConfigError, DataError
from judgekit.stats.inputs import Coded, Column, FloatArray, Label, Rng, code_labels, named_raters, whole
from judgekit.stats.resampling import Plan, ratio
from judgekit.stats.result import Estimate, shown
from judgekit.stats.sums import ItemSums

__all__ = ["DawidSkene", "JuryVotes", "dawid_skene", "effective_votes", "jury_votes"]


def effective_votes(judges: int, correlation: float) -> float:
    """How many independent votes so many judges are worth: k / (1 + (k - 1) correlation) (Kish 1965).

    Raises:
        ConfigError: no judge, or a correlation at which the votes would have no variance.
    """
    whole(judges, "judges", least=1)
    below = 1 + (judges - 1) * correlation
    if not -1 <= correlation <= 1 or below <= 0:
        msg = f"correlation={correlation!r} is impossible for {judges} judges; it must exceed {-1 / max(judges - 1, 1):.3g}"
        raise ConfigError(msg)
    return judges / below


@dataclass(frozen=True, repr=False, kw_only=True)
class JuryVotes(Estimate):
    """How many independent votes a jury is worth.

    Attributes:
        judges: votes cast on each item.
        correlation: mean correlation of two judges' errors.
        error_rates: share of wrong labels of each judge, in order.
    """

    judges: int
    correlation: float | None = None
    error_rates: tuple[float, ...] = ()

    def _facts(self) -> list[str]:
        facts = [f"of {self.judges}"]
        if self.correlation is not None:
            facts.append(f"errors correlated {shown(self.correlation)}")
        if self.error_rates:
            facts.append(f"best member right {1 - min(self.error_rates):.1%}")
        return facts


def jury_votes(
    *judges: Column,
    human: Column,
    cluster: Column | None = None,
    level: float = 0.95,
    resamples: int = 2_000,
    rng: Rng = 0,
) -> JuryVotes:
    """The effective number of votes of a jury, from how far its members err on the same items.

    Args:
        *judges: labels of each judge, one an item; items where any is None are left out and counted.
        human: the human's labels of the same items.
        cluster: what the items belong to, one an item; the bootstrap then draws whole clusters.
        level: confidence level.
        resamples: number of bootstrap samples.
        rng: a seed or a generator.

    Raises:
        ConfigError: fewer than two judges, or an option out of range.
        DataError: unequal lengths, or labels of different types.
    """
    named, k = named_raters(judges), len(judges)
    coded = code_labels({**named, "human": human}, None)
    wrong = (coded.codes[:-1] != coded.codes[-1]).T.astype(np.float64)
    features = np.column_stack(
        [np.ones(len(wrong)), wrong, (wrong[:, :, None] * wrong[:, None, :]).reshape(-1, k * k)]
    )
    items = ItemSums.of(features, coded.complete(), cluster)

    def correlation(sums: FloatArray) -> FloatArray:
        rate, both = sums[:, 1 : k + 1] / sums[:, :1], (sums[:, k + 1 :] / sums[:, :1]).reshape(-1, k, k)
        cov = both - rate[:, :, None] * rate[:, None, :]
        spread = np.sqrt(rate * (1 - rate))
        pairs = ratio(cov, spread[:, :, None] * spread[:, None, :])
        return np.asarray(pairs[:, *np.triu_indices(k, 1)].mean(axis=1))

    def votes(sums: FloatArray) -> FloatArray:
        return ratio(np.full(len(sums), float(k)), 1 + (k - 1) * correlation(sums))

    plan = Plan(level=level, resamples=resamples, rng=rng)
    undefined = "a judge is right, or wrong, on every item, so its errors correlate with nothing"
    found = items.estimate("effective votes", votes, plan, undefined=undefined)
    rows = wrong[coded.complete()]
    error_rates = tuple(rows.mean(axis=0).tolist()) if found.n else ()
    rho = None if found.value is None else (k / found.value - 1) / (k - 1)
    return JuryVotes(**vars(found), judges=k, correlation=rho, error_rates=error_rates)


@dataclass(frozen=True, repr=False)
class DawidSkene:
    """What the votes say about the items and about the voters.

    Attributes:
        scale: the labels, in order.
        posterior: posterior[i][c] is the probability that item i is of scale[c].
        prevalence: share of each label among the items.
        confusion: confusion[r][c][v] is the probability that rater r says scale[v] of an item of scale[c].
        n: items.
        converged: whether the estimates settled.
    """

    scale: tuple[Label, ...]
    posterior: tuple[tuple[float, ...], ...]
    prevalence: tuple[float, ...]
    confusion: tuple[tuple[tuple[float, ...], ...], ...]
    n: int
    converged: bool

    @property
    def labels(self) -> tuple[Label, ...]:
        """The most probable label of each item."""
        return tuple(self.scale[int(np.argmax(row))] for row in self.posterior)

    def __repr__(self) -> str:
        shares = ", ".join(
            f"{label!r} {share:.1%}" for label, share in zip(self.scale, self.prevalence, strict=True)
        )
        return f"consensus of {len(self.confusion)} raters on {self.n} items: {shares}"

    def to_dict(self) -> dict[str, Any]:
        """The fields as JSON values."""
        return dict(vars(self))


def dawid_skene(
    *raters: Column,
    scale: Sequence[Label] | None = None,
    smoothing: float = 1.0,
    tolerance: float = 1e-10,
    iterations: int = 10_000,
) -> DawidSkene:
    """The truth behind several raters' votes, and each rater's errors, without any known truth (Dawid & Skene 1979).

    Expectation maximization from the vote shares. It assumes that raters err independently given the truth, which
    judges of one family do not: see `jury_votes`.

    Args:
        *raters: labels of each rater, one an item; None where there is none, but each item needs one label.
        scale: all labels; those seen, when not given.
        smoothing: what is added to each count of a rater's confusions. At 0, with few items, estimates run to
            certainty.
        tolerance: largest change of a probability at which to stop.
        iterations: most rounds.

    Raises:
        ConfigError: fewer than two raters, or an option out of range.
        DataError: unequal lengths, a label off the scale, no item, or an item without a label.
    """
    if not 0 <= smoothing < np.inf:
        msg = f"smoothing={smoothing!r} must be a finite number of at least 0"
        raise ConfigError(msg)
    whole(iterations, "iterations", least=1)
    coded = code_labels(named_raters(raters), scale)
    votes = _votes(coded)
    posterior = votes.sum(axis=0) / votes.sum(axis=(0, 2))[:, None]
    converged = False
    for _ in range(iterations):
        prevalence, confusion = _maximized(votes, posterior, smoothing)
        updated = _expected(votes, prevalence, confusion)
        converged = bool(np.abs(updated - posterior).max() < tolerance)
        posterior = updated
        if converged:
            break
    prevalence, confusion = _maximized(votes, posterior, smoothing)
    rows = tuple(tuple(row) for row in posterior.tolist())
    tables = tuple(tuple(tuple(row) for row in table) for table in confusion.tolist())
    return DawidSkene(coded.scale, rows, tuple(prevalence.tolist()), tables, len(rows), converged)


def _votes(coded: Coded) -> FloatArray:
    """(raters, items, levels) 1 where a rater gave an item a label."""
    votes: FloatArray = np.asarray(coded.codes[:, :, None] == np.arange(coded.levels), dtype=np.float64)
    unlabelled = np.flatnonzero(votes.sum(axis=(0, 2)) == 0)
    if not votes.shape[1] or unlabelled.size:
        which = f"item {unlabelled[0]} has no label" if unlabelled.size else "there is no item"
        msg = f"{which}; leave out the items that nobody labelled"
        raise DataError(msg)
    return votes


def _maximized(votes: FloatArray, posterior: FloatArray, smoothing: float) -> tuple[FloatArray, FloatArray]:
    """Prevalence (levels,) and confusions (raters, levels, levels) that fit the posterior best."""
    counts = np.einsum("ic,riv->rcv", posterior, votes) + smoothing
    return np.asarray(posterior.mean(axis=0)), np.nan_to_num(ratio(counts, counts.sum(axis=2, keepdims=True)))


def _expected(votes: FloatArray, prevalence: FloatArray, confusion: FloatArray) -> FloatArray:
    """(items, levels) posterior of each label."""
    with np.errstate(divide="ignore"):
        logs = np.maximum(np.log(confusion), -700)
        joint = np.einsum("riv,rcv->ic", votes, logs) + np.log(prevalence)
    joint = np.exp(joint - joint.max(axis=1, keepdims=True))
    return np.asarray(joint / joint.sum(axis=1, keepdims=True))
