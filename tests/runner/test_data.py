"""Data of every kind as examples, what is told of data that cannot be read, and what an example is recognized by."""

from __future__ import annotations

import asyncio
import csv
import dataclasses
import json
import uuid
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from judgekit.errors import ConfigError, DataError
from judgekit.runner.data import aread_examples, read_examples
from judgekit.runner.data_rows import Ids
from judgekit.runner.records import Example

ROWS: list[dict[str, Any]] = [
    {"id": "a", "inputs": "1+1?", "outputs": "2", "reference_outputs": "2", "metadata": {"lang": "en"}},
    {"id": "b", "inputs": "2+2?", "outputs": "5", "reference_outputs": "4", "difficulty": 3},
]
EXAMPLES = [
    Example(0, "a", "1+1?", "2", "2", {"lang": "en"}),
    Example(1, "b", "2+2?", "5", "4", extra={"difficulty": 3}),
]


def read(data: Any, **settings: Any) -> list[Example]:
    return list(read_examples(data, **settings))


def aread(data: Any, **settings: Any) -> list[Example]:
    async def collect() -> list[Example]:
        return [example async for example in aread_examples(data, **settings)]

    return asyncio.run(collect())


async def arriving(rows: list[Any], taken: list[Any] | None = None) -> AsyncIterator[Any]:
    for row in rows:
        if taken is not None:
            taken.append(row)
        yield row


# Mappings and iterators.


def test_mappings_become_examples() -> None:
    assert read(ROWS) == EXAMPLES
    assert read(iter(ROWS)) == EXAMPLES
    assert read([MappingProxyType(row) for row in ROWS]) == EXAMPLES
    assert all(example.source is None for example in read(ROWS))


def test_nothing_is_changed_or_copied() -> None:
    row = {"inputs": {"q": [1]}, "metadata": {"m": 1}}
    before = json.dumps(row)
    (example,) = read([row])
    assert json.dumps(row) == before
    assert example.inputs is row["inputs"]


def test_every_column_is_optional() -> None:
    assert read([{}, {"inputs": 1}]) == [Example(0, "0"), Example(1, "1", 1)]


def test_other_names_are_not_guessed() -> None:
    (example,) = read([{"input": 1, "expected": 2}])
    assert example == Example(0, "0", extra={"input": 1, "expected": 2})


def test_an_iterator_is_read_only_as_far_as_asked() -> None:
    taken: list[int] = []

    def rows() -> Iterator[dict[str, Any]]:
        for number in range(10):
            taken.append(number)
            yield {"inputs": number}

    examples = read_examples(rows())
    assert taken == []
    next(examples)
    assert taken == [0]
    assert len(read(rows(), limit=3)) == 3
    assert taken == [0, 0, 1, 2]


def test_async_iterables_are_read_likewise() -> None:
    taken: list[Any] = []
    assert aread(arriving(ROWS)) == EXAMPLES
    assert aread(arriving(ROWS, taken), limit=1) == EXAMPLES[:1]
    assert taken == ROWS[:1]
    assert aread(ROWS) == EXAMPLES


@pytest.mark.parametrize("data", [[], iter(()), {}.values()])
def test_no_rows_are_told(data: Any) -> None:
    with pytest.raises(DataError, match="no rows"):
        read(data)


def test_no_async_rows_are_told() -> None:
    with pytest.raises(DataError, match="no rows"):
        aread(arriving([]))


@pytest.mark.parametrize("limit", [0, -1, 1.5, "3"])
def test_a_limit_is_a_number_of_rows(limit: Any) -> None:
    with pytest.raises(ConfigError, match="limit is"):
        read_examples(ROWS, limit=limit)
    with pytest.raises(ConfigError, match="limit is"):
        aread_examples(ROWS, limit=limit)


# What is no data is told at once, before an example is asked for.


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (None, "The data is NoneType"),
        (7, "The data is int"),
        (b"rows", "The data is bytes"),
        ({"inputs": ["a"], "outputs": ["b"]}, "one dict with the keys 'inputs', 'outputs'"),
        ("my dataset", "of no known kind"),
        ("missing.jsonl", "no file missing.jsonl"),
        ("", "of no known kind"),
    ],
)
def test_what_is_no_data_is_told(data: Any, told: str) -> None:
    with pytest.raises(DataError, match=told):
        read_examples(data)
    with pytest.raises(DataError, match=told):
        aread_examples(data)


