"""The examples that users of OpenEvals know, with their judge: a LangChain chat model."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from judgekit import create_async_llm_as_judge
from judgekit.types import FewShotExample
from tests.conftest import no_keepalive
from tests.support.provider import Provider

if TYPE_CHECKING:
    from langchain_openai import ChatOpenAI

PROMPT = """\
确认针对指定问题的提供的答案是否正确：
**问题**
{inputs}
**答案**
{outputs}
"""
QUESTION = "说出战国四大名将的姓名"


@pytest.fixture
def chat(provider: Provider) -> Iterator[ChatOpenAI]:
    import openai
    from langchain_openai import ChatOpenAI

    http_client = openai.DefaultAsyncHttpxClient(verify=False, limits=no_keepalive())
    options: dict[str, Any] = {"api_key": "loopback", "http_async_client": http_client}
    yield ChatOpenAI(model="gpt-5.4-mini", base_url=f"{provider.url}/v1", **options)
    asyncio.run(http_client.aclose())


def said(reasoning: str, score: Any) -> str:
    return json.dumps({"reasoning": reasoning, "score": score}, ensure_ascii=False)


def test_true_or_false(provider: Provider, chat: ChatOpenAI) -> None:
    wrong = (
        "其中“王翦”并非这一常见“四大名将”名单中的成员。因此该答案不正确。Thus, the score should be: false."
    )
    right = "答案中给出的四人完全一致，只是顺序不同。因此该答案正确。Thus, the score should be: true."
    provider.reply(said(wrong, False), said(right, True))

    async def judge(outputs: str) -> Any:
        evaluator = create_async_llm_as_judge(prompt=PROMPT, judge=chat)
        return await evaluator(inputs=QUESTION, outputs=outputs)

    first, second = (
        asyncio.run(judge(outputs)) for outputs in ("吴起、廉颇、李牧和王翦", "白起、廉颇、李牧和王翦")
    )
    assert (first["key"], first["score"], first["comment"]) == ("score", False, wrong)
    assert (second["key"], second["score"], second["comment"]) == ("score", True, right)
    (message,) = provider.requests[0].json["messages"]
    assert message == {
        "role": "user",
        "content": PROMPT.format(inputs=QUESTION, outputs="吴起、廉颇、李牧和王翦"),
    }


def test_a_number(provider: Provider, chat: ChatOpenAI) -> None:
    provider.reply(
        said("部分正确。Thus, the score should be: 0.75.", 0.75),
        said("正确。Thus, the score should be: 1.0.", 1),
    )
    evaluator = create_async_llm_as_judge(prompt=PROMPT, continuous=True, judge=chat)
    results = [asyncio.run(evaluator(inputs=QUESTION, outputs="...")) for _ in range(2)]
    assert [result["score"] for result in results] == [0.75, 1.0]
    assert all(type(result["score"]) is float for result in results)


def test_choices_with_examples(provider: Provider, chat: ChatOpenAI) -> None:
    provider.reply(said("三人正确。", 0.75), said("四个错其三。", 0.25))
    inputs = (QUESTION,)
    examples: list[FewShotExample] = [
        {"inputs": inputs, "outputs": "吴起、司马错、乐毅、蒙恬", "score": 0.0, "reasoning": "四个都错"},
        {"inputs": inputs, "outputs": "白起、李牧、王翦、廉颇", "score": 1.0, "reasoning": "四个都对"},
    ]
    evaluator = create_async_llm_as_judge(
        prompt=PROMPT,
        continuous=True,
        choices=[0.0, 0.25, 0.50, 0.75, 1.0],
        judge=chat,
        few_shot_examples=examples,
    )
    results = [
        asyncio.run(evaluator(inputs=inputs, outputs=text))
        for text in ("孙膑、李牧、王翦、廉颇", "孙膑、庞涓")
    ]
    assert [result["score"] for result in results] == [0.75, 0.25]
    sent = provider.last.json
    content = sent["messages"][0]["content"]
    assert content.startswith(PROMPT.format(inputs=f'["{QUESTION}"]', outputs="孙膑、庞涓"))
    assert (
        "<output>白起、李牧、王翦、廉颇</output>\n<reasoning>四个都对</reasoning>\n<score>1.0</score>"
        in content
    )
    score = sent["response_format"]["json_schema"]["schema"]["properties"]["score"]
    assert score["enum"] == [0.0, 0.25, 0.5, 0.75, 1.0]
