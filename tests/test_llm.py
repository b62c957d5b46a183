"""The front door: what a judge returns, what it is made of, and the examples that OpenEvals' users know."""

from __future__ import annotations

import inspect
import json
import pickle
import threading
from typing import Any, Literal

import pytest

import judgekit
from judgekit import create_async_llm_as_judge, create_llm_as_judge
from judgekit.core.exchange import Answer, Usage
from judgekit.errors import (
    ConfigError,
    MissingVariableError,
    PromptError,
    SchemaError,
)
from judgekit.llm import _construct_default_output_json_schema, build_judge
from judgekit.models.scripted import scripted
from tests.support.provider import Provider

GOOD = '{"reasoning": "Because.", "score": true}'

REASONING = (
    '{"type":"string","description":"A human-readable explanation of the score. You MUST end the reasoning with a '
    'sentence that says: Thus, the score should be: SCORE_YOU_ASSIGN."}'
)
TRUTH = "A score that is true if criteria in the prompt are met, and false otherwise."
DEGREE = "A number that represents the degree to which the criteria in the prompt are met."


@pytest.mark.parametrize(
    ("settings", "score", "description"),
    [
        ({}, f'{{"type":"boolean","description":"{TRUTH}"}}', TRUTH),
        (
            {"continuous": True, "choices": [0.0, 0.5, 1.0]},
            f'{{"type":"number","description":"{DEGREE}","enum":[0.0,0.5,1.0]}}',
            DEGREE,
        ),
    ],
)
def test_the_default_schema_is_openevals_letter_by_letter(
    settings: dict[str, Any], score: str, description: str
) -> None:
    schema = _construct_default_output_json_schema(**settings)
    printed = (
        f'[{{"type":"object","additionalProperties":false,"properties":{{"reasoning":{REASONING},"score":{score}}},'
        f'"required":["reasoning","score"]}},"{description}"]'
    )
    assert json.dumps(schema, ensure_ascii=False, separators=(",", ":")) == printed


# --- results ----------------------------------------------------------------------------------------------


def judged(answer: Any, **settings: Any) -> Any:
    prompt = settings.pop("prompt", "Grade {outputs}")
    return create_llm_as_judge(prompt=prompt, judge=scripted(answer), **settings)(outputs="x")


@pytest.mark.parametrize(
    ("choices", "answer", "score", "label"),
    [
        ([0, 0.5, 1], 0.5, 0.5, None),
        ([1, 2, 3], 3, 3, None),
        ([1, 2, 3], 3.0, 3, None),
        (["good", "bad"], "good", "good", "good"),
        ({"good": 1.0, "bad": 0}, "Good", 1.0, "good"),
        ({"好": 1, "坏": 0}, "坏", 0, "坏"),
    ],
)
def test_choices(choices: Any, answer: Any, score: Any, label: str | None) -> None:
    result = judged({"reasoning": "Because.", "score": answer}, choices=choices)
    assert result["score"] == score
    assert type(result["score"]) is type(score)
    assert result["metadata"].get("label") == label
    json.dumps(result)


@pytest.mark.parametrize("choices", [[], [1, 1], ["a", 1], "ab", [float("nan")]])
def test_choices_that_cannot_be_told_apart_are_refused_at_once(choices: Any) -> None:
    with pytest.raises(SchemaError):
        create_llm_as_judge(prompt="{outputs}", judge=scripted(GOOD), choices=choices)


def test_the_metadata_say_how_the_verdict_came_about() -> None:
    answer = Answer(GOOD, usage=Usage(10, 5, 2, 1), model="judge-2026-01", request_id="req_7")
    prompt = judgekit.Prompt("Grade {outputs}", name="mine", version="3")
    assert judged(answer, prompt=prompt) == {
        "key": "score",
        "score": True,
        "comment": "Because.",
        "metadata": {
            "model": "scripted",
            "prompt": {"name": "mine", "version": "3", "hash": prompt.hash},
            "usage": {"input_tokens": 10, "output_tokens": 5, "cached_tokens": 2, "reasoning_tokens": 1},
            "attempts": 1,
            "repairs": [],
            "model_version": "judge-2026-01",
            "request_id": "req_7",
        },
    }


