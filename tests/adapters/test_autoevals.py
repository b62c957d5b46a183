"""Judges as autoevals' scorers, alone and in Braintrust, and those scorers in judgekit."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

import judgekit
from judgekit.adapters.autoevals import autoevals_scorer, from_autoevals
from judgekit.errors import ConfigError, ParseError
from judgekit.evaluators.base import Evaluator
from tests.adapters.judges import FAILS, GOOD, awaited, judge, several, shown

pytest.importorskip("autoevals")


@pytest.mark.parametrize("make", [judge, awaited])
def test_a_judge_is_a_scorer(make: Callable[..., Evaluator]) -> None:
    given = make(GOOD)
    scorer = autoevals_scorer(given)
    found = scorer("four", "4", input="2+2")
    again = asyncio.run(scorer.eval_async("four", "4", input="2+2"))
    assert (found.name, found.score) == (again.name, again.score) == ("correctness", 1.0)
    assert found.metadata["comment"] == "as it should be"
    assert found.metadata["model"] == "scripted"
    assert shown(given) == ["Q 2+2 A four R 4"] * 2


def test_a_failure_raises() -> None:
    with pytest.raises(ParseError):
        autoevals_scorer(judge(FAILS))("four", "4", input="2+2")


@pytest.mark.parametrize("score", ["good", 7])
def test_what_is_no_number_from_0_to_1_is_refused(score: Any) -> None:
    with pytest.raises(ConfigError, match="from 0 to 1"):
        autoevals_scorer(judgekit.evaluator(lambda outputs: score, key="grade"))("four")


def test_one_score_a_scorer() -> None:
    with pytest.raises(ConfigError, match="gives length, kind"):
        autoevals_scorer(several)("four")


def test_braintrust_takes_it_and_keeps_failures_apart() -> None:
    braintrust = pytest.importorskip("braintrust")
    scores = [autoevals_scorer(judge(GOOD, FAILS))]
    data = [{"input": "2+2", "expected": "4"}, {"input": "3+3", "expected": "6"}]
    found = asyncio.run(
        braintrust.EvalAsync("sums", data=data, task=lambda _: "4", scores=scores, no_send_logs=True)
    )
    kept = [result.scores.get("correctness") for result in found.results]
    assert sorted(kept, key=str) == [1.0, None]


def test_its_scorers_run_in_judgekit() -> None:
    from autoevals import Levenshtein

    found = from_autoevals(Levenshtein())(inputs="spell", outputs="kitten", reference_outputs="kittens")
    assert found["key"] == "Levenshtein"
    assert found["score"] == pytest.approx(6 / 7)
