"""The layer that remembers: what it answers itself, what it keeps, and what it lets through."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from judgekit.core.exchange import Answer, Request, ToolCall, Usage
from judgekit.core.flow import Done, Job, Round, advance
from judgekit.core.layers import Mode, remembered
from judgekit.errors import ConfigError, ModelError, NotRecordedError
from judgekit.models.clients import Connection
from judgekit.models.scripted import scripted
from judgekit.store import AnswerStore

MODEL = scripted("-")


def request(text: str, **params: Any) -> Request:
    return Request(MODEL, ({"role": "user", "content": text},), params=params)


def pass_through(
    cache: Any, effects: Round, *fresh: Any, mode: Mode = "on", sample: int = 0
) -> tuple[Any, Round]:
    """What the layer answers to the round, and what it asked for when it was given `fresh`."""
    layer = remembered(cache, mode, sample)(effects)
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


def test_read_answers_and_keeps_nothing() -> None:
    cache: dict[str, Any] = {}
    pass_through(cache, (request("a"),), Answer("A"))
    effects = (request("a"), request("b"))
    assert pass_through(cache, effects, Answer("B"), mode="read") == (
        (Answer("A"), Answer("B")),
        (request("b"),),
    )
    assert list(cache) == [request("a").key]


@pytest.mark.parametrize("kind", [dict, AnswerStore])
def test_refresh_asks_anew_and_replaces(kind: Any, tmp_path: Path) -> None:
    cache = kind(tmp_path / "answers.db") if kind is AnswerStore else kind()
    pass_through(cache, (request("a"),), Answer("unreadable"))
    effects = (request("a"),)
    assert pass_through(cache, effects, Answer("A"), mode="refresh") == ((Answer("A"),), effects)
    assert pass_through(cache, effects, ModelError("down"), mode="refresh")[1] == effects
    assert pass_through(cache, effects) == ((Answer("A"),), ()), "a failure replaces nothing"


def test_replay_never_asks() -> None:
    cache: dict[str, Any] = {}
    pass_through(cache, (request("a"),), Answer("A"))
    (held, missing), asked = pass_through(cache, (request("a"), request("b")), mode="replay")
    assert (held, asked) == (Answer("A"), ())
    assert isinstance(missing, NotRecordedError)
    assert (missing.code, missing.retryable) == ("not_recorded", False)
    job = Job(lambda: 1)
    assert pass_through(cache, (job, request("a")), 1, mode="replay") == ((1, Answer("A")), (job,))


def test_samples_are_answers_of_their_own() -> None:
    cache: dict[str, Any] = {}
    effects = (request("a"),)
    for sample in range(3):
        answer = Answer(str(sample))
        assert pass_through(cache, effects, answer, sample=sample) == ((answer,), effects)
    assert pass_through(cache, effects, sample=2) == ((Answer("2"),), ())
    assert next(iter(cache)) == request("a").key, "the first has the key that it always had"


def test_an_unknown_mode_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"'of'.*choose one of on, read, refresh, replay"):
        remembered({}, "of")  # type: ignore[arg-type]


def test_the_same_model_at_another_address_is_another() -> None:
    def at(url: str | None) -> str:
        connection = Connection(lambda: None, lambda client, call: client, base_url=url)
        return Request(replace(MODEL, client=connection), request("a").messages).key

    own = request("a").key
    assert at(None) == at("https://api.openai.com/v1/") == own
    assert at("http://localhost:8000/v1") == at("http://localhost:8000/v1/")
    assert len({own, at("http://localhost:8000/v1"), at("http://localhost:8001/v1")}) == 3
