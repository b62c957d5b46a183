"""The evaluators of a run: whatever a user calls an evaluator, as a named evaluation with a flow."""

from __future__ import annotations

import dataclasses
import hashlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from judgekit.core.flow import Flow, Job, doing
from judgekit.core.plain import to_text
from judgekit.core.templates import Prompt
from judgekit.errors import ConfigError
from judgekit.evaluators.base import AsyncEvaluator, Evaluation, Evaluator
from judgekit.evaluators.embedders import Embedder
from judgekit.evaluators.function import FunctionEvaluation, evaluator, is_async
from judgekit.evaluators.function_result import read_result
from judgekit.models.base import Model
from judgekit.runner.records import Example, Score

__all__ = ["Scorer", "read_scorers"]


@dataclass(frozen=True)
class Scorer:
    """An evaluator in a run.

    Attributes:
        name: what its scores and failures are told by; no two in a run have one name.
        evaluation: what is evaluated, see `judgekit.evaluators.base`.
        waits: whether it waits for a model or is async, so that many should be under way at a time.
        fingerprint: says, as far as can be seen, whether an evaluator of this name is still the same one.
        extras: the further keywords that it gets, made from the example and its outputs.
    """

    name: str
    evaluation: Evaluation
    waits: bool
    fingerprint: str
    extras: Callable[[Example, Any], Mapping[str, Any]] | None = None

    def flow(self, example: Example, outputs: Any) -> Flow[tuple[Score, ...]]:
        """Evaluate one example.

        Raises:
            JudgeError: there is no verdict.
        """
        item = example.item(outputs)
        if self.extras is not None:
            item.update(self.extras(example, outputs))
        found = yield from self.evaluation.flow(item)
        if isinstance(self.evaluation, FunctionEvaluation):
            results: Any = found  # read already
        else:
            results = read_result(found, self.name)
        return tuple(self._score(result) for result in (results if isinstance(results, list) else [results]))

    def _score(self, result: Mapping[str, Any]) -> Score:
        return Score(result["key"], result["score"], result["comment"], result["metadata"], self.name)


def read_scorers(given: Any) -> tuple[Scorer, ...]:
    """Read a user's evaluators.

    Args:
        given: one evaluator or several: what judgekit's factories make, plain or async functions (see
            `judgekit.evaluator`; also with the parameters `run` and `example`), LangChain's string evaluators, and objects
            with `evaluate_run`.

    Returns:
        One scorer each, in order. The second of one name is called `name_2`, and so on.

    Raises:
        ConfigError: something is no evaluator.
    """
    several = given if isinstance(given, Iterable) and not isinstance(given, str | Mapping) else (given,)
    made: list[Scorer] = []
    names: set[str] = set()
    for each in several:
        scorer = _read(each)
        name, count = scorer.name, 1
        while name in names:
            count += 1
            name = f"{scorer.name}_{count}"
        names.add(name)
        made.append(dataclasses.replace(scorer, name=name))
    return tuple(made)


def _read(given: Any) -> Scorer:
    if isinstance(given, Evaluator):
        return _scorer(given.evaluation, isinstance(given, AsyncEvaluator))
    if callable(getattr(given, "evaluate_strings", None)):
        evaluation = _StringEvaluation(given)
        return Scorer(evaluation.name, evaluation, True, _digest(type(given).__qualname__))
    if callable(getattr(given, "evaluate_run", None)) and not callable(given):
        given = given.evaluate_run
    if not callable(given) or isinstance(given, type):
        raise ConfigError(
            f"{given!r} is no evaluator: give what a create_..._evaluator made, a function that returns a score, or an object "
            "with evaluate_strings."
        )
    made = evaluator(given, key=_name_of(given))
    return _scorer(made.evaluation, is_async(given))


def _scorer(evaluation: Evaluation, is_awaited: bool) -> Scorer:
    extras = None
    waits = is_awaited or _asks(evaluation)
    if isinstance(evaluation, FunctionEvaluation):
        waits = evaluation.is_async
        if evaluation.takes("run") or evaluation.takes("example"):
            extras = _run_and_example
    return Scorer(evaluation.name, evaluation, waits, _digest(_identity(evaluation)), extras)


def _run_and_example(example: Example, outputs: Any) -> dict[str, Any]:
    """`run` and `example` as code evaluators know them: the example's own object, where the data had such."""
    source = example.source
    if source is None:
        source = SimpleNamespace(
            id=example.id,
            inputs=example.inputs,
            outputs=example.reference_outputs,
            metadata=example.metadata,
            attachments=example.attachments,
        )
    run = SimpleNamespace(
        id=None, inputs=example.inputs, outputs=outputs, error=None, reference_example_id=example.id
    )
    return {"run": run, "example": source}


@dataclass(frozen=True)
class _StringEvaluation:
    """A LangChain string evaluator as an evaluation: texts in, `score`, `value` and `reasoning` out."""

    chain: Any

    @property
    def name(self) -> str:
        return str(getattr(self.chain, "evaluation_name", None) or type(self.chain).__name__)

    @property
    def deadline(self) -> None:
        return None

    def flow(self, item: Mapping[str, Any]) -> Flow[Any]:
        texts = {
            "prediction": item["outputs"],
            "reference": item["reference_outputs"] if self._wants("requires_reference") else None,
            "input": item["inputs"] if self._wants("requires_input") else None,
        }
        given = {name: to_text(_only(value), name=name) for name, value in texts.items() if value is not None}
        job = Job(
            lambda: self.chain.evaluate_strings(**given),
            lambda: self.chain.aevaluate_strings(**given),
        )
        return (yield from doing(job))

    def _wants(self, name: str) -> bool:
        return bool(getattr(self.chain, name, True))


def _only(value: Any) -> Any:
    """The text in a mapping of one: an application answers `{"output": "..."}`, and a text is what is compared."""
    return next(iter(value.values())) if isinstance(value, Mapping) and len(value) == 1 else value


def _name_of(function: Any) -> str:
    inner = getattr(function, "func", None)  # a partial has no name of its own
    owner = getattr(function, "__self__", None)  # `evaluate_run` of an object is called by the object's name
    name = getattr(function, "__name__", None) or getattr(inner, "__name__", None) or type(function).__name__
    if name == "evaluate_run" and owner is not None:
        return str(getattr(owner, "name", None) or type(owner).__name__)
    return "evaluator" if name == "<lambda>" else str(name)


def _asks(value: Any) -> bool:
    """Whether a model or an embedder is anywhere in it."""
    if isinstance(value, Model | Embedder):
        return True
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return any(_asks(getattr(value, field.name, None)) for field in dataclasses.fields(value))
    return isinstance(value, Sequence) and not isinstance(value, str) and any(map(_asks, value))


def _identity(value: Any) -> Any:
    """What makes an evaluation this one: for a judge the text of its prompt, its model and its scale."""
    if isinstance(value, FunctionEvaluation):
        return value.key
    if isinstance(value, Model):
        return value.name, sorted(value.params.items(), key=repr)
    if isinstance(value, Prompt):
        return value.hash
    if isinstance(value, Evaluator):
        return _identity(value.evaluation)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return type(value).__name__, [
            _identity(getattr(value, each.name)) for each in dataclasses.fields(value)
        ]
    if isinstance(value, list | tuple):
        return [_identity(each) for each in value]
    return repr(value)


def _digest(identity: Any) -> str:
    text = re.sub(r" at 0x[0-9a-fA-F]+", "", repr(identity))  # an address is another one in every process
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:16]
