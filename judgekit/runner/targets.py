"""The application under test: what a user gives as a target, as a job for one example."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from judgekit.core.flow import Job
from judgekit.errors import ConfigError
from judgekit.evaluators.function import is_async
from judgekit.runner.records import Example

__all__ = ["Target", "read_target"]

_NAMES = ("inputs", "attachments", "metadata")


@dataclass(frozen=True)
class Target:
    """An application that answers one example; `is_async` says where it may run."""

    job: Callable[[Example], Job]
    is_async: bool
    name: str


def read_target(given: Any) -> Target | None:
    """Read what the user calls the target.

    Args:
        given: a function, sync or async, with one parameter for the inputs, or with any of the parameters `inputs`,
            `attachments` and `metadata`; an object with `invoke` and `ainvoke` (a LangChain Runnable); or None when the
            data has outputs.

    Raises:
        ConfigError: it is none of these, or asks for parameters that an example does not have.
    """
    if given is None:
        return None
    if callable(getattr(given, "invoke", None)) and callable(getattr(given, "ainvoke", None)):
        return Target(lambda example: _invoking(given, example), True, type(given).__name__)
    if not callable(given):
        raise ConfigError(
            f"target is {given!r}: give a function of the inputs, a LangChain Runnable, or None when the data has outputs."
        )
    name = getattr(given, "__name__", type(given).__name__)
    arguments = _arguments(given, name)
    coroutine = is_async(given)

    def calling(example: Example) -> Job:
        positional, keywords = arguments(example)
        return Job(lambda: given(*positional, **keywords), blocking=not coroutine)

    return Target(calling, coroutine, name)


def _invoking(runnable: Any, example: Example) -> Job:
    return Job(lambda: runnable.invoke(example.inputs), lambda: runnable.ainvoke(example.inputs))


def _arguments(
    function: Callable[..., Any], name: str
) -> Callable[[Example], tuple[tuple[Any, ...], Mapping[str, Any]]]:
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError) as error:
        raise ConfigError(
            f"target {name} does not say what it takes: wrap it in a function of the inputs."
        ) from error
    named = [each for each in parameters if each.name in _NAMES and each.kind is not each.POSITIONAL_ONLY]
    needed = [
        each
        for each in parameters
        if each.default is each.empty and each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)
    ]
    strangers = [each for each in needed if each not in named]
    if (
        len(strangers) == 1
        and strangers[0] is needed[0]
        and strangers[0].kind is not inspect.Parameter.KEYWORD_ONLY
    ):
        others = [each.name for each in named if each.name != "inputs"]
        return lambda example: ((example.inputs,), _picked(example, others))
    if strangers or not parameters:
        takes = ", ".join(each.name for each in parameters) or "nothing"
        raise ConfigError(
            f"target {name} takes {takes}: give it one parameter for the inputs, or any of {', '.join(_NAMES)} by name."
        )
    if not named:
        return lambda example: ((example.inputs,), {})
    names = [each.name for each in named]
    return lambda example: ((), _picked(example, names))


def _picked(example: Example, names: list[str]) -> dict[str, Any]:
    return {name: getattr(example, name) for name in names}