def test_an_async_iterable_needs_an_async_reader() -> None:
    with pytest.raises(DataError, match=r"await aevaluate\(\.\.\.\)"):
        read_examples(arriving(ROWS))


@pytest.mark.parametrize("row", ["text", 7, None, ["a"], ("a", "b"), Example])
def test_a_row_that_is_none_is_told(row: Any) -> None:
    with pytest.raises(DataError, match=r"Row 1 is \w+: a row must be a mapping"):
        read([{"inputs": 1}, row])


def test_columns_have_names() -> None:
    with pytest.raises(DataError, match="Row 0 has a column 7"):
        read([{7: "x"}])


# Columns.


def test_columns_are_mapped() -> None:
    rows = [{"question": "q", "answer": "a", "docs": "d", "key": 7, "note": "n"}]
    (example,) = read(
        rows, columns={"inputs": "question", "outputs": "answer", "context": "docs", "id": "key"}
    )
    assert example == Example(0, "7", "q", "a", extra={"note": "n", "context": "d"})


def test_several_columns_make_a_dict() -> None:
    rows = [{"question": "q", "context": "c", "lang": "de"}]
    (example,) = read(rows, columns={"inputs": ["question", "context"], "metadata": ("lang",)})
    assert example == Example(0, "0", {"question": "q", "context": "c"}, metadata={"lang": "de"})


def test_a_mapped_column_goes_before_one_of_the_arguments_own_name() -> None:
    (example,) = read([{"inputs": "old", "rewritten": "new"}], columns={"inputs": "rewritten"})
    assert example == Example(0, "0", "new")


def test_a_column_that_is_not_there_is_told() -> None:
    with pytest.raises(
        DataError, match=r"Row 1 has no column 'question' for 'inputs'; it has 'questoin'.*Did you mean"
    ):
        read([{"question": 1}, {"questoin": 1}], columns={"inputs": "question"})


@pytest.mark.parametrize("names", [7, [], "", [7], None, ["a", None]])
def test_columns_are_named_by_text(names: Any) -> None:
    with pytest.raises(ConfigError, match="columns has"):
        read_examples(ROWS, columns={"inputs": names})


# Ids and metadata.


@pytest.mark.parametrize("given", [None, ""])
def test_a_row_without_an_id_has_its_number(given: Any) -> None:
    assert [example.id for example in read([{"id": given}, {"id": given}, {"id": 0}][:2])] == ["0", "1"]


def test_ids_are_text() -> None:
    number = uuid.UUID(int=5)
    assert [example.id for example in read([{"id": 7}, {"id": number}, {"id": "x"}])] == [
        "7",
        str(number),
        "x",
    ]


@pytest.mark.parametrize(
    ("ids", "first", "second"),
    [
        (["a", "b", "a"], 0, 2),
        ([7, "7"], 0, 1),
        ([None, None, "1"], 1, 2),
        (["2", None, None], 0, 2),
        (["x", None, "1"], 1, 2),
        ([None, "x", None, "x"], 1, 3),
    ],
)
def test_two_rows_with_one_id_are_told(ids: list[Any], first: int, second: int) -> None:
    examples = read_examples([{"id": name} for name in ids])
    for _ in range(second):
        next(examples)
    with pytest.raises(DataError, match=rf"Rows {first} and {second} .* have one id"):
        next(examples)


def test_ids_that_only_look_alike_are_two() -> None:
    assert len(read([{"id": name} for name in (None, None, "01", "x", "²", "5", None)])) == 7


def test_many_ids_are_remembered_in_little_memory() -> None:
    ids = Ids()
    assert not any(ids.add(f"row-{number}", number) is not None for number in range(50_000))
    assert ids.add("row-0", 50_000) == 0
    assert ids.add("row-49999", 50_001) == 49_999
    assert len(ids._hashes) * 12 <= 36 * 50_000


