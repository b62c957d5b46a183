"""What a run over a dataset returns: rows, feedback, failures, a DataFrame; and evaluators of every kind."""

from __future__ import annotations

import asyncio
import copy
import pickle
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import pytest

from judgekit.langchain import StringEvaluator
from judgekit.langchain.smith import Feedback, RunEvalConfig, TestResult, arun_on_dataset, run_on_dataset
from judgekit.models.scripted import scripted

ROWS = [
    {"id": f"e{n}", "inputs": {"question": f"{n}?"}, "outputs": {"answer": str(n)}, "metadata": {"n": n}}
    for n in range(3)
]


def app(inputs: dict[str, str]) -> str:
    if inputs["question"] == "1?":
        raise ValueError("I do not know")
    return inputs["question"].rstrip("?")


class Same(StringEvaluator):
    @property
    def requires_reference(self) -> bool:
        return True

    @property
    def evaluation_name(self) -> str:
        return "same"

    def _evaluate_strings(
        self,
        prediction: Any,
        reference: Any = None,
        input: Any = None,  # noqa: A002  # LangChain's name for it
        **kwargs: Any,
    ) -> dict[str, Any]:
        assert input is None
        return {"score": prediction == reference}


def by_name(run: Any, example: Any) -> dict[str, Any]:
    return {"key": "by_name", "score": run.outputs["output"] == example.outputs["answer"], "comment": "seen"}


def by_place(first: Any, second: Any) -> dict[str, Any]:
    return {"score": float(first.outputs["output"]), "key": "place", "value": second.metadata["n"]}


def by_value(outputs: Any, reference_outputs: Any) -> bool:
    return bool(outputs == reference_outputs["answer"])


async def awaited(run: Any, example: Any) -> str:
    await asyncio.sleep(0)
    return "even" if int(example.outputs["answer"]) % 2 == 0 else "odd"


def broken(run: Any, example: Any) -> None:
    raise RuntimeError("out of order")


class Rater:
    def evaluate_run(
        self, run: Any, example: Any = None, evaluator_run_id: Any = None
    ) -> SimpleNamespace | dict[str, Any]:
        return {"key": "rated", "score": 0.5}


def count(runs: Any, examples: Any) -> dict[str, Any]:
    assert [run.reference_example_id for run in runs] == [example.id for example in examples]
    return {"key": "known", "score": sum(run.error is None for run in runs) / len(examples)}


def lost(a: Any, b: Any) -> None:
    raise RuntimeError("no metric")


def rows_seen(rows: Any) -> int:
    return len(rows)


JUDGE = scripted({"reasoning": "Because.", "score": "Y"})
CONFIG = RunEvalConfig(
    evaluators=[RunEvalConfig.Criteria("helpfulness"), by_name, by_place, by_value, awaited, Rater()],
    custom_evaluators=[Same(), broken],
    batch_evaluators=[count, lost, rows_seen],
    eval_llm=JUDGE,
)


@pytest.fixture(scope="module")
def result() -> TestResult:
    return run_on_dataset(None, ROWS, app, evaluation=CONFIG, store=None)


def test_a_row(result: TestResult) -> None:
    assert list(result) == ["project_name", "results", "aggregate_metrics"]
    row = result["results"]["e2"]
    assert set(row) == {"input", "feedback", "execution_time", "run_id", "output", "reference"}
    assert (row["input"], row["output"], row["reference"]) == ({"question": "2?"}, "2", {"answer": "2"})
    assert 0 <= row["execution_time"] < 60
    found = {each.key: each for each in row["feedback"]}
    assert found["helpfulness"] == Feedback("helpfulness", 1, "Y", "Because.")
    assert found["by_name"] == Feedback("by_name", True, None, "seen")
    assert found["place"] == Feedback("place", 2.0, "2", None)
    assert found["by_value"] == Feedback("by_value", True)
    assert found["awaited"] == Feedback("awaited", None, "even")
    assert found["rated"] == Feedback("rated", 0.5)
    assert found["same"] == Feedback("same", True)


def test_a_failing_evaluator_is_feedback_without_a_score(result: TestResult) -> None:
    (failed,) = [each for each in result["results"]["e0"]["feedback"] if each.error]
    assert (failed.key, failed.score, failed.value) == ("broken", None, None)
    assert failed.comment == "out of order [RuntimeError]"
    assert (failed.error.code, failed.error.source) == ("RuntimeError", "broken")


def test_a_failing_application_is_a_row_with_an_error_and_no_feedback(result: TestResult) -> None:
    row = result["results"]["e1"]
    assert "output" not in row
    assert (row["Error"].code, row["Error"].message, row["feedback"]) == ("ValueError", "I do not know", [])


