"""A user's output schema, in any of the forms that users write it, as one JSON schema and a way back."""

from __future__ import annotations

import copy
import dataclasses
import re
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from judgekit.errors import ParseError, SchemaError

__all__ = ["OutputSchema", "output_schema", "strict_ready"]


@dataclass(frozen=True)
class OutputSchema:
    """One JSON schema of an object.

    Attributes:
        name: what the schema is called on the wire: letters, digits, `_` and `-`, at most 64 of them.
        schema: the JSON schema; a copy, the caller's own is never touched.
        build: makes the result from the object that was read: a model instance, a dataclass, or the dict itself.
        strict: what the caller said of strict mode, or None.
    """

    name: str
    schema: dict[str, Any]
    build: Callable[[Any], Any]
    strict: bool | None = None
    description: str | None = None


def output_schema(given: Any) -> OutputSchema:
    """Read an output schema.

    Args:
        given: a JSON schema, OpenAI's `{"name", "schema"}` or `{"type": "json_schema", "json_schema": ...}` or a
            function tool, a pydantic model, a TypedDict, or a dataclass.

    Raises:
        SchemaError: it is none of these, is not itself a valid JSON schema, or its root is not an object.
    """
    found = _from_mapping(given) if isinstance(given, Mapping) else _from_type(given)
    _check(found)
    return found


def _from_mapping(given: Mapping[str, Any]) -> OutputSchema:
    inner: Mapping[str, Any] = given
    for wrapper in ("json_schema", "function"):
        if inner.get("type") == wrapper and isinstance(inner.get(wrapper), Mapping):
            inner = inner[wrapper]
    for key in ("schema", "parameters"):
        if isinstance(inner.get(key), Mapping) and "properties" not in inner:
            return OutputSchema(
                _wire_name(inner.get("name")),
                copy.deepcopy(dict(inner[key])),
                _as_it_is,
                inner.get("strict"),
                inner.get("description"),
            )
    schema = copy.deepcopy(dict(inner))
    name = schema.pop("name", None) if "name" not in schema.get("properties", {}) else None
    return OutputSchema(
        _wire_name(name or schema.get("title")), schema, _as_it_is, schema.pop("strict", None)
    )


def _from_type(given: Any) -> OutputSchema:
    if not isinstance(given, type) or not (
        hasattr(given, "model_json_schema") or dataclasses.is_dataclass(given) or typing.is_typeddict(given)
    ):
        raise SchemaError(
            f"output_schema is {given!r}: pass a JSON schema (a dict), a pydantic model, a TypedDict or a dataclass."
        )
    from pydantic import PydanticSchemaGenerationError, PydanticUserError, TypeAdapter, ValidationError

    try:
        adapter: TypeAdapter[Any] = TypeAdapter(given)
        schema = adapter.json_schema()
    except (PydanticSchemaGenerationError, PydanticUserError) as error:
        raise SchemaError(f"output_schema {given.__name__} has no JSON schema: {error}") from error

    def build(value: Any) -> Any:
        try:
            return adapter.validate_python(value)
        except ValidationError as error:
            faults = "; ".join(
                f"{'.'.join(map(str, e['loc'])) or 'answer'}: {e['msg']}" for e in error.errors()
            )
            raise ParseError(
                f"The answer does not fit {given.__name__}: {faults}.", code="invalid_score"
            ) from error

    return OutputSchema(_wire_name(given.__name__), schema, build, None, schema.get("description"))


def _as_it_is(value: Any) -> Any:
    return value


def _check(found: OutputSchema) -> None:
    import jsonschema
    from jsonschema.validators import validator_for

    try:
        validator_for(found.schema).check_schema(found.schema)
    except jsonschema.SchemaError as error:
        raise SchemaError(
            f"output_schema is no valid JSON schema: {error.message} (at {error.json_path})."
        ) from error
    if found.schema.get("type") != "object" or not found.schema.get("properties"):
        raise SchemaError(
            'The root of output_schema must be an object with properties: {"type": "object", "properties": {...}}; '
            "providers accept nothing else."
        )


def _wire_name(name: object) -> str:
    cleaned = re.sub(r"[^A-Za-z0-9_-]+", "_", str(name or "")).strip("_")[:64]
    return cleaned or "score"


def strict_ready(schema: Any) -> bool:
    """Whether OpenAI's strict mode takes the schema as it stands: all properties required, none additional."""
    if isinstance(schema, Mapping):
        properties = schema.get("properties")
        if isinstance(properties, Mapping) and (
            set(properties) != set(schema.get("required", ()))
            or schema.get("additionalProperties") is not False
        ):
            return False
        return all(strict_ready(value) for value in schema.values())
    if isinstance(schema, (list, tuple)):
        return all(strict_ready(value) for value in schema)
    return True
