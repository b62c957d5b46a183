"""Trajectories are matched by what the agent did, the best pairing counts, and a mismatch says where it is."""

from __future__ import annotations

import asyncio
import copy
import json
import pickle
from collections.abc import Callable
from typing import Any

import pytest

from judgekit.errors import ConfigError, PromptError
from judgekit.evaluators.trajectory import (
    create_async_trajectory_match_evaluator,
    create_trajectory_match_evaluator,
)

Evaluate = Callable[..., Any]
Match = Callable[..., Evaluate]
BY_CALLS = ("unordered", "subset", "superset")

ASK = {"role": "user", "content": "Weather in Oslo and Rome?"}
SAY = {"role": "assistant", "content": "Cold and warm."}


def call(name: str, /, **arguments: Any) -> dict[str, Any]:
    return raw_call(name, json.dumps(arguments))


def raw_call(name: str, arguments: str) -> dict[str, Any]:
    return {"id": "c", "type": "function", "function": {"name": name, "arguments": arguments}}


def agent(*calls: dict[str, Any]) -> dict[str, Any]:
    return {"role": "assistant", "content": "", "tool_calls": list(calls)}


def tool(content: str) -> dict[str, Any]:
    return {"role": "tool", "content": content, "tool_call_id": "c"}


OSLO, ROME = call("weather", city="Oslo"), call("weather", city="Rome")
AT_ONCE = [ASK, agent(OSLO, ROME), tool("-3"), tool("24"), SAY]
IN_TURN = [ASK, agent(ROME), tool("24"), agent(OSLO), tool("-3"), SAY]
ONLY_OSLO = [ASK, agent(OSLO), tool("-3"), SAY]


@pytest.fixture(params=["sync", "async"])
def match(request: pytest.FixtureRequest) -> Match:
    """The evaluator of a mode, from either factory, called as a plain function."""

    def make(mode: str = "strict", arguments: Any = "exact", overrides: Any = None) -> Evaluate:
        settings: dict[str, Any] = {
            "trajectory_match_mode": mode,
            "tool_args_match_mode": arguments,
            "tool_args_match_overrides": overrides,
        }
        if request.param == "sync":
            return create_trajectory_match_evaluator(**settings)
        evaluator = create_async_trajectory_match_evaluator(**settings)
        return lambda **item: asyncio.run(evaluator(**item))

    return make


@pytest.mark.parametrize(
    ("outputs", "reference", "scores"),
    [
        (AT_ONCE, AT_ONCE, (True, True, True, True)),
        ([ASK, agent(ROME, OSLO), tool("24"), tool("-3"), SAY], AT_ONCE, (True, True, True, True)),
        (IN_TURN, AT_ONCE, (False, True, True, True)),
        (ONLY_OSLO, AT_ONCE, (False, False, True, False)),
        (AT_ONCE, ONLY_OSLO, (False, False, False, True)),
        ([ASK, agent(call("search")), tool("-3"), SAY], ONLY_OSLO, (False, False, False, False)),
        ([ASK, agent(OSLO, OSLO), tool("-3"), SAY], ONLY_OSLO, (False, False, False, True)),
    ],
)
def test_the_four_modes(match: Match, outputs: Any, reference: Any, scores: tuple[bool, ...]) -> None:
    for mode, score in zip(("strict", "unordered", "subset", "superset"), scores, strict=True):
        result = match(mode)(inputs={}, outputs=outputs, reference_outputs=reference, thread="ignored")
        assert result["key"] == f"trajectory_{mode}_match"
        assert result["score"] is score, (mode, result)
        assert (result["comment"] is None) is score
        assert result["metadata"] is None


def test_a_match_is_openevals_result(match: Match) -> None:
    for mode in ("strict", *BY_CALLS):
        assert match(mode)(outputs=AT_ONCE, reference_outputs=AT_ONCE) == {
            "key": f"trajectory_{mode}_match",
            "score": True,
            "comment": None,
            "metadata": None,
        }


