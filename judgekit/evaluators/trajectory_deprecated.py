"""The eight functions that OpenEvals itself calls deprecated, for code that still imports them.

Each warns and names its replacement. The unordered, subset and superset ones ignore arguments, as they always did.
"""

from __future__ import annotations

import warnings
from collections.abc import Coroutine
from typing import Any

from judgekit.evaluators.base import AsyncEvaluator, Evaluator
from judgekit.evaluators.trajectory import TrajectoryMatch
from judgekit.evaluators.trajectory_arguments import ArgumentRules
from judgekit.types import EvaluatorResult

__all__ = [
    "trajectory_strict_match",
    "trajectory_strict_match_async",
    "trajectory_subset",
    "trajectory_subset_async",
    "trajectory_superset",
    "trajectory_superset_async",
    "trajectory_unordered_match",
    "trajectory_unordered_match_async",
]

_Awaitable = Coroutine[Any, Any, EvaluatorResult]
_IGNORE = "ignore"


def trajectory_strict_match(*, tool_call_args_exact_match: bool = True, **item: Any) -> EvaluatorResult:
    """Deprecated: use `create_trajectory_match_evaluator(trajectory_match_mode="strict")`."""
    return _now("trajectory_strict_match", "strict", _strictness(tool_call_args_exact_match), item)


def trajectory_strict_match_async(*, tool_call_args_exact_match: bool = True, **item: Any) -> _Awaitable:
    """Deprecated: use `create_async_trajectory_match_evaluator(trajectory_match_mode="strict")`."""
    return _later("trajectory_strict_match", "strict", _strictness(tool_call_args_exact_match), item)


def trajectory_unordered_match(**item: Any) -> EvaluatorResult:
    """Deprecated: use `create_trajectory_match_evaluator(trajectory_match_mode="unordered")`."""
    return _now("trajectory_unordered_match", "unordered", _IGNORE, item)


def trajectory_unordered_match_async(**item: Any) -> _Awaitable:
    """Deprecated: use `create_async_trajectory_match_evaluator(trajectory_match_mode="unordered")`."""
    return _later("trajectory_unordered_match", "unordered", _IGNORE, item)


def trajectory_subset(**item: Any) -> EvaluatorResult:
    """Deprecated: use `create_trajectory_match_evaluator(trajectory_match_mode="subset")`."""
    return _now("trajectory_subset", "subset", _IGNORE, item)


def trajectory_subset_async(**item: Any) -> _Awaitable:
    """Deprecated: use `create_async_trajectory_match_evaluator(trajectory_match_mode="subset")`."""
    return _later("trajectory_subset", "subset", _IGNORE, item)


def trajectory_superset(**item: Any) -> EvaluatorResult:
    """Deprecated: use `create_trajectory_match_evaluator(trajectory_match_mode="superset")`."""
    return _now("trajectory_superset", "superset", _IGNORE, item)


def trajectory_superset_async(**item: Any) -> _Awaitable:
    """Deprecated: use `create_async_trajectory_match_evaluator(trajectory_match_mode="superset")`."""
    return _later("trajectory_superset", "superset", _IGNORE, item)


def _strictness(exact: bool) -> str:
    return "exact" if exact else _IGNORE


def _now(name: str, mode: str, arguments: str, item: dict[str, Any]) -> EvaluatorResult:
    _warn(name, "create_trajectory_match_evaluator", mode)
    result: EvaluatorResult = Evaluator(TrajectoryMatch(mode, ArgumentRules(arguments), name))(**item)
    return result


def _later(name: str, mode: str, arguments: str, item: dict[str, Any]) -> _Awaitable:
    _warn(f"{name}_async", "create_async_trajectory_match_evaluator", mode)
    awaited: _Awaitable = AsyncEvaluator(TrajectoryMatch(mode, ArgumentRules(arguments), name))(**item)
    return awaited


def _warn(name: str, factory: str, mode: str) -> None:
    warnings.warn(
        f"{name}() is deprecated; use {factory}(trajectory_match_mode={mode!r}) instead.",
        DeprecationWarning,
        stacklevel=4,
    )
