"""Limits: the pace of requests, what a busy provider changes, the budget, and that what is remembered is free."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

import pytest

from judgekit.core.asking import NotSent
from judgekit.core.exchange import Answer, Request, Usage
from judgekit.core.flow import Done, Job, Round, advance, asking, doing, together
from judgekit.core.layers import remembered
from judgekit.errors import BudgetError, ConfigError, ModelError, RateLimitError
from judgekit.models.base import Model
from judgekit.models.drive import adrive, drive, layered
from judgekit.models.limits import Gate, Limits
from judgekit.models.prices import Price
from judgekit.models.scripted import scripted

PRICES: Mapping[str, Price] = {"a:x": Price(1_000_000, 1_000_000)}  # a dollar a token


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def model(*lines: Any, name: str = "a:x", **params: Any) -> Model:
    return scripted(*(lines or (Answer("yes", usage=Usage(1, 1)),)), name=name, params=params)


def question(to: Model | None = None, text: str = "", **params: Any) -> Request:
    return Request(to or model(), ({"role": "user", "content": text},), params=params)


class Sending:
    """One round on its way through the layer, stopped where it waits for the driver."""

    under_way: ClassVar[list[Sending]] = []  # a round that nobody holds is closed, and gives its place back

    def __init__(self, limits: Limits, *effects: Any) -> None:
        self.under_way.append(self)
        self.flow = limits.layer()(effects)
        self.step: Round | Done[Any] = advance(self.flow)

    @property
    def delays(self) -> list[float]:
        assert not isinstance(self.step, Done)
        return [effect.delay for effect in self.step if isinstance(effect, Request)]

    @property
    def waits(self) -> bool:
        return not isinstance(self.step, Done) and isinstance(self.step[0], Job)

    def answer(self, *outcomes: Any) -> Any:
        self.step = advance(self.flow, outcomes)
        return self.step.value if isinstance(self.step, Done) else None


def used(tokens: int) -> Answer:
    return Answer("yes", usage=Usage(tokens, 0))


def busy(status: int = 429, retry_after: float | None = None) -> ModelError:
    return RateLimitError("slow down", status=status, retryable=True, retry_after=retry_after)


def test_requests_leave_evenly_spaced(clock: Clock) -> None:
    limits = Limits(requests_per_minute=120, clock=clock)
    to = model()
    delays = [Sending(limits, question(to)).delays[0] for _ in range(4)]
    assert delays == pytest.approx([0, 0.5, 1.0, 1.5])
    clock.now += 100
    assert Sending(limits, question(to)).delays == [0]


def test_no_minute_has_more_requests_than_the_limit(clock: Clock) -> None:
    limits = Limits(requests_per_minute=30, clock=clock)
    starts = []
    for step in range(400):
        clock.now += 0.1 if step % 50 else 37.0
        starts.append(clock.now + Sending(limits, question()).delays[0])
    for start in starts:
        assert sum(start <= other < start + 60 - 1e-6 for other in starts) <= 30


def test_a_rounds_requests_are_spaced_and_its_jobs_are_not(clock: Clock) -> None:
    job = Job(lambda: 7)
    sent = Sending(Limits(requests_per_minute=60, clock=clock), question(), job, question())
    assert sent.delays == pytest.approx([0, 1])
    assert sent.answer(used(1), 7, used(1)) == (used(1), 7, used(1))


def test_each_model_has_its_own_pace(clock: Clock) -> None:
    limits = Limits(requests_per_minute=1, clock=clock)
    assert Sending(limits, question(model(name="a:x"))).delays == [0]
    assert Sending(limits, question(model(name="a:y"))).delays == [0]


def test_a_longer_delay_of_the_request_stays(clock: Clock) -> None:
    limits = Limits(requests_per_minute=60, clock=clock)
    request = replace(question(), delay=9.0)
    assert Sending(limits, request).delays == [9.0]
    assert request.delay == 9.0
    assert Sending(limits, replace(question(), delay=0.2)).delays == [1.0]


def test_tokens_are_estimated_and_then_corrected(clock: Clock) -> None:
    limits = Limits(tokens_per_minute=6000, clock=clock)  # 100 a second
    text = "x" * 396  # 99 tokens, and one
    first = Sending(limits, question(text=text, max_tokens=900))
    assert first.delays == [0]
    assert Sending(limits, question(text=text, max_tokens=900)).delays == pytest.approx([10])
    first.answer(Answer("yes", usage=Usage(100, 100)))  # 800 fewer than was thought
    third = Sending(limits, question(text=text, max_tokens=900))  # thought to be answered as the first was
    assert third.delays == pytest.approx([12])
    assert Sending(limits, question(text=text)).delays == pytest.approx([14])


def test_an_image_counts_as_an_image_and_not_as_its_text(clock: Clock) -> None:
    limits = Limits(tokens_per_minute=60, clock=clock)
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 1_000_000}}
    message = {"role": "user", "content": [{"type": "text", "text": "x" * 40}, picture]}
    Sending(limits, Request(model(), (message,), params={"max_tokens": 1}))
    (delay,) = Sending(limits, question(max_tokens=1)).delays
    assert delay == pytest.approx(1012)  # 10 of text, 1000 of the image, one, and one of the answer


@pytest.mark.parametrize("status", [429, 503, 529])
def test_a_busy_provider_is_waited_for_and_then_asked_at_half_the_pace(clock: Clock, status: int) -> None:
    limits = Limits(requests_per_minute=60, clock=clock)
    Sending(limits, question()).answer(busy(status, retry_after=20))
    delays = [Sending(limits, question()).delays[0] for _ in range(3)]
    assert delays == pytest.approx([20, 22, 22 + 1 / 0.52])
    clock.now += 20 + 100  # by a hundredth of the full pace a second
    delays = [Sending(limits, question()).delays[0] for _ in range(3)]
    assert delays == pytest.approx([0, 1, 2])


def test_the_pace_comes_back_bit_by_bit(clock: Clock) -> None:
    limits = Limits(requests_per_minute=60, clock=clock)
    Sending(limits, question()).answer(busy(retry_after=20))
    clock.now += 20 + 30  # at 0.8 of the pace
    delays = [Sending(limits, question()).delays[0] for _ in range(2)]
    assert delays == pytest.approx([0, 1 / 0.8])


def test_what_was_under_way_halves_the_pace_once(clock: Clock) -> None:
    limits = Limits(requests_per_minute=60_000, clock=clock)
    sent = [Sending(limits, question()) for _ in range(5)]
    clock.now += 1
    for each in sent:
        each.answer(busy(retry_after=1))
    delays = [Sending(limits, question()).delays[0] for _ in range(2)]
    assert delays[1] - delays[0] == pytest.approx(0.002)


def test_a_busy_provider_without_other_limits_is_waited_for(clock: Clock) -> None:
    limits = Limits(clock=clock)
    Sending(limits, question()).answer(busy())
    assert Sending(limits, question()).delays == [1.0]
    assert Sending(limits, question(model(name="a:y"))).delays == [0]


def test_another_failure_changes_nothing(clock: Clock) -> None:
    limits = Limits(requests_per_minute=60, clock=clock)
    Sending(limits, question()).answer(ModelError("no such model", status=404))
    assert Sending(limits, question()).delays == pytest.approx([1])


def test_what_was_not_sent_gives_its_place_back(clock: Clock) -> None:
    limits = Limits(requests_per_minute=60, clock=clock)
    Sending(limits, question()).answer(NotSent("too late"))
    assert limits.requests == 0
    assert Sending(limits, question()).delays == [0]


def test_a_closed_round_gives_back_what_it_reserved(clock: Clock) -> None:
    limits = Limits(dollars=10, prices=PRICES, clock=clock)
    sent = Sending(limits, question(max_tokens=9))
    sent.flow.close()
    assert limits.requests == 0
    assert Sending(limits, question(max_tokens=9)).delays == [0]


def test_the_budget_is_a_ceiling() -> None:
    limits = Limits(dollars=10, prices=PRICES)
    to = model(used(4))
    with layered(limits.layer()):
        outcomes = [drive(asking(question(to, max_tokens=3))) for _ in range(4)]
    assert outcomes[:2] == [used(4), used(4)]
    refused = outcomes[2]
    assert isinstance(refused, BudgetError)
    assert refused.code == "budget"
    assert not refused.retryable
    assert "$8.0000 so far" in refused.message
    assert "could cost $4.0000" in refused.message
    assert limits.spent == 8.0
    assert limits.requests == len(to.client.requests) == 2


def test_the_budget_waits_for_what_is_under_way(clock: Clock) -> None:
    limits = Limits(dollars=10, prices=PRICES, clock=clock)
    first = Sending(limits, question(max_tokens=7))
    second = Sending(limits, question(max_tokens=7))
    assert first.delays == [0]
    assert second.waits
    second.answer(None)
    assert second.waits
    first.answer(used(1))
    second.answer(None)
    assert second.delays == [0]
    assert second.answer(used(1)) == (used(1),)
    assert limits.spent == 2.0


def test_a_round_does_not_wait_for_itself() -> None:
    limits = Limits(dollars=10, prices=PRICES)
    to = model(used(1))
    with layered(limits.layer()):
        flows = [asking(question(to, max_tokens=7)) for _ in range(3)]
        outcomes = drive(together(*flows, doing(Job(lambda: used(5)))))
    assert outcomes == [used(1), used(1), used(1), used(5)]
    assert limits.spent == 3.0


def test_a_refused_request_leaves_its_round_in_order() -> None:
    limits = Limits(dollars=5, prices=PRICES)
    small, large = question(max_tokens=1), question(max_tokens=50)
    with layered(limits.layer()):
        outcomes = drive(together(asking(large), asking(small), doing(Job(lambda: used(9)))))
    assert isinstance(outcomes[0], BudgetError)
    assert outcomes[1:] == [Answer("yes", usage=Usage(1, 1)), used(9)]


def test_free_models_go_on_when_the_budget_is_spent() -> None:
    limits = Limits(dollars=2, prices=PRICES)
    with layered(limits.layer()):
        drive(asking(question(model(used(2)), max_tokens=1)))
        assert isinstance(drive(asking(question(max_tokens=1))), BudgetError)
        assert drive(asking(question(model(used(2), name="local:x")))) == used(2)
    assert limits.spent == 2.0


def test_an_unknown_price_cannot_be_limited() -> None:
    limits = Limits(dollars=1)
    to = model(name="mine:m")
    with layered(limits.layer()), pytest.raises(ConfigError, match=r"'mine:m': Price\(input, output\)"):
        drive(asking(question(to)))
    assert to.client.requests == []


def test_without_a_budget_an_unknown_price_makes_the_cost_unknown() -> None:
    limits = Limits()
    before = limits.spent
    with layered(limits.layer()):
        drive(asking(question(model(name="mine:m"))))
    assert (before, limits.spent) == (0.0, None)
    assert limits.tokens == Usage(1, 1)


def test_an_answer_that_nobody_counted_costs_what_was_thought() -> None:
    limits = Limits(dollars=100, prices=PRICES)
    with layered(limits.layer()):
        drive(asking(question(model("yes"), max_tokens=5)))
    assert limits.spent == 6.0
    assert limits.tokens == Usage()


def test_a_failure_costs_what_its_provider_counted() -> None:
    limits = Limits(dollars=100, prices=PRICES)
    Sending(limits, question(max_tokens=1)).answer(ModelError("no"))
    assert limits.spent == 0.0
    counted = ModelError("cut", usage=Usage(3, 4).to_dict())
    Sending(limits, question(max_tokens=1)).answer(counted)
    assert limits.spent == 7.0


def test_what_is_remembered_costs_nothing() -> None:
    limits = Limits(requests_per_minute=1, dollars=3, prices=PRICES)
    to = model(used(2))
    with layered(remembered({}), limits.layer()):
        outcomes = [drive(asking(question(to, max_tokens=1))) for _ in range(5)]
    assert outcomes == [used(2)] * 5
    assert limits.requests == 1
    assert limits.spent == 2.0


@pytest.mark.parametrize("name", ["requests_per_minute", "tokens_per_minute", "dollars"])
@pytest.mark.parametrize("wrong", [0, -1, float("nan")])
def test_a_limit_is_more_than_nothing(name: str, wrong: float) -> None:
    given: dict[str, Any] = {name: wrong}
    with pytest.raises(ConfigError, match=f"{name} is"):
        Limits(**given)


def test_a_repr_says_the_limits_and_what_was_used() -> None:
    limits = Limits(requests_per_minute=60, dollars=9, prices=PRICES)
    with layered(limits.layer()):
        drive(asking(question(model(used(2)), max_tokens=1)))
    assert repr(limits) == "<Limits(requests_per_minute=60, dollars=9): 1 requests, 2 tokens, cost $2.0000>"


def test_threads_and_loops_share_one_budget() -> None:
    limits = Limits(dollars=50, prices=PRICES)
    outcomes: list[Any] = []

    def slowly(_: Request) -> Answer:
        time.sleep(0.001)
        return used(1)

    to = model(slowly)

    def work() -> None:
        with layered(limits.layer()):
            outcomes.extend(drive(asking(question(to, max_tokens=1))) for _ in range(20))

    async def awork() -> None:
        with layered(limits.layer()):
            outcomes.extend([await adrive(asking(question(to, max_tokens=1))) for _ in range(20)])

    threads = [threading.Thread(target=work) for _ in range(3)]
    threads.append(threading.Thread(target=lambda: asyncio.run(awork())))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    answered = sum(isinstance(outcome, Answer) for outcome in outcomes)
    assert len(outcomes) == 80
    assert answered == len(to.client.requests) == limits.requests == limits.spent == 49


def test_a_gate_opens_by_one_a_window() -> None:
    gate = Gate(2, 4)
    seen = []
    for _ in range(64):
        gate.succeeded()
        seen.append(gate.allowed)
    assert seen == [2] * 15 + [3] * 16 + [4] * 33


def test_a_gate_bears_a_few_that_are_slowed() -> None:
    gate = Gate(16, 16)
    for _ in range(40):
        for outcome in [gate.slowed] * 5 + [gate.succeeded] * 11:
            outcome()
    assert gate.allowed == 16


def test_a_gate_halves_once_for_what_was_under_way() -> None:
    gate = Gate(32, 64)
    for _ in range(11):  # more than a third of a window
        gate.slowed()
    assert gate.allowed == 16
    for _ in range(31):  # the others that were under way then
        gate.slowed()
    assert gate.allowed == 16
    for _ in range(6):
        gate.slowed()
    assert gate.allowed == 8
    for _ in range(200):
        gate.slowed()
    assert gate.allowed == 1
    assert repr(gate) == "Gate(1 of 64)"


@pytest.mark.parametrize(("start", "most"), [(0, 4), (5, 4)])
def test_a_gate_has_sensible_ends(start: int, most: int) -> None:
    with pytest.raises(ConfigError, match="1 <= start <= most"):
        Gate(start, most)