def test_strict_compares_roles_and_calls_and_no_texts(match: Match) -> None:
    strict = match()
    other_words = [{**message, "content": "other words"} for message in AT_ONCE]
    assert strict(outputs=other_words, reference_outputs=AT_ONCE)["score"] is True
    other_role = [*AT_ONCE[:-1], {**SAY, "role": "user"}]
    assert strict(outputs=other_role, reference_outputs=AT_ONCE)["score"] is False


@pytest.mark.parametrize("empty", [{"tool_calls": None}, {"tool_calls": []}, {}])
def test_strict_takes_an_empty_list_of_calls_for_none(match: Match, empty: dict[str, Any]) -> None:
    assert match()(outputs=[ASK, {**SAY, **empty}], reference_outputs=[ASK, SAY])["score"] is True


@pytest.mark.parametrize(
    ("mode", "outputs", "comment"),
    [
        ("strict", [ASK, SAY], "Message 2: expected an assistant message that calls weather(city"),
        ("strict", ONLY_OSLO[:2], "Message 3: expected a tool message, but the output ends with message 2."),
        (
            "strict",
            [*ONLY_OSLO, ASK],
            "Message 5: got a user message, but the reference ends with message 4.",
        ),
        (
            "strict",
            [ASK, agent(ROME), tool("24"), SAY],
            'got weather(city="Rome"): city: expected "Oslo", got "Rome".',
        ),
        ("strict", [ASK, agent(call("search")), tool(""), SAY], "there is no call of weather"),
        ("strict", [ASK, agent(OSLO, call("search")), tool(""), SAY], "got the call search()"),
        (
            "superset",
            [ASK, SAY, agent(ROME)],
            'the output does not; closest is weather(city="Rome") in message 3 (city: expected "Oslo", got',
        ),
        ("unordered", [ASK, agent(OSLO, ROME)], 'Message 2 of the output calls weather(city="Rome")'),
        ("subset", [ASK, agent(call("weather", city="Oslo", unit="C"))], 'unit: expected nothing, got "C"'),
        ("subset", [ASK, agent(call("search"))], "there is no call of search"),
        ("unordered", [ASK, agent(OSLO, OSLO)], "each call that matches it is needed to match another"),
        ("superset", [ASK, agent(call("weather"))], 'city: expected "Oslo", got nothing'),
    ],
)
def test_a_mismatch_names_the_first_difference(match: Match, mode: str, outputs: Any, comment: str) -> None:
    result = match(mode)(outputs=outputs, reference_outputs=ONLY_OSLO)
    assert result["score"] is False
    assert comment in result["comment"]


@pytest.mark.parametrize(
    ("arguments", "more", "fewer", "other"),
    [
        ("exact", False, False, False),
        ("ignore", True, True, True),
        ("superset", True, False, False),
        ("subset", False, True, False),
    ],
)
def test_the_four_argument_modes(match: Match, arguments: str, more: bool, fewer: bool, other: bool) -> None:
    reference = [agent(call("book", flight="LX1"))]
    for mode in ("strict", *BY_CALLS):
        evaluator = match(mode, arguments)
        for expected, made in (
            (more, call("book", flight="LX1", seat=3)),
            (fewer, call("book")),
            (other, call("book", flight="LX2")),
        ):
            assert evaluator(outputs=[agent(made)], reference_outputs=reference)["score"] is expected


def test_overrides_of_one_tool_leave_the_others_alone(match: Match) -> None:
    outputs = [agent(call("search", query="a", time={"start": 1, "end": 2}), OSLO)]
    reference = [agent(call("search", query="b", time={"start": 1, "end": 9}), OSLO)]
    assert match()(outputs=outputs, reference_outputs=reference)["score"] is False
    for override in ("ignore", ["time.start"], ("time.start",), lambda one, two: one["time"] != two["time"]):
        assert match(overrides={"search": override})(outputs=outputs, reference_outputs=reference)["score"]
        changed = [agent(call("search", query="a", time={"start": 1, "end": 2}), ROME)]
        assert not match(overrides={"search": override})(outputs=changed, reference_outputs=reference)[
            "score"
        ]


