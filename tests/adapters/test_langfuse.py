"""Judges in Langfuse's experiments, with tracing off."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import pytest

from judgekit.adapters.langfuse import langfuse_evaluator
from judgekit.evaluators.base import Evaluator
from tests.adapters.judges import FAILS, GOOD, awaited, judge, several, shown

pytest.importorskip("langfuse")


def evaluations(*evaluators: Any) -> Any:
    from langfuse import Langfuse

    client = Langfuse(
        public_key="unused", secret_key="unused", host="http://127.0.0.1:9", tracing_enabled=False
    )
    rows: list[Any] = [{"input": "2+2", "expected_output": "4", "metadata": {"level": "easy"}}]
    found = client.run_experiment(
        name="sums",
        data=rows,
        task=lambda *, item, **_: "four",
        evaluators=list(evaluators),
    )
    client.shutdown()
    return found.item_results[0].evaluations


@pytest.mark.parametrize("make", [judge, awaited])
def test_a_verdict_is_an_evaluation(make: Callable[..., Evaluator]) -> None:
    given = make(GOOD)
    (found,) = evaluations(langfuse_evaluator(given))
    assert (found.name, found.value, found.comment) == ("correctness", True, "as it should be")
    assert found.data_type == "BOOLEAN"
    assert found.metadata["model"] == "scripted"
    assert shown(given) == ["Q 2+2 A four R 4"]


def test_every_score_is_an_evaluation_of_its_type() -> None:
    found = evaluations(langfuse_evaluator(several))
    assert [(each.name, each.value, each.data_type) for each in found] == [
        ("length", 4, "NUMERIC"),
        ("kind", "text", "CATEGORICAL"),
    ]


def test_a_failure_is_logged_and_is_no_evaluation(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR, "langfuse"):
        assert evaluations(langfuse_evaluator(judge(FAILS))) == []
    assert "[no_json, 3 attempts]" in caplog.text
