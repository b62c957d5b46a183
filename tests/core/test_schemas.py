"""Output schemas in the forms that users write them: what goes to the provider, and what comes back."""

from __future__ import annotations

import copy
import json
import pickle
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Annotated, Any, Literal, NotRequired, Optional, TypedDict

import pytest

from judgekit import create_llm_as_judge
from judgekit.core.schemas import output_schema, strict_ready
from judgekit.errors import JudgeError, ParseError, SchemaError
from judgekit.models.scripted import scripted

if TYPE_CHECKING:
    from pydantic import BaseModel


def judged(answer: Any, schema: Any) -> Any:
    judge = create_llm_as_judge(prompt="Grade {outputs}", judge=scripted(answer), output_schema=schema)
    return judge(outputs="x")


class Typed(TypedDict):
    grade: int
    words: list[str]


@dataclass
class Data:
    grade: int
    words: list[str]


def model_type() -> type[BaseModel]:
    from pydantic import BaseModel, field_validator

    class Checked(BaseModel):
        grade: int
        words: list[str]

        @field_validator("grade")
        @classmethod
        def even(cls, grade: int) -> int:
            if grade % 2:
                raise ValueError("the grade must be even")
            return grade

    return Checked


JSON_SCHEMA = {
    "type": "object",
    "properties": {"grade": {"type": "integer"}, "words": {"type": "array", "items": {"type": "string"}}},
    "required": ["grade", "words"],
}
OBJECT = {"grade": 2, "words": ["a"]}


@pytest.mark.parametrize(
    "schema",
    [
        JSON_SCHEMA,
        {"name": "grade", "schema": JSON_SCHEMA},
        {"type": "json_schema", "json_schema": {"name": "grade", "strict": True, "schema": JSON_SCHEMA}},
        Typed,
    ],
)
def test_a_schema_gives_a_dict(schema: Any) -> None:
    assert judged(OBJECT, schema) == OBJECT


def test_a_dataclass_gives_an_instance() -> None:
    assert judged(OBJECT, Data) == Data(**OBJECT)  # type: ignore[arg-type]  # one dict for all kinds


def test_a_pydantic_model_gives_an_instance_and_its_validators_count() -> None:
    checked = model_type()
    model = scripted({**OBJECT, "grade": 3}, OBJECT)
    judge = create_llm_as_judge(prompt="{outputs}", judge=model, output_schema=checked)
    assert judge(outputs="x") == checked(**OBJECT)
    complaint = model.client.requests[1].messages[-1]["content"]
    assert "grade" in complaint
    assert "the grade must be even" in complaint
    with pytest.raises(ParseError, match="must be even") as caught:
        judged({**OBJECT, "grade": 3}, checked)
    assert (caught.value.code, caught.value.attempts) == ("invalid_score", 3)


@pytest.mark.parametrize(
    "answer", [{"grade": "much", "words": []}, {"grade": 2}, {}, [OBJECT, {**OBJECT, "grade": 4}]]
)
def test_an_object_that_the_schema_refuses_is_no_result(answer: Any) -> None:
    with pytest.raises(JudgeError):
        judged(json.dumps(answer), JSON_SCHEMA)


@pytest.mark.parametrize("schema", [{"type": "array"}, {"type": "object"}, {"type": "nonsense"}, int, "text"])
def test_a_schema_that_cannot_be_used_is_refused_at_once(schema: Any) -> None:
    with pytest.raises(SchemaError):
        create_llm_as_judge(prompt="{outputs}", judge=scripted(OBJECT), output_schema=schema)


@pytest.mark.parametrize(
    ("given", "name"),
    [
        (JSON_SCHEMA, "score"),
        ({**JSON_SCHEMA, "title": "My grade!"}, "My_grade"),
        ({"name": "n" * 100, "schema": JSON_SCHEMA}, "n" * 64),
        ({**JSON_SCHEMA, "name": "named"}, "named"),
        ({"type": "function", "function": {"name": "tool", "parameters": JSON_SCHEMA}}, "tool"),
        (Data, "Data"),
    ],
)
def test_the_name_on_the_wire(given: Any, name: str) -> None:
    found = output_schema(given)
    assert found.name == name
    assert found.schema["properties"].keys() == {"grade", "words"}
    assert "name" not in found.schema


