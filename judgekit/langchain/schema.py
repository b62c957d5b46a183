"""The interfaces: what an evaluator of texts, of pairs of texts and of trajectories is, sync and async.

A subclass of one's own overrides `_evaluate_strings` (or its sister) and nothing else is asked of it; its async face
then calls that in a thread. The evaluators of this package are written once, as flows, and both faces drive those.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Mapping
from difflib import get_close_matches
from functools import partial
from typing import Any, Self
from warnings import warn

from judgekit.core.flow import Flow
from judgekit.langchain.evaluator_type import EvaluatorType
from judgekit.models.drive import adrive, drive

__all__ = [
    "AgentTrajectoryEvaluator",
    "EvaluatorType",
    "FlowChain",
    "FlowPairwiseStringEvaluator",
    "FlowStringEvaluator",
    "FlowTrajectoryEvaluator",
    "LLMEvalChain",
    "PairwiseStringEvaluator",
    "StringEvaluator",
]


_TAKEN = frozenset(
    {"prediction", "prediction_b", "reference", "input", "agent_trajectory", "include_run_info"}
)
"""What every evaluator may be called with; what else is given is warned of, since nothing looks at it."""


class LLMEvalChain(ABC):
    """An evaluator that asks a model: `load_evaluator` makes it with `from_llm`."""

    @classmethod
    @abstractmethod
    def from_llm(cls, llm: Any = None, **kwargs: Any) -> Self:
        """Make the evaluator. `llm` is what `judge` or `model` is in `create_llm_as_judge`."""


class _Evaluating:
    """What an evaluator requires, and the check of a call against it."""

    @property
    def evaluation_name(self) -> str:
        """The name of the evaluation, for columns and feedback keys."""
        return type(self).__name__

    @property
    def requires_reference(self) -> bool:
        """Whether a call must give a reference; when it need not, a reference is not looked at."""
        return False

    @property
    def requires_input(self) -> bool:
        """Whether a call must give the input; when it need not, an input is not looked at."""
        return False

    @property
    def _skip_input_warning(self) -> str:
        return f"Ignoring input in {type(self).__name__}, as it is not expected."

    @property
    def _skip_reference_warning(self) -> str:
        return f"Ignoring reference in {type(self).__name__}, as it is not expected."

    def _check_evaluation_args(self, reference: Any = None, input_: Any = None) -> None:
        """Raises ValueError when something required is None; warns of what is given and not used."""
        if self.requires_input and input_ is None:
            raise ValueError(f"{type(self).__name__} requires an input string.")
        if input_ is not None and not self.requires_input:
            warn(self._skip_input_warning, stacklevel=3)
        if self.requires_reference and reference is None:
            raise ValueError(f"{type(self).__name__} requires a reference string.")
        if reference is not None and not self.requires_reference:
            warn(self._skip_reference_warning, stacklevel=3)


class StringEvaluator(_Evaluating, ABC):
    """Evaluates a text, against its input, a reference or neither."""

    @abstractmethod
    def _evaluate_strings(
        self,
        *,
        prediction: Any,
        reference: Any = None,
        input: Any = None,  # noqa: A002  # LangChain's name for it
        **kwargs: Any,
    ) -> dict[str, Any]:
        """The result: `score`, and `value` and `reasoning` where there are any."""

    async def _aevaluate_strings(
        self,
        *,
        prediction: Any,
        reference: Any = None,
        input: Any = None,  # noqa: A002
        **kwargs: Any,
    ) -> dict[str, Any]:
        given = {"prediction": prediction, "reference": reference, "input": input, **kwargs}
        return await asyncio.to_thread(partial(self._evaluate_strings, **given))

    def evaluate_strings(
        self,
        *,
        prediction: Any,
        reference: Any = None,
        input: Any = None,  # noqa: A002
        **kwargs: Any,
    ) -> dict[str, Any]:
        """Evaluate one text.

        Args:
            prediction: the text to evaluate.
            reference: what is known to be right, where `requires_reference` says that it is used.
            input: what the prediction answers, where `requires_input` says that it is used.
            **kwargs: handed on to the evaluator.

        Returns:
            A new dict with `score`, and `value` and `reasoning` where the evaluator has them.

        Raises:
            ValueError: something that is required is None.
        """
        self._check_evaluation_args(reference=reference, input_=input)
        return self._evaluate_strings(prediction=prediction, reference=reference, input=input, **kwargs)

    async def aevaluate_strings(
        self,
        *,
        prediction: Any,
        reference: Any = None,
        input: Any = None,  # noqa: A002
        **kwargs: Any,
    ) -> dict[str, Any]:
        """As `evaluate_strings`, awaited."""
        self._check_evaluation_args(reference=reference, input_=input)
        return await self._aevaluate_strings(
            prediction=prediction, reference=reference, input=input, **kwargs
        )


class PairwiseStringEvaluator(_Evaluating, ABC):
    """Compares two texts."""

    @abstractmethod
    def _evaluate_string_pairs(
        self,
        *,
        prediction: Any,
        prediction_b: Any,
        reference: Any = None,
        input: Any = None,  # noqa: A002
        **kwargs: Any,
    ) -> dict[str, Any]:
        """The result: `score`, and `value` and `reasoning` where there are any."""

    async def _aevaluate_string_pairs(
        self,
        *,
        prediction: Any,
        prediction_b: Any,
        reference: Any = None,
        input: Any = None,  # noqa: A002
        **kwargs: Any,
    ) -> dict[str, Any]:
        given = {
            "prediction": prediction,
            "prediction_b": prediction_b,
            "reference": reference,
            "input": input,
            **kwargs,
        }
        return await asyncio.to_thread(partial(self._evaluate_string_pairs, **given))

    def evaluate_string_pairs(
        self,
        *,
        prediction: Any,
        prediction_b: Any,
        reference: Any = None,
        input: Any = None,  # noqa: A002
        **kwargs: Any,
    ) -> dict[str, Any]:
        """Compare two texts; arguments, result and errors as those of `StringEvaluator.evaluate_strings`."""
        self._check_evaluation_args(reference=reference, input_=input)
        return self._evaluate_string_pairs(
            prediction=prediction, prediction_b=prediction_b, reference=reference, input=input, **kwargs
        )

    async def aevaluate_string_pairs(
        self,
        *,
        prediction: Any,
        prediction_b: Any,
        reference: Any = None,
        input: Any = None,  # noqa: A002
        **kwargs: Any,
    ) -> dict[str, Any]:
        """As `evaluate_string_pairs`, awaited."""
        self._check_evaluation_args(reference=reference, input_=input)
        return await self._aevaluate_string_pairs(
            prediction=prediction, prediction_b=prediction_b, reference=reference, input=input, **kwargs
        )


class AgentTrajectoryEvaluator(_Evaluating, ABC):
    """Evaluates what an agent did on the way to its answer."""

    @property
    def requires_input(self) -> bool:
        return True

    @abstractmethod
    def _evaluate_agent_trajectory(
        self,
        *,
        prediction: Any,
        agent_trajectory: Any,
        input: Any,  # noqa: A002
        reference: Any = None,
        **kwargs: Any,
    ) -> dict[str, Any]:
        """The result: `score`, and `reasoning` where there is any."""

    async def _aevaluate_agent_trajectory(
        self,
        *,
        prediction: Any,
        agent_trajectory: Any,
        input: Any,  # noqa: A002
        reference: Any = None,
        **kwargs: Any,
    ) -> dict[str, Any]:
        given = {"prediction": prediction, "agent_trajectory": agent_trajectory, "input": input, **kwargs}
        return await asyncio.to_thread(partial(self._evaluate_agent_trajectory, reference=reference, **given))

    def evaluate_agent_trajectory(
        self,
        *,
        prediction: Any,
        agent_trajectory: Any,
        input: Any,  # noqa: A002
        reference: Any = None,
        **kwargs: Any,
    ) -> dict[str, Any]:
        """Evaluate one trajectory.

        Args:
            prediction: the agent's final answer.
            agent_trajectory: the steps on the way, `[(AgentAction, output), ...]` or messages.
            input: what the agent was asked.
            reference: the expected answer.
            **kwargs: handed on to the evaluator.

        Returns:
            A new dict with `score`, and `reasoning` where the evaluator has it.

        Raises:
            ValueError: something that is required is None.
        """
        self._check_evaluation_args(reference=reference, input_=input)
        return self._evaluate_agent_trajectory(
            prediction=prediction,
            agent_trajectory=agent_trajectory,
            input=input,
            reference=reference,
            **kwargs,
        )

    async def aevaluate_agent_trajectory(
        self,
        *,
        prediction: Any,
        agent_trajectory: Any,
        input: Any,  # noqa: A002
        reference: Any = None,
        **kwargs: Any,
    ) -> dict[str, Any]:
        """As `evaluate_agent_trajectory`, awaited."""
        self._check_evaluation_args(reference=reference, input_=input)
        return await self._aevaluate_agent_trajectory(
            prediction=prediction,
            agent_trajectory=agent_trajectory,
            input=input,
            reference=reference,
            **kwargs,
        )


class _Flowing(ABC):
    """An evaluator that is written once, as a flow over the arguments of a call."""

    @property
    def _deadline(self) -> float | None:
        return None

    @abstractmethod
    def _flow(self, item: Mapping[str, Any]) -> Flow[dict[str, Any]]:
        """The evaluation of one call, whose arguments are `item`."""

    def _check_sync(self) -> None:  # noqa: B027  # most have nothing to check
        """Raises WrongClientError when only the async face can work."""

    def _driven(self, item: Mapping[str, Any]) -> dict[str, Any]:
        self._warn_of_unused(item)
        self._check_sync()
        return drive(self._flow(item), deadline=self._deadline)

    async def _adriven(self, item: Mapping[str, Any]) -> dict[str, Any]:
        self._warn_of_unused(item)
        return await adrive(self._flow(item), deadline=self._deadline)

    def _warn_of_unused(self, item: Mapping[str, Any]) -> None:
        for name in [name for name, value in item.items() if name not in _TAKEN and value is not None]:
            close = get_close_matches(name, sorted(_TAKEN), n=1)
            hint = f" Did you mean {close[0]}?" if close else ""
            warn(f"Ignoring {name} in {type(self).__name__}, as it is not expected.{hint}", stacklevel=5)


class FlowStringEvaluator(_Flowing, StringEvaluator):
    """A `StringEvaluator` whose two faces drive one flow."""

    def _evaluate_strings(self, **item: Any) -> dict[str, Any]:
        return self._driven(item)

    async def _aevaluate_strings(self, **item: Any) -> dict[str, Any]:
        return await self._adriven(item)


class FlowPairwiseStringEvaluator(_Flowing, PairwiseStringEvaluator):
    """A `PairwiseStringEvaluator` whose two faces drive one flow."""

    def _evaluate_string_pairs(self, **item: Any) -> dict[str, Any]:
        return self._driven(item)

    async def _aevaluate_string_pairs(self, **item: Any) -> dict[str, Any]:
        return await self._adriven(item)


class FlowTrajectoryEvaluator(_Flowing, AgentTrajectoryEvaluator):
    """An `AgentTrajectoryEvaluator` whose two faces drive one flow."""

    def _evaluate_agent_trajectory(self, **item: Any) -> dict[str, Any]:
        return self._driven(item)

    async def _aevaluate_agent_trajectory(self, **item: Any) -> dict[str, Any]:
        return await self._adriven(item)


class FlowChain(_Flowing):
    """Something with `invoke` and `ainvoke`, both driving one flow over their input."""

    def invoke(self, input: Mapping[str, Any], config: Any = None) -> dict[str, Any]:  # noqa: A002, ARG002
        """The result for one input, a dict; `config` is accepted and not used."""
        self._check_sync()
        return drive(self._flow(input), deadline=self._deadline)

    async def ainvoke(self, input: Mapping[str, Any], config: Any = None) -> dict[str, Any]:  # noqa: A002, ARG002
        """As `invoke`, awaited."""
        return await adrive(self._flow(input), deadline=self._deadline)
