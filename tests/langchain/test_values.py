"""The evaluators that ask nobody give the values that langchain-classic gives, and differ where it is wrong."""

from __future__ import annotations

import asyncio
import json
import random
import re
import sys
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import pytest

from judgekit.errors import (
    ConfigError,
    MissingVariableError,
    ModelError,
    PromptError,
    SchemaError,
    WrongClientError,
)
from judgekit.langchain import EmbeddingDistance, StringDistance, load_evaluator
from tests.langchain.classic import classic

RANDOM = random.Random(20230)
LETTERS = "abAB  .,!19-éßñ日本"


def texts(count: int, longest: int = 12) -> list[str]:
    return ["".join(RANDOM.choices(LETTERS, k=RANDOM.randrange(longest))) for _ in range(count)]


def near(text: str) -> str:
    """The text, or one with a change that some flag forgives."""
    return RANDOM.choice([text, text.upper(), text.lower(), f"{text}.", f"{text}7", text[::-1]])


PAIRS = [(text, RANDOM.choice([near(text), other])) for text, other in zip(texts(80), texts(80), strict=True)]


def both(kind: str, *items: dict[str, Any], **settings: Any) -> list[tuple[Any, Any]]:
    """The results of both libraries for each item; an error is its class."""
    ours, theirs = load_evaluator(kind, **settings), classic.load_evaluator(kind, **settings)
    return [(outcome(ours, item), outcome(theirs, item)) for item in items]


def outcome(evaluator: Any, item: dict[str, Any]) -> Any:
    method = "evaluate_string_pairs" if "prediction_b" in item else "evaluate_strings"
    try:
        return getattr(evaluator, method)(**item)
    except Exception as error:  # noqa: BLE001  # whatever it is, it is compared
        return type(error)


def scores(results: Sequence[tuple[Any, Any]]) -> tuple[list[Any], list[Any]]:
    return [ours["score"] for ours, _ in results], [theirs["score"] for _, theirs in results]


def against(pairs: Sequence[tuple[Any, Any]], name: str = "reference") -> list[dict[str, Any]]:
    return [{"prediction": one, name: other} for one, other in pairs]


@pytest.mark.parametrize("normalize_score", [True, False])
@pytest.mark.parametrize("distance", list(StringDistance))
def test_string_distance(distance: StringDistance, normalize_score: bool) -> None:
    settings = {"distance": distance.value, "normalize_score": normalize_score}
    for kind, name in (("string_distance", "reference"), ("pairwise_string_distance", "prediction_b")):
        ours, theirs = scores(both(kind, *against(PAIRS, name), **settings))
        assert ours == theirs
        assert (
            load_evaluator(kind, **settings).evaluation_name
            == classic.load_evaluator(kind, **settings).evaluation_name
        )


@pytest.mark.parametrize("flags", range(8))
def test_exact_match(flags: int) -> None:
    names = ("ignore_case", "ignore_punctuation", "ignore_numbers")
    settings = {name: bool(flags & 1 << place) for place, name in enumerate(names)}
    ours, theirs = scores(both("exact_match", *against(PAIRS), **settings))
    assert ours == theirs
    assert {*ours} == {0, 1}


@pytest.mark.parametrize("flags", [0, re.IGNORECASE])
def test_regex_match(flags: int) -> None:
    patterns = ["", "a", "^a.*b$", "b", ".*b$", r"\d", "é+", "(?i)A"]
    pairs = [(text, RANDOM.choice(patterns)) for text in texts(120)]
    ours, theirs = scores(both("regex_match", *against(pairs), flags=flags))
    assert ours == theirs
    assert {*ours} == {0, 1}


def test_regex_match_has_other_places_too() -> None:
    item = {"prediction": "xab", "reference": "a"}
    for where, expected in {"match": 0, "search": 1, "fullmatch": 0}.items():
        assert load_evaluator("regex_match", where=where).evaluate_strings(**item) == {"score": expected}
    with pytest.raises(ConfigError, match="where"):
        load_evaluator("regex_match", where="anywhere")
    with pytest.raises(PromptError, match="no regular expression"):
        load_evaluator("regex_match").evaluate_strings(prediction="a", reference="(")


class Embeddings:
    """Vectors that depend on nothing but the text, some components alike."""

    def embed_documents(self, asked: list[str]) -> list[list[float]]:
        return [[float(ord(char) % 7) for char in f"{text}abcdef"[:6]] for text in asked]

    async def aembed_documents(self, asked: list[str]) -> list[list[float]]:
        return self.embed_documents(asked)


