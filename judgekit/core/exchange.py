"""What is sent to a model and what comes back: frozen values, no behaviour of any provider."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal, Protocol

__all__ = ["Addressee", "Answer", "AnswerSchema", "Finish", "Request", "ToolCall", "Usage"]

Finish = Literal["stop", "length", "refusal", "content_filter"]
"""Why the model stopped. Anything else a provider says (tool calls, an unknown word) is `stop`."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the provider counted them. `+` adds two usages."""

    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    reasoning_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cached_tokens + other.cached_tokens,
            self.reasoning_tokens + other.reasoning_tokens,
        )

    def to_dict(self) -> dict[str, int]:
        return {
            "input_tokens": self.input_tokens,
            "output_tokens": self.output_tokens,
            "cached_tokens": self.cached_tokens,
            "reasoning_tokens": self.reasoning_tokens,
        }


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call that the model made; `arguments` is the JSON text as it came, or an object already decoded."""

    name: str
    arguments: str | Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Answer:
    """One model answer: text and facts, never a score.

    `detail` is the refusal's words or category, or the provider's own stop reason; `hidden` says that the
    server put text only into a reasoning channel, which is never read; `probabilities` maps each allowed
    value, written as JSON (`"true"`, `"0.5"`, `"\\"good\\""`), to its probability where the model was read
    by log-probabilities; `explains` is False for a model that gives a value and cannot give a reason.
    """

    text: str | None = None
    calls: tuple[ToolCall, ...] = ()
    finish: Finish = "stop"
    detail: str | None = None
    usage: Usage | None = None
    model: str | None = None
    request_id: str | None = None
    hidden: bool = False
    probabilities: Mapping[str, float] | None = None
    explains: bool = True

    def to_dict(self) -> dict[str, Any]:
        """The answer as JSON-able data, without what has its default."""
        found = {
            name: getattr(self, name) for name in self.__slots__ if getattr(self, name) != _DEFAULTS[name]
        }
        if self.calls:
            found["calls"] = [[call.name, call.arguments] for call in self.calls]
        if self.usage:
            found["usage"] = self.usage.to_dict()
        return found

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Answer:
        """What `to_dict` made, as an answer again; unknown keys are ignored."""
        known = {name: value for name, value in data.items() if name in _DEFAULTS}
        known["calls"] = tuple(ToolCall(name, arguments) for name, arguments in data.get("calls", ()))
        if isinstance(data.get("usage"), Mapping):
            known["usage"] = Usage(**data["usage"])
        return cls(**known)


_DEFAULTS: Mapping[str, Any] = {field_.name: field_.default for field_ in fields(Answer)}


@dataclass(frozen=True, slots=True)
class AnswerSchema:
    """The JSON schema of the wanted answer, with the name that providers ask for."""

    name: str
    schema: Mapping[str, Any]
    strict: bool = True
    description: str | None = None


class Addressee(Protocol):
    """The model that a request is addressed to; `judgekit.models` has the real one."""

    @property
    def name(self) -> str: ...

    @property
    def params(self) -> Mapping[str, Any]: ...

    @property
    def address(self) -> str | None: ...


@dataclass(frozen=True, slots=True)
class Request:
    """A question to one model.

    `delay` (seconds) is honored by the driver. `item` holds the judged values as they were given, for models that
    judge without a prompt. Neither is part of the identity: the messages say all that a prompt was made from.
    """

    model: Addressee
    messages: tuple[Mapping[str, Any], ...]
    schema: AnswerSchema | None = None
    params: Mapping[str, Any] = field(default_factory=dict)
    delay: float = 0.0
    item: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)

    def with_params(self, **params: Any) -> Request:
        return replace(self, params={**self.params, **params})

    def reply(self, answer: str, complaint: str) -> Request:
        """The same question, after the model's answer and what was wrong with it."""
        said = {"role": "assistant", "content": answer}
        told = {"role": "user", "content": complaint}
        return replace(self, messages=(*self.messages, said, told), delay=0.0)

    @property
    def content_key(self) -> str:
        """Hash of what is asked, whoever is asked: messages and schema."""
        return _digest({"messages": self.messages, "schema": self.schema and dict(self.schema.schema)})

    @property
    def key(self) -> str:
        """Hash of the whole request: model, its address unless it is the provider's own, messages, schema, parameters."""
        address = self.model.address
        return _digest(
            {
                "model": self.model.name,
                "messages": self.messages,
                "schema": self.schema and dict(self.schema.schema),
                "params": {**self.model.params, **self.params},
                **({} if address is None else {"address": address}),
            }
        )


def _digest(content: Any) -> str:
    text = json.dumps(content, sort_keys=True, ensure_ascii=False, separators=(",", ":"), default=str)
    return "sha256:" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
