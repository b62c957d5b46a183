"""`@evaluator`: what a function is given, what its return value becomes, and what is refused instead of guessed."""

from __future__ import annotations

import asyncio
import datetime as dt
import functools
import inspect
import threading
import uuid
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from typing import Any

import pytest

from judgekit.errors import ConfigError, MissingVariableError, ParseError, WrongClientError
from judgekit.evaluators.base import AsyncEvaluator, Evaluator
from judgekit.evaluators.function import evaluator

ITEM = {"inputs": "q", "outputs": "a", "reference_outputs": "r", "attachments": ["x"]}


def returned(value: Any) -> Any:
    """The result of a function `judge` that returns this."""

    def judge(outputs: str) -> Any:
        return value

    async def judge_later(outputs: str) -> Any:
        return value

    result = evaluator(judge)(**ITEM)
    assert asyncio.run(evaluator(key="judge")(judge_later)(**ITEM)) == result
    return result


def received(function: Any, **item: Any) -> Any:
    """What the function says that it got, as the score's text."""
    return evaluator(key="judge")(function)(**(item or ITEM))["score"]


class Verdict(Enum):
    GOOD = "good"
    SCORE = 0.5


@dataclass
class Result:
    score: float
    comment: str


def scalars() -> list[tuple[Any, Any]]:
    np = pytest.importorskip("numpy")
    return [
        (np.float64(0.5), 0.5),
        (np.float32(0.5), 0.5),
        (np.int64(3), 3),
        (np.bool_(True), True),
        (np.array(1.5), 1.5),
        (np.str_("good"), "good"),
    ]


@pytest.mark.parametrize(
    ("value", "score"),
    [
        (True, True),
        (False, False),
        (1, 1),
        (0, 0),
        (0.25, 0.25),
        (-3, -3),
        ("good", "good"),
        (Decimal("0.5"), 0.5),
        (Fraction(1, 4), 0.25),
        (Verdict.GOOD, "good"),
        (Verdict.SCORE, 0.5),
        *scalars(),
    ],
    ids=repr,
)
def test_a_score_of_any_type_is_a_plain_one(value: Any, score: Any) -> None:
    result = returned(value)
    assert result == {"key": "judge", "score": score, "comment": None, "metadata": None}
    assert type(result["score"]) is type(score)
    assert returned({"score": value}) == result


@pytest.mark.parametrize(
    ("value", "result"),
    [
        ({"score": 1}, {"score": 1}),
        ({"key": "style", "score": 0.5, "comment": "why"}, {"key": "style", "score": 0.5, "comment": "why"}),
        ({"score": 1, "reasoning": "why"}, {"score": 1, "comment": "why"}),
        ({"score": 1, "comment": 5}, {"score": 1, "comment": "5"}),
        ({"value": "good"}, {"score": "good"}),
        ({"score": None, "value": 3}, {"score": 3}),
        ({"score": True, "value": "yes"}, {"score": True, "metadata": {"value": "yes"}}),
        ({"score": 1, "correction": "b"}, {"score": 1, "metadata": {"correction": "b"}}),
        ({"score": 1, "metadata": {"n": 2}, "tokens": 9}, {"score": 1, "metadata": {"n": 2, "tokens": 9}}),
        ({"score": 1, "metadata": {}, "extra": None}, {"score": 1}),
        ({"score": 1, "source_run_id": 7}, {"score": 1, "source_run_id": "7"}),
        ({"score": "0.5"}, {"score": "0.5"}),  # a text is a category, also one that reads like a number
        (Result(0.5, "why"), {"score": 0.5, "comment": "why"}),
    ],
)
def test_a_dict_with_a_score(value: Any, result: dict[str, Any]) -> None:
    assert returned(value) == {"key": "judge", "comment": None, "metadata": None, **result}


@pytest.mark.parametrize("wrap", [list, tuple, lambda results: {"results": results}])
def test_several_results(wrap: Any) -> None:
    results = returned(wrap([{"key": "a", "score": 1}, {"score": 0.5, "comment": "why"}]))
    assert [(each["key"], each["score"], each["comment"]) for each in results] == [
        ("a", 1, None),
        ("judge", 0.5, "why"),
    ]


