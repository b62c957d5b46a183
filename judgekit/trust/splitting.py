"""Random parts of the items, clusters whole."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from judgekit.errors import DataError
from judgekit.stats.inputs import Column, cluster_codes

__all__ = ["parts", "picked"]


def parts(n: int, share: Sequence[int], *, cluster: Column | None, seed: int) -> list[int]:
    """Which part each of n items is in: as many parts as there are shares, and of these proportions.

    Args:
        n: how many items.
        share: the sizes of the parts relative to each other.
        cluster: what the items belong to; a cluster is never divided.
        seed: of the shuffle.

    Raises:
        DataError: fewer items or clusters than parts.
    """
    codes = cluster_codes(cluster, n)
    owner = list(range(n)) if codes is None else codes.tolist()
    units = sorted(set(owner))
    if len(units) < len(share):
        raise DataError(
            f"{len(units)} items or clusters cannot be divided into {len(share)} parts: more are needed."
        )
    random.Random(seed).shuffle(units)  # noqa: S311  # a split, not a secret
    place = [part for part, size in enumerate(share) for _ in range(size)]
    of = {unit: place[rank % len(place)] for rank, unit in enumerate(units)}
    return [of[unit] for unit in owner]


def picked(values: Sequence[Any], chosen: Sequence[bool]) -> list[Any]:
    """The values that were chosen."""
    return [value for value, keep in zip(values, chosen, strict=True) if keep]
