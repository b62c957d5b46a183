"""JSON is read strictly, compared as data, and checked against schemas that nothing is fetched for."""

from __future__ import annotations

import asyncio
import copy
import dataclasses
import datetime as dt
import json
import pickle
from decimal import Decimal
from typing import Any, TypedDict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgekit.errors import ConfigError, MissingVariableError, PromptError, SchemaError
from judgekit.evaluators.json_checks import (
    create_async_json_equality_evaluator,
    create_json_equality_evaluator,
    json_equality,
    json_equality_async,
    json_validity,
    json_validity_async,
)
from judgekit.evaluators.json_reading import read_json
from judgekit.evaluators.json_schema import create_async_json_schema_evaluator, create_json_schema_evaluator

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
SCHEMA = {"type": "object", "required": ["age"], "properties": {"age": {"type": "integer"}}}


class Person(TypedDict):
    age: int


@dataclasses.dataclass
class Pet:
    age: int


class Opaque:
    """Nothing says what it holds."""


def flaw(outputs: Any) -> str | None:
    """Why it is no JSON, or None."""
    result = json_validity(outputs=outputs)
    assert asyncio.run(json_validity_async(outputs=outputs)) == result
    assert result["key"] == "json_validity"
    assert result["score"] is (result["comment"] is None)
    comment: str | None = result["comment"]
    return comment


def unequal(outputs: Any, reference: Any, **settings: Any) -> str | None:
    """How the two differ, or None."""
    item = {"outputs": outputs, "reference_outputs": reference}
    result = create_json_equality_evaluator(**settings)(**item)
    assert asyncio.run(create_async_json_equality_evaluator(**settings)(**item)) == result
    assert result["score"] is (result["comment"] is None)
    comment: str | None = result["comment"]
    return comment


def misfit(outputs: Any, schema: Any) -> str | None:
    """What does not fit the schema, or None."""
    result = create_json_schema_evaluator(schema)(outputs=outputs)
    assert asyncio.run(create_async_json_schema_evaluator(schema)(outputs=outputs)) == result
    assert result["score"] is (result["comment"] is None)
    comment: str | None = result["comment"]
    return comment


@pytest.mark.parametrize("text", ['{"a": 1}', "1", '"x"', "null", " [] ", '{"a": "\\ud800"}', "-0", "1e300"])
def test_texts_that_are_json(text: str) -> None:
    assert flaw(text) is None


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "line 1, column 1: there is no text"),
        ('{"a": 1', "line 1, column 8: expecting ',' delimiter"),
        ('{"a": 1}}', 'line 1, column 9: extra data, before "}"'),
        ("{}\nIndeed.", 'line 2, column 1: extra data, before "Indeed."'),
        ("```json\n{}\n```", "line 1, column 1: expecting value"),
        ("{'a': 1}", "expecting property name enclosed in double quotes"),
        ("[1,]", "line 1, column "),
        ('{"a": NaN}', "NaN is no JSON number"),
        ("-Infinity", "-Infinity is no JSON number"),
        ("[1e999]", "the number 1e999 is too large"),
        ("9" * 5_000, "has 5000 digits"),
        ('{"a": 1, "b": 2, "a": 1}', 'the key "a" is there more than once in one object'),
        ("[" * 100_000, "it is nested too deeply"),
        ("\ufeff{}", "line 1, column 1"),
    ],
)
def test_texts_that_are_no_json(text: str, why: str) -> None:
    assert why in str(flaw(text))


@pytest.mark.parametrize(
    ("data", "valid"),
    [
        ({"a": [1, 2.5, None, True]}, True),
        ((1, 2), True),
        ({"a": float("nan")}, False),
        ({"a": {1, 2}}, False),
        (dt.date(2026, 1, 2), False),
        (Decimal("0.1"), False),
        (b"{}", False),
        ({(1, 2): 3}, False),
        ({1: 1, "1": 2}, False),
    ],
)
def test_data_is_json_when_it_can_be_written_as_it_stands(data: Any, valid: bool) -> None:
    assert (flaw(data) is None) is valid


def test_data_that_contains_itself_is_no_json() -> None:
    cycle: list[Any] = []
    cycle.append(cycle)
    assert "Circular" in str(flaw(cycle))


@given(JSON)
def test_what_json_writes_is_read_back(value: Any) -> None:
    text = json.dumps(value)
    assert read_json(text) == value
    assert flaw(text) is None
    assert unequal([value], f"[{text}]") is unequal(text, text) is None


@pytest.mark.parametrize(
    ("outputs", "reference", "difference"),
    [
        ('{"a": 1.0}', {"a": 1}, None),
        ("null", "null", None),
        ('{"b": 1, "a": 2}', '{"a": 2, "b": 1}', None),
        ("[true]", [1], "[0]: expected 1, got true"),
        ("[1, 2]", [2, 1], "[0]: expected 2, got 1"),
        ({"a": {"b": 1}}, '{"a": {"b": 2}}', "a.b: expected 2, got 1"),
        ({}, {"a": 1}, "a: missing, expected 1"),
        ({"a": 1}, {}, "a: not in the reference, got 1"),
        ("[12345678901234567890]", "[12345678901234567891]", "[0]: expected"),
        ('{"a":1}}', '{"b":2}', "no JSON: line 1, column 8: extra data"),
        ("hello", '"hello"', "no JSON: line 1, column 1"),
        ("[1e999]", "[1]", "no JSON: the number 1e999 is too large"),
    ],
)
def test_w10_equality(outputs: Any, reference: Any, difference: str | None) -> None:
    found = unequal(outputs, reference)
    assert found is None if difference is None else str(found).startswith(difference)


