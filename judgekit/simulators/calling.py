"""How the user's own functions are called: with the keywords that they take, blocking or awaited."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from judgekit.core.flow import Job
from judgekit.errors import ConfigError, WrongClientError

__all__ = ["Part"]


@dataclass(frozen=True)
class Part:
    """A function that takes part in a simulation.

    Attributes:
        role: what it is: the app, the user, an evaluator, the stopping condition.
        function: the caller's.
        waits: whether the simulation is async, so that the function may be.
    """

    role: str
    function: Callable[..., Any]
    waits: bool

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise ConfigError(f"The {self.role} is a {type(self.function).__name__}; it must be a function.")
        if not self.waits and self._is_async():
            raise self._refusal()

    @property
    def name(self) -> str:
        return getattr(self.function, "__name__", None) or type(self.function).__name__

    def job(self, *arguments: Any, **keywords: Any) -> Job:
        """The call of it, with those of the keywords that it takes; in an async simulation a plain function gets a
        thread."""
        given = {name: value for name, value in keywords.items() if self._takes(name)}
        call = self._call if self.waits else self._call_now
        return Job(lambda: call(*arguments, **given), blocking=not self._is_async())

    def _call(self, *arguments: Any, **keywords: Any) -> Any:
        return self.function(*arguments, **keywords)

    def _call_now(self, *arguments: Any, **keywords: Any) -> Any:
        value = self.function(*arguments, **keywords)
        if inspect.isawaitable(value):
            getattr(value, "close", lambda: None)()  # nobody will await it
            raise self._refusal()
        return value

    def _takes(self, name: str) -> bool:
        try:
            parameters = inspect.signature(self.function).parameters
        except (TypeError, ValueError):  # some builtins tell nothing
            return True
        named = parameters.get(name)
        if named is not None:
            return named.kind is not inspect.Parameter.POSITIONAL_ONLY
        return any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters.values())

    def _is_async(self) -> bool:
        function = inspect.unwrap(self.function)
        return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(
            getattr(function, "__call__", None)  # noqa: B004  # an object whose __call__ is async
        )

    def _refusal(self) -> WrongClientError:
        return WrongClientError(
            f"The {self.role} {self.name} is async, and run_multiturn_simulation cannot await it: use "
            "run_multiturn_simulation_async, or a plain function."
        )
