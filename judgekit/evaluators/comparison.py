"""What evaluators have in common that compare values and ask nobody."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from judgekit.core.flow import Flow
from judgekit.core.plain import to_plain
from judgekit.errors import ConfigError, MissingVariableError
from judgekit.types import EvaluatorResult, ScoreType

__all__ = ["Comparison", "chosen", "needed", "result_of", "text_of"]

_ITEM = ("inputs", "outputs", "reference_outputs", "attachments")


class Comparison(ABC):
    """An evaluation that is done at once. Implementations are frozen dataclasses."""

    feedback_key: str

    @property
    def name(self) -> str:
        return self.feedback_key

    @property
    def deadline(self) -> None:
        return None

    def flow(self, item: Mapping[str, Any]) -> Flow[Any]:
        """Compare; nothing is asked of anyone."""
        yield from ()
        return self.evaluate(item)

    @abstractmethod
    def evaluate(self, item: Mapping[str, Any]) -> Any:
        """The result for one item."""


def needed(item: Mapping[str, Any], by: str, *names: str) -> list[Any]:
    """The item's values of these names, none of which may be None.

    Args:
        item: what the evaluator was called with.
        by: who needs them, for the error.
        names: `outputs` and `reference_outputs` unless given.

    Raises:
        MissingVariableError: one was not given, or is None.
    """
    wanted = names or ("outputs", "reference_outputs")
    values = [item.get(name) for name in wanted]
    for name, value in zip(wanted, values, strict=True):
        if value is None:
            given = [other for other in item if other not in _ITEM]
            close = get_close_matches(name, given, n=1)
            hint = f" `{close[0]}` was given: is that a misspelling?" if close else ""
            raise MissingVariableError(f"{by} needs `{name}`, which is None or was not given.{hint}")
    return values


def result_of(
    key: str, score: ScoreType, comment: str | None = None, metadata: dict[str, Any] | None = None
) -> EvaluatorResult:
    return {"key": key, "score": score, "comment": comment, "metadata": metadata}


def text_of(value: Any, *, name: str = "value") -> str:
    """A value as the text to compare: text as it is, anything else as JSON with its keys sorted.

    Characters are not escaped, so that a letter counts as one whatever its script.

    Raises:
        PromptError: the value has no plain form.
    """
    if type(value) is str:
        return value
    plain = to_plain(value, name=name)
    return plain if isinstance(plain, str) else json.dumps(plain, ensure_ascii=False, sort_keys=True)


def chosen(name: str, value: Any, options: Sequence[Any]) -> Any:
    """The value, if it is one of the options of the parameter `name`.

    Raises:
        ConfigError: it is none of them.
    """
    if value in options:
        return value
    close = get_close_matches(str(value), [str(option) for option in options], n=1)
    hint = f" (did you mean {close[0]!r}?)" if close else ""
    raise ConfigError(f"{name} is {value!r}{hint}: give one of {', '.join(map(repr, options))}.")
