"""The alternative annotator test: may this judge stand in for the human annotators?"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from judgekit.errors import ConfigError
from judgekit.stats.compare import benjamini_yekutieli
from judgekit.stats.inputs import (
    Column,
    FloatArray,
    Rng,
    code_labels,
    equal_lengths,
    one_of,
    optional_numbers,
    share,
    whole,
)
from judgekit.stats.resampling import Plan, ratio
from judgekit.stats.result import Estimate
from judgekit.stats.special import t_upper_tail
from judgekit.stats.sums import ItemSums

__all__ = ["Alignment", "AltTest", "alt_test"]

Alignment = Literal["accuracy", "neg_rmse"]


@dataclass(frozen=True, repr=False, kw_only=True)
class AltTest(Estimate):
    """The outcome of the alternative annotator test; `value` is the average advantage probability.

    Attributes:
        winning_rate: share of the annotators that the judge is at least as good as, less epsilon; None when no
            annotator has enough items.
        passed: whether the winning rate is at least one half.
        advantage: for each annotator, the share of items on which the judge aligns with the other annotators at
            least as well as this one does.
        p_values: for each annotator, that the judge is not as good, adjusted for all annotators.
        epsilon: what the judge's lower cost is worth, in advantage.
        skipped: annotators with too few items.
    """

    winning_rate: float | None = None
    passed: bool | None = None
    advantage: Mapping[str, float]
    p_values: Mapping[str, float]
    epsilon: float
    skipped: tuple[str, ...] = ()

    def _facts(self) -> list[str]:
        if self.winning_rate is None:
            return []
        outcome = "passed" if self.passed else "failed"
        return [
            f"beats {self.winning_rate:.0%} of {len(self.advantage)} annotators at epsilon {self.epsilon:g}: {outcome}"
        ]

    def to_dict(self) -> dict[str, Any]:
        """The fields as JSON values."""
        return {
            **vars(self),
            "interval": self.interval and self.interval.to_dict(),
            "skipped": list(self.skipped),
        }


def alt_test(
    judge: Column,
    humans: Mapping[str, Column],
    *,
    alignment: Alignment = "accuracy",
    epsilon: float = 0.2,
    q: float = 0.05,
    least_items: int = 30,
    cluster: Column | None = None,
    level: float = 0.95,
    resamples: int = 2_000,
    rng: Rng = 0,
) -> AltTest:
    """Compare the judge with each human, by how well either aligns with the remaining humans.

    Calderon, Reichart & Dror, "The Alternative Annotator Test for LLM-as-a-Judge", 2025 (arXiv:2501.10970). Each
    human is left out in turn, a one-sided t test asks whether the judge's disadvantage is below epsilon, and the
    p-values are held to a false discovery rate of q (Benjamini & Yekutieli).

    Args:
        judge: the judge's labels, one an item; None where there is none.
        humans: the labels of two or more annotators by name, each one an item; None where there is none. Only items
            with two or more human labels count.
        alignment: `accuracy`, the share of the remaining humans with the same label; or `neg_rmse`, minus the root
            mean squared distance to theirs, for numbers.
        epsilon: 0.2 when the humans are experts, 0.15 when skilled, 0.1 when crowd workers.
        q: false discovery rate.
        least_items: annotators with fewer items are skipped.
        cluster: what the items belong to, for the interval of the advantage probability.
        level: confidence level of that interval.
        resamples: number of bootstrap samples.
        rng: a seed or a generator.

    Raises:
        ConfigError: fewer than two humans, or an option out of range.
        DataError: unequal lengths, or labels that cannot be compared.
    """
    one_of(alignment, "alignment", ("accuracy", "neg_rmse"))
    share(q, "q")
    if not 0 <= epsilon < 1:
        msg = f"epsilon={epsilon!r} must lie in [0, 1); the paper suggests 0.2, 0.15 or 0.1"
        raise ConfigError(msg)
    whole(least_items, "least_items", least=2)
    if len(humans) < 2:
        msg = f"the test leaves one human out at a time, so humans needs at least two, here {len(humans)}"
        raise ConfigError(msg)
    as_good, behind = _duels(*_numbers(judge, humans, alignment), alignment)
    names = dict(zip(humans, (~np.isnan(as_good)).sum(axis=1) >= least_items, strict=True))
    tested = np.array(list(names.values()))
    skipped = tuple(name for name, enough in names.items() if not enough)
    wins = as_good[tested]
    used = np.asarray((~np.isnan(wins)).any(axis=0))
    features = np.concatenate([np.nan_to_num(wins), ~np.isnan(wins)]).T
    found = ItemSums.of(features, used, cluster).estimate(
        "advantage probability",
        lambda sums: np.asarray(ratio(*np.split(sums, 2, axis=1)).mean(axis=1)),
        Plan(level=level, resamples=resamples, rng=rng),
        undefined="",
    )
    if not tested.any():
        reason = f"no annotator shares {least_items} items with the judge and another annotator"
        return AltTest(
            name=found.name, value=None, interval=None, n=0, missing=found.missing, reason=reason,
            advantage={}, p_values={}, epsilon=epsilon, skipped=skipped,
        )  # fmt: skip
    kept = [name for name, enough in names.items() if enough]
    p_values = benjamini_yekutieli([_disadvantage_p(row, epsilon) for row in behind[tested]])
    winning_rate = sum(p <= q for p in p_values) / len(kept)
    return AltTest(
        name=found.name, value=found.value, interval=found.interval, n=found.n, missing=found.missing,
        reason=found.reason, winning_rate=winning_rate, passed=winning_rate >= 0.5,
        advantage=dict(zip(kept, np.nanmean(wins, axis=1).tolist(), strict=True)),
        p_values=dict(zip(kept, p_values, strict=True)), epsilon=epsilon, skipped=skipped,
    )  # fmt: skip


def _numbers(
    judge: Column, humans: Mapping[str, Column], alignment: Alignment
) -> tuple[FloatArray, FloatArray]:
    """(items,) the judge's and (annotators, items) the humans' labels as numbers, NaN where there is none."""
    columns = {"judge": judge, **{f"humans[{name!r}]": labels for name, labels in humans.items()}}
    if alignment == "accuracy":
        codes = code_labels(columns, None).codes
        table = np.where(codes >= 0, codes, np.nan)
    else:
        equal_lengths(**columns)
        table = np.stack([optional_numbers(values, name) for name, values in columns.items()])
    return table[0], table[1:]


def _duels(judge: FloatArray, humans: FloatArray, alignment: Alignment) -> tuple[FloatArray, FloatArray]:
    """For each annotator left out and each item, whether the judge is as good (0 or 1), and by how much it is worse.

    The second is the annotator's indicator of being as good minus the judge's: -1, 0 or 1. NaN where the judge, the
    annotator, or all others gave no label.
    """
    as_good, behind = np.full(humans.shape, np.nan), np.full(humans.shape, np.nan)
    for left_out, own in enumerate(humans):
        others = np.delete(humans, left_out, axis=0)
        mine, theirs = _misfit(judge, others, alignment), _misfit(own, others, alignment)
        usable = ~np.isnan(mine + theirs)
        as_good[left_out, usable] = (mine <= theirs)[usable]
        behind[left_out, usable] = ((theirs <= mine).astype(np.float64) - (mine <= theirs))[usable]
    return as_good, behind


def _misfit(labels: FloatArray, others: FloatArray, alignment: Alignment) -> FloatArray:
    """Mean distance of each label to the others' labels of the same item; NaN where either is missing."""
    off = others - labels
    distance = np.where(np.isnan(off), np.nan, off != 0) if alignment == "accuracy" else off**2
    return ratio(np.nansum(distance, axis=0), (~np.isnan(distance)).sum(axis=0))


def _disadvantage_p(behind: FloatArray, epsilon: float) -> float:
    """One-sided t test that the judge's mean disadvantage is epsilon or more."""
    values = behind[~np.isnan(behind)]
    excess, spread = float(values.mean()) - epsilon, float(values.std(ddof=1))
    if spread == 0:
        return 0.0 if excess < 0 else 1.0
    return t_upper_tail(-excess / (spread / math.sqrt(values.size)), values.size - 1)
