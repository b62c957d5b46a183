"""More from the judges that there are: several samples of one, the mean of its probabilities, weights learned from labels."""

from __future__ import annotations

import dataclasses
import json
import math
import re
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from judgekit.core.exchange import Answer
from judgekit.core.flow import Flow, Outcomes, Round, through
from judgekit.core.layers import remembered
from judgekit.core.scales import Binary, Choices
from judgekit.errors import ConfigError, DataError
from judgekit.evaluators.base import AsyncEvaluator, Evaluation, Evaluator
from judgekit.judges.jury import Jury, Method, check_method, check_quorum, leaders, models_in, shares_of
from judgekit.llm import LLMJudge
from judgekit.models.base import Model
from judgekit.models.connect import connect
from judgekit.types import EvaluatorResult, ScoreType

__all__ = [
    "ExpectedScore",
    "JuryWeights",
    "SampledJudge",
    "create_async_expected_score_judge",
    "create_async_sampled_judge",
    "create_expected_score_judge",
    "create_sampled_judge",
    "fit_weights",
]

Vote = ScoreType | None
Tables = tuple[tuple[tuple[float, ...], ...], ...]


@dataclass(frozen=True, repr=False)
class SampledJudge(Jury):
    """One judge as a jury of its own samples."""

    @property
    def name(self) -> str:
        return f"sampled_{self.judges[0].name}"

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(f"sample_{number}" for number in range(1, len(self.judges) + 1))

    def __repr__(self) -> str:
        return f"SampledJudge({self.judges[0]!r}, n={len(self.judges)}, method={self.method!r})"


def create_sampled_judge(
    judge: Evaluator,
    *,
    n: int = 5,
    method: Method = "mean",
    quorum: int | None = None,
    feedback_key: str | None = None,
) -> Evaluator:
    """Build an evaluator that asks one judge several times and puts the scores together.

    Most of what sampling gains is there with five samples, and their mean agrees better with humans than their majority
    (Wang et al. 2025, arXiv 2503.03064). It needs a temperature above 0.

    Args:
        judge: what judgekit's factories make, of one score, with a model in it. Sample k is sent with the parameter
            `seed` that is k larger than the judge's own (0 by default), where the provider has one; so samples are
            different answers in a cache, and the first one is that of the judge alone.
        n: how many samples.
        method: `mean`, `median` or `majority`, as in `create_jury`.
        quorum: how many samples must give a score; more than half by default.
        feedback_key: the judge's own by default.

    Returns:
        An evaluator as from `create_jury`.

    Raises:
        ConfigError: nothing that samples could differ by, or an option out of range.
        WrongClientError: the judge's client is async.
    """
    found = _sampled(judge, n, method, quorum, feedback_key)
    for model in models_in(found):
        model.sync()
    return Evaluator(found)


def create_async_sampled_judge(
    judge: Evaluator,
    *,
    n: int = 5,
    method: Method = "mean",
    quorum: int | None = None,
    feedback_key: str | None = None,
) -> AsyncEvaluator:
    """Build an async evaluator: as `create_sampled_judge`, awaited; `judge` may be sync or async."""
    return AsyncEvaluator(_sampled(judge, n, method, quorum, feedback_key))


def _sampled(judge: Any, n: Any, method: Any, quorum: int | None, feedback_key: str | None) -> SampledJudge:
    evaluation = _evaluation(judge)
    models = list(models_in(evaluation))
    if not models:
        raise ConfigError(f"{judge!r} asks no model that judgekit knows of, so its samples would not differ.")
    for model in models:
        if model.params.get("temperature") == 0:
            raise ConfigError(
                f"{model!r} has temperature 0, so its samples would not differ: raise it, or set n=1."
            )
    if isinstance(n, bool) or not isinstance(n, int) or n < 1:
        raise ConfigError(f"n is {n!r}: give a whole number of at least 1.")
    if method == "weighted":
        raise ConfigError("Samples of one judge have no weights: use method='mean', 'median' or 'majority'.")
    check_method([evaluation], method)
    key = str(feedback_key or getattr(evaluation, "feedback_key", "score"))
    samples = tuple(_sample(evaluation, number) for number in range(n))
    return SampledJudge(samples, method, None, check_quorum(quorum, n), key)


def _evaluation(judge: Any) -> Evaluation:
    if not isinstance(judge, Evaluator):
        raise ConfigError(f"judge is {judge!r}: give what one of judgekit's factories makes.")
    found: Evaluation = judge.evaluation
    return found


def _sample(value: Any, number: int) -> Any:
    """The same evaluation with each of its models asked for another sample; 0 is the evaluation itself."""
    if number == 0 or next(models_in(value), None) is None:
        return value
    if isinstance(value, Model):
        return connect(value, seed=value.params.get("seed", 0) + number)
    if isinstance(value, tuple):
        return tuple(_sample(part, number) for part in value)
    parts = {each.name: getattr(value, each.name) for each in dataclasses.fields(value) if each.init}
    return replace(value, **{name: _sample(part, number) for name, part in parts.items()})


