"""Scales: the schema that is asked with, the words, and what may be built."""

from __future__ import annotations

import json
import math
import pickle
from typing import Any

import pytest

from judgekit.core.coercion import Flaw
from judgekit.core.scales import Binary, Choices, Continuous, Custom, Scale, scale_for
from judgekit.errors import SchemaError

REASONING = {
    "type": "string",
    "description": (
        "A human-readable explanation of the score. You MUST end the reasoning with a sentence that says: "
        "Thus, the score should be: SCORE_YOU_ASSIGN."
    ),
}
TRUTH = {
    "type": "boolean",
    "description": "A score that is true if criteria in the prompt are met, and false otherwise.",
}
DEGREE = {
    "type": "number",
    "description": (
        "A number that represents the degree to which the criteria in the prompt are met, from 0.0 to 1.0. "
        "1.0 means the criteria are met perfectly. 0.0 means none of the criteria are met, "
        "0.5 means exactly half of the criteria are met."
    ),
}
THREE = {
    "type": "number",
    "description": "A number that represents the degree to which the criteria in the prompt are met.",
    "enum": [0, 0.5, 1],
}


# What OpenEvals 0.2.2 derives from the same parameters.
@pytest.mark.parametrize("explain", [True, False])
@pytest.mark.parametrize(
    ("continuous", "choices", "score"),
    [
        (False, None, TRUTH),
        (True, None, DEGREE),
        (False, [0, 0.5, 1], THREE),
        (True, [0, 0.5, 1], THREE),
    ],
    ids=["binary", "continuous", "choices", "choices win"],
)
def test_the_schema_is_that_of_openevals(
    continuous: bool, choices: list[float] | None, score: dict[str, Any], explain: bool
) -> None:
    properties = {"reasoning": REASONING, "score": score} if explain else {"score": score}
    expected = {
        "type": "object",
        "additionalProperties": False,
        "properties": properties,
        "required": list(properties),
    }

    schema, description = scale_for(continuous=continuous, choices=choices).schema(explain)

    assert json.dumps(schema) == json.dumps(expected)  # the order of the keys, and 1 as distinct from 1.0
    assert description == score["description"]


@pytest.mark.parametrize("choices", [["good", "bad"], {"good": 1.0, "bad": 0.0}], ids=["words", "mapping"])
def test_words_are_an_enum_of_strings(choices: Any) -> None:
    schema, description = scale_for(choices=choices).schema(explain=False)

    assert schema["properties"]["score"] == {
        "type": "string",
        "description": description,
        "enum": ["good", "bad"],
    }


CUSTOM = {
    "type": "object",
    "description": "A rubric.",
    "properties": {
        "level": {"$ref": "#/$defs/Level"},
        "points": {"type": "integer", "minimum": 1, "maximum": 5},
        "note": {"type": ["string", "null"]},
    },
    "required": ["level"],
    "$defs": {"Level": {"enum": ["low", "high"]}},
}

EVERY_KIND: list[Scale] = [
    Binary(),
    Continuous(),
    Choices((1, 2)),
    Choices(("a", "b"), {"a": 1.0, "b": 0.0}),
    Custom(CUSTOM),
]


@pytest.mark.parametrize("scale", EVERY_KIND, ids=lambda scale: type(scale).__name__)
def test_a_schema_is_the_callers_to_change(scale: Scale) -> None:
    schema, _ = scale.schema(explain=True)
    before = json.dumps(schema)
    schema["properties"].clear()
    schema["required"].append("other")

    assert json.dumps(scale.schema(explain=True)[0]) == before


@pytest.mark.parametrize("scale", EVERY_KIND, ids=lambda scale: type(scale).__name__)
def test_a_scale_travels_and_is_a_key(scale: Scale) -> None:
    if isinstance(scale, Custom):
        scale.read([("level", "low")])  # compiles the validator, which must stay behind
    copy = pickle.loads(pickle.dumps(scale))

    assert copy == scale
    assert hash(copy) == hash(scale)


def test_a_scale_does_not_share_what_it_was_built_from() -> None:
    schema: dict[str, Any] = {"type": "object", "properties": {"a": {"type": "integer"}}}
    labels = {"good": 1.0, "bad": 0.0}
    custom, choices = Custom(schema), scale_for(choices=labels)
    schema["properties"]["a"]["type"] = "string"
    labels["good"] = 0.3

    assert custom.schema(explain=True)[0]["properties"] == {"a": {"type": "integer"}}
    assert read(choices, "good") == "1.0"


