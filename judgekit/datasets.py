"""Rows of data from files: JSONL, JSON, CSV and Parquet, one dict a row, read as they are asked for."""

from __future__ import annotations

import csv
import difflib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from judgekit.errors import DataError, MissingDependencyError

__all__ = ["as_items", "read_rows"]

Row = dict[str, Any]


def read_rows(path: str | Path, *, limit: int | None = None) -> Iterator[Row]:
    """Read a file of rows.

    Args:
        path: `.jsonl` (or `.ndjson`), `.json` (a list of objects, or an object with one list in it), `.csv`, `.tsv` or
            `.parquet` (needs the `data` extra).
        limit: at most so many rows.

    Yields:
        One dict a row, in the file's order.

    Raises:
        DataError: the file is missing, of another kind, or a line of it is no object; the message has the line's number.
        MissingDependencyError: Parquet without pyarrow.
    """
    file = Path(path)
    reader = _READERS.get(file.suffix.lower())
    if reader is None:
        raise DataError(f"{file} is of no known kind: judgekit reads {', '.join(sorted(_READERS))}.")
    if not file.is_file():
        raise DataError(f"There is no file {file}.{_nearby(file)}")
    return islice(reader(file), limit)


def as_items(rows: Iterable[Row], columns: Mapping[str, str], *, needed: Iterable[str] = ()) -> Iterator[Row]:
    """Rows as evaluators take them: the columns under the names of the evaluator's arguments.

    Args:
        rows: the rows.
        columns: argument name -> column name. Arguments not named here keep their own column's name.
        needed: arguments that must have a column.

    Raises:
        DataError: a named or needed column is not in a row; the message lists the columns that are.
    """
    for number, row in enumerate(rows, 1):
        item = dict(row)
        for argument, column in columns.items():
            if column not in row:
                raise DataError(_no_column(column, argument, row, number))
            item[argument] = row[column]
        for argument in needed:
            if argument not in item:
                raise DataError(_no_column(argument, argument, row, number))
        yield item


def _no_column(column: str, argument: str, row: Row, number: int) -> str:
    close = difflib.get_close_matches(column, list(row), 1)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    return (
        f"Row {number} has no column {column!r} for `{argument}`; it has {', '.join(map(repr, row)) or 'none'}.{hint} "
        f"Say which column holds it: {_OPTIONS.get(argument, f'--var {argument}=COLUMN')}."
    )


_OPTIONS = {
    "inputs": "--inputs COLUMN",
    "outputs": "--outputs COLUMN",
    "reference_outputs": "--reference COLUMN",
}


def _jsonl(file: Path) -> Iterator[Row]:
    with file.open(encoding="utf-8-sig") as lines:
        for number, line in enumerate(lines, 1):
            if line.strip():
                yield _row(_parsed(line, f"{file}, line {number}"), f"{file}, line {number}")


def _json(file: Path) -> Iterator[Row]:
    found = _parsed(file.read_text(encoding="utf-8-sig"), str(file))
    if isinstance(found, dict):
        lists = [value for value in found.values() if isinstance(value, list)]
        if len(lists) != 1:
            raise DataError(
                f"{file} holds an object with {len(lists)} lists: it should be a list of rows, or hold one."
            )
        found = lists[0]
    if not isinstance(found, list):
        raise DataError(f"{file} holds {type(found).__name__}, not a list of rows.")
    for number, row in enumerate(found, 1):
        yield _row(row, f"{file}, row {number}")


def _separated(delimiter: str) -> Callable[[Path], Iterator[Row]]:
    def read(file: Path) -> Iterator[Row]:
        with file.open(encoding="utf-8-sig", newline="") as lines:
            reader = csv.DictReader(lines, delimiter=delimiter, strict=True)
            try:
                for row in reader:
                    if None in row:
                        raise DataError(
                            f"{file}, line {reader.line_num}: more cells than the header has columns."
                        )
                    yield dict(row)
            except csv.Error as error:
                raise DataError(f"{file}, line {reader.line_num}: {error}.") from error

    return read


def _parquet(file: Path) -> Iterator[Row]:
    try:
        import pyarrow.parquet
    except ImportError as error:
        raise MissingDependencyError("Parquet needs pyarrow: pip install 'judgekit-llm[data]'") from error
    with pyarrow.parquet.ParquetFile(file) as table:
        for batch in table.iter_batches():
            yield from batch.to_pylist()


_READERS: Mapping[str, Callable[[Path], Iterator[Row]]] = {
    ".jsonl": _jsonl,
    ".ndjson": _jsonl,
    ".json": _json,
    ".csv": _separated(","),
    ".tsv": _separated("\t"),
    ".parquet": _parquet,
}


def _parsed(text: str, where: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise DataError(f"{where}: no JSON: {error}.") from error


def _row(found: Any, where: str) -> Row:
    if not isinstance(found, dict):
        raise DataError(f"{where}: a row must be an object, this is {json.dumps(found)[:60]}.")
    return found


def _nearby(file: Path) -> str:
    names = [other.name for other in file.parent.iterdir()] if file.parent.is_dir() else []
    close = difflib.get_close_matches(file.name, names, 1)
    return f" Did you mean {file.parent / close[0]}?" if close else ""
