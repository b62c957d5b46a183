"""The loopback provider, seen through the real clients."""

from __future__ import annotations

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import anthropic
import openai
import pytest
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from tests.support.answers import Gate, HangUp, Reply, never
from tests.support.bodies import chat_body, message_body, token_logprobs, tool_call
from tests.support.provider import Provider
from tests.support.questions import QUESTION, ask, ask_claude, content

SCHEMA = {
    "type": "object",
    "properties": {"reasoning": {"type": "string"}, "score": {"type": "boolean"}},
    "required": ["reasoning", "score"],
    "additionalProperties": False,
}


def test_a_text_is_the_content_of_each_endpoints_own_body(
    provider: Provider, openai_client: openai.OpenAI, anthropic_client: anthropic.Anthropic
) -> None:
    provider.reply("yes")
    completion, message = ask(openai_client), ask_claude(anthropic_client)
    assert (completion.choices[0].message.content, completion.model) == ("yes", "gpt-x")
    assert ([block.text for block in message.content], message.model) == (["yes"], "claude-x")
    assert (completion._request_id, message._request_id) == ("req_1", "req_2")


def test_answers_come_in_order_and_the_last_one_is_repeated(
    provider: Provider, openai_client: openai.OpenAI
) -> None:
    provider.reply("1", "2")
    assert [content(ask(openai_client)) for _ in range(3)] == [1, 2, 2]
    provider.reply("3")
    assert [content(ask(openai_client)) for _ in range(2)] == [3, 3]
    provider.reset()
    assert ask(openai_client).choices[0].message.content == "Because."
    assert provider.count == 1


def test_an_object_is_a_whole_body(provider: Provider, openai_client: openai.OpenAI) -> None:
    body = chat_body(
        tool_calls=[tool_call("score", {"score": 1}), tool_call("score", "{cut", id="call_2")],
        finish_reason="tool_calls",
        refusal="No.",
        logprobs=token_logprobs({"True": -0.1, "False": -2.5}),
        reasoning_content="Hm.",
    )
    provider.reply(body)
    choice = ask(openai_client).choices[0]
    assert [call.function.arguments for call in choice.message.tool_calls] == ['{"score": 1}', "{cut"]
    assert (choice.message.refusal, choice.message.content, choice.message.reasoning_content) == (
        "No.",
        None,
        "Hm.",
    )
    chosen = choice.logprobs.content[0]
    assert (chosen.token, chosen.logprob) == ("True", -0.1)
    assert {top.token: top.logprob for top in chosen.top_logprobs} == {"True": -0.1, "False": -2.5}
    assert choice.finish_reason == "tool_calls"


def test_a_message_body_has_blocks_and_a_stop_reason(
    provider: Provider, anthropic_client: anthropic.Anthropic
) -> None:
    blocks = [{"type": "thinking", "thinking": "Hm.", "signature": "s"}, {"type": "text", "text": "yes"}]
    provider.reply(
        message_body(blocks, stop_reason="max_tokens", usage={"input_tokens": 3, "output_tokens": 1})
    )
    message = ask_claude(anthropic_client)
    assert [block.type for block in message.content] == ["thinking", "text"]
    assert (message.stop_reason, message.usage.input_tokens) == ("max_tokens", 3)


def test_a_callable_sees_the_request(provider: Provider, openai_client: openai.OpenAI) -> None:
    provider.reply(lambda request: request["messages"][0]["content"].upper())
    assert ask(openai_client).choices[0].message.content == "IS 2 + 2 = 4?"


def test_what_a_callable_raises_is_kept_for_the_test(
    provider: Provider, openai_client: openai.OpenAI
) -> None:
    provider.reply(lambda request: request["no such field"])
    with pytest.raises(openai.InternalServerError, match="KeyError"):
        ask(openai_client)
    assert [type(error) for error in provider.errors] == [KeyError]
    provider.errors.clear()


@pytest.mark.parametrize("truth", [True, False])
def test_the_schema_of_the_request_is_filled(
    provider: Provider, openai_client: openai.OpenAI, anthropic_client: anthropic.Anthropic, truth: bool
) -> None:
    provider.truth = truth
    verdict = {"reasoning": "Because.", "score": truth}
    strict = {"type": "json_schema", "json_schema": {"name": "score", "strict": True, "schema": SCHEMA}}
    assert content(ask(openai_client, response_format=strict)) == verdict
    assert content(ask(openai_client, response_format={"type": "json_object"})) == verdict
    message = ask_claude(
        anthropic_client, output_config={"format": {"type": "json_schema", "schema": SCHEMA}}
    )
    assert json.loads(message.content[0].text) == verdict


def test_the_tool_of_the_request_is_called(
    provider: Provider, openai_client: openai.OpenAI, anthropic_client: anthropic.Anthropic
) -> None:
    names = ["search", "score"]
    tools = [{"type": "function", "function": {"name": name, "parameters": SCHEMA}} for name in names]
    wanted = {"type": "function", "function": {"name": "score"}}
    verdict = {"reasoning": "Because.", "score": True}

    choice = ask(openai_client, tools=tools, tool_choice=wanted).choices[0]
    call = choice.message.tool_calls[0].function
    assert (call.name, json.loads(call.arguments), choice.finish_reason) == ("score", verdict, "tool_calls")
    assert ask(openai_client, tools=tools).choices[0].message.tool_calls[0].function.name == "search"
    assert ask(openai_client, tools=tools, tool_choice="none").choices[0].message.content == "Because."

    claude_tools = [{"name": name, "input_schema": SCHEMA} for name in names]
    message = ask_claude(anthropic_client, tools=claude_tools, tool_choice={"type": "tool", "name": "score"})
    assert (message.content[0].name, message.content[0].input, message.stop_reason) == (
        "score",
        verdict,
        "tool_use",
    )
    message = ask_claude(anthropic_client, tools=claude_tools, tool_choice={"type": "none"})
    assert message.content[0].text == "Because."


