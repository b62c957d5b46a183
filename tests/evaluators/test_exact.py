"""Exact match compares data: what a JSON type tells apart is different, and what holds a value is no matter."""

from __future__ import annotations

import asyncio
import copy
import datetime as dt
import inspect
import pickle
import re
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgekit.errors import MissingVariableError, PromptError
from judgekit.evaluators.exact import exact_match, exact_match_async

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


class Grade(Enum):
    GOOD = "good"


@dataclass
class Point:
    x: int
    y: int


def score(outputs: Any, reference: Any) -> Any:
    result = exact_match(outputs=outputs, reference_outputs=reference)
    assert result == asyncio.run(exact_match_async(outputs=outputs, reference_outputs=reference))
    return result["score"]


@pytest.mark.parametrize(
    ("outputs", "reference"),
    [
        ({"a": 1, "b": [1.0]}, {"b": [1], "a": 1}),
        (1, 1.0),
        (Decimal("1.00"), 1),
        ((1, 2), [1, 2]),
        (float("nan"), float("nan")),
        ({1: "a", "b": 2}, {"b": 2, 1: "a"}),
        ("", ""),
        (Point(1, 2), {"y": 2, "x": 1}),
        (Grade.GOOD, "good"),
    ],
)
def test_w10_equal_as_data(outputs: Any, reference: Any) -> None:
    assert score(outputs, reference) is True
    assert score(reference, outputs) is True


@pytest.mark.parametrize(
    ("outputs", "reference"),
    [
        (True, 1),
        (False, 0),
        ("1", 1),
        ({1: "a"}, {"1": "a"}),
        ({True: 1}, {"true": 1}),
        ({True: 1}, {1: 1}),
        ([1, 2], [2, 1]),
        ([1], [1, 1]),
        ({"a": None}, {}),
        ("caf\N{LATIN SMALL LETTER E WITH ACUTE}", "cafe\N{COMBINING ACUTE ACCENT}"),
        (0.1 + 0.2, 0.3),
        ("a", "a "),
    ],
)
def test_w10_different_as_data(outputs: Any, reference: Any) -> None:
    assert score(outputs, reference) is False
    assert score(reference, outputs) is False


@pytest.mark.parametrize(
    "value",
    [
        dt.date(2026, 1, 2),
        {"when": dt.datetime(2026, 1, 2, tzinfo=dt.UTC)},
        {"tags": {"b", "a"}},
        b"bytes",
        {(1, 2): "a tuple as a key"},
        {1: "keys", "of": "two types"},
        re.compile("a pattern"),
    ],
)
def test_w21_values_that_json_has_not_are_compared(value: Any) -> None:
    assert score(value, copy.deepcopy(value)) is True
    assert score(value, "something else") is False


def test_w21_numpy_and_pydantic_are_compared_as_what_they_hold() -> None:
    np = pytest.importorskip("numpy")
    pydantic = pytest.importorskip("pydantic")
    model = pydantic.create_model("Answer", city=(str, ...))(city="Oslo")
    assert score({"n": np.int64(1), "v": np.array([1.5, 2.0])}, {"n": 1, "v": [1.5, 2]}) is True
    assert score(np.bool_(True), 1) is False
    assert score(model, {"city": "Oslo"}) is True


@pytest.mark.parametrize(
    ("item", "missing"),
    [
        ({"reference_outputs": 1}, "outputs"),
        ({"outputs": 1}, "reference_outputs"),
        ({"outputs": None, "reference_outputs": None}, "outputs"),
    ],
)
def test_w21_none_is_no_value(item: dict[str, Any], missing: str) -> None:
    with pytest.raises(MissingVariableError, match=f"exact_match needs `{missing}`"):
        exact_match(**item)


def test_w37_a_misspelt_argument_is_named() -> None:
    with pytest.raises(MissingVariableError, match="`output` was given: is that a misspelling"):
        exact_match(output="a", reference_outputs="a")


def test_what_cannot_be_compared_is_an_error() -> None:
    cycle: list[Any] = []
    cycle.append(cycle)
    for value in (object(), cycle):
        with pytest.raises(PromptError):
            exact_match(outputs=value, reference_outputs=copy.copy(value))


def test_the_result_has_four_fields_and_other_keywords_are_ignored() -> None:
    result = exact_match(inputs="q", outputs="a", reference_outputs="a", attachments=[], context="ignored")
    assert result == {"key": "exact_match", "score": True, "comment": None, "metadata": None}


def test_w36_evaluators_are_values_with_names() -> None:
    assert (exact_match.__name__, inspect.iscoroutinefunction(exact_match)) == ("exact_match", False)
    assert inspect.iscoroutinefunction(exact_match_async)
    restored = pickle.loads(pickle.dumps(exact_match))
    assert restored(outputs=[1], reference_outputs=[1])["score"] is True


@given(JSON)
def test_w32_a_value_equals_its_copy_and_is_not_changed(value: Any) -> None:
    before = repr(value)
    if value is not None:
        assert exact_match(outputs=value, reference_outputs=copy.deepcopy(value))["score"] is True
    assert repr(value) == before


@given(JSON, JSON)
def test_equality_has_no_direction(one: Any, other: Any) -> None:
    if one is not None and other is not None:
        assert exact_match(outputs=one, reference_outputs=other) == exact_match(
            outputs=other, reference_outputs=one
        )
