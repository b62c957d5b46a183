"""What is known of a judge once it was held against people: `JudgeReport`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from judgekit.runner.tables import times
from judgekit.stats import AltTest, Confusion, Estimate, labels_to_halve
from judgekit.trust.words import as_data, coefficient, estimates_table, percent

__all__ = ["JudgeReport"]


@dataclass(frozen=True, repr=False, kw_only=True)
class JudgeReport:
    """How far a judge agrees with people. `repr()` is a sentence, `str()` a table.

    Every statistic is an `Estimate` with `.value`, `.interval`, `.n`, and `.reason` where it is undefined. Items
    without a verdict or without a label are counted, and no statistic takes them for anything.

    Attributes:
        n: items with both a verdict and a label.
        items: items in all.
        failures: why there is no verdict -> how often.
        unlabelled: items that nobody labelled.
        split: items on which people gave labels and none prevails.
        coverage: share of the items that have a verdict.
        accuracy: share of equal labels.
        tpr: share of people's positives that the judge finds.
        tnr: share of people's negatives that the judge finds.
        kappa: Cohen's; with quadratic weights on a declared scale.
        ac: Gwet's AC1, or AC2 with quadratic weights on a declared scale; a skewed base rate does not collapse it.
        alpha: Krippendorff's, among the people alone: as far as people agree, and so the most to be hoped for.
        spearman: rank correlation over all items.
        kendall: tau-b over all items.
        spearman_within: mean of the rank correlations inside each group; undefined without groups.
        kendall_within: the same of tau-b.
        bias: mean of judge minus people; above 0 the judge is lenient.
        alt_test: the alternative annotator test, which takes three raters; None with fewer.
        confusion: counts of label pairs; None for scores that are no labels.
    """

    n: int
    items: int
    failures: Mapping[str, int]
    unlabelled: int
    split: int
    coverage: Estimate
    accuracy: Estimate
    tpr: Estimate
    tnr: Estimate
    kappa: Estimate
    ac: Estimate
    alpha: Estimate
    spearman: Estimate
    kendall: Estimate
    spearman_within: Estimate
    kendall_within: Estimate
    bias: Estimate
    alt_test: AltTest | None
    confusion: Confusion | None

    @property
    def unparsed(self) -> int:
        """Items for which the judge gave no verdict."""
        return sum(self.failures.values())

    @property
    def estimates(self) -> dict[str, Estimate]:
        """Field -> estimate, in the order of the fields."""
        return {name: value for name, value in vars(self).items() if isinstance(value, Estimate)}

    @property
    def labels_to_halve(self) -> dict[str, int | None]:
        """Field -> how many labels in all would make the interval half as wide; None where there is no interval."""
        return {name: labels_to_halve(value) for name, value in self.estimates.items()}

    def to_dict(self) -> dict[str, Any]:
        """The fields as JSON values, with `unparsed` and `labels_to_halve`."""
        found = {name: as_data(value) for name, value in vars(self).items()}
        return {**found, "unparsed": self.unparsed, "labels_to_halve": self.labels_to_halve}

    def __repr__(self) -> str:
        told = [f"{self._headline()} on {self.n} items"]
        if self.accuracy.value is not None:
            told.append(f"the same verdict on {percent(self.accuracy)}")
        if self.tpr.value is not None and self.tnr.value is not None:
            told.append(
                f"finds {percent(self.tpr)} of the positives and {percent(self.tnr)} of the negatives"
            )
        if self.unparsed:
            told.append(f"no verdict on {self.unparsed} of {self.items}")
        if self.alpha.value is not None:
            told.append(f"people agree with each other at alpha {coefficient(self.alpha)}")
        if self.alt_test is not None and self.alt_test.winning_rate is not None:
            done = "passes" if self.alt_test.passed else "fails"
            beaten = f"{100 * self.alt_test.winning_rate:.0f} % of the annotators"
            told.append(f"{done} the alternative annotator test, as good as {beaten}")
        return f"<JudgeReport: {'; '.join(told)}>"

    def _headline(self) -> str:
        if self.kappa.value is not None:
            return f"agrees with people at kappa {coefficient(self.kappa)}"
        if self.accuracy.value is None and self.spearman.value is not None:
            return f"ranks as people do at Spearman {coefficient(self.spearman)}"
        return f"agreement with people is unknown ({self.kappa.reason})"

    def __str__(self) -> str:
        facts = [f"{self.n} of {self.items} items have a verdict and a label"]
        if self.failures:
            facts.append(f"no verdict: {times(self.failures)}")
        if self.unlabelled:
            facts.append(f"no label: {self.unlabelled}")
        if self.split:
            facts.append(f"people split: {self.split}")
        return f"{'; '.join(facts)}\n\n{estimates_table(self.estimates.values())}"
