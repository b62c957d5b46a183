"""What a model cannot do is learned from its provider's own words, once, and done without from then on."""

from __future__ import annotations

import asyncio
import itertools
from typing import Any

import pytest

import judgekit
from judgekit.errors import ModelError, ParseError
from judgekit.models.call import Call
from judgekit.models.capabilities import Capabilities
from tests.support.answers import Reply
from tests.support.faults import openai_error
from tests.support.provider import Provider
from tests.support.provider_errors import PROVIDER_ERRORS

BOUNDED = {
    "type": "object",
    "properties": {"grade": {"type": "number", "minimum": 1, "maximum": 5}, "kind": {"const": "grade"}},
    "required": ["grade", "kind"],
}


ADDRESSES = itertools.count()


def connected(provider: Provider, name: str = "openai:judge", **settings: Any) -> judgekit.Model:
    """A model of its own address, so that no other test has taught it anything."""
    version = "" if name.startswith("anthropic") else "/v1"
    address = f"{provider.url}/{next(ADDRESSES)}{version}"
    return judgekit.connect(name, base_url=address, api_key="loopback", **settings)


def on_the_rung(model: judgekit.Model, rung: str | None) -> judgekit.Model:
    """The model after it has rejected everything above the rung."""
    ladder = model.capabilities.ladder
    model.capabilities.rejected.update(ladder[: ladder.index(rung)] if rung else ())
    return model


def format_of(request: dict[str, Any]) -> str:
    if "tools" in request:
        return "tool"
    if "output_config" in request:
        return "json_schema"
    return str(request.get("response_format", {"type": "prompt"})["type"])


def judge_with(model: judgekit.Model, **settings: Any) -> Any:
    return judgekit.create_llm_as_judge(prompt="Grade: {outputs}", judge=model, **settings)


def refusing(error: Reply, refused: Any) -> Any:
    """A provider that gives the error to requests that `refused` holds for, and fills the schema of others."""
    return lambda request: error if refused(request) else None


STEPS = [
    ("openai_json_schema", "json_schema", "tool"),
    ("openai_invalid_schema", "json_schema", "tool"),
    ("openai_nesting", "json_schema", "tool"),
    ("openai_json_word", "json_object", "prompt"),
    ("azure_api_version", "json_schema", "tool"),
    ("vllm_grammar", "json_schema", "tool"),
    ("llama_cpp_json_schema", "json_schema", "tool"),
    ("llama_cpp_json_schema_500", "json_schema", "tool"),
    ("lm_studio_json_object", "json_object", "prompt"),
    ("groq_json_schema", "json_schema", "tool"),
    ("deepseek_json_schema", "json_schema", "tool"),
    ("deepseek_json_schema_422", "json_schema", "tool"),
    ("openrouter_tools", "tool", "json_object"),
]


@pytest.mark.parametrize(("name", "rung", "below"), STEPS, ids=[name for name, *_ in STEPS])
def test_a_rejected_format_is_one_step_down_and_remembered(
    name: str, rung: str, below: str, provider: Provider
) -> None:
    text = '{"reasoning": "Because.", "score": true}'
    error = PROVIDER_ERRORS[name]
    provider.reply(
        lambda request: error if format_of(request) == rung else (None if "tools" in request else text)
    )
    judge = judge_with(on_the_rung(connected(provider, retries=0), rung))
    result = judge(outputs="x")
    assert result["score"] is True
    assert [format_of(request.json) for request in provider.requests] == [rung, below]
    assert result["metadata"]["attempts"] == 2
    judge(outputs="y")
    assert [format_of(request.json) for request in provider.requests] == [rung, below, below]


@pytest.mark.parametrize(
    ("name", "rung", "below"),
    [("anthropic_grammar", "json_schema", "tool"), ("anthropic_forced_tool", "tool", "prompt")],
)
def test_anthropic_steps_down_too(name: str, rung: str, below: str, provider: Provider) -> None:
    text = '{"reasoning": "Because.", "score": true}'
    error = PROVIDER_ERRORS[name]
    provider.reply(
        lambda request: error if format_of(request) == rung else (None if "tools" in request else text)
    )
    thinking = {"type": "enabled", "budget_tokens": 1024}
    judge = judge_with(on_the_rung(connected(provider, "anthropic:judge", thinking=thinking), rung))
    assert judge(outputs="x")["score"] is True
    assert judge(outputs="x")["score"] is True
    assert [format_of(request.json) for request in provider.requests] == [rung, below, below]
    assert provider.last.json["thinking"] == thinking


def test_the_whole_ladder_in_one_judgement(provider: Provider) -> None:
    refusals = {
        "json_schema": PROVIDER_ERRORS["deepseek_json_schema"],
        "tool": PROVIDER_ERRORS["openrouter_tools"],
        "json_object": PROVIDER_ERRORS["lm_studio_json_object"],
        "prompt": '{"reasoning": "Because.", "score": true}',
    }
    provider.reply(lambda request: refusals[format_of(request)])
    assert judge_with(connected(provider, retries=0))(outputs="x")["score"] is True
    assert [format_of(request.json) for request in provider.requests] == list(refusals)
    assert '"score"' in provider.last.json["messages"][-1]["content"], "the schema is told in words"