def test_langsmith_s_results_are_read() -> None:
    langsmith = pytest.importorskip("langsmith.evaluation")
    one = langsmith.EvaluationResult(key="a", score=0.5, comment="why")
    plain = {"key": "a", "score": 0.5, "comment": "why", "metadata": None}
    assert returned(one) == plain
    assert returned({"results": [one]}) == returned([one]) == [plain]


@pytest.mark.parametrize(
    ("value", "complaint"),
    [
        (None, "returned null, which is no score"),
        ("", "which is no score"),
        (float("nan"), '"NaN", which is no score'),
        (float("inf"), "which is no score"),
        (Decimal("NaN"), "which is no score"),
        (10**400, "which is no score"),
        (Fraction(10**400), "which is no score"),
        (1j, "which is no score"),
        (b"1", "which is no score"),
        (object(), "returned object, which is no score"),
        (len, "which is no score"),
        ({}, "neither a `score` nor a `value`"),
        ({"key": "a"}, "neither a `score` nor a `value`"),
        ({"score": [1]}, "which is no score"),
        ({"score": {"a": 1}}, "which is no score"),
        ({"score": float("nan")}, "which is no score"),
        ([], "an empty list"),
        ({"results": []}, "an empty list"),
        ([0.1, 0.2], "a list of something else than dicts"),
        ((1, "why"), "a list of something else than dicts"),
        ([{"key": "a"}], "neither a `score` nor a `value`"),
        ([{"score": 1}, {"score": 0}], "several results with one key"),
        ({"score": 1, "metadata": "text"}, 'returned the metadata "text": return a dict'),
        ({"score": 1, "metadata": {"model": object()}}, r"`metadata\.model` is of type object"),
        ({"score": 1, "extra": object()}, "is of type object"),
    ],
)
def test_w2_what_is_no_score_is_an_error_that_names_the_function(value: Any, complaint: str) -> None:
    with pytest.raises(ParseError, match=rf"judge\(\) .*{complaint}") as caught:
        returned(value)
    assert caught.value.code == "invalid_score"


@pytest.mark.parametrize(
    "value", [dt.date(2026, 1, 2), dt.timedelta(days=5), uuid.UUID(int=1), {"score": 1j}]
)
def test_what_only_has_a_text_is_no_score(value: Any) -> None:
    with pytest.raises(ParseError, match="which is no score"):
        returned(value)


def test_a_function_takes_what_it_names() -> None:
    assert received(lambda outputs: outputs) == "a"
    assert received(lambda inputs, outputs, reference_outputs: inputs + outputs + reference_outputs) == "qar"
    assert received(lambda *, reference_outputs, attachments: f"{reference_outputs}{attachments}") == "r['x']"
    assert received(lambda outputs, metadata: f"{outputs}{metadata}") == "aNone"
    assert received(lambda metadata: metadata["id"], outputs="a", metadata={"id": "7"}) == "7"
    assert received(lambda outputs, context: outputs + context, outputs="a", context="c") == "ac"
    assert received(lambda outputs, /, inputs: inputs + outputs) == "qa"
    assert received(
        lambda outputs, *rest, **others: f"{outputs}{rest}{sorted(others)}", outputs="a", k=1
    ) == ("a()['attachments', 'inputs', 'k', 'metadata', 'reference_outputs']")


def test_three_parameters_of_other_names_are_filled_by_position() -> None:
    assert received(lambda question, answer, truth: question + answer + truth) == "qar"
    assert received(lambda a, b, c, /: a + b + c) == "qar"


@pytest.mark.parametrize(
    ("function", "missing"),
    [
        (lambda outputs, expected: 1, "the parameter expected"),
        (lambda run, example: 1, "the parameters run, example"),
        (lambda answer: 1, "the parameter answer"),
        (lambda inputs, answer, truth: 1, "the parameters answer, truth"),
        (lambda a, b, *, c: 1, "the parameters a, b, c"),
        (len, "the parameter obj"),
    ],
)
def test_unknown_names_are_never_filled_by_a_guess(function: Any, missing: str) -> None:
    with pytest.raises(MissingVariableError, match=rf"judge\(\) has {missing}, which the call did not give"):
        received(function)


def test_a_default_stands_for_what_was_not_given() -> None:
    def judge(outputs: str, reference_outputs: str = "default", threshold: float = 0.5) -> str:
        return f"{outputs} {reference_outputs} {threshold}"

    assert received(judge, outputs="a") == "a default 0.5"
    assert received(judge, outputs="a", reference_outputs="r", threshold=1) == "a r 1"
    assert received(lambda outputs, reference_outputs: str(reference_outputs), outputs="a") == "None"


