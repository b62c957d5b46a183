"""Several runs side by side: comparative evaluators see all answers to one example and say which is better."""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from functools import partial
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from judgekit.core.flow import Flow, Job, doing, settled
from judgekit.errors import ConfigError, ParseError
from judgekit.evaluators.base import Evaluator
from judgekit.evaluators.function import FunctionEvaluation, is_async
from judgekit.models.drive import drive
from judgekit.runner.comparison import RunComparison
from judgekit.runner.preferences import Preference, Ranked, read_ranked
from judgekit.runner.records import Example, Failure, RowResult
from judgekit.runner.results import Results
from judgekit.runner.tables import bounded, estimated, failed, text_table

if TYPE_CHECKING:
    from judgekit.stats import Estimate, PositionBias

__all__ = ["PairwiseComparison", "PairwiseKey", "compare"]


@dataclass(frozen=True)
class PairwiseKey:
    """The verdicts of one key.

    Attributes:
        key: the key.
        n: how many examples (and repetitions) have a verdict.
        failures: failure code -> how many have none, because the evaluator failed.
        wins: experiment -> the share of verdicts in which it alone is best.
        ties: the share in which several are best.
        means: experiment -> its mean score.
        position: how verdicts depend on the order of the answers; None unless both orders were asked.
    """

    key: str
    n: int
    failures: Mapping[str, int]
    wins: Mapping[str, Estimate]
    ties: Estimate
    means: Mapping[str, Estimate]
    position: PositionBias | None = None


@dataclass(frozen=True)
class PairwiseComparison:
    """Experiments side by side. `comparison["key"]` is the `PairwiseKey`; `str()` is a table.

    Attributes:
        names: the experiments, in order.
        examples: how many examples (and repetitions) were judged.
        left_out: how many were not, because an experiment lacks them or its target failed there.
        keys: key -> who wins how often.
        preferences: every verdict.
        failures: (id of the example, failure) of every evaluator that failed.
    """

    names: tuple[str, ...]
    examples: int
    left_out: int
    keys: Mapping[str, PairwiseKey]
    preferences: tuple[Preference, ...]
    failures: tuple[tuple[str, Failure], ...]

    def __getitem__(self, key: str) -> PairwiseKey:
        if key not in self.keys:
            raise KeyError(f"{key!r}; the keys are {', '.join(map(repr, self.keys)) or 'none'}")
        return self.keys[key]

    def to_dict(self) -> dict[str, Any]:
        """The fields as JSON values."""
        return asdict(self)

    def __str__(self) -> str:
        told = f"{self.examples} examples, {self.left_out} left out"
        lines = [["key", "experiment", "wins", "mean score", "n", "failed"]]
        for found in self.keys.values():
            facts = [str(found.n), failed(found.failures)]
            lines += [
                [found.key, name, estimated(found.wins[name]), estimated(found.means[name]), *facts]
                for name in found.wins
            ]
            lines.append([found.key, "(tie)", estimated(found.ties), "", *facts])
        told = f"{' against '.join(self.names)}: {told}\n\n{text_table(lines)}"
        for found in self.keys.values():
            if found.position is not None and found.position.value is not None:
                same = f"{found.position.value:.0%} {bounded(found.position.interval)}".rstrip()
                told += f"\n\n{found.key}: the same verdict in both orders in {same}"
        return told


