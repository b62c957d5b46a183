"""`check`: judge a value inside a test, and fail the test when the score is below its minimum."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from judgekit.core.characters import shortened
from judgekit.core.exchange import Usage
from judgekit.core.flow import Flow, Layer
from judgekit.core.plain import to_plain, to_text
from judgekit.errors import ConfigError, JudgeError, PromptError
from judgekit.evaluators.function_result import read_result
from judgekit.models.drive import adrive, drive, layered
from judgekit.models.prices import cost, price_of
from judgekit.runner.journal import JOURNAL, Journal
from judgekit.runner.recording import Recorder, cost_of, usage_of
from judgekit.runner.records import Example, Failure, RowResult, Score
from judgekit.runner.scorers import Scorer, read_scorers
from judgekit.runner.tally import close_names
from judgekit.types import EvaluatorResult

__all__ = ["Minimum", "acheck", "check", "log"]

Minimum = float | bool | Mapping[str, float | bool]
"""The least score that passes; True is 1.0. A mapping gives one for each key."""

_WIDEST = 300  # characters of a judged value in a failed test's message


def check(
    evaluator: Any,
    *,
    outputs: Any,
    inputs: Any = None,
    reference_outputs: Any = None,
    attachments: Any = None,
    min: Minimum | None = None,  # noqa: A002  # the word that a reader of the test expects
    key: str | None = None,
    **kwargs: Any,
) -> EvaluatorResult | list[EvaluatorResult]:
    """Judge a value, as a test does.

    Args:
        evaluator: what a factory of judgekit made, a function that returns a score, or a LangChain string evaluator.
        outputs, inputs, reference_outputs, attachments: the values that are judged.
        min: the least score that passes: a number, or True for a score that must be true (or 1.0); for an evaluator with
            several results also a mapping, key -> number. None lets every score pass.
        key: what the score is called instead of the evaluator's own key.
        **kwargs: further values for the evaluator.

    Returns:
        The result, `{"key", "score", "comment", "metadata"}`; a list of them where the evaluator gives several.

    Raises:
        AssertionError: a score is below its minimum; the message has the comment and the judged values.
        JudgeError: there is no verdict: the test did not pass, and did not fail on its own account.
        ConfigError: `evaluator` is none, a score is a label and has no minimum, or `min` names a key that is not there.
    """
    __tracebackhide__ = True
    judging = _judging(evaluator, key, (inputs, outputs, reference_outputs, attachments), kwargs)
    try:
        with layered(*judging.layers):
            scores = drive(judging.flow(), deadline=judging.scorer.evaluation.deadline)
    except JudgeError as error:
        raise error.with_traceback(None) from None  # the message says all; where in judgekit says nothing
    return judging.passed(scores, min)


async def acheck(
    evaluator: Any,
    *,
    outputs: Any,
    inputs: Any = None,
    reference_outputs: Any = None,
    attachments: Any = None,
    min: Minimum | None = None,  # noqa: A002  # as in `check`
    key: str | None = None,
    **kwargs: Any,
) -> EvaluatorResult | list[EvaluatorResult]:
    """As `check`, awaited, for async tests; the evaluator may be async."""
    __tracebackhide__ = True
    judging = _judging(evaluator, key, (inputs, outputs, reference_outputs, attachments), kwargs)
    try:
        with layered(*judging.layers):
            scores = await adrive(judging.flow(), deadline=judging.scorer.evaluation.deadline)
    except JudgeError as error:
        raise error.with_traceback(None) from None  # as in `check`
    return judging.passed(scores, min)


def log(key: str, score: Any, comment: str | None = None) -> None:
    """Put a score that the test has found itself beside those of its judges.

    Raises:
        ParseError: it is no score: neither a bool, a finite number nor a text.
    """
    found = read_result({"key": key, "score": score, "comment": comment}, key)
    assert isinstance(found, dict)  # noqa: S101  # a mapping is one result
    _noted(JOURNAL.get(), RowResult(0, key, scores=(Score(key, found["score"], comment, source=key),)))


@dataclass(frozen=True)
class _Judging:
    """One judgement in a test."""

    scorer: Scorer
    example: Example
    key: str | None
    journal: Journal | None
    recorder: Recorder = field(default_factory=lambda: Recorder("check"))

    @property
    def layers(self) -> Sequence[Layer]:
        return self.recorder.around(() if self.journal is None else self.journal.layers())

    def flow(self) -> Flow[tuple[Score, ...]]:
        try:
            found = yield from self.scorer.flow(self.example, self.example.outputs)
            scores = self._called(found)
        except Exception as error:
            self._note(failures=(Failure.of(error, self._name),))
            raise
        self._note(scores=scores)
        return scores

    def passed(
        self, scores: Sequence[Score], minimum: Minimum | None
    ) -> EvaluatorResult | list[EvaluatorResult]:
        """The results, if none is below its minimum."""
        __tracebackhide__ = True
        for score, least in _paired(scores, minimum):
            number = score.number
            if number is None:
                raise ConfigError(
                    f"{score.key} is a label, {score.score!r}, which has no minimum: compare the result's score in the test, "
                    "or give the judge choices={label: number}."
                )
            if not number >= float(least):
                raise AssertionError(self._told(score, least))
        results = [_result(score) for score in scores]
        return results if len(results) > 1 else results[0]

    def _called(self, scores: tuple[Score, ...]) -> tuple[Score, ...]:
        if self.key is None:
            return scores
        if len(scores) > 1:
            raise ConfigError(
                f"key={self.key!r} cannot name the {len(scores)} results of {self.scorer.name}, each of which has its own key: "
                "leave it out."
            )
        return (replace(scores[0], key=self.key),)

    @property
    def _name(self) -> str:
        """What a judgement without a score is counted under."""
        return self.key or getattr(self.scorer.evaluation, "feedback_key", None) or self.scorer.name

    def _note(self, **found: Any) -> None:
        exchanges = self.recorder.exchanges
        usage, dollars = usage_of(exchanges), cost_of(exchanges, _dollars)
        _noted(self.journal, RowResult(0, self._name, usage=usage, cost=dollars, **found))

    def _told(self, score: Score, least: float | bool) -> str:
        lines = [f"{score.key}: the score {score.score} is below the minimum {least}"]
        if score.comment:
            lines.append(f"  comment: {score.comment}")
        values = ("inputs", "outputs", "reference_outputs")
        told = {name: getattr(self.example, name) for name in values} | dict(self.example.extra)
        lines += [f"  {name}: {_shortly(value)}" for name, value in told.items() if value is not None]
        return "\n".join(lines)


def _judging(
    evaluator: Any, key: str | None, values: tuple[Any, Any, Any, Any], others: Mapping[str, Any]
) -> _Judging:
    (scorer,) = read_scorers((evaluator,))
    inputs, outputs, reference_outputs, attachments = values
    extra = dict(others)
    metadata = extra.pop("metadata", None) or {}
    example = Example(0, "", inputs, outputs, reference_outputs, metadata, attachments, extra)
    return _Judging(scorer, example, key, JOURNAL.get())


def _noted(journal: Journal | None, judged: RowResult) -> None:
    if journal is not None:
        journal.add(judged)


def _dollars(model: str, usage: Usage) -> float | None:
    price = price_of(model)
    return None if price is None else cost(usage, price)


def _paired(scores: Sequence[Score], minimum: Minimum | None) -> list[tuple[Score, float | bool]]:
    if minimum is None:
        return []
    if not isinstance(minimum, Mapping):
        return [(score, _number(minimum)) for score in scores]
    found = {score.key: score for score in scores}
    for key in minimum:
        if key not in found:
            raise ConfigError(f"min names {key!r}, which the result does not have.{close_names(key, found)}")
    return [(found[key], _number(least)) for key, least in minimum.items()]


def _number(least: Any) -> float | bool:
    if not isinstance(least, int | float) or math.isnan(least):
        raise ConfigError(f"min is {least!r}: give a number, True, or a mapping of keys to these.")
    return least


def _result(score: Score) -> EvaluatorResult:
    metadata = None if score.metadata is None else to_plain(score.metadata, name="metadata")
    return {"key": score.key, "score": score.score, "comment": score.comment, "metadata": metadata}


def _shortly(value: Any) -> str:
    try:
        text = to_text(value)
    except PromptError:
        text = repr(value)
    return shortened(" ".join(text.split()), _WIDEST)
