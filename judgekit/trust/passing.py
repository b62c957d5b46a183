"""`pass_rate`: what share of a system's answers passes, from many verdicts and a few labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from judgekit import stats
from judgekit.errors import ConfigError, DataError
from judgekit.stats import CorrectedRate, Estimate, PassRate
from judgekit.stats.inputs import Column, Label
from judgekit.trust.verdicts import column
from judgekit.trust.words import as_data, estimates_table, percent

__all__ = ["PassRateReport", "pass_rate"]

_RANDOM = "the labelled items are a random sample of those judged"
_SAME_ERRORS = "the judge errs as often on the items judged as on those labelled"


@dataclass(frozen=True, repr=False, kw_only=True)
class PassRateReport:
    """A pass rate, and what else it could have been taken for. `repr()` is a sentence, `str()` a table.

    Attributes:
        rate: the pass rate to report: `ppi` where the labelled items were drawn at random, else `rogan_gladen`.
        ppi: verdicts and labels together (PPI++); None where the labelled items are no random sample.
        rogan_gladen: the verdicts corrected by the judge's sensitivity and specificity; None for verdicts that are
            probabilities.
        judge_only: the share of passes among the verdicts, whose interval does not know of the judge's errors.
        labels_only: the share of passes among the labels.
        condition: what `rate` rests on.
    """

    rate: Estimate
    ppi: PassRate | None
    rogan_gladen: CorrectedRate | None
    judge_only: Estimate
    labels_only: Estimate
    condition: str

    @property
    def value(self) -> float | None:
        """The pass rate."""
        return self.rate.value

    @property
    def interval(self) -> stats.Interval | None:
        """Its confidence interval."""
        return self.rate.interval

    @property
    def gain(self) -> float | None:
        """Labels that each label is worth, thanks to the verdicts; None without PPI++."""
        return None if self.ppi is None else self.ppi.gain

    def to_dict(self) -> dict[str, Any]:
        """The fields as JSON values, with `gain`."""
        return {**{name: as_data(value) for name, value in vars(self).items()}, "gain": self.gain}

    def __repr__(self) -> str:
        told = [
            f"the pass rate is {percent(self.rate)}, if {self.condition}",
            f"the judge alone says {percent(self.judge_only)}",
            f"the {self.labels_only.n} labels alone {percent(self.labels_only)}",
        ]
        if self.gain is not None:
            told.append(f"the verdicts make each label worth {self.gain:.1f}")
        return f"<PassRateReport: {'; '.join(told)}>"

    def __str__(self) -> str:
        rows = (self.ppi, self.rogan_gladen, self.judge_only, self.labels_only)
        return estimates_table(row for row in rows if row is not None)


def pass_rate(
    verdicts: Column,
    labels: Column,
    *,
    positive: Label = True,
    labelled_verdicts: Column | None = None,
    at_random: bool = True,
    cluster: Column | None = None,
    level: float = 0.95,
) -> PassRateReport:
    """The pass rate of a system from the judge's verdicts on all its answers and people's labels on some.

    Where the labelled items were drawn at random, prediction-powered inference (PPI++, Angelopoulos, Duchi & Zrnic 2023)
    is unbiased however wrong the judge is. Where they were not (drawn by class, or answers of other systems), the verdicts
    are corrected by the judge's error rates (Rogan & Gladen 1978), which supposes that it errs as often here as there.

    Args:
        verdicts: one an item, None where the judge gave none: labels of which `positive` is a pass, or probabilities of a
            pass.
        labels: people's, one an item and None where there is none; with `labelled_verdicts`, one for each of those.
        positive: the label that is a pass; True is also 1.
        labelled_verdicts: verdicts on the labelled items, where these are not among the items of `verdicts`.
        at_random: whether the labelled items were drawn at random from those judged.
        cluster: what the items of `verdicts` belong to, one an item; for PPI++, judge and labels alone.
        level: confidence level.

    Raises:
        DataError: columns of unequal lengths, or a verdict that is neither a label nor a probability.
        ConfigError: `cluster` where Rogan & Gladen's correction, which knows of none, is what is asked for.
    """
    elsewhere = labelled_verdicts is not None
    random = at_random and not elsewhere
    if cluster is not None and not random:
        raise ConfigError(
            "cluster= is for labels drawn at random; the correction by error rates knows of no clusters."
        )
    judged, people = _passes(verdicts, positive), _passes(labels, positive)
    beside = judged if labelled_verdicts is None else _passes(labelled_verdicts, positive)
    if len(beside) != len(people):
        raise DataError(
            f"There are {len(beside)} verdicts for {len(people)} labels: give one of each for every item."
        )
    ppi = stats.pass_rate(judged, people, cluster=cluster, level=level) if random else None
    corrected = None
    if all(verdict in (None, 0, 1) for verdict in (*judged, *beside)):
        corrected = stats.rogan_gladen(judged, labelled_judge=beside, labelled_human=people, level=level)
    rate: Estimate | None = corrected if ppi is None else ppi
    if rate is None:
        raise DataError(
            "Probabilities are corrected with labels drawn at random only; give verdicts that pass or fail."
        )
    return PassRateReport(
        rate=rate,
        ppi=ppi,
        rogan_gladen=corrected,
        judge_only=_alone(judged, "judge alone", cluster, level),
        labels_only=_alone(people, "labels alone", cluster if not elsewhere else None, level),
        condition=_RANDOM if random else _SAME_ERRORS,
    )


def _alone(values: list[Any], name: str, cluster: Column | None, level: float) -> Estimate:
    share = stats.proportion if all(value in (None, 0, 1) for value in values) else stats.mean
    return share(values, cluster=cluster, level=level, name=name)


def _passes(values: Column, positive: Label) -> list[Any]:
    """Passes as 1 and 0, probabilities as they are."""
    found = column(values)
    if positive in (True, 1):  # numbers already, which the statistics check
        return found
    return [None if value is None else float(value == positive) for value in found]
