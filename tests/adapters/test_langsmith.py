"""Judges in LangSmith's own runner, offline."""

from __future__ import annotations

import asyncio
import base64
import io
import uuid
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

import judgekit
from judgekit.adapters.langsmith import (
    langsmith_comparative_evaluator,
    langsmith_evaluator,
    langsmith_summary_evaluator,
)
from judgekit.errors import ConfigError
from judgekit.evaluators.base import Evaluator
from judgekit.models.scripted import scripted
from tests.adapters.judges import FAILS, GOOD, awaited, judge, several, shown

pytest.importorskip("langsmith")
pytestmark = pytest.mark.filterwarnings("ignore:'upload_runs' parameter is in beta")

Run = Callable[..., list[list[Any]]]


def settings(evaluators: list[Any]) -> dict[str, Any]:
    from langsmith import Client

    client = Client(api_url="http://127.0.0.1:9", api_key="unused", auto_batch_tracing=False)
    return {"evaluators": evaluators, "upload_results": False, "client": client}


def examples(**fields: Any) -> list[Any]:
    from langsmith.schemas import Example

    return [
        Example(id=uuid.uuid4(), inputs={"q": question}, outputs={"a": answer}, **fields)
        for question, answer in (("2+2", "4"), ("3+3", "6"))
    ]


def sync_run(*evaluators: Any, **fields: Any) -> list[list[Any]]:
    from langsmith import evaluate

    found = evaluate(lambda inputs: {"a": "4"}, data=examples(**fields), **settings(list(evaluators)))
    return [row["evaluation_results"]["results"] for row in found]


def async_run(*evaluators: Any, **fields: Any) -> list[list[Any]]:
    from langsmith import aevaluate

    async def target(inputs: dict[str, Any]) -> dict[str, Any]:
        return {"a": "4"}

    async def rows() -> list[list[Any]]:
        found = await aevaluate(target, data=examples(**fields), **settings(list(evaluators)))
        return [row["evaluation_results"]["results"] async for row in found]

    return asyncio.run(rows())


@pytest.fixture(params=[sync_run, async_run])
def run(request: pytest.FixtureRequest) -> Run:
    made: Run = request.param
    return made


@pytest.mark.parametrize("make", [judge, awaited])
@pytest.mark.parametrize("wrap", [lambda given: given, langsmith_evaluator], ids=["as it is", "adapted"])
def test_a_judge_scores_rows(run: Run, make: Callable[..., Evaluator], wrap: Callable[[Any], Any]) -> None:
    given = make(GOOD, {**GOOD, "score": False})
    rows = run(wrap(given))
    assert sorted(result.score for (result,) in rows) == [False, True]
    assert {(result.key, result.comment) for (result,) in rows} == {("correctness", "as it should be")}
    assert rows[0][0].metadata["model"] == "scripted"
    assert "2+2" in shown(given)[0]


@pytest.mark.parametrize("make", [judge, awaited])
def test_a_failure_is_langsmiths_own_error_result(run: Run, make: Callable[..., Evaluator]) -> None:
    for (result,) in run(langsmith_evaluator(make(FAILS))):
        assert (result.key, result.score, result.value) == ("correctness", None, None)
        assert result.extra == {"error": True}
        assert "ParseError" in result.comment


def test_a_failure_of_a_judge_as_it_is_gives_no_score(run: Run) -> None:
    assert run(judge(FAILS)) == [[], []]


def test_labels_are_values_and_results_may_be_several(run: Run) -> None:
    results = run(langsmith_evaluator(several))[0]
    assert [(result.key, result.score, result.value) for result in results] == [
        ("length", 10, None),
        ("kind", None, "text"),
    ]


def test_attachments_are_shown_to_the_judge(run: Run) -> None:
    given = judge()
    picture = {"presigned_url": "http://127.0.0.1:9", "reader": io.BytesIO(b"png"), "mime_type": "image/png"}
    run(langsmith_evaluator(given), attachments={"picture": picture})
    assert base64.b64encode(b"png").decode() in shown(given)[0]


def summary(evaluator: Any) -> Any:
    from langsmith import evaluate

    found = evaluate(
        lambda inputs: {"a": "4"}, data=examples(), summary_evaluators=[evaluator], **settings([])
    )
    (result,) = found._summary_results["results"]
    return result


def share(outputs: list[Any], reference_outputs: list[Any]) -> float:
    return sum(map(dict.__eq__, outputs, reference_outputs)) / len(outputs)


async def awaited_share(outputs: list[Any], reference_outputs: list[Any]) -> float:
    return share(outputs, reference_outputs)


@pytest.mark.parametrize("given", [share, judgekit.evaluator(share), awaited_share])
def test_a_summary_is_over_all_rows(given: Any) -> None:
    assert summary(langsmith_summary_evaluator(given)).score == 0.5


def test_a_summary_that_failed_says_why() -> None:
    found = summary(langsmith_summary_evaluator(judge(FAILS)))
    assert (found.key, found.score, found.extra) == ("correctness", None, {"error": True})
    assert "ParseError" in found.comment


def compared(verdict: Any) -> Any:
    from langsmith.evaluation.evaluator import comparison_evaluator

    which = judgekit.create_llm_as_judge(
        prompt="{inputs} {outputs}",
        feedback_key="better",
        judge=scripted(verdict),
        choices=["A", "B", "tie"],
    )
    runs: list[Any] = [SimpleNamespace(id=uuid.uuid4(), outputs={"a": answer}) for answer in ("4", "5")]
    found = comparison_evaluator(langsmith_comparative_evaluator(which)).compare_runs(runs, examples()[0])
    return found.key, [found.scores[run.id] for run in runs], found.comment


@pytest.mark.parametrize(("winner", "scores"), [("A", [1.0, 0.0]), ("B", [0.0, 1.0]), ("tie", [0.5, 0.5])])
def test_a_comparative_judge_names_the_winner(winner: str, scores: list[float]) -> None:
    assert compared({"reasoning": "so", "score": winner}) == ("better", scores, "so")


def test_a_comparison_that_failed_scores_nobody() -> None:
    key, scores, comment = compared(FAILS)
    assert (key, scores) == ("better", [None, None])
    assert "ParseError" in comment


def test_one_judge_at_a_time() -> None:
    with pytest.raises(ConfigError, match="One judge at a time"):
        langsmith_evaluator([judge(), judge()])
