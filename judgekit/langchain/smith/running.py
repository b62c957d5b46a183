"""`run_on_dataset` and `arun_on_dataset`: LangChain's calls, over judgekit's runner."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from judgekit.errors import ConfigError
from judgekit.langchain.smith.applications import Application, read_application
from judgekit.langchain.smith.config import RunEvalConfig
from judgekit.langchain.smith.datasets import Dataset, read_dataset
from judgekit.langchain.smith.evaluations import read_evaluators
from judgekit.langchain.smith.functions import of_batch
from judgekit.langchain.smith.results import TestResult
from judgekit.models.drive import adrive, drive
from judgekit.models.limits import Limits
from judgekit.runner.evaluating import DEFAULT_STORE, aevaluate, evaluate
from judgekit.runner.experiment import CacheMode, ProgressLike
from judgekit.runner.results import Results

__all__ = ["arun_on_dataset", "run_on_dataset"]


def run_on_dataset(
    client: Any,
    dataset_name: Dataset,
    llm_or_chain_factory: Any,
    *,
    evaluation: RunEvalConfig | None = None,
    dataset_version: datetime | str | None = None,
    concurrency_level: int = 5,
    project_name: str | None = None,
    project_metadata: Mapping[str, Any] | None = None,
    verbose: bool = False,
    revision_id: str | None = None,
    store: str | Path | None = DEFAULT_STORE,
    resume: bool = False,
    limits: Limits | None = None,
    cache: CacheMode = "on",
    progress: ProgressLike = True,
) -> TestResult:
    """Run an application over a dataset and evaluate what it answers. Nothing is written to an account.

    Args:
        client: a LangSmith client, which is asked for the examples of `dataset_name` and for nothing else; or None.
        dataset_name: the dataset's name, for a client. Otherwise a file (`.jsonl`, `.json`, `.csv`, ...) or rows: dicts
            with `inputs` and `outputs` (what is right, as in LangSmith; `reference_outputs` does as well), or examples.
        llm_or_chain_factory: a chat model, a completion model, a chain or another Runnable; a function that makes one, which
            is called for each example; or a function of the inputs, sync or async. A function that can be called without
            an argument makes one, unless its first parameter is `inputs`.
        evaluation: which evaluators. What cannot work with the first example is an error before anything is run.
        dataset_version: which version of the dataset, for a client.
        concurrency_level: at most so many examples at a time; 0 as 1.
        project_name: the run's name in the store; by default one with the date.
        project_metadata: facts about the run, kept with it.
        verbose: whether the summary is printed at the end.
        revision_id: kept in the run's metadata.
        store, limits, cache, progress: as in `judgekit.evaluate`.
        resume: whether a run of this name that has begun is gone on with.

    Returns:
        The rows by example id; `.run` is the same run as judgekit's `Results`. A failure is in its row: `Error` where the
        application failed, and feedback with an `error` where an evaluator did.

    Raises:
        ConfigError: something that was given cannot be used, or there is a run of this name; nothing has been done then.
        InputFormatError: the first example does not have what is needed, or does not say which value it is.
        DataError: a row could not be read.
    """
    call = _Call(**locals())
    return call.end(evaluate(**call.read(_called), **call.options))


async def arun_on_dataset(
    client: Any,
    dataset_name: Dataset,
    llm_or_chain_factory: Any,
    *,
    evaluation: RunEvalConfig | None = None,
    dataset_version: datetime | str | None = None,
    concurrency_level: int = 5,
    project_name: str | None = None,
    project_metadata: Mapping[str, Any] | None = None,
    verbose: bool = False,
    revision_id: str | None = None,
    store: str | Path | None = DEFAULT_STORE,
    resume: bool = False,
    limits: Limits | None = None,
    cache: CacheMode = "on",
    progress: ProgressLike = True,
) -> TestResult:
    """As `run_on_dataset`, on the running event loop: chains and models are awaited."""
    call = _Call(**locals())
    read = await asyncio.to_thread(call.read, _acalled)
    return call.end(await aevaluate(**read, **call.options))


def _called(application: Application, /, inputs: Any) -> Any:
    return drive(application.flow(inputs))


async def _acalled(application: Application, /, inputs: Any) -> Any:
    return await adrive(application.flow(inputs))


@dataclass(frozen=True)
class _Call:
    """The arguments of a call, and those of `judgekit.evaluate` that they come to."""

    client: Any
    dataset_name: Dataset
    llm_or_chain_factory: Any
    evaluation: RunEvalConfig | None
    dataset_version: datetime | str | None
    concurrency_level: int
    project_name: str | None
    project_metadata: Mapping[str, Any] | None
    verbose: bool
    revision_id: str | None
    store: str | Path | None
    resume: bool
    limits: Limits | None
    cache: CacheMode
    progress: ProgressLike

    def read(self, calling: Callable[..., Any]) -> dict[str, Any]:
        """What is to be run. `calling` answers for a model or a chain; a function answers for itself."""
        config: Any = RunEvalConfig() if self.evaluation is None else self.evaluation
        if not isinstance(config, RunEvalConfig):
            raise ConfigError(
                f"evaluation is {type(config).__name__}: make it with judgekit.langchain.smith.RunEvalConfig(...)."
            )
        application = read_application(self.llm_or_chain_factory)
        batch = [of_batch(each) for each in config.batch_evaluators or ()]
        first, examples = read_dataset(self.client, self.dataset_name, self.dataset_version)
        evaluators = read_evaluators(config, first)
        target: Any = application
        if isinstance(application, Application):
            application.check(first.inputs)
            target = partial(_acalled if application.awaited else calling, application)
            target.__name__ = application.name
        return {"target": target, "data": examples, "evaluators": evaluators, "summary_evaluators": batch}

    @property
    def options(self) -> dict[str, Any]:
        """How it is to be run."""
        noted = {} if self.revision_id is None else {"revision_id": self.revision_id}
        return {
            "max_concurrency": self.concurrency_level or 1,
            "experiment": self.project_name,
            "metadata": {**(self.project_metadata or {}), **noted},
            "store": self.store,
            "resume": self.resume,
            "limits": self.limits,
            "cache": self.cache,
            "progress": self.progress,
        }

    def end(self, results: Results) -> TestResult:
        if self.verbose:
            sys.stdout.write(f"{results.summary()}\n")
        return TestResult(results)
