"""Models without a network: scripted, recorded, and the reference matcher."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

import judgekit
from judgekit.core.exchange import Answer, ToolCall, Usage
from judgekit.errors import ConfigError, DataError, ModelError, ParseError, PromptError
from judgekit.models.recorded import recorded, recording
from judgekit.models.scripted import scripted
from tests.support.provider import Provider

GOOD = '{"reasoning": "Because.", "score": true}'


def judge(model: judgekit.Model, item: dict[str, Any] | None = None, **settings: Any) -> Any:
    given = {"prompt": "Grade {outputs}", "judge": model, **settings}
    return judgekit.create_llm_as_judge(**given)(**(item or {"outputs": "x"}))


def ajudge(model: judgekit.Model, item: dict[str, Any] | None = None, **settings: Any) -> Any:
    given = {"prompt": "Grade {outputs}", "judge": model, **settings}
    return asyncio.run(judgekit.create_async_llm_as_judge(**given)(**(item or {"outputs": "x"})))


# --- scripted ---------------------------------------------------------------------------------------------


def test_a_script_is_spoken_in_order_and_its_last_line_again() -> None:
    model = scripted({"reasoning": "r", "score": False}, GOOD)
    assert [judge(model)["score"] for _ in range(3)] == [False, True, True]
    assert [request.messages[0]["content"] for request in model.client.requests] == ["Grade x"] * 3


def test_a_line_may_be_a_function_of_the_request() -> None:
    def line(request: Any) -> Any:
        return {"reasoning": request.messages[-1]["content"], "score": True}

    assert judge(scripted(line))["comment"] == "Grade x"
    assert ajudge(scripted(line))["comment"] == "Grade x"


def test_a_line_may_be_an_error_or_a_whole_answer() -> None:
    with pytest.raises(ModelError, match="boom"):
        judge(scripted(ValueError("boom")))
    answer = Answer(calls=(ToolCall("score", GOOD),), usage=Usage(1, 2))
    assert judge(scripted(answer))["metadata"]["usage"]["output_tokens"] == 2


def test_a_script_needs_a_line() -> None:
    with pytest.raises(ConfigError, match="at least one"):
        scripted()


# --- recorded ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ask", [judge, ajudge])
def test_what_was_recorded_is_said_again(ask: Any, provider: Provider, tmp_path: Path) -> None:
    file = tmp_path / "answers.jsonl"
    provider.reply("not yet", GOOD)
    live = recording(judgekit.connect("openai:judge", base_url=f"{provider.url}/v1"), file)
    first = ask(live, {"outputs": "東京", "id": 7})
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert [line["text"] for line in lines] == ["not yet", GOOD]
    assert {line["id"] for line in lines} == {"7"}
    again = ask(judgekit.connect(f"recorded:{file}"), {"outputs": "東京", "id": 7})
    assert provider.count == 2
    assert again["metadata"].pop("model") == "recorded:answers.jsonl"
    first["metadata"].pop("model")
    assert again == first


def test_a_recording_still_learns_and_fails_as_the_model_does(provider: Provider, tmp_path: Path) -> None:
    from tests.support.provider_errors import PROVIDER_ERRORS

    error = PROVIDER_ERRORS["openai_temperature"]
    provider.reply(lambda request: error if "temperature" in request else None)
    model = judgekit.connect("openai:judge", base_url=f"{provider.url}/rec/v1", temperature=0.3)
    assert judge(recording(model, tmp_path / "a.jsonl"))["metadata"]["attempts"] == 2
    provider.reply({"choices": []})
    with pytest.raises(ModelError, match="no choices"):
        judge(recording(judgekit.connect(model, retries=0), tmp_path / "b.jsonl"))
    assert not (tmp_path / "b.jsonl").exists()


def test_a_row_s_id_finds_its_answer(tmp_path: Path) -> None:
    file = tmp_path / "answers.jsonl"
    lines = [
        {"id": "a", "text": "old"},
        {"id": "a", "text": GOOD},
        {"id": 2, "text": GOOD.replace("true", "false")},
    ]
    file.write_text("\n\n".join(map(json.dumps, lines)), encoding="utf-8")
    model = recorded(file)
    assert judge(model, {"outputs": "x", "id": "a"})["score"] is True
    assert ajudge(model, {"outputs": "y", "id": 2})["score"] is False
    with pytest.raises(ModelError, match="no answer to this request") as caught:
        judge(model, {"outputs": "x", "id": "b"})
    assert caught.value.attempts == 1


@pytest.mark.parametrize("line", ["not json", "[1]", "{}", '{"id": "a", "usage": {"x": 1}}', "null"])
def test_a_line_that_is_no_answer_is_named(line: str, tmp_path: Path) -> None:
    file = tmp_path / "answers.jsonl"
    file.write_text(f'{{"id": "a", "text": "x"}}\n{line}\n')
    with pytest.raises(DataError, match="line 2"):
        recorded(file)


def test_a_missing_recording_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"nowhere\.jsonl"):
        recorded(tmp_path / "nowhere.jsonl")


# --- the reference matcher --------------------------------------------------------------------------------


@pytest.mark.parametrize("ask", [judge, ajudge])
@pytest.mark.parametrize(
    ("reference", "score"),
    [("Paris", True), ("Berlin", False), (["Berlin", "Paris"], True)],
)
def test_the_matcher_needs_no_model(ask: Any, reference: Any, score: bool) -> None:
    model = judgekit.connect("embedded:match")
    item = {"inputs": "Capital of France?", "outputs": "Paris", "reference_outputs": reference}
    result = ask(model, item)
    assert result["score"] is score
    assert result["comment"]
    assert result["metadata"]["model"] == "embedded:match"


def test_what_the_matcher_cannot_tell_is_no_score() -> None:
    item = {"outputs": "Yes and no.", "reference_outputs": "Yes"}
    with pytest.raises(ParseError) as caught:
        judge(judgekit.connect("embedded:match"), item)
    assert (caught.value.code, caught.value.attempts) == ("cannot_tell", 1)


def test_the_matcher_says_what_it_needs() -> None:
    model = judgekit.connect("embedded:match")
    with pytest.raises(PromptError, match="reference"):
        judge(model)
    for settings in ({"continuous": True}, {"choices": [0, 1]}):
        with pytest.raises(ConfigError, match="right or wrong"):
            judge(model, {"outputs": "x", "reference_outputs": "x"}, **settings)