def test_batch_evaluators_and_their_failures(result: TestResult) -> None:
    found = {each.key: each for each in result["aggregate_metrics"]}
    assert found["known"].score == pytest.approx(2 / 3)
    assert found["rows_seen"].score == 3
    assert found["lost"].error.code == "RuntimeError"


def test_the_frame_has_langchain_s_columns_and_what_they_leave_out(result: TestResult) -> None:
    frame = result.to_dataframe()
    assert list(frame.index) == ["e0", "e1", "e2"]
    assert {
        "inputs.question",
        "output",
        "reference.answer",
        "feedback.same",
        "error",
        "execution_time",
        "run_id",
    } <= set(frame.columns)
    line = frame.loc["e2"]
    assert (line["feedback.helpfulness"], line["value.helpfulness"], line["comment.helpfulness"]) == (
        1,
        "Y",
        "Because.",
    )
    assert line["feedback.awaited"] == "even"
    assert line["feedback_error.broken"] == "out of order [RuntimeError]"
    assert frame.loc["e1", "error"] == "I do not know [ValueError]"


def test_the_aggregate_counts_true_as_one(result: TestResult) -> None:
    found = result.get_aggregate_feedback()
    assert found.loc["mean", "feedback.by_name"] == 1
    assert found.loc["count", "feedback.helpfulness"] == 2
    assert found.loc["top", "feedback.awaited"] == "even"
    assert found.loc["count", "error"] == 1
    assert [
        name for name in found.columns if name.startswith(("inputs", "output", "reference", "comment"))
    ] == []


def test_texts_without_keys_have_columns_of_one_name() -> None:
    rows = [{"inputs": "1?", "outputs": "1"}, {"inputs": "2?"}]
    frame = run_on_dataset(None, rows, lambda inputs: {"a": 1, "b": 2}, store=None).to_dataframe()
    assert list(frame.columns) == [
        "input", "outputs.a", "outputs.b", "reference", "error", "execution_time", "run_id",
    ]  # fmt: skip


def test_two_evaluators_of_one_name_keep_both_scores() -> None:
    config = RunEvalConfig(
        evaluators=[
            RunEvalConfig.ExactMatch(prediction_key="a"),
            RunEvalConfig.ExactMatch(prediction_key="b"),
        ]
    )
    result = run_on_dataset(
        None, ROWS[:1], lambda inputs: {"a": "0", "b": "1"}, evaluation=config, store=None
    )
    assert {each.key: each.score for each in result["results"]["e0"]["feedback"]} == {
        "exact_match": 1,
        "exact_match_2": 0,
    }


def test_the_run_is_judgekit_s_and_the_result_can_be_kept(result: TestResult) -> None:
    assert result.run.check("same >= 1").passed
    assert isinstance(result, Mapping)
    again = pickle.loads(pickle.dumps(result))
    assert again == result == copy.deepcopy(result)
    assert again.run.name == result["project_name"]


def test_awaited_it_is_the_same(result: TestResult) -> None:
    again = asyncio.run(arun_on_dataset(None, ROWS, app, evaluation=CONFIG, store=None))
    assert {name: row["feedback"] for name, row in again["results"].items()} == {
        name: row["feedback"] for name, row in result["results"].items()
    }


STEPS = [(SimpleNamespace(tool="search", tool_input={"q": "Rome"}), "22 degrees")]
SAID = [{"role": "user", "content": "Warm?"}, {"role": "assistant", "content": "Yes, 22."}]


@pytest.mark.parametrize(
    ("outputs", "settings"),
    [
        ({"output": "Yes, 22.", "intermediate_steps": STEPS}, {}),
        ({"messages": SAID}, {"trajectory_key": "messages"}),
    ],
)
def test_a_trajectory(outputs: Any, settings: dict[str, Any]) -> None:
    judge = scripted({"reasoning": "Short.", "score": 5})
    config = RunEvalConfig(evaluators=[RunEvalConfig.Trajectory(llm=judge, **settings)])
    rows = [{"inputs": {"question": "Warm?"}, "outputs": {"answer": "22 degrees"}}]
    result = run_on_dataset(None, rows, lambda inputs: outputs, evaluation=config, store=None)
    (feedback,) = result["results"]["0"]["feedback"]
    assert (feedback.score, feedback.error) == (1, None)
    assert "Yes, 22." in str(judge.client.requests[0])


def test_a_trajectory_that_is_not_there_is_said() -> None:
    config = RunEvalConfig(evaluators=[RunEvalConfig.Trajectory(llm=JUDGE)])
    (feedback,) = run_on_dataset(None, ROWS[:1], app, evaluation=config, store=None)["results"]["e0"][
        "feedback"
    ]
    assert "trajectory_key is 'intermediate_steps', but the application's outputs are str" in feedback.comment
