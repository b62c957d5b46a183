"""Does a pairwise judge prefer the place an answer stands in?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from judgekit.stats.compare import mcnemar_p
from judgekit.stats.inputs import Column, cluster_codes, equal_lengths, optional_numbers, unit_values
from judgekit.stats.intervals import mean, proportion
from judgekit.stats.result import Estimate

__all__ = ["PositionBias", "position_bias"]


@dataclass(frozen=True, repr=False, kw_only=True)
class PositionBias(Estimate):
    """A pairwise judge asked in both orders; `value` is its consistency, the share of pairs with the same verdict.

    Attributes:
        first_rate: share of the verdicts, ties aside, for the answer shown first; 0.5 without bias.
        fairness: flips to the second place minus flips to the first, per pair; 0 without bias, below 0 when the
            first place is preferred.
        flips_to_first: pairs in which whatever stood first won both times.
        flips_to_second: pairs in which whatever stood second won both times.
        p_value: McNemar's exact test that flips go either way alike; None when there is no pair.
    """

    first_rate: Estimate
    fairness: Estimate
    flips_to_first: int
    flips_to_second: int
    p_value: float | None = None

    def _facts(self) -> list[str]:
        flips = f"{self.flips_to_first} flips to the first place and {self.flips_to_second} to the second"
        return [
            flips if self.p_value is None else f"{flips} (p = {self.p_value:.3g})",
            f"{self.first_rate!r}",
        ]


def position_bias(
    as_given: Column, swapped: Column, *, cluster: Column | None = None, level: float = 0.95
) -> PositionBias:
    """How a pairwise judge's verdicts change when the two answers change places (Wang et al. 2023; Shi et al. 2024).

    Args:
        as_given: verdict on each pair with answer A shown first: 1 for A, 0 for B, 0.5 for a tie; None where the
            judge failed. Values between are taken as a preference for the nearer side.
        swapped: verdict on the same pairs with answer B shown first, still 1 for A and 0 for B.
        cluster: what the pairs belong to, one a pair.
        level: confidence level.

    Raises:
        DataError: unequal lengths, or a verdict outside [0, 1].
        ConfigError: the level out of range.
    """
    equal_lengths(as_given=as_given, swapped=swapped)
    given, turned = optional_numbers(as_given, "as_given"), optional_numbers(swapped, "swapped")
    unit_values(given, "as_given", binary=False)
    unit_values(turned, "swapped", binary=False)
    kept = ~np.isnan(given + turned)
    codes = cluster_codes(cluster, kept.size)
    groups = np.arange(kept.size)[kept] if codes is None else codes[kept]
    of = None if codes is None else groups
    a, b = np.sign(given[kept] - 0.5), np.sign(turned[kept] - 0.5)
    to_first, to_second = (a > 0) & (b < 0), (a < 0) & (b > 0)
    consistency = proportion(a == b, cluster=of, level=level, name="consistency under swapping")
    shown_first = np.concatenate([a, -b])
    decided = shown_first != 0
    first_rate = proportion(
        shown_first[decided] > 0,
        cluster=np.tile(groups, 2)[decided],
        level=level,
        name="rate of the first place",
    )
    fairness = mean(
        to_second.astype(np.float64) - to_first, cluster=of, level=level, name="preference fairness"
    )
    flips = int(to_first.sum()), int(to_second.sum())
    return PositionBias(
        name=consistency.name,
        value=consistency.value,
        interval=consistency.interval,
        n=consistency.n,
        missing=int((~kept).sum()),
        reason=consistency.reason,
        first_rate=first_rate,
        fairness=fairness,
        flips_to_first=flips[0],
        flips_to_second=flips[1],
        p_value=mcnemar_p(*flips) if consistency.n else None,
    )
