"""Flows are driven alike by both drivers, close what they opened, and let no failure pass for a result."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from judgekit.core.exchange import Answer, Request
from judgekit.core.flow import Flow, Job, advance, asking, doing, settled, through, together
from judgekit.core.layers import remembered
from judgekit.errors import ModelError, WrongClientError
from judgekit.models.base import Model
from judgekit.models.drive import adrive, drive
from judgekit.models.scripted import scripted

Drive = Callable[[Flow[Any]], Any]


def _async(flow: Flow[Any]) -> Any:
    return asyncio.run(adrive(flow))


@pytest.fixture(params=[drive, _async], ids=["sync", "async"])
def driver(request: pytest.FixtureRequest) -> Drive:
    chosen: Drive = request.param
    return chosen


def _request(model: Model, text: str = "grade") -> Request:
    return Request(model, ({"role": "user", "content": text},))


def test_a_flow_gets_its_answer(driver: Drive) -> None:
    assert driver(asking(_request(scripted("yes")))) == Answer("yes")


def test_a_failure_comes_back_as_a_value(driver: Drive) -> None:
    outcome = driver(asking(_request(scripted(ConnectionError("refused")))))
    assert isinstance(outcome, ModelError)
    assert outcome.retryable
    assert "refused" in str(outcome)


def test_together_merges_rounds_and_keeps_the_order(driver: Drive) -> None:
    def two(name: str) -> Flow[str]:
        model = scripted(lambda request: f"{name}-{request.messages[0]['content']}")
        first = yield from asking(_request(model, "1"))
        second = yield from asking(_request(model, "2"))
        assert isinstance(first, Answer)
        assert isinstance(second, Answer)
        return f"{first.text} {second.text}"

    def one() -> Flow[str]:
        answer = yield from asking(_request(scripted("only")))
        assert isinstance(answer, Answer)
        return str(answer.text)

    assert driver(together(two("a"), one(), two("b"))) == ["a-1 a-2", "only", "b-1 b-2"]


def test_settled_keeps_one_bad_child_from_sinking_the_rest(driver: Drive) -> None:
    def bad() -> Flow[str]:
        yield from doing(Job(lambda: 1 / 0))
        return "never"

    def good() -> Flow[str]:
        return str((yield from doing(Job(lambda: "fine"))))

    bad_end, good_end = driver(together(settled(bad()), settled(good())))
    assert isinstance(bad_end, ZeroDivisionError)
    assert good_end == "fine"


def test_settled_lets_other_errors_pass(driver: Drive) -> None:
    def bad() -> Flow[str]:
        yield from doing(Job(lambda: 1 / 0))
        return "never"

    with pytest.raises(ZeroDivisionError):
        driver(settled(bad(), KeyError))


def test_a_stop_iteration_raised_by_a_job_is_no_result(driver: Drive) -> None:
    def work() -> Any:
        raise StopIteration("not a result")

    with pytest.raises(RuntimeError):
        driver(doing(Job(work)))


def test_children_are_closed_when_the_driver_fails() -> None:
    closed: list[str] = []

    def child(name: str) -> Flow[None]:
        try:
            yield from asking(_request(scripted("x")))
        finally:
            closed.append(name)

    flow = together(child("a"), child("b"))
    advance(flow)
    flow.close()
    assert sorted(closed) == ["a", "b"]


def test_an_async_function_in_a_sync_flow_names_the_fix() -> None:
    async def prompt() -> str:
        return "x"

    with pytest.raises(WrongClientError, match="async factory"):
        drive(doing(Job(prompt)))


def test_an_async_function_is_awaited_by_the_async_driver() -> None:
    async def prompt() -> str:
        return "x"

    assert asyncio.run(adrive(doing(Job(prompt)))) == "x"


def test_remembered_answers_are_asked_for_once(driver: Drive) -> None:
    cache: dict[str, dict[str, Any]] = {}
    model = scripted("first", "second")
    for _ in range(2):
        assert driver(through(asking(_request(model)), remembered(cache))) == Answer("first")
    assert len(model.client.requests) == 1


def test_failures_are_not_remembered(driver: Drive) -> None:
    cache: dict[str, dict[str, Any]] = {}
    model = scripted(ConnectionError("down"), "up")
    assert isinstance(driver(through(asking(_request(model)), remembered(cache))), ModelError)
    assert driver(through(asking(_request(model)), remembered(cache))) == Answer("up")


def test_a_round_of_requests_runs_side_by_side(driver: Drive) -> None:
    def ask() -> Flow[Any]:
        return (yield tuple(_request(scripted(str(i))) for i in range(5)))

    assert [answer.text for answer in driver(ask())] == list("01234")
