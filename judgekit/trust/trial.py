"""A judge's verdicts beside people's labels, and each statistic of the two."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

from judgekit import stats
from judgekit.stats import AltTest, Confusion, Estimate
from judgekit.stats.inputs import Column, Label, kind_of
from judgekit.trust.people import People, numbering
from judgekit.trust.verdicts import Verdicts
from judgekit.trust.words import undefined

__all__ = ["Trial"]

_SCORES = "scores such as 0.73 are no labels; round them"
_WORDS = "words have no order; give scale= if these have one"


@dataclass(frozen=True)
class Trial:
    """What is compared and how: `scale` is None for labels without an order and for scores that are no labels."""

    verdicts: Verdicts
    people: People
    scale: Sequence[Label] | None = None
    cluster: Column | None = None
    level: float = 0.95
    resamples: int = 2_000

    @property
    def complete(self) -> int:
        """How many items have both a verdict and a label."""
        pairs = zip(self.verdicts.values, self.people.labels, strict=True)
        return sum(verdict is not None and label is not None for verdict, label in pairs)

    def coverage(self) -> Estimate:
        """The share of items with a verdict."""
        parsed = [value is not None for value in self.verdicts.values]
        return stats.proportion(parsed, cluster=self.cluster, level=self.level, name="coverage")

    def accuracy(self) -> Estimate:
        if self._scores:
            return undefined("accuracy", _SCORES)
        return stats.accuracy(*self._pair, cluster=self.cluster, level=self.level)

    def rates(self, positive: Label | None) -> tuple[Estimate, Estimate]:
        """Sensitivity and specificity."""
        hit, reason = self._positive(positive)
        if reason is not None:
            return undefined("tpr", reason), undefined("tnr", reason)
        rate = stats.binary_agreement(
            *self._pair, positive=hit, cluster=self.cluster, level=self.level, resamples=100
        )
        return rate.tpr, rate.tnr

    def _positive(self, positive: Label | None) -> tuple[Label, str | None]:
        seen = self._seen
        labels = seen if self.scale is None else set(self.scale)
        if len(labels | ({positive} if positive is not None else set())) > 2:
            return positive, "it takes two labels, and there are more"
        if positive is not None:
            return positive, None
        if self.scale is not None:
            return self.scale[-1], None
        if labels <= {0, 1}:
            return True, None
        return None, "either label may be the hit; say which with positive="

    def kappa(self) -> Estimate:
        if self._scores:
            return undefined("kappa", _SCORES)
        return stats.cohen_kappa(*self._pair, weights=self._weights, scale=self.scale, **self._plan)

    def ac(self) -> Estimate:
        if self._scores:
            return undefined("Gwet's AC1", _SCORES)
        return stats.gwet_ac(*self._pair, weights=self._weights, scale=self.scale, **self._plan)

    def alpha(self) -> Estimate:
        """Krippendorff's alpha among the people: nominal, ordinal on a scale, interval for scores."""
        metric: Literal["nominal", "ordinal", "interval"] = (
            "interval" if self._scores else "nominal" if self.scale is None else "ordinal"
        )
        name = f"alpha among people ({metric})"
        if len(self.people.raters) < 2:
            return undefined(name, "one rater shows nothing of how far people agree; give several columns")
        found = stats.krippendorff_alpha(
            *self.people.raters.values(), metric=metric, scale=self.scale, **self._plan
        )
        return replace(found, name=name)

    def correlations(self, group: Column | None) -> tuple[Estimate, Estimate]:
        """Spearman's and Kendall's correlation, pooled or inside the groups."""
        numbers = self._numbers
        names = ("Spearman correlation", "Kendall's tau-b")
        if numbers is None:
            return undefined(names[0], _WORDS), undefined(names[1], _WORDS)
        cluster = self.cluster if group is None else None
        how: dict[str, Any] = {
            "within": group, "cluster": cluster, "level": self.level, "resamples": self.resamples
        }  # fmt: skip
        return stats.spearman(*numbers, **how), stats.kendall_tau(*numbers, **how)

    def bias(self) -> Estimate:
        """Mean of judge minus people."""
        if self._numbers is None:
            return undefined("bias of the judge", _WORDS)
        return stats.bias(*self._numbers, cluster=self.cluster, level=self.level)

    def alt_test(self, epsilon: float) -> AltTest | None:
        """The alternative annotator test, with three raters or more."""
        if len(self.people.raters) < 3:
            return None
        how: dict[str, Any] = {"epsilon": epsilon, **self._plan}
        if self.scale is None and not self._scores:
            return stats.alt_test(self.verdicts.values, self.people.raters, **how)
        order = self._order or {}
        number = {name: _numbers(labels, order) for name, labels in self.people.raters.items()}
        return stats.alt_test(_numbers(self.verdicts.values, order), number, alignment="neg_rmse", **how)

    def confusion(self) -> Confusion | None:
        return None if self._scores else stats.confusion(*self._pair, scale=self.scale)

    @property
    def _pair(self) -> tuple[Column, Column]:
        return self.verdicts.values, self.people.labels

    @property
    def _plan(self) -> dict[str, Any]:
        return {"cluster": self.cluster, "level": self.level, "resamples": self.resamples}

    @property
    def _weights(self) -> Literal["quadratic"] | None:
        return None if self.scale is None else "quadratic"

    @cached_property
    def _seen(self) -> set[Label]:
        """The labels that were given by anyone."""
        columns = (self.verdicts.values, *self.people.raters.values())
        return {label for labels in columns for label in labels if label is not None}

    @cached_property
    def _scores(self) -> bool:
        """Whether there are scores that are no labels: no scale, and a number between the whole ones."""
        return self.scale is None and any(kind_of(label) == "number" and label % 1 for label in self._seen)  # type: ignore[operator]

    @cached_property
    def _order(self) -> Mapping[Any, float] | None:
        return numbering(self._seen, self.scale)

    @cached_property
    def _numbers(self) -> tuple[Column, Column] | None:
        """The two columns as numbers; None for words without an order."""
        order, people = self._order, self.people.numbers
        return None if order is None or people is None else (_numbers(self.verdicts.values, order), people)


def _numbers(labels: Column, order: Mapping[Any, float]) -> list[float | None]:
    return [None if label is None else order[label] for label in labels]
