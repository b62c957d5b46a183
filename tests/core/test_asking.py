"""Retries, repairs and their limits: what is sent again, what is not, and what the error says in the end."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from judgekit.core.asking import Judgement, Patience, judged
from judgekit.core.exchange import Answer, Request, Usage
from judgekit.core.flow import Done, advance
from judgekit.errors import JudgeError, ModelError, ParseError, RateLimitError, RefusalError
from judgekit.models.scripted import scripted

PATIENT = Patience(jitter=lambda: 1.0)


def _read(answer: Answer) -> str:
    codes = {"bad": "no_json", "cut": "truncated", "": "empty"}
    if answer.text in codes:
        raise ParseError(f"unreadable {answer.text}", code=codes[answer.text])
    if answer.text == "refused":
        raise RefusalError("no")
    return str(answer.text)


def _play(
    *outcomes: Any, patience: Patience = PATIENT, params: dict[str, Any] | None = None
) -> tuple[Any, list[Request]]:
    """Run one judgement against the outcomes; what it returned or raised, and the requests that it made."""
    request = Request(scripted("-", params=params or {}), ({"role": "user", "content": "grade"},))
    flow = judged(request, _read, patience)
    asked: list[Request] = []
    step = advance(flow)
    for outcome in outcomes:
        assert not isinstance(step, Done)
        (wanted,) = step
        assert isinstance(wanted, Request)
        asked.append(wanted)
        try:
            step = advance(flow, (outcome,))
        except JudgeError as error:
            return error, asked
    assert isinstance(step, Done)
    return step.value, asked


def test_a_good_answer_is_one_attempt() -> None:
    judgement, asked = _play(Answer("good", usage=Usage(10, 2)))
    assert isinstance(judgement, Judgement)
    assert (judgement.reading, len(asked), judgement.usage) == ("good", 1, Usage(10, 2))


def test_backoff_doubles_and_is_a_value_on_the_request() -> None:
    down = ModelError("down", retryable=True)
    judgement, asked = _play(down, down, Answer("good"))
    assert judgement.reading == "good"
    assert [request.delay for request in asked] == [0.0, 0.5, 1.0]
    assert [attempt.code for attempt in judgement.attempts] == ["provider_error", "provider_error", None]


def test_retry_after_is_obeyed() -> None:
    slow = RateLimitError("slow down", retryable=True, retry_after=7.5)
    _, asked = _play(slow, Answer("good"))
    assert asked[1].delay == 7.5


def test_a_wait_that_is_too_long_fails_at_once_and_says_so() -> None:
    error, asked = _play(RateLimitError("tomorrow", retryable=True, retry_after=3600))
    assert isinstance(error, RateLimitError)
    assert "3600 s" in error.message
    assert len(asked) == 1


@pytest.mark.parametrize("retries", [0, 1, 3])
def test_retries_are_bounded(retries: int) -> None:
    down = ModelError("down", retryable=True)
    error, asked = _play(*[down] * (retries + 1), patience=replace(PATIENT, retries=retries))
    assert isinstance(error, ModelError)
    assert error.attempts == len(asked) == retries + 1


def test_a_fatal_failure_is_not_retried() -> None:
    error, asked = _play(ModelError("bad key", status=401))
    assert error.attempts == len(asked) == 1


def test_what_a_model_rejects_costs_no_retry() -> None:
    rejected = ModelError("no temperature", unsupported="parameter temperature")
    judgement, asked = _play(rejected, Answer("good"), patience=replace(PATIENT, retries=0))
    assert judgement.reading == "good"
    assert len(asked) == 2


def test_feedback_quotes_the_answer_and_says_what_was_wrong() -> None:
    judgement, asked = _play(Answer("bad"), Answer("good"))
    assert judgement.reading == "good"
    *before, said, told = asked[1].messages
    assert tuple(before) == asked[0].messages
    assert said == {"role": "assistant", "content": "bad"}
    assert "unreadable bad" in told["content"]
    assert "one JSON object" in told["content"]


def test_feedback_does_not_grow_with_every_repair() -> None:
    _, asked = _play(Answer("bad"), Answer("bad"), Answer("good"))
    assert [len(request.messages) for request in asked] == [1, 3, 3]


def test_a_long_bad_answer_is_quoted_shortened() -> None:
    class Long(ParseError):
        pass

    request = Request(scripted("-"), ({"role": "user", "content": "grade"},))

    def read(answer: Answer) -> str:
        raise Long("unreadable", raw=answer.text)

    flow = judged(request, read, PATIENT)
    advance(flow)
    step = advance(flow, (Answer("x" * 100_000),))
    assert not isinstance(step, Done)
    (again,) = step
    assert isinstance(again, Request)
    assert len(again.messages[1]["content"]) < 3_000
    flow.close()


@pytest.mark.parametrize(("params", "budgets"), [({}, [4096, 8192]), ({"max_tokens": 100}, [200, 400])])
def test_a_cut_answer_gets_a_larger_budget_and_no_feedback(
    params: dict[str, Any], budgets: list[int]
) -> None:
    error, asked = _play(Answer("cut"), Answer("cut"), Answer("cut"), params=params)
    assert error.code == "truncated"
    assert [request.params.get("max_tokens") for request in asked[1:]] == budgets
    assert all(request.messages == asked[0].messages for request in asked)


def test_an_empty_answer_is_asked_for_once_more() -> None:
    error, asked = _play(Answer(""), Answer(""))
    assert error.code == "empty"
    assert len(asked) == 2


def test_a_refusal_is_final() -> None:
    error, asked = _play(Answer("refused", usage=Usage(5, 1), request_id="r1"))
    assert isinstance(error, RefusalError)
    assert (len(asked), error.request_id, error.raw) == (1, "r1", "refused")


def test_repairs_are_bounded_and_the_error_has_all_facts() -> None:
    bad = Answer("bad", usage=Usage(10, 5), request_id="req_9")
    error, asked = _play(bad, bad, bad)
    assert isinstance(error, ParseError)
    assert error.attempts == len(asked) == 3
    assert error.usage == Usage(30, 15).to_dict()
    assert (error.raw, error.request_id, error.code) == ("bad", "req_9", "no_json")
    assert "3 attempts" in str(error)


def test_errors_survive_pickling() -> None:
    import pickle

    error, _ = _play(Answer("refused"))
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is RefusalError
    assert (str(again), again.attempts, again.raw) == (str(error), error.attempts, error.raw)
