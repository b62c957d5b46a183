"""`run_on_dataset`: what is run, in which form it gets its inputs, and where failures show."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import judgekit
from judgekit.errors import ConfigError, DataError
from judgekit.langchain.smith import (
    InputFormatError,
    RunEvalConfig,
    TestResult,
    arun_on_dataset,
    run_on_dataset,
)
from judgekit.models.scripted import scripted
from judgekit.runner.records import Example

ROWS = [{"id": f"e{n}", "inputs": {"question": f"{n}?"}, "outputs": {"answer": str(n)}} for n in range(4)]
EXACT = RunEvalConfig(evaluators=["exact_match"])


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def echo(inputs: dict[str, Any]) -> str:
    return str(inputs["question"].rstrip("?"))


async def aecho(inputs: dict[str, Any]) -> dict[str, str]:
    return {"output": echo(inputs)}


def arun(*given: Any, **named: Any) -> TestResult:
    return asyncio.run(arun_on_dataset(*given, **named))


BOTH = pytest.mark.parametrize("run", [run_on_dataset, arun])
Run = Callable[..., TestResult]


def scores(result: TestResult, key: str = "exact_match") -> list[Any]:
    found = [{each.key: each for each in row["feedback"]} for row in result["results"].values()]
    return [row[key].score if key in row else None for row in found]


def chat(*answers: str) -> Any:
    from langchain_core.language_models.fake_chat_models import FakeListChatModel

    return FakeListChatModel(responses=list(answers))


def completion(answer: str) -> Any:
    from langchain_core.language_models.fake import FakeListLLM

    return FakeListLLM(responses=[answer])


def runnable(function: Callable[[Any], Any]) -> Any:
    from langchain_core.runnables import RunnableLambda

    return RunnableLambda(function)


class Echo:
    def __init__(self, mark: str = "") -> None:
        self.mark = mark

    def invoke(self, inputs: dict[str, Any]) -> str:
        return echo(inputs)


TARGETS: dict[str, Callable[[], Any]] = {
    "function": lambda: echo,
    "async function": lambda: aecho,
    "runnable": lambda: runnable(echo),
    "constructor of a runnable": lambda: lambda: runnable(echo),
    "constructor of a function": lambda: lambda mark="": echo,
    "class": lambda: Echo,
    "object with invoke alone": Echo,
    "function with defaults alone": lambda: lambda inputs=None: echo(inputs),
}


@BOTH
@pytest.mark.parametrize("kind", TARGETS)
def test_whatever_can_answer_is_run(run: Run, kind: str) -> None:
    result = run(None, ROWS, TARGETS[kind](), evaluation=EXACT, store=None)
    assert scores(result) == [1, 1, 1, 1]
    assert list(result["results"]) == ["e0", "e1", "e2", "e3"]


@BOTH
@pytest.mark.parametrize("make", [chat, completion])
def test_models_get_the_only_input_and_answer_a_text_to_judge(run: Run, make: Callable[..., Any]) -> None:
    for target in (make("2"), lambda: make("2"), make("2").bind(stop=["."])):
        assert scores(run(None, ROWS, target, evaluation=EXACT, store=None)) == [0, 0, 1, 0]


def test_an_async_constructor_is_awaited_by_both() -> None:
    async def make() -> Any:
        return runnable(echo)

    assert scores(run_on_dataset(None, ROWS, make, evaluation=EXACT, store=None)) == [1] * 4
    assert scores(arun(None, ROWS, make, evaluation=EXACT, store=None)) == [1] * 4


@BOTH
def test_a_constructor_is_called_once_for_each_example_and_never_otherwise(run: Run) -> None:
    made: list[object] = []

    def make() -> Any:
        made.append(object())
        return runnable(echo)

    run(None, ROWS, make, store=None)
    assert len(made) == len(ROWS)


def test_what_a_constructor_may_return_is_said_in_the_row() -> None:
    row = run_on_dataset(None, ROWS[:1], lambda: "text", store=None)["results"]["e0"]
    assert "it has to return a model, a chain or a function" in row["Error"].message


MESSAGES = [{"type": "human", "data": {"content": "hi"}}]


@pytest.mark.parametrize(
    "inputs",
    [
        {"messages": MESSAGES},
        {"input": MESSAGES, "other": 1},
        {"own": [MESSAGES]},
        {"own": [{"role": "user", "content": "hi"}]},
        {"own": "hi"},
        "hi",
    ],
)
def test_messages_of_any_form_reach_a_chat_model(inputs: Any) -> None:
    result = run_on_dataset(None, [{"inputs": inputs}], chat("yes"), store=None)
    assert result["results"]["0"]["output"] == {"role": "assistant", "content": "yes"}


@pytest.mark.parametrize("make", [chat, completion])
@pytest.mark.parametrize("inputs", [{"a": "1", "b": "2"}, {"a": 1}, {"messages": [MESSAGES, MESSAGES]}, {}])
def test_inputs_that_are_no_prompt_are_refused_before_anything_is_run(
    make: Callable[..., Any], inputs: Any, home: Path
) -> None:
    with pytest.raises(InputFormatError, match="model takes"):
        run_on_dataset(None, [{"inputs": inputs}], make("yes"))
    assert list(home.iterdir()) == []


def test_a_message_s_text_is_judged_and_its_tool_calls_are_kept() -> None:
    from langchain_core.messages import AIMessage

    call = {"name": "look", "args": {}, "id": "1"}
    answer = AIMessage([{"type": "text", "text": "0"}], tool_calls=[call])
    result = run_on_dataset(None, ROWS[:1], runnable(lambda _: answer), evaluation=EXACT, store=None)
    assert scores(result) == [1]
    assert result["results"]["e0"]["output"]["tool_calls"][0]["function"]["name"] == "look"


@pytest.mark.parametrize("given", [3, "gpt-4", {"a": 1}, print])
def test_what_cannot_answer_is_refused(given: Any) -> None:
    if given is print:  # it needs no argument, so it makes something; and says what it made
        row = run_on_dataset(None, ROWS[:1], given, store=None)["results"]["e0"]
        assert "NoneType" in row["Error"].message
        return
    with pytest.raises(ConfigError, match="llm_or_chain_factory"):
        run_on_dataset(None, ROWS, given)


def test_a_chain_with_a_memory_is_refused() -> None:
    chain = SimpleNamespace(invoke=echo, memory=object())
    with pytest.raises(ConfigError, match="pass a function that makes the chain anew"):
        run_on_dataset(None, ROWS, chain)


# Keys

SEVERAL = [{"inputs": {"q": "1?", "about": "zebras"}, "outputs": {"a": "1", "b": "2"}}]


def two(inputs: dict[str, str]) -> dict[str, str]:
    return {"text": "1", "other": "2"}


def test_keys_of_the_run_and_of_one_evaluator() -> None:
    judge = scripted({"reasoning": "deep", "score": "Y"})
    config = RunEvalConfig(
        evaluators=[
            "exact_match",
            RunEvalConfig.StringDistance(prediction_key="other", reference_key="b", distance="levenshtein"),
            RunEvalConfig.Criteria("depth"),
        ],
        prediction_key="text",
        reference_key="a",
        input_key="q",
        eval_llm=judge,
    )
    result = run_on_dataset(None, SEVERAL, two, evaluation=config, store=None)
    assert scores(result) == [1]
    assert scores(result, "levenshtein_distance") == [0]
    assert scores(result, "depth") == [1]
    (request,) = judge.client.requests
    assert "1?" in str(request)
    assert "zebras" not in str(request)


WRONG_KEYS: dict[str, Any] = {
    "reference_key is 'zz', but the example's reference outputs have the keys 'a', 'b'": {
        "evaluators": ["exact_match"],
        "reference_key": "zz",
    },
    "say with reference_key which of them": {"evaluators": ["exact_match"]},
    "say with input_key which of them": {
        "evaluators": [RunEvalConfig.Criteria("depth", llm=scripted("unused"))]
    },
    "input_key is 'zz'": {"evaluators": [RunEvalConfig.JsonValidity(input_key="zz")]},
}


@pytest.mark.parametrize("message", WRONG_KEYS)
@BOTH
def test_wrong_keys_are_told_before_anything_is_run_or_made(run: Run, message: str, home: Path) -> None:
    asked: list[object] = []
    with pytest.raises(InputFormatError) as caught:
        run(
            None,
            SEVERAL,
            lambda inputs: asked.append(inputs),
            evaluation=RunEvalConfig(**WRONG_KEYS[message]),
        )
    assert message in str(caught.value)
    assert asked == list(home.iterdir()) == []


def test_a_reference_that_is_missing_is_told_before_anything_is_run() -> None:
    with pytest.raises(InputFormatError, match="exact_match needs a reference"):
        run_on_dataset(None, [{"inputs": "1"}], echo, evaluation=EXACT)


def test_a_prediction_that_is_ambiguous_is_feedback_with_an_error() -> None:
    config = RunEvalConfig(evaluators=["exact_match", "json_validity"], reference_key="a")
    feedback = run_on_dataset(None, SEVERAL, two, evaluation=config, store=None)["results"]["0"]["feedback"]
    assert [each.score for each in feedback] == [None, None]
    assert "say with prediction_key" in feedback[0].comment
    assert feedback[0].error.code == "bad_row"


def test_an_evaluator_that_needs_no_input_does_not_ask_which_it_is() -> None:
    config = RunEvalConfig(evaluators=["json_validity"])
    assert scores(
        run_on_dataset(None, SEVERAL, lambda inputs: "1", evaluation=config, store=None), "json_validity"
    ) == [1]


# Data


class Client:
    """What a run asks of LangSmith's client."""

    def __init__(self) -> None:
        self.asked: dict[str, Any] = {}

    def read_dataset(self, *, dataset_name: str) -> Any:
        return SimpleNamespace(id=f"id of {dataset_name}")

    def list_examples(self, **asked: Any) -> Iterator[Any]:
        self.asked = asked
        for row in ROWS:
            yield SimpleNamespace(**{**row, "outputs": None}, reference_outputs=row["outputs"])

    def create_project(self, *_: Any, **__: Any) -> None:
        raise AssertionError("nothing is written to an account")


