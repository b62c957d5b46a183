"""One row of a run, as a flow: the target answers, the evaluators score, and whatever fails is a value beside the rest."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from judgekit.core.flow import Flow, Job, Layer, doing, in_turn, settled, together
from judgekit.core.plain import to_plain
from judgekit.errors import PromptError
from judgekit.models.drive import adrive, drive, layered
from judgekit.runner.recording import Pricing, Recorder, cost_of, usage_of
from judgekit.runner.records import Example, Exchange, Failure, RowResult, Score
from judgekit.runner.scorers import Scorer
from judgekit.runner.targets import Target

__all__ = ["TARGET", "Plan", "Todo", "row"]

TARGET = "target"
"""The source of a target's failure, and the name of its time."""


class Todo(NamedTuple):
    """One row that is to be done. `before` is what an earlier, interrupted run has of it; `key` its hash in the store."""

    example: Example
    repetition: int = 0
    before: RowResult | None = None
    key: bytes = b""


@dataclass(frozen=True)
class Plan:
    """What is done with every row.

    Attributes:
        target: the application, or None where the data has outputs.
        scorers: the evaluators.
        layers: the layers under every judge, for a repetition; the second argument says that the row failed before and
            what was remembered of it is not to be used.
        pricing: dollars for tokens.
        score_failed: whether a row whose target failed is scored all the same.
        side_by_side: whether the evaluators of one row work at the same time.
        traced: whether what judges asked and were answered is kept.
    """

    target: Target | None
    scorers: tuple[Scorer, ...]
    layers: Callable[[int, bool], Sequence[Layer]]
    pricing: Pricing
    score_failed: bool = False
    side_by_side: bool = True
    traced: bool = True


class _Answered(NamedTuple):
    outputs: Any
    error: Failure | None


class _Verdict(NamedTuple):
    scores: tuple[Score, ...]
    failure: Failure | None
    seconds: float
    exchanges: Sequence[Exchange]


def row(plan: Plan, todo: Todo) -> Flow[RowResult]:
    """Answer and score one example; never raises for what is wrong with it."""
    example, before = todo.example, todo.before
    seconds: dict[str, float] = {}
    outputs, error = example.outputs, None
    if before is not None:  # its target worked then
        outputs = before.outputs
        seconds.update(before.seconds)
    elif plan.target is not None:
        started = time.perf_counter()
        found = yield from settled(doing(plan.target.job(example)))
        seconds[TARGET] = time.perf_counter() - started
        if isinstance(found, Exception):
            outputs, error = None, Failure.of(found, TARGET)
        else:
            outputs = found
    scorers = plan.scorers if error is None or plan.score_failed else ()
    done = {} if before is None else {score.source for score in before.scores}
    left = [scorer for scorer in scorers if scorer.name not in done]
    jobs = [doing(_judging(plan, scorer, todo, outputs)) for scorer in left]
    if len(jobs) == 1:
        verdicts = [(yield from jobs[0])]
    else:
        verdicts = yield from (together if plan.side_by_side else in_turn)(*jobs)
    seconds.update((scorer.name, verdict.seconds) for scorer, verdict in zip(left, verdicts, strict=True))
    return _result(plan, todo, _Answered(outputs, error), seconds, verdicts)


def _judging(plan: Plan, scorer: Scorer, todo: Todo, outputs: Any) -> Job:
    """An evaluator's work on one row: driven on its own, so that it has its own deadline, layers and clock."""
    recorder = Recorder(scorer.name)
    layers = recorder.around(plan.layers(todo.repetition, todo.before is not None))
    flow = _timed(scorer, todo.example, outputs, recorder)
    deadline = scorer.evaluation.deadline

    def work() -> _Verdict:
        with layered(*layers):
            return drive(flow, deadline=deadline)

    async def awork() -> _Verdict:
        with layered(*layers):
            return await adrive(flow, deadline=deadline)

    return Job(work, awork)


def _timed(scorer: Scorer, example: Example, outputs: Any, recorder: Recorder) -> Flow[_Verdict]:
    started = time.perf_counter()
    found = yield from settled(scorer.flow(example, outputs))
    elapsed = time.perf_counter() - started
    if isinstance(found, Exception):
        return _Verdict((), Failure.of(found, scorer.name), elapsed, recorder.exchanges)
    return _Verdict(found, None, elapsed, recorder.exchanges)


def _result(
    plan: Plan,
    todo: Todo,
    answered: _Answered,
    seconds: Mapping[str, float],
    verdicts: Sequence[_Verdict],
) -> RowResult:
    example, before = todo.example, todo.before
    exchanges = [exchange for verdict in verdicts for exchange in verdict.exchanges]
    scores = [score for verdict in verdicts for score in verdict.scores]
    usage, cost = usage_of(exchanges), cost_of(exchanges, plan.pricing)
    if before is not None:
        scores = _ordered([*before.scores, *scores], plan.scorers)
        exchanges = [*before.exchanges, *exchanges]
        usage = before.usage if usage is None else usage if before.usage is None else before.usage + usage
        cost = None if cost is None or before.cost is None else before.cost + cost
    return RowResult(
        index=example.index,
        id=example.id,
        repetition=todo.repetition,
        inputs=_plain(example.inputs, "inputs"),
        outputs=_plain(answered.outputs, "outputs"),
        reference_outputs=_plain(example.reference_outputs, "reference_outputs"),
        metadata=_plain(example.metadata, "metadata"),
        scores=tuple(scores),
        failures=tuple(verdict.failure for verdict in verdicts if verdict.failure is not None),
        error=answered.error,
        seconds=seconds,
        usage=usage,
        cost=cost,
        exchanges=tuple(exchanges) if plan.traced else (),
    )


def _ordered(scores: Sequence[Score], scorers: Sequence[Scorer]) -> list[Score]:
    place = {scorer.name: position for position, scorer in enumerate(scorers)}
    return sorted(scores, key=lambda score: place.get(score.source, len(place)))


def _plain(value: Any, name: str) -> Any:
    """The value as it can be stored: as data, or what it says of itself where it is none."""
    if value is None or type(value) is str:
        return value
    try:
        return to_plain(value, name=name)
    except PromptError:
        return repr(value)
