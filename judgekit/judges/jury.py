"""Several judges, one verdict: a jury. What its members agree on, what they leave open, and what each is worth."""

from __future__ import annotations

import dataclasses
import json
import math
import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal, NamedTuple, Protocol

from judgekit.core.flow import Flow, settled, together
from judgekit.core.scales import Choices, Custom
from judgekit.errors import ConfigError, JudgeError
from judgekit.evaluators.base import AsyncEvaluator, Evaluation, Evaluator
from judgekit.evaluators.comparison import chosen
from judgekit.judges.parts import attempts_of, usage_of
from judgekit.models.base import Model
from judgekit.types import EvaluatorResult, ScoreType

__all__ = [
    "UNRESOLVED",
    "Jury",
    "VoteWeights",
    "check_method",
    "check_quorum",
    "create_async_jury",
    "create_jury",
    "leaders",
    "models_in",
    "shares_of",
]

Method = Literal["mean", "median", "majority", "weighted"]
Vote = ScoreType | None

UNRESOLVED = "unresolved"
"""The score of a jury whose members are tied between words: there is no middle of two words."""


def models_in(value: Any) -> Iterator[Model]:
    """The models anywhere in an evaluation."""
    if isinstance(value, Model):
        yield value
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        for field in dataclasses.fields(value):
            yield from models_in(getattr(value, field.name))
    elif isinstance(value, tuple | list):
        for part in value:
            yield from models_in(part)


class _Decision(NamedTuple):
    score: ScoreType
    resolved: bool = True
    shares: Mapping[str, float] | None = None


class VoteWeights(Protocol):
    """Weights that depend on what was voted; `judgekit.judges.samples.fit_weights` learns such."""

    @property
    def size(self) -> int:
        """How many judges they are for."""
        ...

    def shares(self, votes: Sequence[Vote]) -> dict[ScoreType, float]:
        """The weight of each score, all summing to 1, given the votes: one a judge, None for none."""
        ...


@dataclass(frozen=True)
class Jury:
    """Judges that are asked together about the same item, and how their scores become one."""

    judges: tuple[Evaluation, ...]
    method: Method = "mean"
    weights: tuple[float, ...] | VoteWeights | None = None
    quorum: int = 1
    feedback_key: str = "score"

    @property
    def name(self) -> str:
        return "jury" if self.feedback_key == "score" else f"{self.feedback_key}_jury"

    @property
    def names(self) -> tuple[str, ...]:
        """What each judge is called in the metadata; the second of one name is `name_2`."""
        given: Counter[str] = Counter()
        made = []
        for judge in self.judges:
            given[judge.name] += 1
            made.append(judge.name if given[judge.name] == 1 else f"{judge.name}_{given[judge.name]}")
        return tuple(made)

    @property
    def deadline(self) -> float | None:
        """The longest of the judges' own; None when one of them has none."""
        known = [judge.deadline for judge in self.judges]
        return None if None in known else max(each for each in known if each is not None)

    def flow(self, item: Mapping[str, Any]) -> Flow[EvaluatorResult]:
        """Ask all, count those who answered, decide.

        Raises:
            JudgeError: fewer judges than the quorum gave a score (`no_quorum`).
            ConfigError: a judge cannot judge this item, or its scores cannot be put together by this method.
        """
        outcomes = yield from together(*(settled(judge.flow(item)) for judge in self.judges))
        for outcome in outcomes:
            if isinstance(outcome, ConfigError):
                raise outcome
        votes = [self._vote(name, outcome) for name, outcome in zip(self.names, outcomes, strict=True)]
        self._check_quorum(votes, outcomes)
        decision = self._decided(votes)
        return {
            "key": self.feedback_key,
            "score": decision.score,
            "comment": self._comment(decision, outcomes),
            "metadata": self._metadata(decision, votes, outcomes),
        }

    def _vote(self, name: str, outcome: Any) -> Vote:
        if isinstance(outcome, Exception):
            return None
        score = outcome.get("score") if isinstance(outcome, Mapping) and "metadata" in outcome else None
        if isinstance(score, bool | int | float | str):
            return score
        raise ConfigError(
            f"{name} returns {type(outcome).__name__} without a single score: a jury needs judges of one score each."
        )

    def _check_quorum(self, votes: Sequence[Vote], outcomes: Sequence[Any]) -> None:
        cast = sum(vote is not None for vote in votes)
        if cast >= self.quorum:
            return
        failed = {n: o for n, o in zip(self.names, outcomes, strict=True) if isinstance(o, Exception)}
        told = "; ".join(f"{name}: {error}" for name, error in failed.items())
        raise JudgeError(
            f"{cast} of {len(votes)} judges gave a score, and the quorum is {self.quorum}. {told}",
            code="no_quorum",
            usage=usage_of(outcomes),
            attempts=attempts_of(outcomes),
        ) from next(iter(failed.values()))

    def _decided(self, votes: Sequence[Vote]) -> _Decision:
        weights = (1.0,) * len(votes) if self.weights is None else self.weights
        if not isinstance(weights, tuple):
            return _elected(weights.shares(votes))
        pairs = [(vote, weight) for vote, weight in zip(votes, weights, strict=True) if vote is not None]
        if not any(weight for _, weight in pairs):
            raise JudgeError("No judge with a weight above 0 gave a score.", code="no_quorum")
        return _METHODS[self.method]([vote for vote, _ in pairs], [weight for _, weight in pairs])

    def _comment(self, decision: _Decision, outcomes: Sequence[Any]) -> str:
        lead = "" if decision.resolved else "The judges are tied, so this is no verdict of theirs.\n"
        return lead + "\n".join(
            f"{name}: failed ({_code(outcome)})"
            if isinstance(outcome, Exception)
            else f"{name}: {json.dumps(outcome['score'], ensure_ascii=False)}. {outcome['comment'] or ''}".rstrip()
            for name, outcome in zip(self.names, outcomes, strict=True)
        )

    def _metadata(
        self, decision: _Decision, votes: Sequence[Vote], outcomes: Sequence[Any]
    ) -> dict[str, Any]:
        cast = [vote for vote in votes if vote is not None]
        named = list(zip(self.names, outcomes, strict=True))
        metadata: dict[str, Any] = {
            "method": self.method,
            "resolved": decision.resolved,
            "votes": [
                {
                    "judge": name,
                    **{part: outcome[part] for part in ("score", "comment", "metadata")},
                }
                for name, outcome in named
                if not isinstance(outcome, Exception)
            ],
            "failures": [
                {"judge": name, "code": _code(outcome), "message": str(outcome)}
                for name, outcome in named
                if isinstance(outcome, Exception)
            ],
            "agreement": _agreement(cast),
            "usage": usage_of(outcomes),
            "attempts": attempts_of(outcomes),
        }
        if decision.shares is not None:
            metadata["shares"] = dict(decision.shares)
        if not any(isinstance(vote, str) for vote in cast):
            numbers = _numbers(cast)
            metadata["spread"] = max(numbers) - min(numbers)
        return metadata