@pytest.mark.parametrize(
    ("scale", "wording"),
    [
        (Binary(), "The score must be true or false."),
        (Continuous(), "The score must be a number from 0.0 to 1.0."),
        (Continuous(1, 10), "The score must be a number from 1.0 to 10.0."),
        (Choices((0, 0.5, 1)), "The score must be one of: 0, 0.5, 1."),
        (Choices(("gut", "größer")), 'The score must be one of: "gut", "größer".'),
        (
            Custom(CUSTOM),
            (
                'The answer must be one JSON object with the fields "level": one of "low", "high"; '
                '"points": integer from 1 to 5; "note": string or null.'
            ),
        ),
    ],
    ids=["binary", "continuous", "range", "numbers", "words", "custom"],
)
def test_the_wording_names_what_is_allowed(scale: Scale, wording: str) -> None:
    assert scale.wording() == wording


@pytest.mark.parametrize(
    ("choices", "complaint"),
    [
        ([], "empty"),
        ({}, "empty"),
        ([1, 2, 1.0], "1.0 more than once|1 more than once"),
        (["Good", " good"], "'good' more than once"),
        ([1, True], "has True"),
        ([False, True], "has False"),
        ([0.5, math.nan], "has nan"),
        ([math.inf], "has inf"),
        ([10**400], "finite"),
        ([1, "one"], "mixes words and numbers"),
        ([None], "has None"),
        ([[1]], "has .1."),
        (["ok", "  "], "empty word"),
        ("yes", "pass a list"),
        (3, "pass a list"),
        ({"good": 1.0, "bad": True}, "has True"),
        ({"good": math.nan}, "has nan"),
        ({1: 0.5}, "maps words to numbers"),
    ],
    ids=str,
)
def test_choices_that_no_answer_could_tell_apart_are_refused(choices: Any, complaint: str) -> None:
    with pytest.raises(SchemaError, match=complaint):
        scale_for(continuous=True, choices=choices)


@pytest.mark.parametrize(("low", "high"), [(1.0, 1.0), (1.0, 0.0), (0.0, math.inf), (math.nan, 1.0)])
def test_a_range_without_values_is_refused(low: float, high: float) -> None:
    with pytest.raises(SchemaError, match="low must be below high"):
        Continuous(low, high)


def read(scale: Any, raw: Any) -> Any:
    """The value, or the code of the flaw; the type counts."""
    try:
        return repr(scale.read(raw).value)
    except Flaw as flaw:
        return flaw.code


OFF = "invalid_score"


@pytest.mark.parametrize(
    ("scale", "raw", "expected"),
    [
        (Binary(), True, "True"),
        (Binary(), 0, "False"),
        (Binary(), 1.0, "True"),
        (Binary(), " YES ", "True"),
        (Binary(), "1", OFF),
        (Binary(), "t", OFF),
        (Binary(), 2, OFF),
        (Continuous(), 1, "1.0"),
        (Continuous(), -0.0, "0.0"),
        (Continuous(), ".5", "0.5"),
        (Continuous(), "\ufeff+0.5\u200b", "0.5"),
        (Continuous(), "0,750", "0.75"),
        (Continuous(), "1,00", "1.0"),
        (Continuous(), "1,000", OFF),  # a thousand?
        (Continuous(), "33.3 %", "0.333"),
        (Continuous(), "100%", "1.0"),
        (Continuous(), "101%", OFF),
        (Continuous(), "0%", OFF),
        (Continuous(), "8e-1", OFF),
        (Continuous(), "0.", OFF),
        (Continuous(), "０.５", OFF),
        (Continuous(), "9" * 5000, OFF),
        (Continuous(), 10**400, OFF),
        (Continuous(), 1.0000000000000002, OFF),
        (Continuous(1, 10), "7,5", OFF),
        (Continuous(1, 10), "50%", OFF),
        (Choices((1, 2, 3, 4, 5)), 4.0, "4"),
        (Choices((1, 2, 3, 4, 5)), "4.0", "4"),
        (Choices((1.0, 2.0)), 2, "2.0"),
        (Choices((0, 0.3, 1)), 0.1 + 0.2, "0.3"),
        (Choices((0, 0.5, 1)), "0,5", "0.5"),
        (Choices((0, 0.5, 1)), "50%", OFF),
        (Choices((0, 1)), True, OFF),
        (Choices(("good", "Not Good")), "NOT GOOD ", "'Not Good'"),
        (Choices(("good", "not good")), "goo", OFF),
        (Choices(("1", "2")), 1, OFF),
        (Choices(("yes", "no"), {"yes": 1, "no": 0}), "Yes", "1"),
        (Choices(("yes", "no"), {"yes": 1, "no": 0}), 1, OFF),
    ],
    ids=str,
)
def test_a_value_is_converted_in_one_step_or_refused(scale: Scale, raw: Any, expected: str) -> None:
    assert read(scale, raw) == expected