def compare(
    *experiments: Results,
    evaluators: Any = (),
    swap: bool = False,
    max_concurrency: int = 8,
    level: float = 0.95,
) -> PairwiseComparison | RunComparison:
    """Compare experiments over the same examples.

    Args:
        experiments: two or more results. Examples are paired by id and repetition.
        evaluators: one comparative evaluator or several: sync functions with any of the parameters `inputs`, `outputs` (a
            list, one an experiment), `reference_outputs`, `metadata`, `runs` and `example`, or with two of other names,
            which get `runs` and `example`; or what judgekit's factories make. They return a list of scores, one an
            experiment; or `{"key": ..., "scores": [...]}`, scores also by run id, with a `comment` if there is one; or the
            winner, "A", "B", ... or "tie", as a text or as the `score` of a result.
        swap: ask in both orders and average, so that a liking for the first place evens out; for two experiments.
        max_concurrency: how many examples are judged at the same time, in threads.
        level: confidence level.

    Returns:
        Who wins how often. Without evaluators, `experiments[0].compare(experiments[1])`.

    Raises:
        ConfigError: fewer than two experiments, something that is no comparative evaluator, or `swap` with three or more.
    """
    several = evaluators if isinstance(evaluators, Iterable) else (evaluators,)
    judges = _judges(several)
    _check(experiments, judges, swap=swap, max_concurrency=max_concurrency)
    if not judges:
        return experiments[0].compare(experiments[1], level=level)
    names = _distinct([each.name for each in experiments])
    cases, left_out = _cases(names, experiments)
    work = [(judge, case) for case in cases for judge in judges]
    with ThreadPoolExecutor(max_concurrency) as pool:
        answers = list(pool.map(lambda pair: pair[0].asked(pair[1], swap=swap), work))
    verdicts: dict[str, list[Preference]] = {}
    sources: dict[str, set[str]] = {judge.name: set() for judge in judges}
    failures = []
    for (judge, case), answer in zip(work, answers, strict=True):
        if isinstance(answer, Exception):
            failures.append((case.row.id, Failure.of(answer, judge.name)))
            continue
        for verdict in answer:
            verdicts.setdefault(verdict.key, []).append(verdict)
            sources[judge.name].add(verdict.key)
    summing = _Summing(names, level, repeated=any(case.row.repetition for case in cases))
    failed_by = _by_key(failures, sources)
    keys = [*verdicts, *(key for key in failed_by if key not in verdicts)]
    return PairwiseComparison(
        names=names,
        examples=len(cases),
        left_out=left_out,
        keys={key: summing.key(key, verdicts.get(key, ()), failed_by.get(key, {})) for key in keys},
        preferences=tuple(each for found in verdicts.values() for each in found),
        failures=tuple(failures),
    )


def _check(
    experiments: Sequence[Results], judges: Sequence[_Judge], *, swap: bool, max_concurrency: int
) -> None:
    if len(experiments) < 2:
        raise ConfigError("compare() needs two experiments or more: compare(before, after).")
    if not judges and len(experiments) > 2:
        raise ConfigError(f"Without evaluators= two experiments are compared, not {len(experiments)}.")
    if swap and len(experiments) > 2:
        raise ConfigError(
            f"swap=True asks in both orders, and {len(experiments)} experiments have more than two."
        )
    if max_concurrency < 1:
        raise ConfigError(f"max_concurrency is {max_concurrency!r}: it must be 1 or more.")


def _distinct(names: Sequence[str]) -> tuple[str, ...]:
    seen: Counter[str] = Counter()
    made = []
    for name in names:
        seen[name] += 1
        made.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return tuple(made)


def _by_key(
    failures: Sequence[tuple[str, Failure]], sources: Mapping[str, set[str]]
) -> dict[str, Counter[str]]:
    """Failures by key and code; one of an evaluator that never gave a key stands under the evaluator's name."""
    found: dict[str, Counter[str]] = {}
    for _, failure in failures:
        for key in sources[failure.source] or {failure.source}:
            found.setdefault(key, Counter())[failure.code] += 1
    return found


@dataclass(frozen=True)
class _Case:
    """One example, and what each experiment answered."""

    row: RowResult
    outputs: tuple[Any, ...]
    names: tuple[str, ...]

    def item(self, *, turned: bool) -> dict[str, Any]:
        """The keywords of a comparative evaluator; `turned` shows the answers in the opposite order."""
        row = self.row
        example = Example(
            index=row.index,
            id=row.id,
            inputs=row.inputs,
            reference_outputs=row.reference_outputs,
            metadata=row.metadata,
        )
        runs = [
            SimpleNamespace(
                id=name, inputs=row.inputs, outputs=outputs, error=None, reference_example_id=row.id
            )
            for name, outputs in zip(self.names, self.outputs, strict=True)
        ]
        shown = runs[::-1] if turned else runs
        seen = SimpleNamespace(
            id=row.id, inputs=row.inputs, outputs=row.reference_outputs, metadata=row.metadata
        )
        return {**example.item([run.outputs for run in shown]), "runs": shown, "example": seen}


def _cases(names: tuple[str, ...], experiments: Sequence[Results]) -> tuple[list[_Case], int]:
    """The examples that all experiments answered, in the order of the first, and how many others there are."""
    tables = [
        {(row.id, row.repetition): row for row in experiment.rows if row.error is None}
        for experiment in experiments
    ]
    seen = {(row.id, row.repetition) for experiment in experiments for row in experiment.rows}
    cases = [
        _Case(row, tuple(table[place].outputs for table in tables), names)
        for place, row in tables[0].items()
        if all(place in table for table in tables)
    ]
    return cases, len(seen) - len(cases)


