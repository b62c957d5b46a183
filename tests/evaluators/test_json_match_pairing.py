"""Items of two lists are paired optimally, nested values are found by their path, and equal items cost little."""

from __future__ import annotations

import copy
import itertools
import random
import time
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from judgekit.core.equality import EXACT, MISSING, Tolerance
from judgekit.evaluators.assignment import assign
from judgekit.evaluators.json_fields import Rules
from judgekit.evaluators.json_pairing import MATCH_MODES, pair_items
from judgekit.evaluators.paths import lookup, parse_path, without

PLAIN = Rules({})
RECORDS = st.lists(st.dictionaries(st.sampled_from("abc"), st.integers(0, 2)), max_size=4)


@given(st.integers(1, 6), st.integers(0, 3), st.data())
def test_an_assignment_has_the_largest_total(rows: int, more: int, data: st.DataObject) -> None:
    row = st.lists(st.integers(-4, 4), min_size=rows + more, max_size=rows + more)
    weights = data.draw(st.lists(row, min_size=rows, max_size=rows))
    columns = assign(weights)
    assert len(set(columns)) == rows
    best = np.array(weights)[linear_sum_assignment(weights, maximize=True)].sum()
    assert sum(weights[i][column] for i, column in enumerate(columns)) == best


def _equal(one: dict[str, int], other: dict[str, int]) -> int:
    return len(one.items() & other.items())


@given(RECORDS, RECORDS, st.sampled_from(["same_elements", "superset", "subset"]))
def test_w14_no_pairing_has_more_equal_fields(
    outputs: list[dict[str, int]], reference: list[dict[str, int]], mode: str
) -> None:
    pairs = pair_items(outputs, reference, PLAIN, mode)
    found = sum(_equal(outputs[i], reference[j]) for i, j in pairs if i is not None and j is not None)
    short, long = sorted([outputs, reference], key=len)
    best = max(sum(map(_equal, short, chosen)) for chosen in itertools.permutations(long, len(short)))
    assert found == best
    for side, items in ((0, outputs), (1, reference)):
        seen = [pair[side] for pair in pairs if pair[side] is not None]
        assert len(seen) == len(set(seen)) <= len(items)


def test_the_greedy_pairing_is_kept_where_no_other_has_more_equal_fields() -> None:
    outputs = [{"a": 1, "d": 2}, {"a": 1, "b": 2}]
    reference = [{"a": 1, "b": 2}, {"a": 1, "b": 2, "c": 3}]
    assert pair_items(outputs, reference, PLAIN, "same_elements") == [(0, 0), (1, 1)]


@pytest.mark.parametrize(
    ("mode", "fewer", "more"),
    [
        ("same_elements", [(0, 1), (None, 0), (None, 2)], [(0, None), (1, 0), (2, None)]),
        ("superset", [(None, 0), (0, 1), (None, 2)], [(1, 0)]),
        ("subset", [(0, 1)], [(0, None), (1, 0), (2, None)]),
        ("ordered", [(0, 0), (None, 1), (None, 2)], [(0, 0), (1, None), (2, None)]),
    ],
)
def test_leftovers_of_each_mode(
    mode: str, fewer: list[tuple[int | None, int | None]], more: list[tuple[int | None, int | None]]
) -> None:
    one, three = [{"a": 1}], [{"a": 3}, {"a": 1}, {"a": 2}]
    assert pair_items(one, three, PLAIN, mode) == fewer
    assert pair_items(three, one, PLAIN, mode) == more


@pytest.mark.parametrize("mode", MATCH_MODES)
def test_an_output_without_items_leaves_over_all_of_the_reference(mode: str) -> None:
    assert pair_items([], [{"a": 1}, {}], PLAIN, mode) == [(None, 0), (None, 1)]


def test_items_are_paired_within_the_tolerance() -> None:
    rules = Rules({}, (), Tolerance(absolute=0.11))
    items = [rules.fields(value) for value in (1.0, 0.9)]
    wanted = [rules.fields(value) for value in (1.0, 1.1)]
    assert pair_items(items, wanted, rules, "same_elements") == [(0, 1), (1, 0)]


def test_what_a_criterion_decides_does_not_count_but_breaks_ties() -> None:
    rules = Rules({"text": "Same meaning?"})
    one, other = {"id": 1, "text": "x"}, {"id": 1, "text": "y"}
    assert pair_items([one, other], [other, one], rules, "same_elements") == [(0, 1), (1, 0)]
    assert pair_items([{"text": "x"}, {"text": "y"}], [{"text": "q"}, {"text": "r"}], rules, "subset") == [
        (0, 0),
        (1, 1),
    ]


def test_many_items_take_seconds_at_most() -> None:
    random_ = random.Random(1)
    outputs = [{"id": i, "name": f"n{i}", "price": i % 7} for i in range(2000)]
    reference = copy.deepcopy(outputs)
    random_.shuffle(reference)
    begun = time.process_time()
    pairs = pair_items(outputs, reference, PLAIN, "superset")
    assert time.process_time() - begun < 5
    assert all(i is not None and j is not None and outputs[i] == reference[j] for i, j in pairs)


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("a", ("a",)),
        ("a.b[0].c", ("a", "b", 0, "c")),
        ("a.0", ("a", "0")),
        ("[2]", (2,)),
        ("", None),
        ("a..b", None),
        ("a.", None),
        ("a[x]", None),
    ],
)
def test_a_path_has_steps(text: str, steps: tuple[str | int, ...] | None) -> None:
    assert parse_path(text) == steps


def test_a_path_leads_into_mappings_and_lists() -> None:
    value = {"a": [{"b": 1}, {"0": 2}], "n": None}
    assert lookup(value, ("a", 0, "b")) == lookup(value, ("a", "0", "b")) == 1
    assert lookup(value, ("a", 1, "0")) == 2
    assert lookup(value, ("n",)) is None
    for steps in (("a", 2), ("a", "x"), ("n", "x"), ("a", 0, "b", "c"), ("z",)):
        assert lookup(value, steps) is MISSING


def test_what_paths_lead_to_is_taken_out_of_a_copy() -> None:
    value: dict[str, Any] = {"a": [{"b": 1, "c": 2}, 5], "d": 3}
    before = copy.deepcopy(value)
    assert without(value, [("a", "0", "b"), ("d",), ("z",)]) == {"a": [{"c": 2}, 5]}
    assert without(value, [("a", 1)]) == {"a": [{"b": 1, "c": 2}], "d": 3}
    assert without(value, [("z",)]) is value
    assert value == before


def test_a_literal_key_wins_over_a_path() -> None:
    rules = Rules({}, ("a.b",), EXACT)
    assert rules.fields({"a.b": 1, "a": {"b": 2}}) == {"a": {"b": 2}}
    assert rules.fields({"a": {"b": 2, "c": 3}, "x": 1}) == {"a": {"c": 3}, "x": 1}
    assert rules.fields({"a": {"b": 2}}) == {}
