"""LangChain judges: real chat models against the loopback provider, the runnables around them, and doubles."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any
from unittest.mock import AsyncMock, MagicMock

import pytest

import judgekit
from judgekit.errors import ConfigError, DeadlineError, JudgeError, ModelError
from tests.conftest import no_keepalive
from tests.support.answers import Reply, never
from tests.support.bodies import chat_body, message_body, tool_call, tool_use
from tests.support.faults import anthropic_error, openai_error, rate_limited
from tests.support.provider import Provider

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_openai import ChatOpenAI

PROMPT = "Grade: {outputs}"
VERDICT = {"reasoning": "Because.", "score": True}
GOOD = json.dumps(VERDICT)
METHODS = ("json_schema", "function_calling", "json_mode")


@pytest.fixture
def chat(provider: Provider) -> Iterator[ChatOpenAI]:
    import openai
    from langchain_openai import ChatOpenAI

    http_client = openai.DefaultHttpxClient(verify=False)
    http_async_client = openai.DefaultAsyncHttpxClient(verify=False, limits=no_keepalive())
    options: dict[str, Any] = {
        "api_key": "loopback",
        "http_client": http_client,
        "http_async_client": http_async_client,
    }
    yield ChatOpenAI(model="gpt-x", base_url=f"{provider.url}/v1", max_retries=0, **options)
    http_client.close()
    asyncio.run(http_async_client.aclose())


@pytest.fixture
def claude(provider: Provider) -> BaseChatModel:
    from langchain_anthropic import ChatAnthropic

    options: dict[str, Any] = {
        "model": "claude-x",
        "base_url": provider.url,
        "api_key": "loopback",
        "max_retries": 0,
    }
    return ChatAnthropic(**options)


def judge_with(
    judge: Any, *, asynchronous: bool = False, item: dict[str, Any] | None = None, **settings: Any
) -> Any:
    names = ("feedback_key", "choices", "output_schema", "prompt", "use_reasoning")
    of_judge = {name: settings.pop(name) for name in names if name in settings}
    model = judgekit.connect(judge, **settings)
    given = {"prompt": PROMPT, "judge": model, **of_judge}
    if asynchronous:
        return asyncio.run(judgekit.create_async_llm_as_judge(**given)(**(item or {"outputs": "x"})))
    return judgekit.create_llm_as_judge(**given)(**(item or {"outputs": "x"}))


def fails(judge: Any, **settings: Any) -> JudgeError:
    with pytest.raises(JudgeError) as caught:
        judge_with(judge, **settings)
    return caught.value


def closing(body: dict[str, Any]) -> Reply:
    """A reply after which the connection ends, with the event loop that opened it."""
    return Reply(body, headers={"connection": "close"})


# --- real chat models -------------------------------------------------------------------------------------


@pytest.mark.parametrize("asynchronous", [False, True])
@pytest.mark.parametrize("method", [None, *METHODS])
def test_chat_openai(method: str | None, asynchronous: bool, provider: Provider, chat: ChatOpenAI) -> None:
    settings: dict[str, Any] = {"structured_output_kwargs": {"method": method}} if method else {}
    result = judge_with(chat, asynchronous=asynchronous, **settings)
    assert (result["score"], result["comment"]) == (True, "Because.")
    metadata = result["metadata"]
    assert (metadata["model"], metadata["model_version"]) == ("langchain:gpt-x", "gpt-x")
    assert metadata["usage"] == {
        "input_tokens": 20,
        "output_tokens": 10,
        "cached_tokens": 0,
        "reasoning_tokens": 0,
    }
    assert metadata["request_id"] == "chatcmpl-1"
    request = provider.last.json
    asked = "tool" if "tools" in request else request["response_format"]["type"]
    assert asked == {"function_calling": "tool", "json_mode": "json_object"}.get(str(method), "json_schema")


@pytest.mark.parametrize("asynchronous", [False, True])
@pytest.mark.parametrize("method", [None, "json_schema", "function_calling"])
def test_chat_anthropic(
    method: str | None, asynchronous: bool, provider: Provider, claude: BaseChatModel
) -> None:
    as_tool = method != "json_schema"
    provider.reply(closing(message_body([tool_use("score", VERDICT)] if as_tool else GOOD)))
    settings: dict[str, Any] = {"structured_output_kwargs": {"method": method}} if method else {}
    result = judge_with(claude, asynchronous=asynchronous, **settings)
    assert (result["score"], result["comment"], result["metadata"]["model"]) == (
        True,
        "Because.",
        "langchain:claude-x",
    )
    assert ("tools" in provider.last.json) == as_tool


def test_include_raw_is_judgekit_s_own_business(provider: Provider, chat: ChatOpenAI) -> None:
    for include_raw in (True, False):
        kwargs = {"include_raw": include_raw, "strict": True}
        assert judge_with(chat, structured_output_kwargs=kwargs)["score"] is True
    assert provider.last.json["response_format"]["json_schema"]["strict"] is True


def test_a_custom_schema_has_one_name_everywhere(
    provider: Provider, chat: ChatOpenAI, claude: BaseChatModel
) -> None:
    schema = {
        "title": "My verdict!",
        "type": "object",
        "properties": {"grade": {"type": "integer"}},
        "required": ["grade"],
    }
    in_json_mode = {"type": "json_object"}
    provider.reply(lambda request: '{"grade": 1}' if request.get("response_format") == in_json_mode else None)
    for method in METHODS:
        settings: dict[str, Any] = {"structured_output_kwargs": {"method": method}, "output_schema": schema}
        assert judge_with(chat, **settings) == {"grade": 1}
    assert judge_with(claude, output_schema=schema) == {"grade": 1}
    assert provider.last.json["tools"][0]["name"] == "My_verdict"


def test_images_are_sent_as_each_provider_wants_them(
    provider: Provider, chat: ChatOpenAI, claude: BaseChatModel
) -> None:
    item = {"outputs": "x", "attachments": {"mime_type": "image/png", "data": "aGk="}}
    judge_with(chat, item=item)
    assert provider.last.json["messages"][0]["content"] == [
        {"type": "text", "text": "Grade: x"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}},
    ]
    judge_with(claude, item=item)
    image = provider.last.json["messages"][0]["content"][1]
    assert image["source"] == {"type": "base64", "media_type": "image/png", "data": "aGk="}


def test_parameters_are_set_on_a_copy(provider: Provider, chat: ChatOpenAI, claude: BaseChatModel) -> None:
    before = (chat.temperature, chat.max_tokens)
    judge_with(chat, temperature=0.25, max_tokens=77, seed=7)
    sent = provider.last.json
    assert (sent["temperature"], sent["max_completion_tokens"], sent["seed"]) == (0.25, 77, 7)
    judge_with(claude, max_tokens=88, stop=["END"])
    assert (provider.last.json["max_tokens"], provider.last.json["stop_sequences"]) == (88, ["END"])
    assert (chat.temperature, chat.max_tokens) == before


def test_a_parameter_that_the_model_has_not_is_refused_at_once(claude: BaseChatModel) -> None:
    with pytest.raises(ConfigError, match="ChatAnthropic has no setting seed"):
        judgekit.connect(claude, seed=7)
    from langchain_core.runnables import RunnableLambda

    with pytest.raises(ConfigError, match="RunnableLambda has no setting temperature"):
        judgekit.connect(RunnableLambda(lambda messages: GOOD), temperature=0)


# --- what must not be taken for a verdict -----------------------------------------------------------------

CALLS = {
    "missing": chat_body("I would rather not say.", tool_calls=[]),
    "two": chat_body(
        tool_calls=[tool_call("score", VERDICT), tool_call("score", {**VERDICT, "score": False}, id="2")]
    ),
    "broken": chat_body(tool_calls=[tool_call("score", '{"reasoning": "Beca')]),
    "partial": chat_body(tool_calls=[tool_call("score", {"reasoning": "Because."})]),
    "wrong-name": chat_body(tool_calls=[tool_call("other", VERDICT)]),
}
TEXTS = {
    "cut": chat_body('{"reasoning": "Beca', finish_reason="length"),
    "cut-score": chat_body('{"score": 0.', finish_reason="stop"),
    "partial": chat_body('{"reasoning": "Because."}'),
    "list": chat_body("[1, 2]"),
    "scalar": chat_body("true"),
    "echo": chat_body('{"type": "object", "properties": {"score": {"type": "boolean"}}}'),
    "null": chat_body(None),
}
CODES = {
    "missing": "no_json", "two": "ambiguous", "broken": "truncated", "partial": "missing_field",
    "wrong-name": "missing_field", "cut": "truncated", "cut-score": "truncated", "list": "missing_field",
    "scalar": "missing_field", "null": "empty",
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_no_call_is_taken_for_what_it_is_not(name: str, provider: Provider, chat: ChatOpenAI) -> None:
    provider.reply(CALLS[name])
    error = fails(chat, repairs=0, structured_output_kwargs={"method": "function_calling"})
    assert error.code == CODES[name]
    assert (error.attempts, error.request_id) == (1, "chatcmpl-1")


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("method", ["json_schema", "json_mode"])
def test_no_text_is_taken_for_what_it_is_not(
    name: str, method: str, provider: Provider, chat: ChatOpenAI
) -> None:
    provider.reply(TEXTS[name])
    error = fails(chat, repairs=0, structured_output_kwargs={"method": method})
    assert error.code in (CODES.get(name, error.code), "missing_field", "invalid_score")
    assert error.attempts == 1


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (message_body([tool_use("score", {"reasoning": "Because."})], stop_reason="max_tokens"), "truncated"),
        (message_body([tool_use("score", {"reasoning": "Because."})]), "missing_field"),
        (
            message_body(
                [tool_use("score", VERDICT), tool_use("score", {**VERDICT, "score": False}, id="2")]
            ),
            "ambiguous",
        ),
        (message_body("I would rather not say."), "no_json"),
        (message_body([tool_use("other", VERDICT)]), "missing_field"),
        (message_body("", stop_reason="refusal", stop_details={"category": "cyber"}), "refusal"),
    ],
)
def test_no_answer_of_claude_is_taken_for_what_it_is_not(
    body: dict[str, Any], code: str, provider: Provider, claude: BaseChatModel
) -> None:
    provider.reply(body)
    assert fails(claude, repairs=0).code == code


@pytest.mark.parametrize("method", METHODS)
def test_a_refusal_is_a_refusal(method: str, provider: Provider, chat: ChatOpenAI) -> None:
    provider.reply(chat_body(None, refusal="I cannot judge that."))
    error = fails(chat, structured_output_kwargs={"method": method})
    assert error.code == "refusal"
    assert "I cannot judge that" in error.message
    assert provider.count == 1


@pytest.mark.parametrize("method", METHODS)
def test_a_filtered_answer_is_a_content_filter(method: str, provider: Provider, chat: ChatOpenAI) -> None:
    provider.reply(chat_body(GOOD, finish_reason="content_filter"))
    assert fails(chat, structured_output_kwargs={"method": method}).code == "content_filter"


def test_a_cut_answer_is_asked_for_again_with_a_larger_budget(provider: Provider, chat: ChatOpenAI) -> None:
    provider.reply(TEXTS["cut"], GOOD)
    result = judge_with(chat, max_tokens=10)
    assert result["metadata"]["failed_attempts"] == ["truncated"]
    assert [request.json["max_completion_tokens"] for request in provider.requests] == [10, 20]


def test_an_unreadable_answer_is_repaired(provider: Provider, chat: ChatOpenAI) -> None:
    provider.reply(TEXTS["partial"], GOOD)
    assert judge_with(chat)["metadata"]["failed_attempts"] == ["missing_field"]
    assert [message["role"] for message in provider.last.json["messages"]] == ["user", "assistant", "user"]


# --- failures ---------------------------------------------------------------------------------------------


def test_a_provider_s_failure_is_one(provider: Provider, chat: ChatOpenAI, claude: BaseChatModel) -> None:
    provider.reply(openai_error(401, "Wrong key."))
    error = fails(chat)
    assert isinstance(error, ModelError)
    assert (error.status, error.attempts, error.request_id) == (401, 1, "req_1")
    assert "check the API key" in error.message
    provider.reply(anthropic_error(404, "No such model."))
    assert "model's name" in fails(claude).message
    assert provider.count == 2


def test_a_model_that_retries_itself_is_not_retried_as_well(provider: Provider, chat: ChatOpenAI) -> None:
    provider.reply(rate_limited(retry_after=0.001))
    fails(chat)
    assert provider.count == 3, "this one does not"
    retrying = chat.model_copy(update={"max_retries": 2})
    assert judgekit.connect(retrying).patience.retries == 0
    assert judgekit.connect(retrying, retries=1).patience.retries == 1
    assert judgekit.connect(chat.with_retry()).patience.retries == 0
    assert judgekit.connect(chat.with_fallbacks([retrying])).patience.retries == 0


def test_a_format_that_the_deployment_has_not_is_one_step_down(provider: Provider, chat: ChatOpenAI) -> None:
    refusal = openai_error(
        400, "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model."
    )
    provider.reply(lambda request: refusal if "response_format" in request else GOOD)
    model = judgekit.connect(chat)
    judge = judgekit.create_llm_as_judge(prompt=PROMPT, judge=model)
    assert judge(outputs="x")["score"] is True
    assert judge(outputs="y")["score"] is True
    assert ["response_format" in request.json for request in provider.requests] == [True, False, False]
    assert "JSON schema" in provider.last.json["messages"][0]["content"]


def test_there_is_a_finite_timeout(provider: Provider, chat: ChatOpenAI) -> None:
    assert judgekit.connect(chat).timeout == 600
    provider.reply(never())
    assert isinstance(fails(chat, timeout=0.05, retries=0), DeadlineError)
    assert isinstance(fails(chat, deadline=0.05, asynchronous=True), DeadlineError)


# --- doubles ----------------------------------------------------------------------------------------------


def test_a_mock_of_a_chat_model_is_asked_as_openevals_asks_it() -> None:
    from langchain_core.language_models import BaseChatModel

    judge = MagicMock(spec=BaseChatModel)
    structured = judge.with_structured_output.return_value
    structured.invoke.return_value = VERDICT
    item = {"outputs": "x", "attachments": {"mime_type": "image/png", "data": "data:image/png;base64,aGk="}}
    assert judge_with(judge, item=item)["score"] is True
    (call,) = structured.invoke.call_args_list
    (message,) = call.args[0]
    assert message["role"] == "user"
    text, image = message["content"]
    assert (text["type"], text["text"]) == ("text", "Grade: x")
    assert (image["type"], image["base64"]) == ("image", "aGk=")
    (schema,) = judge.with_structured_output.call_args.args
    assert (schema["title"], list(schema["properties"])) == ("score", ["reasoning", "score"])


def test_a_mock_s_text_stays_text() -> None:
    from langchain_core.language_models import BaseChatModel

    judge = MagicMock(spec=BaseChatModel)
    judge.with_structured_output.return_value.ainvoke = AsyncMock(return_value=VERDICT)
    assert judge_with(judge, asynchronous=True)["score"] is True
    messages = judge.with_structured_output.return_value.ainvoke.call_args.args[0]
    assert messages == [{"role": "user", "content": "Grade: x"}]


@pytest.mark.parametrize("asynchronous", [False, True])
def test_a_model_without_tools_is_told_the_schema_in_words(asynchronous: bool) -> None:
    from langchain_core.language_models import FakeListChatModel, GenericFakeChatModel
    from langchain_core.messages import AIMessage

    doubles: list[Callable[[], BaseChatModel]] = [
        lambda: FakeListChatModel(responses=["Hm.", GOOD]),
        lambda: GenericFakeChatModel(messages=iter([AIMessage("Hm."), AIMessage(GOOD)])),
    ]
    for double in doubles:
        result = judge_with(double(), asynchronous=asynchronous)
        assert (result["score"], result["metadata"]["attempts"]) == (True, 2)


@pytest.mark.parametrize(
    "answer",
    [
        GOOD,
        VERDICT,
        {"role": "assistant", "content": GOOD},
        {"raw": None, "parsed": VERDICT, "parsing_error": None},
    ],
)
@pytest.mark.parametrize("asynchronous", [False, True])
def test_what_a_runnable_may_return(answer: Any, asynchronous: bool) -> None:
    from langchain_core.runnables import RunnableLambda

    seen: list[Any] = []

    def judge(messages: Any) -> Any:
        seen.append(messages)
        return answer

    assert judge_with(RunnableLambda(judge), asynchronous=asynchronous)["score"] is True
    assert "JSON schema" in seen[0][0]["content"]


def test_what_a_runnable_may_not_return() -> None:
    from langchain_core.runnables import RunnableLambda

    assert "int" in fails(RunnableLambda(lambda messages: 42)).message
    assert fails(RunnableLambda(lambda messages: None)).code == "empty"
