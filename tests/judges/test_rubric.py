"""A rubric is written once for each task, without a look at the answers, and they are graded by it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

import judgekit
from judgekit.core.exchange import Answer, Request, Usage
from judgekit.errors import ConfigError, MissingVariableError, ModelError
from judgekit.judges.rubric import create_async_rubric_judge, create_rubric_judge
from judgekit.models.scripted import scripted
from tests.support.provider import Provider

if TYPE_CHECKING:
    from openai import OpenAI


def says(**data: Any) -> Answer:
    return Answer(json.dumps(data), usage=Usage(10, 2))


RUBRIC = says(criteria=["It names Oslo.", "It is {one} word."])


def answers(request: Request) -> Any:
    assert request.schema is not None
    return RUBRIC if "criteria" in request.schema.schema["properties"] else says(reasoning="r", score=0.75)


def content(request: Request) -> str:
    return str(request.messages[-1]["content"])


@pytest.fixture(params=["sync", "async"])
def create(request: pytest.FixtureRequest) -> Callable[..., Callable[..., Any]]:
    """Either factory; the evaluator is called as a plain function."""

    def make(**settings: Any) -> Callable[..., Any]:
        if request.param == "sync":
            return create_rubric_judge(**settings)
        evaluator = create_async_rubric_judge(**settings)
        return lambda **values: asyncio.run(evaluator(**values))

    return make


def test_a_rubric_is_written_and_used(create: Callable[..., Any]) -> None:
    model = scripted(answers)
    result = create(judge=model)(inputs="Capital?", outputs="Oslo it is", reference_outputs="the reference")
    written, graded = map(content, model.client.requests)
    assert "Oslo it is" not in written
    assert "<task>\nCapital?\n</task>" in written
    assert "<reference>\nthe reference\n</reference>" in written
    assert "1. It names Oslo.\n2. It is {one} word.\n" in graded
    assert "<answer>\nOslo it is\n</answer>" in graded
    assert (result["key"], result["score"], result["comment"]) == ("rubric", 0.75, "r")
    assert result["metadata"]["rubric"] == ["It names Oslo.", "It is {one} word."]
    assert result["metadata"]["usage"] == Usage(20, 4).to_dict()
    assert result["metadata"]["attempts"] == 2
    assert result["metadata"]["prompt"]["name"] == "rubric_grading"
    json.dumps(result)


def test_with_a_cache_a_task_has_its_rubric_written_once(create: Callable[..., Any]) -> None:
    model = scripted(answers)
    judge = create(judge=judgekit.connect(model, cache={}))
    for outputs in ("one", "two", "three"):
        judge(inputs="Capital?", outputs=outputs)
    assert len(model.client.requests) == 4
    judge(inputs="River?", outputs="one")
    assert len(model.client.requests) == 6


def test_another_writer_and_another_scale() -> None:
    writer, grader = scripted(RUBRIC, name="writer"), scripted(says(reasoning="r", score=True))
    judge = create_rubric_judge(judge=grader, writer=writer, continuous=False)
    result = judge(inputs="Capital?", outputs="o")
    assert (result["score"], result["metadata"]["model"]) == (True, "scripted")
    assert (len(writer.client.requests), len(grader.client.requests)) == (1, 1)


def test_an_empty_rubric_goes_back() -> None:
    model = scripted(says(criteria=[]), RUBRIC, says(reasoning="r", score=1.0))
    result = create_rubric_judge(judge=model)(inputs="i", outputs="o")
    assert (result["score"], result["metadata"]["attempts"]) == (1.0, 3)


def test_a_grading_that_fails_tells_the_tokens_of_the_writing(create: Callable[..., Any]) -> None:
    with pytest.raises(ModelError) as caught:
        create(judge=scripted(RUBRIC, ModelError("down")))(inputs="i", outputs="o")
    assert caught.value.usage == Usage(10, 2).to_dict()
    assert caught.value.attempts == 2


@pytest.mark.parametrize("values", [{"outputs": "o"}, {"inputs": "i"}])
def test_what_is_missing_is_told_before_anyone_is_asked(values: dict[str, str]) -> None:
    model = scripted(answers)
    with pytest.raises(MissingVariableError):
        create_rubric_judge(judge=model)(**values)
    assert not model.client.requests


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"prompt": "{outputs}"}, "rubric"),
        ({"writing_prompt": "{inputs} {outputs}"}, "shows outputs"),
    ],
)
def test_prompts_that_cannot_work(settings: dict[str, Any], told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        create_rubric_judge(judge=scripted(answers), **settings)


def test_prompts_of_ones_own() -> None:
    model = scripted(answers)
    create_rubric_judge(judge=model, writing_prompt="Rubric for {inputs}", prompt="{rubric}: {outputs}")(
        inputs="i", outputs="o"
    )
    assert list(map(content, model.client.requests)) == [
        "Rubric for i",
        "1. It names Oslo.\n2. It is {one} word.: o",
    ]


def test_it_shows_itself() -> None:
    judge = create_rubric_judge(judge=scripted(answers), feedback_key="essay")
    assert judge.__name__ == "essay_rubric_judge"
    assert "writer=LLMJudge(rubric_writing, scripted, Custom)" in repr(judge)


def test_it_runs_in_an_evaluation() -> None:
    rows = [{"inputs": "i", "outputs": each} for each in ("one", "two")]
    judge = create_rubric_judge(judge=scripted(answers))
    results = judgekit.evaluate(None, rows, judge, store=None, progress=False, max_concurrency=1)
    assert [score.score for row in results.rows for score in row.scores] == [0.75, 0.75]


def test_through_a_real_client(provider: Provider, openai_client: OpenAI) -> None:
    result = create_rubric_judge(judge=openai_client, model="judge")(inputs="i", outputs="o")
    assert provider.count == 2
    assert (result["score"], result["metadata"]["rubric"]) == (1.0, ["Because."])
