"""The layer that remembers: what it answers itself, what it keeps, and what it lets through."""

from __future__ import annotations

from typing import Any

import pytest

from judgekit.core.exchange import Answer, Request, ToolCall, Usage
from judgekit.core.flow import Done, Job, Round, advance
from judgekit.core.layers import remembered
from judgekit.errors import ModelError
from judgekit.models.scripted import scripted

MODEL = scripted("-")


def request(text: str, **params: Any) -> Request:
    return Request(MODEL, ({"role": "user", "content": text},), params=params)


def pass_through(cache: Any, effects: Round, *fresh: Any) -> tuple[Any, Round]:
    """What the layer answers to the round, and what it asked for when it was given `fresh`."""
    layer = remembered(cache)(effects)
    step = advance(layer)
    if isinstance(step, Done):
        return step.value, ()
    end = advance(layer, fresh)
    assert isinstance(end, Done)
    return end.value, step


def test_only_what_is_missing_is_asked_for_and_the_order_stays() -> None:
    cache: dict[str, Any] = {}
    a, b, c = request("a"), request("b"), request("c")
    pass_through(cache, (b,), Answer("B"))
    outcomes, asked = pass_through(cache, (a, b, c), Answer("A"), Answer("C"))
    assert outcomes == (Answer("A"), Answer("B"), Answer("C"))
    assert asked == (a, c)
    assert pass_through(cache, (c, b, a)) == ((Answer("C"), Answer("B"), Answer("A")), ())


def test_all_of_an_answer_is_kept() -> None:
    cache: dict[str, Any] = {}
    answer = Answer(
        "text",
        (ToolCall("score", {"a": 1}), ToolCall("score", "{}")),
        "length",
        "why",
        Usage(1, 2, 3, 4),
        "model",
        "req",
        hidden=True,
        probabilities={"true": 0.5},
        explains=False,
    )
    pass_through(cache, (request("a"),), answer)
    assert pass_through(cache, (request("a"),)) == ((answer,), ())


def test_failures_and_jobs_are_not_kept() -> None:
    cache: dict[str, Any] = {}
    job = Job(lambda: 1)
    effects = (request("a"), job)
    failure = ModelError("down")
    assert pass_through(cache, effects, failure, 1) == ((failure, 1), effects)
    assert cache == {}


def test_a_delay_makes_no_other_request_and_a_parameter_does() -> None:
    cache: dict[str, Any] = {}
    pass_through(cache, (request("a"),), Answer("A"))
    again = Request(MODEL, request("a").messages, delay=5.0, item={"outputs": "other"})
    assert pass_through(cache, (again,)) == ((Answer("A"),), ())
    assert pass_through(cache, (request("a", temperature=0),), Answer("B"))[1] != ()


@pytest.mark.parametrize("entry", [{"usage": {"unknown": 1}}, {"calls": [["only a name"]]}, "text", ["a"]])
def test_an_entry_that_is_no_answer_is_asked_for_again(entry: Any) -> None:
    cache: dict[str, Any] = {request("a").key: entry}
    outcomes, asked = pass_through(cache, (request("a"),), Answer("A"))
    assert (outcomes, asked) == ((Answer("A"),), (request("a"),))
