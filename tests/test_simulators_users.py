"""A model plays the user of an app: it sees the conversation from the other side, and says something or fails."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Callable
from typing import Any

import pytest
from langchain_core.messages import AIMessage

from judgekit.core.exchange import Answer
from judgekit.errors import ConfigError, ParseError, RefusalError, WrongClientError
from judgekit.models.scripted import scripted
from judgekit.simulators import (
    create_async_llm_simulated_user,
    create_llm_simulated_user,
    run_multiturn_simulation,
)
from judgekit.simulators.users import is_internal


@pytest.fixture(params=["sync", "async"])
def create(request: pytest.FixtureRequest) -> Callable[..., Callable[..., Any]]:
    """Either factory; the user is called as a plain function."""

    def make(**settings: Any) -> Callable[..., Any]:
        if request.param == "sync":
            return create_llm_simulated_user(**settings)
        user = create_async_llm_simulated_user(**settings)

        async def reply(*arguments: Any, **keywords: Any) -> Any:
            return await user(*arguments, **keywords)

        return lambda *arguments, **keywords: asyncio.run(reply(*arguments, **keywords))

    return make


Create = Callable[..., Callable[..., Any]]


def test_the_model_plays_the_user_with_roles_flipped(create: Create) -> None:
    model = scripted("And tomorrow?")
    trajectory = [
        {"role": "system", "content": "be kind", "id": "0"},
        {"role": "user", "content": "Weather?", "id": "1"},
        AIMessage("", tool_calls=[{"id": "c", "name": "f", "args": {}}]),
        {"role": "tool", "content": "-3", "tool_call_id": "c"},
        {"role": "assistant", "content": [{"type": "text", "text": "Cold."}], "id": "4"},
    ]
    before = copy.deepcopy(trajectory)
    reply = create(system="You are Ann.", client=model)(trajectory, turn_counter=1, thread_id="t")
    assert (reply["role"], reply["content"]) == ("user", "And tomorrow?")
    assert reply["id"]
    (request,) = model.client.requests
    assert request.schema is None
    system, opening, *rest = request.messages
    assert system == {"role": "system", "content": "You are Ann."}
    assert opening["role"] == "user"
    assert rest == [{"role": "assistant", "content": "Weather?"}, {"role": "user", "content": "Cold."}]
    assert trajectory == before


def test_fixed_responses_come_first(create: Create) -> None:
    model = scripted("mine")
    fixed = ["a", {"role": "user", "content": "b", "id": "7"}]
    user = create(system="s", client=model, fixed_responses=fixed)
    replies = [user([], turn_counter=turn) for turn in range(3)]
    assert [reply["content"] for reply in replies] == ["a", "b", "mine"]
    assert replies[1]["id"] == "7"
    assert len(model.client.requests) == 1
    assert fixed == ["a", {"role": "user", "content": "b", "id": "7"}]


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (Answer(""), ParseError),
        (Answer("half a sen", finish="length"), ParseError),
        (Answer("no", finish="refusal"), RefusalError),
    ],
)
def test_no_message_is_an_error(create: Create, answer: Answer, error: type[Exception]) -> None:
    with pytest.raises(error):
        create(system="s", client=scripted(answer))([], turn_counter=0)


def test_a_cut_message_is_asked_for_again_with_more_room(create: Create) -> None:
    model = scripted(Answer("half a sen", finish="length"), "a sentence")
    assert create(system="s", client=model)([], turn_counter=0)["content"] == "a sentence"
    assert model.client.requests[1].params["max_tokens"] > 0


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"system": "s"}, "needs a model"),
        ({"system": " ", "client": scripted("x")}, "needs `system`"),
        ({"system": "s", "client": scripted("x"), "fixed_responses": "abc"}, "list of texts"),
    ],
)
def test_w28_what_cannot_play_a_user_is_an_error_at_creation(
    create: Create, settings: Any, said: str
) -> None:
    with pytest.raises(ConfigError, match=said):
        create(**settings)


def test_any_client_can_play_the_user(openai_client: Any) -> None:
    user = create_llm_simulated_user(system="s", client=openai_client, model="gpt-5.4-mini")
    result = run_multiturn_simulation(app=lambda message: "ok", user=user, max_turns=2)
    assert len(result["trajectory"]) == 4


def test_an_async_client_cannot_play_a_sync_user(async_openai_client: Any) -> None:
    with pytest.raises(WrongClientError):
        create_llm_simulated_user(system="s", client=async_openai_client, model="m")


def test_a_models_answers_are_remembered(create: Create) -> None:
    model = scripted("a", "b", cache={})
    user = create(system="s", client=model)
    assert [user([], turn_counter=0)["content"] for _ in range(2)] == ["a", "a"]


@pytest.mark.parametrize(
    ("message", "internal"),
    [
        ({"role": "user", "content": "x"}, False),
        ({"role": "assistant", "content": "x"}, False),
        ({"role": "assistant", "content": "x", "tool_calls": [{}]}, True),
        ({"role": "tool", "content": "x"}, True),
        ({"role": "system", "content": "x"}, True),
        ({}, True),
    ],
)
def test_internal_messages(message: dict[str, Any], internal: bool) -> None:
    assert is_internal(message) is internal
