"""Objects of other libraries, and of the user's own, as examples."""

from __future__ import annotations

import dataclasses
import io
import uuid
from types import SimpleNamespace
from typing import Any

import pytest
from pydantic import BaseModel, Field

from judgekit.errors import DataError
from judgekit.runner.records import Example
from tests.runner.test_data import EXAMPLES, aread, arriving, read


def langsmith_example(**fields: Any) -> Any:
    schemas = pytest.importorskip("langsmith.schemas")
    return schemas.Example(id=uuid.UUID(int=1), **fields)


def test_a_langsmith_examples_outputs_are_the_reference() -> None:
    given = langsmith_example(inputs={"q": 1}, outputs={"a": 2}, metadata={"split": "dev"})
    (example,) = read([given])
    assert example == Example(0, str(uuid.UUID(int=1)), {"q": 1}, None, {"a": 2}, {"split": "dev"})
    assert example.source is given


def test_a_langsmith_example_may_have_little() -> None:
    reader = io.BytesIO(b"png")
    attached = {
        "image": {"presigned_url": "https://example.com/1", "reader": reader, "mime_type": "image/png"}
    }
    (example,) = aread(arriving([langsmith_example(attachments=attached)]))
    assert (example.inputs, example.reference_outputs, example.metadata) == (None, None, {})
    assert example.attachments["image"]["reader"] is reader


def test_columns_of_a_langsmith_example() -> None:
    (example,) = read(
        [langsmith_example(inputs={"q": 1}, outputs={"a": 2})], columns={"outputs": "reference_outputs"}
    )
    assert (example.outputs, example.reference_outputs) == ({"a": 2}, {"a": 2})


@dataclasses.dataclass
class Row:
    inputs: str
    topic: str = "sums"


class Record(BaseModel):
    inputs: Row
    metadata: dict[str, Any] = Field(default_factory=dict)


class Slotted:
    __slots__ = ("id", "inputs", "other")

    def __init__(self) -> None:
        self.id, self.inputs, self.other = "s", 1, 2


def test_objects_become_examples() -> None:
    row, record, other = Row("q"), Record(inputs=Row("r"), metadata={"m": 1}), Slotted()
    first, second, third, fourth = read([row, record, other, SimpleNamespace(inputs=1, reference_outputs=2)])
    assert first == Example(0, "0", "q", extra={"topic": "sums"})
    assert first.source is row
    assert second == Example(1, "1", record.inputs, metadata={"m": 1})
    assert third == Example(2, "s", 1)
    assert fourth == Example(3, "3", 1, None, 2)


def test_examples_are_taken_as_they_are() -> None:
    source = object()
    given = [dataclasses.replace(EXAMPLES[1], source=source), EXAMPLES[0]]
    found = read(given)
    assert found == [dataclasses.replace(EXAMPLES[1], index=0), dataclasses.replace(EXAMPLES[0], index=1)]
    assert found[0].source is source
    with pytest.raises(DataError, match="Rows 0 and 1"):
        read([EXAMPLES[0], EXAMPLES[0]])


def test_columns_of_examples() -> None:
    (example,) = read(EXAMPLES[1:], columns={"outputs": "reference_outputs", "level": "difficulty"})
    assert example == Example(0, "b", "2+2?", "4", "4", extra={"level": 3})
