"""What LangChain's users wrap their models in: retries, fallbacks, bound arguments, sequences, callbacks."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

import judgekit
from judgekit.errors import JudgeError
from judgekit.models.runnables import configured, leaves, model_name, rebuilt, takes_schema
from tests.support.bodies import chat_body, message_body, tool_call, tool_use
from tests.support.faults import openai_error
from tests.support.provider import Provider

if TYPE_CHECKING:
    from langchain_openai import ChatOpenAI

VERDICT = {"reasoning": "Because.", "score": True}
GOOD = json.dumps(VERDICT)


@pytest.fixture
def chat(provider: Provider) -> Iterator[ChatOpenAI]:
    import openai
    from langchain_openai import ChatOpenAI

    with openai.DefaultHttpxClient(verify=False) as http_client:
        options: dict[str, Any] = {"api_key": "loopback", "http_client": http_client, "max_retries": 0}
        yield ChatOpenAI(model="gpt-x", base_url=f"{provider.url}/v1", **options)


def judged(judge: Any, **settings: Any) -> Any:
    model = judgekit.connect(judge, **settings)
    return judgekit.create_llm_as_judge(prompt="Grade: {outputs}", judge=model)(outputs="x")


def test_with_retry(provider: Provider, chat: ChatOpenAI) -> None:
    provider.reply(openai_error(500, "tired"), GOOD)
    retrying = chat.with_retry(stop_after_attempt=2, wait_exponential_jitter=False)
    result = judged(retrying, temperature=0.5)
    assert (result["score"], result["metadata"]["attempts"]) == (True, 1)
    assert provider.count == 2
    assert "json_schema" in provider.last.json["response_format"]["type"]
    assert provider.last.json["temperature"] == 0.5


def test_with_fallbacks(provider: Provider, chat: ChatOpenAI) -> None:
    provider.reply(openai_error(404, "No such model."), GOOD)
    other = chat.model_copy(update={"model_name": "gpt-y"})
    result = judged(chat.with_fallbacks([other]), seed=7)
    assert result["score"] is True
    assert [request.json["model"] for request in provider.requests] == ["gpt-x", "gpt-y"]
    assert [request.json["seed"] for request in provider.requests] == [7, 7]
    assert all("response_format" in request.json for request in provider.requests)


def test_bound_arguments_are_sent(provider: Provider, chat: ChatOpenAI) -> None:
    bound = chat.bind(temperature=0.25, stop=["END"], user="me")
    assert judged(bound)["score"] is True
    sent = provider.last.json
    assert (sent["temperature"], sent["stop"], sent["user"]) == (0.25, ["END"], "me")
    assert "response_format" in sent
    assert judged(bound, temperature=0)["score"] is True
    assert provider.last.json["temperature"] == 0, "what connect was told goes before"
    assert bound.kwargs == {"temperature": 0.25, "stop": ["END"], "user": "me"}


def test_wrappers_in_wrappers(provider: Provider, chat: ChatOpenAI) -> None:
    provider.reply(openai_error(500, "tired"), openai_error(500, "tired"), GOOD)
    inner = chat.bind(seed=1).with_retry(stop_after_attempt=2, wait_exponential_jitter=False)
    judge = inner.with_fallbacks([chat.bind(seed=2)])
    assert judged(judge)["score"] is True
    assert [request.json["seed"] for request in provider.requests] == [1, 1, 2]
    assert judgekit.connect(judge).name == "langchain:gpt-x"


def test_bound_arguments_are_sent_with_a_schema_in_words(provider: Provider, chat: ChatOpenAI) -> None:
    provider.reply(
        lambda request: (
            openai_error(400, "response_format is not supported") if "response_format" in request else GOOD
        )
    )
    assert judged(chat.bind(user="me"), temperature=0)["score"] is True
    sent = provider.last.json
    assert (sent["user"], sent["temperature"]) == ("me", 0)
    assert "response_format" not in sent


def test_a_sequence_that_ends_in_a_model(provider: Provider, chat: ChatOpenAI) -> None:
    from langchain_core.runnables import RunnableLambda

    def shout(messages: Any) -> Any:
        return [{**message, "content": message["content"].upper()} for message in messages]

    assert judged(RunnableLambda(shout) | chat, temperature=0)["score"] is True
    assert provider.last.json["messages"] == [{"role": "user", "content": "GRADE: X"}]
    assert "response_format" in provider.last.json
    assert provider.last.json["temperature"] == 0


def test_a_sequence_that_ends_in_a_parser(provider: Provider, chat: ChatOpenAI) -> None:
    from langchain_core.output_parsers import StrOutputParser

    provider.reply(GOOD)
    assert judged(chat | StrOutputParser())["score"] is True
    assert "JSON schema" in provider.last.json["messages"][0]["content"]


SCHEMA = {
    "title": "score",
    "type": "object",
    "properties": {"reasoning": {"type": "string"}, "score": {"type": "boolean"}},
    "required": ["reasoning", "score"],
}


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (chat_body(GOOD), None),
        (chat_body('{"reasoning": "Because."}'), "missing_field"),
        (chat_body('{"reasoning": "Beca', finish_reason="length"), "truncated"),
        (chat_body(None, refusal="No."), "refusal"),
        (chat_body(GOOD, finish_reason="content_filter"), "content_filter"),
        (chat_body("[true]"), "provider_error"),
    ],
)
def test_a_judge_that_parses_by_itself(
    body: dict[str, Any], code: str | None, provider: Provider, chat: ChatOpenAI
) -> None:
    """Its parser returns plain objects and raises for the rest: neither is believed."""
    provider.reply(body)
    parsing = chat.with_structured_output(SCHEMA)
    if code is None:
        assert judged(parsing)["score"] is True
    else:
        with pytest.raises(JudgeError) as caught:
            judged(parsing, repairs=0)
        assert caught.value.code == code


@pytest.mark.filterwarnings("ignore:Structured output with thinking")
@pytest.mark.filterwarnings("ignore:.*thinking.*")
def test_a_call_that_thinking_leaves_out_is_asked_for_again(provider: Provider) -> None:
    from langchain_anthropic import ChatAnthropic

    options: dict[str, Any] = {
        "model": "claude-x",
        "base_url": provider.url,
        "api_key": "loopback",
        "max_retries": 0,
        "thinking": {"type": "enabled", "budget_tokens": 1024},
        "max_tokens": 2000,
    }
    provider.reply(message_body("I would say yes."), message_body([tool_use("score", VERDICT)]))
    result = judged(ChatAnthropic(**options))
    assert (result["score"], result["metadata"]["failed_attempts"]) == (True, ["no_json"])
    assert "tool_choice" not in provider.last.json


def test_conflicting_calls_of_a_fallback_are_no_verdict(provider: Provider, chat: ChatOpenAI) -> None:
    two = [tool_call("score", VERDICT), tool_call("score", {**VERDICT, "score": False}, id="2")]
    provider.reply(openai_error(500, "tired"), chat_body(tool_calls=two))
    with pytest.raises(JudgeError) as caught:
        judged(
            chat.with_fallbacks([chat]), repairs=0, structured_output_kwargs={"method": "function_calling"}
        )
    assert caught.value.code == "ambiguous"


@pytest.mark.parametrize("asynchronous", [False, True])
def test_callbacks_and_configuration_reach_the_model(asynchronous: bool) -> None:
    """A judge that is called inside of a chain is part of the chain's run."""
    from langchain_core.callbacks import BaseCallbackHandler
    from langchain_core.language_models import FakeListChatModel
    from langchain_core.runnables import RunnableLambda

    class Watcher(BaseCallbackHandler):
        def __init__(self) -> None:
            self.tags: list[Any] = []

        def on_chat_model_start(self, *args: Any, **kwargs: Any) -> None:
            self.tags.append((kwargs["tags"], kwargs["parent_run_id"] is not None))

    watcher = Watcher()
    model = FakeListChatModel(responses=[GOOD]).with_config(tags=["mine"])
    sync = judgekit.create_llm_as_judge(prompt="{outputs}", judge=model)
    awaited = judgekit.create_async_llm_as_judge(prompt="{outputs}", judge=model)

    async def inside(outputs: str) -> Any:
        return await awaited(outputs=outputs)

    config: Any = {"callbacks": [watcher], "tags": ["chain"]}
    if asynchronous:
        result = asyncio.run(RunnableLambda(inside).ainvoke("x", config))
    else:
        result = RunnableLambda(lambda outputs: sync(outputs=outputs)).invoke("x", config)
    assert result["score"] is True
    ((tags, has_parent),) = watcher.tags
    assert {"mine", "chain"} <= set(tags)
    assert has_parent


def test_configured_knows_fields_by_name_alias_and_habit(chat: ChatOpenAI) -> None:
    changed, rest = configured(chat, {"max_tokens": 5, "model": "gpt-z", "unknown": 1, "temperature": None})
    assert (changed.max_tokens, changed.model_name, changed.temperature) == (5, "gpt-z", None)
    assert rest == {"unknown": 1}
    same, _ = configured(chat, {})
    assert same is chat
    assert (chat.max_tokens, chat.model_name) == (None, "gpt-x")


def test_what_is_inside_of_a_judge(chat: ChatOpenAI) -> None:
    from langchain_core.language_models import FakeListChatModel
    from langchain_core.runnables import RunnableLambda

    fake = FakeListChatModel(responses=[GOOD])
    wrapped = (RunnableLambda(lambda x: x) | chat.bind(seed=1)).with_fallbacks([fake])
    assert list(leaves(wrapped)) == [chat, fake]
    assert model_name(wrapped) == "gpt-x"
    assert not takes_schema(wrapped)
    assert takes_schema(chat.with_retry())
    assert model_name(RunnableLambda(lambda x: x)) == "RunnableLambda"
    assert list(leaves(rebuilt(wrapped, lambda leaf, bound: leaf))) == [chat, fake]
