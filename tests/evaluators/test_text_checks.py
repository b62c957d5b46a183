"""Patterns and parts of texts: what matches, what the comment says, and which arguments are refused."""

from __future__ import annotations

import asyncio
import pickle
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgekit.errors import ConfigError, MissingVariableError, PromptError
from judgekit.evaluators.text_checks import (
    create_async_contains_evaluator,
    create_async_regex_evaluator,
    create_contains_evaluator,
    create_regex_evaluator,
)


def matched(pattern: Any, outputs: Any, reference: Any = None, **settings: Any) -> Any:
    item = {"outputs": outputs, "reference_outputs": reference}
    result = create_regex_evaluator(pattern, **settings)(**item)
    assert asyncio.run(create_async_regex_evaluator(pattern, **settings)(**item)) == result
    return result


def contained(expected: Any, outputs: Any, reference: Any = None, **settings: Any) -> Any:
    item = {"outputs": outputs, "reference_outputs": reference}
    result = create_contains_evaluator(expected, **settings)(**item)
    assert asyncio.run(create_async_contains_evaluator(expected, **settings)(**item)) == result
    return result


@pytest.mark.parametrize(
    ("pattern", "outputs", "settings", "matches"),
    [
        (r"\d+", "room 12", {}, True),
        (r"\d+", "no number", {}, False),
        (r"\d+", "room 12", {"where": "fullmatch"}, False),
        (r"a", "a\n", {"where": "fullmatch"}, False),
        (r"OSLO", "Oslo", {"flags": re.IGNORECASE}, True),
        (r"a.b", "a\nb", {"flags": re.DOTALL}, True),
        (re.compile("oslo", re.IGNORECASE), "Oslo", {}, True),
        ("", "anything", {}, True),
        (r'"東京"', {"city": "東京"}, {}, True),
    ],
)
def test_a_pattern(pattern: Any, outputs: Any, settings: dict[str, Any], matches: bool) -> None:
    assert matched(pattern, outputs, **settings)["score"] is matches


def test_a_pattern_of_each_reference() -> None:
    assert matched(None, "in 1066", r"\b1066\b")["score"] is True
    assert matched(None, "OSLO", "oslo", flags=re.IGNORECASE)["score"] is True
    assert matched(None, "Oslo", re.compile("^O"))["score"] is True
    with pytest.raises(MissingVariableError, match="regex_match needs `reference_outputs`"):
        matched(None, "text")


def test_the_comment_shows_the_pattern_and_the_text() -> None:
    assert matched(r"\d", "none")["comment"] == '`\\d` does not occur: "none"'
    partly = matched(r"\d", "1 a", where="fullmatch")
    assert partly["comment"] == '`\\d` does not match all of the text: "1 a"'
    assert len(matched(r"\d", "x" * 10_000)["comment"]) < 200
    assert matched("a", "a") == {"key": "regex_match", "score": True, "comment": None, "metadata": None}


@pytest.mark.parametrize(
    ("pattern", "settings"),
    [
        ("(", {}),
        (5, {}),
        (b"bytes", {}),
        (re.compile(b"bytes"), {}),
        (re.compile("a"), {"flags": re.IGNORECASE}),
        ("a", {"flags": "i"}),
        (None, {"flags": "i"}),
    ],
)
def test_w28_a_wrong_pattern_is_an_error_when_the_evaluator_is_made(
    pattern: Any, settings: dict[str, Any]
) -> None:
    for create in (create_regex_evaluator, create_async_regex_evaluator):
        with pytest.raises(ConfigError, match="is no regular expression"):
            create(pattern, **settings)


def test_w8_unknown_ways_are_errors_when_the_evaluator_is_made() -> None:
    with pytest.raises(ConfigError, match=r"where is 'match' \(did you mean 'fullmatch'\?\)"):
        create_regex_evaluator("a", where="match")  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="require is 'some': give one of 'all', 'any', 'none'"):
        create_contains_evaluator("a", require="some")  # type: ignore[arg-type]


