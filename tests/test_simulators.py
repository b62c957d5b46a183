"""A simulated conversation loses no message and no result, whatever app, user and evaluators answer with."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage

from judgekit.errors import ConfigError, WrongClientError
from judgekit.llm import create_async_llm_as_judge, create_llm_as_judge
from judgekit.models.scripted import scripted
from judgekit.simulators import (
    create_async_llm_simulated_user,
    run_multiturn_simulation,
    run_multiturn_simulation_async,
)
from judgekit.simulators.conversation import extended, new_messages

Simulate = Callable[..., Any]


def simulate_async(**settings: Any) -> Any:
    async def run() -> Any:
        return await run_multiturn_simulation_async(**settings)

    return asyncio.run(run())


@pytest.fixture(params=[run_multiturn_simulation, simulate_async], ids=["sync", "async"])
def simulate(request: pytest.FixtureRequest) -> Simulate:
    chosen: Simulate = request.param
    return chosen


def said(result: Any) -> list[tuple[str, str]]:
    return [(message["role"], message["content"]) for message in result["trajectory"]]


def echo(message: dict[str, Any]) -> str:
    return f"re {message['content']}"


TWO_TURNS = [("user", "a"), ("assistant", "re a"), ("user", "b"), ("assistant", "re b")]


def test_a_conversation_goes_to_its_last_turn(simulate: Simulate) -> None:
    seen: list[Any] = []

    def app(message: dict[str, Any], *, thread_id: str) -> dict[str, Any]:
        seen.append((message["role"], message["content"], thread_id))
        return {"role": "assistant", "content": echo(message)}

    result = simulate(app=app, user=["a", {"role": "user", "content": "b"}, "c"], max_turns=2, thread_id="t")
    assert said(result) == TWO_TURNS
    assert (result["ended"], result["evaluator_results"]) == ("max_turns", [])
    assert seen == [("user", "a", "t"), ("user", "b", "t")]
    assert len({message["id"] for message in result["trajectory"]}) == 4


def test_a_thread_has_one_id_of_its_own(simulate: Simulate) -> None:
    ids: list[str] = []

    def app(message: Any, *, thread_id: str) -> str:
        ids.append(thread_id)
        return "ok"

    for _ in range(2):
        simulate(app=app, user=["a", "b"], max_turns=2)
    assert ids[0] == ids[1] != ids[2] == ids[3]


def with_history(reply: Callable[[list[Any]], Any]) -> Callable[..., Any]:
    """An app that keeps its history and answers with what `reply` makes of it."""
    history: list[Any] = []

    def app(message: dict[str, Any]) -> Any:
        history.append(message)
        history.append({"role": "assistant", "content": echo(message)})
        return reply(history)

    return app


def without_ids(history: list[Any]) -> list[Any]:
    return [{"role": message["role"], "content": message["content"]} for message in history]


APPS: dict[str, Callable[[], Callable[..., Any]]] = {
    "text": lambda: echo,
    "message": lambda: lambda message: {"role": "assistant", "content": echo(message)},
    "LangChain message": lambda: lambda message: AIMessage(echo(message)),
    "list of texts": lambda: lambda message: [echo(message)],
    "new messages": lambda: lambda message: {"messages": [AIMessage(echo(message))]},
    "new messages after the question": lambda: lambda message: [message, AIMessage(echo(message))],
    "history": lambda: with_history(lambda history: {"messages": list(history)}),
    "history without ids": lambda: with_history(without_ids),
    "history with other ids": lambda: with_history(
        lambda history: [{**message, "id": f"mine-{i}"} for i, message in enumerate(history)]
    ),
    "history after a system message": lambda: with_history(
        lambda history: [{"role": "system", "content": "s"}, *history]
    ),
    "own history": lambda: with_history(
        lambda history: [{**message, "id": str(i)} for i, message in enumerate(history) if i % 2]
    ),
    "takes anything": lambda: lambda *args, **kwargs: echo(args[0]),
    "partial": lambda: partial(lambda suffix, message: echo(message) + suffix, ""),
}


@pytest.mark.parametrize("kind", APPS)
def test_w27_an_app_may_answer_in_any_form(simulate: Simulate, kind: str) -> None:
    assert said(simulate(app=APPS[kind](), user=["a", "b"], max_turns=2)) == TWO_TURNS


def test_w27_an_app_may_answer_with_several_messages(simulate: Simulate) -> None:
    call = {"id": "c", "function": {"name": "f", "arguments": "{}"}}
    replies = [
        AIMessage("", tool_calls=[{"id": "c", "name": "f", "args": {}}]),
        {"role": "tool", "content": "1", "tool_call_id": "c"},
        "Done.",
    ]
    result = simulate(app=lambda message: replies, user=["a"], max_turns=1)
    assert said(result) == [("user", "a"), ("assistant", ""), ("tool", "1"), ("assistant", "Done.")]
    assert result["trajectory"][1]["tool_calls"] == [{**call, "type": "function"}]


def test_w27_an_app_that_says_nothing_lets_the_user_speak(simulate: Simulate) -> None:
    assert said(simulate(app=lambda message: [message], user=["a", "b"], max_turns=2)) == [
        ("user", "a"),
        ("user", "b"),
    ]


@pytest.mark.parametrize("wrong", [None, 5, {"answer": "x"}, [None], {"role": "narrator", "content": "x"}])
def test_w27_what_is_no_answer_is_an_error_that_says_who(simulate: Simulate, wrong: Any) -> None:
    with pytest.raises(ConfigError, match="The app returned"):
        simulate(app=lambda message: wrong, user=["a"], max_turns=1)
    with pytest.raises(ConfigError, match="The user returned"):
        simulate(app=echo, user=lambda trajectory: wrong, max_turns=1)


def test_w12_messages_with_a_repeated_id_are_all_kept(simulate: Simulate) -> None:
    def app(message: dict[str, Any]) -> dict[str, Any]:
        return {"role": "assistant", "content": echo(message), "id": "5678"}

    def user(trajectory: list[Any], *, turn_counter: int) -> dict[str, Any]:
        return {"role": "user", "content": "ab"[turn_counter], "id": "1234"}

    result = simulate(app=app, user=user, max_turns=2)
    assert said(result) == TWO_TURNS
    ids = [message["id"] for message in result["trajectory"]]
    assert ids[:2] == ["1234", "5678"]
    assert len(set(ids)) == 4


@pytest.mark.parametrize("reply", ["OK", [{"role": "assistant", "content": "OK", "id": "x"}]])
def test_w12_the_same_answer_again_is_a_message_again(simulate: Simulate, reply: Any) -> None:
    result = simulate(app=lambda message: reply, user=["a", "a", "a"], max_turns=3)
    assert said(result) == [("user", "a"), ("assistant", "OK")] * 3


def test_w27_too_few_replies_end_the_conversation_and_keep_it(simulate: Simulate) -> None:
    result = simulate(
        app=echo,
        user=["a", "b"],
        max_turns=9,
        trajectory_evaluators=[lambda *, outputs: {"key": "n", "score": len(outputs)}],
    )
    assert said(result) == TWO_TURNS
    assert result["ended"] == "no_more_replies"
    assert result["evaluator_results"] == [{"key": "n", "score": 4}]


def test_a_condition_ends_the_conversation(simulate: Simulate) -> None:
    turns: list[Any] = []

    def enough(trajectory: list[Any], *, turn_counter: int) -> bool:
        turns.append((len(trajectory), turn_counter))
        return bool(trajectory[-1]["content"] == "re b")

    result = simulate(app=echo, user=["a", "b", "c"], stopping_condition=enough)
    assert said(result) == TWO_TURNS
    assert result["ended"] == "stopping_condition"
    assert turns == [(2, 1), (4, 2)]


def test_the_user_sees_the_conversation_and_may_answer_with_all_of_it(simulate: Simulate) -> None:
    def user(trajectory: list[Any], *, turn_counter: int, thread_id: str) -> Any:
        assert thread_id == "t"
        return {"messages": [*trajectory, HumanMessage("ab"[turn_counter])]}

    assert said(simulate(app=echo, user=user, max_turns=2, thread_id="t")) == TWO_TURNS


@pytest.mark.parametrize("messages", [["a", "b"], []])
def test_a_turn_takes_one_message_of_the_user(simulate: Simulate, messages: list[str]) -> None:
    with pytest.raises(ConfigError, match=f"In turn 1 the user answered with {len(messages)} new messages"):
        simulate(app=echo, user=lambda trajectory: messages, max_turns=1)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({}, "needs an end"),
        ({"max_turns": 0}, "at least one turn"),
        ({"max_turns": 1, "user": []}, "at least one in it"),
        ({"max_turns": 1, "user": "a"}, "at least one in it"),
        ({"max_turns": 1, "user": 3}, "The user is a int"),
        ({"max_turns": 1, "app": "app"}, "The app is a str"),
        ({"max_turns": 1, "trajectory_evaluators": ["e"]}, "The evaluator is a str"),
    ],
)
def test_what_cannot_be_simulated_is_an_error(simulate: Simulate, settings: Any, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        simulate(**{"app": echo, "user": ["a"], **settings})


def test_w13_an_evaluator_that_fails_is_an_entry_beside_the_others(
    simulate: Simulate, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(*, outputs: Any, reference_outputs: Any) -> Any:
        raise KeyError("no such thing")

    judge = create_llm_as_judge(
        prompt="{outputs} {reference_outputs}", judge=scripted("no verdict"), feedback_key="satisfaction"
    )
    result = simulate(
        app=echo,
        user=["a"],
        max_turns=1,
        trajectory_evaluators=[
            lambda **item: [{"key": "x", "score": 1}, {"key": "y", "score": item["reference_outputs"]}],
            broken,
            judge,
            lambda *, outputs: {"key": "last", "score": outputs[-1]["content"]},
        ],
        reference_outputs="r",
    )
    x, y, failed, unjudged, last = result["evaluator_results"]
    assert (x["score"], y["score"], last) == (1, "r", {"key": "last", "score": "re a"})
    assert failed == {
        "key": "broken",
        "error": {"code": "KeyError", "message": "'no such thing'", "attempts": 0, "raw": None},
    }
    assert unjudged["key"] == "satisfaction"
    assert "score" not in unjudged
    assert (unjudged["error"]["code"], unjudged["error"]["attempts"]) == ("no_json", 3)
    assert unjudged["error"]["raw"] == "no verdict"
    assert capsys.readouterr() == ("", "")


async def async_echo(message: dict[str, Any], **_: Any) -> str:
    return await asyncio.sleep(0, echo(message))


class AsyncApp:
    async def __call__(self, message: dict[str, Any]) -> str:
        return await async_echo(message)


async def async_user(trajectory: list[Any], *, turn_counter: int) -> str:
    return await asyncio.sleep(0, "ab"[turn_counter])


async def async_end(trajectory: list[Any], **_: Any) -> bool:
    return await asyncio.sleep(0, len(trajectory) == 4)


async def async_evaluator(*, outputs: Any) -> dict[str, Any]:
    return await asyncio.sleep(0, {"key": "async", "score": len(outputs)})


@pytest.mark.parametrize("app", [echo, async_echo, AsyncApp(), lambda message: async_echo(message)])
@pytest.mark.parametrize("user", [["a", "b", "c"], async_user, lambda trajectory: "ab"[len(trajectory) // 2]])
@pytest.mark.parametrize("condition", [async_end, lambda trajectory, **_: len(trajectory) == 4])
def test_w13_w27_sync_and_async_parts_mix(app: Any, user: Any, condition: Any) -> None:
    judge = create_async_llm_as_judge(
        prompt="{outputs}", judge=scripted({"reasoning": "So it is true.", "score": True})
    )
    result = simulate_async(
        app=app,
        user=user,
        stopping_condition=condition,
        max_turns=5,
        trajectory_evaluators=[async_evaluator, judge, lambda *, outputs: {"key": "plain", "score": 0}],
    )
    assert said(result) == TWO_TURNS
    assert [each["score"] for each in result["evaluator_results"]] == [4, True, 0]


@pytest.mark.parametrize(
    ("settings", "who"),
    [
        ({"app": async_echo}, "app async_echo is async"),
        ({"app": AsyncApp()}, "app AsyncApp is async"),
        ({"user": async_user}, "user async_user is async"),
        ({"stopping_condition": async_end}, "stopping condition async_end is async"),
        ({"trajectory_evaluators": [async_evaluator]}, "evaluator async_evaluator is async"),
        ({"app": lambda message: async_echo(message)}, "app <lambda> is async"),
        (
            {"user": create_async_llm_simulated_user(system="s", client=scripted("x"))},
            "user AsyncSimulatedUser is async",
        ),
    ],
)
def test_w13_async_parts_in_a_sync_simulation_are_named_before_it_costs(settings: Any, who: str) -> None:
    with pytest.raises(WrongClientError, match=f"The {who}.*use run_multiturn_simulation_async"):
        run_multiturn_simulation(**{"app": echo, "user": ["a"], "max_turns": 1, **settings})


def test_an_exception_of_the_app_says_in_which_turn(simulate: Simulate) -> None:
    def app(message: dict[str, Any]) -> str:
        return {"a": "re a"}[message["content"]]

    with pytest.raises(KeyError) as caught:
        simulate(app=app, user=["a", "b"], max_turns=2)
    assert caught.value.__notes__ == ["raised by the app (app) in turn 2 of the simulated conversation"]


def test_nobody_can_change_the_conversation_from_outside(simulate: Simulate) -> None:
    def spoil(messages: Any, **_: Any) -> str:
        for message in messages if isinstance(messages, list) else [messages]:
            message["content"] = "spoiled"
        return "fine"

    def spoiling_evaluator(*, outputs: list[Any]) -> dict[str, Any]:
        outputs.clear()
        return {"key": "k", "score": 1}

    replies = [{"role": "user", "content": "a", "id": "1"}, {"role": "user", "content": "a", "id": "1"}]
    before = copy.deepcopy(replies)
    result = simulate(
        app=spoil,
        user=replies,
        stopping_condition=lambda trajectory, **_: spoil(trajectory) == "",
        trajectory_evaluators=[spoiling_evaluator],
    )
    assert said(result) == [("user", "a"), ("assistant", "fine")] * 2
    assert replies == before


def test_new_messages_are_found_by_the_message_they_answer() -> None:
    one, two, three = ({"role": role, "content": "x"} for role in ("user", "assistant", "user"))
    trajectory = extended([], [one, two, three])
    assert new_messages([*trajectory, two], trajectory, by="app") == [two]
    assert new_messages([trajectory[-1], two], trajectory, by="app") == [two]
    assert new_messages([two, two], trajectory, by="app") == [two, two]
    assert new_messages(two, trajectory, by="app") == [two]
    assert new_messages([], trajectory, by="app") == []