def test_the_metadata_say_what_went_wrong_on_the_way() -> None:
    model = scripted("no", ConnectionError("down"), '```json\n{"score": "yes", "reasoning": "Because."}\n```')
    patient = judgekit.connect(model, retries=1)
    result = create_llm_as_judge(prompt="{outputs}", judge=without_waiting(patient))(outputs="x")
    metadata = result["metadata"]
    assert (metadata["attempts"], metadata["failed_attempts"]) == (3, ["no_json", "provider_error"])
    assert metadata["score_before_reasoning"] is True
    assert metadata["coercions"]
    json.dumps(result)


def without_waiting(model: judgekit.Model) -> judgekit.Model:
    from dataclasses import replace

    return replace(model, patience=replace(model.patience, jitter=lambda: 0.0))


def test_probabilities_are_told() -> None:
    answer = Answer('{"score": true}', probabilities={"true": 0.9, "false": 0.1}, explains=False)
    result = judged(answer)
    assert (result["comment"], result["metadata"]["probabilities"]) == (None, {"true": 0.9, "false": 0.1})


def test_without_reasoning_there_is_no_comment() -> None:
    for answer in ('{"score": false}', "false"):
        result = judged(answer, use_reasoning=False)
        assert (result["score"], result["comment"]) == (False, None)
    judge = build_judge(prompt="{outputs}", judge=scripted(GOOD), use_reasoning=False)
    assert list(judge.schema.schema["properties"]) == ["score"]


def test_the_feedback_key_names_the_result() -> None:
    assert judged(GOOD, feedback_key="politeness")["key"] == "politeness"


# --- the evaluator as an object ---------------------------------------------------------------------------


def test_an_evaluator_can_be_inspected() -> None:
    judge = create_llm_as_judge(prompt="Grade {outputs}", judge=scripted(GOOD), feedback_key="tone")
    awaited = create_async_llm_as_judge(prompt="Grade {outputs}", judge=scripted(GOOD))
    assert (judge.__name__, judge.__qualname__, awaited.__name__) == (
        "llm_as_tone_judge",
        "llm_as_tone_judge",
        "llm_as_judge",
    )
    names = ["inputs", "outputs", "reference_outputs", "attachments", "kwargs"]
    for evaluator in (judge, awaited):
        parameters = inspect.signature(evaluator).parameters
        assert list(parameters) == names
        assert {parameters[name].kind for name in names[:4]} == {inspect.Parameter.KEYWORD_ONLY}
        assert "scripted" in repr(evaluator)
        assert evaluator.__doc__
    assert inspect.iscoroutinefunction(awaited)
    assert not inspect.iscoroutinefunction(judge)
    assert judge.evaluation.prompt.variables == ("outputs",)
    with pytest.raises(TypeError):
        judge("x")


@pytest.mark.parametrize("name", ["evaluation", "run_name", "self", "scorer", "config", "langsmith_extra"])
def test_no_variable_name_is_taken(name: str) -> None:
    model = scripted(GOOD)
    create_llm_as_judge(prompt=f"{{{name}}}", judge=model)(**{name: "mine"})
    assert model.client.requests[0].messages[0]["content"] == "mine"


def importable_prompt(outputs: str) -> str:
    return f"Grade {outputs}"


