"""What a run is made of: examples that go in, and for each of them a row with its scores, failures, times and cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from judgekit.core.exchange import Usage
from judgekit.errors import ConfigError, JudgeError

__all__ = ["Example", "Exchange", "Failure", "RowResult", "Score"]


@dataclass(frozen=True, slots=True)
class Example:
    """One row of data.

    Attributes:
        index: its place in the data, from 0.
        id: the id that it brings, else its index as text; experiments are compared by it.
        inputs: what the application is given.
        outputs: what the application answered, where the data has it already.
        reference_outputs: what is right.
        metadata: facts about it, to slice by.
        attachments: what judges see beside the text.
        extra: its other columns; evaluators get them as keywords.
        source: the object that it was read from, where that was no mapping: a LangSmith `Example` say.
    """

    index: int
    id: str
    inputs: Any = None
    outputs: Any = None
    reference_outputs: Any = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    attachments: Any = None
    extra: Mapping[str, Any] = field(default_factory=dict)
    source: Any = field(default=None, compare=False, repr=False)

    def item(self, outputs: Any) -> dict[str, Any]:
        """The keywords that an evaluator is called with."""
        return {
            **self.extra,
            "inputs": self.inputs,
            "outputs": outputs,
            "reference_outputs": self.reference_outputs,
            "attachments": self.attachments,
            "metadata": self.metadata,
        }


@dataclass(frozen=True, slots=True)
class Failure:
    """Something that has no score, and why. It is never a score.

    Attributes:
        code: how it failed: a `JudgeError`'s code, or the name of another exception's class.
        message: what happened and what to change.
        source: which evaluator failed, or "target".
        attempts: how many requests were sent.
        raw: the last answer's text, where one came and could not be read.
        usage: tokens of all attempts, where they are known.
    """

    code: str
    message: str
    source: str = ""
    attempts: int = 0
    raw: str | None = None
    usage: Mapping[str, Any] | None = None

    @classmethod
    def of(cls, error: BaseException, source: str = "") -> Failure:
        """The failure that an exception tells of."""
        if isinstance(error, JudgeError):
            return cls(error.code, error.message, source, error.attempts, error.raw, error.usage)
        if isinstance(error, ConfigError):
            return cls("bad_row", str(error), source)
        return cls(type(error).__name__, str(error) or repr(error), source)

    def to_dict(self) -> dict[str, Any]:
        found = {
            "code": self.code,
            "message": self.message,
            "source": self.source,
            "attempts": self.attempts,
            "raw": self.raw,
        }
        return {**found, "usage": dict(self.usage)} if self.usage else found


@dataclass(frozen=True, slots=True)
class Score:
    """One verdict. `score` is a bool, a finite number, or a label; `source` is the evaluator that gave it."""

    key: str
    score: bool | float | str
    comment: str | None = None
    metadata: Mapping[str, Any] | None = None
    source: str = ""

    @property
    def number(self) -> float | None:
        """The score as a number: 1.0 and 0.0 for true and false; None for a label."""
        return None if isinstance(self.score, str) else float(self.score)

    def to_dict(self) -> dict[str, Any]:
        return {
            "key": self.key,
            "score": self.score,
            "comment": self.comment,
            "metadata": None if self.metadata is None else dict(self.metadata),
            "source": self.source,
        }


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request to a model and what came of it, as the report shows it.

    Attributes:
        source: the evaluator that asked.
        model: whom it asked, `provider:model`.
        messages: the rendered prompt, in OpenAI's shape.
        answer: the text that came back, or None.
        error: the failure's code where no answer came, or None.
        seconds: how long it took; 0.0 when it was remembered.
        usage: tokens, where the provider counted them.
        remembered: whether the answer came from the store and cost nothing.
        key: the hash of the request, under which the store keeps the answer.
    """

    source: str
    model: str
    messages: Sequence[Mapping[str, Any]]
    answer: str | None = None
    error: str | None = None
    seconds: float = 0.0
    usage: Usage | None = None
    remembered: bool = False
    key: str = ""

    def to_dict(self) -> dict[str, Any]:
        return {
            "source": self.source,
            "model": self.model,
            "messages": [dict(message) for message in self.messages],
            "answer": self.answer,
            "error": self.error,
            "seconds": self.seconds,
            "usage": None if self.usage is None else self.usage.to_dict(),
            "remembered": self.remembered,
            "key": self.key,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Exchange:
        usage = data.get("usage")
        return cls(**{**data, "usage": None if usage is None else Usage(**usage)})


@dataclass(frozen=True, slots=True)
class RowResult:
    """One example's outcome in one repetition.

    Attributes:
        index: the example's place in the data; results are in this order.
        id: the example's id.
        repetition: from 0.
        inputs, outputs, reference_outputs, metadata: the values that were judged.
        scores: every verdict, in the order of the evaluators.
        failures: every evaluator that has no verdict here, and why.
        error: why the target failed, or None. Such a row has no scores, unless they were asked for.
        seconds: by "target" and by evaluator.
        usage: tokens of all judges together that were paid for here, or None where none were counted.
        cost: what they cost in dollars; None where a price or a count is unknown, 0.0 where nothing was asked.
        exchanges: what the judges asked and were answered.
    """

    index: int
    id: str
    repetition: int = 0
    inputs: Any = None
    outputs: Any = None
    reference_outputs: Any = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    scores: tuple[Score, ...] = ()
    failures: tuple[Failure, ...] = ()
    error: Failure | None = None
    seconds: Mapping[str, float] = field(default_factory=dict)
    usage: Usage | None = None
    cost: float | None = 0.0
    exchanges: tuple[Exchange, ...] = ()

    @property
    def failed(self) -> bool:
        """Whether anything in it failed: the target or an evaluator."""
        return self.error is not None or bool(self.failures)

    def score(self, key: str) -> Score | None:
        """The verdict of that key, or None."""
        return next((score for score in self.scores if score.key == key), None)

    def to_dict(self) -> dict[str, Any]:
        """A dict that `from_dict` reads; JSON-able when the judged values are."""
        return {
            "index": self.index,
            "id": self.id,
            "repetition": self.repetition,
            "inputs": self.inputs,
            "outputs": self.outputs,
            "reference_outputs": self.reference_outputs,
            "metadata": dict(self.metadata),
            "scores": [score.to_dict() for score in self.scores],
            "failures": [failure.to_dict() for failure in self.failures],
            "error": None if self.error is None else self.error.to_dict(),
            "seconds": dict(self.seconds),
            "usage": None if self.usage is None else self.usage.to_dict(),
            "cost": self.cost,
            "exchanges": [exchange.to_dict() for exchange in self.exchanges],
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> RowResult:
        error, usage = data.get("error"), data.get("usage")
        read = {
            "scores": tuple(Score(**score) for score in data.get("scores", ())),
            "failures": tuple(Failure(**failure) for failure in data.get("failures", ())),
            "error": None if error is None else Failure(**error),
            "usage": None if usage is None else Usage(**usage),
            "exchanges": tuple(map(Exchange.from_dict, data.get("exchanges", ()))),
        }
        return cls(**{**data, **read})
