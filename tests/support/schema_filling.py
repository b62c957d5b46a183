"""Fill a JSON schema with the same values every time: the answer of a provider that nobody scripted."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

__all__ = ["TEXT", "fill"]

TEXT = "Because."
"""What every free string is filled with."""


def fill(schema: Mapping[str, Any], *, truth: bool = True) -> Any:
    """A value that the schema allows.

    A boolean is `truth`. With `truth` a number is its maximum, or 1, and an enum its last value; without, its
    minimum, or 0, and its first. Lengths, patterns and exclusive bounds are not looked at.
    """
    return _value(schema, root=schema, truth=truth)


def _value(schema: Mapping[str, Any], *, root: Mapping[str, Any], truth: bool) -> Any:
    schema = _resolved(schema, root)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][-1 if truth else 0]
    value = partial(_value, root=root, truth=truth)
    match _kind(schema):
        case "object":
            return {name: value(part) for name, part in schema.get("properties", {}).items()}
        case "array":
            return [value(schema.get("items", {}))] * max(1, schema.get("minItems", 1))
        case "boolean":
            return truth
        case "integer":
            return int(_bound(schema, truth))
        case "number":
            return float(_bound(schema, truth))
        case "null":
            return None
        case _:
            return TEXT


def _bound(schema: Mapping[str, Any], truth: bool) -> float:
    bound: float = schema.get("maximum", 1) if truth else schema.get("minimum", 0)
    return bound


def _kind(schema: Mapping[str, Any]) -> str:
    kind = schema.get("type", "object" if "properties" in schema else "string")
    return kind if isinstance(kind, str) else next(name for name in kind if name != "null")


def _resolved(schema: Mapping[str, Any], root: Mapping[str, Any]) -> Mapping[str, Any]:
    """The schema itself, behind references, `allOf`, and the first branch of a choice that is not null."""
    if "$ref" in schema:
        found: Mapping[str, Any] = root
        for key in schema["$ref"].removeprefix("#/").split("/"):
            found = found[key]
        return _resolved(found, root)
    if "allOf" in schema:
        parts = [_resolved(part, root) for part in schema["allOf"]]
        return {key: value for part in parts for key, value in part.items()}
    branches = schema.get("anyOf") or schema.get("oneOf")
    if branches:
        return _resolved(next(branch for branch in branches if branch.get("type") != "null"), root)
    return schema