@pytest.mark.parametrize("prompt", ["Grade {outputs}", importable_prompt], ids=["string", "function"])
@pytest.mark.parametrize("spec", ["openai:judge", "anthropic:judge", "ollama:judge", "embedded:match"])
def test_an_evaluator_can_be_pickled(
    prompt: Any, spec: str, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable, path in (("OPENAI_BASE_URL", "/v1"), ("OLLAMA_HOST", ""), ("ANTHROPIC_BASE_URL", "")):
        monkeypatch.setenv(variable, provider.url + path)
    settings: dict[str, Any] = {} if spec == "embedded:match" else {"choices": {"good": 1, "bad": 0}}
    judge = create_llm_as_judge(prompt=prompt, model=spec, feedback_key="tone", **settings)
    again = pickle.loads(pickle.dumps(judge))
    item = {"outputs": "4", "reference_outputs": "4"}
    first, second = judge(**item), again(**item)
    for result in (first, second):
        result["metadata"].pop("request_id", None)
    assert first == second
    assert (again.__name__, repr(again), again.evaluation.model) == (
        judge.__name__,
        repr(judge),
        judge.evaluation.model,
    )
    awaited = create_async_llm_as_judge(prompt=prompt, model=spec, **settings)
    assert inspect.iscoroutinefunction(pickle.loads(pickle.dumps(awaited)))


def test_sixteen_threads_make_their_first_call_together(provider: Provider) -> None:
    model = judgekit.connect("openai:judge", base_url=f"{provider.url}/threads/v1")
    judge = create_llm_as_judge(prompt="Grade {outputs}", judge=model)
    barrier = threading.Barrier(16)
    results: list[Any] = []

    def call(number: int) -> None:
        barrier.wait()
        results.append(judge(outputs=str(number)))

    threads = [threading.Thread(target=call, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [result["score"] for result in results] == [True] * 16
    sent = sorted(request.json["messages"][0]["content"] for request in provider.requests)
    assert sent == sorted(f"Grade {number}" for number in range(16))


# --- what is wrong is said when the judge is made -----------------------------------------------------------


@pytest.mark.parametrize(
    "example", [{"inputs": "q", "outputs": "a"}, {"inputs": "q", "output": "a", "score": 1}, "text"]
)
def test_an_example_that_cannot_be_shown_is_refused_at_once(example: Any) -> None:
    with pytest.raises(PromptError, match=r"few_shot_examples\[0\]"):
        create_llm_as_judge(prompt="{outputs}", judge=scripted(GOOD), few_shot_examples=[example])


def test_a_judge_needs_a_model() -> None:
    with pytest.raises(ConfigError, match="neither `judge` nor `model`"):
        create_llm_as_judge(prompt="{outputs}")


def test_a_template_is_checked_when_the_judge_is_made() -> None:
    with pytest.raises(PromptError):
        create_async_llm_as_judge(prompt="{outputs.__class__}", judge=scripted(GOOD))


def test_a_missing_variable_costs_no_request() -> None:
    model = scripted(GOOD)
    with pytest.raises(MissingVariableError, match="context"):
        create_llm_as_judge(prompt="{outputs} {context}", judge=model)(outputs="x")
    assert model.client.requests == []


def test_messages_can_be_shown_without_asking() -> None:
    judge = build_judge(prompt="Grade {outputs}", judge=scripted(GOOD), system="Strict.")
    assert judge.messages({"outputs": "x"}) == [
        {"role": "system", "content": "Strict."},
        {"role": "user", "content": "Grade x"},
    ]
    with pytest.raises(PromptError):
        build_judge(prompt=importable_prompt, judge=scripted(GOOD)).messages({"outputs": "x"})


def test_the_deadline_is_the_model_s() -> None:
    assert build_judge(prompt="{outputs}", judge=scripted(GOOD, deadline=3.0)).deadline == 3.0


def test_jinja_is_a_format_of_its_own() -> None:
    model = scripted(GOOD)
    template: Literal["jinja2"] = "jinja2"
    create_llm_as_judge(prompt="{{ outputs }} {x}", judge=model, template_format=template)(outputs="y")
    assert model.client.requests[0].messages[0]["content"] == "y {x}"
