"""How many labels it takes, and when one may stop labelling."""

from __future__ import annotations

from typing import Literal

from judgekit import stats
from judgekit.errors import ConfigError
from judgekit.stats import Monitored, SampleSize
from judgekit.stats.inputs import Column, Label
from judgekit.trust.verdicts import column

__all__ = ["power", "sequential"]

Goal = Literal["kappa", "rate", "difference"]

_EXPECTED = {"kappa": 0.7, "rate": 0.5, "difference": 0.25}


def power(
    goal: Goal,
    within: float,
    *,
    expected: float | None = None,
    prevalence: float = 0.5,
    design_effect: float = 1.0,
    chance: float = 0.8,
    level: float = 0.95,
) -> SampleSize:
    """How many labelled items it takes.

    Args:
        goal: `kappa`, to know a yes/no judge's kappa within `within` on either side (Fleiss, Cohen & Everitt 1969);
            `rate`, to know an accuracy or a pass rate so (Wilson); `difference`, to find that two judges or systems differ
            by `within` on the same items (Miller 2024).
        within: the half width, or the difference.
        expected: the kappa (0.7) or the rate (0.5, which takes the most items) that will be found; of a difference the
            variance over items (0.25).
        prevalence: how often people say yes; for kappa.
        design_effect: by how much clusters inflate the variance, 1 for independent items.
        chance: that a true difference is found.
        level: confidence level.

    Raises:
        ConfigError: a goal that is none of these, or a number out of range.
    """
    if goal not in _EXPECTED:
        raise ConfigError(f"goal={goal!r} is none of {', '.join(map(repr, _EXPECTED))}.")
    about = _EXPECTED[goal] if expected is None else expected
    if goal == "kappa":
        return stats.sample_size_kappa(
            within, kappa=about, prevalence=prevalence, design_effect=design_effect, level=level
        )
    if goal == "rate":
        return stats.sample_size_proportion(within, expected=about, design_effect=design_effect, level=level)
    return stats.sample_size_paired(
        within, variance=about, design_effect=design_effect, level=level, power=chance
    )


def sequential(verdicts: Column, labels: Column, *, above: float, level: float = 0.95) -> Monitored:
    """Watch, label by label, whether the judge agrees with people more often than `above`.

    The interval is valid at every number of labels at once (Robbins 1970), so one may look after each and stop when
    `.side` is no longer None.

    Args:
        verdicts: the judge's, one an item, None where there is none.
        labels: people's of the same items, in the order in which they came, None where there is none yet. Items without
            both are left out.
        above: the share of agreement that matters.
        level: confidence level, for all labels together.

    Raises:
        DataError: columns of unequal lengths.
        ConfigError: a number out of range.
    """
    stats.accuracy(
        column(verdicts), column(labels)
    )  # the lengths and the kinds of label fit, or say how they do not
    pairs = zip(column(verdicts), column(labels), strict=True)
    same: list[Label] = [
        verdict == label for verdict, label in pairs if verdict is not None and label is not None
    ]
    return stats.monitor(same, threshold=above, level=level)
