"""Comparative evaluators: what they are called with, what they may return, who wins."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from scipy import stats as scipy_stats

import judgekit
from judgekit.errors import ConfigError
from judgekit.models.scripted import scripted
from judgekit.runner.comparison import RunComparison
from judgekit.runner.pairwise import PairwiseComparison, compare
from judgekit.runner.records import Failure, RowResult, Score
from judgekit.runner.results import Results


def run(name: str, outputs: list[Any]) -> Results:
    rows = [
        RowResult(i, f"id{i}", inputs=f"q{i}", outputs=said, reference_outputs="ref", metadata={"n": i})
        for i, said in enumerate(outputs)
    ]
    return Results(name, {}, rows)


SHORT, LONG = run("short", ["a", "bb", "c", "d"]), run("long", ["aa", "b", "cc", "d"])


def longest(inputs: str, outputs: list[str], reference_outputs: str) -> list[int]:
    assert inputs.startswith("q")
    assert reference_outputs == "ref"
    return [len(each) for each in outputs]


def judged(*experiments: Results, **settings: Any) -> PairwiseComparison:
    found = compare(*experiments, **settings)
    assert isinstance(found, PairwiseComparison)
    return found


def test_the_share_of_wins_with_its_interval() -> None:
    found = judged(SHORT, LONG, evaluators=longest)["longest"]
    assert {name: share.value for name, share in found.wins.items()} == {"short": 0.25, "long": 0.5}
    assert found.ties.value == 0.25
    assert {name: mean.value for name, mean in found.means.items()} == {"short": 1.25, "long": 1.5}
    expected = scipy_stats.binomtest(2, 4).proportion_ci(0.95, "wilson")
    assert found.wins["long"].interval is not None
    assert found.wins["long"].interval.low == pytest.approx(expected.low)


def test_three_experiments() -> None:
    found = judged(SHORT, LONG, run("longest", ["x" * 9] * 4), evaluators=[longest])["longest"]
    assert [share.value for share in found.wins.values()] == [0.0, 0.0, 1.0]


def by_run_id(runs: list[Any], example: Any) -> dict[str, Any]:
    assert example.outputs == "ref"
    return {
        "key": "size",
        "scores": {each.id: len(each.outputs) for each in runs[::-1]},
        "comment": example.id,
    }


def two_unknown_names(them: list[Any], row: Any) -> dict[str, Any]:
    return by_run_id(them, row)


@pytest.mark.parametrize("evaluator", [by_run_id, two_unknown_names])
def test_the_form_with_runs_and_example(evaluator: Any) -> None:
    found = judged(SHORT, LONG, evaluators=[evaluator])
    assert found["size"].wins["long"].value == 0.5
    assert found.preferences[0].comment == "id0"


RETURNED: Mapping[str, tuple[Any, tuple[float, float]]] = {
    "list": ([1, 0], (1, 0)),
    "truth values": ((False, True), (0, 1)),
    "scores": ({"key": "given", "scores": [0.2, 0.4]}, (0.2, 0.4)),
    "results": ({"results": [{"key": "given", "scores": [1, 2]}]}, (1, 2)),
    "a result each": ([{"key": "given", "score": 3}, {"key": "given", "score": 4}], (3, 4)),
    "letter": ("b", (0, 1)),
    "tie": ("tie", (0.5, 0.5)),
    "a judge's result": ({"key": "given", "score": "A", "comment": "why", "metadata": None}, (1, 0)),
}


@pytest.mark.parametrize(("returned", "scores"), RETURNED.values(), ids=RETURNED)
def test_what_an_evaluator_may_return(returned: Any, scores: tuple[float, float]) -> None:
    def given(outputs: Any) -> Any:
        return returned

    found = judged(run("x", ["1"]), run("y", ["2"]), evaluators=[given])
    assert list(found.keys) == ["given"]
    assert [each.scores for each in found.preferences] == [scores]


@pytest.mark.parametrize(
    "returned",
    [[1], [1, 2, 3], [1, None], [1, float("nan")], None, "C", 0.5, {"scores": {"x": 1}}, object(), []],
)
def test_what_is_no_verdict_is_a_failure(returned: Any) -> None:
    def given(outputs: Any) -> Any:
        return returned

    found = judged(run("x", ["1"]), run("y", ["2"]), evaluators=[given])
    assert found["given"].failures == {"invalid_score": 1}
    assert found["given"].wins["x"].value is None
    assert found.preferences == ()


def test_one_evaluators_exception_sinks_nothing() -> None:
    def broken(inputs: str, outputs: Any) -> Any:
        if inputs == "q1":
            raise ZeroDivisionError("no")
        return [1, 0]

    found = judged(SHORT, LONG, evaluators=[broken, longest])
    assert (found["broken"].n, found["broken"].failures) == (3, {"ZeroDivisionError": 1})
    assert found["longest"].n == 4
    assert found.failures == (("id1", Failure("ZeroDivisionError", "no", "broken")),)


def test_both_orders_even_out_a_liking_for_the_first_place() -> None:
    def first(outputs: list[str]) -> list[int]:
        return [1, 0]

    plain = judged(SHORT, LONG, evaluators=first)["first"]
    assert plain.wins["short"].value == 1.0
    assert plain.position is None
    swapped = judged(SHORT, LONG, evaluators=first, swap=True)["first"]
    assert swapped.ties.value == 1.0
    assert swapped.position is not None
    assert (swapped.position.value, swapped.position.flips_to_first) == (0.0, 4)


def test_a_fair_evaluator_is_the_same_in_both_orders() -> None:
    plain, swapped = (judged(SHORT, LONG, evaluators=longest, swap=swap) for swap in (False, True))
    assert plain["longest"].wins == swapped["longest"].wins
    assert swapped["longest"].position is not None
    assert swapped["longest"].position.value == 1.0
    assert "the same verdict in both orders in 100%" in str(swapped)


def test_scores_by_run_id_follow_the_run_when_the_order_turns() -> None:
    found = judged(SHORT, LONG, evaluators=by_run_id, swap=True)
    assert found.preferences[0].orders == ((1.0, 2.0), (1.0, 2.0))


def test_a_judge_names_the_winner() -> None:
    model = scripted(*['{"reasoning": "clearer", "score": "B"}'] * 4)
    judge = judgekit.create_llm_as_judge(
        prompt="Which is better? {outputs}", judge=model, choices=["A", "B", "tie"], feedback_key="better"
    )
    found = judged(SHORT, LONG, evaluators=judge, max_concurrency=1)
    assert found["better"].wins["long"].value == 1.0
    assert found.preferences[0].comment == "clearer"


def test_an_evaluator_made_of_a_function() -> None:
    found = judged(SHORT, LONG, evaluators=[judgekit.evaluator(longest, key="size")])
    assert found["size"].wins["long"].value == 0.5


def test_examples_that_an_experiment_lacks_are_left_out() -> None:
    broken = RowResult(1, "id1", error=Failure("x", "y", "target"))
    other = Results("other", {}, [LONG.rows[0], broken])
    found = judged(SHORT, other, evaluators=longest)
    assert (found.examples, found.left_out) == (1, 3)


def test_repetitions_of_an_example_are_one_cluster() -> None:
    def twice(name: str, said: str) -> Results:
        return Results(
            name,
            {},
            [
                RowResult(i, f"id{i}", r, inputs="q", outputs=said, reference_outputs="ref")
                for i in range(5)
                for r in (0, 1)
            ],
        )

    found = judged(twice("a", "x"), twice("b", "xx"), evaluators=longest)["longest"]
    assert found.n == 10
    assert found.wins["b"].interval is not None
    assert found.wins["b"].interval.method == "Wilson, 5 clusters"


def test_experiments_of_one_name_are_told_apart() -> None:
    assert judged(SHORT, SHORT, evaluators=longest).names == ("short", "short (2)")


def test_without_evaluators_two_runs_are_compared() -> None:
    one, other = (
        Results(name, {}, [RowResult(0, "0", scores=(Score("ok", True),))]) for name in ("one", "other")
    )
    found = compare(one, other)
    assert isinstance(found, RunComparison)
    assert (found.name, found.other_name) == ("one", "other")


def test_it_can_be_stored() -> None:
    assert json.loads(json.dumps(judged(SHORT, LONG, evaluators=longest).to_dict()))["examples"] == 4


async def waiting(outputs: Any) -> list[int]:
    return [0, 1]


def strange(a: Any, b: Any, c: Any) -> list[int]:
    return [0, 1]


@pytest.mark.parametrize(
    ("experiments", "settings", "complaint"),
    [
        ([SHORT], {}, "two experiments or more"),
        ([SHORT, LONG, SHORT], {}, "Without evaluators"),
        ([SHORT, LONG, SHORT], {"evaluators": longest, "swap": True}, "both orders"),
        ([SHORT, LONG], {"evaluators": waiting}, "async"),
        ([SHORT, LONG], {"evaluators": strange}, "takes a, b, c"),
        ([SHORT, LONG], {"evaluators": "longest"}, "no comparative evaluator"),
        ([SHORT, LONG], {"evaluators": [str]}, "no comparative evaluator"),
        ([SHORT, LONG], {"evaluators": longest, "max_concurrency": 0}, "1 or more"),
    ],
)
def test_what_cannot_be_compared(
    experiments: list[Results], settings: dict[str, Any], complaint: str
) -> None:
    with pytest.raises(ConfigError, match=complaint):
        compare(*experiments, **settings)


def prefers_longer(request: Any) -> str:
    sizes = len(request.item["output_a"]), len(request.item["output_b"])
    verdict = "tie" if sizes[0] == sizes[1] else "A" if sizes[0] > sizes[1] else "B"
    return json.dumps({"reasoning": "by length", "score": verdict})


@pytest.mark.parametrize("others", [[], [run("longest", ["x" * 9] * 4)]])
def test_a_pairwise_judge_compares_experiments(others: list[Results]) -> None:
    judge = judgekit.create_pairwise_judge(judge=scripted(prefers_longer))
    found = judged(SHORT, LONG, *others, evaluators=judge)["preference"]
    wins = {name: share.value for name, share in found.wins.items()}
    assert wins == (
        {"short": 0.25, "long": 0.5} if not others else {"short": 0.0, "long": 0.0, "longest": 1.0}
    )
    assert not found.failures
