"""Samples of one judge differ, also in a cache; probabilities give a mean; learned weights are kept if they help."""

from __future__ import annotations

import asyncio
import itertools
import json
import random
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

import judgekit
from judgekit.core.exchange import Answer, Usage
from judgekit.errors import ConfigError, DataError, JudgeError, ModelError
from judgekit.judges.jury import create_jury
from judgekit.judges.pairwise import create_pairwise_judge
from judgekit.judges.samples import (
    create_async_expected_score_judge,
    create_async_sampled_judge,
    create_expected_score_judge,
    create_sampled_judge,
    fit_weights,
)
from judgekit.llm import create_llm_as_judge
from judgekit.models.base import Model
from judgekit.models.scripted import scripted
from tests.support.provider import Provider

if TYPE_CHECKING:
    from openai import OpenAI


def says(score: Any, **facts: Any) -> Answer:
    return Answer(json.dumps({"reasoning": "r", "score": score}), usage=Usage(10, 2), **facts)


def judge(model: Any, **settings: Any) -> Any:
    return create_llm_as_judge(prompt="{outputs}", judge=model, **settings)


@pytest.fixture(params=["sync", "async"])
def create(request: pytest.FixtureRequest) -> Callable[..., Callable[..., Any]]:
    """Either factory; the evaluator is called as a plain function."""

    def make(*args: Any, **settings: Any) -> Callable[..., Any]:
        if request.param == "sync":
            return create_sampled_judge(*args, **settings)
        evaluator = create_async_sampled_judge(*args, **settings)
        return lambda **values: asyncio.run(evaluator(**values))

    return make


def seeds(model: Model) -> list[Any]:
    return sorted(request.model.params.get("seed", 0) for request in model.client.requests)


def test_one_judge_is_asked_n_times(create: Callable[..., Any]) -> None:
    model = scripted(*map(says, (True, True, False, True, False)))
    result = create(judge(model, feedback_key="good"))(outputs="x", ignored=1)
    assert (result["key"], result["score"]) == ("good", 0.6)
    assert seeds(model) == [0, 1, 2, 3, 4]
    assert len({request.key for request in model.client.requests}) == 5
    assert result["metadata"]["usage"] == Usage(50, 10).to_dict()
    assert [vote["judge"] for vote in result["metadata"]["votes"]][::4] == ["sample_1", "sample_5"]
    assert "seed" not in model.params


def test_samples_are_different_answers_in_a_cache_and_the_first_is_the_judges_own() -> None:
    model = scripted(*map(says, (True, False, True, False)))
    single = judge(judgekit.connect(model, cache={}))
    assert single(outputs="x")["score"] is True
    sampled = create_sampled_judge(single, n=4)
    first = sampled(outputs="x")
    assert len(model.client.requests) == 4
    assert first["score"] == 0.5
    assert sampled(outputs="x") == first
    assert len(model.client.requests) == 4


def test_samples_differ_in_the_store_of_a_run_too(tmp_path: Any) -> None:
    model = scripted(*map(says, (True, False, False)))
    for _ in range(2):
        results = judgekit.evaluate(
            None, [{"outputs": "x"}], create_sampled_judge(judge(model), n=3), store=tmp_path / "runs.db",
            progress=False,
        )  # fmt: skip
        assert [score.score for score in results.rows[0].scores] == [pytest.approx(1 / 3)]
    assert len(model.client.requests) == 3


def test_a_seed_of_ones_own_is_counted_on_from() -> None:
    model = scripted(says(True))
    create_sampled_judge(judge(judgekit.connect(model, seed=40)), n=3, method="majority")(outputs="x")
    assert seeds(model) == [40, 41, 42]


def test_judges_of_several_models_are_sampled_too() -> None:
    one, two = scripted(says(True)), scripted(says(False))
    result = create_sampled_judge(create_jury([judge(one), judge(two)]), n=2)(outputs="x")
    assert (result["score"], seeds(one), seeds(two)) == (0.5, [0, 1], [0, 1])
    pair = scripted(says("tie"))
    assert create_sampled_judge(create_pairwise_judge(judge=pair), n=2)(outputs=["a", "b"])["score"] == 0.5
    assert seeds(pair) == [0, 0, 1, 1]


def test_a_failed_sample_is_left_out_and_most_must_come(create: Callable[..., Any]) -> None:
    result = create(judge(scripted(says(True), ModelError("down"), says(True))), n=3)(outputs="x")
    assert (result["score"], len(result["metadata"]["failures"])) == (1.0, 1)
    with pytest.raises(JudgeError, match="quorum is 2"):
        create(judge(scripted(says(True), ModelError("down"))), n=3)(outputs="x")


