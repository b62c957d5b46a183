"""Several judges give one verdict, and say how far they agree and who failed."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

import judgekit
from judgekit.core.exchange import Answer, Usage
from judgekit.errors import ConfigError, JudgeError, MissingVariableError, ModelError, WrongClientError
from judgekit.evaluators.base import Evaluator
from judgekit.judges.jury import create_async_jury, create_jury
from judgekit.judges.samples import fit_weights
from judgekit.llm import create_async_llm_as_judge, create_llm_as_judge
from judgekit.models.scripted import scripted
from tests.support.provider import Provider

if TYPE_CHECKING:
    from openai import AsyncOpenAI, OpenAI


def juror(score: Any, **settings: Any) -> Any:
    """A judge that always gives this score, or fails with it."""
    line: Any = score
    if not isinstance(score, Exception):
        line = Answer(json.dumps({"reasoning": "Because.", "score": score}), usage=Usage(10, 2))
    return create_llm_as_judge(prompt="{outputs}", judge=scripted(line), **settings)


@pytest.fixture(params=["sync", "async"])
def create(request: pytest.FixtureRequest) -> Callable[..., Callable[..., Any]]:
    """Either factory; the evaluator is called as a plain function."""

    def make(*args: Any, **settings: Any) -> Callable[..., Any]:
        if request.param == "sync":
            return create_jury(*args, **settings)
        evaluator = create_async_jury(*args, **settings)
        return lambda **values: asyncio.run(evaluator(**values))

    return make


@pytest.mark.parametrize(
    ("scores", "settings", "score", "resolved"),
    [
        ([True, True, False], {}, pytest.approx(2 / 3), True),
        ([True, True, False], {"method": "median"}, 1.0, True),
        ([True, True, False], {"method": "majority"}, True, True),
        ([True, False], {"method": "majority"}, 0.5, False),
        ([True, True, False], {"method": "weighted", "weights": [1, 1, 3]}, False, True),
        ([True, True, False], {"method": "weighted", "weights": [1, 1, 2]}, 0.5, False),
    ],
)
def test_the_methods_on_true_and_false(
    create: Callable[..., Any], scores: list[bool], settings: dict[str, Any], score: Any, resolved: bool
) -> None:
    result = create([juror(each) for each in scores], **settings)(outputs="x", ignored=1)
    assert result["score"] == score
    assert type(result["score"]) is (bool if isinstance(score, bool) else float)
    assert result["metadata"]["resolved"] is resolved
    assert result["metadata"]["usage"] == Usage(10 * len(scores), 2 * len(scores)).to_dict()
    assert result["comment"].startswith("The judges are tied") is not resolved


@pytest.mark.parametrize(
    ("settings", "score"),
    [
        ({"method": "mean"}, 2.75),
        ({"method": "median"}, 2.5),
        ({"method": "weighted", "weights": (0, 0, 1, 3)}, 4.5),
        ({"method": "majority"}, 1),
    ],
)
def test_the_methods_on_numbers(settings: dict[str, Any], score: float) -> None:
    judges = [juror(each, choices=[1, 2, 3, 4, 5]) for each in (1, 1, 4, 5)]
    if settings["method"] == "weighted":
        judges = [juror(each, choices=[1, 2, 3, 4, 5]) for each in (1, 1, 3, 5)]
    result = create_jury(judges, **settings)(outputs="x")
    assert result["score"] == score
    assert result["metadata"]["spread"] == 4.0
    assert result["metadata"]["agreement"] == pytest.approx(1 / 6)


def test_tied_numbers_and_tied_words_say_that_they_are_tied() -> None:
    numbers = create_jury([juror(each, choices=[1, 3]) for each in (1, 3)], method="majority")(outputs="x")
    assert (numbers["score"], numbers["metadata"]["resolved"]) == (2.0, False)
    words = create_jury([juror(each, choices=["a", "b"]) for each in "ab"], method="majority")(outputs="x")
    assert (words["score"], words["metadata"]["resolved"]) == ("unresolved", False)
    assert words["metadata"]["shares"] == {'"a"': 0.5, '"b"': 0.5}
    assert "spread" not in words["metadata"]


def test_the_metadata_has_each_vote() -> None:
    judges = [juror(True), juror(False, feedback_key="style"), juror(True)]
    result = create_jury(judges, method="majority", feedback_key="good")(outputs="x")
    votes = result["metadata"]["votes"]
    assert [(each["judge"], each["score"]) for each in votes] == [
        ("llm_as_judge", True),
        ("llm_as_style_judge", False),
        ("llm_as_judge_2", True),
    ]
    assert votes[0]["comment"] == "Because."
    assert votes[0]["metadata"]["model"] == "scripted"
    assert result["metadata"]["agreement"] == pytest.approx(1 / 3)
    assert result["comment"].splitlines()[1] == "llm_as_style_judge: false. Because."
    json.dumps(result)


def test_a_failed_judge_is_counted_and_left_out(create: Callable[..., Any]) -> None:
    judges = [juror(True), juror(ModelError("down")), juror(True)]
    result = create(judges)(outputs="x")
    assert result["score"] == 1.0
    (failure,) = result["metadata"]["failures"]
    assert (failure["judge"], failure["code"]) == ("llm_as_judge_2", "provider_error")
    assert result["metadata"]["attempts"] == 3
    assert "llm_as_judge_2: failed (provider_error)" in result["comment"]


def test_too_few_votes_are_an_error_that_tells_the_tokens(create: Callable[..., Any]) -> None:
    judges = [juror(True), juror(ModelError("down")), juror(ModelError("down"))]
    with pytest.raises(JudgeError, match="1 of 3 judges gave a score, and the quorum is 2") as caught:
        create(judges)(outputs="x")
    assert caught.value.code == "no_quorum"
    assert caught.value.usage == Usage(10, 2).to_dict()
    assert isinstance(caught.value.__cause__, ModelError)
    assert create(judges, quorum=1)(outputs="x")["score"] == 1.0


def test_when_those_with_weight_fail_there_is_no_score() -> None:
    judges = [juror(ModelError("down")), juror(True)]
    with pytest.raises(JudgeError, match="weight above 0"):
        create_jury(judges, method="weighted", weights=[1, 0], quorum=1)(outputs="x")


def test_functions_and_async_judges_sit_on_it_too(create: Callable[..., Any]) -> None:
    @judgekit.evaluator
    def is_short(outputs: Any) -> bool:
        return len(outputs) < 5

    @judgekit.evaluator
    def broken(outputs: Any) -> bool:
        raise RuntimeError(outputs)

    awaited = create_async_llm_as_judge(prompt="{outputs}", judge=scripted({"reasoning": "r", "score": True}))
    result = create([is_short, awaited, broken])(outputs="abcdefgh")
    assert result["score"] == 0.5
    assert [each["code"] for each in result["metadata"]["failures"]] == ["RuntimeError"]


def test_a_missing_value_is_an_error_and_no_failed_vote() -> None:
    with pytest.raises(MissingVariableError):
        create_jury([juror(True), juror(True)])()


@pytest.mark.parametrize(
    ("judges", "settings", "told"),
    [
        ([], {}, "give a list"),
        ([lambda outputs: True], {}, "judgekit.evaluator"),
        ([juror(True)], {"method": "best"}, "method"),
        ([juror(True)], {"method": "weighted"}, "go together"),
        ([juror(True)], {"weights": [1]}, "go together"),
        ([juror(True)], {"weights": [1, 2], "method": "weighted"}, "1 judges and 2 weights"),
        ([juror(True)], {"weights": [-1], "method": "weighted"}, "at least 0"),
        ([juror(True)], {"weights": [0], "method": "weighted"}, "not all of them 0"),
        ([juror(True)], {"quorum": 2}, "quorum"),
        ([juror("a", choices=["a", "b"])], {}, "words"),
        ([juror(True, output_schema={"type": "object", "properties": {"a": {}}})], {}, "output_schema"),
    ],
)
def test_what_makes_no_jury(judges: Any, settings: dict[str, Any], told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        create_jury(judges, **settings)


@pytest.mark.parametrize(
    ("returned", "told"), [("word", "no mean or median"), (None, "single score"), ([], "single score")]
)
def test_scores_that_cannot_be_put_together(returned: Any, told: str) -> None:
    class Odd:
        name, deadline = "odd", None

        def flow(self, item: Any) -> Any:
            yield from ()
            return (
                [] if returned == [] else {"key": "k", "score": returned, "comment": None, "metadata": None}
            )

    with pytest.raises(ConfigError, match=told):
        create_jury([Evaluator(Odd())])(outputs="x")


def test_it_shows_itself_and_takes_the_longest_deadline() -> None:
    patient = create_llm_as_judge(prompt="{outputs}", judge=scripted("x", deadline=9.0))
    hasty = create_llm_as_judge(prompt="{outputs}", judge=scripted("x", deadline=1.0))
    jury = create_jury([patient, hasty], feedback_key="good")
    assert jury.__name__ == "good_jury"
    assert (
        "Jury(judges=(LLMJudge(Prompt, scripted, Binary), LLMJudge(Prompt, scripted, Binary)), method='mean'"
        in repr(jury)
    )
    assert jury.evaluation.deadline == 9.0
    assert create_jury([patient, juror(True)]).evaluation.deadline is None


def test_learned_weights_decide() -> None:
    truth = [True, False] * 15
    expert, contrary = truth, [not label for label in truth]
    weights = fit_weights([expert, contrary, contrary], truth)
    assert weights.helps
    result = create_jury([juror(True), juror(False), juror(False)], method="weighted", weights=weights)(
        outputs="x"
    )
    assert result["score"] is True
    assert result["metadata"]["shares"]["true"] > 0.99


def test_it_runs_in_an_evaluation() -> None:
    jury = create_jury([juror(True), juror(False), juror(True)], method="majority", feedback_key="good")
    results = judgekit.evaluate(None, [{"outputs": "x"}], jury, store=None, progress=False)
    assert [score.score for score in results.rows[0].scores] == [True]
    assert results.rows[0].usage == Usage(30, 6)


def test_through_real_clients(
    provider: Provider, openai_client: OpenAI, async_openai_client: AsyncOpenAI
) -> None:
    def judge(factory: Any, client: Any, name: str) -> Any:
        return factory(prompt="{outputs}", judge=client, model=name)

    mixed = [
        judge(create_llm_as_judge, openai_client, "one"),
        judge(create_async_llm_as_judge, async_openai_client, "two"),
    ]
    with pytest.raises(WrongClientError):
        create_jury(mixed)
    result = asyncio.run(create_async_jury(mixed)(outputs="x"))
    assert {request.json["model"] for request in provider.requests} == {"one", "two"}
    assert result["score"] == 1.0
    assert result["metadata"]["usage"]["input_tokens"] == 40