def test_embeddings_are_the_same_each_time_and_follow_the_words(openai_client: openai.OpenAI) -> None:
    texts = ["the cat sat down", "the cat sat up", "green ideas sleep furiously"]

    def vectors(**params: Any) -> list[list[float]]:
        data = openai_client.embeddings.create(model="e", input=texts, dimensions=64, **params).data
        return [item.embedding for item in data]

    def dot(one: list[float], other: list[float]) -> float:
        return sum(x * y for x, y in zip(one, other, strict=True))

    cat, same, other = vectors(encoding_format="float")
    assert vectors()[0] == pytest.approx(cat, abs=1e-6)  # the client asks for base64 unless told
    assert len(cat) == 64
    assert dot(cat, cat) == pytest.approx(1.0)
    assert dot(cat, same) > 0.5 > dot(cat, other)


def test_a_text_is_no_answer_to_an_embeddings_request(
    provider: Provider, openai_client: openai.OpenAI
) -> None:
    provider.reply("yes")
    with pytest.raises(openai.InternalServerError, match="script None or a body"):
        openai_client.embeddings.create(model="e", input="text")
    provider.errors.clear()


def test_a_request_is_recorded(provider: Provider, openai_client: openai.OpenAI) -> None:
    with pytest.raises(AssertionError, match="no request has come"):
        _ = provider.last
    azure = openai_client.with_options(base_url=f"{provider.url}/openai/deployments/judge")
    ask(azure, temperature=0, extra_headers={"X-Judge": "Yes"})
    assert provider.last.path == "/openai/deployments/judge/chat/completions"
    assert provider.last.headers["x-judge"] == "Yes"
    assert provider.last.headers["authorization"] == "Bearer test"
    assert provider.last.json == {"model": "gpt-x", "messages": QUESTION, "temperature": 0}


def test_connections_and_peak_are_counted(provider: Provider, openai_client: openai.OpenAI) -> None:
    for _ in range(3):
        ask(openai_client)
    assert (provider.count, provider.connections, provider.peak) == (3, 1, 1)
    gate = Gate()
    provider.reply(Reply(chat_body("late"), after=gate))
    with ThreadPoolExecutor(4) as pool:
        asked = [pool.submit(ask, openai_client) for _ in range(4)]
        provider.wait_for(7)
        gate.open()
        assert [future.result().choices[0].message.content for future in asked] == ["late"] * 4
    assert (provider.connections, provider.peak) == (4, 4)


def test_waiting_for_requests_that_do_not_come(provider: Provider, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.support.provider.PATIENCE", 0.01)
    with pytest.raises(TimeoutError, match="0 requests came, 1 were awaited"):
        provider.wait_for(1)


def test_async_clients_may_meet_several_event_loops(
    provider: Provider,
    async_openai_client: openai.AsyncOpenAI,
    async_anthropic_client: anthropic.AsyncAnthropic,
) -> None:
    async def ask_both() -> tuple[Any, Any]:
        return await asyncio.gather(
            async_openai_client.chat.completions.create(model="gpt-x", messages=QUESTION),
            async_anthropic_client.messages.create(model="claude-x", max_tokens=9, messages=QUESTION),
        )

    provider.reply("yes")
    for _ in range(2):
        completion, message = asyncio.run(ask_both())
        assert (completion.choices[0].message.content, message.content[0].text) == ("yes", "yes")
    assert provider.count == 4


def test_an_async_client_that_is_cancelled(
    provider: Provider, async_openai_client: openai.AsyncOpenAI
) -> None:
    async def give_up() -> None:
        create = async_openai_client.chat.completions.create(model="gpt-x", messages=QUESTION)
        asked = asyncio.create_task(create)
        await asyncio.to_thread(provider.wait_for, 1)
        asked.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asked

    provider.reply(never())
    asyncio.run(give_up())


@pytest.mark.parametrize("answer", ["1", HangUp()])
def test_the_aiohttp_transport(provider: Provider, answer: str | HangUp) -> None:
    pytest.importorskip("aiohttp")

    async def ask_once() -> Any:
        http_client = openai.DefaultAioHttpClient()
        async with openai.AsyncOpenAI(http_client=http_client, **provider.openai_options) as client:
            return await client.chat.completions.create(model="gpt-x", messages=QUESTION)

    provider.reply(answer)
    if isinstance(answer, str):
        assert content(asyncio.run(ask_once())) == 1
    else:
        with pytest.raises(openai.APIConnectionError):
            asyncio.run(ask_once())


def test_a_provider_of_ones_own_with_more_routes() -> None:
    async def models(request: Request) -> JSONResponse:
        return JSONResponse({"object": "list", "data": [{"id": "gpt-x", "object": "model"}]})

    with Provider([Route("/v1/models", models)]) as own, openai.OpenAI(**own.openai_options) as client:
        assert [model.id for model in client.models.list()] == ["gpt-x"]
        ask(client)
    with openai.OpenAI(**own.openai_options) as client, pytest.raises(openai.APIConnectionError):
        ask(client)
