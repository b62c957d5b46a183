"""One row of any kind as an `Example`: which column is which argument, and that no two rows have one id."""

from __future__ import annotations

import dataclasses
import json
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from difflib import get_close_matches
from typing import Any

from judgekit.core.foreign import comes_from
from judgekit.errors import ConfigError, DataError
from judgekit.runner.records import Example

__all__ = ["Columns", "Ids", "Reader"]

Columns = Mapping[str, str | Sequence[str]]
"""Argument name -> the column that holds it, or the columns that make a dict for it."""

_ARGUMENTS = ("id", "inputs", "outputs", "reference_outputs", "metadata", "attachments")


class Reader:
    """Makes examples of rows, in the order of the data.

    Raises:
        ConfigError: the columns are not named by text.
    """

    def __init__(self, columns: Columns | None) -> None:
        self.count = 0
        self._columns = _checked(columns or {})
        self._used = frozenset(
            (*_ARGUMENTS, *(name for names in self._columns.values() for name in _names(names)))
        )
        self._ids = Ids()

    def read(self, row: Any) -> Example:
        """The next row's example.

        Raises:
            DataError: it is no row, lacks a column that was named, or has the id of an earlier one.
        """
        index = self.count
        self.count += 1
        if isinstance(row, Example) and not self._columns:
            example = dataclasses.replace(row, index=index)
            before = self._ids.add(example.id, index)
        else:
            example, before = self._example(row, index)
        if before is not None:
            raise DataError(
                f"Rows {before} and {index} (the first is 0) have one id, {example.id!r}: results are compared by id, so "
                "each row needs its own; without an id column rows are numbered."
            )
        return example

    def end(self) -> None:
        """The rows are at their end.

        Raises:
            DataError: there were none.
        """
        if not self.count:
            raise DataError("The data has no rows: nothing would be run.")

    def _example(self, row: Any, index: int) -> tuple[Example, int | None]:
        cells = _cells(row, index)
        found = {
            argument: self._value(cells, argument, names, index) for argument, names in self._columns.items()
        }
        given = {name: cells[name] for name in _ARGUMENTS if name in cells} | found
        extra = {name: value for name, value in cells.items() if name not in self._used}
        extra.update((name, value) for name, value in found.items() if name not in _ARGUMENTS)
        own = given.get("id")
        defaulted = own is None or own == ""
        name = str(index) if defaulted else str(own)
        example = Example(
            index=index,
            id=name,
            inputs=given.get("inputs"),
            outputs=given.get("outputs"),
            reference_outputs=given.get("reference_outputs"),
            metadata=_metadata(given.get("metadata"), index),
            attachments=given.get("attachments"),
            extra=extra,
            source=None if isinstance(row, Mapping) else row,
        )
        return example, self._ids.add_default(index) if defaulted else self._ids.add(name, index)

    def _value(self, cells: Mapping[str, Any], argument: str, names: str | Sequence[str], index: int) -> Any:
        for name in _names(names):
            if name not in cells:
                raise DataError(_no_column(name, argument, cells, index))
        return cells[names] if isinstance(names, str) else {name: cells[name] for name in names}


class Ids:
    """Finds the row that has an id already, in 12 to 36 bytes a row.

    Of each id its hash of 64 bits is kept, in an open-addressed table (linear probing; Knuth, The Art of Computer
    Programming, volume 3, 6.4) beside the row's number: among a million ids two different ones are taken for one with
    a probability of 3e-8. Ids that are rows' own numbers cost nothing until another id is seen.
    """

    __slots__ = ("_hashes", "_numbered", "_rows", "_size")

    def __init__(self) -> None:
        self._size = 0
        self._numbered = 0
        self._hashes, self._rows = _table(1024)

    def add(self, name: str, row: int) -> int | None:
        """Note an id; the row that has it already, or None."""
        if self._numbered and name.isdecimal() and int(name) < self._numbered and str(int(name)) == name:
            return int(name)
        if self._size * 3 >= len(self._hashes) * 2:
            self._grow()
        return self._put(hash(name) & 0xFFFF_FFFF_FFFF_FFFF or 1, row)

    def add_default(self, row: int) -> int | None:
        """Note that a row's id is its number; otherwise as `add`."""
        if not self._size:
            self._numbered = row + 1
            return None
        return self.add(str(row), row)

    def _put(self, hashed: int, row: int) -> int | None:
        hashes, mask = self._hashes, len(self._hashes) - 1
        slot = hashed & mask
        while hashes[slot]:
            if hashes[slot] == hashed:
                return self._rows[slot]
            slot = (slot + 1) & mask
        hashes[slot] = hashed
        self._rows[slot] = row
        self._size += 1
        return None

    def _grow(self) -> None:
        old = zip(self._hashes, self._rows, strict=True)
        self._size = 0
        self._hashes, self._rows = _table(2 * len(self._hashes))
        for hashed, row in old:
            if hashed:
                self._put(hashed, row)


