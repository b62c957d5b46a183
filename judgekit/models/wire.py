"""What providers need done to a schema or to the messages before they take them. Copies only."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from judgekit.core.exchange import AnswerSchema

__all__ = ["closed", "instruction", "plain", "with_instruction"]

_NARROWING = {
    "minimum": "at least {}",
    "maximum": "at most {}",
    "exclusiveMinimum": "more than {}",
    "exclusiveMaximum": "less than {}",
    "multipleOf": "a multiple of {}",
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "minItems": "at least {} items",
    "maxItems": "at most {} items",
    "pattern": "matching {}",
}
_NOISE = frozenset({"$schema", "default", "examples", "title"})
_NAMED = ("properties", "$defs", "definitions", "patternProperties")


def closed(schema: Any) -> Any:
    """The schema with `additionalProperties: false` on every object that says nothing of them."""
    if isinstance(schema, Mapping):
        copy = {key: _inside(key, value, closed) for key, value in schema.items()}
        if "properties" in copy and isinstance(copy["properties"], dict):
            copy.setdefault("additionalProperties", False)
        return copy
    if isinstance(schema, (list, tuple)):
        return [closed(value) for value in schema]
    return schema


def plain(schema: Any, *, keep: frozenset[str] = frozenset()) -> Any:
    """The schema without keywords that only narrow a value, their meaning told in the description instead."""
    if isinstance(schema, (list, tuple)):
        return [plain(value, keep=keep) for value in schema]
    if not isinstance(schema, Mapping):
        return schema
    told = [
        f"{words.format(schema[key])}"
        for key, words in _NARROWING.items()
        if key in schema and key not in keep and not isinstance(schema[key], Mapping)
    ]
    copy = {
        key: _inside(key, value, lambda inner: plain(inner, keep=keep))
        for key, value in schema.items()
        if (key not in _NARROWING or key in keep or isinstance(value, Mapping)) and key not in _NOISE
    }
    if told:
        copy["description"] = f"{copy.get('description', '')} ({', '.join(told)})".strip()
    return copy


def _inside(key: str, value: Any, change: Any) -> Any:
    """Below `properties` and the like the keys are names, not keywords."""
    if key in _NAMED and isinstance(value, Mapping):
        return {name: change(inner) for name, inner in value.items()}
    if key in ("enum", "const", "required", "default", "examples"):
        return list(value) if isinstance(value, (list, tuple)) else value
    return change(value)


def instruction(wanted: AnswerSchema) -> str:
    """How to answer, for a model that is told its schema in words."""
    return (
        "Answer with one JSON object only, nothing before or after it, that follows this JSON schema:\n"
        + json.dumps(wanted.schema, ensure_ascii=False)
    )


def with_instruction(messages: Sequence[Mapping[str, Any]], wanted: AnswerSchema) -> list[dict[str, Any]]:
    """The messages with the instruction at the end of the last user message; a copy where it changes."""
    told = instruction(wanted)
    changed = [dict(message) for message in messages]
    for message in reversed(changed):
        if message.get("role") == "user":
            content = message.get("content")
            if isinstance(content, (list, tuple)):
                message["content"] = [*content, {"type": "text", "text": told}]
            else:
                message["content"] = f"{content or ''}\n\n{told}"
            return changed
    return [*changed, {"role": "user", "content": told}]
