"""The pass rate of a system from many judge verdicts and a few human labels.

A judge that errs moves the pass rate by its errors, and no number of verdicts cures that. A few labels can: they
measure the judge's error and take it out (prediction-powered inference), which needs fewer of them than labels
alone would.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from judgekit.errors import ConfigError
from judgekit.stats.binary import class_rate
from judgekit.stats.inputs import (
    Column,
    FloatArray,
    IntArray,
    cluster_codes,
    code_labels,
    equal_lengths,
    optional_numbers,
    share,
    unit_values,
)
from judgekit.stats.intervals import mean, proportion
from judgekit.stats.result import Estimate, Interval, interval_or_reason, shown
from judgekit.stats.special import normal_quantile, t_two_sided_quantile

__all__ = ["CorrectedRate", "PassRate", "pass_rate", "rogan_gladen"]


@dataclass(frozen=True, repr=False, kw_only=True)
class PassRate(Estimate):
    """A pass rate; `n` counts the items with both a verdict and a label.

    Attributes:
        se: standard error of the value.
        unlabelled: items with a verdict alone.
        tuning: weight of the verdicts, from 0 (labels alone) to 1.
        judge_only: share of passes among all verdicts, whose interval does not know of the judge's errors.
        labels_only: share of passes among the labels.
        effective_labels: how many labels alone would give the same standard error.
    """

    se: float | None = None
    unlabelled: int
    tuning: float | None = None
    judge_only: Estimate
    labels_only: Estimate
    effective_labels: float | None = None

    @property
    def gain(self) -> float | None:
        """Effective labels for each label."""
        return None if self.effective_labels is None else self.effective_labels / self.n

    def _facts(self) -> list[str]:
        facts = [f"{self.unlabelled} more items judged", f"{self.judge_only!r}", f"{self.labels_only!r}"]
        if self.effective_labels is not None:
            facts.insert(1, f"worth {shown(self.effective_labels)} labels")
        return facts


def pass_rate(
    judge: Column,
    human: Column,
    *,
    tuning: float | None = None,
    cluster: Column | None = None,
    level: float = 0.95,
) -> PassRate:
    """The pass rate by prediction-powered inference with power tuning (PPI++), beside judge alone and labels alone.

    tuning * mean of the other verdicts + mean of (label - tuning * verdict) over the labelled items: unbiased however
    wrong the judge is, if the labelled items were drawn at random. Angelopoulos, Duchi & Zrnic, "PPI++", 2023
    (arXiv:2311.01453). The interval is normal, cut at 0 and 1.

    Args:
        judge: verdicts of all items, True or False (1 or 0) or probabilities of a pass; None where the judge failed
            (left out and counted).
        human: True or False (1 or 0) for the labelled items, None for the others.
        tuning: weight of the verdicts in [0, 1]; None chooses the one with the smallest variance.
        cluster: what the items belong to, one an item; the standard error is then cluster-robust.
        level: confidence level.

    Raises:
        DataError: unequal lengths, or a value out of range.
        ConfigError: an option out of range.
    """
    share(level, "level")
    if tuning is not None and not 0 <= tuning <= 1:
        msg = f"tuning={tuning!r} must lie in [0, 1], or be None to be chosen"
        raise ConfigError(msg)
    equal_lengths(judge=judge, human=human)
    verdicts, labels = optional_numbers(judge, "judge"), optional_numbers(human, "human")
    unit_values(verdicts, "judge", binary=False)
    unit_values(labels, "human", binary=True)
    kept = ~np.isnan(verdicts)
    codes = cluster_codes(cluster, kept.size)
    items = _Judged(verdicts[kept], labels[kept], None if codes is None else codes[kept])
    weight = items.best_tuning() if tuning is None or items.labelled.all() else tuning
    labelled = items.labels_only(level)
    result = PassRate(
        name="pass rate",
        value=None,
        interval=None,
        n=int(items.labelled.sum()),
        missing=int((~kept).sum()),
        reason="it takes at least two items with a verdict and a label",
        unlabelled=int((~items.labelled).sum()),
        tuning=weight,
        judge_only=items.judge_only(level),
        labels_only=labelled,
    )
    if result.n < 2:
        return replace(result, tuning=None)
    if weight == 0:  # the labels alone, whose interval holds at small n and near 0 and 1
        return replace(
            result,
            value=labelled.value,
            interval=labelled.interval,
            reason=labelled.reason,
            se=items.se(0.0),
            effective_labels=float(result.n),
        )
    value, se, se_labels = items.value(weight), items.se(weight), items.se(0.0)
    return replace(
        result,
        value=min(1.0, max(0.0, value)),
        se=se,
        effective_labels=result.n * (se_labels / se) ** 2 if se and se_labels else None,
        **interval_or_reason(items.interval(value, se, level)),
    )


@dataclass(frozen=True)
class _Judged:
    """Items with a verdict; the label is NaN where there is none."""

    verdict: FloatArray
    label: FloatArray
    cluster: IntArray | None

    @property
    def labelled(self) -> Any:
        return ~np.isnan(self.label)

    def judge_only(self, level: float) -> Estimate:
        binary = bool(((self.verdict == 0) | (self.verdict == 1)).all())
        name = "judge alone"
        if binary:
            return proportion(self.verdict, cluster=self.cluster, level=level, name=name)
        return mean(self.verdict, cluster=self.cluster, level=level, name=name)

    def labels_only(self, level: float) -> Estimate:
        rows = self.labelled
        cluster = None if self.cluster is None else self.cluster[rows]
        return proportion(self.label[rows], cluster=cluster, level=level, name="labels alone")

    def best_tuning(self) -> float:
        """The weight of least variance: cov(label, verdict) / ((1 + n / N) var(verdict)), within [0, 1]."""
        rows = self.labelled
        n, others, spread = (
            rows.sum(),
            (~rows).sum(),
            self.verdict.var(ddof=1) if self.verdict.size > 1 else 0.0,
        )
        if n < 2 or not others or spread == 0:
            return 0.0
        cov = np.cov(self.label[rows], self.verdict[rows], ddof=0)[0, 1]  # smaller at small n, hence cautious
        return float(np.clip(cov / ((1 + n / others) * spread), 0, 1))

    def value(self, weight: float) -> float:
        rows = self.labelled
        others = self.verdict[~rows].mean() if weight else 0.0
        return float(weight * others + (self.label[rows] - weight * self.verdict[rows]).mean())

    def se(self, weight: float) -> float | None:
        """Standard error from each item's (or cluster's) influence; None for items of a single cluster."""
        rows = self.labelled
        corrected = self.label[rows] - weight * self.verdict[rows]
        influence = np.zeros(rows.size)
        influence[rows] = (corrected - corrected.mean()) / rows.sum()
        if weight:
            others = self.verdict[~rows]
            influence[~rows] = weight * (others - others.mean()) / others.size
        if self.cluster is None:
            return math.sqrt(float(influence @ influence))
        sums = np.bincount(self.cluster, weights=influence)
        clusters = np.unique(self.cluster).size
        return math.sqrt(float(sums @ sums) * clusters / (clusters - 1)) if clusters > 1 else None

    def interval(self, value: float, se: float | None, level: float) -> Interval | str:
        if se is None:
            return "all items belong to one cluster, and nothing shows how clusters differ"
        if se == 0:
            return "verdicts and labels show no variation to measure"
        if self.cluster is None:
            method, half = "PPI++", normal_quantile((1 + level) / 2) * se
        else:
            clusters = np.unique(self.cluster).size
            method, half = f"PPI++, {clusters} clusters", t_two_sided_quantile(level, clusters - 1) * se
        return Interval(max(0.0, min(1.0, value - half)), min(1.0, max(0.0, value + half)), level, method)


@dataclass(frozen=True, repr=False, kw_only=True)
class CorrectedRate(Estimate):
    """A pass rate corrected for the judge's error rates; `n` counts the verdicts corrected.

    Attributes:
        observed: share of passes among the verdicts.
        sensitivity: share of the labelled passes that the judge passes.
        specificity: share of the labelled failures that the judge fails.
    """

    observed: Estimate
    sensitivity: Estimate
    specificity: Estimate

    def _facts(self) -> list[str]:
        return [f"{self.observed!r}", f"{self.sensitivity!r}", f"{self.specificity!r}"]


def rogan_gladen(
    judge: Column, *, labelled_judge: Column, labelled_human: Column, level: float = 0.95
) -> CorrectedRate:
    """The pass rate corrected by the judge's sensitivity and specificity (Rogan & Gladen 1978).

    (p + specificity - 1) / (sensitivity + specificity - 1), cut at 0 and 1, with the interval of Lee et al. 2025
    (arXiv:2511.21140). For labels that are not a random sample of the judged items: drawn by class, or made for other
    systems. It then rests on the judge erring as often here as there, which other systems' answers may break; where
    labels are a random sample, `pass_rate` is narrower and needs no such faith.

    Args:
        judge: verdicts to be corrected, True or False (1 or 0); None where the judge failed (left out and counted).
        labelled_judge: verdicts on the labelled items.
        labelled_human: labels of the labelled items, as many; pairs with a None are left out.
        level: confidence level.

    Raises:
        DataError: unequal lengths, or a value that is not true or false.
        ConfigError: the level out of range.
    """
    coded = code_labels({"labelled_judge": labelled_judge, "labelled_human": labelled_human}, (False, True))
    observed = proportion(judge, level=level, name="verdicts that pass")
    found, missed = (
        replace(class_rate(rate, coded, None, level), name=name)
        for rate, name in (("tpr", "sensitivity"), ("tnr", "specificity"))
    )
    result = CorrectedRate(
        name="corrected pass rate",
        value=None,
        interval=None,
        n=observed.n,
        missing=observed.missing,
        observed=observed,
        sensitivity=found,
        specificity=missed,
    )
    for part in (observed, found, missed):
        if part.value is None:
            return replace(result, reason=f"the {part.name} is unknown: {part.reason}")
    counts = [(part.value or 0.0, part.n) for part in (observed, found, missed)]
    (p, _), (tpr, _), (tnr, _) = counts
    if tpr + tnr <= 1:
        reason = f"sensitivity {shown(tpr)} and specificity {shown(tnr)} are no better than chance"
        return replace(result, reason=reason)
    value = min(1.0, max(0.0, (p + tnr - 1) / (tpr + tnr - 1)))
    bounds = interval_or_reason(_corrected_interval(counts, level))
    return replace(result, value=value, **bounds)


def _corrected_interval(counts: list[tuple[float, int]], level: float) -> Interval | str:
    """Delta-method interval around the estimate from smoothed rates: Agresti-Coull for the verdicts, add one success
    and one failure for the two error rates, and the second-order shift that smoothing leaves."""
    z2 = normal_quantile((1 + level) / 2) ** 2
    (p, n), (tpr, positives), (tnr, negatives) = counts
    p, n_p = (n * p + z2 / 2) / (n + z2), n + z2
    tpr, n_tpr = (positives * tpr + 1) / (positives + 2), positives + 2
    tnr, n_tnr = (negatives * tnr + 1) / (negatives + 2), negatives + 2
    youden = tpr + tnr - 1
    if youden <= 0:
        return "too few labels to tell the judge from chance"
    rate = (p + tnr - 1) / youden
    v_tpr, v_tnr = tpr * (1 - tpr) / n_tpr, tnr * (1 - tnr) / n_tnr
    center = rate + 2 * z2 * (rate * v_tpr - (1 - rate) * v_tnr)
    half = math.sqrt(z2 * (p * (1 - p) / n_p + rate**2 * v_tpr + (1 - rate) ** 2 * v_tnr)) / youden
    low, high = (min(1.0, max(0.0, end)) for end in (center - half, center + half))
    return Interval(low, high, level, "Rogan-Gladen, smoothed")
