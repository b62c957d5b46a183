"""What a score may be. A scale gives the schema to ask with, the words to say it in, and the reading of a value.

Reading never rounds, clamps or guesses: what is not on the scale is refused.
"""

from __future__ import annotations

import copy
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from judgekit.core.characters import field_name, is_blank, shortened, trimmed
from judgekit.core.coercion import Flaw, as_bool, as_label, as_number, closest, shown
from judgekit.core.conforming import Conformer, declared, labelled
from judgekit.errors import SchemaError

__all__ = ["Binary", "Choices", "Continuous", "Custom", "Scale", "Score", "scale_for"]

REASONING = (
    "A human-readable explanation of the score. You MUST end the reasoning with a sentence that says: "
    "Thus, the score should be: SCORE_YOU_ASSIGN."
)
TRUTH = "A score that is true if criteria in the prompt are met, and false otherwise."
DEGREE = "A number that represents the degree to which the criteria in the prompt are met"
LABEL = "The label that describes best how the criteria in the prompt are met."


@dataclass(frozen=True, slots=True)
class Score:
    """A value as its scale allows it, the label that was chosen for it, and how it was converted."""

    value: Any
    label: str | None = None
    coercions: tuple[str, ...] = ()


@dataclass(frozen=True)
class Binary:
    """True or false."""

    def schema(self, explain: bool) -> tuple[dict[str, Any], str]:
        """The JSON schema of an answer (a new dict), with a field for the explanation or without, and the
        description of the score; both as OpenEvals derives them."""
        return _answer({"type": "boolean", "description": TRUTH}, explain)

    def wording(self) -> str:
        """One sentence that says what the score must be."""
        return "The score must be true or false."

    def read(self, raw: Any) -> Score:
        """Raises `Flaw` (`invalid_score`) for what is neither true nor false."""
        return _scored(*as_bool(raw))


@dataclass(frozen=True)
class Continuous:
    """A number from `low` to `high`, both included.

    Raises:
        SchemaError: `low` is not below `high`, or one of them is not finite.
    """

    low: float = 0.0
    high: float = 1.0

    def __post_init__(self) -> None:
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low < self.high):
            raise SchemaError(
                f"A continuous scale from {self.low} to {self.high} has no values: low must be below high."
            )

    def schema(self, explain: bool) -> tuple[dict[str, Any], str]:
        """As `Binary.schema`."""
        low, high = float(self.low), float(self.high)
        description = (
            f"{DEGREE}, from {low} to {high}. {high} means the criteria are met perfectly. "
            f"{low} means none of the criteria are met, {(low + high) / 2} means exactly half of the criteria are met."
        )
        return _answer({"type": "number", "description": description}, explain)

    def wording(self) -> str:
        return f"The score must be a number from {float(self.low)} to {float(self.high)}."

    def read(self, raw: Any) -> Score:
        """Raises `Flaw` (`invalid_score`) for what is no number in the range; the value is a float."""
        unit = self.low >= 0 and self.high <= 1
        number, change = as_number(raw, unit=unit, share=(self.low, self.high) == (0, 1))
        if not self.low <= number <= self.high:
            raise Flaw(
                "invalid_score", f"{shown(raw)} is not between {float(self.low)} and {float(self.high)}"
            )
        return _scored(float(number) + 0.0, change)  # + 0.0: -0.0 is 0.0


@dataclass(frozen=True)
class Choices:
    """One of a few numbers or words.

    Args:
        values: the numbers, or the words that the model chooses from.
        labels: the number that each word stands for, when the score is to be that number.

    Raises:
        SchemaError: there is no choice, or two are the same, or one is neither a finite number nor a word.
    """

    values: tuple[float | str, ...]
    labels: Mapping[str, float] | None = field(default=None, hash=False)

    def __post_init__(self) -> None:
        _check_choices(self.values)
        if self.labels is not None:
            _check_labels(self.values, self.labels)
            object.__setattr__(self, "labels", dict(self.labels))

    def schema(self, explain: bool) -> tuple[dict[str, Any], str]:
        """As `Binary.schema`; words are an enum of strings."""
        kind, description = ("string", LABEL) if self._words else ("number", f"{DEGREE}.")
        return _answer({"type": kind, "description": description, "enum": list(self.values)}, explain)

    def wording(self) -> str:
        return (
            f"The score must be one of: {', '.join(json.dumps(v, ensure_ascii=False) for v in self.values)}."
        )

    def read(self, raw: Any) -> Score:
        """Raises `Flaw` (`invalid_score`) for what is none of the choices; a number comes back as it was offered."""
        if self._words:
            label, change = as_label(raw, self._words)
            return _scored(label if self.labels is None else self.labels[label], change, label)
        number, change = as_number(raw, unit=self._unit)
        member = closest(number, self._numbers)
        if member is None:
            raise Flaw("invalid_score", f"{shown(raw)} is not one of the choices")
        return _scored(member, change)

    def offers(self, text: str) -> bool:
        """Whether the text is one of the words."""
        return trimmed(text).casefold() in self._words

    @cached_property
    def _words(self) -> dict[str, str]:
        return labelled(self.values)

    @cached_property
    def _numbers(self) -> tuple[float, ...]:
        return tuple(value for value in self.values if not isinstance(value, str))

    @cached_property
    def _unit(self) -> bool:
        return all(0 <= number <= 1 for number in self._numbers)


