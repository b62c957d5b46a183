"""Judges as metrics of Ragas."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

import judgekit
from judgekit.adapters.ragas import ragas_metric
from judgekit.evaluators.base import Evaluator
from tests.adapters.judges import FAILS, GOOD, awaited, judge, shown

pytestmark = pytest.mark.filterwarnings("ignore")  # of Ragas' own making

ROW = {"inputs": "2+2", "outputs": "four", "reference_outputs": "4"}


@pytest.fixture(autouse=True)
def ragas(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("RAGAS_DO_NOT_TRACK", "true")
    return pytest.importorskip("ragas")


@pytest.mark.parametrize("make", [judge, awaited])
def test_a_verdict_is_a_metric_result(make: Callable[..., Evaluator]) -> None:
    given = make(GOOD)
    metric = ragas_metric(given)
    found = asyncio.run(metric.ascore(**ROW))
    assert (metric.name, found.value, found.reason) == ("correctness", 1.0, "as it should be")
    assert shown(given) == ["Q 2+2 A four R 4"]


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (judge(FAILS), "no_json"),
        (judgekit.evaluator(lambda outputs: "good", key="grade"), "map the judge's choices"),
    ],
)
def test_a_failure_and_a_label_have_no_value(given: Any, reason: str) -> None:
    found = asyncio.run(ragas_metric(given).ascore(**ROW))
    assert found.value is None
    assert reason in found.reason
