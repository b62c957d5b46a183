"""Clients that the user passes: official, wrapped, look-alikes and doubles, in the judge that can call them."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any
from unittest.mock import AsyncMock, MagicMock

import pytest

import judgekit
from judgekit.errors import ConfigError, DeadlineError, ModelError, WrongClientError
from judgekit.types import ChatCompletionsClient, ModelClient
from tests.support.answers import Gate, Reply
from tests.support.bodies import chat_body, message_body
from tests.support.faults import openai_error
from tests.support.provider import Provider

if TYPE_CHECKING:
    from anthropic import Anthropic, AsyncAnthropic
    from openai import AsyncOpenAI, OpenAI

PROMPT = "Grade: {outputs}"
GOOD = '{"reasoning": "Because.", "score": true}'
COMPLETION = chat_body(GOOD)


def sync_judge(client: Any, model: str | None = "judge", **settings: Any) -> Any:
    connected = judgekit.connect(client, model, **settings)
    return judgekit.create_llm_as_judge(prompt=PROMPT, judge=connected)(outputs="x")


def async_judge(client: Any, model: str | None = "judge", **settings: Any) -> Any:
    connected = judgekit.connect(client, model, **settings)
    return asyncio.run(judgekit.create_async_llm_as_judge(prompt=PROMPT, judge=connected)(outputs="x"))


def client_with(create: Any) -> Any:
    return SimpleNamespace(chat=SimpleNamespace(completions=SimpleNamespace(create=create)))


@pytest.mark.parametrize("fixture", ["openai_client", "anthropic_client"])
@pytest.mark.parametrize("judge", [sync_judge, async_judge])
def test_a_sync_client_serves_both_judges(
    fixture: str, judge: Callable[..., Any], provider: Provider, request: pytest.FixtureRequest
) -> None:
    assert judge(request.getfixturevalue(fixture))["score"] is True
    assert provider.count == 1


@pytest.mark.parametrize("fixture", ["async_openai_client", "async_anthropic_client"])
def test_an_async_client_serves_the_async_judge(
    fixture: str, provider: Provider, request: pytest.FixtureRequest
) -> None:
    assert async_judge(request.getfixturevalue(fixture))["score"] is True
    assert provider.count == 1


@pytest.mark.parametrize("fixture", ["async_openai_client", "async_anthropic_client"])
def test_an_async_client_in_a_sync_judge_is_an_error_when_it_is_made(
    fixture: str, provider: Provider, request: pytest.FixtureRequest
) -> None:
    client = request.getfixturevalue(fixture)
    with pytest.raises(WrongClientError, match="create_async_llm_as_judge") as caught:
        judgekit.create_llm_as_judge(prompt=PROMPT, judge=client, model="judge")
    assert isinstance(caught.value, TypeError)
    assert type(client).__name__ in str(caught.value)
    assert provider.count == 0


def test_a_client_that_hides_that_it_is_async_is_found_out(provider: Provider) -> None:
    async def create(**_: Any) -> Any:
        return COMPLETION

    client = client_with(lambda **kwargs: create(**kwargs))
    with pytest.raises(WrongClientError, match="async client"):
        sync_judge(client)
    assert async_judge(client)["score"] is True


def test_an_object_whose_call_is_async_is_async() -> None:
    class Create:
        async def __call__(self, **_: Any) -> Any:
            return COMPLETION

    with pytest.raises(WrongClientError):
        sync_judge(client_with(Create()))
    assert async_judge(client_with(Create()))["score"] is True
    assert async_judge(client_with(functools.partial(Create().__call__)))["score"] is True


def test_an_async_mock_is_async() -> None:
    client = AsyncMock()
    client.chat.completions.create.return_value = COMPLETION
    assert async_judge(client)["score"] is True
    client.chat.completions.create.assert_awaited_once()
    with pytest.raises(WrongClientError):
        judgekit.create_llm_as_judge(prompt=PROMPT, judge=client, model="judge")


def test_a_magic_mock_is_called_as_openevals_calls_it() -> None:
    client = MagicMock()
    message = MagicMock(content=GOOD)
    client.chat.completions.create.return_value.choices = [MagicMock(message=message)]
    judge = judgekit.create_llm_as_judge(prompt=PROMPT, judge=client, model="openai:gpt-x")
    assert judge(outputs="x")["score"] is True
    (call,) = client.chat.completions.create.call_args_list
    assert call.args == ()
    assert call.kwargs["messages"] == [{"role": "user", "content": "Grade: x"}]
    assert call.kwargs["model"] == "gpt-x"
    assert call.kwargs["response_format"]["type"] == "json_schema"
    assert set(call.kwargs) == {"messages", "model", "response_format"}


def test_only_a_client_that_knows_timeouts_is_told_one() -> None:
    def create(*, messages: Any, model: str, response_format: Any) -> Any:
        return COMPLETION

    assert sync_judge(client_with(create), timeout=5, deadline=5)["score"] is True


def test_a_look_alike_that_hangs_is_given_up() -> None:
    import threading

    shut = threading.Event()
    client = client_with(lambda **_: shut.wait())
    with pytest.raises(DeadlineError, match="`deadline`"):
        sync_judge(client, deadline=0.05)
    with pytest.raises(DeadlineError, match="`timeout`"):
        async_judge(client, timeout=0.05, retries=0)
    shut.set()


def test_a_client_that_makes_something_else_of_being_cancelled_is_late_all_the_same() -> None:
    async def create(**_: Any) -> Any:
        try:
            await asyncio.sleep(10)
        except asyncio.CancelledError:
            raise ConnectionError("all connection attempts failed") from None

    with pytest.raises(DeadlineError, match="in time"):
        async_judge(client_with(create), timeout=0.01, retries=0)


def test_the_protocols_of_openevals_fit() -> None:
    client = client_with(lambda **_: COMPLETION)
    assert isinstance(client, ModelClient)
    assert isinstance(client.chat.completions, ChatCompletionsClient)


@pytest.mark.parametrize(
    "answer",
    [
        COMPLETION,
        SimpleNamespace(choices=[{"message": SimpleNamespace(content=GOOD)}]),
        SimpleNamespace(**COMPLETION),
    ],
)
def test_dicts_and_objects_are_read_alike(answer: Any) -> None:
    assert sync_judge(client_with(lambda **_: answer))["score"] is True


def test_a_client_of_anthropic_s_shape() -> None:
    client = SimpleNamespace(messages=SimpleNamespace(create=lambda **_: message_body(GOOD)))
    result = sync_judge(client, "anthropic:claude-x")
    assert (result["score"], result["metadata"]["model"]) == (True, "anthropic:claude-x")


def test_a_client_without_a_model_is_an_error(openai_client: OpenAI) -> None:
    with pytest.raises(ConfigError, match="add model="):
        judgekit.connect(openai_client)
    with pytest.raises(ConfigError, match="OpenAI"):
        judgekit.create_llm_as_judge(prompt=PROMPT, judge=openai_client)


def test_a_client_has_its_own_address(openai_client: OpenAI) -> None:
    with pytest.raises(ConfigError, match="base_url has no effect"):
        judgekit.connect(openai_client, "judge", base_url="http://x")


def test_the_official_clients_leave_retrying_to_judgekit(provider: Provider) -> None:
    import openai

    provider.reply(openai_error(503, "tired"))
    with openai.OpenAI(**{**provider.openai_options, "max_retries": 5}) as client:
        with pytest.raises(ModelError) as caught:
            sync_judge(client, retries=0)
        assert client.max_retries == 5, "the user's own client is as it was"
    assert caught.value.attempts == provider.count == 1


def traced(create: Callable[..., Any], seen: list[dict[str, Any]]) -> Callable[..., Any]:
    """What tracers do to a client: its method is replaced by one that looks on."""

    @functools.wraps(create)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        seen.append(kwargs)
        return create(*args, **kwargs)

    return wrapper


def test_a_wrapped_client_is_used_as_it_is(
    provider: Provider, openai_client: OpenAI, anthropic_client: Anthropic
) -> None:
    seen: list[dict[str, Any]] = []
    endpoints: list[Any] = [openai_client.chat.completions, anthropic_client.messages]
    for endpoint in endpoints:
        endpoint.create = traced(endpoint.create, seen)
    assert sync_judge(openai_client)["score"] is True
    assert sync_judge(anthropic_client)["score"] is True
    assert [kwargs["model"] for kwargs in seen] == ["judge", "judge"]
    assert provider.count == 2


def test_a_wrapped_async_client_is_used_as_it_is(
    provider: Provider, async_openai_client: AsyncOpenAI, async_anthropic_client: AsyncAnthropic
) -> None:
    seen: list[dict[str, Any]] = []
    endpoints: list[Any] = [async_openai_client.chat.completions, async_anthropic_client.messages]
    for endpoint in endpoints:
        endpoint.create = traced(endpoint.create, seen)
    assert async_judge(async_openai_client)["score"] is True
    assert async_judge(async_anthropic_client)["score"] is True
    assert len(seen) == 2


def test_an_async_client_of_another_loop_says_what_to_do() -> None:
    """Its kept connection belongs to a loop that is closed: that is what asyncio then says."""

    async def create(**_: Any) -> Any:
        raise RuntimeError("Event loop is closed")

    with pytest.raises(ModelError, match="inside the running loop") as caught:
        async_judge(client_with(create), retries=0)
    assert caught.value.retryable


def test_an_exception_of_a_client_s_own_is_named() -> None:
    class Broken(Exception):
        pass

    def create(**_: Any) -> Any:
        raise Broken("the cause")

    with pytest.raises(ModelError, match="Broken: the cause") as caught:
        sync_judge(client_with(create))
    assert caught.value.attempts == 1
    assert isinstance(caught.value.__cause__, Broken)


def test_a_parameter_that_a_client_does_not_take_is_dropped() -> None:
    def create(*, messages: Any, model: str, response_format: Any) -> Any:
        return COMPLETION

    assert sync_judge(client_with(create), temperature=0)["metadata"]["attempts"] == 2


def test_a_judge_is_unharmed_by_a_slow_neighbor(provider: Provider, async_openai_client: AsyncOpenAI) -> None:
    gate = Gate()
    provider.reply(Reply(COMPLETION, after=gate), GOOD)
    judge = judgekit.create_async_llm_as_judge(prompt=PROMPT, judge=async_openai_client, model="judge")

    async def both() -> tuple[Any, Any]:
        slow = asyncio.create_task(judge(outputs="slow"))
        await asyncio.to_thread(provider.wait_for, 1)
        quick = await judge(outputs="quick")
        gate.open()
        return quick, await slow

    quick, slow = asyncio.run(both())
    assert quick["score"] is slow["score"] is True