def _table(slots: int) -> tuple[array[int], array[int]]:
    return array("Q", bytes(8 * slots)), array("I", bytes(4 * slots))


def _checked(columns: Columns) -> Columns:
    for argument, names in columns.items():
        given: Any = names  # whatever the caller wrote
        found: Sequence[Any] = _names(given) if isinstance(given, str | Sequence) else ()
        if not found or not all(isinstance(name, str) and name for name in (argument, *found)):
            raise ConfigError(
                f"columns has {names!r} for {argument!r}: write the name of a column, or a list of names."
            )
    return columns


def _names(names: str | Sequence[str]) -> Sequence[str]:
    return (names,) if isinstance(names, str) else names


def _cells(row: Any, index: int) -> Mapping[str, Any]:
    """A row as a mapping of columns.

    Raises:
        DataError: it is none, or a column's name is no text.
    """
    if type(row) is not dict:
        row = _unpacked(row, index)
    for name in row:
        if not isinstance(name, str):
            raise DataError(f"Row {index} has a column {name!r}: the names of columns must be text.")
    found: Mapping[str, Any] = row
    return found


def _unpacked(row: Any, index: int) -> Mapping[Any, Any]:
    if isinstance(row, Mapping):
        return row
    for matches, cells in _OBJECTS:
        if matches(row):
            return cells(row)
    raise DataError(
        f"Row {index} is {type(row).__name__}: a row must be a mapping, {{'inputs': ..., 'outputs': ...}} say, or an "
        "object with such attributes."
    )


def _of_langsmith(row: Any) -> Mapping[str, Any]:
    """What LangSmith calls an example's outputs is what is right."""
    return {
        "id": row.id,
        "inputs": row.inputs,
        "reference_outputs": row.outputs,
        "metadata": row.metadata,
        "attachments": row.attachments,
    }


def _of_example(row: Example) -> Mapping[str, Any]:
    return {**row.extra, **{name: getattr(row, name) for name in _ARGUMENTS}}


_OBJECTS: tuple[tuple[Callable[[Any], bool], Callable[[Any], Mapping[Any, Any]]], ...] = (
    (lambda row: isinstance(row, Example), _of_example),
    (lambda row: comes_from(row, "langsmith", "Example"), _of_langsmith),
    (lambda row: comes_from(row, "pydantic", "BaseModel"), dict),
    (
        lambda row: dataclasses.is_dataclass(row) and not isinstance(row, type),
        lambda row: {field.name: getattr(row, field.name) for field in dataclasses.fields(row)},
    ),
    (
        lambda row: hasattr(row, "inputs") and not isinstance(row, type),
        lambda row: {name: getattr(row, name) for name in _ARGUMENTS if hasattr(row, name)},
    ),
)


def _metadata(value: Any, index: int) -> Mapping[str, Any]:
    if value is None or value == "":
        return {}
    if isinstance(value, str):
        with suppress(ValueError):  # what is no JSON is shown below as it is
            value = json.loads(value)
    if not isinstance(value, Mapping):
        raise DataError(
            f"Row {index}: metadata is {type(value).__name__} ({str(value)[:60]!r}): it must be a mapping, or the JSON text of "
            "one; columns={'metadata': ['a', 'b']} makes one of columns."
        )
    return value


def _no_column(name: str, argument: str, cells: Iterable[str], index: int) -> str:
    present = list(cells)
    close = get_close_matches(name, present, 1)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    return (
        f"Row {index} has no column {name!r} for {argument!r}; it has {', '.join(map(repr, present)) or 'none'}.{hint} "
        "Say in columns which one holds it."
    )
