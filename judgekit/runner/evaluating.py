"""`evaluate` and `aevaluate`: an application, data and evaluators in; results out, and nothing lost on the way."""

from __future__ import annotations

from collections.abc import AsyncIterable, Callable, Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from judgekit.core.flow import Flow
from judgekit.models.clients import PORTAL
from judgekit.models.drive import adrive, drive
from judgekit.models.limits import Limits
from judgekit.models.prices import Prices
from judgekit.models.threads import start
from judgekit.runner.experiment import CacheMode, Experiment, OnError, ProgressLike
from judgekit.runner.results import Results

__all__ = ["DEFAULT_STORE", "aevaluate", "evaluate", "load"]

DEFAULT_STORE = ".judgekit/runs.db"
"""Where runs are kept, from the working directory."""

DEFAULT_CONCURRENCY = 16

Data = str | PathLike[str] | Iterable[Any] | AsyncIterable[Any]


def evaluate(
    target: Callable[..., Any] | Any | None,
    data: Data,
    evaluators: Any,
    *,
    summary_evaluators: Sequence[Callable[..., Any]] = (),
    max_concurrency: int = DEFAULT_CONCURRENCY,
    repetitions: int = 1,
    experiment: str | None = None,
    metadata: Mapping[str, Any] | None = None,
    store: str | Path | None = DEFAULT_STORE,
    resume: bool = True,
    limits: Limits | None = None,
    prices: Prices | None = None,
    cache: CacheMode = "on",
    columns: Mapping[str, str | Sequence[str]] | None = None,
    limit: int | None = None,
    progress: ProgressLike = True,
    on_error: OnError = "record",
) -> Results:
    """Run an application over data and score what it answers.

    Args:
        target: the application: a function of the inputs, sync or async (its parameters by name are `inputs`,
            `attachments` and `metadata`, or it has one of any name); a LangChain Runnable; or None when the data has
            `outputs` already.
        data: a file (`.jsonl`, `.json`, `.csv`, `.tsv`, `.parquet`); or rows, which are read as they are needed: mappings
            with any of `id`, `inputs`, `outputs`, `reference_outputs`, `metadata` and `attachments` (other columns go to
            the evaluators by their names), a DataFrame, a Hugging Face dataset, LangSmith `Example`s, an iterator or an
            async iterator of these.
        evaluators: one or several: what judgekit's factories make, functions by the contract of `judgekit.evaluator` (also
            with `run` and `example`), LangChain string evaluators.
        summary_evaluators: functions over all rows: of the lists `inputs`, `outputs`, `reference_outputs`, or of `rows`.
        max_concurrency: at most so many rows under way at a time. Judges begin with fewer when a provider says that it is
            busy, and come back to it.
        repetitions: how often each example is done; answers of models are then asked for anew each time.
        experiment: the run's name in the store; by default one with the date.
        metadata: facts about the run, kept with it.
        store: the SQLite file where rows and answers are kept as they come, or None to keep the results in memory.
        resume: whether a run of this name that has begun is gone on with: what it finished is not done again, what failed
            is.
        limits: requests and tokens per minute, and dollars, shared by all that is given the same object.
        prices: dollars per million tokens by model (`{"openai:gpt-4o": Price(2.5, 10)}`, or a TOML or JSON file of them); they
            go before the shipped table.
        cache: what is done with answers in the store: `"on"` (the same request is paid once), `"read"`, `"refresh"`
            (asked anew and replaced), `"replay"` (nothing is asked; what is not held is a failure) or `"off"`.
        columns: argument name -> column name, or a list of column names.
        limit: at most so many examples.
        progress: whether a line tells how far it is, where a person is looking; or a function that is called with each
            row.
        on_error: `"record"` keeps failures beside the scores; `"score"` also scores rows whose target failed, with
            `outputs` None; `"raise"` ends the run at the first failure.

    Returns:
        The results, in the order of the data.

    Raises:
        ConfigError: what was given cannot be run; nothing has been done then.
        DataError: a row could not be read, or the store not be written; what was finished is in the store.
        RunError: with `on_error="raise"`, at the first failure.
    """
    found = Experiment(**_settings(locals()))
    with found:
        if found.on_loop:
            PORTAL.call(found.engine.arun(found.workers))
            return found.finish(PORTAL.call(_driven(found.summaries())))
        found.engine.run(found.workers)
        return found.finish(drive(found.summaries()))


async def aevaluate(
    target: Callable[..., Any] | Any | None,
    data: Data,
    evaluators: Any,
    *,
    summary_evaluators: Sequence[Callable[..., Any]] = (),
    max_concurrency: int = DEFAULT_CONCURRENCY,
    repetitions: int = 1,
    experiment: str | None = None,
    metadata: Mapping[str, Any] | None = None,
    store: str | Path | None = DEFAULT_STORE,
    resume: bool = True,
    limits: Limits | None = None,
    prices: Prices | None = None,
    cache: CacheMode = "on",
    columns: Mapping[str, str | Sequence[str]] | None = None,
    limit: int | None = None,
    progress: ProgressLike = True,
    on_error: OnError = "record",
) -> Results:
    """As `evaluate`, on the running event loop: the same parameters, the same results."""
    import asyncio

    found = Experiment(**_settings(locals()))
    with found:
        if found.on_loop:
            await found.engine.arun(found.workers)
        else:
            await asyncio.wrap_future(start(found.engine.run, found.workers))
        return found.finish(await _driven(found.summaries()))


async def _driven(flow: Flow[Any]) -> Any:
    return await adrive(flow)


def _settings(given: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in given.items() if name not in ("asyncio", "found")}


def load(experiment: str, *, store: str | Path = DEFAULT_STORE) -> Results:
    """The results of a run that is in the store, finished or not.

    Args:
        experiment: its name.
        store: the SQLite file.

    Raises:
        DataError: there is no such file or run; the message has names that are close.
    """
    from judgekit.runner.experiment import stored

    return stored(experiment, store)
