"""The drivers: deadlines, delays, and what becomes of an error among effects that happen at the same time."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from judgekit.core.asking import NotSent, Patience, judged
from judgekit.core.exchange import Answer, Request
from judgekit.core.flow import Flow, Job, asking, doing
from judgekit.errors import ConfigError, DeadlineError, ModelError, RateLimitError
from judgekit.evaluators.base import AsyncEvaluator, Evaluator
from judgekit.models.base import Model
from judgekit.models.drive import adrive, drive
from judgekit.models.scripted import scripted

Drive = Callable[..., Any]


def _async(flow: Flow[Any], *, deadline: float | None = None) -> Any:
    return asyncio.run(adrive(flow, deadline=deadline))


@pytest.fixture(params=[drive, _async], ids=["sync", "async"])
def driver(request: pytest.FixtureRequest) -> Drive:
    chosen: Drive = request.param
    return chosen


def request_to(model: Model, delay: float = 0.0) -> Request:
    return Request(model, ({"role": "user", "content": "grade"},), delay=delay)


def test_a_delay_is_slept(driver: Drive) -> None:
    begin = time.monotonic()
    driver(asking(request_to(scripted("yes"), delay=0.05)))
    assert time.monotonic() - begin >= 0.05


def test_a_request_that_could_not_start_in_time_is_not_sent(driver: Drive) -> None:
    model = scripted("yes")
    outcome = driver(asking(request_to(model, delay=60)), deadline=5)
    assert isinstance(outcome, NotSent)
    assert "deadline of 5 s" in outcome.message
    assert "60.0 s" in outcome.message
    assert model.client.requests == []


def test_a_judgement_that_runs_out_of_time_counts_what_was_sent(driver: Drive) -> None:
    slow = RateLimitError(
        "Slow down.", retryable=True, retry_after=60, status=429, request_id="r7", said="all of it"
    )
    flow = judged(request_to(scripted("bad", slow)), _unreadable, Patience())
    with pytest.raises(DeadlineError, match=r"The last request failed: Slow down\.") as caught:
        driver(flow, deadline=5)
    error = caught.value
    assert type(error) is DeadlineError
    assert (error.attempts, error.raw, error.status, error.request_id) == (2, "bad", 429, "r7")
    assert (error.retry_after, error.said) == (60, "all of it")
    assert error.__cause__ is slow


def _unreadable(answer: Answer) -> str:
    from judgekit.errors import ParseError

    raise ParseError("That is no verdict.")


def test_the_deadline_may_have_passed_before_anything_is_sent(driver: Drive) -> None:
    def flow() -> Flow[Any]:
        yield from doing(Job(lambda: time.sleep(0.02)))
        return (yield from judged(request_to(scripted("yes")), lambda answer: answer.text, Patience()))

    with pytest.raises(DeadlineError, match="has passed") as caught:
        driver(flow(), deadline=0.01)
    assert caught.value.attempts == 0


def test_an_error_among_others_is_itself(driver: Drive) -> None:
    """And no group of errors, whichever driver it is."""

    def refuse(request: Request) -> str:
        raise ConfigError("no key")

    def flow() -> Flow[Any]:
        return (yield (request_to(scripted("yes")), request_to(scripted(refuse)), request_to(scripted("no"))))

    with pytest.raises(ConfigError, match="no key"):
        driver(flow())


def test_failures_among_others_are_values(driver: Drive) -> None:
    def flow() -> Flow[Any]:
        return (
            yield (
                request_to(scripted("yes")),
                request_to(scripted(ConnectionError("down"))),
                Job(lambda: 42),
            )
        )

    good, bad, done = driver(flow())
    assert (good, done) == (Answer("yes"), 42)
    assert isinstance(bad, ModelError)


def test_effects_of_a_round_happen_at_the_same_time(driver: Drive) -> None:
    barrier = threading.Barrier(3, timeout=10)

    def flow() -> Flow[Any]:
        return (yield tuple(Job(barrier.wait, blocking=True) for _ in range(3)))

    assert sorted(driver(flow())) == [0, 1, 2]


def test_blocking_work_leaves_the_loop_free() -> None:
    released = threading.Event()

    async def both() -> Any:
        task = asyncio.create_task(adrive(doing(Job(lambda: released.wait(10), blocking=True))))
        await asyncio.sleep(0)
        released.set()
        return await task

    assert asyncio.run(both()) is True


def test_an_async_job_goes_before_its_sync_twin() -> None:
    async def awaited() -> str:
        return "awaited"

    job = Job(lambda: "called", awaited)
    assert drive(doing(job)) == "called"
    assert asyncio.run(adrive(doing(job))) == "awaited"


def test_an_evaluation_s_deadline_is_kept() -> None:
    class Evaluation:
        name = "slow"
        deadline = 0.01

        def flow(self, item: Any) -> Flow[Any]:
            return (yield from asking(request_to(scripted(item["outputs"]), delay=1)))

    assert isinstance(Evaluator(Evaluation())(outputs="x"), DeadlineError)
    assert isinstance(asyncio.run(AsyncEvaluator(Evaluation())(outputs="x")), DeadlineError)


def test_the_item_holds_all_that_was_given() -> None:
    class Evaluation:
        name = "echo"
        deadline = None

        def flow(self, item: Any) -> Flow[Any]:
            return (yield from doing(Job(lambda: dict(item))))

    expected = {"inputs": None, "outputs": "x", "reference_outputs": None, "attachments": None, "context": 1}
    assert Evaluator(Evaluation())(outputs="x", context=1) == expected
    assert asyncio.run(AsyncEvaluator(Evaluation())(outputs="x", context=1)) == expected
    assert list(expected)[:3] == ["inputs", "outputs", "reference_outputs"]
