"""Limits of a run: how fast requests leave, what they may cost together, and how many are under way at a time."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass, replace
from typing import Any

from judgekit.core.asking import NotSent
from judgekit.core.exchange import Answer, Request, Usage
from judgekit.core.flow import Effect, Job, Layer, Outcomes, Round
from judgekit.errors import BudgetError, ConfigError, JudgeError, ModelError
from judgekit.models.pace import Lengths, Pace
from judgekit.models.prices import Price, Prices, cost, price_of, read_prices

__all__ = ["BUSY", "Gate", "Limits"]

BUSY = frozenset({429, 503, 529})
"""The statuses by which a provider says that it wants less."""

_WINDOW = 16  # requests; fewer say little
_GLANCE = 0.05  # seconds between two looks at what requests under way have cost


class Gate:
    """How many may be under way at a time: fewer when a provider is busy, more as it answers.

    Halved when more than a third of a window of requests was slowed, and one more after each other window: additive
    increase and multiplicative decrease (Chiu and Jain, 1989, Computer Networks and ISDN Systems 17), once for each
    window as in TCP: what was under way at the time of a halving says nothing new. A window is as many requests as are
    allowed, and at least 16. A few that are slowed are no reason to go slower, because each of them waits already: a
    provider that is asked for the double of its rate refuses half. Not locked: for one event loop.

    Args:
        start: how many at first.
        most: never more than this.

    Raises:
        ConfigError: the numbers are not 1 <= start <= most.
    """

    __slots__ = ("_busy", "_most", "_old", "_seen", "allowed")

    def __init__(self, start: int, most: int) -> None:
        if not 1 <= start <= most:
            raise ConfigError(f"A gate starts at {start} of {most}: give numbers with 1 <= start <= most.")
        self.allowed = start
        self._most = most
        self._seen = self._busy = self._old = 0

    def succeeded(self) -> None:
        """One was answered."""
        self._count(busy=False)

    def slowed(self) -> None:
        """One was told to come later."""
        self._count(busy=True)

    def _count(self, *, busy: bool) -> None:
        if self._old:
            self._old -= 1
            return
        self._seen += 1
        self._busy += busy
        window = max(self.allowed, _WINDOW)
        if self._busy * 3 > window:
            self._old = self.allowed - 1
            self._seen = self._busy = 0
            self.allowed = max(self.allowed // 2, 1)
        elif self._seen >= window:
            self._seen = self._busy = 0
            self.allowed = min(self.allowed + 1, self._most)

    def __repr__(self) -> str:
        return f"Gate({self.allowed} of {self._most})"


class Limits:
    """Requests and tokens per minute, and dollars. One object may be shared by judges, threads and event loops.

    Requests and tokens are counted for each model by itself, as providers count them; dollars for all together.
    Requests leave evenly spaced, so that no minute has more than the limit; a minute may have the tokens of one request
    more. Tokens are estimated before (four bytes of prompt a token, and the mean of the answers so far) and corrected
    when the provider has counted. When it answers 429, 503 or 529, later requests to that model wait as long as it asks
    for, and leave at half the pace, which then comes back by a hundredth of the full one each second: additive increase
    and multiplicative decrease (Chiu and Jain, 1989). A request's own longer delay stays.

    A request is not sent when its cost could exceed the dollars that are left; while that depends on requests under way,
    it waits for their answers. Before it is sent, an answer counts as long as `max_tokens`, or as the longest so far.

    Args:
        requests_per_minute: for each model; None is no limit.
        tokens_per_minute: input and output together, for each model; None is no limit.
        dollars: for everything that is sent under this object; None is no limit.
        prices: dollars per million tokens by model, or a file of them; they go before the shipped table.
        clock: seconds that only go forward.

    Raises:
        ConfigError: a limit is not a positive number, or the prices cannot be read.
    """

    def __init__(
        self,
        requests_per_minute: float | None = None,
        tokens_per_minute: float | None = None,
        dollars: float | None = None,
        prices: Prices | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        given = {
            "requests_per_minute": requests_per_minute,
            "tokens_per_minute": tokens_per_minute,
            "dollars": dollars,
        }
        for name, value in given.items():
            if value is not None and not value > 0:
                raise ConfigError(f"{name} is {value!r}: it must be more than 0, or None for no limit.")
        self._given = given
        self._rates = (requests_per_minute, tokens_per_minute)
        self._prices = read_prices(prices)
        self._clock = clock
        self._lock = threading.Lock()
        self._models: dict[str, _Model] = {}
        self._requests = 0
        self._usage = Usage()
        self._spent = self._reserved = 0.0
        self._unpriced = False

    @property
    def requests(self) -> int:
        """How many requests were sent."""
        return self._requests

    @property
    def tokens(self) -> Usage:
        """The tokens that providers counted."""
        return self._usage

    @property
    def spent(self) -> float | None:
        """Dollars, with the estimate for answers whose tokens nobody counted; None once a price was unknown."""
        return None if self._unpriced else self._spent

    def __repr__(self) -> str:
        limits = ", ".join(f"{name}={value:g}" for name, value in self._given.items() if value is not None)
        spent = "unknown" if self.spent is None else f"${self.spent:.4f}"
        used = self._usage.input_tokens + self._usage.output_tokens
        return f"<Limits({limits}): {self._requests} requests, {used} tokens, cost {spent}>"

    def layer(self) -> Layer:
        """The layer that keeps the limits. It stands behind the one that remembers: what is remembered costs nothing."""
        return self._kept

    def _kept(self, effects: Round) -> Generator[Round, Outcomes, Outcomes]:
        found: dict[int, Any] = {}
        while left := {i: effect for i, effect in enumerate(effects) if i not in found}:
            tickets: dict[int, _Ticket] = {}
            try:
                ready = self._ready(left, tickets, found)
                if ready:
                    outcomes = yield tuple(ready.values())
                    for i, outcome in zip(ready, outcomes, strict=True):
                        found[i] = outcome
                        if i in tickets:
                            self._settle(tickets.pop(i), outcome)
                elif not found.keys() >= left.keys():
                    yield (_GLANCING,)
            finally:
                for ticket in tickets.values():
                    self._give_back(ticket)
        return tuple(found[i] for i in range(len(effects)))

    def _ready(
        self, left: dict[int, Effect], tickets: dict[int, _Ticket], found: dict[int, Any]
    ) -> dict[int, Effect]:
        """What of the effects may be passed on now; refusals go to `found`, and what must wait to neither."""
        ready: dict[int, Effect] = {}
        for i, effect in left.items():
            if not isinstance(effect, Request):
                ready[i] = effect
                continue
            verdict = self._admitted(effect)
            if isinstance(verdict, BudgetError):
                found[i] = verdict
            elif verdict is not None:
                tickets[i] = verdict
                ready[i] = replace(effect, delay=max(effect.delay, verdict.delay))
        return ready

    def _admitted(self, request: Request) -> _Ticket | BudgetError | None:
        """What was reserved for a request; None while only those under way stand against it."""
        dollars = self._given["dollars"]
        with self._lock:
            model = self._of(request.model.name)
            usual, longest = model.lengths.of(request)
            worst = 0.0 if model.price is None else cost(longest, model.price)
            if dollars is not None:
                if self._spent + worst > dollars:
                    return _refused(request.model.name, dollars, self._spent, worst)
                if self._spent + self._reserved + worst > dollars:
                    return None
            now = self._clock()
            tokens = usual.input_tokens + usual.output_tokens
            start = model.pace.leave(now, tokens)
            self._requests += 1
            self._reserved += worst
            return _Ticket(model, start, start - now, tokens, worst)

    def _of(self, name: str) -> _Model:
        if name not in self._models:
            price = price_of(name, self._prices)
            if price is None and self._given["dollars"] is not None:
                raise ConfigError(
                    f"The price of {name} is not known, so its dollars cannot be limited: give it, in dollars per million "
                    f"tokens, as Limits(dollars=..., prices={{{name!r}: Price(input, output)}}), or leave dollars out."
                )
            self._models[name] = _Model(price, Pace(*self._rates), Lengths())
        return self._models[name]

    def _settle(self, ticket: _Ticket, outcome: Answer | JudgeError) -> None:
        """Set what was reserved right by what came."""
        if isinstance(outcome, NotSent):
            self._give_back(ticket)
            return
        model, usage = ticket.model, _usage(outcome)
        with self._lock:
            self._reserved -= ticket.dollars
            if usage is not None:
                self._usage += usage
                model.pace.correct(usage.input_tokens + usage.output_tokens - ticket.tokens, self._clock())
            if usage is not None or isinstance(outcome, Answer):
                self._unpriced = self._unpriced or model.price is None
                self._spent += (
                    ticket.dollars if usage is None or model.price is None else cost(usage, model.price)
                )
            if isinstance(outcome, Answer) and usage is not None:
                model.lengths.note(usage)
            if isinstance(outcome, ModelError) and outcome.status in BUSY:
                model.pace.slow(self._clock(), since=ticket.start, wait=outcome.retry_after)

    def _give_back(self, ticket: _Ticket) -> None:
        """Nothing was sent."""
        with self._lock:
            self._requests -= 1
            self._reserved -= ticket.dollars
            ticket.model.pace.give_back(ticket.tokens, self._clock())


@dataclass(frozen=True, slots=True)
class _Model:
    """What is known of one model."""

    price: Price | None
    pace: Pace
    lengths: Lengths


@dataclass(frozen=True, slots=True)
class _Ticket:
    """What was reserved for one request: its start, the tokens that it is thought to need, the dollars at worst."""

    model: _Model
    start: float
    delay: float
    tokens: int
    dollars: float


_GLANCING = Job(lambda: time.sleep(_GLANCE), lambda: asyncio.sleep(_GLANCE))


def _usage(outcome: Answer | JudgeError) -> Usage | None:
    if isinstance(outcome, Answer) or outcome.usage is None:
        return outcome.usage if isinstance(outcome, Answer) else None
    return Usage(**outcome.usage)


def _refused(model: str, dollars: float, spent: float, worst: float) -> BudgetError:
    return BudgetError(
        f"The budget of ${dollars:g} is spent: ${spent:.4f} so far, and this request to {model} could cost ${worst:.4f}. "
        "Raise Limits(dollars=...); what was finished is kept."
    )