def test_a_path_must_be_there_on_both_sides(match: Match) -> None:
    same = [agent(call("search", time={"end": 2}))]
    result = match(overrides={"search": ["time.start"]})(outputs=same, reference_outputs=same)
    assert result["score"] is False
    assert "time.start: expected nothing, got nothing" in result["comment"]


@pytest.mark.parametrize("unset", [None, []])
def test_an_override_that_is_not_set_changes_nothing(match: Match, unset: Any) -> None:
    evaluator = match(overrides={"weather": unset})
    assert evaluator(outputs=[agent(OSLO)], reference_outputs=[agent(ROME)])["score"] is False
    assert evaluator(outputs=[agent(OSLO)], reference_outputs=[agent(OSLO)])["score"] is True


@pytest.mark.parametrize("mode", ["strict", *BY_CALLS])
def test_a_matcher_is_called_with_the_outputs_arguments_first(match: Match, mode: str) -> None:
    seen: list[tuple[Any, Any]] = []

    def matcher(output: dict[str, Any], reference: dict[str, Any]) -> bool:
        seen.append((output["side"], reference["side"]))
        return True

    evaluator = match(mode, overrides={"f": matcher})
    result = evaluator(
        outputs=[agent(call("f", side="output"))], reference_outputs=[agent(call("f", side="reference"))]
    )
    assert result["score"] is True
    assert set(seen) == {("output", "reference")}


@pytest.mark.parametrize("mode", ["strict", "unordered", "superset"])
def test_w6_the_best_pairing_counts_not_the_first(match: Match, mode: str) -> None:
    reference = [agent(call("f", a=1), call("f", a=1, b=2))]
    outputs = [agent(call("f", a=1, b=2), call("f", a=1))]
    assert match(mode, "superset")(outputs=outputs, reference_outputs=reference)["score"] is True


@pytest.mark.parametrize("override", ["exct", "", 3, ["a", 3], [""], ["a..b"], {"a": 1}, {}])
def test_w5_a_misspelt_override_is_an_error(match: Match, override: Any) -> None:
    with pytest.raises(ConfigError, match="tool_args_match_overrides"):
        match(overrides={"f": override})


def test_w5_the_error_offers_the_right_word(match: Match) -> None:
    with pytest.raises(ConfigError, match="did you mean 'exact'"):
        match(overrides={"f": "exct"})


@pytest.mark.parametrize(
    "settings", [{"mode": "stric"}, {"arguments": "same"}, {"overrides": [("f", "exact")]}]
)
def test_unknown_modes_are_errors_at_creation(match: Match, settings: dict[str, Any]) -> None:
    with pytest.raises(ConfigError):
        match(**settings)


def test_an_async_matcher_is_an_error_at_creation(match: Match) -> None:
    async def matcher(output: Any, reference: Any) -> bool:
        return False

    with pytest.raises(ConfigError, match="without async"):
        match(overrides={"f": matcher})


@pytest.mark.parametrize("mode", ["strict", *BY_CALLS])
@pytest.mark.parametrize("outputs", [None, [], {"messages": []}])
@pytest.mark.parametrize("reference", [None, [], AT_ONCE, [ASK, SAY]])
def test_w7_an_empty_output_matches_nothing(match: Match, mode: str, outputs: Any, reference: Any) -> None:
    result = match(mode)(outputs=outputs, reference_outputs=reference)
    assert result["score"] is False
    assert "no messages" in result["comment"]


