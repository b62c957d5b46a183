"""The arguments of tool calls: read from what a model wrote, and compared in the way that was asked for.

Values are equal as JSON values are: 1 is 1.0, true is not 1, and text is never a number.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any, Literal

from judgekit.core.characters import shortened
from judgekit.core.coercion import same
from judgekit.errors import ConfigError

__all__ = ["ArgumentRules", "Call", "ToolArgsMatchMode", "ToolArgsMatchOverrides", "read_call"]

ToolArgsMatchMode = Literal["exact", "ignore", "subset", "superset"]
ToolArgsMatcher = Callable[[dict[str, Any], dict[str, Any]], bool]
ToolArgsMatchOverrides = Mapping[str, ToolArgsMatchMode | Sequence[str] | ToolArgsMatcher]

_Arguments = Mapping[str, Any]
_Differ = Callable[[_Arguments, _Arguments], str | None]
"""What is different about the output's arguments, the reference's being the second; None when they match."""


@dataclass(frozen=True, slots=True)
class Call:
    """One tool call. `flaw` says why the arguments that the model wrote cannot be read; they are empty then."""

    name: str
    arguments: Mapping[str, Any]
    flaw: str | None = None

    def __str__(self) -> str:
        inside = (
            "..."
            if self.flaw
            else ", ".join(f"{key}={_shown(value)}" for key, value in self.arguments.items())
        )
        return f"{self.name or '(no name)'}({shortened(inside, 200)})"


def read_call(name: str, arguments: str) -> Call:
    """The call with the JSON text of its arguments read. No text at all means no arguments."""
    if not arguments.strip():
        return Call(name, {})
    try:
        found = json.loads(arguments)
    except (ValueError, RecursionError) as error:
        return Call(name, {}, f"not valid JSON ({shortened(str(error), 100)}): {shortened(arguments, 100)!r}")
    if not isinstance(found, dict):
        return Call(name, {}, f"no JSON object: {shortened(arguments, 100)!r}")
    return Call(name, found)


@dataclass(frozen=True)
class ArgumentRules:
    """How the arguments of each tool are compared.

    Args:
        mode: for all tools: `exact`, `ignore`, `subset` (the output's arguments are among the reference's) or
            `superset` (the reference's are among the output's).
        overrides: tool name -> a mode, a list of dotted paths (`["time.start"]`: each must exist on both sides and be
            equal), or a function `(output_arguments, reference_arguments) -> bool`. An empty list and None leave the tool
            with `mode`.

    Raises:
        ConfigError: a mode that does not exist, or an override that is none of these.
    """

    mode: str = "exact"
    overrides: Mapping[str, Any] = field(default_factory=dict)
    _differs: Mapping[str, _Differ] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        _known(self.mode, "tool_args_match_mode")
        if not isinstance(self.overrides, Mapping):
            raise ConfigError(
                "tool_args_match_overrides must be a dict from tool name to mode, paths or function."
            )
        given = {
            tool: override
            for tool, override in self.overrides.items()
            if override is not None and override != []
        }
        object.__setattr__(self, "overrides", given)
        object.__setattr__(
            self, "_differs", {tool: _differ(tool, override) for tool, override in given.items()}
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return (ArgumentRules, (self.mode, self.overrides))

    def difference(self, output: Call, reference: Call) -> str | None:
        """What keeps two calls of one tool from matching, or None."""
        differ = self._differs.get(reference.name, _MODES[self.mode])
        if differ is _ignore:
            return None
        for whose, call in (("the output's", output), ("the reference's", reference)):
            if call.flaw:
                return f"{whose} arguments are {call.flaw}"
        return differ(output.arguments, reference.arguments)


def _ignore(_output: _Arguments, _reference: _Arguments) -> str | None:
    return None


def _exact(output: _Arguments, reference: _Arguments) -> str | None:
    return _missing(output, reference) or _unequal(output, reference) or _extra(output, reference)


def _subset(output: _Arguments, reference: _Arguments) -> str | None:
    return _unequal(output, reference) or _extra(output, reference)


def _superset(output: _Arguments, reference: _Arguments) -> str | None:
    return _missing(output, reference) or _unequal(output, reference)


_MODES: Mapping[str, _Differ] = {
    "exact": _exact,
    "ignore": _ignore,
    "subset": _subset,
    "superset": _superset,
}


def _unequal(output: _Arguments, reference: _Arguments) -> str | None:
    for key, expected in reference.items():
        if key in output and not same(output[key], expected):
            return f"{key}: expected {_shown(expected)}, got {_shown(output[key])}"
    return None


def _missing(output: _Arguments, reference: _Arguments) -> str | None:
    for key, expected in reference.items():
        if key not in output:
            return f"{key}: expected {_shown(expected)}, got nothing"
    return None


def _extra(output: _Arguments, reference: _Arguments) -> str | None:
    for key, given in output.items():
        if key not in reference:
            return f"{key}: expected nothing, got {_shown(given)}"
    return None


def _differ(tool: Any, override: Any) -> _Differ:
    place = f"tool_args_match_overrides[{tool!r}]"
    if not isinstance(tool, str):
        raise ConfigError(f"{place}: a key must be the name of a tool.")
    if isinstance(override, str):
        return _MODES[_known(override, place)]
    if callable(override):
        return _by_function(override, place)
    if isinstance(override, list | tuple) and all(_is_path(path) for path in override):
        return _at_paths(tuple(override))
    raise ConfigError(
        f"{place} is {override!r}: give one of {', '.join(_MODES)}, a list of argument paths such as ['time.start'], or a "
        "function of the output's and the reference's arguments."
    )


def _known(mode: Any, place: str) -> str:
    if isinstance(mode, str) and mode in _MODES:
        return mode
    close = get_close_matches(str(mode), _MODES, n=1)
    hint = f" (did you mean {close[0]!r}?)" if close else ""
    raise ConfigError(f"{place} is {mode!r}{hint}: give one of {', '.join(_MODES)}.")


def _by_function(matcher: Callable[..., Any], place: str) -> _Differ:
    if inspect.iscoroutinefunction(inspect.unwrap(matcher)):
        raise ConfigError(
            f"{place} is an async function; a matcher compares at once, so write it without async."
        )

    def difference(output: _Arguments, reference: _Arguments) -> str | None:
        return (
            None
            if matcher(dict(output), dict(reference))
            else "the function given for this tool says no match"
        )

    return difference


def _is_path(path: Any) -> bool:
    return isinstance(path, str) and all(path.split("."))


def _at_paths(paths: tuple[str, ...]) -> _Differ:
    def difference(output: _Arguments, reference: _Arguments) -> str | None:
        for path in paths:
            expected, got = _at(reference, path), _at(output, path)
            if _ABSENT in (expected, got) or not same(expected[0], got[0]):
                shown = [_shown(found[0]) if found else "nothing" for found in (expected, got)]
                return f"{path}: expected {shown[0]}, got {shown[1]}"
        return None

    return difference


_ABSENT: tuple[Any, ...] = ()


def _at(arguments: Any, path: str) -> tuple[Any, ...]:
    """The value at a dotted path, in a tuple; an empty one when there is none."""
    for key in path.split("."):
        if not isinstance(arguments, Mapping) or key not in arguments:
            return _ABSENT
        arguments = arguments[key]
    return (arguments,)


def _shown(value: Any) -> str:
    return shortened(json.dumps(value, ensure_ascii=False), 100)
