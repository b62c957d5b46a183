"""From a decoded object to one that a user's JSON schema accepts, changing spelling and never a value.

Keys get their declared spelling; a scalar of the wrong type is converted where its schema declares one type and the
table in `judgekit.core.coercion` has the step; a field that the schema forbids and nobody asked for is dropped.
No default is filled in.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from judgekit.core.characters import field_name, storable, trimmed
from judgekit.core.coercion import Flaw, as_bool, as_label, as_number, closest, same, shown
from judgekit.core.decoding import Members, Unquoted

__all__ = ["Conformer", "declared", "labelled"]

_LONGEST_CHAIN = 32  # references to references
_NULL = {"type": "null"}


class Conformer:
    """Reads one object by one schema; `changes` says what was changed, as `path: change`."""

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self._root = schema
        self.changes: list[str] = []

    def conform(self, members: Sequence[tuple[str, Any]]) -> dict[str, Any]:
        """The object, in the spelling and the types of the schema; whether it is valid is not decided here.

        Raises:
            Flaw: `ambiguous` when a field is there twice with different values, or an undeclared one competes
                with it (`winner` and `final_winner`); `invalid_score` for a value that is not JSON.
        """
        schema = declared(self._root, self._root)
        self._refuse_rivals(members, schema.get("properties", {}))
        return self._object(members, schema, "$")

    def _value(self, raw: Any, schema: Mapping[str, Any], path: str) -> Any:
        schema = declared(schema, self._root)
        if isinstance(raw, Members):
            return self._object(raw, schema, path)
        if isinstance(raw, Mapping):
            return self._object(tuple(raw.items()), schema, path)
        if isinstance(raw, list):
            items = schema.get("items")
            each = items if isinstance(items, Mapping) else {}
            return [self._value(item, each, f"{path}[{i}]") for i, item in enumerate(raw)]
        if isinstance(raw, Unquoted) or (isinstance(raw, float) and not math.isfinite(raw)):
            raise Flaw("invalid_score", f"{path}: {shown(raw)} is not a JSON value")
        try:
            value, change = _converted(raw, schema)
        except Flaw:  # left as it is: the schema's validator says what it wants
            value, change = raw, None
        if change:
            self.changes.append(f"{path}: {change}")
        return storable(value) if isinstance(value, str) else value

    def _object(
        self, members: Iterable[tuple[str, Any]], schema: Mapping[str, Any], path: str
    ) -> dict[str, Any]:
        properties = schema.get("properties", {})
        additional = schema.get("additionalProperties", True)
        spelling = _spellings(properties)
        result: dict[str, Any] = {}
        for written, raw in members:
            key = _declared_key(written, properties, spelling)
            where = f"{path}.{storable(key)}"
            if key not in properties and additional is False:
                self.changes.append(f"{where}: dropped, the schema has no such field")
                continue
            within = properties.get(key, additional)
            value = self._value(raw, within if isinstance(within, Mapping) else {}, where)
            key = storable(key)
            if key in result and not same(result[key], value):
                raise Flaw("ambiguous", f'the field "{key}" has two different values')
            result[key] = value
        return result

    def _refuse_rivals(self, members: Sequence[tuple[str, Any]], properties: Mapping[str, Any]) -> None:
        spelling = _spellings(properties)
        written = [(_declared_key(key, properties, spelling), raw) for key, raw in members]
        values = {key: raw for key, raw in written if key in properties}
        for rival, raw in written:
            for name in () if rival in properties else values:
                schema = declared(properties[name], self._root)
                if _names(rival, name) and _disagree(values[name], raw, schema):
                    raise Flaw("ambiguous", f'the fields "{name}" and "{storable(rival)}" disagree')


def declared(schema: Mapping[str, Any], root: Mapping[str, Any]) -> Mapping[str, Any]:
    """What a schema says of one value: behind local references, a single `allOf`, and a union with null."""
    for _ in range(_LONGEST_CHAIN):
        rest = {key: value for key, value in schema.items() if key not in ("$ref", "allOf", "anyOf", "oneOf")}
        inner = _pointed(schema["$ref"], root) if "$ref" in schema else _only_branch(schema)
        if inner is None:
            return schema
        schema = {**rest, **inner}
    return {}


def labelled(labels: Iterable[Any]) -> dict[str, str]:
    """Labels by their casefolded form, where that form is unique."""
    folded = [(trimmed(label).casefold(), label) for label in labels if isinstance(label, str)]
    forms = [form for form, _ in folded]
    return {form: label for form, label in folded if forms.count(form) == 1}


def _converted(raw: Any, schema: Mapping[str, Any]) -> tuple[Any, str | None]:
    """The value in the one type that the schema declares, and how it was changed.

    Raises:
        Flaw: the table has no step to that type.
    """
    options = schema.get("enum", [schema["const"]] if "const" in schema else None)
    if options:
        return _option(raw, options)
    kinds = schema.get("type")
    kind = [k for k in kinds if k != "null"] if isinstance(kinds, list) else [kinds]
    if kind == ["boolean"]:
        return as_bool(raw)
    if kind == ["number"]:
        share = schema.get("minimum") == 0 and schema.get("maximum") == 1
        return as_number(raw, unit=share, share=share)
    if kind == ["integer"]:
        number, change = as_number(raw)
        if number != int(number):
            raise Flaw("invalid_score", f"{shown(raw)} is not an integer")
        return int(number), change
    return raw, None


def _option(raw: Any, options: Sequence[Any]) -> tuple[Any, str | None]:
    if any(same(option, raw) for option in options):
        return raw, None
    if all(isinstance(option, bool) for option in options):
        return as_bool(raw)
    if isinstance(raw, str) and any(isinstance(option, str) for option in options):
        return as_label(raw, labelled(options))
    number, change = as_number(raw)
    numbers = [
        option for option in options if isinstance(option, int | float) and not isinstance(option, bool)
    ]
    option = closest(number, numbers)
    if option is None:
        raise Flaw("invalid_score", f"{shown(raw)} is not one of the options")
    return option, change


def _disagree(value: Any, rival: Any, schema: Mapping[str, Any]) -> bool:
    """Whether the rival is readable as another value of the field; a free text has no rivals."""
    if schema.get("type") == "string" and "enum" not in schema and "const" not in schema:
        return False
    try:
        other, _ = _converted(rival, schema)
    except Flaw:
        return False
    try:
        one, _ = _converted(value, schema)
    except Flaw:
        return True
    return not same(one, other)


def _declared_key(key: str, properties: Mapping[str, Any], spelling: Mapping[str, str]) -> str:
    return key if key in properties else spelling.get(field_name(key), key)


def _spellings(properties: Mapping[str, Any]) -> dict[str, str]:
    """Property names by their one spelling, where it is unique."""
    forms = [field_name(name) for name in properties]
    return {form: name for form, name in zip(forms, properties, strict=True) if forms.count(form) == 1}


def _names(key: str, name: str) -> bool:
    """Whether the words of `name` stand in `key`: `final_winner`, `finalWinner` and `Winner (final)` name winner."""
    if name == "score":
        return name in field_name(key)  # as for the built-in scales
    return f" {_words(name)} " in f" {_words(key)} "


def _words(key: str) -> str:
    parts = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", key)
    return " ".join(re.findall(r"[^\W_]+", field_name(parts)))


def _pointed(reference: Any, root: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """What a local reference (`#/$defs/Grade`) points to, or None."""
    if not isinstance(reference, str) or not reference.startswith("#"):
        return None
    here: Any = root
    for part in reference.split("/")[1:]:
        name = part.replace("~1", "/").replace("~0", "~")
        here = here.get(name) if isinstance(here, Mapping) else None
    return here if isinstance(here, Mapping) else None


def _only_branch(schema: Mapping[str, Any]) -> Mapping[str, Any] | None:
    for keyword in ("allOf", "anyOf", "oneOf"):
        branches = [branch for branch in schema.get(keyword, ()) if branch != _NULL]
        if len(branches) == 1 and isinstance(branches[0], Mapping):
            return branches[0]
    return None