def test_w10_numbers_may_be_near_enough() -> None:
    assert unequal([0.1 + 0.2], [0.3]) == "[0]: expected 0.3, got 0.30000000000000004"
    assert unequal([0.1 + 0.2], [0.3], abs_tol=1e-9) is None
    assert unequal({"n": 101}, {"n": 100}, rel_tol=0.01) is None
    assert unequal({"n": 102}, {"n": 100}, rel_tol=0.01) == "n: expected 100, got 102"
    for bound in (-1.0, float("nan"), float("inf")):
        with pytest.raises(ConfigError, match="finite number that is not negative"):
            create_json_equality_evaluator(abs_tol=bound)


@pytest.mark.parametrize("reference", ["one", "[2e999]", "{} {}", "NaN"])
def test_a_reference_that_is_no_json_is_the_caller_s_mistake(reference: str) -> None:
    with pytest.raises(PromptError, match="json_equality: reference_outputs is no JSON"):
        json_equality(outputs="1", reference_outputs=reference)


@pytest.mark.parametrize("evaluate", [json_validity, json_equality, create_json_schema_evaluator(SCHEMA)])
def test_w21_none_is_not_the_json_null(evaluate: Any) -> None:
    with pytest.raises(MissingVariableError, match="needs `outputs`"):
        evaluate(outputs=None, reference_outputs="null")


def test_w32_nothing_that_is_passed_in_is_changed() -> None:
    item: dict[str, Any] = {"outputs": {"b": [{"c": 1}]}, "reference_outputs": {"b": [{"c": 2}]}}
    schema = copy.deepcopy(SCHEMA)
    before = copy.deepcopy((item, schema))
    json_equality(**item)
    asyncio.run(json_equality_async(**item))
    create_json_schema_evaluator(schema)(**item)
    assert (item, schema) == before


@pytest.mark.parametrize(
    ("outputs", "complaint"),
    [
        ({"age": 3}, None),
        ('{"age": 3}', None),
        ('{"age": "three"}', "$.age: 'three' is not of type 'integer'"),
        ({}, "$: 'age' is a required property"),
        ("{", "no JSON: line 1, column 2"),
        ('{"age": NaN}', "no JSON: NaN is no JSON number"),
        (Pet(3), None),
    ],
)
def test_a_schema(outputs: Any, complaint: str | None) -> None:
    found = misfit(outputs, SCHEMA)
    assert found is None if complaint is None else str(found).startswith(complaint)


def test_the_comment_counts_further_misfits_and_is_short() -> None:
    schema = {**SCHEMA, "additionalProperties": False}
    assert misfit({"b": 1}, schema) == "$: 'age' is a required property (and 1 more)"
    assert len(str(misfit({"age": "x" * 10_000}, SCHEMA))) < 400


@pytest.mark.parametrize("schema", [Person, Pet])
def test_a_type_is_a_schema(schema: Any) -> None:
    assert misfit({"age": 3}, schema) is None
    assert misfit('{"age": "three"}', schema) == "$.age: 'three' is not of type 'integer'"


def test_a_pydantic_model_is_a_schema() -> None:
    pydantic = pytest.importorskip("pydantic")
    model = pydantic.create_model("Person", age=(int, ...))
    assert misfit(model(age=3), model) is None
    assert misfit({}, model) == "$: 'age' is a required property"


def test_the_schema_s_draft_decides() -> None:
    whole = {"type": "integer"}
    assert misfit(1.0, whole) is None
    old = {"$schema": "http://json-schema.org/draft-04/schema#", **whole}
    assert misfit(1.0, old) == "$: 1.0 is not of type 'integer'"


@pytest.mark.parametrize(
    ("schema", "complaint"),
    [
        ({"type": "nope"}, r"no valid JSON schema: .* \(at \$\.type\)"),
        ({"pattern": "("}, "no valid JSON schema"),
        ({"$schema": "http://example.org/mine"}, "no draft that is known"),
        ({"$schema": 7}, "no draft that is known"),
        (True, "schema is True"),
        ('{"type": "object"}', "pass a JSON schema"),
        (Opaque, "schema Opaque has no JSON schema"),
    ],
)
def test_w28_a_wrong_schema_is_an_error_when_the_evaluator_is_made(schema: Any, complaint: str) -> None:
    for create in (create_json_schema_evaluator, create_async_json_schema_evaluator):
        with pytest.raises(SchemaError, match=complaint):
            create(schema)


@pytest.mark.parametrize("reference", ["http://example.org/schema", "#/$defs/absent"])
def test_what_a_schema_refers_to_is_not_fetched(reference: str, outside: list[str]) -> None:
    with pytest.raises(SchemaError, match=r"which is not in it and is not fetched: put it under \$defs"):
        create_json_schema_evaluator({"$ref": reference})(outputs=1)
    assert outside == []


def test_a_schema_without_end_and_outputs_without_end_are_errors() -> None:
    with pytest.raises(PromptError, match="the schema refers to itself without end"):
        create_json_schema_evaluator({"$ref": "#"})(outputs=1)
    with pytest.raises(PromptError, match="nested too deeply"):
        create_json_schema_evaluator({"items": {"$ref": "#"}})(outputs="[" * 500 + "]" * 500)
    with pytest.raises(PromptError, match=r"`outputs\.a` is of type object"):
        create_json_schema_evaluator(SCHEMA)(outputs={"a": object()})


def test_w36_a_schema_evaluator_is_a_value_and_keeps_its_own_copy() -> None:
    schema = copy.deepcopy(SCHEMA)
    judge = create_json_schema_evaluator(schema, feedback_key="fits")
    schema["required"] = ["name"]
    restored = pickle.loads(pickle.dumps(judge))
    assert restored.evaluation == judge.evaluation
    assert restored(outputs={"age": 3}) == {"key": "fits", "score": True, "comment": None, "metadata": None}
