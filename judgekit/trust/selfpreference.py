"""Does a judge favor its own model's answers, beyond what they deserve?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from judgekit import stats
from judgekit.errors import DataError
from judgekit.stats import Estimate
from judgekit.trust.subject import Grader, Matcher

__all__ = ["self_preference"]


def self_preference(
    judge: Grader | Matcher, second: Grader | Matcher, own: Sequence[Any], *, level: float
) -> Estimate:
    """How much more than the second judge the judge thinks of its own model's answers; 0 without self-preference.

    The second judge stands for what the answers deserve, since a model that is good both writes and judges well. Of single
    answers it is the difference of differences, which a judge that is lenient throughout does not raise; t interval.

    Args:
        judge: the judge.
        second: the other judge, with the same items.
        own: for single answers, whether each is from the judge's own model; for pairs, the place of its answer or None.
        level: confidence level.

    Raises:
        DataError: not one entry an item, or single answers that are all its own or none.
    """
    if len(own) != len(judge.items):
        raise DataError(f"own= has {len(own)} entries for {len(judge.items)} items: give one for each.")
    ahead = [None if a is None or b is None else a - b for a, b in zip(judge.base, second.base, strict=True)]
    if isinstance(judge, Matcher):
        turned = [
            None if off is None or place is None else off if place else -off
            for off, place in zip(ahead, own, strict=True)
        ]
        return stats.mean(turned, level=level, name="own answers preferred beyond a second judge")
    return stats.mean(_contrasts(ahead, own), level=level, name="own answers favored beyond a second judge")


def _contrasts(ahead: Sequence[float | None], own: Sequence[Any]) -> list[float | None]:
    """Numbers whose mean is the mean over own answers less the mean over the others."""
    sides = [
        [off for off, mine in zip(ahead, own, strict=True) if off is not None and bool(mine) is side]
        for side in (False, True)
    ]
    if not all(sides):
        raise DataError("own= must mark some answers as the judge's own and some as another's.")
    total = sum(map(len, sides))
    center = sum(map(sum, sides)) / total  # moves no mean, and takes out what varies for no reason
    return [
        None
        if off is None
        else (off - center)
        * total
        / len(sides[True])
        * (1 if mine else -len(sides[True]) / len(sides[False]))
        for off, mine in zip(ahead, own, strict=True)
    ]
