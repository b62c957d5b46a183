"""From the marks of single fields to the results of a JSON match: one for each key, or one for all."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

__all__ = ["AGGREGATORS", "Cell", "Pair", "Total", "totals"]

Pair = tuple[int | None, int | None]
"""The index in the outputs and the index in the reference; None on the side that has no partner."""


class Cell(NamedTuple):
    """The mark of one field of one item.

    Attributes:
        item: the item's number among the pairs.
        place: the item's index in the outputs and in the reference, None where it has no partner; None alone for a record
            that is in no list.
        name: the field's name.
        score: from 0 to 1.
        comment: why, or None; written out when it is shown.
    """

    item: int
    place: Pair | None
    name: str
    score: float
    comment: object = None


class Total(NamedTuple):
    """Part of a result: what its key ends in, the score, and the comment."""

    name: str
    score: float
    comment: str | None


def _average(scores: Sequence[float]) -> float:
    return math.fsum(scores) / len(scores)


def _all(scores: Sequence[float]) -> float:
    return float(min(scores) == 1)


AGGREGATORS: Mapping[str, Callable[[Sequence[float]], float]] = {"average": _average, "all": _all}

_MOST_COMMENTS = 10


def totals(cells: Sequence[Cell], aggregator: str | None, list_aggregator: str) -> list[Total]:
    """Aggregate: without `aggregator` each name over all items, with it each item, then the items.

    Args:
        cells: at least one.
        aggregator: over the fields of one item; None keeps the names apart, and sorts them.
        list_aggregator: over the items of a list; a record that stands alone has its own score.
    """
    alone = cells[0].place is None
    over_items = _average if alone else AGGREGATORS[list_aggregator]
    if aggregator is None:
        by_name: dict[str, list[Cell]] = {}
        for cell in cells:
            by_name.setdefault(cell.name, []).append(cell)
        return [
            Total(name, over_items([cell.score for cell in group]), _joined(group, named=False))
            for name, group in sorted(by_name.items())
        ]
    by_item: dict[int, list[float]] = {}
    for cell in cells:
        by_item.setdefault(cell.item, []).append(cell.score)
    over_fields = AGGREGATORS[aggregator]
    score = over_items([over_fields(scores) for scores in by_item.values()])
    return [Total(aggregator, score, _joined(cells, named=True))]


def _joined(cells: Sequence[Cell], *, named: bool) -> str | None:
    """All comments, one a line, those on what is wrong first."""
    told = [cell for cell in cells if cell.comment is not None]
    if not told:
        return None
    told.sort(key=lambda cell: cell.score == 1)
    lines = [_line(cell, named) for cell in told[:_MOST_COMMENTS]]
    more = len(told) - len(lines)
    return "\n".join([*lines, f"and {more} more"] if more else lines)


def _line(cell: Cell, named: bool) -> str:
    where = [] if cell.place is None else [_place(*cell.place)]
    where += [cell.name] if named else []
    return f"{' '.join(where)}: {cell.comment}" if where else str(cell.comment)


def _place(output: int | None, reference: int | None) -> str:
    if output is None or reference is None:
        return f"reference_outputs[{reference}]" if output is None else f"outputs[{output}]"
    beside = "" if output == reference else f" beside reference_outputs[{reference}]"
    return f"outputs[{output}]{beside}"
