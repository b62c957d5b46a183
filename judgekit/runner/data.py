"""Data of any shape as a stream of examples: files, mappings, DataFrames, datasets, LangSmith's examples."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Iterator, Mapping
from itertools import islice
from os import PathLike, fspath
from typing import Any

from judgekit.core.foreign import comes_from
from judgekit.datasets import read_rows
from judgekit.errors import ConfigError, DataError
from judgekit.runner.data_keys import example_key
from judgekit.runner.data_rows import Columns, Reader
from judgekit.runner.records import Example

__all__ = ["aread_examples", "example_key", "read_examples"]


def read_examples(
    data: Any, *, columns: Columns | None = None, limit: int | None = None
) -> Iterator[Example]:
    """Examples from data, one by one and never all at once.

    A row has any of the columns `id`, `inputs`, `outputs`, `reference_outputs`, `metadata` (a mapping, or JSON text of
    one) and `attachments`; no other name is guessed to mean one of them. Its other columns become `Example.extra`.

    Args:
        data: a file (`.jsonl`, `.json`, `.csv`, `.tsv`, `.parquet`); a pandas or polars DataFrame, where missing values
            are None; or an iterable, a Hugging Face dataset say, of rows. A row is a mapping, an `Example`, a LangSmith
            `Example` (whose `outputs` are what is right: they become `reference_outputs`), a dataclass, a pydantic model or
            another object with an attribute `inputs`. An iterator is read only as far as examples are asked for.
        columns: argument name -> column name, or a list of column names, which make a dict. Names that are none of
            the six become `extra`.
        limit: at most so many examples.

    Yields:
        One `Example` a row. A row without an id has its index as text.

    Raises:
        ConfigError: `columns` or `limit` cannot be used.
        DataError: the data has no rows or is of no known kind (at once where that can be seen), a row cannot be read,
            or two rows have one id.
    """
    reader = Reader(columns)
    return _read(islice(_rows(data), _checked(limit)), reader)


def aread_examples(
    data: Any, *, columns: Columns | None = None, limit: int | None = None
) -> AsyncIterator[Example]:
    """As `read_examples`; `data` may also be an async iterable of rows."""
    reader = Reader(columns)
    if isinstance(data, AsyncIterable):
        return _aread(data, reader, _checked(limit))
    return _alike(_read(islice(_rows(data), _checked(limit)), reader))


def _read(rows: Iterable[Any], reader: Reader) -> Iterator[Example]:
    yield from map(reader.read, rows)
    reader.end()


async def _aread(rows: AsyncIterable[Any], reader: Reader, limit: int | None) -> AsyncIterator[Example]:
    async for row in rows:
        yield reader.read(row)
        if reader.count == limit:
            break
    reader.end()


async def _alike(examples: Iterator[Example]) -> AsyncIterator[Example]:
    for example in examples:
        yield example


def _checked(limit: Any) -> int | None:
    if limit is None:
        return None
    if not isinstance(limit, int) or limit < 1:
        raise ConfigError(f"limit is {limit!r}: it must be a whole number, 1 or more, or None for all rows.")
    return limit


def _rows(data: Any) -> Iterator[Any]:
    if isinstance(data, str | PathLike):
        return read_rows(fspath(data))
    for library, name, rows in _FRAMES:
        if comes_from(data, library, name):
            return rows(data)
    if isinstance(data, AsyncIterable):
        raise DataError(
            f"The data is an async iterator ({type(data).__name__}): await aevaluate(...), or pass a plain iterable."
        )
    if isinstance(data, Mapping):
        raise DataError(
            f"The data is one {type(data).__name__} with the keys {', '.join(map(repr, islice(data, 8))) or 'none'}: pass "
            "its rows, a list of mappings; of a dataset with splits choose one, data['test'] say."
        )
    if isinstance(data, bytes | bytearray) or not isinstance(data, Iterable):
        raise DataError(
            f"The data is {type(data).__name__}: pass a file's path, an iterable of mappings or a DataFrame."
        )
    return iter(data)


def _pandas_rows(frame: Any) -> Iterator[dict[Any, Any]]:
    import pandas as pd

    if not isinstance(frame.index, pd.RangeIndex):
        frame = frame.reset_index() if any(frame.index.names) else frame
    if not frame.columns.is_unique:
        raise DataError("The DataFrame has two columns of one name: rename them.")
    names = list(frame.columns)
    return (
        {name: None if _is_missing(value, pd) else value for name, value in zip(names, row, strict=True)}
        for row in frame.itertuples(index=False, name=None)
    )


def _is_missing(value: Any, pd: Any) -> bool:
    return value is None or value is pd.NA or value is pd.NaT or (isinstance(value, float) and value != value)  # noqa: PLR0124  # NaN alone differs from itself


def _polars_rows(frame: Any) -> Iterator[dict[str, Any]]:
    found: Iterator[dict[str, Any]] = frame.iter_rows(named=True)
    return found


def _lazy_rows(frame: Any) -> Iterator[Any]:
    raise DataError(f"The data is a {type(frame).__name__} that has not been read: pass frame.collect().")


_FRAMES: tuple[tuple[str, str, Callable[[Any], Iterator[Any]]], ...] = (
    ("pandas", "DataFrame", _pandas_rows),
    ("polars", "DataFrame", _polars_rows),
    ("polars", "LazyFrame", _lazy_rows),
)
