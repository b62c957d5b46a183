"""Judges in Inspect, with its mock model."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from judgekit.adapters.inspect_ai import inspect_scorer
from judgekit.evaluators.base import Evaluator
from tests.adapters.judges import FAILS, GOOD, awaited, judge, several, shown

pytest.importorskip("inspect_ai")
pytestmark = pytest.mark.filterwarnings("ignore")  # of Inspect's own making


def log(tmp_path: Path, scorer: Any, **settings: Any) -> Any:
    from inspect_ai import Task, eval  # noqa: A004
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    answers = [ModelOutput.from_content("mockllm/model", "four") for _ in range(2)]
    for answer in answers:  # or Inspect counts tokens with a table that it downloads
        answer.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    samples = [Sample(input=question, target=right) for question, right in (("2+2", "4"), ("3+3", "6"))]
    task = Task(dataset=MemoryDataset(samples), scorer=scorer)
    model = get_model("mockllm/model", custom_outputs=answers)
    (found,) = eval(
        task, model=model, log_dir=str(tmp_path), display="none", max_samples=1, max_tasks=1, **settings
    )
    return found


@pytest.mark.parametrize("make", [judge, awaited])
def test_a_judge_scores_samples(tmp_path: Path, make: Callable[..., Evaluator]) -> None:
    given = make(GOOD, {**GOOD, "score": False})
    found = log(tmp_path, inspect_scorer(given))
    assert found.status == "success"
    assert [sample.scores["correctness"].value for sample in found.samples] == [1.0, 0.0]
    first = found.samples[0].scores["correctness"]
    assert (first.answer, first.explanation) == ("four", "as it should be")
    assert first.metadata["model"] == "scripted"
    assert found.results.scores[0].metrics["mean"].value == 0.5
    assert shown(given) == ["Q 2+2 A four R 4", "Q 3+3 A four R 6"]


def test_several_scores_are_kept_by_key(tmp_path: Path) -> None:
    found = log(tmp_path, inspect_scorer(several, metrics=[]))
    (score,) = found.samples[0].scores.values()
    assert score.value == {"length": 4.0, "kind": "text"}


def test_a_failure_is_an_error_of_its_sample(tmp_path: Path) -> None:
    found = log(tmp_path, inspect_scorer(judge(FAILS)), fail_on_error=False)
    assert not any(sample.scores for sample in found.samples)
    assert all("cannot be read" in sample.error.message for sample in found.samples)
