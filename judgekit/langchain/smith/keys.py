"""Which of an example's values is the input, the prediction and the reference: the one that is named, or the only one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from judgekit.core.foreign import comes_from, openai_message
from judgekit.errors import ConfigError

__all__ = ["INPUT", "PREDICTION", "REFERENCE", "InputFormatError", "Keys", "Part", "pick"]


class InputFormatError(ConfigError):
    """An example's values are not what the application, or an evaluator, can be given."""


@dataclass(frozen=True)
class Part:
    """What is picked from: its name for people, and the setting that names the key."""

    name: str
    setting: str


INPUT = Part("example's inputs", "input_key")
PREDICTION = Part("application's outputs", "prediction_key")
REFERENCE = Part("example's reference outputs", "reference_key")


@dataclass(frozen=True)
class Keys:
    """The keys of the input, the prediction and the reference; None for the only key that there is."""

    input: str | None = None
    prediction: str | None = None
    reference: str | None = None

    def under(self, own: Keys) -> Keys:
        """These keys, where `own` has none."""
        return Keys(
            own.input or self.input, own.prediction or self.prediction, own.reference or self.reference
        )


def pick(values: Any, key: str | None, part: Part) -> Any:
    """One value of several.

    Args:
        values: a mapping; or anything else, which is the value itself.
        key: its key; None when there is only one. A chat message without a key is its text.
        part: what `values` are.

    Raises:
        InputFormatError: there is no such key, or there are several and none was named.
    """
    if comes_from(values, "langchain_core", "BaseMessage"):
        values = openai_message(values)
    if key is not None:
        if not isinstance(values, Mapping) or key not in values:
            raise InputFormatError(f"{part.setting} is {key!r}, but the {part.name} {_described(values)}.")
        return _text(values[key])
    if not isinstance(values, Mapping) or _is_message(values):
        return _text(values)
    if len(values) != 1:
        raise InputFormatError(
            f"The {part.name} {_described(values)}: say with {part.setting} which of them is meant, in RunEvalConfig or for "
            "one evaluator."
        )
    return _text(next(iter(values.values())))


def _described(values: Any) -> str:
    if not isinstance(values, Mapping):
        return f"are {type(values).__name__}"
    return f"have the keys {', '.join(map(repr, values))}" if values else "are empty"


def _is_message(value: Any) -> bool:
    return isinstance(value, Mapping) and (
        {"role", "content"} <= value.keys() or value.keys() == {"type", "data"}
    )


def _text(value: Any) -> Any:
    """A chat message's text; every other value as it is."""
    if comes_from(value, "langchain_core", "BaseMessage"):
        value = openai_message(value)
    if not _is_message(value):
        return value
    content = value["content"] if "content" in value else value["data"].get("content", "")
    if not isinstance(content, list):
        return content
    return "".join(part if isinstance(part, str) else part.get("text", "") for part in content)
