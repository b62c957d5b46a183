"""Judges as promptfoo's Python assertions; the dict is what its GradingResult takes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import judgekit
from judgekit.adapters.promptfoo import promptfoo_assert
from judgekit.errors import ConfigError, ParseError
from judgekit.evaluators.base import Evaluator
from tests.adapters.judges import FAILS, GOOD, awaited, judge, shown

CONTEXT: dict[str, Any] = {"vars": {"input": "2+2", "expected": "4"}}


@pytest.mark.parametrize("make", [judge, awaited])
def test_a_verdict_is_a_grading_result(make: Callable[..., Evaluator]) -> None:
    given = make(GOOD)
    found = promptfoo_assert(given)("four", CONTEXT)
    assert found.pop("metadata")["model"] == "scripted"
    assert found == {
        "pass": True,
        "score": 1.0,
        "reason": "as it should be",
        "namedScores": {"correctness": 1.0},
    }
    assert shown(given) == ["Q 2+2 A four R 4"]


@pytest.mark.parametrize(("threshold", "passes"), [(0.5, True), (0.6, False)])
def test_the_threshold_decides_what_passes(threshold: float, passes: bool) -> None:
    half = judgekit.evaluator(lambda outputs: 0.5, key="half")
    found = promptfoo_assert(half, threshold=threshold)("four", CONTEXT)
    assert (found["pass"], found["reason"]) == (passes, "half is 0.5")


def test_variables_reach_the_judge_under_names_of_your_choice() -> None:
    seen: dict[str, Any] = {}

    @judgekit.evaluator
    def noting(**given: Any) -> bool:
        seen.update(given)
        return True

    context = {"vars": {"q": "2+2", "right": "4", "topic": "sums"}}
    promptfoo_assert(noting, inputs="q", reference_outputs="right")("four", context)
    assert (seen["inputs"], seen["outputs"], seen["reference_outputs"]) == ("2+2", "four", "4")
    assert seen["topic"] == "sums"
    promptfoo_assert(noting)("four", context)
    assert seen["inputs"] == context["vars"]


def test_a_failure_raises_and_a_label_is_refused() -> None:
    with pytest.raises(ParseError):
        promptfoo_assert(judge(FAILS))("four", CONTEXT)
    with pytest.raises(ConfigError, match="map the judge's choices"):
        promptfoo_assert(judgekit.evaluator(lambda outputs: "good", key="grade"))("four", CONTEXT)
