"""What people said: the columns of one or several raters, and the label that a judge is held against."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from judgekit.errors import ConfigError
from judgekit.stats.inputs import Label, code_labels, equal_lengths, kind_of
from judgekit.trust.verdicts import column

__all__ = ["People", "numbering", "read_people"]


@dataclass(frozen=True)
class People:
    """The labels of the raters.

    Attributes:
        raters: name -> labels, one an item, None where there is none.
        labels: the label of each item: the one that more raters gave than any other, on an ordinal scale the median;
            None where there is none.
        numbers: the mean of the raters' labels as numbers, None where there is none; None in all where labels are words
            without an order.
        split: items on which raters gave labels and none prevails.
    """

    raters: Mapping[str, Sequence[Label | None]]
    labels: tuple[Label | None, ...]
    numbers: tuple[float | None, ...] | None
    split: int

    def __len__(self) -> int:
        return len(self.labels)


def read_people(humans: Any, scale: Sequence[Label] | None) -> People:
    """Read the labels of people.

    Args:
        humans: a column of labels; or several, one a rater, as a list, a mapping by name or a DataFrame; None where a
            rater gave none.
        scale: the labels from the lowest to the highest where they have an order, else None.

    Raises:
        ConfigError: there is no rater.
        DataError: columns of unequal lengths, or a label off the scale.
    """
    raters = _raters(humans)
    if not raters:
        raise ConfigError("humans holds no rater: give a column of labels, or one for each rater.")
    equal_lengths(**raters)
    given = [
        [label for label in labels if label is not None] for labels in zip(*raters.values(), strict=True)
    ]
    order = None if scale is None else {label: place for place, label in enumerate(scale)}
    if order is not None:
        code_labels(raters, scale)  # or say which label is off the scale
    labels = [_prevailing(each) if order is None else _median(each, order) for each in given]
    split = sum(bool(each) and label is None for each, label in zip(given, labels, strict=True))
    return People(raters, tuple(labels), _means(given, scale), split)


def numbering(labels: Iterable[Any], scale: Sequence[Label] | None) -> Mapping[Any, float] | None:
    """Label -> number: itself, or its place (from 1) on a scale of words; None for words without a scale."""
    seen = set(labels)
    if all(kind_of(label) == "number" for label in (*seen, *(scale or ()))):
        return {label: float(label) for label in seen}
    return None if scale is None else {label: float(place) for place, label in enumerate(scale, start=1)}


def _means(given: Sequence[Sequence[Any]], scale: Sequence[Label] | None) -> tuple[float | None, ...] | None:
    numbers = numbering((label for labels in given for label in labels), scale)
    if numbers is None:
        return None
    return tuple(sum(map(numbers.__getitem__, labels)) / len(labels) if labels else None for labels in given)


def _raters(humans: Any) -> dict[str, list[Any]]:
    if isinstance(humans, Mapping):
        return {str(name): column(labels) for name, labels in humans.items()}
    if hasattr(humans, "columns") and hasattr(humans, "items"):  # a DataFrame
        return {str(name): column(labels) for name, labels in humans.items()}
    entries = list(humans)
    if entries and all(_is_column(entry) for entry in entries):
        return {f"human {place}": column(labels) for place, labels in enumerate(entries, start=1)}
    return {"human": column(entries)}


def _is_column(entry: Any) -> bool:
    return hasattr(entry, "__len__") and hasattr(entry, "__iter__") and not isinstance(entry, str | bytes)


def _prevailing(labels: Sequence[Label]) -> Label | None:
    ranked = Counter(labels).most_common(2)
    if not ranked or (len(ranked) == 2 and ranked[0][1] == ranked[1][1]):
        return None
    return ranked[0][0]


def _median(labels: Sequence[Label], order: Mapping[Label, int]) -> Label | None:
    """The middle label; None where the two middle ones differ."""
    ranked = sorted(labels, key=order.__getitem__)
    if not ranked:
        return None
    low, high = ranked[(len(ranked) - 1) // 2], ranked[len(ranked) // 2]
    return low if low == high else None