@dataclass(frozen=True, init=False)
class Custom:
    """The user's own JSON schema of an object; the whole object is the result.

    Args:
        schema: the JSON schema; a copy is kept.

    Raises:
        SchemaError: it is no valid JSON schema, or refers to a schema outside itself.
    """

    document: Mapping[str, Any] = field(hash=False)

    def __init__(self, schema: Mapping[str, Any]) -> None:
        object.__setattr__(self, "document", copy.deepcopy(dict(schema)))

    def __reduce__(self) -> tuple[Any, ...]:  # a compiled validator does not travel
        return (Custom, (self.document,))

    def schema(self, explain: bool) -> tuple[dict[str, Any], str]:  # noqa: ARG002  # the user's schema says it
        """A copy of the user's schema, and its description."""
        return copy.deepcopy(dict(self.document)), str(self.document.get("description") or self.wording())

    def wording(self) -> str:
        fields = "; ".join(f'"{name}": {self._field_wording(name)}' for name in self.properties)
        return f"The answer must be one JSON object with the fields {fields}."

    def read(self, members: Sequence[tuple[str, Any]]) -> Score:
        """Raises `Flaw` (`missing_field`, `invalid_score`, `ambiguous`) for an object that the schema refuses."""
        from referencing.exceptions import Unresolvable

        conformer = Conformer(self.document)
        value = conformer.conform(members)
        try:
            errors = sorted(
                self._validator.iter_errors(value), key=lambda error: error.validator != "required"
            )
        except Unresolvable as error:
            raise SchemaError(f"The output schema refers to what it does not hold: {error}.") from error
        if errors:
            first = errors[0]
            code = "missing_field" if first.validator == "required" else "invalid_score"
            raise Flaw(code, f"{first.json_path}: {shortened(first.message, 300)}")
        return Score(value, coercions=tuple(conformer.changes))

    @cached_property
    def properties(self) -> Mapping[str, Any]:
        """The fields of the object, each with its schema."""
        found = declared(self.document, self.document).get("properties", {})
        return {name: part if isinstance(part, Mapping) else {} for name, part in found.items()}

    @cached_property
    def names(self) -> frozenset[str]:
        """The names of the fields, in the one spelling of `field_name`."""
        return frozenset(map(field_name, self.properties))

    @cached_property
    def _validator(self) -> Any:
        import jsonschema
        from jsonschema.validators import validator_for
        from referencing import Registry

        kind = validator_for(self.document)
        try:
            kind.check_schema(dict(self.document))
        except jsonschema.SchemaError as error:
            raise SchemaError(f"The output schema is no valid JSON schema: {error.message}.") from error
        return kind(self.document, registry=Registry())  # an empty registry: nothing is fetched

    def _field_wording(self, name: str) -> str:
        part = declared(self.properties[name], self.document)
        if "enum" in part or "const" in part:
            return "one of " + ", ".join(
                json.dumps(v, ensure_ascii=False) for v in part.get("enum", [part.get("const")])
            )
        bounds = [f"{word} {part[key]}" for key, word in _BOUNDS.items() if key in part]
        kinds = part.get("type", "any value")
        return " ".join([kinds if isinstance(kinds, str) else " or ".join(kinds), *bounds])


Scale = Binary | Continuous | Choices | Custom

_BOUNDS = {
    "minimum": "from",
    "exclusiveMinimum": "above",
    "maximum": "to",
    "exclusiveMaximum": "below",
}


def scale_for(
    *, continuous: bool = False, choices: Sequence[float | str] | Mapping[str, float] | None = None
) -> Scale:
    """The scale that a judge's parameters mean; `choices` win over `continuous`.

    Args:
        choices: numbers, or words, or words with the number that each stands for; None for none.

    Raises:
        SchemaError: the choices are empty, repeat themselves, or mix words with numbers.
    """
    if choices is None:
        return Continuous() if continuous else Binary()
    given: Any = choices  # what a caller without a type checker passes
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise SchemaError(f"choices is {given!r}: pass a list of numbers or words, [{given!r}, ...].")
    if isinstance(choices, Mapping):
        return Choices(tuple(choices), choices)
    return Choices(tuple(choices))


def _answer(score: dict[str, Any], explain: bool) -> tuple[dict[str, Any], str]:
    fields = {"reasoning": {"type": "string", "description": REASONING}} if explain else {}
    properties = {**fields, "score": score}
    schema = {
        "type": "object",
        "additionalProperties": False,
        "properties": properties,
        "required": list(properties),
    }
    return schema, score["description"]


def _scored(value: Any, change: str | None, label: str | None = None) -> Score:
    return Score(value, label, (change,) if change else ())


def _check_choices(values: tuple[Any, ...]) -> None:
    if not values:
        raise SchemaError("choices is empty: list the values that the score may take, or leave choices out.")
    words = [value for value in values if isinstance(value, str)]
    for value in values:
        if not isinstance(value, str):
            _check_number(value)
        elif is_blank(value):
            raise SchemaError("choices has an empty word: the model could not name it.")
    if words and len(words) < len(values):
        raise SchemaError(
            f"choices mixes words and numbers ({list(values)!r}): use one kind, or a dict word -> number."
        )
    forms = [trimmed(word).casefold() for word in words] or list(values)
    for form in forms:
        if forms.count(form) > 1:
            raise SchemaError(f"choices has {form!r} more than once: no answer could be told apart.")


def _check_labels(values: tuple[Any, ...], labels: Mapping[Any, Any]) -> None:
    if set(values) != set(labels) or not all(isinstance(label, str) for label in labels):
        raise SchemaError(f"choices as a dict maps words to numbers; its keys are {list(labels)!r}.")
    for number in labels.values():
        _check_number(number)


def _check_number(value: Any) -> None:
    try:
        if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
            return
    except OverflowError:
        pass
    raise SchemaError(
        f"choices has {shortened(repr(value))}: a choice is a finite number or a word, and true/false needs no choices."
    )
