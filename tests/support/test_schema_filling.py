"""What an unscripted provider answers is valid under the schema that it was sent."""

from __future__ import annotations

from typing import Any, Literal

import jsonschema
import pytest
from pydantic import BaseModel, Field

from tests.support.schema_filling import fill


class Claim(BaseModel):
    text: str
    supported: bool | None


class Rubric(BaseModel):
    reasoning: str
    label: Literal["bad", "good"]
    score: float = Field(ge=0, le=5)
    rank: int = Field(ge=1)
    claims: list[Claim] = Field(min_length=2)


CLAIM = {"text": "Because.", "supported": True}


@pytest.mark.parametrize(
    ("schema", "with_truth", "without"),
    [
        ({"type": "boolean"}, True, False),
        ({"type": "number"}, 1.0, 0.0),
        ({"type": "number", "minimum": 0.2, "maximum": 0.8}, 0.8, 0.2),
        ({"type": "integer", "minimum": 1, "maximum": 5}, 5, 1),
        ({"type": "number", "enum": [0, 0.5, 1]}, 1, 0),
        ({"enum": ["bad", "good"]}, "good", "bad"),
        ({"const": "x"}, "x", "x"),
        ({"type": "string"}, "Because.", "Because."),
        ({"type": ["null", "boolean"]}, True, False),
        ({"type": "null"}, None, None),
        ({"anyOf": [{"type": "null"}, {"type": "integer"}]}, 1, 0),
        ({"allOf": [{"type": "number"}, {"maximum": 3, "minimum": 2}]}, 3.0, 2.0),
        ({"type": "array", "items": {"type": "boolean"}, "minItems": 2}, [True, True], [False, False]),
        ({"properties": {"score": {"type": "boolean"}}}, {"score": True}, {"score": False}),
    ],
)
def test_each_kind_of_schema(schema: dict[str, Any], with_truth: Any, without: Any) -> None:
    for truth, expected in ((True, with_truth), (False, without)):
        filled = fill(schema, truth=truth)
        assert (filled, type(filled)) == (expected, type(expected))
        jsonschema.validate(filled, schema)


def test_a_models_schema_with_references() -> None:
    filled = fill(Rubric.model_json_schema())
    assert filled == {
        "reasoning": "Because.",
        "label": "good",
        "score": 5.0,
        "rank": 1,
        "claims": [CLAIM, CLAIM],
    }
    Rubric.model_validate(filled)
