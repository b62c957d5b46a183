"""What an example is recognized by when a run goes on."""

from __future__ import annotations

import io
import subprocess
import sys
from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from types import MappingProxyType
from typing import Any

import pytest

from judgekit.errors import DataError
from judgekit.runner.data import example_key
from judgekit.runner.records import Example
from tests.runner.test_data_objects import Record, Row


def key(**fields: Any) -> bytes:
    return example_key(Example(**{"index": 0, "id": "a", **fields}))


def test_a_key_is_the_same_in_every_process() -> None:
    code = (
        "from judgekit.runner.data import example_key; from judgekit.runner.records import Example;"
        "print(example_key(Example(0, 'a', {'q': 'é', 'z': {1, 2}}, 'b', metadata={'x': 1.5})).hex())"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", code],
            check=True,
            capture_output=True,
            text=True,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
        ).stdout.strip()
        for seed in ("1", "2")
    }
    here = key(inputs={"z": {2, 1}, "q": "é"}, outputs="b", metadata={"x": 1.5})
    assert found == {here.hex()}
    assert len(here) == 32


@pytest.mark.parametrize(
    "fields",
    [
        {"id": "b"},
        {"inputs": 1},
        {"outputs": 1},
        {"reference_outputs": 1},
        {"metadata": {"a": 1}},
        {"attachments": b"1"},
        {"attachments": {"a": {"mime_type": "x"}}},
        {"extra": {"a": 1}},
    ],
)
def test_whatever_is_judged_is_in_the_key(fields: Mapping[str, Any]) -> None:
    assert key(**fields) != key()


def test_the_place_of_a_row_and_signed_addresses_are_not_in_its_key() -> None:
    def attached(url: str, mime: str = "image/png") -> dict[str, Any]:
        return {"image": {"presigned_url": url, "reader": io.BytesIO(url.encode()), "mime_type": mime}}

    assert key(index=5, source=object()) == key()
    assert key(attachments=attached("https://x/1")) == key(attachments=attached("https://x/2"))
    assert key(attachments=attached("https://x/1")) != key(attachments=attached("https://x/1", "image/gif"))


@pytest.mark.parametrize(
    ("value", "other"),
    [
        (b"1", b"2"),
        (date(2026, 1, 1), date(2026, 1, 2)),
        (Decimal("1.0"), Decimal("1.1")),
        (Row("a"), Row("b")),
        (Record(inputs=Row("a")), Record(inputs=Row("b"))),
        ({1: "a", "b": 2}, {1: "a", "b": 3}),
        ({("a", 1): [{2: "x", None: 1}]}, {("a", 2): [{2: "x", None: 1}]}),
        (MappingProxyType({"a": 1}), MappingProxyType({"a": 2})),
        ({1, "a"}, {1, "b"}),
        (float("nan"), float("inf")),
        ("\ud800", "\ud801"),
    ],
)
def test_values_of_any_kind_have_a_key(value: Any, other: Any) -> None:
    assert key(inputs=value) == key(inputs=value)
    assert key(inputs=value) != key(inputs=other)


def test_the_order_of_keys_does_not_matter() -> None:
    assert key(inputs={"a": 1, "b": 2}) == key(inputs={"b": 2, "a": 1})
    assert key(inputs={1: 1, "b": 2}) == key(inputs={"b": 2, 1: 1})


def test_an_iterator_is_not_used_up_by_its_key() -> None:
    rows = iter([1, 2])
    assert key(inputs=rows) == key(inputs=iter([3]))
    assert list(rows) == [1, 2]


def test_a_value_that_holds_itself_is_told() -> None:
    circle: list[Any] = []
    circle.append(circle)
    with pytest.raises(DataError, match="'a' has a value that holds itself"):
        key(inputs=circle)
