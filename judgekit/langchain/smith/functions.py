"""Functions of runs and examples, as LangSmith's code evaluators and batch evaluators are, for judgekit's runner."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from judgekit.core.flow import Flow, Job, doing
from judgekit.errors import ConfigError
from judgekit.evaluators.base import AsyncEvaluator, Evaluator
from judgekit.evaluators.function import FunctionEvaluation, is_async
from judgekit.evaluators.function_result import read_result
from judgekit.runner.records import RowResult

__all__ = ["of_batch", "of_run"]

_VALUES = frozenset(("inputs", "outputs", "reference_outputs", "attachments", "metadata"))


@dataclass(frozen=True)
class _OfRun(FunctionEvaluation):
    """A function of a run and its example; `positional` when its parameters have names of their own."""

    positional: bool = False

    def takes(self, name: str) -> bool:
        return name in ("run", "example")  # the runner makes both

    def flow(self, item: Mapping[str, Any]) -> Flow[Any]:
        run = SimpleNamespace(**{**vars(item["run"]), "outputs": _as_mapping(item["outputs"])})
        if not self.positional:
            return (yield from super().flow({**item, "run": run}))
        example = item["example"]
        job = Job(lambda: self.function(run, example), blocking=not self.is_async)
        return read_result((yield from doing(job)), self.key)


def of_run(given: Any) -> Any:
    """An evaluator for `judgekit.evaluate` of a function, or of an object with `evaluate_run`.

    A function is given `run` and `example` when it has parameters of these names, or two of any other names. `run.outputs`
    is a mapping, as in LangSmith: `{"output": ...}` where the application returned something else.

    Raises:
        ConfigError: it does not say what it takes.
    """
    function, name = given, getattr(given, "__name__", type(given).__name__)
    if callable(getattr(given, "evaluate_run", None)):
        function, name = given.evaluate_run, str(getattr(given, "name", None) or name)
    positional = _takes_two(function, name)
    if not positional and not {"run", "example"} & _parameters(function, name).keys():
        return given
    made = _OfRun(function, "evaluator" if name == "<lambda>" else name, positional)
    return (AsyncEvaluator if is_async(function) else Evaluator)(made)


def of_batch(given: Callable[..., Any]) -> Any:
    """A summary evaluator for `judgekit.evaluate` of a function of `runs` and `examples`, or of what that takes itself.

    Raises:
        ConfigError: it is no function.
    """
    name = getattr(given, "__name__", type(given).__name__)
    if not callable(given):
        raise ConfigError(f"batch_evaluators has {given!r}: give a function of runs and examples.")
    named = {"runs", "examples"} <= _parameters(given, name).keys()
    if not named and not _takes_two(given, name):
        return given

    def judged(rows: Sequence[RowResult]) -> Any:
        runs, examples = [_run(row) for row in rows], [_example(row) for row in rows]
        return given(runs=runs, examples=examples) if named else given(runs, examples)

    return Evaluator(FunctionEvaluation(judged, "batch_evaluator" if name == "<lambda>" else name))


def _parameters(function: Any, name: str) -> Mapping[str, inspect.Parameter]:
    try:
        return inspect.signature(function).parameters
    except (TypeError, ValueError) as error:
        raise ConfigError(
            f"evaluator {name} does not say what it takes: wrap it in a function of run and example."
        ) from error


def _takes_two(function: Any, name: str) -> bool:
    """Whether it needs two positional arguments, and calls neither by a name that is known."""
    needed = [
        each.name
        for each in _parameters(function, name).values()
        if each.default is each.empty and each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)
    ]
    return len(needed) == 2 and not _VALUES & set(needed) and not {"run", "example", "rows"} & set(needed)


def _as_mapping(outputs: Any) -> Any:
    return outputs if outputs is None or isinstance(outputs, Mapping) else {"output": outputs}


def _run(row: RowResult) -> SimpleNamespace:
    return SimpleNamespace(
        id=None,
        inputs=row.inputs,
        outputs=_as_mapping(row.outputs),
        error=None if row.error is None else row.error.message,
        reference_example_id=row.id,
    )


def _example(row: RowResult) -> SimpleNamespace:
    return SimpleNamespace(
        id=row.id, inputs=row.inputs, outputs=row.reference_outputs, metadata=row.metadata, attachments=None
    )
