"""The f-string template format: `{name}`, `{name[key]}`, `{name[0]}`, `{name.key}`, and `{{` `}}` for braces.

What works in `str.format` with plain names works the same here. Two things differ. A brace that cannot begin a
variable is literal text, so JSON may stand in a prompt unescaped: `{"score": true}` needs no doubling (inside
such a literal group `}}` closes two braces; elsewhere it is one escaped brace). And `[key]` and `.key` look up
keys, items and declared fields in plain data; the attributes of an object are out of reach.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from judgekit.core.delimiters import tags_in
from judgekit.core.plain import to_plain, to_text
from judgekit.errors import MissingVariableError, PromptError

__all__ = ["FString", "parse_fstring", "pointed"]

_NAME = r"[^\W\d]\w*"
_STEP = rf"\.{_NAME}|\[[^\[\]{{}}\"'\n]+\]"
_PATH = rf"{_NAME}(?:{_STEP})*"
_SPEC = r"(?:.?[<>=^])?[+-]?z?#?0?\d*[_,]?(?:\.\d+)?[bcdeEfFgGnosxX%]?"

_TOKEN = re.compile(rf"(?P<escaped>\{{\{{)|\{{(?P<name>{_NAME})(?P<steps>(?:{_STEP})*)\}}|[{{}}]")
_INDEX = re.compile(r"-?\d+")

_MISTAKES = tuple(
    (re.compile(pattern), problem, instead)
    for pattern, problem, instead in (
        (r"\{\}", "`{}` names no variable", "outputs"),
        (rf"\{{\d+(?:{_STEP})*\}}", "variables have names, not positions", "outputs"),
        (rf"\{{(?:\s+{_PATH}\s*|{_PATH}\s+)\}}", "a variable stands without spaces", "PATH"),
        (rf"\{{{_PATH}![rsa](?::[^{{}}]*)?\}}", "conversions such as `!r` do not exist here", "PATH"),
        (
            rf"\{{{_PATH}(?:![rsa])?:(?:{_SPEC}\}}|[^\s{{}}]*[%{{])",
            "format specifications do not exist here",
            "PATH",
        ),
        (rf"\{{{_PATH}\(", "nothing can be called in an f-string prompt (jinja2 has filters)", "outputs"),
        (rf"\{{{_PATH}\[[\"']", "a key stands without quotes", "PATH[key]"),
    )
)
_DUNDER = re.compile(r"\.__\w+__")


@dataclass(frozen=True, slots=True)
class _Field:
    """One variable in the text: its root name, the keys that follow, and how it was written."""

    name: str
    steps: tuple[str, ...]
    source: str


@dataclass(frozen=True, slots=True)
class FString:
    """A parsed template: literal texts and runs of adjacent variables."""

    label: str
    parts: tuple[str | tuple[_Field, ...], ...]
    variables: tuple[str, ...]
    tags: frozenset[str]

    def render(self, values: Mapping[str, Any], neutral: Callable[[str], str]) -> str:
        """Fill the template; a name that `values` lacks is empty text.

        Raises:
            PromptError: a value has no plain form, or a path leads nowhere.
        """
        texts: list[str] = []
        for part in self.parts:
            if isinstance(part, str):
                texts.append(part)
            else:
                # Adjacent values are neutralized as one text: half a tag in each would be a whole one together.
                texts.append(neutral("".join([self._shown(field, values) for field in part])))
        return "".join(texts)

    def _shown(self, field: _Field, values: Mapping[str, Any]) -> str:
        value = values.get(field.name, "")
        if field.steps and field.name in values:
            value = self._followed(field, to_plain(value, name=field.name))
        return to_text(value, name=field.name)

    def _followed(self, field: _Field, data: Any) -> Any:
        reached = field.name
        for step in field.steps:
            if isinstance(data, dict) and step in data:
                data = data[step]
            elif isinstance(data, list) and _INDEX.fullmatch(step) and -len(data) <= int(step) < len(data):
                data = data[int(step)]
            else:
                raise _dead_end(f"{self.label}: `{field.source}`: `{reached}` has no `{step}`", data)
            reached = f"{reached}[{step}]"
        return data


def parse_fstring(text: str, label: str) -> FString:
    """Parse a template; `label` is what error messages call it.

    Raises:
        PromptError: something in braces looks like a variable and is none.
    """
    parts: list[str | tuple[_Field, ...]] = []
    for piece in _pieces(text, label):
        last = parts[-1] if parts else None
        if isinstance(piece, str):
            if isinstance(last, str):
                parts[-1] = last + piece
            elif piece:
                parts.append(piece)
        elif isinstance(last, tuple):
            parts[-1] = (*last, piece)
        else:
            parts.append((piece,))
    names = dict.fromkeys(field.name for part in parts if isinstance(part, tuple) for field in part)
    own_text = " ".join(part for part in parts if isinstance(part, str))
    return FString(label, tuple(parts), tuple(names), tags_in(own_text))


def pointed(text: str, at: int) -> str:
    """Say where in a text the offset `at` is: its line and column, that line, and a caret below it."""
    start = text.rfind("\n", 0, at) + 1
    line = text[start:].partition("\n")[0]
    column = at - start
    first = max(0, column - 60)
    return (
        f"line {text.count(chr(10), 0, at) + 1}, column {column + 1}\n"
        f"    {line[first : column + 40]}\n    {' ' * (column - first)}^"
    )


def _pieces(text: str, label: str) -> Iterator[str | _Field]:
    opened: list[str] = []  # the braces of literal groups, "{" or "{{", not closed yet
    at = 0
    while token := _TOKEN.search(text, at):
        start, at_next = token.span()
        yield text[at:start]
        if token["name"]:
            yield _field(token, label)
        elif token[0] == "}":
            doubled = text.startswith("}}", start)
            if opened:
                if opened[-1] == "{":
                    doubled = False
                    opened.pop()
                elif doubled:
                    opened.pop()
            at_next += doubled
            yield "}"
        else:
            if token[0] == "{":
                _check(text, start, label)
            opened.append(token[0])
            yield "{"
        at = at_next
    yield text[at:]


def _field(token: re.Match[str], label: str) -> _Field:
    if dunder := _DUNDER.search(token["steps"]):
        raise PromptError(
            f"{label}: `{token[0]}` asks for `{dunder[0][1:]}`, an attribute of a Python object; attributes are "
            f"never reached, only keys, items and declared fields: "
            f"{pointed(token.string, token.start('steps') + dunder.start())}"
        )
    steps = tuple(step[1:] if step[0] == "." else step[1:-1] for step in re.findall(_STEP, token["steps"]))
    return _Field(token["name"], steps, token[0])


def _check(text: str, at: int, label: str) -> None:
    """Refuse a brace group that was meant as a variable; whatever else it holds, it is literal text."""
    for pattern, problem, instead in _MISTAKES:
        if group := pattern.match(text, at):
            path = re.search(_PATH, group[0])
            variable = instead.replace("PATH", path[0]) if path else instead
            raise PromptError(
                f"{label}: {problem}. For a variable write `{{{variable}}}`; "
                f"for braces as text double them, `{{{{` and `}}}}`: {pointed(text, at)}"
            )


def _dead_end(problem: str, data: Any) -> PromptError:
    never = "Attributes are never reached, only keys, items and declared fields."
    if isinstance(data, dict):
        return MissingVariableError(f"{problem}. Its keys: {', '.join(map(repr, data)) or 'none'}. {never}")
    if isinstance(data, list):
        return MissingVariableError(f"{problem}. It is a list of {len(data)}. {never}")
    return PromptError(f"{problem}. It is {to_text(data)!r:.60}, which has no keys. {never}")
