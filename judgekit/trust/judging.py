"""`evaluate_judge`: hold a judge against people."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from judgekit.errors import DataError
from judgekit.stats import Estimate
from judgekit.stats.inputs import Column, Label
from judgekit.trust.people import read_people
from judgekit.trust.report import JudgeReport
from judgekit.trust.trial import Trial
from judgekit.trust.verdicts import Reading, verdicts_of
from judgekit.trust.words import undefined

__all__ = ["evaluate_judge"]


def evaluate_judge(
    judge: Any,
    humans: Any,
    *,
    scale: Sequence[Label] | None = None,
    cluster: Column | None = None,
    group: Column | None = None,
    items: Iterable[Any] | None = None,
    key: str | None = None,
    reading: Reading | None = None,
    positive: Label | None = None,
    epsilon: float = 0.2,
    level: float = 0.95,
    resamples: int = 2_000,
) -> JudgeReport:
    """Say how far a judge agrees with people, each number with its interval.

    Args:
        judge: a column of verdicts, one an item, None where there is none; raw replies, with `reading`; the `Results` of
            a run, with `key` where it has several; or an evaluator, which is run on `items`.
        humans: a column of labels; or several, one a rater, as a list, a mapping by name or a DataFrame; None where there
            is none. With several the judge is held against the label that most of them gave, on a scale against their
            median; correlations and bias are against their mean.
        scale: all labels from the lowest to the highest. Leave it out for labels without an order (A, B, tie), and for
            scores that are no labels (0.73).
        cluster: what the items belong to, one an item (a question, a document), where these are alike; all intervals then
            allow for it.
        group: a group for each item (a document that several systems answered), inside which rank correlations are
            taken besides.
        items: rows for an evaluator, as `judgekit.evaluate` takes them.
        key: which score of a run.
        reading: verdict -> the regular expression that finds it in a reply; exactly one may be found in it.
        positive: which of two labels is a hit; by default True or 1 of (False, True), and the upper one of a scale.
        epsilon: what the judge's lower cost is worth in the alternative annotator test: 0.2 when the raters are experts,
            0.15 when skilled, 0.1 when crowd workers.
        level: confidence level.
        resamples: number of bootstrap samples.

    Raises:
        ConfigError: an option out of range, or an evaluator without `items`.
        DataError: columns of unequal lengths, labels off the scale, or verdicts and labels of two kinds.
    """
    verdicts = verdicts_of(judge, items=items, key=key, reading=reading)
    people = read_people(humans, scale)
    if len(verdicts) != len(people):
        raise DataError(
            f"The judge has {len(verdicts)} verdicts and people {len(people)} labels: give one of each for every item."
        )
    trial = Trial(verdicts, people, scale, cluster, level, resamples)
    tpr, tnr = trial.rates(positive)
    spearman, kendall = trial.correlations(None)
    spearman_within, kendall_within = _within(trial, group)
    return JudgeReport(
        n=trial.complete,
        items=len(verdicts),
        failures=verdicts.failures,
        unlabelled=sum(label is None for label in people.labels) - people.split,
        split=people.split,
        coverage=trial.coverage(),
        accuracy=trial.accuracy(),
        tpr=tpr,
        tnr=tnr,
        kappa=trial.kappa(),
        ac=trial.ac(),
        alpha=trial.alpha(),
        spearman=spearman,
        kendall=kendall,
        spearman_within=spearman_within,
        kendall_within=kendall_within,
        bias=trial.bias(),
        alt_test=trial.alt_test(epsilon),
        confusion=trial.confusion(),
    )


def _within(trial: Trial, group: Column | None) -> list[Estimate]:
    """The rank correlations inside the groups."""
    names = ("Spearman correlation in groups", "Kendall's tau-b in groups")
    if group is None:
        return [undefined(name, "no groups; give group=, one for each item") for name in names]
    return [replace(found, name=name) for found, name in zip(trial.correlations(group), names, strict=True)]
