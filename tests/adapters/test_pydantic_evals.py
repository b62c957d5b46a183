"""Judges in pydantic-evals, and its evaluators in judgekit."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

import judgekit
from judgekit.adapters.pydantic_evals import from_pydantic_evals, pydantic_evaluator
from judgekit.evaluators.base import Evaluator
from tests.adapters.judges import FAILS, GOOD, awaited, judge, several, shown

pytest.importorskip("pydantic_evals")


def report(*evaluators: Any) -> Any:
    from pydantic_evals import Case, Dataset

    case: Any = Case(name="sum", inputs="2+2", expected_output="4", metadata={"level": "easy"})
    dataset: Any = Dataset(name="sums", cases=[case], evaluators=list(evaluators))
    # `evaluate_sync` would leave its event loop open
    return asyncio.run(dataset.evaluate(lambda inputs: "four", progress=False))


@pytest.mark.parametrize("make", [judge, awaited])
def test_a_verdict_is_an_assertion_with_its_reason(make: Callable[..., Evaluator]) -> None:
    given = make(GOOD)
    (case,) = report(pydantic_evaluator(given)).cases
    found = case.assertions["correctness"]
    assert (found.value, found.reason) == (True, "as it should be")
    assert shown(given) == ["Q 2+2 A four R 4"]


def test_numbers_are_scores_and_texts_are_labels() -> None:
    (case,) = report(pydantic_evaluator(several)).cases
    assert case.scores["length"].value == 4
    assert (case.labels["kind"].value, case.labels["kind"].reason) == ("text", "it is one")


def test_a_failure_is_an_evaluator_failure_and_the_others_go_on() -> None:
    (case,) = report(pydantic_evaluator(judge(FAILS)), pydantic_evaluator(several)).cases
    (failure,) = case.evaluator_failures
    assert (failure.name, failure.error_type) == ("correctness", "ParseError")
    assert not case.assertions
    assert case.scores["length"].value == 4


def test_its_evaluators_run_in_judgekit() -> None:
    from pydantic_evals.evaluators import EqualsExpected

    found = judgekit.evaluate(
        None,
        [{"inputs": "2+2", "outputs": "4", "reference_outputs": answer} for answer in ("4", "5")],
        from_pydantic_evals(EqualsExpected()),
        store=None,
        progress=False,
    )
    assert [(score.key, score.score) for row in found for score in row.scores] == [
        ("EqualsExpected", True),
        ("EqualsExpected", False),
    ]


def test_a_reason_becomes_the_comment() -> None:
    from dataclasses import dataclass

    from pydantic_evals.evaluators import EvaluationReason, EvaluatorContext
    from pydantic_evals.evaluators import Evaluator as TheirEvaluator

    @dataclass
    class Level(TheirEvaluator):
        def evaluate(self, ctx: EvaluatorContext) -> dict[str, EvaluationReason]:
            return {"level": EvaluationReason(str((ctx.metadata or {})["level"]), "the metadata says so")}

    found = asyncio.run(from_pydantic_evals(Level())(outputs="4", metadata={"level": "easy"}))
    assert found == [{"key": "level", "score": "easy", "comment": "the metadata says so", "metadata": None}]
