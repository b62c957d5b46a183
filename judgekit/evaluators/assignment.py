"""The assignment problem: give each row a column of its own so that the weights add up to the most."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

__all__ = ["assign"]

_UNREACHED = 1 << 62


def assign(weights: Sequence[Sequence[int]]) -> list[int]:
    """Return the column of each row, so that no column is taken twice and no other choice has a larger total.

    The Hungarian method (Kuhn 1955) by shortest augmenting paths (Jonker & Volgenant 1987), which takes time in the order
    of rows² x columns at worst. Rows whose best column is free take it at once and cost one look.

    Args:
        weights: a matrix of whole numbers below 2**53 with at least as many columns as rows.
    """
    search = _Search(weights)
    for row in [row for row in range(len(weights)) if not search.take(row)]:
        search.augment(row)
    return search.columns()


class _Search:
    """A partial assignment with its dual prices: no cost is below the sum of its row's and its column's price, and the
    cost of every pair in the assignment is that sum."""

    def __init__(self, weights: Sequence[Sequence[int]]) -> None:
        import numpy as np

        self._np: Any = np
        table = np.array(weights, dtype=np.int64)
        self._cost = table.max() - table
        self._row_price = self._cost.min(axis=1)
        self._column_price = np.zeros(self._cost.shape[1], dtype=np.int64)
        self._owner = np.full(self._cost.shape[1], -1)
        self._held = np.full(self._cost.shape[0], -1)

    def columns(self) -> list[int]:
        """The column of each row."""
        return [int(column) for column in self._held]

    def take(self, row: int) -> bool:
        """Give the row the first of its best columns that is free; whether there was one."""
        best = (self._cost[row] == self._row_price[row]) & (self._owner < 0)
        column = int(best.argmax())
        if best[column]:
            self._owner[column], self._held[row] = row, column
        return bool(best[column])

    def augment(self, start: int) -> None:
        """Give the row a column, on the way that costs the least: its owner moves to another, and so on.

        Columns are reached in the order of their distance, all of one distance in one step.
        """
        np, columns = self._np, self._np.arange(len(self._owner))
        distance = np.full(len(columns), _UNREACHED)
        ahead = np.ones(len(columns), dtype=bool)
        came_from = np.full(len(columns), start)
        rows, reached = np.array([start]), 0
        while True:
            through = self._cost[rows] - self._row_price[rows, None]
            best = through.argmin(axis=0)
            length = through[best, columns] - self._column_price + reached
            nearer = ahead & (length < distance)
            distance[nearer] = length[nearer]
            came_from[nearer] = rows[best[nearer]]
            reached = distance[ahead].min()
            nearest = np.flatnonzero(ahead & (distance == reached))
            rows = self._owner[nearest]
            if (rows < 0).any():
                break
            ahead[nearest] = False
        self._reprice(start, np.flatnonzero(~ahead), distance, reached)
        self._flip(start, int(nearest[rows < 0][0]), came_from)

    def _reprice(self, start: int, passed: Any, distance: Any, reached: int) -> None:
        saved = reached - distance[passed]
        self._column_price[passed] -= saved
        self._row_price[self._owner[passed]] += saved
        self._row_price[start] += reached

    def _flip(self, start: int, column: int, came_from: Any) -> None:
        row = -1
        while row != start:
            row = int(came_from[column])
            self._owner[column] = row
            self._held[row], column = column, int(self._held[row])