def test_metadata_may_be_json_text() -> None:
    (example,) = read([{"metadata": '{"lang": "de"}'}])
    assert example.metadata == {"lang": "de"}
    assert read([{"metadata": ""}, {"metadata": None}])[0].metadata == {}


@pytest.mark.parametrize("metadata", ["lang=de", "[1]", 7, ["lang"]])
def test_metadata_is_a_mapping(metadata: Any) -> None:
    with pytest.raises(DataError, match="Row 0: metadata is"):
        read([{"metadata": metadata}])


# Files.


@pytest.mark.parametrize("kind", [str, Path])
def test_jsonl_and_json(tmp_path: Path, kind: Any) -> None:
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    (tmp_path / "rows.json").write_text(json.dumps(ROWS))
    assert read(kind(tmp_path / "rows.jsonl")) == EXAMPLES
    assert read(kind(tmp_path / "rows.json"), limit=1) == EXAMPLES[:1]
    assert aread(kind(tmp_path / "rows.jsonl")) == EXAMPLES


def test_csv_and_tsv(tmp_path: Path) -> None:
    rows = [{"id": "a", "inputs": "x, y", "metadata": '{"n": 1}'}, {"id": "", "inputs": "", "metadata": ""}]
    for name, delimiter in (("rows.csv", ","), ("rows.tsv", "\t")):
        with (tmp_path / name).open("w", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]), delimiter=delimiter)
            writer.writeheader()
            writer.writerows(rows)
        assert read(tmp_path / name) == [Example(0, "a", "x, y", metadata={"n": 1}), Example(1, "1", "")]


def test_parquet(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(pa.table({"id": ["a"], "inputs": [{"q": 1}]}), tmp_path / "rows.parquet")
    assert read(tmp_path / "rows.parquet") == [Example(0, "a", {"q": 1})]


# Tables.


def test_pandas() -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(
        {"id": ["a", None], "inputs": ["q", "r"], "outputs": ["x", None], "n": [1, 2], "f": [0.5, None]}
    )
    first, second = read(frame)
    assert first == Example(0, "a", "q", "x", extra={"n": 1, "f": 0.5})
    assert second == Example(1, "1", "r", None, extra={"n": 2, "f": None})
    assert type(first.extra["n"]) is int
    assert read(frame[1:]) == [dataclasses.replace(second, index=0, id="0")]


def test_the_named_index_of_a_dataframe_is_a_column() -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"id": ["a", "b"], "inputs": [1, 2]}).set_index("id")
    assert read(frame) == [Example(0, "a", 1), Example(1, "b", 2)]


@pytest.mark.parametrize("value", ["NA", "NaT"])
def test_missing_values_of_pandas_are_none(value: str) -> None:
    pd = pytest.importorskip("pandas")
    (example,) = read(pd.DataFrame({"inputs": [getattr(pd, value)]}, dtype=object))
    assert example.inputs is None


def test_two_columns_of_one_name_are_told() -> None:
    pd = pytest.importorskip("pandas")
    with pytest.raises(DataError, match="two columns of one name"):
        read_examples(pd.DataFrame([[1, 2]], columns=["inputs", "inputs"]))


def test_an_empty_dataframe_is_told() -> None:
    pd = pytest.importorskip("pandas")
    with pytest.raises(DataError, match="no rows"):
        read(pd.DataFrame({"inputs": []}))


def test_polars() -> None:
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame({"id": ["a"], "inputs": ["q"], "n": [1]})
    assert read(frame) == [Example(0, "a", "q", extra={"n": 1})]
    with pytest.raises(DataError, match=r"frame\.collect"):
        read_examples(frame.lazy())


def test_hugging_face_datasets() -> None:
    datasets = pytest.importorskip("datasets")
    found = datasets.Dataset.from_list([{"id": "a", "inputs": "q", "n": 1}])
    assert read(found) == [Example(0, "a", "q", extra={"n": 1})]
    with pytest.raises(DataError, match=r"data\['test'\]"):
        read_examples(datasets.DatasetDict({"test": found}))
