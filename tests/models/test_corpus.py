"""The corpus of judge answers, each served by the loopback provider to the real client and read by a real judge."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import judgekit
from judgekit.errors import JudgeError
from tests.support.bodies import chat_body

if TYPE_CHECKING:
    from anthropic import Anthropic
    from openai import OpenAI

    from tests.support.provider import Provider

CORPUS = Path(__file__).parents[1] / "data" / "structured_output.jsonl"
CASES = [json.loads(line) for line in CORPUS.read_text(encoding="utf-8").split("\n") if line]
SCORELESS = object()


def _judge(case: dict[str, Any], client: Any) -> Any:
    """The case's judge, with one attempt only, so that what is read is the case and nothing else."""
    kind = case["judge"]
    model = judgekit.connect(client, "judge-model", retries=0, repairs=0)
    return judgekit.create_llm_as_judge(
        prompt="Grade this: {outputs}",
        judge=model,
        continuous=kind["continuous"],
        choices=kind["choices"],
        use_reasoning=kind["use_reasoning"],
        output_schema=kind["output_schema"],
    )


@pytest.mark.parametrize("case", CASES, ids=[f"{case['id']}-{case['kind']}" for case in CASES])
def test_the_case_is_read_right(
    case: dict[str, Any], provider: Provider, openai_client: OpenAI, anthropic_client: Anthropic
) -> None:
    body = chat_body(case["response"]) if case["transport"] == "text" else case["response"]
    provider.reply(body)
    judge = _judge(case, anthropic_client if case["transport"] == "anthropic" else openai_client)
    expected = case["expect"]
    if not expected["ok"]:
        with pytest.raises(JudgeError) as caught:
            judge(outputs="x")
        assert caught.value.code == expected["error"]
        assert caught.value.attempts == 1
        assert str(caught.value).strip()
        return
    result = judge(outputs="x")
    score = result if case["judge"]["output_schema"] else result["score"]
    assert score == expected["score"]
    assert type(score) is type(expected["score"])
    if expected.get("reasoning") is not None and not case["judge"]["output_schema"]:
        assert result["comment"] == expected["reasoning"]


def test_the_corpus_is_whole() -> None:
    assert len(CASES) == 221


@pytest.mark.parametrize(
    "case", [case for case in CASES if case["expect"].get("retry")], ids=lambda case: case["id"]
)
def test_what_may_be_asked_again_is(case: dict[str, Any], provider: Provider, openai_client: OpenAI) -> None:
    """A case whose answer cannot be read is followed by one that can: the judge gets there."""
    if case["transport"] == "anthropic":
        pytest.skip("the same loop; the Anthropic bodies are read above")
    body = chat_body(case["response"]) if case["transport"] == "text" else case["response"]
    provider.reply(body, lambda request: None)
    kind = case["judge"]
    model = judgekit.connect(openai_client, "judge-model")
    judge = judgekit.create_llm_as_judge(
        prompt="Grade this: {outputs}",
        judge=judgekit.connect(model),
        continuous=kind["continuous"],
        choices=kind["choices"],
        use_reasoning=kind["use_reasoning"],
        output_schema=kind["output_schema"],
    )
    judge(outputs="x")
    assert provider.count >= 2
