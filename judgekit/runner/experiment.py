"""One call of `evaluate`: its settings checked and joined into an engine, its rows kept, its results made."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Literal

from judgekit._version import __version__
from judgekit.core.exchange import Usage
from judgekit.core.flow import Flow, Layer, in_turn, settled
from judgekit.core.layers import remembered
from judgekit.errors import ConfigError, DataError, RunError
from judgekit.models.limits import Gate, Limits
from judgekit.models.prices import Prices, cost, price_of, read_prices
from judgekit.runner.data import aread_examples, example_key, read_examples
from judgekit.runner.engine import Engine, watched
from judgekit.runner.progress import shown
from judgekit.runner.records import Example, Failure, RowResult, Score
from judgekit.runner.results import Results, StoredRows
from judgekit.runner.scorers import read_scorers
from judgekit.runner.scoring import Plan, Todo
from judgekit.runner.targets import read_target
from judgekit.runs import Run, RunStore

__all__ = ["CacheMode", "Experiment", "OnError", "ProgressLike", "stored"]

CacheMode = Literal["on", "off", "read", "refresh", "replay"]
OnError = Literal["record", "score", "raise"]
ProgressLike = bool | Callable[[RowResult], None]

_MOST_IN_MEMORY = 10_000
"""Rows of a stored run that are kept in memory as well, so that a small experiment is not read back."""

_FIRST_ALLOWED = 16
"""How many rows are under way before a provider has shown that it bears more."""


class Experiment:
    """The parts of one run; parameters as of `judgekit.evaluate`. A context: it is closed however the run ends."""

    def __init__(
        self,
        *,
        target: Any,
        data: Any,
        evaluators: Any,
        summary_evaluators: Sequence[Callable[..., Any]],
        max_concurrency: int,
        repetitions: int,
        experiment: str | None,
        metadata: Mapping[str, Any] | None,
        store: str | Path | None,
        resume: bool,
        limits: Limits | None,
        prices: Prices | None,
        cache: CacheMode,
        columns: Mapping[str, str | Sequence[str]] | None,
        limit: int | None,
        progress: ProgressLike,
        on_error: OnError,
    ) -> None:
        _checked(max_concurrency, repetitions, cache, on_error, store)
        found = read_target(target)
        scorers = read_scorers(evaluators)
        self._summarizing = read_scorers(summary_evaluators)
        is_async = isinstance(data, AsyncIterable)
        self.on_loop = (
            is_async or (found is not None and found.is_async) or any(each.waits for each in scorers)
        )
        self.workers = max_concurrency
        self._on_error = on_error
        self._prices = None if prices is None else read_prices(prices)
        self._limits = limits
        self._gate = Gate(min(_FIRST_ALLOWED, max_concurrency), max_concurrency)
        self._cache = cache
        self._progress = shown(progress)
        self.name = experiment or _named(found.name if found else "outputs")
        self.metadata: dict[str, Any] = {
            **(metadata or {}),
            "judgekit": {
                "version": __version__,
                "target": found.name if found else None,
                "evaluators": {scorer.name: scorer.fingerprint for scorer in scorers},
                "repetitions": repetitions,
                "created": datetime.now(UTC).isoformat(timespec="seconds"),
            },
        }
        self._store = None if store is None else RunStore(store)
        self._run = None if self._store is None else _opened(self._store, self.name, self.metadata, resume)
        self._durable = found is not None or any(scorer.waits for scorer in scorers)
        self._rows: list[RowResult] = []
        self._in_memory = True
        self._repetitions = repetitions
        self._names = frozenset(scorer.name for scorer in scorers)
        plan = Plan(
            target=found,
            scorers=scorers,
            layers=self._layers,
            pricing=self._dollars,
            score_failed=on_error == "score",
            side_by_side=self.on_loop,
        )
        todo = (
            self._atodo(aread_examples(data, columns=columns, limit=limit))
            if is_async
            else self._todo(read_examples(data, columns=columns, limit=limit))
        )
        self.engine = Engine(plan, todo, self._keep, self._gate)

    def __enter__(self) -> Experiment:
        self._stack = ExitStack()
        if self._run is not None:
            self._stack.callback(self._run.close)
        self._stack.callback(self._progress.close)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def summaries(self) -> Flow[list[tuple[Score, ...] | Exception]]:
        """The summary evaluators' verdicts over all rows, one after the other."""
        if not self._summarizing:
            return []
        rows = list(self._all_rows())
        whole = Example(
            index=0,
            id=self.name,
            inputs=[row.inputs for row in rows],
            reference_outputs=[row.reference_outputs for row in rows],
            extra={"rows": rows},
        )
        outputs = [row.outputs for row in rows]
        return (yield from in_turn(*(settled(each.flow(whole, outputs)) for each in self._summarizing)))

    def finish(self, verdicts: Sequence[tuple[Score, ...] | Exception]) -> Results:
        """The results, and the end of the run written down."""
        scores: dict[str, Score] = {}
        failures = []
        for scorer, verdict in zip(self._summarizing, verdicts, strict=True):
            if isinstance(verdict, Exception):
                failures.append(Failure.of(verdict, scorer.name))
            else:
                scores.update((score.key, score) for score in verdict)
        if self._run is not None:
            self._run.finish(
                {
                    "stopped": self.engine.stopped,
                    "scores": [score.to_dict() for score in scores.values()],
                    "failures": [failure.to_dict() for failure in failures],
                }
            )
        if not self._in_memory:
            assert self._store is not None  # noqa: S101  # a run is in a store
            return stored(self.name, self._store.path)
        return Results(
            name=self.name,
            metadata=self.metadata,
            rows=list(self._all_rows()),
            summary_scores=scores,
            summary_failures=tuple(failures),
            stopped=self.engine.stopped,
        )

    def _from_store(self) -> None:
        """From now on the rows are only in the store: they are many, or some were there before."""
        self._in_memory = False
        self._rows.clear()

    def _all_rows(self) -> Iterator[RowResult]:
        if not self._in_memory:
            assert self._run is not None  # noqa: S101  # without a store all rows stay in memory
            self._run.flush()
            return iter(StoredRows(self._run))
        return iter(sorted(self._rows, key=lambda row: (row.index, row.repetition)))

    def _keep(self, todo: Todo, row: RowResult) -> None:
        if self._run is not None:
            self._run.append(row.index, row.repetition, todo.key, row.to_dict(), durable=self._durable)
        if self._in_memory:
            self._rows.append(row)
            if self._run is not None and len(self._rows) > _MOST_IN_MEMORY:
                self._from_store()
        self._progress.add(row)
        if any(failure.code == "budget" for failure in row.failures):
            self.engine.stop("the budget is spent")
        if self._on_error == "raise" and row.failed:
            failure = row.error or row.failures[0]
            raise RunError(
                f"Row {row.id}: {failure.source} failed: {failure.message} [{failure.code}]. Rows that were finished are kept; "
                "on_error='record' goes on past failures."
            )

    def _todo(self, examples: Iterator[Example]) -> Iterator[Todo]:
        for example in examples:
            yield from self._repeated(example)

    async def _atodo(self, examples: AsyncIterator[Example]) -> AsyncIterator[Todo]:
        async for example in examples:
            for todo in self._repeated(example):
                yield todo

    def _repeated(self, example: Example) -> Iterator[Todo]:
        if self._run is None:
            yield from (Todo(example, repetition) for repetition in range(self._repetitions))
            return
        key = example_key(example)
        for repetition in range(self._repetitions):
            record = self._run.record(key, repetition)
            if record is None:
                yield Todo(example, repetition, key=key)
                continue
            if (
                record["index"] != example.index
            ):  # the data is in another order now, and results are in the data's
                record = {**record, "index": example.index}
                self._run.append(example.index, repetition, key, record)
            self._from_store()
            before = RowResult.from_dict(record)
            if before.error is not None:
                yield Todo(example, repetition, key=key)
            elif before.failures or not self._names <= {score.source for score in before.scores}:
                yield Todo(example, repetition, before, key)

    def _layers(self, repetition: int, failed_before: bool) -> Sequence[Layer]:
        layers: list[Layer] = []
        if self._store is not None and self._cache != "off":
            mode = "refresh" if failed_before and self._cache == "on" else self._cache
            layers.append(remembered(self._store.answers, mode, sample=repetition))
        if self._limits is not None:
            layers.append(self._limits.layer())
        if self.on_loop:
            layers.append(watched(self._gate))
        return layers

    def _dollars(self, model: str, usage: Usage) -> float | None:
        price = price_of(model, self._prices)
        return None if price is None else cost(usage, price)


