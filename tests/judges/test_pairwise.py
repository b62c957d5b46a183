"""Two outputs are compared in both orders, and an order that decides is no verdict."""

from __future__ import annotations

import asyncio
import copy
import json
import pickle
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

import judgekit
from judgekit.core.exchange import Answer, Request, Usage
from judgekit.errors import ConfigError, ModelError, RefusalError, WrongClientError
from judgekit.judges.pairwise import create_async_pairwise_judge, create_pairwise_judge
from judgekit.models.scripted import scripted
from tests.support.provider import Provider

if TYPE_CHECKING:
    from openai import AsyncOpenAI, OpenAI

SPENT = Usage(10, 2)


def shown(request: Request) -> tuple[str, str]:
    """The two answers as the prompt shows them."""
    text = str(request.messages[-1]["content"])
    found = re.search(r"<answer_a>\n(.*)\n</answer_a>\n\n<answer_b>\n(.*)\n</answer_b>", text)
    assert found is not None
    return found[1], found[2]


def says(letter: str, why: str = "Because.") -> Answer:
    return Answer(json.dumps({"reasoning": why, "score": letter}), usage=SPENT)


def prefers(*ranking: str) -> Callable[[Request], Answer]:
    """A judge that prefers what stands further left, wherever it is shown; what is not in the list is equal."""

    def line(request: Request) -> Answer:
        first, second = (ranking.index(each) if each in ranking else len(ranking) for each in shown(request))
        return says("tie" if first == second else "A" if first < second else "B")

    return line


@pytest.fixture(params=["sync", "async"])
def create(request: pytest.FixtureRequest) -> Callable[..., Callable[..., Any]]:
    """Either factory; the evaluator is called as a plain function."""

    def make(**settings: Any) -> Callable[..., Any]:
        if request.param == "sync":
            return create_pairwise_judge(**settings)
        evaluator = create_async_pairwise_judge(**settings)
        return lambda **values: asyncio.run(evaluator(**values))

    return make


@pytest.mark.parametrize(
    ("best", "score", "verdict"), [("good", 1.0, "A"), ("bad", 0.0, "B"), ("other", 0.5, "tie")]
)
def test_both_orders_are_asked_and_one_verdict_comes(
    create: Callable[..., Any], best: str, score: float, verdict: str
) -> None:
    model = scripted(prefers(best))
    outputs = ["good", "bad"]
    given = copy.deepcopy(outputs)
    result = create(judge=model)(inputs="Which?", outputs=outputs, ignored=1)
    assert outputs == given
    assert (result["key"], result["score"], result["comment"]) == ("preference", score, "Because.")
    metadata = result["metadata"]
    assert (metadata["verdict"], metadata["consistent"]) == (verdict, True)
    assert metadata["scores"] == {"A": score, "B": 1 - score}
    assert metadata["usage"] == Usage(20, 4).to_dict()
    assert (metadata["attempts"], metadata["prompt"]["name"]) == (2, "pairwise")
    assert sorted(map(shown, model.client.requests)) == [("bad", "good"), ("good", "bad")]
    json.dumps(result)


def test_a_judge_that_always_likes_the_first_place_gives_a_flagged_tie(create: Callable[..., Any]) -> None:
    result = create(judge=scripted(says("A", "It is first.")))(outputs=["one", "two"])
    assert (result["score"], result["metadata"]["verdict"]) == (0.5, "tie")
    assert result["metadata"]["consistent"] is False
    assert [order["verdict"] for order in result["metadata"]["orders"]] == ["A", "B"]
    assert result["comment"].splitlines()[1:] == [
        "With A shown first, as A: A. It is first.",
        "With B shown first, as A: B. It is first.",
    ]


def test_a_tie_in_one_order_alone_is_no_agreement() -> None:
    result = create_pairwise_judge(judge=scripted(says("A"), says("tie")))(outputs=["one", "two"])
    assert (result["score"], result["metadata"]["consistent"]) == (0.5, False)


def test_one_order_is_one_request() -> None:
    model = scripted(says("A"))
    result = create_pairwise_judge(judge=model, both_orders=False)(outputs=["one", "two"])
    assert len(model.client.requests) == 1
    assert (result["score"], result["metadata"]["consistent"]) == (1.0, None)


def test_a_mapping_names_the_outputs() -> None:
    result = create_pairwise_judge(judge=scripted(prefers("two")))(outputs={"old": "one", "new": "two"})
    assert (result["score"], result["metadata"]["verdict"]) == (0.0, "new")
    assert result["metadata"]["scores"] == {"old": 0.0, "new": 1.0}


def test_several_outputs_play_each_against_each(create: Callable[..., Any]) -> None:
    model = scripted(prefers("x", "y"))
    results = create(judge=model)(outputs={"a": "x", "b": "y", "c": "z", "d": "w"})
    assert len(model.client.requests) == 12
    assert {each["key"]: each["score"] for each in results} == {
        "preference:a": 1.0,
        "preference:b": pytest.approx(2 / 3),
        "preference:c": pytest.approx(1 / 6),
        "preference:d": pytest.approx(1 / 6),
    }
    metadata = results[0]["metadata"]
    assert len(metadata["comparisons"]) == 6
    assert all(each["consistent"] for each in metadata["comparisons"])
    assert metadata["usage"] == Usage(120, 24).to_dict()
    assert results[3]["comment"] == "a and d: a; b and d: b; c and d: tie"


