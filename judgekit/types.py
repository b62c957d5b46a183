"""The public vocabulary: what evaluators take and return.

The names are OpenEvals', so annotations survive the change of import.
"""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any, NotRequired, Protocol, TypedDict, runtime_checkable

__all__ = [
    "ChatCompletion",
    "ChatCompletionMessage",
    "ChatCompletionsClient",
    "EvaluatorResult",
    "FewShotExample",
    "ModelClient",
    "ScoreType",
    "SimpleAsyncEvaluator",
    "SimpleEvaluator",
]

ScoreType = float | bool | str
"""A verdict: a number, a truth value, or a label when `choices` are words."""


class EvaluatorResult(TypedDict):
    """What every evaluator returns; a plain dict that `json.dumps` accepts.

    `key` names the feedback, `score` is the verdict, `comment` the explanation (None when the judge
    cannot give one) and `metadata` says how the verdict came about: model, prompt, usage, attempts, repairs.
    """

    key: str
    score: ScoreType
    comment: str | None
    metadata: dict[str, Any] | None
    source_run_id: NotRequired[str | None]


class FewShotExample(TypedDict):
    """One graded example shown to the judge; `reasoning` is the explanation of its score."""

    inputs: Any
    outputs: Any
    score: ScoreType
    reasoning: NotRequired[str | None]


class ChatCompletionMessage(TypedDict):
    """A chat message in OpenAI's shape; `content` is text or a list of content blocks."""

    id: NotRequired[str | None]
    content: str | list[dict[str, Any]]
    role: str
    tool_calls: NotRequired[list[dict[str, Any]] | None]


class ChatCompletion(TypedDict):
    """The part of a chat completion that a judge reads."""

    choices: list[dict[str, Any]]


@runtime_checkable
class ChatCompletionsClient(Protocol):
    """Anything with `create(messages=..., model=..., response_format=...)`, sync or async."""

    def create(self, **kwargs: Any) -> Any: ...


@runtime_checkable
class ModelClient(Protocol):
    """An OpenAI-shaped client: `client.chat.completions.create(...)`."""

    @property
    def chat(self) -> Any: ...


class SimpleEvaluator(Protocol):
    """A sync evaluator; keyword arguments only."""

    def __call__(
        self,
        *,
        inputs: Any | None = None,
        outputs: Any | None = None,
        reference_outputs: Any | None = None,
        **kwargs: Any,
    ) -> EvaluatorResult | list[EvaluatorResult]: ...


class SimpleAsyncEvaluator(Protocol):
    """An async evaluator; keyword arguments only."""

    def __call__(
        self,
        *,
        inputs: Any | None = None,
        outputs: Any | None = None,
        reference_outputs: Any | None = None,
        **kwargs: Any,
    ) -> Awaitable[EvaluatorResult | list[EvaluatorResult]]: ...
