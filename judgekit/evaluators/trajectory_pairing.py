"""Pair each item of one list with an item of another: as many pairs as can be, not as many as come first."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

__all__ = ["pair"]


def pair(candidates: Sequence[Sequence[int]]) -> list[int | None]:
    """Return a maximum matching of a bipartite graph.

    Found by augmenting paths (Berge, 1957), one breadth-first search for each item, so in at most items x edges steps.
    An item that has a partner keeps one, so the first without is the first that cannot be paired beside those before.

    Args:
        candidates: for each item on the left, the indices on the right that it may be paired with.

    Returns:
        For each item on the left the index of its partner, or None.
    """
    partner: list[int | None] = [None] * len(candidates)
    holder: dict[int, int] = {}
    for item in range(len(candidates)):
        _augment(item, candidates, partner, holder)
    return partner


def _augment(
    start: int, candidates: Sequence[Sequence[int]], partner: list[int | None], holder: dict[int, int]
) -> None:
    reached_from: dict[int, int] = {}
    queue = deque([start])
    while queue:
        item = queue.popleft()
        for other in candidates[item]:
            if other in reached_from:
                continue
            reached_from[other] = item
            if other in holder:
                queue.append(holder[other])
                continue
            _flip(other, reached_from, partner, holder)
            return


def _flip(end: int, reached_from: dict[int, int], partner: list[int | None], holder: dict[int, int]) -> None:
    """Pair along the path that ends at a free index; each item on it hands its old partner to the one before."""
    other: int | None = end
    while other is not None:
        item = reached_from[other]
        holder[other] = item
        partner[item], other = other, partner[item]
