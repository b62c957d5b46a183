"""A user's output schema, in any of the forms that users write it, as one JSON schema and a way back."""

from __future__ import annotations

import copy
import dataclasses
import functools
import json
import operator
import re
import sys
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from judgekit.core.conforming import declared
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
        description: what the schema says of itself, or None.
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
            return _found(inner[key], inner, inner.get("name"))
    schema = dict(inner)
    facts = {key: schema.pop(key, None) for key in ("name", "strict")}
    return _found(schema, {**facts, "description": schema.get("description")}, facts["name"])


def _found(schema: Mapping[str, Any], facts: Mapping[str, Any], name: Any) -> OutputSchema:
    root = _root(copy.deepcopy(dict(schema)))
    return OutputSchema(
        _wire_name(name or root.get("title")), root, _as_it_is, facts.get("strict"), facts.get("description")
    )


def _root(schema: dict[str, Any]) -> dict[str, Any]:
    """A root that only refers (what pydantic writes for a model that holds itself) is what it refers to."""
    return dict(declared(schema, schema))


def _as_it_is(value: Any) -> Any:
    return value


def _from_type(given: Any) -> OutputSchema:
    if not isinstance(given, type) or not (
        hasattr(given, "model_json_schema") or dataclasses.is_dataclass(given) or _is_typeddict(given)
    ):
        raise SchemaError(
            f"output_schema is {given!r}: pass a JSON schema (a dict), a pydantic model, a TypedDict or a dataclass."
        )
    from pydantic import PydanticSchemaGenerationError, PydanticUserError

    built = _Built(given)
    try:
        schema = _root(built.adapter.json_schema())
    except (PydanticSchemaGenerationError, PydanticUserError, NameError) as error:
        raise SchemaError(f"output_schema {given.__name__} has no JSON schema: {error}") from error
    return OutputSchema(_wire_name(given.__name__), schema, built, None, schema.get("description"))


@dataclass(frozen=True)
class _Built:
    """Makes an instance of a type from the object that was read; a value, so that judges can be pickled."""

    type: Any

    @functools.cached_property
    def adapter(self) -> Any:
        from pydantic import TypeAdapter

        return TypeAdapter(_portable(self.type))

    def __call__(self, value: Any) -> Any:
        from pydantic import ValidationError

        try:
            return self.adapter.validate_json(
                json.dumps(value)
            )  # as JSON: strict models take dates as text there
        except ValidationError as error:
            faults = "; ".join(
                f"{'.'.join(map(str, e['loc'])) or 'answer'}: {e['msg']}"
                for e in error.errors(include_url=False)
            )
            raise ParseError(
                f"The answer does not fit {self.type.__name__}: {faults}.", code="invalid_score"
            ) from error

    def __reduce__(self) -> tuple[Any, ...]:  # the adapter is made anew
        return (_Built, (self.type,))


def _is_typeddict(given: Any) -> bool:
    """Of either kind: before Python 3.12 `typing` does not know the TypedDict of `typing_extensions`."""
    import typing_extensions

    return typing_extensions.is_typeddict(given)


def _portable(hint: Any) -> Any:
    """The type with `typing_extensions.TypedDict` for `typing.TypedDict`: before Python 3.12 pydantic takes no other."""
    if sys.version_info >= (3, 12):
        return hint
    if typing.is_typeddict(hint):
        import typing_extensions

        fields = typing.get_type_hints(hint, include_extras=True)
        portable: Any = typing_extensions.TypedDict
        copied = portable(
            hint.__name__, {name: _portable(field) for name, field in fields.items()}, total=hint.__total__
        )
        copied.__doc__ = hint.__doc__
        return copied
    arguments = getattr(hint, "__args__", ())
    changed = tuple(map(_portable, arguments))
    if changed == arguments:
        return hint
    if isinstance(hint, types.UnionType):
        return functools.reduce(operator.or_, changed)
    return hint.copy_with(changed) if hasattr(hint, "copy_with") else typing.get_origin(hint)[changed]


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