PARAMETERS = [
    ("openai_temperature", {"temperature": 0.3}, "temperature", None),
    ("openai_max_tokens", {"max_tokens": 100}, "max_tokens", "max_completion_tokens"),
    ("mistral_extra_field", {"max_tokens": 100}, "max_completion_tokens", "max_tokens"),
    ("openai_logprobs", {"logprobs": True, "top_logprobs": 5}, "logprobs", None),
]


@pytest.mark.parametrize(
    ("name", "params", "rejected", "renamed"), PARAMETERS, ids=[name for name, *_ in PARAMETERS]
)
def test_a_rejected_parameter_is_dropped_or_renamed_and_remembered(
    name: str, params: dict[str, Any], rejected: str, renamed: str | None, provider: Provider
) -> None:
    provider.reply(refusing(PROVIDER_ERRORS[name], lambda request: rejected in request))
    spec = "vllm:judge" if rejected == "max_tokens" else "openai:judge"
    judge = judge_with(connected(provider, spec, retries=0, **params))
    assert judge(outputs="x")["score"] is True
    assert judge(outputs="y")["score"] is True
    first, *others = (request.json for request in provider.requests)
    assert rejected in first
    assert len(others) == 2
    for request in others:
        assert rejected not in request
        assert "top_logprobs" not in request
        assert format_of(request) == "json_schema"
        if renamed:
            assert request[renamed] == 100


def test_an_anthropic_parameter_beside_the_body_is_dropped(provider: Provider) -> None:
    error = openai_error(400, "temperature: Extra inputs are not permitted")
    provider.reply(refusing(error, lambda request: "temperature" in request))
    judge = judge_with(connected(provider, "anthropic:judge", temperature=0.5))
    assert judge(outputs="x")["score"] is True
    assert provider.count == 2


KEYWORDS = [
    ("gemini_unknown_name", "additionalProperties"),
    ("groq_keyword", "minItems"),
    ("anthropic_bounds", "maximum"),
]


@pytest.mark.parametrize(("name", "keyword"), KEYWORDS)
def test_a_rejected_schema_keyword_is_left_out(name: str, keyword: str, provider: Provider) -> None:
    schema = {
        "type": "object",
        "properties": {
            "grade": {"type": "number", "minimum": 1, "maximum": 5, "description": "A grade"},
            "why": {"type": "array", "items": {"type": "string"}, "minItems": 1},
        },
        "required": ["grade", "why"],
    }
    provider.reply(
        refusing(PROVIDER_ERRORS[name], lambda request: keyword in str(request["response_format"]))
    )
    judge = judge_with(connected(provider, retries=0), output_schema=schema)
    assert judge(outputs="x")["why"] == ["Because."]
    assert judge(outputs="y")["why"] == ["Because."]
    sent = [request.json["response_format"]["json_schema"]["schema"] for request in provider.requests]
    assert len(sent) == 3
    assert keyword in str(sent[0])
    if keyword != "additionalProperties":  # the narrowing ones go together, and are told in words
        assert sent[1]["properties"]["grade"]["description"] == "A grade (at least 1, at most 5)"
        assert sent[1]["properties"]["why"]["description"] == "(at least 1 items)"
        assert sent[1]["additionalProperties"] is False


def test_a_const_becomes_an_enum_of_one(provider: Provider) -> None:
    error = openai_error(400, 'Invalid JSON payload received. Unknown name "const" at response_format.')
    provider.reply(refusing(error, lambda request: "'const'" in str(request["response_format"])))
    judge = judge_with(connected(provider), output_schema=BOUNDED)
    assert judge(outputs="x")["kind"] == "grade"
    kind = provider.last.json["response_format"]["json_schema"]["schema"]["properties"]["kind"]
    assert kind == {"enum": ["grade"]}


def test_a_keyword_that_was_not_sent_is_the_format_s_fault(provider: Provider) -> None:
    provider.reply(refusing(PROVIDER_ERRORS["groq_keyword"], lambda request: "response_format" in request))
    judge_with(connected(provider))(outputs="x")
    assert [format_of(request.json) for request in provider.requests] == ["json_schema", "tool"]


def test_a_failed_generation_is_an_answer_to_repair_and_no_missing_format(provider: Provider) -> None:
    provider.reply(PROVIDER_ERRORS["groq_generation"], None, PROVIDER_ERRORS["groq_generation"])
    judge = judge_with(connected(provider, repairs=1))
    assert judge(outputs="x")["metadata"]["failed_attempts"] == ["no_json"]
    assert [format_of(request.json) for request in provider.requests] == ["json_schema", "json_schema"]
    assert provider.last.json["messages"][1] == {"role": "assistant", "content": "The answer is right."}
    with pytest.raises(ParseError) as caught:
        judge(outputs="x")
    assert caught.value.raw == "The answer is right."


