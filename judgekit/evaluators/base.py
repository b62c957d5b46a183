"""What every evaluator is: a frozen value with a flow, and two callables around it that drive the flow.

The callables are `functools.partial`s, so that an async evaluator is a coroutine function to everyone who asks, a
signature is a signature, and an evaluator can be pickled when its parts can.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from judgekit.core.flow import Flow
from judgekit.models.drive import adrive, drive

__all__ = ["AsyncEvaluator", "Evaluation", "Evaluator"]


class Evaluation(Protocol):
    """How to evaluate one item. Implementations are frozen dataclasses; their repr is the evaluator's."""

    @property
    def name(self) -> str:
        """What the evaluator is called: its `__name__`."""
        ...

    @property
    def deadline(self) -> float | None:
        """Seconds for one item, or None."""
        ...

    def flow(self, item: Mapping[str, Any]) -> Flow[Any]:
        """The evaluation of one item: `inputs`, `outputs`, `reference_outputs`, `attachments` (each None when it was not
        given), and what else was given."""
        ...


def _item(
    inputs: Any, outputs: Any, reference_outputs: Any, attachments: Any, others: Mapping[str, Any]
) -> dict[str, Any]:
    return {
        "inputs": inputs,
        "outputs": outputs,
        "reference_outputs": reference_outputs,
        "attachments": attachments,
        **others,
    }


def _evaluate(
    evaluation: Evaluation,
    /,
    *,
    inputs: Any = None,
    outputs: Any = None,
    reference_outputs: Any = None,
    attachments: Any = None,
    **kwargs: Any,
) -> Any:
    item = _item(inputs, outputs, reference_outputs, attachments, kwargs)
    return drive(evaluation.flow(item), deadline=evaluation.deadline)


async def _aevaluate(
    evaluation: Evaluation,
    /,
    *,
    inputs: Any = None,
    outputs: Any = None,
    reference_outputs: Any = None,
    attachments: Any = None,
    **kwargs: Any,
) -> Any:
    item = _item(inputs, outputs, reference_outputs, attachments, kwargs)
    return await adrive(evaluation.flow(item), deadline=evaluation.deadline)


class Evaluator(functools.partial[Any]):
    """A sync evaluator: call it with keywords `inputs`, `outputs`, `reference_outputs`, `attachments` and more.

    `evaluation` is the value behind it: the prompt, the model, the scale.
    """

    __name__: str
    __qualname__: str
    _body: Callable[..., Any] = staticmethod(_evaluate)

    def __new__(cls, evaluation: Evaluation) -> Evaluator:
        made = super().__new__(cls, cls._body, evaluation)
        made.__name__ = made.__qualname__ = evaluation.name
        made.__doc__ = f"Evaluate one item: call it with keywords.\n\n{evaluation!r}"
        return made

    @property
    def evaluation(self) -> Any:
        return self.args[0]

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.__name__} {self.evaluation!r}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self.evaluation,))


class AsyncEvaluator(Evaluator):
    """An async evaluator: as `Evaluator`, awaited. `inspect.iscoroutinefunction` says True of it."""

    _body = staticmethod(_aevaluate)
