"""What providers need done to a schema or to the messages before they take them. Copies only."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from judgekit.core.exchange import AnswerSchema
from judgekit.models.capabilities import NARROWING

__all__ = ["closed", "for_each_schema", "instruction", "with_instruction", "without"]

T = TypeVar("T")

_UNUSED = frozenset({"$schema", "default"})  # they say nothing to a model, and strict modes reject them
_NAMED = frozenset({"properties", "$defs", "definitions", "patternProperties"})
_VALUES = frozenset({"enum", "const", "required", "examples", "default"})


def closed(schema: Any) -> Any:
    """The schema with `additionalProperties: false` on every object that says nothing of them."""
    return _changed(schema, _close)


def without(schema: Any, keywords: frozenset[str]) -> Any:
    """The schema without these keywords; what the narrowing ones say is told in the description instead."""

    def change(part: dict[str, Any]) -> dict[str, Any]:
        kept = {key: value for key, value in part.items() if key not in keywords}
        told = [
            words.format(part[key]) for key, words in NARROWING.items() if key in part and key in keywords
        ]
        if "const" in keywords and "const" in part:
            kept["enum"] = [part["const"]]
        if told:
            kept["description"] = f"{kept.get('description', '')} ({', '.join(told)})".strip()
        return kept

    return _changed(schema, change) if keywords else schema


def _close(part: dict[str, Any]) -> dict[str, Any]:
    kept = {key: value for key, value in part.items() if key not in _UNUSED}
    if isinstance(kept.get("properties"), dict):
        kept.setdefault("additionalProperties", False)
    return kept


def _changed(schema: Any, change: Callable[[dict[str, Any]], dict[str, Any]]) -> Any:
    """A copy with `change` done to each schema in it, and neither to the names below `properties` nor to values."""
    if isinstance(schema, (list, tuple)):
        return [_changed(part, change) for part in schema]
    if not isinstance(schema, Mapping):
        return schema
    copy: dict[str, Any] = {}
    for key, value in schema.items():
        if key in _NAMED and isinstance(value, Mapping):
            copy[key] = {name: _changed(part, change) for name, part in value.items()}
        else:
            copy[key] = value if key in _VALUES else _changed(value, change)
    return change(copy)


def for_each_schema(make: Callable[..., T]) -> Callable[..., T]:
    """`make(schema, *variant)`, done once for each schema and variant: a judge asks for one schema many times.

    What was made is shared by all calls: it is read, never changed.
    """
    kept: dict[tuple[Any, ...], tuple[AnswerSchema, T]] = {}

    def made(schema: AnswerSchema, *variant: Any) -> T:
        key = (id(schema), *variant)
        found = kept.get(key)
        if found is None or found[0] is not schema:
            if len(kept) >= _KEPT:
                kept.clear()
            kept[key] = found = (
                schema,
                make(schema, *variant),
            )  # the schema is held, so its id stays its own
        return found[1]

    return made


_KEPT = 64


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
