"""The jinja2 template format, sandboxed, over plain data.

Values are plain dicts, lists, texts and numbers by the time a template sees them, so there is no object whose
attributes it could reach. A dict or list prints as JSON, true and false and null as JSON writes them.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import TracebackType
from typing import TYPE_CHECKING, Any

from judgekit.core.delimiters import tags_in
from judgekit.core.plain import to_plain, to_text
from judgekit.errors import MissingVariableError, PromptError

if TYPE_CHECKING:
    import jinja2

__all__ = ["Jinja", "parse_jinja"]

# Stands for each `<` of a template's own text while it is rendered: what is then still a tag came from a value,
# by whatever way (a loop over characters, a filter, two values joined). Random, so that no value can hold it.
_OWN = f"_{secrets.randbits(96)}_"

_RUNTIME_ERRORS = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)


@dataclass(frozen=True, slots=True)
class Jinja:
    """A compiled template."""

    label: str
    variables: tuple[str, ...]
    tags: frozenset[str]
    template: jinja2.Template

    def render(self, values: Mapping[str, Any], neutral: Callable[[str], str]) -> str:
        """Fill the template; a name that `values` lacks is false, undefined, none and prints as empty text.

        Raises:
            PromptError: a value has no plain form, or the template failed on these values.
        """
        import jinja2

        absent = _absent()
        given = {
            name: to_plain(values[name], name=name) if name in values else absent(name=name)
            for name in self.variables
        }
        try:
            text = self.template.render(given)
        except PromptError as error:
            raise PromptError(f"{self._place(error)}: {error}") from error
        except jinja2.UndefinedError as error:
            raise MissingVariableError(f"{self._place(error)}: {error}.") from error
        except (jinja2.TemplateError, *_RUNTIME_ERRORS) as error:
            raise PromptError(f"{self._place(error)}: {type(error).__name__}: {error}") from error
        return neutral(text).replace(_OWN, "<")

    def _place(self, error: Exception) -> str:
        lines = [line for name, line in _frames(error.__traceback__) if name == "<template>"]
        return f"{self.label}, line {lines[-1]}" if lines else self.label


def parse_jinja(text: str, label: str) -> Jinja:
    """Parse and compile a template; `label` is what error messages call it.

    Raises:
        PromptError: the template is not valid, or needs another template.
    """
    from jinja2 import TemplateSyntaxError, meta, nodes

    environment = _environment()
    try:
        tree = environment.parse(text)
        free = meta.find_undeclared_variables(tree)
        names = dict.fromkeys(node.name for node in tree.find_all(nodes.Name) if node.name in free)
        template = environment.from_string(text)
        own_text = " ".join(value for _, kind, value in environment.lex(text) if kind == "data")
    except TemplateSyntaxError as error:
        lines = text.splitlines()[error.lineno - 1 : error.lineno]
        raise PromptError(
            f"{label}, line {error.lineno}: {error.message}\n    {''.join(lines).strip()}"
        ) from error
    if any(True for _ in meta.find_referenced_templates(tree)):
        raise PromptError(f"{label} includes, imports or extends another template; a prompt stands alone.")
    return Jinja(label, tuple(names), tags_in(own_text), template)


def _frames(traceback: TracebackType | None) -> Iterable[tuple[str, int]]:
    while traceback is not None:
        yield traceback.tb_frame.f_code.co_filename, traceback.tb_lineno
        traceback = traceback.tb_next


@lru_cache(maxsize=1)
def _absent() -> type[jinja2.Undefined]:
    from jinja2 import ChainableUndefined

    class Absent(ChainableUndefined):
        """An optional variable that was not given: unlike a strict undefined it can be tested and printed."""

    return Absent


@lru_cache(maxsize=1)
def _environment() -> jinja2.Environment:
    from jinja2 import StrictUndefined, Undefined
    from jinja2.ext import Extension
    from jinja2.lexer import Token, TokenStream
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    class OwnText(Extension):
        def filter_stream(self, stream: TokenStream) -> Iterable[Token]:
            for token in stream:
                own = token.type == "data"
                yield Token(token.lineno, "data", token.value.replace("<", _OWN)) if own else token

    class PlainData(ImmutableSandboxedEnvironment):
        def getattr(self, obj: Any, attribute: str) -> Any:
            """A dict's own key comes before its method of that name: `outputs.items` is data."""
            if isinstance(obj, dict) and attribute in obj:
                return obj[attribute]
            return super().getattr(obj, attribute)

    def printed(value: Any) -> Any:
        return value if isinstance(value, str | Undefined) else to_text(value, name="the printed value")

    environment = PlainData(
        undefined=StrictUndefined,
        autoescape=False,
        keep_trailing_newline=True,
        finalize=printed,
        extensions=[OwnText],
    )
    environment.tests["none"] = lambda value: value is None or isinstance(value, _absent())
    return environment