@dataclass(frozen=True)
class ExpectedScore:
    """A judge whose score is the mean of the allowed values, weighted by the probability that its model gave them."""

    judge: LLMJudge

    @property
    def name(self) -> str:
        return f"expected_{self.judge.name}"

    @property
    def deadline(self) -> float | None:
        return self.judge.deadline

    def flow(self, item: Mapping[str, Any]) -> Flow[EvaluatorResult]:
        """Ask, then weigh; without probabilities the score is the judge's own, and `expected` says so."""
        answers: list[Answer] = []

        def watched(effects: Round) -> Generator[Round, Outcomes, Outcomes]:
            outcomes = yield effects
            answers.extend(outcome for outcome in outcomes if isinstance(outcome, Answer))
            return outcomes

        model = self.judge.model
        asking = through(replace(self.judge, model=replace(model, cache=None)).flow(item), watched)
        if model.cache is not None:
            asking = through(asking, remembered(model.cache))
        result = yield from asking
        return self._weighed(result, answers[-1])

    def _weighed(self, result: EvaluatorResult, answer: Answer) -> EvaluatorResult:
        metadata = result["metadata"] or {}
        if not answer.probabilities:
            told = {
                "expected": False,
                "note": "The model gave no probabilities; this is the score that it wrote.",
            }
            return {**result, "score": float(result["score"]), "metadata": {**metadata, **told}}
        total = math.fsum(answer.probabilities.values())
        weighted = [share * self._number(text) for text, share in answer.probabilities.items()]
        told = {"expected": True, "most_probable": result["score"], "mass": _mass(answer)}
        return {**result, "score": math.fsum(weighted) / total, "metadata": {**metadata, **told}}

    def _number(self, text: str) -> float:
        value = json.loads(text)
        labels = self.judge.scale.labels if isinstance(self.judge.scale, Choices) else None
        return float(labels[value] if labels else value)


def _mass(answer: Answer) -> float | None:
    """The probability of all allowed values together, before they were made to sum to 1, where the model tells it."""
    found = re.search(r"mass=([\d.]+)", answer.detail or "")
    return float(found[1]) if found else None


def create_expected_score_judge(judge: Evaluator) -> Evaluator:
    """Build an evaluator whose score is the mean over the allowed values, weighted by their probabilities (G-Eval, Liu et al.
    2023, arXiv 2303.16634): what the mean of many samples comes near to, in one request.

    Args:
        judge: from `create_llm_as_judge`, on true/false or on `choices` that are numbers or stand for numbers. Its model
            has to tell probabilities: `connect("local:...", readout="logprobs")`.

    Returns:
        An evaluator. The metadata has `expected` True, the `most_probable` value, and as `mass` how much probability the
        allowed values had together: when it is small, the model wanted to say something else. Where the model tells no
        probabilities, the score is the one that it wrote, `expected` is False and `note` says why.

    Raises:
        ConfigError: another kind of judge, or a scale without a countable set of numbers.
        WrongClientError: the judge's client is async.
    """
    found = _expected(judge)
    found.judge.model.sync()
    return Evaluator(found)


def create_async_expected_score_judge(judge: Evaluator) -> AsyncEvaluator:
    """Build an async evaluator: as `create_expected_score_judge`, awaited; `judge` may be sync or async."""
    return AsyncEvaluator(_expected(judge))


def _expected(judge: Any) -> ExpectedScore:
    evaluation = _evaluation(judge)
    scale = getattr(evaluation, "scale", None)
    words = isinstance(scale, Choices) and scale.labels is None and isinstance(scale.values[0], str)
    if not isinstance(evaluation, LLMJudge) or not isinstance(scale, Binary | Choices) or words:
        raise ConfigError(
            f"{judge!r} has no countable set of numbers to weigh: give a judge from create_llm_as_judge, on true/false or with "
            "choices that are numbers or a dict word -> number."
        )
    return ExpectedScore(evaluation)