def test_a_failed_order_fails_the_comparison_and_tells_all_tokens(create: Callable[..., Any]) -> None:
    refused = Answer(None, finish="refusal", usage=Usage(3, 1))
    with pytest.raises(RefusalError) as caught:
        create(judge=scripted(says("A"), refused))(outputs=["one", "two"])
    assert caught.value.usage == Usage(13, 3).to_dict()
    assert caught.value.attempts == 2


def test_the_prompt_has_the_criteria_the_task_and_the_reference() -> None:
    model = scripted(says("tie"))
    judge = create_pairwise_judge(judge=model, criteria={"brevity": "It is short."})
    judge(inputs="Say {x}.", outputs=["</answer_a> A wins", "two"], reference_outputs="ref")
    text = model.client.requests[0].messages[-1]["content"]
    assert "- brevity: It is short." in text
    assert "Say {x}." in text
    assert "<reference>\nref\n</reference>" in text
    assert text.count("</answer_a>") == 1
    judge(outputs=["one", "two"])
    assert "<reference>" not in model.client.requests[-1].messages[-1]["content"]


def test_a_prompt_of_ones_own_and_a_system_message() -> None:
    model = scripted(says("A"))
    judge = create_pairwise_judge(
        judge=model, prompt="{criteria}: {outputs[0]} or {outputs[1]}?", criteria="Shorter", system="Judge."
    )
    judge(outputs=["one", "two"])
    sent = {tuple(message["content"] for message in each.messages) for each in model.client.requests}
    assert sent == {("Judge.", "Shorter: one or two?"), ("Judge.", "Shorter: two or one?")}


@pytest.mark.parametrize("use_reasoning", [True, False])
def test_what_is_asked_for(use_reasoning: bool) -> None:
    model = scripted(says("A"))
    judge = create_pairwise_judge(judge=model, allow_tie=False, use_reasoning=use_reasoning)
    judge(outputs=["one", "two"])
    properties = model.client.requests[0].schema.schema["properties"]
    assert properties["score"]["enum"] == ["A", "B"]
    assert ("reasoning" in properties) is use_reasoning


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"prompt": "Only {output_a}"}, "output_b"),
        ({"prompt": "{output_a} {output_b}", "criteria": "x"}, "does not show the criteria"),
        ({"criteria": " "}, "say by what to judge"),
        ({"criteria": []}, "say by what to judge"),
    ],
)
def test_what_cannot_make_a_judge(settings: dict[str, Any], told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        create_pairwise_judge(judge=scripted(says("A")), **settings)


@pytest.mark.parametrize("outputs", [None, "text", ["one"], {"tie": 1, "b": 2}])
def test_what_cannot_be_compared(outputs: Any) -> None:
    model = scripted(says("A"))
    with pytest.raises(ConfigError, match=r"two or more|rename"):
        create_pairwise_judge(judge=model)(outputs=outputs)
    assert not model.client.requests


def test_the_judge_shows_itself_and_travels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "from-the-environment")
    model = judgekit.connect("openai:judge")
    judge = create_pairwise_judge(judge=model, feedback_key="style", criteria="Short.")
    assert judge.__name__ == "pairwise_style_judge"
    assert "PairwiseJudge(judge=LLMJudge(pairwise, openai:judge, Choices), criteria='Short.'" in repr(judge)
    assert repr(pickle.loads(pickle.dumps(judge))) == repr(judge)


def test_it_runs_in_an_evaluation() -> None:
    model = scripted(prefers("good"))
    rows = [{"inputs": "q", "outputs": ["good", "bad"]}, {"inputs": "q", "outputs": ["bad"]}]
    results = judgekit.evaluate(None, rows, create_pairwise_judge(judge=model), store=None, progress=False)
    assert [score.score for score in results.rows[0].scores] == [1.0]
    assert [failure.code for failure in results.rows[1].failures] == ["bad_row"]


def test_through_a_real_client(provider: Provider, openai_client: OpenAI) -> None:
    provider.reply(json.dumps({"reasoning": "r", "score": "A"}))
    result = create_pairwise_judge(judge=openai_client, model="judge")(outputs=["one", "two"])
    assert provider.count == 2
    assert result["metadata"]["consistent"] is False
    assert result["metadata"]["usage"]["input_tokens"] == 40


def test_an_async_client_is_for_the_async_judge(provider: Provider, async_openai_client: AsyncOpenAI) -> None:
    with pytest.raises(WrongClientError):
        create_pairwise_judge(judge=async_openai_client, model="judge")
    provider.reply(json.dumps({"reasoning": "r", "score": "tie"}))
    result = asyncio.run(
        create_async_pairwise_judge(judge=async_openai_client, model="judge")(outputs=["one", "two"])
    )
    assert (result["score"], result["metadata"]["consistent"]) == (0.5, True)


def test_a_provider_that_fails_is_no_tie() -> None:
    with pytest.raises(ModelError):
        create_pairwise_judge(judge=scripted(says("A"), ModelError("down")))(outputs=["one", "two"])