@pytest.mark.parametrize("metric", list(EmbeddingDistance))
def test_embedding_distance(metric: EmbeddingDistance, monkeypatch: pytest.MonkeyPatch) -> None:
    from langchain_core.embeddings import Embeddings as Base

    monkeypatch.setitem(
        sys.modules, "scipy.spatial.distance", None
    )  # with it, langchain-classic has no euclidean

    class Double(Embeddings, Base):
        def embed_query(self, text: str) -> list[float]:
            raise AssertionError(text)

    settings = {"embeddings": Double(), "distance_metric": metric.value}
    for kind, name in (("embedding_distance", "reference"), ("pairwise_embedding_distance", "prediction_b")):
        ours, theirs = scores(both(kind, *against(PAIRS[:25], name), **settings))
        assert ours == pytest.approx(theirs, abs=1e-9)
        assert (
            load_evaluator(kind, **settings).evaluation_name
            == classic.load_evaluator(kind, **settings).evaluation_name
        )


def test_fixed_a_zero_vector_has_no_cosine_and_is_an_error_that_says_so() -> None:
    evaluator = load_evaluator("embedding_distance", embeddings=lambda asked: [[0.0, 0.0], [1.0, 0.0]])
    with pytest.raises(ModelError, match="zero vector"):
        evaluator.evaluate_strings(prediction="a", reference="b")
    with pytest.raises(ConfigError, match="distance_metric"):
        load_evaluator("embedding_distance", embeddings=Embeddings(), distance_metric="cos")


def value(depth: int = 2) -> Any:
    """A random JSON value; without lists at the top of it, whose order is another test."""
    kinds: list[Callable[[], Any]] = [
        lambda: RANDOM.randrange(3),
        lambda: RANDOM.choice(["a", "b"]),
        lambda: None,
        lambda: 0.5,
    ]
    if depth:
        kinds += [
            lambda: {key: value(depth - 1) for key in RANDOM.sample("xyz", 2)},
            lambda: {"l": [value(depth - 1) for _ in range(2)]},
        ]
    return RANDOM.choice(kinds)()


VALUES = [(json.dumps(value()), json.dumps(value())) for _ in range(150)]
SAME = [(json.dumps(one, indent=1), json.dumps(one)) for one in (value() for _ in range(50))]


def test_json_equality() -> None:
    ours, theirs = scores(both("json_equality", *against(VALUES + SAME)))
    assert ours == theirs
    assert {*ours} == {True, False}


def test_json_equality_of_lists_ignores_their_order() -> None:
    lists = [[RANDOM.randrange(3) for _ in range(3)] for _ in range(60)]
    pairs = [(json.dumps(one), json.dumps(other)) for one, other in pairwise(lists)]
    ours, theirs = scores(both("json_equality", *against(pairs)))
    assert ours == theirs
    assert {*ours} == {True, False}


def test_json_equality_with_an_operator() -> None:
    same_a = lambda one, other: one["a"] == other["a"]  # noqa: E731
    pairs = [('{"a": 1}', '{"a": 1, "b": 2}'), ('{"a": 1}', '{"a": 2}')]
    assert scores(both("json_equality", *against(pairs), operator=same_a)) == ([True, False], [True, False])
    lists = [("[2, 1]", "[1, 2]")]
    assert scores(both("json_equality", *against(lists), operator=list.__eq__)) == ([True], [True])


def test_json_edit_distance() -> None:
    ours, theirs = scores(both("json_edit_distance", *against(VALUES + SAME)))
    assert ours == theirs
    settings = {"string_distance": lambda one, other: abs(len(one) - len(other)), "canonicalize": str}
    ours, theirs = scores(both("json_edit_distance", *against(VALUES), **settings))
    assert ours == theirs


def test_json_validity() -> None:
    broken = [text.replace('"', "'") for text, _ in VALUES]
    given = [text for text, _ in VALUES] + broken + [f"```json\n{text}\n```" for text in broken[:20]]
    results = both("json_validity", *({"prediction": text} for text in given))
    ours, theirs = scores(results)
    assert ours == theirs
    assert {*ours} == {0, 1}
    assert all(("reasoning" in mine) == (mine["score"] == 0) for mine, _ in results)


SCHEMA = {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]}


def test_json_schema_validation() -> None:
    import pydantic

    class Point(pydantic.BaseModel):
        x: int

    for schema in (SCHEMA, json.dumps(SCHEMA), Point):
        results = both("json_schema_validation", *against([(text, schema) for text, _ in VALUES]))
        ours, theirs = scores(results)
        assert ours == theirs
        assert {*ours} == {True, False}
        assert all(("reasoning" in mine) == (not mine["score"]) for mine, _ in results)
    with pytest.raises(SchemaError):
        load_evaluator("json_schema_validation").evaluate_strings(prediction="1", reference={"type": "no"})


NAMES = [
    "exact_match",
    "regex_match",
    "json_validity",
    "json_equality",
    "json_edit_distance",
    "json_schema_validation",
]


@pytest.mark.parametrize("kind", NAMES)
def test_an_evaluator_says_what_it_is(kind: str) -> None:
    ours, theirs = load_evaluator(kind), classic.load_evaluator(kind)
    for name in ("evaluation_name", "requires_input", "requires_reference"):
        assert getattr(ours, name) == getattr(theirs, name)


