"""Faults of OpenEvals 0.2.2 that concern judges as a whole, by their numbers in our list of them; those of single evaluators
stand with the tests of these."""

from __future__ import annotations

import base64
import subprocess
import sys
import threading
from typing import Any

import openai
import pytest

import judgekit
from judgekit import prompts
from judgekit.errors import ConfigError, JudgeError
from judgekit.models.scripted import scripted
from tests.support.provider import Provider

RIGHT = '{"reasoning": "ok", "score": true}'


def judge(*answers: Any, **settings: Any) -> Any:
    return judgekit.create_llm_as_judge(
        **{"prompt": "{outputs}", **({"judge": scripted(*answers)} if answers else {}), **settings}
    )


@pytest.mark.parametrize(
    "answer",
    [
        f"```json\n{RIGHT}\n```",
        f"Here is my verdict: {RIGHT}",
        f"<think>Hmm, false? No.</think>{RIGHT}",
        "{'reasoning': 'ok', 'score': True}",
    ],
)
def test_w20_what_models_really_answer_is_read(answer: str) -> None:
    assert judge(answer)(outputs="x")["score"] is True


@pytest.mark.parametrize("answer", ["", "[]", '{"score": true}', '{"reasoning": "ok"}', '{"reasoning": "o'])
def test_w20_what_is_no_verdict_is_a_typed_error(answer: str) -> None:
    with pytest.raises(JudgeError) as caught:
        judge(answer)(outputs="x")
    assert caught.value.raw == answer
    assert caught.value.attempts > 1


def test_w33_the_schema_is_sent_as_strict_named_or_not() -> None:
    schema = {
        "type": "object",
        "properties": {"score": {"type": "boolean"}},
        "required": ["score"],
        "additionalProperties": False,
    }
    for given in (None, schema, {"name": "verdict", "schema": schema}):
        made = judge(RIGHT if given is None else '{"score": true}', output_schema=given)
        made(outputs="x")
        assert made.evaluation.model.client.requests[0].schema.strict is True


def test_w34_many_threads_share_one_client(provider: Provider, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Any] = []
    real = openai.AsyncOpenAI

    def counted(*arguments: Any, **settings: Any) -> Any:
        made.append(real(*arguments, **settings))
        return made[-1]

    monkeypatch.setattr(openai, "AsyncOpenAI", counted)
    provider.reply(RIGHT)
    model = judgekit.connect("openai:gpt-judge", base_url=f"{provider.url}/v1", api_key="w34")
    once = judge(judge=model)
    scores: list[Any] = []
    threads = [threading.Thread(target=lambda: scores.append(once(outputs="x")["score"])) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert scores == [True] * 16
    assert len(made) == 1


def test_w35_nothing_is_traced_unless_the_user_sets_it_up() -> None:
    program = (
        "import sys, judgekit; from judgekit.models.scripted import scripted; "
        f"judgekit.create_llm_as_judge(prompt='{{outputs}}', judge=scripted({RIGHT!r}))(outputs='secret'); "
        "print([name for name in ('langsmith', 'opentelemetry') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={"LANGSMITH_TRACING": "true", "PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "[]"


def test_w38_results_have_one_shape_and_scores_one_type_a_scale() -> None:
    for settings, answer, kind in (
        ({}, RIGHT, bool),
        ({"continuous": True}, '{"reasoning": "ok", "score": 1}', float),
        ({"choices": ["good", "bad"]}, '{"reasoning": "ok", "score": "good"}', str),
    ):
        found = judge(answer, **settings)(outputs="x")
        assert set(found) == {"key", "score", "comment", "metadata"}
        assert type(found["score"]) is kind
    matched = judgekit.create_json_match_evaluator(aggregator="all")(
        outputs={"a": 1}, reference_outputs={"a": 1}
    )
    assert [set(result) for result in matched] == [{"key", "score", "comment", "metadata"}]


def test_w39_a_result_says_what_it_took(provider: Provider) -> None:
    provider.reply(RIGHT)
    model = judgekit.connect("openai:gpt-judge", base_url=f"{provider.url}/v1", api_key="test")
    metadata = judge(judge=model)(outputs="x")["metadata"]
    assert metadata["model"] == "openai:gpt-judge"
    assert metadata["attempts"] == 1
    assert metadata["usage"]["input_tokens"] > 0
    assert metadata["prompt"]["hash"].startswith("sha256:")


def test_w40_settings_reach_the_provider(provider: Provider) -> None:
    provider.reply(RIGHT)
    client = openai.OpenAI(**provider.openai_options)
    settings: dict[str, Any] = {"temperature": 0.3, "seed": 7, "extra_body": {"top_k": 5}}
    model = judgekit.connect(client, model="gpt-judge", max_tokens=99, timeout=5.0, **settings)
    judge(judge=model)(outputs="x")
    sent = provider.last.json
    assert (sent["temperature"], sent["seed"], sent["top_k"]) == (0.3, 7, 5)
    assert 99 in (sent.get("max_tokens"), sent.get("max_completion_tokens"))
    client.close()


def test_w41_labels_make_a_schema_of_labels() -> None:
    made = judge('{"reasoning": "ok", "score": "good"}', choices=["good", "bad"])
    score = made.evaluation.schema.schema["properties"]["score"]
    assert (score["type"], score["enum"]) == ("string", ["good", "bad"])
    assert made(outputs="x")["score"] == "good"
    with pytest.raises(ConfigError):
        judge(RIGHT, choices=[])


@pytest.mark.parametrize("name", prompts.names())
def test_w42_a_prompt_states_what_true_means_and_fits_every_scale(name: str) -> None:
    prompt = prompts.load(name)
    assert prompt.true_means
    assert "TRUE" not in prompt.text
    assert "FALSE" not in prompt.text


def test_w47_image_data_may_be_bytes_or_bare_base64() -> None:
    pixel = b"\x89PNG\r\n\x1a\n"
    for data in (pixel, base64.b64encode(pixel).decode()):
        made = judge(RIGHT)
        made(outputs="x", attachments=[{"mime_type": "image/png", "data": data}])
        (message,) = made.evaluation.model.client.requests[0].messages
        url = next(block["image_url"]["url"] for block in message["content"] if block["type"] == "image_url")
        assert url == f"data:image/png;base64,{base64.b64encode(pixel).decode()}"


def test_w50_a_huge_output_is_judged_whole() -> None:
    huge = "x" * 5_000_000
    made = judge(RIGHT)
    assert made(outputs=huge)["score"] is True
    assert made.evaluation.model.client.requests[0].messages[0]["content"] == huge