@dataclass(frozen=True, repr=False)
class JuryWeights:
    """What the vote of each judge says about the label, learned from items that a human labelled (`fit_weights`).

    Attributes:
        scale: the labels.
        prior: log share of each label.
        tables: tables[j][c][v] is the log probability that judge j says scale[v] of an item of scale[c].
        n: labelled items.
        right: share of items that the weighted vote decides rightly when it is fitted without them.
        majority: the share that the majority decides rightly.
        members: the share that each judge decides rightly, in order.
    """

    scale: tuple[ScoreType, ...]
    prior: tuple[float, ...]
    tables: Tables
    n: int
    right: float
    majority: float
    members: tuple[float, ...]

    @property
    def size(self) -> int:
        return len(self.tables)

    @property
    def helps(self) -> bool:
        """Whether weighting decided more held-out items rightly than the majority; otherwise votes count equally."""
        return self.right > self.majority

    def shares(self, votes: Sequence[Vote]) -> dict[ScoreType, float]:
        """The probability of each label given the votes, one a judge, None for none; shares of the votes unless it `helps`."""
        return _posterior(self.scale, self.prior, self.tables, votes) if self.helps else _plain(votes)

    def __repr__(self) -> str:
        told = "weighted" if self.helps else "equal, since weighting did not help"
        return (
            f"JuryWeights({told}: right on {self.right:.1%} of {self.n} held-out items, the majority on "
            f"{self.majority:.1%}, the best judge on {max(self.members):.1%})"
        )


_LEAST_ITEMS = 10
_MOST_LABELS = 10
_FOLDS = 10


def fit_weights(votes: Sequence[Sequence[Vote]], labels: Sequence[ScoreType]) -> JuryWeights:
    """Learn from labelled items what the vote of each judge says, for `create_jury(..., method="weighted", weights=...)`.

    Naive Bayes with add-one smoothing: a vote weighs the log of how much likelier the judge gives it under one label than
    under another, which is the best rule for judges that err independently (Nitzan & Paroush 1982). It is checked in ten
    folds: unless it decides more held-out items rightly than the majority, the votes go on counting equally.

    Args:
        votes: one sequence a judge, in the jury's order; one vote an item, None where the judge gave none.
        labels: what a human says of each item.

    Raises:
        DataError: unequal lengths, fewer than 10 items, or more than 10 different labels.
    """
    lengths = sorted({len(labels), *map(len, votes)})
    if not votes or len(lengths) > 1 or len(labels) < _LEAST_ITEMS:
        raise DataError(
            f"fit_weights needs one vote a judge and one label for each of at least {_LEAST_ITEMS} items; here are "
            f"{len(votes)} judges and columns of {', '.join(map(str, lengths))}."
        )
    scale = tuple(dict.fromkeys(each for column in (labels, *votes) for each in column if each is not None))
    if len(scale) > _MOST_LABELS:
        raise DataError(
            f"There are {len(scale)} different labels and votes, and weights are for at most {_MOST_LABELS}: round them, or "
            "use method='mean'."
        )
    rows = list(zip(zip(*votes, strict=True), labels, strict=True))
    right = 0.0
    for fold in range(_FOLDS):
        learned = _learned(scale, [row for place, row in enumerate(rows) if place % _FOLDS != fold])
        right += sum(_credit(_posterior(scale, *learned, cast), label) for cast, label in rows[fold::_FOLDS])
    plain = sum(_credit(_plain(cast), label) for cast, label in rows)
    members = (sum(map(_same, column, labels)) / len(rows) for column in votes)
    return JuryWeights(
        scale, *_learned(scale, rows), len(rows), right / len(rows), plain / len(rows), tuple(members)
    )


def _learned(
    scale: Sequence[ScoreType], rows: Sequence[tuple[tuple[Vote, ...], ScoreType]]
) -> tuple[tuple[float, ...], Tables]:
    """The logs of the labels' shares, and of each judge's votes on each label."""
    counts = [1 + sum(label == each for _, label in rows) for each in scale]
    tables = []
    for judge in range(len(rows[0][0])):
        table = []
        for label in scale:
            said = [cast[judge] for cast, each in rows if each == label and cast[judge] is not None]
            table.append(tuple(math.log((1 + said.count(vote)) / (len(scale) + len(said))) for vote in scale))
        tables.append(tuple(table))
    return tuple(math.log(count / sum(counts)) for count in counts), tuple(tables)


def _posterior(
    scale: Sequence[ScoreType], prior: Sequence[float], tables: Tables, votes: Sequence[Vote]
) -> dict[ScoreType, float]:
    """The probability of each label; a vote that was never seen says nothing."""
    places = [scale.index(vote) if vote in scale else None for vote in votes]
    logs = [
        prior[label]
        + math.fsum(table[label][p] for table, p in zip(tables, places, strict=True) if p is not None)
        for label in range(len(scale))
    ]
    shares = [math.exp(each - max(logs)) for each in logs]
    return {label: share / math.fsum(shares) for label, share in zip(scale, shares, strict=True)}


def _plain(votes: Sequence[Vote]) -> dict[ScoreType, float]:
    cast = [vote for vote in votes if vote is not None]
    return shares_of(cast, [1.0] * len(cast))


def _credit(shares: Mapping[ScoreType, float], label: ScoreType) -> float:
    """1 when the label leads alone, a part of it when it shares the lead."""
    ahead = leaders(shares) if shares else []
    return 1 / len(ahead) if label in ahead else 0.0


def _same(vote: Vote, label: ScoreType) -> bool:
    return vote == label
