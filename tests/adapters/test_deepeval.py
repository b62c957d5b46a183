"""Judges as DeepEval's metrics, and those metrics in judgekit."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import judgekit
from judgekit.adapters.deepeval import deepeval_metric, from_deepeval
from judgekit.errors import ConfigError, ParseError
from judgekit.evaluators.base import Evaluator
from tests.adapters.judges import FAILS, GOOD, awaited, judge, shown

pytestmark = pytest.mark.filterwarnings("ignore")  # of DeepEval's own making


@pytest.fixture(autouse=True)
def deepeval(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """DeepEval, which reports nothing and writes nowhere but into the test's directory."""
    monkeypatch.chdir(tmp_path)
    for name in ("DEEPEVAL_TELEMETRY_OPT_OUT", "DEEPEVAL_NO_INSPECT_PROMPT", "DEEPEVAL_DISABLE_DOTENV"):
        monkeypatch.setenv(name, "1")
    return pytest.importorskip("deepeval")


def case(question: str = "2+2", **fields: Any) -> Any:
    from deepeval.test_case import LLMTestCase

    return LLMTestCase(input=question, actual_output="four", expected_output="4", **fields)


def evaluated(deepeval: Any, metric: Any, *, ignore_errors: bool = False) -> list[Any]:
    from deepeval.evaluate.configs import AsyncConfig, CacheConfig, DisplayConfig, ErrorConfig

    found = deepeval.evaluate(
        [case("2+2"), case("3+3")],
        [metric],
        async_config=AsyncConfig(max_concurrent=2),
        display_config=DisplayConfig(show_indicator=False, print_results=False, inspect_after_run=False),
        cache_config=CacheConfig(write_cache=False),
        error_config=ErrorConfig(ignore_errors=ignore_errors),
    )
    return [data for result in found.test_results for data in result.metrics_data]


@pytest.mark.parametrize("make", [judge, awaited])
def test_a_judge_measures(make: Callable[..., Evaluator]) -> None:
    given = make(GOOD)
    metric = deepeval_metric(given)
    assert metric.measure(case()) == asyncio.run(metric.a_measure(case())) == 1.0
    assert (metric.__name__, metric.reason, metric.is_successful()) == (
        "correctness",
        "as it should be",
        True,
    )
    assert metric.score_breakdown["model"] == "scripted"
    assert shown(given) == ["Q 2+2 A four R 4"] * 2


def test_each_test_case_has_its_own_score(deepeval: Any) -> None:
    found = evaluated(deepeval, deepeval_metric(judge(GOOD, {**GOOD, "score": False})))
    assert sorted((data.score, data.success) for data in found) == [(0.0, False), (1.0, True)]
    assert {(data.name, data.error) for data in found} == {("correctness", None)}


def test_the_threshold_reaches_the_metric_of_each_test_case(deepeval: Any) -> None:
    half = judge({"reasoning": "so so", "score": 0.5}, continuous=True)
    assert [data.success for data in evaluated(deepeval, deepeval_metric(half, threshold=0.6))] == [False] * 2
    assert [data.success for data in evaluated(deepeval, deepeval_metric(half))] == [True] * 2


def test_a_failure_is_the_metrics_error(deepeval: Any) -> None:
    for data in evaluated(deepeval, deepeval_metric(judge(FAILS)), ignore_errors=True):
        assert (data.score, data.success) == (None, False)
        assert "no_json" in data.error


def test_a_failure_after_a_success_leaves_no_score() -> None:
    metric = deepeval_metric(judge(GOOD, FAILS))
    metric.measure(case())
    with pytest.raises(ParseError):
        metric.measure(case())
    assert (metric.score, metric.is_successful()) == (None, False)


def test_context_reaches_the_judge_and_labels_are_refused() -> None:
    seen: list[Any] = []

    @judgekit.evaluator
    def grade(retrieval_context: Any) -> str:
        seen.append(retrieval_context)
        return "good"

    with pytest.raises(ConfigError, match="map the judge's choices"):
        deepeval_metric(grade).measure(case(retrieval_context=["a page"]))
    assert seen == [["a page"]]


def test_its_metrics_run_in_judgekit() -> None:
    from deepeval.metrics import ExactMatchMetric

    exact = from_deepeval(ExactMatchMetric())
    rows = [{"inputs": "2+2", "outputs": "4", "reference_outputs": right} for right in ("4", "5")]
    found = judgekit.evaluate(None, rows, exact, store=None, progress=False)
    assert [score.score for row in found for score in row.scores] == [1.0, 0.0]