@BOTH
def test_a_client_is_asked_for_the_examples_alone(run: Run) -> None:
    client = Client()
    result = run(client, "mine", echo, evaluation=EXACT, dataset_version="v1", store=None)
    assert client.asked == {"dataset_id": "id of mine", "as_of": "v1"}
    assert scores(result) == [1] * 4
    run(client, "mine", echo, store=None)
    assert client.asked == {"dataset_id": "id of mine"}


def test_langsmith_s_examples() -> None:
    from datetime import UTC, datetime
    from uuid import UUID

    from langsmith.schemas import Example as Theirs

    known = UUID(int=7)
    given = Theirs(
        id=known,
        inputs={"question": "1?"},
        outputs={"answer": "1"},
        dataset_id=known,
        created_at=datetime.now(UTC),
    )

    def same(run: Any, example: Any) -> bool:
        return example is given and run.reference_example_id == str(known)

    config = RunEvalConfig(evaluators=["exact_match", same])
    result = run_on_dataset(None, [given], echo, evaluation=config, store=None)
    assert list(result["results"]) == [str(known)]
    assert (scores(result), scores(result, "same")) == ([1], [True])


def test_a_file_and_examples(home: Path) -> None:
    (home / "rows.jsonl").write_text("\n".join(map(json.dumps, ROWS)), encoding="utf-8")
    for data in ("rows.jsonl", Path("rows.jsonl")):
        assert scores(run_on_dataset(None, data, echo, evaluation=EXACT, store=None)) == [1] * 4
    example = Example(0, "x", {"question": "1?"}, reference_outputs="1")
    assert scores(run_on_dataset(None, iter([example]), echo, evaluation=EXACT, store=None)) == [1]


