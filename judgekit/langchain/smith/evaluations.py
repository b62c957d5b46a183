"""What a `RunEvalConfig` lists, as evaluators for judgekit's runner."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from judgekit.core.flow import Flow, Job, doing
from judgekit.evaluators.base import AsyncEvaluator, Evaluator
from judgekit.langchain.loading import load_evaluator
from judgekit.langchain.schema import FlowStringEvaluator, FlowTrajectoryEvaluator
from judgekit.langchain.smith.config import EvalConfig, RunEvalConfig, SingleKeyEvalConfig
from judgekit.langchain.smith.functions import of_run
from judgekit.langchain.smith.keys import INPUT, PREDICTION, REFERENCE, InputFormatError, Keys, Part, pick
from judgekit.runner.records import Example

__all__ = ["StringEvaluation", "TrajectoryEvaluation", "read_evaluators"]

_STEPS = Part("application's outputs", "trajectory_key")
_STEPS_KEY = "intermediate_steps"  # where LangChain's agents put them


@dataclass(frozen=True)
class StringEvaluation:
    """A string evaluator as an evaluation: it is given what it requires, and nothing else."""

    chain: Any
    keys: Keys

    @property
    def name(self) -> str:
        return str(getattr(self.chain, "evaluation_name", None) or type(self.chain).__name__)

    @property
    def deadline(self) -> None:
        return None  # the evaluator has its own

    def check(self, example: Example) -> None:
        """Raises InputFormatError when this example has not what is required, or not under the keys that are named."""
        if self._requires("requires_input") or self.keys.input:
            pick(example.inputs, self.keys.input, INPUT)
        if self._requires("requires_reference") or self.keys.reference:
            _reference(example.reference_outputs, self.keys, self.name)

    def flow(self, item: Mapping[str, Any]) -> Flow[Any]:
        given = {"prediction": self._prediction(item["outputs"])}
        if self._requires("requires_input"):
            given["input"] = pick(item["inputs"], self.keys.input, INPUT)
        if self._requires("requires_reference"):
            given["reference"] = _reference(item["reference_outputs"], self.keys, self.name)
        return (yield from doing(self._job(given, item)))

    def _prediction(self, outputs: Any) -> Any:
        return pick(outputs, self.keys.prediction, PREDICTION)

    def _job(self, given: Mapping[str, Any], _: Mapping[str, Any]) -> Job:
        chain = self.chain
        return Job(lambda: chain.evaluate_strings(**given), lambda: chain.aevaluate_strings(**given))

    def _requires(self, name: str) -> bool:
        return bool(getattr(self.chain, name, False))


@dataclass(frozen=True)
class TrajectoryEvaluation(StringEvaluation):
    """A trajectory evaluator as an evaluation; the steps are one of the application's outputs."""

    trajectory_key: str

    def _prediction(self, outputs: Any) -> Any:
        if isinstance(outputs, Mapping):
            others = {name: value for name, value in outputs.items() if name != self.trajectory_key}
            steps = outputs.get(self.trajectory_key)
            outputs = (
                steps[-1] if not others and steps else others
            )  # an agent whose last message is its answer
        return super()._prediction(outputs)

    def _job(self, given: Mapping[str, Any], item: Mapping[str, Any]) -> Job:
        steps = pick(item["outputs"], self.trajectory_key, _STEPS)
        reference = item["reference_outputs"]  # used where there is one
        if reference is not None:
            given = {**given, "reference": pick(reference, self.keys.reference, REFERENCE)}
        given, chain = {**given, "agent_trajectory": steps}, self.chain
        return Job(
            lambda: chain.evaluate_agent_trajectory(**given),
            lambda: chain.aevaluate_agent_trajectory(**given),
        )


def _reference(values: Any, keys: Keys, name: str) -> Any:
    if values is None:
        raise InputFormatError(f"{name} needs a reference, and the example has no reference outputs.")
    return pick(values, keys.reference, REFERENCE)


def read_evaluators(config: RunEvalConfig, first: Example) -> list[Any]:
    """The evaluators that a configuration lists, in order, for `judgekit.evaluate`.

    Args:
        config: the configuration.
        first: the first example of the data; the evaluators are held against it before anything is run.

    Raises:
        ConfigError: an evaluator cannot be made.
        InputFormatError: the example has not what one of them needs.
    """
    return [_read(each, config, first) for each in config.all_evaluators]


def _read(given: Any, config: RunEvalConfig, first: Example) -> Any:
    settings = EvalConfig(evaluator_type=given) if isinstance(given, str) else given
    keys, steps_key = config.keys, _STEPS_KEY
    if isinstance(settings, EvalConfig):
        given = load_evaluator(settings.evaluator_type, **{"llm": config.eval_llm, **settings.get_kwargs()})
        if isinstance(settings, SingleKeyEvalConfig):
            keys = keys.under(settings.keys)
        steps_key = getattr(settings, "trajectory_key", steps_key)
    evaluation: StringEvaluation
    if callable(getattr(given, "evaluate_agent_trajectory", None)):
        evaluation = TrajectoryEvaluation(given, keys, steps_key)
    elif callable(getattr(given, "evaluate_strings", None)):
        evaluation = StringEvaluation(given, keys)
    else:
        return of_run(given)
    evaluation.check(first)
    own = isinstance(given, FlowStringEvaluator | FlowTrajectoryEvaluator)
    return Evaluator(evaluation) if own else AsyncEvaluator(evaluation)  # a stranger may wait for a model
