"""A JSON schema as a GBNF grammar, the notation in which llama.cpp constrains what a model may write.

llama.cpp has a converter of its own. This one is narrower on purpose: it writes one line with single spaces,
bounds every string, list and number, and keeps `minimum` and `maximum` where that is cheap, so that a small model
can neither ramble nor leave a short scale. What it does not know (`pattern`, `format`, `if`, ...) is left out: the
grammar is then wider than the schema, never narrower, and whoever reads the answer still checks it.

GBNF: https://github.com/ggml-org/llama.cpp/blob/master/grammars/README.md
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from judgekit.core.conforming import declared

__all__ = ["LONGEST_LIST", "LONGEST_STRING", "grammar"]

LONGEST_STRING = (
    600  # characters: some 150 tokens of English, so that an answer of 512 tokens comes to its end
)
LONGEST_LIST = 20
MOST_INTEGERS = 101  # a wider range of integers is not spelled out

_BASE = r"""
value ::= object | list | string | number | "true" | "false" | "null"
object ::= "{" (string ": " value (", " string ": " value){0,9})? "}"
list ::= "[" (value (", " value){0,19})? "]"
string ::= "\"" char{0,600} "\""
char ::= [^"\\\x7F\x00-\x1F] | "\\" (["\\/bfnrt] | "u" [0-9a-fA-F]{4})
number ::= "-"? size decimals?
integer ::= "-"? size
size ::= "0" | [1-9] [0-9]{0,14}
decimals ::= "." [0-9]{1,4}
""".strip()

_SIMPLE = {
    "boolean": '("true" | "false")',
    "null": '"null"',
    "number": "number",
    "integer": "integer",
    "string": "string",
    "object": "object",
    "array": "list",
}


def grammar(schema: Mapping[str, Any]) -> str:
    """The grammar of the answers to a JSON schema.

    Args:
        schema: a JSON schema; references are followed inside it only.

    Returns:
        GBNF text whose `root` writes one JSON value, on one line.
    """
    rules = _Rules(schema)
    root = rules.of(schema)
    return "\n".join(
        [f"root ::= {root}", *(f"{name} ::= {body}" for name, body in rules.bodies.items()), _BASE]
    )


class _Rules:
    """The rules made so far. A reference is a rule of its own, so a schema may refer to itself."""

    def __init__(self, root: Mapping[str, Any]) -> None:
        self.root = root
        self.bodies: dict[str, str] = {}
        self._references: dict[str, str] = {}

    def of(self, schema: Any) -> str:
        """The expression of a schema: a rule's name, a literal, or a group in parentheses."""
        if not isinstance(schema, Mapping):
            return "value"
        if isinstance(reference := schema.get("$ref"), str):
            return self._reference(reference)
        if "const" in schema:
            return _literal(schema["const"])
        if schema.get("enum"):
            return _either([_literal(value) for value in schema["enum"]])
        for keyword in ("anyOf", "oneOf"):
            if schema.get(keyword):
                return _either([self.of(branch) for branch in schema[keyword]])
        if schema.get("allOf"):
            return self.of(self._merged(schema))
        kinds = schema.get("type", "object" if "properties" in schema else None)
        if isinstance(kinds, list):
            return _either([self._typed(kind, schema) for kind in kinds])
        return self._typed(kinds, schema)

    def _typed(self, kind: Any, schema: Mapping[str, Any]) -> str:
        if kind == "object" and schema.get("properties"):
            return self._object(schema["properties"], frozenset(schema.get("required", ())))
        if kind == "array":
            return self._list(schema)
        if kind == "string":
            return _string(schema)
        if kind in ("integer", "number"):
            return _bounded(kind, schema)
        return _SIMPLE.get(kind, "value")

    def _object(self, properties: Mapping[str, Any], required: frozenset[str]) -> str:
        """The properties in the order of the schema; the optional ones may be left out."""
        start = rest = ""  # what may follow the brace, and a property; built from the last one backwards
        for name, part in reversed(list(properties.items())):
            start, rest = self._named(start), self._named(rest)
            field = f"{_literal(name, ': ')} {self.of(part)} {rest}".rstrip()
            if name in required:
                start, rest = field, f'", " {field}'
            else:
                start, rest = _or(field, start), _or(f'", " {field}', rest)
        return f'("{{" {self._named(start)} "}}")'

    def _list(self, schema: Mapping[str, Any]) -> str:
        least = _count(schema.get("minItems"), 0)
        most = max(least, _count(schema.get("maxItems"), LONGEST_LIST))
        if most == 0:
            return '"[]"'
        item = self._named(self.of(schema.get("items")))
        some = f'{item} (", " {item}){{{max(least - 1, 0)},{most - 1}}}'
        return f'("[" {some} "]")' if least else f'("[" ({some})? "]")'

    def _reference(self, reference: str) -> str:
        if reference not in self._references:
            name = self._references[reference] = self._fresh()
            target = declared({"$ref": reference}, self.root)
            self.bodies[name] = "value" if "$ref" in target else self.of(target)  # it may lead nowhere
        return self._references[reference]

    def _merged(self, schema: Mapping[str, Any]) -> dict[str, Any]:
        merged = {key: value for key, value in schema.items() if key != "allOf"}
        for part in schema["allOf"]:
            merged.update(declared(part, self.root) if isinstance(part, Mapping) else {})
        return merged

    def _named(self, body: str) -> str:
        if " " not in body:
            return body
        name = self._fresh()
        self.bodies[name] = body
        return name

    def _fresh(self) -> str:
        name = f"r{len(self.bodies)}"
        self.bodies[name] = ""
        return name


def _string(schema: Mapping[str, Any]) -> str:
    most = min(_count(schema.get("maxLength"), LONGEST_STRING), LONGEST_STRING)
    least = min(_count(schema.get("minLength"), 0), most)
    return f'("\\"" char{{{least},{most}}} "\\"")'


def _bounded(kind: str, schema: Mapping[str, Any]) -> str:
    """A number between whole bounds that are near each other is spelled out; else only its sign is kept."""
    low, high = _whole(schema.get("minimum")), _whole(schema.get("maximum"))
    if low is not None and high is not None and 0 <= high - low < MOST_INTEGERS:
        if kind == "integer":
            return _either([_literal(number) for number in range(low, high + 1)])
        if low >= 0:
            inside = [f"{_literal(number)} decimals?" for number in range(low, high)]
            return _either([*inside, f'{_literal(high)} ("." "0"{{1,4}})?'])
    sign = "" if low is not None and low >= 0 else '"-"? '
    return f"({sign}size{' decimals?' if kind == 'number' else ''})"


def _whole(bound: Any) -> int | None:
    return int(bound) if isinstance(bound, int | float) and float(bound).is_integer() else None


def _count(value: Any, default: int) -> int:
    return value if isinstance(value, int) and value >= 0 else default


def _either(options: Sequence[str]) -> str:
    return f"({' | '.join(options)})"


def _or(option: str, otherwise: str) -> str:
    return f"({option} | {otherwise})" if otherwise else f"({option})?"


def _literal(value: Any, after: str = "") -> str:
    """A value's JSON text as a literal of the grammar, whose escapes are JSON's."""
    return json.dumps(json.dumps(value, ensure_ascii=False) + after, ensure_ascii=False)