ORDINARY = [
    "Invalid value: 'assistnt'. Supported values are: 'system', 'assistant', 'user', 'function', and 'tool'.",
    (
        "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens (8900 in "
        "the messages, 100 in the response_format schemas). Please reduce the length of the messages or schemas: more "
        "is not supported."
    ),
    "Invalid 'temperature': decimal above maximum value. Expected a value <= 2, but got 5 instead.",
    "max_completion_tokens is too large: 100000. This model supports at most 16384 completion tokens.",
    "Invalid image URL: the URL must be a valid HTTP URL.",
    "The model `judge` does not exist or you do not have access to it.",
    "Invalid 'messages[0].content': string too long.",
]


@pytest.mark.parametrize("text", ORDINARY)
@pytest.mark.parametrize("rung", ["json_schema", "tool", "json_object"])
def test_nothing_is_learned_from_an_ordinary_refusal(text: str, rung: str, provider: Provider) -> None:
    provider.reply(openai_error(400, text))
    model = on_the_rung(connected(provider, temperature=0.3, max_tokens=10, seed=1), rung)
    before = set(model.capabilities.rejected)
    with pytest.raises(ModelError):
        judge_with(model)(outputs="x")
    assert provider.count == 1
    memory = model.capabilities
    assert (memory.rejected, memory.dropped, memory.renamed, memory.keywords) == (
        before,
        set(),
        {},
        frozenset(),
    )


@pytest.mark.parametrize("status", [401, 429, 413, 503])
def test_other_statuses_teach_nothing(status: int, provider: Provider) -> None:
    provider.reply(
        openai_error(status, "response_format of type 'json_schema' is not supported with this model.")
    )
    with pytest.raises(ModelError):
        judge_with(connected(provider, retries=0))(outputs="x")
    assert provider.count == 1


def test_a_model_that_refuses_everything_ends(provider: Provider) -> None:
    provider.reply(PROVIDER_ERRORS["openai_json_schema"])
    with pytest.raises(ModelError) as caught:
        judge_with(connected(provider))(outputs="x")
    assert caught.value.status == 400
    assert provider.count < 6


def test_requests_under_way_learn_together(provider: Provider) -> None:
    """All of them were sent before the first was refused: each steps down once and none further."""
    provider.reply(
        lambda request: PROVIDER_ERRORS["deepseek_json_schema"] if "response_format" in request else None
    )
    judge = judgekit.create_async_llm_as_judge(prompt="{outputs}", judge=connected(provider, retries=0))

    async def all_at_once() -> list[Any]:
        return await asyncio.gather(*(judge(outputs=str(i)) for i in range(20)))

    assert all(result["score"] is True for result in asyncio.run(all_at_once()))
    formats = [format_of(request.json) for request in provider.requests]
    assert formats.count("tool") == 20
    assert set(formats) == {"json_schema", "tool"}


def test_keywords_are_learned_together_too(provider: Provider) -> None:
    provider.reply(
        lambda request: PROVIDER_ERRORS["anthropic_bounds"] if "'minimum'" in str(request) else None
    )
    model = connected(provider, retries=0)
    judge = judgekit.create_async_llm_as_judge(prompt="{outputs}", judge=model, output_schema=BOUNDED)

    async def all_at_once() -> None:
        await asyncio.gather(*(judge(outputs=str(i)) for i in range(20)))

    asyncio.run(all_at_once())
    assert {format_of(request.json) for request in provider.requests} == {"json_schema"}


def test_judges_of_one_model_share_what_was_learned(provider: Provider) -> None:
    provider.reply(
        refusing(PROVIDER_ERRORS["deepseek_json_schema"], lambda request: "response_format" in request)
    )
    for _ in range(3):
        model = judgekit.connect("openai:judge", base_url=f"{provider.url}/shared/v1", api_key="k")
        judge_with(model)(outputs="x")
    assert [format_of(request.json) for request in provider.requests] == [
        "json_schema",
        "tool",
        "tool",
        "tool",
    ]


def test_neither_name_of_the_budget_is_taken() -> None:
    memory = Capabilities(("prompt",))
    for name in ("max_completion_tokens", "max_tokens"):
        text = f"Unsupported parameter: '{name}' is not supported."
        assert memory.learn(status=400, text=text, call=Call({name: 5}))
    assert memory.dropped == {"max_tokens"}


@pytest.mark.parametrize(
    ("method", "rung"),
    [("json_schema", "json_schema"), ("function_calling", "tool"), ("json_mode", "json_object")],
)
def test_langchain_s_words_choose_the_first_rung(method: str, rung: str, provider: Provider) -> None:
    model = judgekit.connect(
        "openai:judge", base_url=f"{provider.url}/v1", structured_output_kwargs={"method": method}
    )
    judge_with(model)(outputs="x")
    assert format_of(provider.last.json) == rung
