"""What an evaluator asked of models for one row: seen at both ends of the layers, so that what was paid is told from
what was remembered."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable, Sequence

from judgekit.core.exchange import Answer, Request, Usage
from judgekit.core.flow import Layer, Outcomes, Round
from judgekit.errors import JudgeError
from judgekit.runner.records import Exchange

__all__ = ["Recorder", "cost_of", "usage_of"]

Pricing = Callable[[str, Usage], float | None]
"""Dollars for tokens of a model, or None where the price is unknown."""


class Recorder:
    """Collects the exchanges of one evaluator on one row.

    Args:
        source: the evaluator's name.
    """

    __slots__ = ("_sent", "exchanges", "source")

    def __init__(self, source: str) -> None:
        self.source = source
        self.exchanges: list[Exchange] = []
        self._sent: dict[tuple[int, ...], float] = {}

    def around(self, layers: Sequence[Layer]) -> tuple[Layer, ...]:
        """The layers with one in front that sees every outcome, and one behind that sees what is really sent."""
        return (self._seen, *layers, self._timed)

    def _timed(self, effects: Round) -> Generator[Round, Outcomes, Outcomes]:
        started = time.perf_counter()
        outcomes = yield effects
        elapsed = time.perf_counter() - started
        self._sent.update((_same(effect), elapsed) for effect in effects if isinstance(effect, Request))
        return outcomes

    def _seen(self, effects: Round) -> Generator[Round, Outcomes, Outcomes]:
        outcomes = yield effects
        for effect, outcome in zip(effects, outcomes, strict=True):
            if isinstance(effect, Request):
                self.exchanges.append(self._exchange(effect, outcome))
        return outcomes

    def _exchange(self, request: Request, outcome: Answer | JudgeError) -> Exchange:
        seconds = self._sent.pop(_same(request), None)
        answered = isinstance(outcome, Answer)
        return Exchange(
            source=self.source,
            model=request.model.name,
            messages=request.messages,
            answer=_said(outcome) if isinstance(outcome, Answer) else None,
            error=None if isinstance(outcome, Answer) else outcome.code,
            seconds=seconds or 0.0,
            usage=outcome.usage if isinstance(outcome, Answer) else None,
            remembered=answered and seconds is None,
            key=request.key,
        )


def usage_of(exchanges: Iterable[Exchange]) -> Usage | None:
    """All tokens that were paid for, or None where none were counted."""
    counted = [each.usage for each in exchanges if each.usage is not None and not each.remembered]
    return sum(counted[1:], counted[0]) if counted else None


def cost_of(exchanges: Iterable[Exchange], pricing: Pricing) -> float | None:
    """Dollars for what was sent and answered; None where the price or the tokens of one are unknown."""
    total = 0.0
    for each in exchanges:
        if each.remembered or (each.answer is None and each.usage is None):
            continue
        dollars = pricing(each.model, each.usage or Usage())
        if dollars is None or (each.usage is None and pricing(each.model, _A_TOKEN)):
            return None
        total += dollars
    return total


_A_TOKEN = Usage(1_000_000, 1_000_000)


def _same(request: Request) -> tuple[int, ...]:
    """What a request shares with its copies that only wait longer: layers hand on such copies."""
    return (id(request.model), id(request.messages), id(request.params))


def _said(answer: Answer) -> str | None:
    if answer.text is not None or not answer.calls:
        return answer.text or ""
    return "\n".join(str(call.arguments) for call in answer.calls)