@pytest.mark.parametrize(
    ("mode", "trajectories", "score", "comment"),
    [
        ("unordered", ([ASK, SAY], [SAY, ASK, SAY]), True, "nothing was compared"),
        ("subset", ([ASK, SAY], [ASK]), True, "nothing was compared"),
        ("superset", ([ASK, SAY], None), True, "nothing was compared"),
        ("subset", ([ASK, SAY], AT_ONCE), True, "none beyond the 2 of the reference"),
        ("superset", (AT_ONCE, [ASK, SAY]), True, "The reference calls no tool"),
        ("unordered", (AT_ONCE, [ASK, SAY]), False, "there is no call of weather"),
        ("superset", ([ASK, SAY], AT_ONCE), False, "there is no call of weather"),
        ("strict", ([ASK, SAY], None), False, "the reference ends with message 0"),
    ],
)
def test_w7_a_match_without_calls_says_so(
    match: Match, mode: str, trajectories: tuple[Any, Any], score: bool, comment: str
) -> None:
    result = match(mode)(outputs=trajectories[0], reference_outputs=trajectories[1])
    assert result["score"] is score
    assert comment in result["comment"]


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        (1, 1.0, True),
        (1, True, False),
        (0, False, False),
        (1, "1", False),
        ([1, {"a": 2}], [1, {"a": 2.0}], True),
    ],
)
def test_w10_arguments_are_equal_as_json_values(match: Match, one: Any, other: Any, equal: bool) -> None:
    for arguments in ("exact", "subset", "superset"):
        evaluator = match("strict", arguments)
        result = evaluator(outputs=[agent(call("f", x=one))], reference_outputs=[agent(call("f", x=other))])
        assert result["score"] is equal


@pytest.mark.parametrize("mode", ["strict", *BY_CALLS])
@pytest.mark.parametrize("written", ['{"city": "Os', "Oslo", "[1]", "{'city': 'Oslo'}", "[" * 100_000])
def test_w26_malformed_arguments_are_a_mismatch_with_the_reason(
    match: Match, mode: str, written: str
) -> None:
    outputs = [ASK, agent(raw_call("weather", written)), tool(""), SAY]
    for arguments in ("exact", "subset", "superset"):
        result = match(mode, arguments)(outputs=outputs, reference_outputs=ONLY_OSLO)
        assert result["score"] is False
        assert "the output's arguments are no" in result["comment"]
    assert match(mode, "ignore")(outputs=outputs, reference_outputs=ONLY_OSLO)["score"] is True


@pytest.mark.parametrize("override", [["city"], lambda *_: True])
def test_w26_malformed_arguments_match_no_override(match: Match, override: Any) -> None:
    outputs = [agent(raw_call("weather", "{"))]
    evaluator = match(overrides={"weather": override})
    assert evaluator(outputs=outputs, reference_outputs=[agent(OSLO)])["score"] is False
    reversed_ = evaluator(outputs=[agent(OSLO)], reference_outputs=outputs)
    assert reversed_["score"] is False
    assert "the reference's arguments are no" in reversed_["comment"]


def test_w26_no_text_means_no_arguments(match: Match) -> None:
    outputs = [agent(raw_call("now", ""))]
    assert match()(outputs=outputs, reference_outputs=[agent(call("now"))])["score"] is True
    assert match()(outputs=outputs, reference_outputs=[agent(call("now", zone="UTC"))])["score"] is False


@pytest.mark.parametrize("wrong", ["a text", 5, {"answer": "x"}, [3], [{"role": "narrator", "content": "x"}]])
def test_what_is_no_trajectory_is_an_error(match: Match, wrong: Any) -> None:
    for item in (
        {"outputs": wrong, "reference_outputs": AT_ONCE},
        {"outputs": AT_ONCE, "reference_outputs": wrong},
    ):
        with pytest.raises(PromptError):
            match()(**item)


def test_what_the_caller_passes_is_not_changed(match: Match) -> None:
    outputs, reference = {"messages": [dict(message) for message in IN_TURN]}, copy.deepcopy(AT_ONCE)
    reference[1]["content"] = None
    before = copy.deepcopy((outputs, reference))
    match("unordered")(outputs=outputs, reference_outputs=reference)
    assert (outputs, reference) == before


def test_an_evaluator_has_a_name_and_can_be_pickled() -> None:
    evaluator = create_trajectory_match_evaluator(tool_args_match_overrides={"search": ["query"]})
    copied = pickle.loads(pickle.dumps(evaluator))
    assert copied.__name__ == "trajectory_strict_match"
    assert copied.evaluation == evaluator.evaluation
    assert copied(outputs=AT_ONCE, reference_outputs=AT_ONCE)["score"] is True
