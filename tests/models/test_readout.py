"""Reading probabilities, without an engine: what the model would write next, by what it has written."""

from __future__ import annotations

from typing import Any

import pytest

from judgekit.core.exchange import AnswerSchema
from judgekit.errors import ConfigError, ModelError
from judgekit.models.readout import Token, allowed, asking, masses, verdict


def answers(score: Any, **others: Any) -> AnswerSchema:
    return AnswerSchema("answer", {"type": "object", "properties": {**others, "score": score}})


def read(texts: tuple[str, ...], steps: dict[str, dict[bytes, float]]) -> dict[str, float]:
    found = masses(texts, lambda written: [Token(*step) for step in steps[written].items()])
    return {text: round(share, 6) for text, share in found.items()}


BOTH = ("true", "false")


@pytest.mark.parametrize(
    ("texts", "steps", "found"),
    [
        (BOTH, {'{"score":': {b" true": 0.5, b"True": 0.1, b"fal": 0.2, b" maybe": 0.1, b"": 0.1}}, [0.6, 0.2]),
        (BOTH, {'{"score":': {b" ": 0.5}, '{"score": ': {b"true": 0.5, b"\n": 0.1, b"f": 0.4}}, [0.25, 0.2]),
        (BOTH, {'{"score":': {b" true}\n": 0.5, b" trueish": 0.1}}, [0.5, 0.0]),
        (("1", "10"), {'{"score": ': {b"1": 0.8, b"10": 0.1}, '{"score": 1': {b"0": 0.25, b"}": 0.5, b",": 0.25}},
         [0.6, 0.3]),
        (("0.0", "0.5", "1.0"), {'{"score": ': {b"0": 0.6, b"1": 0.4}, '{"score": 0': {b".": 0.5, b"}": 0.5},
                                 '{"score": 0.': {b"5": 1.0}}, [0.3, 0.3, 0.4]),
        (('"good"', '"goody"'), {'{"score": "': {b"Good": 1.0}, '{"score": "Good': {b'"}': 0.5, b"y": 0.5}}, [0.5, 0.5]),
        (('"A"', '"a"'), {'{"score": "': {b"A": 0.75, b"a": 0.25}}, [0.75, 0.25]),
        (('"é"', '"è"'), {'{"score": "': {b"\xc3": 0.5, b"\xc3\xa9": 0.25}}, [0.25, 0.0]),
    ],
)  # fmt: skip
def test_the_spellings_of_a_value_add_up(
    texts: tuple[str, ...], steps: dict[str, dict[bytes, float]], found: list[float]
) -> None:
    assert read(texts, steps) == dict(zip(texts, found, strict=True))


def test_an_unlikely_beginning_is_not_followed() -> None:
    assert read(BOTH, {'{"score":': {b" true": 0.999, b" ": 0.001}}) == {"true": 0.999, "false": 0.0}


def test_the_most_probable_value_is_the_verdict_and_the_first_of_equals() -> None:
    text, probabilities, mass = verdict({"1": 0.125, "2": 0.375})
    assert (text, probabilities, mass) == ('{"score": 2}', {"1": 0.25, "2": 0.75}, 0.5)
    assert verdict({'"b"': 0.25, '"a"': 0.25})[0] == '{"score": "b"}'
    with pytest.raises(ModelError, match="None of true, false was among"):
        verdict({"true": 0.0, "false": 0.0})


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        (answers({"type": "number"}), "a continuous scale has none. Give choices"),
        (
            answers({"type": "integer", "minimum": 0, "maximum": 26}),
            "at most 26 values, and the score .* has 27",
        ),
        (
            AnswerSchema("s", {"type": "object", "properties": {"grade": {"type": "boolean"}}}),
            "has none: call",
        ),
    ],
)
def test_values_that_cannot_be_read(schema: AnswerSchema, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        allowed(schema)


def test_the_answers_are_spelled_out_and_references_are_followed() -> None:
    grade = {"enum": ["a", "b"], "description": "The grade."}
    schema = AnswerSchema("s", {**answers({"$ref": "#/$defs/G"}, why={}).schema, "$defs": {"G": grade}})
    assert allowed(schema) == ('"a"', '"b"')
    told = (
        "Answer with one of these JSON objects only, nothing before or after it:\n"
        '{"score": "a"}\n{"score": "b"}\nscore: The grade.'
    )
    system, image = {"role": "system", "content": "You judge."}, {"type": "image_url", "image_url": {}}
    for content, asked in [
        ("Is it?", f"Is it?\n\n{told}"),
        ([image], [image, {"type": "text", "text": told}]),
    ]:
        messages = asking([system, {"role": "user", "content": content}], schema)
        assert messages == [system, {"role": "user", "content": asked}]
    assert asking([system], schema) == [system, {"role": "user", "content": told}]