def test_strict_and_description_are_kept() -> None:
    wrapped = {"name": "g", "strict": False, "description": "A grade.", "schema": JSON_SCHEMA}
    for given in (wrapped, {**JSON_SCHEMA, "strict": False, "description": "A grade."}):
        found = output_schema(given)
        assert (found.strict, found.description) == (False, "A grade.")
    assert output_schema(JSON_SCHEMA).strict is None


def test_a_property_may_have_any_name() -> None:
    schema = {
        "type": "object",
        "properties": {
            name: {"type": "string"} for name in ("schema", "parameters", "name", "strict", "type")
        },
    }
    assert output_schema(schema).schema == schema


def test_the_caller_s_schema_is_copied() -> None:
    given = {"name": "g", "schema": copy.deepcopy(JSON_SCHEMA)}
    found = output_schema(given)
    found.schema["properties"]["grade"]["type"] = "string"
    assert given == {"name": "g", "schema": JSON_SCHEMA}


def test_a_model_that_holds_itself() -> None:
    from pydantic import create_model

    fields: dict[str, Any] = {"name": (str, ...), "children": ("list[Node]", [])}
    node: Any = create_model("Node", **fields)
    assert output_schema(node).schema["type"] == "object"
    tree = judged({"name": "a", "children": [{"name": "b"}]}, node)
    assert tree.children[0].name == "b"


def test_a_strict_model_reads_json() -> None:
    """There a date is a text: what a strict model would refuse of a Python object."""
    from pydantic import ConfigDict, create_model

    dated: Any = create_model("Dated", __config__=ConfigDict(strict=True), day=(date, ...))
    assert judged({"day": "2026-01-31"}, dated).day == date(2026, 1, 31)


class Word(TypedDict):
    """A word."""

    kind: Literal["noun", "verb"]


class Nested(TypedDict):
    """Words in all places."""

    words: Annotated[list[Word], "some"]
    best: Optional[Word]  # noqa: UP045  # users write it so
    other: Word | None
    by_letter: NotRequired[dict[str, Word]]


def test_typed_dicts_may_be_nested() -> None:
    found = output_schema(Nested)
    assert found.description == "Words in all places."
    assert found.schema["required"] == ["words", "best", "other"]
    assert found.schema["$defs"]["Word"]["properties"]["kind"]["enum"] == ["noun", "verb"]
    value = {"words": [{"kind": "noun"}], "best": None, "other": {"kind": "verb"}}
    assert judged(value, Nested) == value
    with pytest.raises(ParseError):
        judged({**value, "other": {"kind": "adverb"}}, Nested)


def test_a_dataclass_may_refuse_a_value() -> None:
    @dataclass
    class Positive:
        grade: int

        def __post_init__(self) -> None:
            if self.grade < 0:
                raise ValueError("the grade is negative")

    assert judged({"grade": 1}, Positive) == Positive(1)
    with pytest.raises(ParseError, match="the grade is negative"):
        judged({"grade": -1}, Positive)


def test_a_type_without_a_schema_is_refused() -> None:
    @dataclass
    class Odd:
        thing: memoryview

    with pytest.raises(SchemaError, match="Odd has no JSON schema"):
        output_schema(Odd)


def test_a_judge_with_a_schema_can_be_pickled() -> None:
    for schema in (JSON_SCHEMA, Data, Typed):
        judge = create_llm_as_judge(prompt="{outputs}", model="embedded:match", output_schema=schema)
        again = pickle.loads(pickle.dumps(judge)).evaluation
        assert again.output.build(OBJECT) == judge.evaluation.output.build(OBJECT)


CLOSED = {**JSON_SCHEMA, "additionalProperties": False}


@pytest.mark.parametrize(
    ("schema", "ready"),
    [
        (CLOSED, True),
        (JSON_SCHEMA, False),
        ({**CLOSED, "required": ["grade"]}, False),
        ({**CLOSED, "$defs": {"inner": JSON_SCHEMA}}, False),
        ({**CLOSED, "anyOf": [CLOSED, JSON_SCHEMA]}, False),
        ({"type": "string"}, True),
    ],
)
def test_what_strict_mode_takes_as_it_stands(schema: dict[str, Any], ready: bool) -> None:
    assert strict_ready(schema) is ready