class Judge:
    def __call__(self, outputs: str) -> bool:
        return outputs == "a"

    def check(self, outputs: str) -> bool:
        return outputs == "a"


class LaterJudge:
    async def __call__(self, outputs: str) -> bool:
        return outputs == "a"


def test_methods_partials_and_objects() -> None:
    assert evaluator(Judge().check)(outputs="a")["key"] == "check"
    assert evaluator(key="object")(Judge())(outputs="a") == {
        "key": "object",
        "score": True,
        "comment": None,
        "metadata": None,
    }
    partial = functools.partial(lambda outputs, needle: needle in outputs, needle="b")
    assert evaluator(partial, key="has_b")(outputs="abc")["score"] is True
    later = evaluator(LaterJudge(), key="later")
    assert inspect.iscoroutinefunction(later)
    assert asyncio.run(later(outputs="a"))["score"] is True


@pytest.mark.parametrize("function", [lambda outputs: 1, Judge(), functools.partial(Judge().check)])
def test_what_has_no_name_needs_a_key(function: Any) -> None:
    with pytest.raises(ConfigError, match="has no name to call its feedback by"):
        evaluator(function)
    for key in ("", 5):
        with pytest.raises(ConfigError, match="has no name"):
            evaluator(function, key=key)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("function", "complaint"),
    [
        (5, "is for functions, not for 5"),
        (Judge, "is for functions, not for <class"),
        (max, "does not say what it takes"),
        (lambda: 1, r"judge\(\) takes nothing by name"),
        (lambda *values: 1, r"judge\(\) takes nothing by name"),
    ],
)
def test_w28_what_cannot_evaluate_is_an_error_when_it_is_decorated(function: Any, complaint: str) -> None:
    with pytest.raises(ConfigError, match=complaint):
        evaluator(function, key="judge")


def test_w36_an_evaluator_has_the_function_s_name_and_kind() -> None:
    @evaluator
    def concise(outputs: str) -> bool:
        return len(outputs) < 10

    @evaluator(key="style")
    async def graded(outputs: str) -> float:
        return 0.5

    assert (concise.__name__, inspect.iscoroutinefunction(concise)) == ("concise", False)
    assert (graded.__name__, inspect.iscoroutinefunction(graded)) == ("style", True)
    assert isinstance(concise, Evaluator)
    assert isinstance(graded, AsyncEvaluator)
    assert asyncio.run(graded(outputs="a"))["key"] == "style"
    with pytest.raises(TypeError, match="positional"):
        concise("an answer")


def test_the_async_face_of_a_plain_function_leaves_the_event_loop_free() -> None:
    @evaluator
    def thread(outputs: str) -> bool:
        return threading.current_thread() is threading.main_thread()

    assert thread(outputs="a")["score"] is True
    assert asyncio.run(AsyncEvaluator(thread.evaluation)(outputs="a"))["score"] is False


def test_w23_a_coroutine_is_never_a_score() -> None:
    async def later(outputs: str) -> float:
        return 0.5

    def hidden(outputs: str) -> Any:
        return later(outputs)

    for made in (evaluator(hidden), Evaluator(evaluator(later).evaluation)):
        with pytest.raises(WrongClientError, match="async function"):
            made(outputs="a")
    assert asyncio.run(AsyncEvaluator(evaluator(hidden).evaluation)(outputs="a"))["score"] == 0.5


def test_w49_an_exception_of_the_function_is_passed_on_as_it_is() -> None:
    @evaluator
    def broken(outputs: str) -> float:
        return 1 / len(outputs)

    with pytest.raises(ZeroDivisionError):
        broken(outputs="")
    with pytest.raises(ZeroDivisionError):
        asyncio.run(AsyncEvaluator(broken.evaluation)(outputs=""))


def test_w32_what_the_function_returned_is_not_changed() -> None:
    answer = {"score": 1, "metadata": {"seen": [1]}, "more": {"a": 1}}
    result = returned(answer)
    result["metadata"]["seen"].append(2)
    assert answer == {"score": 1, "metadata": {"seen": [1]}, "more": {"a": 1}}
