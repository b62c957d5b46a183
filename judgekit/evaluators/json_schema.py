"""Does JSON fit a schema?"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, is_typeddict

from judgekit.core.characters import shortened
from judgekit.core.plain import to_plain
from judgekit.core.schemas import output_schema
from judgekit.errors import PromptError, SchemaError
from judgekit.evaluators.base import AsyncEvaluator, Evaluator
from judgekit.evaluators.comparison import Comparison, needed, result_of
from judgekit.evaluators.json_reading import read_json
from judgekit.types import EvaluatorResult

__all__ = ["JsonSchemaMatch", "create_async_json_schema_evaluator", "create_json_schema_evaluator"]


@dataclass(frozen=True)
class JsonSchemaMatch(Comparison):
    """Whether the outputs fit a JSON schema."""

    schema: Mapping[str, Any]
    feedback_key: str = "json_schema"
    validator: Any = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "validator", _validator(self.schema))

    def __reduce__(self) -> tuple[Any, ...]:  # a compiled validator does not travel
        return (type(self), (self.schema, self.feedback_key))

    def evaluate(self, item: Mapping[str, Any]) -> EvaluatorResult:
        (outputs,) = needed(item, self.feedback_key, "outputs")
        try:
            value = read_json(outputs) if isinstance(outputs, str) else to_plain(outputs, name="outputs")
        except PromptError:
            raise
        except ValueError as error:
            return result_of(self.feedback_key, False, f"no JSON: {error}")
        errors = self._errors(value)
        if not errors:
            return result_of(self.feedback_key, True)
        more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
        return result_of(self.feedback_key, False, shortened(errors[0], 300) + more)

    def _errors(self, value: Any) -> list[str]:
        from referencing.exceptions import Unresolvable

        try:
            return [f"{error.json_path}: {error.message}" for error in self.validator.iter_errors(value)]
        except Unresolvable as error:
            raise SchemaError(
                f"{self.feedback_key}: the schema refers to {error.ref!r}, which is not in it and is not fetched: put it "
                "under $defs."
            ) from error
        except RecursionError:
            raise PromptError(
                f"{self.feedback_key}: the outputs are nested too deeply to be checked, or the schema refers to itself "
                "without end."
            ) from None


def create_json_schema_evaluator(schema: Any, *, feedback_key: str = "json_schema") -> Evaluator:
    """Build an evaluator that checks the outputs against a JSON schema.

    Args:
        schema: a JSON schema (a mapping; its `$schema` says which draft, the latest by default), a pydantic model, a
            TypedDict or a dataclass. Nothing that it refers to is fetched.
        feedback_key: the `key` of the result.

    Returns:
        An evaluator `(*, outputs, **kwargs)` with a boolean score; the comment says what does not fit, and where. Text is
        read as JSON, strictly; text that is none does not fit.

    Raises:
        SchemaError: it is no valid JSON schema, or of a draft that is not known; or, when called, it refers to what is not
            in it.
        PromptError: when called with outputs that have no plain form, or are nested too deeply.
    """
    return Evaluator(JsonSchemaMatch(_schema(schema), feedback_key))


def create_async_json_schema_evaluator(schema: Any, *, feedback_key: str = "json_schema") -> AsyncEvaluator:
    """Build an async evaluator: the same parameters as `create_json_schema_evaluator`, the same result, awaited."""
    return AsyncEvaluator(JsonSchemaMatch(_schema(schema), feedback_key))


def _schema(given: Any) -> dict[str, Any]:
    if isinstance(given, Mapping):
        return copy.deepcopy(dict(given))
    if isinstance(given, bool) or not isinstance(given, type):
        raise SchemaError(
            f"schema is {given!r}: pass a JSON schema (a dict), a pydantic model, a TypedDict or a dataclass."
        )
    if is_typeddict(given):  # before Python 3.12 pydantic takes none of `typing`
        return output_schema(given).schema
    from pydantic import PydanticSchemaGenerationError, PydanticUserError, TypeAdapter

    try:
        return TypeAdapter(given).json_schema()
    except (PydanticSchemaGenerationError, PydanticUserError) as error:
        raise SchemaError(f"schema {given.__name__} has no JSON schema: {error}") from error


def _validator(schema: Mapping[str, Any]) -> Any:
    import jsonschema
    from jsonschema.validators import validator_for
    from referencing import Registry

    draft = schema.get("$schema", jsonschema.Draft202012Validator.META_SCHEMA["$schema"])
    known: Any = validator_for  # whose types forget that the default may be None
    kind = known({"$schema": draft}, default=None) if isinstance(draft, str) else None
    if kind is None:
        raise SchemaError(
            f"$schema is {draft!r}, which is no draft that is known; leave it out for the latest."
        )
    try:
        kind.check_schema(dict(schema))
    except jsonschema.SchemaError as error:
        raise SchemaError(
            f"schema is no valid JSON schema: {error.message} (at {error.json_path})."
        ) from error
    return kind(schema, registry=Registry())  # an empty registry: nothing is fetched
