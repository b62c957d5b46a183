"""Judges in MLflow's evaluation, on a tracking store of the test's own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from judgekit.adapters.mlflow import mlflow_scorer
from judgekit.evaluators.base import Evaluator
from tests.adapters.judges import FAILS, GOOD, awaited, judge, several, shown

pytestmark = pytest.mark.filterwarnings("ignore")  # of MLflow's own making


@pytest.fixture(autouse=True)
def mlflow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MLFLOW_DISABLE_TELEMETRY", "true")
    monkeypatch.setenv("MLFLOW_TRACKING_URI", f"sqlite:///{tmp_path}/runs.db")
    pytest.importorskip("mlflow.genai")
    import mlflow

    return mlflow


def row(right: str = "4") -> dict[str, Any]:
    return {"inputs": {"q": "2+2"}, "outputs": "four", "expectations": {"expected_response": right}}


@pytest.mark.parametrize("make", [judge, awaited])
def test_a_verdict_is_a_feedback(mlflow: Any, make: Callable[..., Evaluator]) -> None:
    given = make(GOOD)
    (found,) = mlflow_scorer(given)(**row())
    assert (found.name, found.value, found.rationale) == ("correctness", True, "as it should be")
    assert found.metadata["model"] == "scripted"
    (prompt,) = shown(given)
    assert "2+2" in prompt
    assert prompt.endswith("A four R 4")


def test_an_evaluation_has_the_means_and_keeps_failures_apart(mlflow: Any) -> None:
    scorers = [mlflow_scorer(judge(GOOD)), mlflow_scorer(several)]
    found = mlflow.genai.evaluate(data=[row(), row("5")], scorers=scorers)
    assert found.metrics["correctness/mean"] == 1.0
    assert found.metrics["length/mean"] == 4.0
    failed = mlflow.genai.evaluate(data=[row()], scorers=[mlflow_scorer(judge(FAILS))])
    assert "correctness/mean" not in failed.metrics
    (assessment,) = [
        each for each in failed.result_df["assessments"][0] if each["assessment_name"] == "correctness"
    ]
    assert "no_json" in str(assessment)
    assert assessment["feedback"].get("value") is None