@pytest.mark.parametrize(
    ("data", "version", "message"),
    [
        ([], None, "no rows"),
        ("no_such_dataset", None, "also give its client"),
        ([{"question": "1?"}], None, "no `inputs`"),
        (ROWS, "v1", "dataset_version is for"),
    ],
)
def test_data_that_cannot_be_run(data: Any, version: Any, message: str, home: Path) -> None:
    with pytest.raises((ConfigError, DataError), match=message):
        run_on_dataset(None, data, echo, dataset_version=version)
    assert list(home.iterdir()) == []


def test_another_library_s_configuration_is_refused() -> None:
    given: Any = {"evaluators": ["qa"]}
    with pytest.raises(ConfigError, match="evaluation is dict"):
        run_on_dataset(None, ROWS, echo, evaluation=given)


# The store


def test_a_run_is_kept_under_its_name_and_a_second_one_needs_another(home: Path) -> None:
    options: dict[str, Any] = {
        "project_name": "first",
        "project_metadata": {"prompt": "v2"},
        "revision_id": "r1",
    }
    result = run_on_dataset(None, ROWS, echo, evaluation=EXACT, **options)
    kept = judgekit.load("first")
    assert result["project_name"] == result.run.name == "first"
    assert (kept.metadata["prompt"], kept.metadata["revision_id"]) == ("v2", "r1")
    assert [row.id for row in kept] == ["e0", "e1", "e2", "e3"]
    with pytest.raises(ConfigError, match="another name"):
        run_on_dataset(None, ROWS, echo, evaluation=EXACT, **options)
    again = run_on_dataset(None, ROWS, lambda inputs: 1 / 0, evaluation=EXACT, resume=True, **options)
    assert scores(again) == [1] * 4


def test_at_most_so_many_at_a_time_and_verbose(capsys: pytest.CaptureFixture[str]) -> None:
    running, most = 0, 0

    async def counted(inputs: Any) -> str:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0.01)
        running -= 1
        return echo(inputs)

    run_on_dataset(None, ROWS, counted, evaluation=EXACT, concurrency_level=2, store=None, verbose=True)
    assert most == 2
    assert "exact_match" in capsys.readouterr().out
    run_on_dataset(None, ROWS, counted, concurrency_level=0, store=None)
    assert capsys.readouterr().out == ""