@pytest.mark.parametrize("reference", ["(", 5, b"bytes", re.compile(b"bytes")])
def test_a_reference_that_is_no_pattern_is_an_error(reference: Any) -> None:
    with pytest.raises(PromptError, match="regex_match: reference_outputs is no regular expression"):
        matched(None, "text", reference)


@pytest.mark.parametrize(
    ("expected", "require", "comment"),
    [
        ("b", "all", None),
        (["b", "c"], "all", None),
        (["b", "x", "y"], "all", 'does not contain "x", "y"'),
        (["x", "x"], "all", 'does not contain "x"'),
        (["x", "b"], "any", None),
        (["x", "y"], "any", 'does not contain "x", "y"'),
        (["x", "y"], "none", None),
        (["x", "b", "c"], "none", 'contains "b", "c"'),
        (list("stuvwxyz"), "all", 'does not contain "s", "t", "u", "v", "w" and 3 more'),
    ],
)
def test_parts(expected: Any, require: str, comment: str | None) -> None:
    assert contained(expected, "a b c", require=require) == {
        "key": "contains",
        "score": comment is None,
        "comment": comment,
        "metadata": None,
    }


def test_the_parts_of_each_reference() -> None:
    assert contained(None, "Oslo and Rome", ["Rome", "Oslo"])["score"] is True
    assert contained(None, "Oslo", "Rome")["comment"] == 'does not contain "Rome"'
    with pytest.raises(MissingVariableError, match="contains needs `reference_outputs`"):
        contained(None, "Oslo")


def test_both_sides_are_normalized() -> None:
    assert contained("STRASSE", "Die straße")["score"] is False
    assert contained("STRASSE", "Die straße", normalize="casefold")["score"] is True
    assert contained(None, "New\n  York", "new york", normalize=["casefold", "whitespace"])["score"] is True


def test_w15_outputs_that_are_not_text_are_searched_as_json() -> None:
    assert contained("東京", {"city": "東京"})["score"] is True
    assert contained('"a": 1', {"b": 2, "a": 1})["score"] is True


@pytest.mark.parametrize("expected", ["", [], ["a", ""], 5, {"a"}, [5]])
def test_an_expectation_that_everything_fulfills_is_an_error(expected: Any) -> None:
    with pytest.raises(ConfigError, match="give a text or a list of texts, none of them empty"):
        create_contains_evaluator(expected)
    with pytest.raises(PromptError, match=r"reference_outputs is .*: give a text or a list of texts"):
        contained(None, "text", expected)


def test_an_expectation_that_normalization_empties_is_an_error() -> None:
    with pytest.raises(ConfigError, match="none of them empty"):
        create_contains_evaluator(" \n", normalize="whitespace")


@pytest.mark.parametrize("create", [create_regex_evaluator, create_contains_evaluator])
def test_w37_missing_outputs_are_an_error(create: Any) -> None:
    with pytest.raises(MissingVariableError, match="`output` was given: is that a misspelling"):
        create("a")(output="a")


def test_w36_evaluators_are_values_with_names() -> None:
    digits = pickle.loads(pickle.dumps(create_regex_evaluator(r"\d", feedback_key="digits")))
    assert (digits.__name__, digits(outputs="1")["score"]) == ("digits", True)
    polite = pickle.loads(pickle.dumps(create_contains_evaluator("please", normalize="casefold")))
    assert polite(outputs="Please!")["score"] is True


@given(st.text(min_size=1), st.text(), st.text())
def test_a_text_contains_its_parts_and_matches_their_escape(part: str, before: str, after: str) -> None:
    whole = before + part + after
    assert create_contains_evaluator(part)(outputs=whole)["score"] is True
    assert create_regex_evaluator(re.escape(part))(outputs=whole)["score"] is True
    assert create_regex_evaluator(re.escape(whole), where="fullmatch")(outputs=whole)["score"] is True