def create_jury(
    judges: Sequence[Evaluator],
    *,
    method: Method = "mean",
    weights: Sequence[float] | VoteWeights | None = None,
    quorum: int | None = None,
    feedback_key: str = "score",
) -> Evaluator:
    """Build an evaluator that asks several judges together and puts their scores together.

    Args:
        judges: what judgekit's factories make, of one score each: any mix of models, prompts and plain functions.
        method: `mean` and `median` of numbers (true is 1, false 0); `majority`, the score that most gave; `weighted`, the
            weighted mean of numbers, and the score with the most weight for true or false and for words.
        weights: for `weighted`: numbers of at least 0, one a judge, or what `fit_weights` returned.
        quorum: how many must give a score; more than half by default. A judge that fails is counted and left out.
        feedback_key: the `key` of the result.

    Returns:
        An evaluator. Its metadata has `votes` (each judge's score, comment and metadata), `failures`, `agreement` (the
        share of pairs of judges that gave the same score), `spread` of numbers, `shares` of a vote, `usage` and `attempts`
        of all. A tied vote is a result with `resolved` False: 0.5 between true and false, the mean of tied numbers, and
        `"unresolved"` between words. When called it raises a `JudgeError` (`no_quorum`).

    Raises:
        ConfigError: no judges, or judges, a method, weights and a quorum that do not go together.
        WrongClientError: a judge's client is async.
    """
    found = _jury(judges, method, weights, quorum, feedback_key)
    for model in models_in(found):
        model.sync()
    return Evaluator(found)


def create_async_jury(
    judges: Sequence[Evaluator],
    *,
    method: Method = "mean",
    weights: Sequence[float] | VoteWeights | None = None,
    quorum: int | None = None,
    feedback_key: str = "score",
) -> AsyncEvaluator:
    """Build an async evaluator: as `create_jury`, awaited; sync and async judges may be mixed."""
    return AsyncEvaluator(_jury(judges, method, weights, quorum, feedback_key))


def _jury(
    judges: Sequence[Evaluator], method: Any, weights: Any, quorum: int | None, feedback_key: str
) -> Jury:
    given: Any = judges
    if isinstance(given, Evaluator) or not given or not all(isinstance(each, Evaluator) for each in given):
        raise ConfigError(
            f"judges is {given!r}: give a list of what judgekit's factories make; `judgekit.evaluator(f)` makes one of a "
            "function."
        )
    evaluations = tuple(judge.evaluation for judge in judges)
    check_method(evaluations, method)
    return Jury(
        evaluations,
        method,
        _weights(weights, method, len(evaluations)),
        check_quorum(quorum, len(evaluations)),
        feedback_key,
    )


