"""Judges as Phoenix's evaluators."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from judgekit.adapters.phoenix import phoenix_evaluator
from judgekit.errors import ParseError
from judgekit.evaluators.base import Evaluator
from tests.adapters.judges import FAILS, GOOD, awaited, judge, several, shown

pytest.importorskip("phoenix.evals")
pytestmark = pytest.mark.filterwarnings("ignore")  # of Phoenix's own making

ROW = {"inputs": "2+2", "outputs": "four", "reference_outputs": "4"}


@pytest.mark.parametrize("make", [judge, awaited])
def test_a_verdict_is_a_score(make: Callable[..., Evaluator]) -> None:
    given = make(GOOD)
    evaluator = phoenix_evaluator(given)
    (found,) = evaluator.evaluate(ROW)
    (again,) = asyncio.run(evaluator.async_evaluate(ROW))
    assert (found.name, found.score, found.explanation) == ("correctness", 1.0, "as it should be")
    assert (again.name, again.score) == ("correctness", 1.0)
    assert found.metadata["model"] == "scripted"
    assert shown(given) == ["Q 2+2 A four R 4"] * 2


def test_numbers_are_scores_and_texts_labels() -> None:
    found = phoenix_evaluator(several).evaluate({"inputs": "2+2", "outputs": "four"})
    assert [(each.name, each.score, each.label) for each in found] == [
        ("length", 4.0, None),
        ("kind", None, "text"),
    ]


def test_a_failure_raises() -> None:
    with pytest.raises(ParseError):
        phoenix_evaluator(judge(FAILS)).evaluate(ROW)


def test_a_data_frame_is_scored_and_its_failures_are_told() -> None:
    import pandas as pd
    from phoenix.evals import bind_evaluator, evaluate_dataframe

    frame = pd.DataFrame([{"q": "2+2", "outputs": "four", "right": "4"}])
    mapping: Any = {"inputs": "q", "reference_outputs": "right"}

    def evaluated(given: Any) -> Any:
        bound = bind_evaluator(evaluator=phoenix_evaluator(given), input_mapping=mapping)
        return evaluate_dataframe(frame, [bound], hide_tqdm_bar=True, max_retries=0).iloc[0]

    good, bad = evaluated(judge(GOOD)), evaluated(judge(FAILS))
    assert good["correctness_score"]["score"] == 1.0
    assert "correctness_score" not in bad
    assert "cannot be read" in str(bad["correctness_execution_details"])