@pytest.mark.parametrize(
    ("made", "settings", "told"),
    [
        (lambda outputs: True, {}, "factories"),
        (judgekit.evaluator(lambda outputs: True, key="f"), {}, "no model"),
        (judge(judgekit.connect(scripted("x"), temperature=0)), {}, "temperature 0"),
        (judge(scripted("x")), {"n": 0}, "whole number"),
        (judge(scripted("x")), {"n": True}, "whole number"),
        (judge(scripted("x")), {"method": "weighted"}, "no weights"),
        (judge(scripted("x")), {"method": "best"}, "method"),
        (judge(scripted("x"), choices=["a", "b"]), {}, "words"),
        (judge(scripted("x")), {"quorum": 6}, "quorum"),
    ],
)
def test_what_cannot_be_sampled(made: Any, settings: dict[str, Any], told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        create_sampled_judge(made, **settings)


def test_they_show_themselves() -> None:
    sampled = create_sampled_judge(judge(scripted("x")), n=3)
    assert sampled.__name__ == "sampled_llm_as_judge"
    assert "SampledJudge(LLMJudge(Prompt, scripted, Binary), n=3, method='mean')" in repr(sampled)
    expected = create_expected_score_judge(judge(scripted("x")))
    assert (expected.__name__, expected.evaluation.deadline) == ("expected_llm_as_judge", None)


def test_through_a_real_client(provider: Provider, openai_client: OpenAI) -> None:
    sampled = create_sampled_judge(
        create_llm_as_judge(prompt="{outputs}", judge=openai_client, model="m"), n=3
    )
    assert sampled(outputs="x")["score"] == 1.0
    sent = [request.json.get("seed") for request in provider.requests]
    assert sorted(sent, key=str) == [1, 2, None]


@pytest.fixture(params=["sync", "async"])
def expecting(request: pytest.FixtureRequest) -> Callable[..., Callable[..., Any]]:
    """Either factory of expected scores; the evaluator is called as a plain function."""

    def make(given: Any) -> Callable[..., Any]:
        if request.param == "sync":
            return create_expected_score_judge(given)
        evaluator = create_async_expected_score_judge(given)
        return lambda **values: asyncio.run(evaluator(**values))

    return make


@pytest.mark.parametrize(
    ("settings", "score", "probabilities", "expected"),
    [
        ({}, True, {"true": 0.8, "false": 0.2}, 0.8),
        ({"choices": [1, 2, 5]}, 5, {"1": 0.1, "2": 0.3, "5": 0.6}, 3.7),
        ({"choices": {"bad": 0, "good": 10}}, "good", {'"bad"': 0.25, '"good"': 0.75}, 7.5),
    ],
)
def test_probabilities_weigh_the_values(
    expecting: Callable[..., Any],
    settings: dict[str, Any],
    score: Any,
    probabilities: dict[str, float],
    expected: float,
) -> None:
    answer = says(score, probabilities=probabilities, detail="mass=0.98")
    result = expecting(judge(scripted(answer), **settings))(outputs="x")
    assert result["score"] == pytest.approx(expected)
    metadata = result["metadata"]
    assert (metadata["expected"], metadata["mass"]) == (True, 0.98)
    assert metadata["most_probable"] == (10 if score == "good" else score)
    assert metadata["probabilities"] == probabilities


def test_probabilities_come_out_of_the_cache_as_well(expecting: Callable[..., Any]) -> None:
    model = scripted(says(True, probabilities={"true": 0.8, "false": 0.2}, detail="mass=0.5"))
    made = expecting(judge(judgekit.connect(model, cache={})))
    assert made(outputs="x") == made(outputs="x")
    assert made(outputs="x")["metadata"]["mass"] == 0.5
    assert len(model.client.requests) == 1


def test_without_probabilities_the_score_is_what_was_written(expecting: Callable[..., Any]) -> None:
    result = expecting(judge(scripted(says(True))))(outputs="x")
    assert result["score"] == 1.0
    assert result["metadata"]["expected"] is False
    assert "no probabilities" in result["metadata"]["note"]


@pytest.mark.parametrize(
    "made",
    [
        judge(scripted("x"), continuous=True),
        judge(scripted("x"), choices=["a", "b"]),
        create_pairwise_judge(judge=scripted("x")),
    ],
)
def test_what_has_no_expected_score(made: Any) -> None:
    with pytest.raises(ConfigError, match="countable"):
        create_expected_score_judge(made)


def votes(rng: random.Random, truth: list[bool], accuracy: float) -> list[bool]:
    return [label if rng.random() < accuracy else not label for label in truth]


def test_weights_that_help_are_kept() -> None:
    rng = random.Random(1)
    truth = [rng.random() < 0.5 for _ in range(60)]
    columns = [votes(rng, truth, accuracy) for accuracy in (0.95, 0.55, 0.5)]
    weights = fit_weights(columns, truth)
    assert weights.helps
    assert weights.right > weights.majority
    assert weights.members[0] == max(weights.members)
    assert weights.shares([True, False, False])[True] > 0.5
    assert "weighted: right on" in repr(weights)


def test_weights_that_do_not_help_are_not_kept() -> None:
    truth = [True, False] * 15
    weights = fit_weights([truth, truth, truth], truth)
    assert (weights.right, weights.majority, weights.helps) == (1.0, 1.0, False)
    assert weights.shares([True, False, None]) == {True: 0.5, False: 0.5}
    assert "equal, since weighting did not help" in repr(weights)


def test_weights_agree_with_bayes_rule() -> None:
    cells = [(True, True, 6), (True, False, 2), (False, True, 1), (False, False, 7)]  # label, vote, count
    rows = list(itertools.chain.from_iterable([(label, vote)] * count for label, vote, count in cells))
    weights = fit_weights([[vote for _, vote in rows], [None] * 16], [label for label, _ in rows])
    helped = weights if weights.helps else type(weights)(**{**vars(weights), "right": 1.1})
    assert helped.shares([True, None])[True] == pytest.approx((7 / 10) / (7 / 10 + 2 / 10))
    assert helped.shares([None, None]) == {True: pytest.approx(0.5), False: pytest.approx(0.5)}
    assert helped.shares(["never seen", False])[True] == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("columns", "labels", "told"),
    [
        ([], [True] * 10, "0 judges"),
        ([[True] * 9], [True] * 9, "at least 10"),
        ([[True] * 10, [True] * 11], [True] * 10, "10, 11"),
        ([[float(each) for each in range(12)]], [True] * 12, "at most 10"),
    ],
)
def test_what_no_weights_can_be_learned_from(columns: Any, labels: Any, told: str) -> None:
    with pytest.raises(DataError, match=told):
        fit_weights(columns, labels)
