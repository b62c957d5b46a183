"""What a judged file comes to: the rate or the mean with its interval, the failures by kind, the agreement with labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from judgekit.errors import DataError
from judgekit.runner.rows import Outcome

__all__ = ["Agreement", "Summary", "agreement", "dollars", "score_of", "summarize", "tokens_of"]


@dataclass(frozen=True)
class Summary:
    """The scores of many rows.

    Attributes:
        n: rows that were judged, failed ones included.
        failures: failure code -> how many rows.
        estimate: the pass rate of truth values, or the mean of numbers, with a 95 % interval; None for labels.
        counts: label -> how many rows, for scores that are words.
        tokens: input and output tokens of all rows together, or None when no provider counted.
        price: dollars for a million input and output tokens, or None when nobody said.
    """

    n: int
    failures: Mapping[str, int]
    estimate: Any
    counts: Mapping[str, int]
    tokens: tuple[int, int] | None
    price: tuple[float, float] | None = None

    @property
    def cost(self) -> float | None:
        """Dollars for all rows; None where the tokens or the price are not known, never 0."""
        return None if self.tokens is None or self.price is None else dollars(self.tokens, self.price)

    @property
    def failed(self) -> int:
        return sum(self.failures.values())


@dataclass(frozen=True)
class Agreement:
    """How a judge's truth values compare with people's on the rows that have both."""

    accuracy: Any
    kappa: Any


def summarize(outcomes: Sequence[Outcome], price: tuple[float, float] | None = None) -> Summary:
    """Sum up. Failed rows are counted and never scored."""
    from judgekit.stats.intervals import mean, proportion

    scores = [score_of(outcome) for outcome in outcomes if outcome.failure is None]
    truths = [score for score in scores if isinstance(score, bool)]
    numbers = [score for score in scores if isinstance(score, (int, float)) and not isinstance(score, bool)]
    estimate: Any = None
    if truths and len(truths) == len(scores):
        estimate = proportion(truths, name="pass rate")
    elif numbers and len(numbers) == len(scores):
        estimate = mean(numbers)
    failures = Counter(outcome.failure.code for outcome in outcomes if outcome.failure is not None)
    words = Counter(str(score) for score in scores) if estimate is None else Counter[str]()
    return Summary(len(outcomes), dict(failures), estimate, dict(words), _tokens(outcomes), price)


def agreement(outcomes: Sequence[Outcome], label: str) -> Agreement:
    """Compare with the human verdicts in column `label`; rows without either verdict are left out and counted.

    Raises:
        DataError: the column is missing, or holds something that is no verdict.
    """
    from judgekit.stats.agreement import accuracy, cohen_kappa

    judged = [None if outcome.failure is not None else score_of(outcome) for outcome in outcomes]
    if any(isinstance(score, bool) for score in judged):
        human = [_truth(_label(outcome, label), label) for outcome in outcomes]
    else:
        human = [_label(outcome, label) for outcome in outcomes]
    return Agreement(accuracy(judged, human), cohen_kappa(judged, human))


def score_of(outcome: Outcome) -> Any:
    """The score in a row's result; None for an object of a custom schema."""
    return outcome.result.get("score") if isinstance(outcome.result, Mapping) else None


def _label(outcome: Outcome, label: str) -> Any:
    if label not in outcome.item:
        raise DataError(
            f"Row {outcome.index + 1} has no column {label!r}; it has {', '.join(map(repr, outcome.item))}."
        )
    return outcome.item[label]


_TRUTHS = {
    "true": True,
    "1": True,
    "1.0": True,
    "yes": True,
    "false": False,
    "0": False,
    "0.0": False,
    "no": False,
}


def _truth(value: Any, column: str) -> bool | None:
    if value is None or value == "":
        return None
    found = _TRUTHS.get(str(value).strip().casefold())
    if found is None:
        raise DataError(f"Column {column!r} holds {value!r}, which is neither true nor false (1/0, yes/no).")
    return found


def _tokens(outcomes: Sequence[Outcome]) -> tuple[int, int] | None:
    known = [tokens for outcome in outcomes if (tokens := tokens_of(outcome)) is not None]
    return (sum(sent for sent, _ in known), sum(said for _, said in known)) if known else None


def tokens_of(outcome: Outcome) -> tuple[int, int] | None:
    """Input and output tokens of one row, all its attempts together; None when the provider did not count."""
    if outcome.failure is not None:
        usage = outcome.failure.usage
    else:
        metadata = outcome.result.get("metadata") if isinstance(outcome.result, Mapping) else None
        usage = metadata.get("usage") if isinstance(metadata, Mapping) else None
    return (usage["input_tokens"], usage["output_tokens"]) if usage else None


def dollars(tokens: tuple[int, int], price: tuple[float, float]) -> float:
    """The cost of input and output tokens at a price in dollars for a million of each."""
    return (tokens[0] * price[0] + tokens[1] * price[1]) / 1e6
