"""The prompt as a value: text, format and what is known about it; parsed when it is made, rendered when it is used."""

from __future__ import annotations

import dataclasses
import hashlib
import secrets
from collections.abc import Callable, Iterable, Mapping
from dataclasses import KW_ONLY, dataclass
from difflib import get_close_matches
from functools import cached_property, partial
from typing import Any, Literal, Protocol

from judgekit.core.attachments import attachment_list, user_content
from judgekit.core.delimiters import neutralize, neutralizer
from judgekit.core.fstring import parse_fstring
from judgekit.errors import MissingVariableError, PromptError

__all__ = ["Prompt", "TemplateFormat", "neutralize"]

TemplateFormat = Literal["f-string", "jinja2"]

_ATTACHMENTS = "attachments"
_PLACE = f"_{secrets.randbits(96)}_"  # where the attachments stand while the text is rendered; no value can hold it


class _Template(Protocol):
    @property
    def variables(self) -> tuple[str, ...]: ...

    @property
    def tags(self) -> frozenset[str]: ...

    def render(self, values: Mapping[str, Any], neutral: Callable[[str], str]) -> str: ...


def _parse_jinja(text: str, label: str) -> _Template:
    from judgekit.core.jinja import parse_jinja

    return parse_jinja(text, label)


_PARSERS: dict[str, Callable[[str, str], _Template]] = {"f-string": parse_fstring, "jinja2": _parse_jinja}


