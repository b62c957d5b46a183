"""`select` and `select_examples`: choose prompts and few-shot examples by human labels without fooling oneself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from judgekit import stats
from judgekit.errors import ConfigError, DataError
from judgekit.stats import Estimate
from judgekit.stats.inputs import Column, Label
from judgekit.trust.judging import evaluate_judge
from judgekit.trust.people import People, read_people
from judgekit.trust.report import JudgeReport
from judgekit.trust.splitting import parts, picked
from judgekit.trust.trial import Trial
from judgekit.trust.verdicts import Verdicts, column
from judgekit.trust.words import as_data
from judgekit.types import FewShotExample

__all__ = ["Selection", "ShownExamples", "select", "select_examples"]

Criterion = Literal["kappa", "accuracy", "spearman"]


@dataclass(frozen=True, repr=False, kw_only=True)
class Selection:
    """Which candidate was chosen on one half of the labels, and how it does on the other.

    The figures of the half that chose are not told: the best of several is always best there, also by luck alone.

    Attributes:
        name: the candidate chosen.
        order: all candidates from the best to the worst, on the half that chose.
        report: the candidate chosen against people, on the half that did not choose.
        gain: on that half, the share of agreement of the candidate chosen minus that of the first candidate given; None
            where the first was chosen.
        chosen_on: places of the items that chose.
        reported_on: places of the items reported on.
    """

    name: str
    order: tuple[str, ...]
    report: JudgeReport
    gain: Estimate | None
    chosen_on: tuple[int, ...]
    reported_on: tuple[int, ...]

    @property
    def better(self) -> bool:
        """Whether it is better than the first candidate beyond doubt."""
        return self.gain is not None and self.gain.interval is not None and self.gain.interval.low > 0

    def to_dict(self) -> dict[str, Any]:
        """The fields as JSON values."""
        return {name: as_data(value) for name, value in vars(self).items()}

    def __repr__(self) -> str:
        told = "the first candidate given" if self.gain is None else f"{self.gain!r}"
        return (
            f"<Selection: {self.name!r} of {len(self.order)} candidates, chosen on {len(self.chosen_on)} items "
            f"({told}); on the other {len(self.reported_on)}: {self.report!r}>"
        )


def select(
    candidates: Mapping[str, Column],
    labels: Any,
    *,
    by: Criterion = "kappa",
    scale: Sequence[Label] | None = None,
    cluster: Column | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> Selection:
    """Choose between prompts (or models, or settings) on one half of the labels and report on the other.

    Args:
        candidates: name -> verdicts, one an item, None where there is none. Put the one that is in use first.
        labels: people's, as in `evaluate_judge`.
        by: what is to be high. A verdict that is missing counts as a disagreement here, so that no candidate gains by
            staying silent on what is hard.
        scale: as in `evaluate_judge`.
        cluster: what the items belong to, one an item; a cluster is never in both halves.
        level: confidence level.
        seed: of the halves.

    Raises:
        ConfigError: fewer than two candidates, a criterion that is unknown, or one that is undefined for all.
        DataError: columns of unequal lengths.
    """
    if len(candidates) < 2:
        raise ConfigError("candidates= needs two or more, by name: there is nothing to choose between.")
    if by not in ("kappa", "accuracy", "spearman"):
        raise ConfigError(f"by={by!r} is none of 'kappa', 'accuracy', 'spearman'.")
    people = read_people(labels, scale)
    columns = {name: column(values) for name, values in candidates.items()}
    for name, values in columns.items():
        if len(values) != len(people):
            raise DataError(f"candidates[{name!r}] has {len(values)} verdicts for {len(people)} items.")
    chooses, reports = _halves(people, cluster, seed)
    raters = {name: picked(each, chooses) for name, each in people.raters.items()}
    merits = {name: _merit(picked(values, chooses), raters, by, scale) for name, values in columns.items()}
    order = sorted(columns, key=lambda name: -merits[name])
    best, first = order[0], next(iter(columns))
    held_out = {name: picked(each, reports) for name, each in people.raters.items()}
    of = None if cluster is None else picked(column(cluster), reports)
    return Selection(
        name=best,
        order=tuple(order),
        report=evaluate_judge(picked(columns[best], reports), held_out, scale=scale, cluster=of, level=level),
        gain=None
        if best == first
        else stats.paired_difference(
            *(
                _agreements(picked(columns[name], reports), picked(people.labels, reports))
                for name in (best, first)
            ),
            cluster=of,
            level=level,
        ),
        chosen_on=tuple(row for row, chosen in enumerate(chooses) if chosen),
        reported_on=tuple(row for row, chosen in enumerate(reports) if chosen),
    )


def _halves(people: People, cluster: Column | None, seed: int) -> tuple[list[bool], list[bool]]:
    """Which items choose and which are reported on; those that nobody labelled do neither."""
    labelled = [
        any(label is not None for label in given) for given in zip(*people.raters.values(), strict=True)
    ]
    of = None if cluster is None else picked(column(cluster), labelled)
    half = iter(parts(sum(labelled), (1, 1), cluster=of, seed=seed))
    part = [next(half) if known else None for known in labelled]
    return [each == 0 for each in part], [each == 1 for each in part]


def _merit(
    values: list[Any], raters: Mapping[str, Column], by: Criterion, scale: Sequence[Label] | None
) -> float:
    """What the candidate is worth on the half that chooses: missing verdicts agree with nobody."""
    trial = Trial(Verdicts(tuple(values), {}), read_people(raters, scale), scale, resamples=100)
    found = (
        trial.correlations(None)[0]
        if by == "spearman"
        else trial.kappa()
        if by == "kappa"
        else trial.accuracy()
    )
    covered = sum(value is not None for value in values) / max(1, len(values))
    return -1.0 if found.value is None else found.value * covered


def _agreements(values: Sequence[Any], labels: Sequence[Any]) -> list[float | None]:
    """Whether each verdict is the label; a verdict that is missing is not."""
    return [
        None if label is None else float(value == label) for value, label in zip(values, labels, strict=True)
    ]


@dataclass(frozen=True, kw_only=True)
class ShownExamples:
    """Few-shot examples, and which items are left to try the judge on.

    Attributes:
        examples: for `few_shot_examples=`, the labels taking turns.
        shown: places of the items that they were made of.
        held_out: places of the others; only on these can the judge be evaluated.
    """

    examples: tuple[FewShotExample, ...]
    shown: tuple[int, ...]
    held_out: tuple[int, ...]


def select_examples(
    items: Sequence[Mapping[str, Any]],
    labels: Column,
    *,
    k: int = 4,
    verdicts: Column | None = None,
    seed: int = 0,
) -> ShownExamples:
    """Choose few-shot examples: every label as often as every other, those first that the judge got wrong.

    Try a judge that was shown examples on the items held out, with `select` against the judge without them: examples make
    some judges worse.

    Args:
        items: rows with `inputs` and `outputs`; `reasoning`, where a row has it, explains the label.
        labels: people's, one an item, None where there is none.
        k: how many examples.
        verdicts: what the judge says without examples, one an item; where it errs an example teaches most.
        seed: of the choice among items that are alike.

    Raises:
        ConfigError: `k` is below 1, or leaves no labelled item to try the judge on.
        DataError: columns of unequal lengths.
    """
    truth = column(labels)
    said = truth if verdicts is None else column(verdicts)
    if not len(items) == len(truth) == len(said):
        raise DataError(
            f"There are {len(items)} items, {len(truth)} labels and {len(said)} verdicts: give one of each."
        )
    labelled = [row for row, label in enumerate(truth) if label is not None]
    if not 1 <= k < len(labelled):
        raise ConfigError(
            f"k={k!r} must be 1 or more and leave one of the {len(labelled)} labelled items to try on."
        )
    lot = dict(zip(labelled, _shuffled(len(labelled), seed), strict=True))
    queues: dict[Any, list[int]] = {}
    for row in sorted(labelled, key=lambda row: (said[row] == truth[row], lot[row])):
        queues.setdefault(truth[row], []).append(row)
    turns = sorted(
        (turn, place, row) for place, rows in enumerate(queues.values()) for turn, row in enumerate(rows)
    )
    shown = tuple(row for _, _, row in turns[:k])
    return ShownExamples(
        examples=tuple(_example(items[row], truth[row]) for row in shown),
        shown=shown,
        held_out=tuple(row for row in range(len(items)) if row not in shown),
    )


def _shuffled(n: int, seed: int) -> list[int]:
    return parts(n, [1] * n, cluster=None, seed=seed)


def _example(item: Mapping[str, Any], label: Any) -> FewShotExample:
    example: FewShotExample = {"inputs": item.get("inputs"), "outputs": item.get("outputs"), "score": label}
    return {**example, "reasoning": item["reasoning"]} if item.get("reasoning") is not None else example
