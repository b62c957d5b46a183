"""What is on the wire: the bodies that each provider is sent, letter by letter where it matters."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import pytest

import judgekit
from judgekit.core.exchange import AnswerSchema
from judgekit.errors import ConfigError, ParseError, PromptError
from judgekit.models.wire import closed, with_instruction, without
from tests.support.bodies import chat_body
from tests.support.provider import Provider

if TYPE_CHECKING:
    from anthropic import Anthropic
    from openai import OpenAI

GOOD = '{"reasoning": "Because.", "score": true}'
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="

DEFAULT_SCHEMA = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "reasoning": {
            "type": "string",
            "description": "A human-readable explanation of the score. You MUST end the reasoning with a sentence that "
            "says: Thus, the score should be: SCORE_YOU_ASSIGN.",
        },
        "score": {
            "type": "boolean",
            "description": "A score that is true if criteria in the prompt are met, and false otherwise.",
        },
    },
    "required": ["reasoning", "score"],
}


def openai(provider: Provider, spec: str = "openai:judge", **settings: Any) -> judgekit.Model:
    return judgekit.connect(spec, base_url=f"{provider.url}/v1", api_key="loopback", **settings)


def anthropic(provider: Provider, **settings: Any) -> judgekit.Model:
    return judgekit.connect("anthropic:judge", base_url=provider.url, api_key="loopback", **settings)


def sent(provider: Provider, model: Any, item: dict[str, Any] | None = None, **judge: Any) -> dict[str, Any]:
    """The body of the one request that a judgement makes."""
    settings = {"prompt": "Grade: {outputs}", "judge": model, **judge}
    before = provider.count
    judgekit.create_llm_as_judge(**settings)(**(item or {"outputs": "x"}))
    assert provider.count == before + 1
    body: dict[str, Any] = provider.last.json
    return body


def test_the_default_judge_s_request_to_openai(provider: Provider) -> None:
    assert sent(provider, openai(provider)) == {
        "model": "judge",
        "messages": [{"role": "user", "content": "Grade: x"}],
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "score", "strict": True, "schema": DEFAULT_SCHEMA},
        },
    }
    headers = provider.last.headers
    assert provider.last.path == "/v1/chat/completions"
    assert headers["authorization"] == "Bearer loopback"
    assert headers["content-type"] == "application/json"


def test_a_user_s_openai_client_is_sent_the_same(provider: Provider, openai_client: OpenAI) -> None:
    given = sent(provider, judgekit.connect(openai_client, "judge"))
    assert given == sent(provider, openai(provider))


def test_the_default_judge_s_request_to_anthropic(provider: Provider) -> None:
    assert sent(provider, anthropic(provider)) == {
        "model": "judge",
        "messages": [{"role": "user", "content": [{"type": "text", "text": "Grade: x"}]}],
        "max_tokens": 4096,
        "output_config": {"format": {"type": "json_schema", "schema": DEFAULT_SCHEMA}},
    }
    assert provider.last.path == "/v1/messages"
    assert provider.last.headers["authorization"] == "Bearer loopback"
    assert provider.last.headers["anthropic-version"]


def test_a_user_s_anthropic_client_is_sent_the_same(provider: Provider, anthropic_client: Anthropic) -> None:
    given = sent(provider, judgekit.connect(anthropic_client, "judge", temperature=0.5))
    assert given == sent(provider, anthropic(provider, temperature=0.5))
    assert given["temperature"] == 0.5


@pytest.mark.parametrize(
    ("spec", "name"),
    [("openai:judge", "max_completion_tokens"), ("ollama:judge", "max_tokens"), ("vllm:judge", "max_tokens")],
)
@pytest.mark.parametrize("given", ["max_tokens", "max_completion_tokens"])
def test_the_output_budget_has_the_provider_s_name(
    spec: str, name: str, given: str, provider: Provider
) -> None:
    body = sent(provider, openai(provider, spec, **{given: 50}))
    assert body[name] == 50
    assert {"max_tokens", "max_completion_tokens"} & body.keys() == {name}


def test_parameters_are_sent_when_they_are_set(provider: Provider) -> None:
    params: dict[str, Any] = {"temperature": 0, "seed": 7, "top_p": 0.9, "reasoning_effort": "low"}
    body = sent(provider, openai(provider, **params, stop=None))
    assert params.items() <= body.items()
    assert "stop" not in body


def test_what_stands_beside_the_body_goes_there(provider: Provider) -> None:
    body = sent(
        provider,
        openai(
            provider,
            extra_body={"provider": {"only": ["x"]}},
            extra_headers={"x-trace": "7"},
            extra_query={"v": "2"},
        ),
    )
    assert body["provider"] == {"only": ["x"]}
    assert not {"extra_body", "extra_headers", "extra_query"} & body.keys()
    assert provider.last.headers["x-trace"] == "7"


def test_azure_posts_to_the_deployment(provider: Provider, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", provider.url)
    monkeypatch.setenv("AZURE_OPENAI_API_KEY", "azure-loopback")
    judgekit.create_llm_as_judge(prompt="{outputs}", model="azure:my-judge")(outputs="x")
    assert provider.last.path == "/openai/deployments/my-judge/chat/completions"
    assert provider.last.headers["api-key"] == "azure-loopback"


def test_anthropic_s_own_parameters(provider: Provider) -> None:
    model = anthropic(
        provider, temperature=0, top_k=3, seed=7, stop="END", max_tokens=99, output_config={"effort": "low"}
    )
    body = sent(provider, model)
    assert (body["temperature"], body["top_k"], body["max_tokens"]) == (0, 3, 99)
    assert body["stop_sequences"] == ["END"]
    assert body["output_config"]["effort"] == "low"
    assert body["output_config"]["format"]["type"] == "json_schema"
    assert not {"seed", "stop", "extra_body"} & body.keys()


def test_a_large_budget_passes_the_anthropic_client_s_own_check(
    provider: Provider, anthropic_client: Anthropic
) -> None:
    assert (
        sent(provider, judgekit.connect(anthropic_client, "judge", max_tokens=30_000))["max_tokens"] == 30_000
    )


def test_anthropic_s_system_message_and_turns(provider: Provider) -> None:
    def prompt(outputs: str) -> list[dict[str, Any]]:
        call = {"id": "1", "type": "function", "function": {"name": "look", "arguments": '{"at": 1}'}}
        return [
            {"role": "developer", "content": "Be brief."},
            {"role": "user", "content": "First."},
            {"role": "user", "content": [{"type": "text", "text": "Second."}]},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "1", "content": "seen"},
            {"role": "user", "content": outputs},
        ]

    body = sent(provider, anthropic(provider), prompt=prompt, system="Be strict.")
    assert [block["text"] for block in body["system"]] == ["Be strict.", "Be brief."]
    turns = [(turn["role"], [block["text"] for block in turn["content"]]) for turn in body["messages"]]
    assert turns == [
        ("user", ["First.", "Second."]),
        ("assistant", ['(calls look: {"at": 1})']),
        ("user", ["seen", "x"]),
    ]


def test_anthropic_s_images_and_files(provider: Provider) -> None:
    attachments = [
        {"mime_type": "image/png", "data": PIXEL},
        "https://example.com/cat.png",
        {"mime_type": "application/pdf", "data": "JVBERi0=", "name": "report.pdf"},
    ]
    body = sent(
        provider,
        anthropic(provider),
        {"outputs": "x", "attachments": attachments},
        prompt="See {attachments}: {outputs}",
    )
    assert body["messages"][0]["content"] == [
        {"type": "text", "text": "See "},
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PIXEL}},
        {"type": "image", "source": {"type": "url", "url": "https://example.com/cat.png"}},
        {
            "type": "document",
            "source": {"type": "base64", "media_type": "application/pdf", "data": "JVBERi0="},
            "title": "report.pdf",
        },
        {"type": "text", "text": ": x"},
    ]


def test_what_anthropic_cannot_take_is_said_before_it_is_sent(provider: Provider) -> None:
    judge = judgekit.create_llm_as_judge(prompt="{outputs}", judge=anthropic(provider))
    with pytest.raises(PromptError, match="audio"):
        judge(outputs="x", attachments={"mime_type": "audio/wav", "data": "UklGRg=="})
    with pytest.raises(PromptError, match="file_data"):
        judge(outputs="x", attachments={"type": "file", "file": {"file_id": "f-1"}})
    silent = judgekit.create_llm_as_judge(
        prompt=lambda outputs: [{"role": "system", "content": outputs}], judge=anthropic(provider)
    )
    with pytest.raises(PromptError, match="no user message"):
        silent(outputs="x")
    assert provider.count == 0


def test_openai_s_images_are_blocks(provider: Provider) -> None:
    item = {"outputs": "x", "attachments": {"mime_type": "image/png", "data": PIXEL}}
    body = sent(provider, openai(provider), item)
    image = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PIXEL}"}}
    assert body["messages"][0]["content"] == [{"type": "text", "text": "Grade: x"}, image]


def test_examples_follow_the_blocks_of_a_message(provider: Provider) -> None:
    item = {"outputs": "x", "attachments": "https://example.com/cat.png"}
    examples: list[Any] = [{"inputs": ["q"], "outputs": {"a": 1}, "score": True}]
    body = sent(provider, openai(provider), item, few_shot_examples=examples)
    (message,) = body["messages"]
    assert [block["type"] for block in message["content"]] == ["text", "image_url", "text"]
    assert message["content"][-1]["text"].strip().startswith("<example>")


SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "My verdict!",
    "type": "object",
    "properties": {
        "grade": {"type": "number", "enum": [0, 0.5, 1], "minimum": 0, "description": "The grade"},
        "stars": {"type": "integer", "minimum": 1, "maximum": 5, "default": 3},
        "maximum": {"oneOf": [{"$ref": "#/definitions/word"}, {"type": "null"}]},
    },
    "required": ["grade", "stars", "maximum"],
    "definitions": {"word": {"type": "string", "pattern": "^[a-z]+$"}},
}


def test_anthropic_takes_no_bounds_and_they_are_told_in_words(provider: Provider) -> None:
    provider.reply('{"grade": 0.5, "stars": 3, "maximum": "high"}')
    schema = sent(provider, anthropic(provider), output_schema=SCHEMA)["output_config"]["format"]["schema"]
    assert schema == {
        "title": "My verdict!",
        "type": "object",
        "properties": {
            "grade": {"type": "number", "enum": [0, 0.5, 1], "description": "The grade (at least 0)"},
            "stars": {"type": "integer", "description": "(at least 1, at most 5)"},
            "maximum": {"anyOf": [{"$ref": "#/$defs/word"}, {"type": "null"}]},
        },
        "required": ["grade", "stars", "maximum"],
        "$defs": {"word": {"type": "string", "description": "(matching ^[a-z]+$)"}},
        "additionalProperties": False,
    }


def test_openai_is_sent_the_user_s_schema_closed(provider: Provider) -> None:
    provider.reply('{"grade": 0.5, "stars": 3, "maximum": "high"}')
    wanted = sent(provider, openai(provider), output_schema=SCHEMA)["response_format"]["json_schema"]
    assert (wanted["name"], wanted["strict"]) == ("My_verdict", True)
    assert wanted["schema"]["additionalProperties"] is False
    assert wanted["schema"]["properties"]["stars"] == {"type": "integer", "minimum": 1, "maximum": 5}
    assert "$schema" not in wanted["schema"]


def test_a_schema_with_optional_fields_is_not_strict(provider: Provider) -> None:
    provider.reply('{"a": 1}')
    schema = {
        "type": "object",
        "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
        "required": ["a"],
    }
    assert (
        sent(provider, openai(provider), output_schema=schema)["response_format"]["json_schema"]["strict"]
        is False
    )


def test_choices_are_an_enum(provider: Provider) -> None:
    provider.reply('{"reasoning": "Because.", "score": 0.5}')
    body = sent(provider, anthropic(provider), choices=[0, 0.5, 1])
    score = body["output_config"]["format"]["schema"]["properties"]["score"]
    assert (score["type"], score["enum"]) == ("number", [0, 0.5, 1])


def test_a_repair_quotes_the_answer_and_tells_the_schema(provider: Provider) -> None:
    provider.reply("Looks fine.", GOOD)
    judgekit.create_llm_as_judge(prompt="{outputs}", judge=openai(provider))(outputs="x")
    first, said, told = provider.last.json["messages"]
    assert first == {"role": "user", "content": "x"}
    assert said == {"role": "assistant", "content": "Looks fine."}
    assert told["role"] == "user"
    for part in ("could not be used", "true or false", "one JSON object only", '"reasoning"'):
        assert part in told["content"]


def test_a_cut_answer_gets_twice_the_budget_and_no_quotation(provider: Provider) -> None:
    provider.reply(chat_body('{"reasoning": "Beca', finish_reason="length"), GOOD)
    judgekit.create_llm_as_judge(prompt="{outputs}", judge=openai(provider, max_tokens=10))(outputs="x")
    first, second = (request.json for request in provider.requests)
    assert (first["max_completion_tokens"], second["max_completion_tokens"]) == (10, 20)
    assert first["messages"] == second["messages"]


def test_a_budget_that_cannot_grow_is_not_tried_again(provider: Provider) -> None:
    provider.reply(chat_body('{"reasoning": "Beca', finish_reason="length"))
    judge = judgekit.create_llm_as_judge(prompt="{outputs}", judge=openai(provider, max_tokens=100_000))
    with pytest.raises(ParseError, match="cut off"):
        judge(outputs="x")
    assert provider.count == 1


def test_nothing_that_was_passed_in_is_changed(provider: Provider) -> None:
    """Also not when an answer is repaired, a format is stepped down, and the same objects are used again."""
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": [{"type": "text", "text": "Grade this."}], "name": "u"}
    ]
    examples: list[Any] = [{"inputs": {"q": [1]}, "outputs": "4", "score": True, "reasoning": "Right."}]
    item = {
        "inputs": {"messages": [{"role": "user", "content": "hi"}]},
        "outputs": ["x"],
        "attachments": ["https://e.com/a"],
    }
    params: dict[str, Any] = {"extra_body": {"a": {"b": 1}}, "stop": ["END"]}
    schema: dict[str, Any] = {
        "name": "grade",
        "schema": {"type": "object", "properties": {"a": {"type": "integer"}}},
    }
    before = copy.deepcopy((messages, examples, item, params, schema))
    for connect in (openai, anthropic):
        provider.reply("Not yet.", '{"a": 1}')
        judge = judgekit.create_llm_as_judge(
            prompt=lambda inputs, outputs: messages,
            judge=connect(provider, **params),
            few_shot_examples=examples,
            output_schema=schema,
            system="Be strict.",
        )
        judge(**item)
    assert (messages, examples, item, params, schema) == before


def test_changed_schemas_share_nothing_that_could_be_changed() -> None:
    schema = {"type": "object", "properties": {"maximum": {"maximum": 3, "enum": [1, {"minimum": 0}]}}}
    plain = without(closed(schema), frozenset({"maximum", "minimum"}))
    assert plain["properties"] == {"maximum": {"enum": [1, {"minimum": 0}], "description": "(at most 3)"}}
    assert schema == {
        "type": "object",
        "properties": {"maximum": {"maximum": 3, "enum": [1, {"minimum": 0}]}},
    }


def test_the_instruction_goes_to_the_last_user_message() -> None:
    wanted = AnswerSchema("score", {"type": "object"})
    texts = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]
    assert with_instruction(texts, wanted)[0]["content"].startswith("a\n\nAnswer with one JSON object only")
    blocks = [{"role": "user", "content": [{"type": "text", "text": "a"}]}]
    assert with_instruction(blocks, wanted)[0]["content"][1]["text"].endswith('{"type": "object"}')
    assert with_instruction([{"role": "system", "content": "s"}], wanted)[-1]["role"] == "user"
    assert blocks[0]["content"] == [{"type": "text", "text": "a"}]


def test_two_models_are_one_too_many(provider: Provider) -> None:
    with pytest.raises(ConfigError, match="leave one out"):
        judgekit.connect("openai:a", "openai:b")
    with pytest.raises(ConfigError, match="connected already"):
        judgekit.connect(openai(provider), "openai:b")