def check_quorum(quorum: Any, size: int) -> int:
    """The quorum of a jury of that size: more than half of it unless given."""
    if quorum is None:
        return size // 2 + 1
    if isinstance(quorum, bool) or not isinstance(quorum, int) or not 1 <= quorum <= size:
        raise ConfigError(
            f"quorum is {quorum!r}: give a whole number from 1 to {size}, the number of judges."
        )
    return quorum


def check_method(evaluations: Iterable[Evaluation], method: Any) -> None:
    """Refuse at once what could never be put together: words have no mean, and an object is no score."""
    chosen("method", method, tuple(_METHODS))
    for evaluation in evaluations:
        scale = getattr(evaluation, "scale", None)
        if isinstance(scale, Custom):
            raise ConfigError(f"{evaluation!r} has an output_schema and so no score to put together.")
        words = isinstance(scale, Choices) and scale.labels is None and isinstance(scale.values[0], str)
        if words and method in ("mean", "median"):
            raise ConfigError(
                f"{evaluation!r} answers with words, which have no {method}: use method='majority', or choices as a dict "
                "word -> number."
            )


def _weights(weights: Any, method: Method, size: int) -> tuple[float, ...] | VoteWeights | None:
    if (weights is None) == (method == "weighted"):
        raise ConfigError("`weights` and method='weighted' go together: give both, or neither.")
    if weights is None:
        return None
    learned = callable(getattr(weights, "shares", None))
    judges = weights.size if learned else len(weights)
    if judges != size:
        raise ConfigError(f"There are {size} judges and {judges} weights: give one weight a judge, in order.")
    if learned:
        found: VoteWeights = weights
        return found
    if not all(isinstance(each, int | float) and 0 <= each < math.inf for each in weights) or not any(
        weights
    ):
        raise ConfigError(f"weights is {weights!r}: give finite numbers of at least 0, not all of them 0.")
    return tuple(map(float, weights))


def shares_of(votes: Sequence[ScoreType], weights: Sequence[float]) -> dict[ScoreType, float]:
    """The share of the weight that each score got."""
    total = math.fsum(weights)
    found: dict[ScoreType, float] = {}
    for vote, weight in zip(votes, weights, strict=True):
        found[vote] = found.get(vote, 0.0) + weight / total
    return found


def leaders(shares: Mapping[ScoreType, float]) -> list[ScoreType]:
    """The scores with the largest share: one, or those that are tied."""
    most = max(shares.values())
    return [score for score, share in shares.items() if math.isclose(share, most, rel_tol=1e-9)]


def _elected(shares: Mapping[ScoreType, float]) -> _Decision:
    ahead = leaders(shares)
    told = {json.dumps(score, ensure_ascii=False): share for score, share in shares.items()}
    if len(ahead) == 1:
        return _Decision(ahead[0], True, told)
    words = any(isinstance(score, str) for score in ahead)
    return _Decision(UNRESOLVED if words else statistics.fmean(map(float, ahead)), False, told)


def _mean(votes: Sequence[ScoreType], weights: Sequence[float]) -> _Decision:
    return _Decision(statistics.fmean(_numbers(votes), weights))


def _median(votes: Sequence[ScoreType], _: Sequence[float]) -> _Decision:
    return _Decision(float(statistics.median(_numbers(votes))))


def _majority(votes: Sequence[ScoreType], weights: Sequence[float]) -> _Decision:
    return _elected(shares_of(votes, weights))


def _weighted(votes: Sequence[ScoreType], weights: Sequence[float]) -> _Decision:
    counted = any(isinstance(vote, bool | str) for vote in votes)
    return (_majority if counted else _mean)(votes, weights)


_METHODS: dict[str, Callable[[Sequence[ScoreType], Sequence[float]], _Decision]] = {
    "mean": _mean,
    "median": _median,
    "majority": _majority,
    "weighted": _weighted,
}


def _numbers(votes: Sequence[ScoreType]) -> list[float]:
    if words := [vote for vote in votes if isinstance(vote, str)]:
        raise ConfigError(f"{words[0]!r} is a word and has no mean or median: use method='majority'.")
    return [float(vote) for vote in votes]


def _agreement(votes: Sequence[ScoreType]) -> float | None:
    pairs = [one == other for one, other in combinations(votes, 2)]
    return sum(pairs) / len(pairs) if pairs else None


def _code(error: Exception) -> str:
    return error.code if isinstance(error, JudgeError) else type(error).__name__