def stored(name: str, store: str | Path) -> Results:
    """The results of a run that a store holds.

    Raises:
        DataError: there is no such file or run.
    """
    if not Path(store).is_file():
        raise DataError(
            f"There is no store {store}: say where it is with store=..., or run an experiment first."
        )
    run = RunStore(store).run(name)
    end: Mapping[str, Any] = run.summary or {}
    scores = [Score(**score) for score in end.get("scores", ())]
    return Results(
        name=name,
        metadata=run.metadata,
        rows=StoredRows(run),
        summary_scores={score.key: score for score in scores},
        summary_failures=tuple(Failure(**failure) for failure in end.get("failures", ())),
        stopped=end.get("stopped") if run.finished else "not finished",
    )


def _checked(max_concurrency: Any, repetitions: Any, cache: str, on_error: str, store: Any) -> None:
    for name, value in (("max_concurrency", max_concurrency), ("repetitions", repetitions)):
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise ConfigError(f"{name} is {value!r}: it must be a whole number, 1 or more.")
    for name, chosen, allowed in (("cache", cache, CacheMode), ("on_error", on_error, OnError)):
        if chosen not in allowed.__args__:  # type: ignore[attr-defined]  # a Literal's values
            raise ConfigError(f"{name} is {chosen!r}: choose one of {', '.join(allowed.__args__)}.")  # type: ignore[attr-defined]
    if store is None and cache in ("read", "replay", "refresh"):
        raise ConfigError(f"cache={cache!r} needs a store: store='.judgekit/runs.db', say.")


def _opened(store: RunStore, name: str, metadata: Mapping[str, Any], resume: bool) -> Run:
    if name not in store:
        return store.open(name, metadata=metadata)
    if not resume:
        raise ConfigError(
            f"There is a run {name!r} in {store.path}: give the experiment another name, or resume=True to go on with it."
        )
    before = store.run(name).metadata.get("judgekit", {}).get("evaluators", {})
    now = metadata["judgekit"]
    if changed := [
        source for source, print_ in now["evaluators"].items() if before.get(source, print_) != print_
    ]:
        raise ConfigError(
            f"The run {name!r} began with another {', '.join(changed)} (its prompt, model or settings differ), so its scores "
            "could not be compared: give the experiment another name."
        )
    return store.open(
        name, metadata={**metadata, "judgekit": {**now, "evaluators": {**before, **now["evaluators"]}}}
    )


def _named(target: str) -> str:
    return f"{target}-{datetime.now().astimezone():%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"
