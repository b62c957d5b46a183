"""`@evaluator`: a plain function as an evaluator.

The function takes what it needs by name, and returns a score in any of the forms that people return one in. What is no
score, None above all, is an error that names the function.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, overload

from judgekit.core.flow import Flow, Job, doing
from judgekit.errors import ConfigError, MissingVariableError
from judgekit.evaluators.base import AsyncEvaluator, Evaluator
from judgekit.evaluators.function_result import read_result

__all__ = ["FunctionEvaluation", "evaluator", "is_async"]


@dataclass(frozen=True)
class FunctionEvaluation:
    """A function as an evaluation; it may be async where the evaluator is."""

    function: Callable[..., Any]
    key: str

    @property
    def name(self) -> str:
        return self.key

    @property
    def deadline(self) -> None:
        return None

    def flow(self, item: Mapping[str, Any]) -> Flow[Any]:
        """Call the function; under an async driver a plain one is called in a thread."""
        positional, keywords = self._arguments(item)
        job = Job(lambda: self.function(*positional, **keywords), blocking=not self.is_async)
        return read_result((yield from doing(job)), self.key)

    @cached_property
    def is_async(self) -> bool:
        return is_async(self.function)

    def takes(self, name: str) -> bool:
        """Whether the function has a parameter of that name."""
        return any(each.name == name for each in self._parameters)

    @cached_property
    def _parameters(self) -> tuple[inspect.Parameter, ...]:
        return tuple(inspect.signature(self.function).parameters.values())

    def _arguments(self, item: Mapping[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        """What to call the function with."""
        if self._by_name and all(name in item for name in self._by_name):
            return [], {name: item[name] for name in self._by_name}
        named = [each for each in self._parameters if each.kind not in _VARIADIC]
        has_default = {each.name for each in named if each.default is not each.empty}
        given = {
            name: value
            for name, value in {"metadata": None, **item}.items()
            if value is not None or name not in has_default
        }
        missing = [each for each in named if each.name not in given and each.default is each.empty]
        if missing:
            if len(missing) == len(named) == len(_POSITIONS) and all(e.kind in _POSITIONAL for e in named):
                return [given[name] for name in _POSITIONS], {}
            raise MissingVariableError(self._complaint([each.name for each in missing], item))
        first = [each for each in named if each.kind is inspect.Parameter.POSITIONAL_ONLY]
        positional = [given.get(each.name, each.default) for each in first]
        takes_all = any(each.kind is inspect.Parameter.VAR_KEYWORD for each in self._parameters)
        names = {each.name for each in named if each not in first}
        return positional, {name: value for name, value in given.items() if takes_all or name in names}

    @cached_property
    def _by_name(self) -> tuple[str, ...]:
        """The parameters, where all are to be given, and by name: what nearly all functions have."""
        kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
        simple = all(each.kind in kinds and each.default is each.empty for each in self._parameters)
        return tuple(each.name for each in self._parameters) if simple else ()

    def _complaint(self, missing: list[str], item: Mapping[str, Any]) -> str:
        given = ", ".join(name for name, value in item.items() if value is not None)
        return (
            f"{self.key}() has the parameter{'s' if len(missing) > 1 else ''} {', '.join(missing)}, which the call did "
            f"not give (given: {given or 'nothing'}). The names are {', '.join(_POSITIONS)}, attachments and metadata, or "
            "those of the keywords that you call it with."
        )


_POSITIONS = ("inputs", "outputs", "reference_outputs")
_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
_VARIADIC = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def is_async(function: Any) -> bool:
    """Whether a call gives a coroutine: an async function, a partial of one, or an object whose `__call__` is async."""
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(
        getattr(function, "__call__", None)  # noqa: B004  # the method itself is asked, not whether there is one
    )


@overload
def evaluator(
    function: Callable[..., Coroutine[Any, Any, Any]], /, *, key: str | None = None
) -> AsyncEvaluator: ...
@overload
def evaluator(function: Callable[..., Any], /, *, key: str | None = None) -> Evaluator: ...
@overload
def evaluator(*, key: str | None = None) -> Callable[[Callable[..., Any]], Evaluator]: ...
def evaluator(function: Callable[..., Any] | None = None, /, *, key: str | None = None) -> Any:
    """Make an evaluator of a function: `@evaluator` or `@evaluator(key="...")`.

    Args:
        function: takes any of `inputs`, `outputs`, `reference_outputs`, `attachments` and `metadata`, and any other
            keyword that the evaluator will be called with, by name; `**kwargs` takes all of them. A value that
            was not given is None, or the parameter's default. A function with exactly three parameters of other names,
            none of which the call gives, gets inputs, outputs and reference outputs in this order.
        key: the `key` of the result, the function's name by default.

    Returns:
        For a plain function an `Evaluator`, for an async one an `AsyncEvaluator`. `AsyncEvaluator(made.evaluation)` is the
        async face of a plain one. What the function returns becomes the result:
        a bool, a finite number or a text (a category; also numpy's, and an Enum's value) is the score; a dict gives `score` (or `value`), and `key`,
        `comment` (or `reasoning`) and `metadata` if it has them, and what else it holds goes into `metadata`; a list of such
        dicts, or `{"results": [...]}`, is a list of results, each with a key of its own.

    Raises:
        ConfigError: it is no function, takes nothing by name, or has no name and no `key` was given.
        MissingVariableError: when called without a value that the function needs.
        ParseError: when the function returned no score; `code` is `invalid_score`.
    """
    if function is None:
        return lambda given: _made(given, key)
    return _made(function, key)


def _made(function: Any, key: str | None) -> Evaluator:
    if not callable(function) or isinstance(function, type):
        raise ConfigError(f"@evaluator is for functions, not for {function!r}.")
    name: Any = key if key is not None else getattr(function, "__name__", None)
    if not isinstance(name, str) or not name or name.startswith("<"):
        raise ConfigError(
            f"{function!r} has no name to call its feedback by: give one, @evaluator(key='...')."
        )
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError) as error:
        raise ConfigError(
            f"{function!r} does not say what it takes: wrap it in a function of your own."
        ) from error
    if all(each.kind is inspect.Parameter.VAR_POSITIONAL for each in parameters):
        raise ConfigError(f"{name}() takes nothing by name: give it a parameter `outputs`, or `**kwargs`.")
    return (AsyncEvaluator if is_async(function) else Evaluator)(FunctionEvaluation(function, name))