@dataclass(frozen=True)
class _Judge:
    """A comparative evaluator: what it is called, and its flow for one item."""

    name: str
    flow: Callable[[Mapping[str, Any]], Flow[Any]]
    deadline: float | None = None

    def asked(self, case: _Case, *, swap: bool) -> list[Preference] | Exception:
        """The verdicts on one example, or why there are none; a failure in either order is one of the example."""
        return drive(settled(self._verdicts(case, swap=swap)))

    def _verdicts(self, case: _Case, *, swap: bool) -> Flow[list[Preference]]:
        given = yield from self._ranked(case, turned=False)
        orders = [given]
        if swap:
            turned = yield from self._ranked(case, turned=True)
            orders.append([each._replace(scores=each.scores[::-1]) for each in turned])
        found = []
        for each in given:
            scores = [same.scores for order in orders for same in order if same.key == each.key]
            if len(scores) < len(orders):
                raise ParseError(
                    f"{self.name}() gave {each.key!r} in one order of the answers and not in the other.",
                    code="missing_field",
                )
            means = tuple(sum(column) / len(scores) for column in zip(*scores, strict=True))
            found.append(
                Preference(case.row.id, case.row.repetition, each.key, means, tuple(scores), each.comment)
            )
        return found

    def _ranked(self, case: _Case, *, turned: bool) -> Flow[list[Ranked]]:
        job = Job(partial(self._driven, case.item(turned=turned)))
        returned = yield from doing(job)
        return read_ranked(returned, case.names[::-1] if turned else case.names, self.name)

    def _driven(self, item: Mapping[str, Any]) -> Any:
        return drive(self.flow(item), deadline=self.deadline)


def _judges(given: Iterable[Any]) -> list[_Judge]:
    found = [_judge(each) for each in given]
    return [
        replace(judge, name=name)
        for judge, name in zip(found, _distinct([each.name for each in found]), strict=True)
    ]


def _judge(given: Any) -> _Judge:
    name = getattr(given, "__name__", type(given).__name__)
    if isinstance(given, Evaluator):
        evaluation = given.evaluation
        if not isinstance(evaluation, FunctionEvaluation):
            return _Judge(evaluation.name, evaluation.flow, evaluation.deadline)
        given, name = evaluation.function, evaluation.key
    if not callable(given) or isinstance(given, type):
        raise ConfigError(
            f"{given!r} is no comparative evaluator: give a function of inputs, outputs and reference_outputs."
        )
    if is_async(given):
        raise ConfigError(f"{name}() is async, and compare() is not: give a sync function.")
    call = _calling(given, name)
    return _Judge(name, lambda item: doing(Job(lambda: call(item))))


def _calling(function: Callable[..., Any], name: str) -> Callable[[Mapping[str, Any]], Any]:
    parameters = list(inspect.signature(function).parameters.values())
    named = [each for each in parameters if each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)]
    needed = [each for each in named if each.default is each.empty]
    if len(needed) == 2 and not any(each.name in _NAMES for each in needed):
        return lambda item: function(item["runs"], item["example"])
    strangers = [each.name for each in needed if each.name not in _NAMES or each.kind is each.POSITIONAL_ONLY]
    if strangers or not parameters:
        raise ConfigError(
            f"{name}() takes {', '.join(each.name for each in parameters) or 'nothing'}: it may take any of "
            f"{', '.join(_NAMES)} by name, or runs and example as its two arguments."
        )
    takes_all = len(named) < len(parameters)
    names = [each for each in _NAMES if takes_all or any(each == known.name for known in named)]
    return lambda item: function(**{each: item[each] for each in names})


_NAMES = ("inputs", "outputs", "reference_outputs", "metadata", "runs", "example")


@dataclass(frozen=True)
class _Summing:
    """How verdicts become shares and means: over whole examples where these were repeated."""

    names: tuple[str, ...]
    level: float
    repeated: bool

    def key(self, key: str, verdicts: Sequence[Preference], failures: Mapping[str, int]) -> PairwiseKey:
        from judgekit.stats import mean, position_bias, proportion

        cluster = [each.id for each in verdicts] if self.repeated else None
        winners = [each.winner for each in verdicts]

        def share(place: int | None) -> Estimate:
            won = [winner == place for winner in winners]
            return proportion(won, cluster=cluster, level=self.level, name="share of verdicts")

        position = None
        if verdicts and len(verdicts[0].orders) == 2:
            columns = [[_first_is_better(each.orders[order]) for each in verdicts] for order in (0, 1)]
            position = position_bias(*columns, cluster=cluster, level=self.level)
        return PairwiseKey(
            key=key,
            n=len(verdicts),
            failures=dict(failures),
            wins={name: share(place) for place, name in enumerate(self.names)},
            ties=share(None),
            means={
                name: mean([each.scores[place] for each in verdicts], cluster=cluster, level=self.level)
                for place, name in enumerate(self.names)
            },
            position=position,
        )


def _first_is_better(scores: Sequence[float]) -> float:
    return 0.5 if scores[0] == scores[1] else float(scores[0] > scores[1])