def test_a_label_comes_with_the_number_it_stands_for() -> None:
    score = Choices(("good", "bad"), {"good": 1.0, "bad": 0.0}).read("BAD")

    assert (score.value, score.label, score.coercions) == (0.0, "bad", ("spelling of the label",))


NESTED = Custom(
    {
        "type": "object",
        "required": ["items"],
        "properties": {
            "items": {"type": "array", "items": {"$ref": "#/$defs/Grade"}},
            "share": {"type": "number", "minimum": 0, "maximum": 1},
            "count": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
            "level": {"type": "string", "enum": ["low", "high"]},
            "passed": {"type": ["boolean", "null"]},
        },
        "$defs": {
            "Grade": {
                "type": "object",
                "additionalProperties": False,
                "required": ["points"],
                "properties": {"points": {"type": "integer"}, "why": {"type": "string"}},
            }
        },
    }
)


def test_a_custom_object_is_converted_at_any_depth() -> None:
    score = NESTED.read(
        [
            ("Items", [{"points": "3", "why": "a\x00b\ud83d"}, {"POINTS": 4.0, "unasked": []}]),
            ("share", "75%"),
            ("count", "2"),
            ("level", " HIGH"),
            ("passed", "no"),
            ("kept", {"as": ["it", 1]}),
        ]
    )

    assert score.value == {
        "items": [{"points": 3, "why": "ab\ufffd"}, {"points": 4}],
        "share": 0.75,
        "count": 2,
        "level": "high",
        "passed": False,
        "kept": {"as": ["it", 1]},
    }
    assert "$.items[0].points: text to number" in score.coercions
    assert "$.items[1].unasked: dropped, the schema has no such field" in score.coercions


@pytest.mark.parametrize(
    ("members", "code"),
    [
        ([("share", 1)], "missing_field"),
        ([("items", [{"why": "x"}])], "missing_field"),
        ([("items", [{"points": "x"}])], OFF),
        ([("items", [{"points": True}])], OFF),
        ([("items", [{"points": 4.5}])], OFF),
        ([("items", []), ("share", math.nan)], OFF),
        ([("items", []), ("extra", math.inf)], OFF),
        ([("items", []), ("share", 80)], OFF),
        ([("items", []), ("level", "highest")], OFF),
        ([("items", []), ("level", "low"), ("Level", "high")], "ambiguous"),
        ([("items", []), ("level", "low"), ("finalLevel", "high")], "ambiguous"),
        ([("items", []), ("count", 1), ("final_count", 2)], "ambiguous"),
        ([("items", []), ("extra", 1), ("extra", True)], "ambiguous"),
    ],
    ids=str,
)
def test_a_custom_object_that_is_no_verdict(members: list[tuple[str, Any]], code: str) -> None:
    assert read(NESTED, members) == code


def test_fields_that_do_not_compete_are_kept_apart() -> None:
    members = [("items", []), ("level", "low"), ("level_comment", "far from high"), ("count", None)]

    assert NESTED.read(members).value["level"] == "low"


@pytest.mark.parametrize(
    "properties",
    [
        {"a": {"type": "strin"}},
        {"a": {"$ref": "#/$defs/Missing"}},
        {"a": {"$ref": "https://example.com/schema.json"}},
    ],
    ids=["invalid", "dangling", "elsewhere"],
)
def test_a_custom_schema_that_cannot_be_used(properties: dict[str, Any]) -> None:
    with pytest.raises(SchemaError, match="output schema"):
        Custom({"type": "object", "properties": properties}).read([("a", 1)])