@dataclass(frozen=True, repr=False)
class Prompt:
    """A judge's prompt.

    Values are rendered once and never read as template: braces and Jinja2 syntax in them stay literal. Tags that
    the template itself uses (`<output>`) are neutralized in them, so that judged text cannot close its own frame.

    Attributes:
        text: the template.
        template_format: "f-string" (`{inputs}`, `{inputs[question]}`; see `core.fstring`) or "jinja2" (sandboxed).
        name, version, title, category, description: what the prompt is called; shown in results and errors.
        optional: the variables that a call may leave out. They are then empty text; in Jinja2 `{% if context %}`,
            `is defined` and `is none` tell.
        true_means: what a score of true, or 1, says.
        scale: the kind of score that the prompt was written for ("binary", "continuous", ...).
        source: where the prompt comes from.

    Raises:
        PromptError: the template is not valid; the message shows the line.
    """

    text: str
    _: KW_ONLY
    template_format: TemplateFormat = "f-string"
    name: str | None = None
    version: str | None = None
    title: str | None = None
    category: str | None = None
    description: str | None = None
    optional: frozenset[str] = frozenset()
    true_means: str | None = None
    scale: str | None = None
    source: str | None = None

    def __post_init__(self) -> None:
        label = _label(self.name)
        if not isinstance(self.text, str):
            raise PromptError(f"{label}: the text must be a str, not {type(self.text).__name__}.")
        if self.template_format not in _PARSERS:
            raise PromptError(
                f"{label}: template_format must be one of {', '.join(_PARSERS)}, not {self.template_format!r}."
            )
        names: Any = self.optional
        if isinstance(names, str):
            raise PromptError(f"{label}: optional must be a set of names, such as {{{names!r}}}.")
        object.__setattr__(self, "optional", frozenset(names))
        _ = self._template  # a bad template is an error here, not at the first call

    @property
    def variables(self) -> tuple[str, ...]:
        """The names that the template uses, in order of appearance."""
        return self._template.variables

    @cached_property
    def required(self) -> tuple[str, ...]:
        """The variables that every call must give."""
        return tuple(name for name in self.variables if name not in self.optional)

    @cached_property
    def hash(self) -> str:
        """`"sha256:..."` over the format and the text: prompts with the same hash render alike."""
        identity = f"{self.template_format}\n{self.text}".encode("utf-8", "surrogatepass")
        return "sha256:" + hashlib.sha256(identity).hexdigest()

    def render(self, values: Mapping[str, Any], *, guard: Iterable[str] = ()) -> str:
        """Return the text with `values` filled in; values that the template does not name are ignored.

        Args:
            values: variable name -> anything that `core.plain.to_text` shows. None counts as not given.
            guard: names of further tags to neutralize in the values, such as those of few-shot examples.

        Raises:
            MissingVariableError: a required variable is not among the values, or is None.
            PromptError: a value has no plain form, or a path in the template leads nowhere.
        """
        neutral = neutralizer(self._template.tags.union(guard)) if guard else self._neutral
        return self._template.render(self._given(values), neutral)

    def messages(
        self, values: Mapping[str, Any], attachments: Any = None, *, guard: Iterable[str] = ()
    ) -> list[dict[str, Any]]:
        """Return one user message; with attachments its content is a list of blocks, otherwise text.

        Args:
            values: as in `render`; `attachments` is taken from here when the argument is None.
            attachments: one item or a list of them, as `core.attachments.attachment_block` takes. They stand where
                the template has `{attachments}`, and at the end when it does not.
            guard: as in `render`.

        Raises:
            MissingVariableError: as `render`; also when the template has `{attachments}` and none are given.
            PromptError: as `render`; also an attachment that cannot be sent.
        """
        items = attachment_list(values.get(_ATTACHMENTS) if attachments is None else attachments)
        if _ATTACHMENTS in self.variables:
            values = {name: value for name, value in values.items() if name != _ATTACHMENTS}
            values |= {_ATTACHMENTS: _PLACE} if items else {}
        text = self.render(values, guard=guard)
        before, _, after = text.partition(_PLACE)
        if _PLACE in after:
            raise PromptError(
                f"{_label(self.name)}: `{_ATTACHMENTS}` stands in it more than once; leave one."
            )
        return [{"role": "user", "content": user_content(before, items, after)}]

    def replace(self, old: str, new: str, count: int = -1) -> Prompt:
        """Return the prompt with `str.replace` done on its text."""
        return self._edited(self.text.replace(old, new, count))

    def __add__(self, other: object) -> Prompt:
        if not isinstance(other, str | Prompt):
            return NotImplemented
        return self._edited(self.text + self._source_of(other))

    def __radd__(self, other: object) -> Prompt:
        return self._edited(other + self.text) if isinstance(other, str) else NotImplemented

    def __contains__(self, text: str) -> bool:
        return text in self.text

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        facts = {"name": self.name, "version": self.version, "variables": self.variables}
        shown = "".join(f", {key}={value!r}" for key, value in facts.items() if value)
        text = self.text if len(self.text) <= 60 else f"{self.text[:59]}…"
        return f"Prompt({text!r}, template_format={self.template_format!r}{shown})"

    def __reduce__(self) -> tuple[Any, ...]:  # a compiled template is not picklable; parse again
        state = {each.name: getattr(self, each.name) for each in dataclasses.fields(self) if each.init}
        return partial(type(self), **state), ()

    @cached_property
    def _template(self) -> _Template:
        return _PARSERS[self.template_format](self.text, _label(self.name))

    @cached_property
    def _neutral(self) -> Callable[[str], str]:
        return neutralizer(self._template.tags)

    def _edited(self, text: str) -> Prompt:
        if text == self.text:
            return self
        version = self.version and self.version.removesuffix("+edited") + "+edited"
        return dataclasses.replace(self, text=text, version=version)

    def _source_of(self, other: str | Prompt) -> str:
        if isinstance(other, Prompt) and other.template_format != self.template_format:
            raise PromptError(
                f"{_label(self.name)} is {self.template_format} and {_label(other.name)} is {other.template_format}; "
                "write one of them in the other's format before adding them."
            )
        return str(other)

    def _given(self, values: Mapping[str, Any]) -> dict[str, Any]:
        given = {name: value for name in self.variables if (value := values.get(name)) is not None}
        if len(given) < len(self.variables):
            missing = [name for name in self.required if name not in given]
            if missing:
                raise MissingVariableError(self._missing(missing, values))
        return given

    def _missing(self, missing: list[str], values: Mapping[str, Any]) -> str:
        known = [str(name) for name in values if values[name] is not None]
        spare = [name for name in known if name not in self.variables]
        problems = [
            f"`{name}` is None" if name in values else f"`{name}` is not given{_suggestion(name, spare)}"
            for name in missing
        ]
        literal = " A name in braces that is no variable is written with two, `{{name}}`."
        return (
            f"{_label(self.name)}: {'; '.join(problems)}. It has the variables {', '.join(self.variables)}; "
            f"given: {', '.join(known) or 'none'}.{literal if self.template_format == 'f-string' else ''}"
        )


def _label(name: str | None) -> str:
    return f"prompt {name!r}" if name else "the prompt"


def _suggestion(name: str, spare: list[str]) -> str:
    close = get_close_matches(name, spare, n=1)
    return f" (`{close[0]}` is: a misspelling?)" if close else ""