def test_embeddings_may_be_async_and_may_fail() -> None:
    async def embed(asked: list[str]) -> list[list[float]]:
        return [[1.0, 0.0], [0.0, 1.0]][: len(asked)]

    item = {"prediction": "a", "reference": "b"}
    evaluator = load_evaluator("embedding_distance", embeddings=embed)
    assert asyncio.run(evaluator.aevaluate_strings(**item)) == {"score": 1.0}
    with pytest.raises(WrongClientError, match="begins with `a`"):
        evaluator.evaluate_strings(**item)
    with pytest.raises(ModelError, match="vectors of"):
        load_evaluator("embedding_distance", embeddings=lambda _: [[1.0], [1.0, 2.0]]).evaluate_strings(
            **item
        )

    def broken(asked: list[str]) -> Any:
        raise OSError("the server is away")

    with pytest.raises(ModelError, match="the server is away"):
        load_evaluator("embedding_distance", embeddings=broken).evaluate_strings(**item)


def test_a_reference_or_data_that_cannot_be_read_is_an_error() -> None:
    for kind in ("json_equality", "json_edit_distance", "json_schema_validation"):
        with pytest.raises(PromptError, match="the reference is no JSON"):
            load_evaluator(kind).evaluate_strings(prediction="1", reference="{")
    with pytest.raises(PromptError, match="no plain form"):
        load_evaluator("json_edit_distance").evaluate_strings(prediction=object(), reference="1")
    with pytest.raises(PromptError, match="no plain form"):
        load_evaluator("json_equality").evaluate_strings(prediction="1", reference=object())


def test_a_list_is_equal_to_lists_only() -> None:
    ((ours, theirs),) = both("json_equality", {"prediction": '{"a": 1}', "reference": "[1]"})
    assert ours == {"score": False, "reasoning": "the reference is a list, the prediction is not"}
    assert theirs["score"] == ours["score"]


def test_a_model_of_pydantic_1_is_a_schema() -> None:
    class Older:
        @classmethod
        def schema(cls) -> dict[str, Any]:
            return SCHEMA

    evaluator = load_evaluator("json_schema_validation")
    assert evaluator.evaluate_strings(prediction='{"x": 1}', reference=Older) == {"score": True}
    assert not evaluator.evaluate_strings(prediction="{}", reference=Older)["score"]


ERROR = object()
"""Stands for an exception of langchain-classic."""

DIFFERENCES: list[tuple[str, str, Any, Any, Any, Any]] = [
    # why, type, prediction, reference, langchain-classic's score, ours (or the error that is raised)
    ("a number is no truth value", "exact_match", 1, True, 1, 0),
    ("None is no text", "exact_match", None, "a", 0, MissingVariableError),
    ("None is no text", "string_distance", None, "a", 1.0, MissingVariableError),
    ("data is compared as JSON", "string_distance", {"a": 1}, '{"a": 1}', ERROR, 0.0),
    ("a pattern that is none says so", "regex_match", "a", "(", ERROR, PromptError),
    ("NaN is no JSON", "json_validity", "[NaN]", None, 1, 0),
    ("a key stands once", "json_validity", '{"a": 1, "a": 2}', None, 1, 0),
    ("a fenced block is read, whatever follows", "json_validity", "```json\n{}\n```\nDone.", None, 0, 1),
    ("data is JSON already", "json_validity", {"a": 1}, None, 0, 1),
    ("truncated JSON is none", "json_equality", '{"a": 1', '{"a": 1}', True, False),
    ("JSON with a rest is none", "json_equality", '{"a": 1} and so on', '{"a": 1}', True, False),
    ("two unreadable texts are not equal", "json_equality", '{"a":1}}', '{"b":2}]', True, PromptError),
    ("what is no JSON is not equal", "json_equality", "none", '{"a": 1}', ERROR, False),
    ("a number is no truth value", "json_equality", "1", "true", True, False),
    ("items of any kind have no order", "json_equality", '[1, "1"]', '["1", 1]', False, True),
    ("what is no JSON is compared as it stands", "json_edit_distance", '{"a":1', '{"a":1}', 0.0, 1 / 7),
    ("a letter counts as one", "json_edit_distance", '"é"', '"è"', 1 / 8, 1 / 3),
    ("truncated JSON is none", "json_schema_validation", '{"x": 1', SCHEMA, True, False),
]


@pytest.mark.parametrize(
    ("kind", "prediction", "reference", "theirs", "ours"),
    [row[1:] for row in DIFFERENCES],
    ids=[f"{row[1]}: {row[0]}" for row in DIFFERENCES],
)
def test_a_difference(kind: str, prediction: Any, reference: Any, theirs: Any, ours: Any) -> None:
    item = {"prediction": prediction, **({} if reference is None else {"reference": reference})}
    ((mine, other),) = both(kind, item)
    if isinstance(ours, type):
        assert mine is ours
    else:
        assert mine["score"] == pytest.approx(ours)
        assert type(mine["score"]) is type(ours)
    if theirs is ERROR:
        assert issubclass(other, Exception)
    else:
        assert other["score"] == pytest.approx(theirs)
