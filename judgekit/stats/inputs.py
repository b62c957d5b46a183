"""Checks on what a statistic is given: lengths, finite numbers, labels on the declared scale, options in range."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from judgekit.errors import ConfigError, DataError

__all__ = [
    "Coded",
    "Column",
    "FloatArray",
    "IntArray",
    "Label",
    "Rng",
    "cluster_codes",
    "code_labels",
    "equal_lengths",
    "generator",
    "kind_of",
    "named_raters",
    "one_of",
    "optional_numbers",
    "required_numbers",
    "share",
    "unit_values",
    "whole",
]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
Label = Hashable


class Column(Protocol):
    """Values in order, one an item: a list, a tuple, an array, a pandas Series."""

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[Any]: ...


Rng = int | np.random.Generator


def share(value: float, name: str) -> float:
    """`value` if it lies strictly between 0 and 1.

    Raises:
        ConfigError: it does not.
    """
    if not 0 < value < 1:
        msg = f"{name}={value!r} must lie strictly between 0 and 1; write 95 % as 0.95"
        raise ConfigError(msg)
    return float(value)


def whole(value: object, name: str, *, least: int) -> int:
    """`value` if it is an integer of at least `least`.

    Raises:
        ConfigError: it is not.
    """
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        msg = f"{name}={value!r} must be an integer of at least {least}"
        raise ConfigError(msg)
    return int(value)


def one_of(value: str | None, name: str, allowed: Sequence[str | None]) -> None:
    """Raise `ConfigError` unless the option is one of those allowed."""
    if value not in allowed:
        msg = f"{name}={value!r} is unknown; use one of {', '.join(map(repr, allowed))}"
        raise ConfigError(msg)


def generator(rng: Rng) -> np.random.Generator:
    """A random generator: the one given, or a new one seeded with the integer given."""
    return rng if isinstance(rng, np.random.Generator) else np.random.default_rng(rng)


def equal_lengths(**columns: Column) -> int:
    """The common length of the named columns.

    Raises:
        DataError: they differ.
    """
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        told = ", ".join(f"{name} has {length}" for name, length in lengths.items())
        msg = f"the columns must have one entry for each item, in the same order, but {told}"
        raise DataError(msg)
    return next(iter(lengths.values()))


def named_raters(raters: Sequence[Column]) -> dict[str, Column]:
    """The raters' columns under the names that errors call them by.

    Raises:
        ConfigError: fewer than two.
    """
    if len(raters) < 2:
        msg = f"agreement needs at least two raters, each an argument of its own; here {len(raters)}"
        raise ConfigError(msg)
    return {f"rater_{position}": labels for position, labels in enumerate(raters, start=1)}


def optional_numbers(values: Column, name: str) -> FloatArray:
    """The values as floats, NaN where one is None.

    Raises:
        DataError: one is neither None nor a finite number.
    """
    return np.array([_number(value, name, row) for row, value in enumerate(values)], dtype=np.float64)


def required_numbers(values: Column, name: str) -> FloatArray:
    """The values as floats.

    Raises:
        DataError: one is not a finite number.
    """
    numbers = optional_numbers(values, name)
    absent = np.flatnonzero(np.isnan(numbers))
    if absent.size:
        msg = f"{name}[{absent[0]}] is None; leave out the items without a value"
        raise DataError(msg)
    return numbers


def _number(value: Any, name: str, row: int) -> float:
    if value is None:
        return math.nan
    if not isinstance(value, (Real, np.bool_)):
        msg = f"{name}[{row}] is {value!r}, not a number; map labels to numbers first"
        raise DataError(msg)
    number = float(value)
    if not math.isfinite(number):
        msg = f"{name}[{row}] is {number}; pass None where there is no value"
        raise DataError(msg)
    return number


def unit_values(values: FloatArray, name: str, *, binary: bool) -> None:
    """Raise `DataError` unless all values (NaN aside) are 0 or 1, or lie in [0, 1] when not `binary`."""
    with np.errstate(invalid="ignore"):
        bad = ((values != 0) & (values != 1)) if binary else ((values < 0) | (values > 1))
    rows = np.flatnonzero(bad & ~np.isnan(values))
    if rows.size:
        wanted = "True or False (1 or 0)" if binary else "between 0 and 1"
        msg = f"{name}[{rows[0]}] is {values[rows[0]]:g}, but must be {wanted}"
        raise DataError(msg)


def cluster_codes(cluster: Column | None, n: int, name: str = "cluster") -> IntArray | None:
    """Cluster names as integers 0, 1, 2, ... in order of first appearance; None when there are none.

    Raises:
        DataError: not one name for each of the n items, or a name that is None or NaN.
    """
    if cluster is None:
        return None
    if len(cluster) != n:
        msg = f"{name} has {len(cluster)} entries for {n} items; give one for each item"
        raise DataError(msg)
    codes: dict[Any, int] = {}
    for row, key in enumerate(cluster):
        if key is None or _is_nan(key):
            msg = f"{name}[{row}] is {key!r}; every item needs one"
            raise DataError(msg)
        codes.setdefault(key, len(codes))
    return np.array([codes[key] for key in cluster], dtype=np.int64)


@dataclass(frozen=True)
class Coded:
    """Labels of several raters as positions on one scale.

    Attributes:
        scale: the labels, in order.
        codes: (raters, items) positions on the scale, -1 where a rater gave no label.
    """

    scale: tuple[Label, ...]
    codes: IntArray

    @property
    def levels(self) -> int:
        return len(self.scale)

    def complete(self) -> NDArray[np.bool_]:
        """(items,) True where every rater gave a label."""
        return np.asarray((self.codes >= 0).all(axis=0))


def code_labels(raters: Mapping[str, Column], scale: Sequence[Label] | None) -> Coded:
    """Labels as positions on the declared scale, or on the labels seen when none is declared.

    Args:
        raters: the labels of each rater by name, one an item; None where there is none.
        scale: all labels that could have been given, in order.

    Raises:
        DataError: unequal lengths, a label off the scale, NaN, or texts on one side and numbers on another.
        ConfigError: a scale with fewer than two labels or with one named twice.
    """
    n = equal_lengths(**raters)
    columns = {name: [_plain(label) for label in labels] for name, labels in raters.items()}
    for name, labels in columns.items():
        for row, label in enumerate(labels):
            if _is_nan(label) or not isinstance(label, Hashable):
                msg = (
                    f"{name}[{row}] is {label!r}; a label is a text or a number, and None where there is none"
                )
                raise DataError(msg)
    order = _observed(columns) if scale is None else _declared(scale)
    positions = {label: position for position, label in enumerate(order)}
    codes = np.full((len(columns), n), -1, dtype=np.int64)
    for which, (name, labels) in enumerate(columns.items()):
        for row, label in enumerate(labels):
            if label is None:
                continue
            if label not in positions:
                msg = f"{name}[{row}] is {label!r}, which is not on the scale {order!r}"
                raise DataError(msg)
            codes[which, row] = positions[label]
    return Coded(order, codes)


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _plain(label: Any) -> Any:
    return label.item() if isinstance(label, np.generic) else label


def _declared(scale: Sequence[Label]) -> tuple[Label, ...]:
    order = tuple(_plain(label) for label in scale)
    if len(order) < 2 or len(set(order)) < len(order):
        msg = f"scale={order!r} must name at least two different labels, in order"
        raise ConfigError(msg)
    return order


def _observed(columns: dict[str, list[Any]]) -> tuple[Label, ...]:
    kinds = {
        name: {kind_of(label) for label in labels if label is not None} for name, labels in columns.items()
    }
    if len(set().union(*kinds.values())) > 1:
        told = "; ".join(
            f"{name} has {' and '.join(sorted(kind))} labels" for name, kind in kinds.items() if kind
        )
        msg = f"labels of different types are never equal: {told}; map them to the same labels"
        raise DataError(msg)
    seen = {label for labels in columns.values() for label in labels if label is not None}
    return tuple(
        sorted(seen, key=lambda label: (0, label) if kind_of(label) == "number" else (1, str(label)))
    )


def kind_of(label: Any) -> str:
    """`number`, `text`, or the name of another type: labels of two kinds are never equal."""
    if isinstance(label, Real):
        return "number"
    return "text" if isinstance(label, str) else type(label).__name__
