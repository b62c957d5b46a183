"""One row: what is called with what, what fails beside what, and what was asked of models."""

from __future__ import annotations

from typing import Any

import pytest

import judgekit
from judgekit.core.exchange import Answer, Usage
from judgekit.core.layers import remembered
from judgekit.errors import RateLimitError
from judgekit.models.drive import drive
from judgekit.models.scripted import scripted
from judgekit.runner.records import Example, RowResult, Score
from judgekit.runner.scorers import read_scorers
from judgekit.runner.scoring import TARGET, Plan, Todo, row
from judgekit.runner.targets import read_target

EXAMPLE = Example(3, "c", inputs="2+2", reference_outputs="4", metadata={"level": 1})
RIGHT = '{"reasoning": "it is", "score": true}'


def done(target: Any, evaluators: Any, todo: Todo | Example = EXAMPLE, **settings: Any) -> RowResult:
    settings = {"layers": lambda _, __: (), "pricing": lambda _, __: 0.0, **settings}
    found = Plan(read_target(target), read_scorers(evaluators), **settings)
    return drive(row(found, todo if isinstance(todo, Todo) else Todo(todo)))


def right(outputs: Any, reference_outputs: Any) -> bool:
    return bool(outputs == reference_outputs)


def broken(outputs: Any) -> bool:
    raise ZeroDivisionError("in the user's function")


def test_a_row_that_went_well() -> None:
    found = done(lambda inputs: "4", right)
    assert (found.index, found.id, found.inputs, found.outputs, found.reference_outputs) == (
        3,
        "c",
        "2+2",
        "4",
        "4",
    )
    assert found.scores == (Score("right", True, source="right"),)
    assert not found.failed
    assert set(found.seconds) == {TARGET, "right"}
    assert found.cost == 0.0
    assert found.metadata == {"level": 1}


def test_a_failing_evaluator_is_a_failure_beside_the_others_scores() -> None:
    found = done(lambda inputs: "4", [broken, right])
    assert [score.key for score in found.scores] == ["right"]
    (failure,) = found.failures
    assert (failure.code, failure.source, failure.message) == (
        "ZeroDivisionError",
        "broken",
        "in the user's function",
    )


def crash(inputs: Any) -> str:
    raise RuntimeError("no answer today")


def test_a_failing_target_is_not_scored_unless_asked() -> None:
    found = done(crash, right)
    assert found.error is not None
    assert (found.error.code, found.error.source, found.error.message) == (
        "RuntimeError",
        "target",
        "no answer today",
    )
    assert found.scores == ()
    assert found.failures == ()
    assert done(crash, right, score_failed=True).scores == (Score("right", False, source="right"),)


def judge(*answers: Any, **settings: Any) -> Any:
    return judgekit.create_llm_as_judge(
        prompt="{outputs} {reference_outputs}", judge=scripted(*answers), feedback_key="fit", **settings
    )


def test_what_a_judge_asked_is_in_the_row() -> None:
    found = done(lambda inputs: "4", judge("no idea", Answer(RIGHT, usage=Usage(10, 5))))
    first, second = found.exchanges
    assert first.messages == ({"role": "user", "content": "4 4"},)
    assert (first.answer, first.error, first.remembered) == ("no idea", None, False)
    assert (second.answer, second.source) == (RIGHT, "llm_as_fit_judge")
    assert len(second.messages) > len(first.messages)
    assert found.usage == Usage(10, 5)
    assert done(lambda inputs: "4", judge(RIGHT), traced=False).exchanges == ()


def test_a_providers_failure_is_an_exchange_with_its_code() -> None:
    found = done(lambda inputs: "4", judge(RateLimitError("no", status=429)))
    assert [exchange.error for exchange in found.exchanges] == ["rate_limited"] * len(found.exchanges)
    assert found.failures[0].code == "rate_limited"


def prices(_: str, usage: Usage) -> float:
    return (usage.input_tokens + 2 * usage.output_tokens) / 1e6


def test_what_is_remembered_costs_nothing() -> None:
    store: dict[str, dict[str, Any]] = {}
    settings: dict[str, Any] = {"layers": lambda _, __: [remembered(store)], "pricing": prices}
    answer = Answer(RIGHT, usage=Usage(10, 5))
    paid = done(lambda inputs: "4", judge(answer), **settings)
    free = done(lambda inputs: "4", judge("never asked"), **settings)
    assert paid.cost == pytest.approx(20e-6)
    assert free.cost == 0.0
    assert free.scores[0].score is True
    assert [exchange.remembered for exchange in (*paid.exchanges, *free.exchanges)] == [False, True]
    assert free.usage is None


@pytest.mark.parametrize("usage", [None, Usage(10, 5)])
def test_an_unknown_price_or_count_is_an_unknown_cost(usage: Usage | None) -> None:
    answer = Answer(RIGHT, usage=usage)
    assert done(lambda inputs: "4", judge(answer), pricing=lambda _, __: None).cost is None
    if usage is None:
        assert done(lambda inputs: "4", judge(answer), pricing=prices).cost is None


def test_a_judge_that_a_function_calls_is_seen_too() -> None:
    inner = judge(Answer(RIGHT, usage=Usage(1, 1)))

    def wrapped(outputs: Any, reference_outputs: Any) -> bool:
        return bool(inner(outputs=outputs, reference_outputs=reference_outputs)["score"])

    found = done(lambda inputs: "4", wrapped)
    assert found.scores == (Score("wrapped", True, source="wrapped"),)
    assert [exchange.source for exchange in found.exchanges] == ["wrapped"]
    assert found.usage == Usage(1, 1)


def test_only_what_is_missing_is_done_again() -> None:
    calls = []

    def target(inputs: Any) -> str:
        calls.append(inputs)
        return "4"

    before = done(target, [right, broken])
    again = done(target, [right, lambda outputs: 1.0], Todo(EXAMPLE, before=before))
    assert calls == ["2+2"]
    assert [(score.source, score.score) for score in again.scores] == [("right", True), ("evaluator", 1.0)]
    assert not again.failed


def test_values_that_are_no_data_are_kept_as_what_they_say_of_themselves() -> None:
    class Opaque:
        def __repr__(self) -> str:
            return "<Opaque>"

    found = done(lambda inputs: Opaque(), lambda outputs: isinstance(outputs, Opaque))
    assert found.outputs == "<Opaque>"
    assert found.scores[0].score is True
    assert RowResult.from_dict(found.to_dict()) == found


def test_a_row_is_the_same_after_a_journey_through_json() -> None:
    import json

    found = done(lambda inputs: {"a": [1, None]}, [broken, judge(Answer(RIGHT, usage=Usage(10, 5)))])
    assert RowResult.from_dict(json.loads(json.dumps(found.to_dict()))).to_dict() == json.loads(
        json.dumps(found.to_dict())
    )
