"""Does an agent's trajectory match a reference: its messages one by one, or its tool calls in any order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

from judgekit.core.flow import Flow
from judgekit.errors import ConfigError
from judgekit.evaluators.base import AsyncEvaluator, Evaluator
from judgekit.evaluators.trajectory_arguments import ArgumentRules, ToolArgsMatchMode, ToolArgsMatchOverrides
from judgekit.evaluators.trajectory_comparison import MATCH_MODES, TrajectoryMatchMode, compare, steps_of
from judgekit.evaluators.trajectory_messages import trajectory_messages
from judgekit.types import EvaluatorResult

__all__ = [
    "TrajectoryMatch",
    "create_async_trajectory_match_evaluator",
    "create_trajectory_match_evaluator",
]


@dataclass(frozen=True)
class TrajectoryMatch:
    """A comparison of trajectories as a value; the factories wrap it into a callable."""

    mode: str = "strict"
    rules: ArgumentRules = field(default_factory=ArgumentRules)
    name: str = ""
    deadline: None = None

    def __post_init__(self) -> None:
        if self.mode not in MATCH_MODES:
            close = get_close_matches(str(self.mode), MATCH_MODES, n=1)
            hint = f" (did you mean {close[0]!r}?)" if close else ""
            raise ConfigError(
                f"trajectory_match_mode is {self.mode!r}{hint}: give one of {', '.join(MATCH_MODES)}."
            )
        object.__setattr__(self, "name", self.name or f"trajectory_{self.mode}_match")

    def flow(self, item: Mapping[str, Any]) -> Flow[EvaluatorResult]:
        """Compare; nothing is asked of anyone."""
        yield from ()
        outputs = trajectory_messages(item.get("outputs"), name="outputs")
        references = trajectory_messages(item.get("reference_outputs"), name="reference_outputs")
        comparison = compare(self.mode, steps_of(outputs), steps_of(references), self.rules)
        return {
            "key": self.name,
            "score": comparison.matches,
            "comment": comparison.comment,
            "metadata": None,
        }


def create_trajectory_match_evaluator(
    *,
    trajectory_match_mode: TrajectoryMatchMode = "strict",
    tool_args_match_mode: ToolArgsMatchMode = "exact",
    tool_args_match_overrides: ToolArgsMatchOverrides | None = None,
) -> Evaluator:
    """Build an evaluator that compares a trajectory with a reference.

    Args:
        trajectory_match_mode: `strict`: the same number of messages, each with the same role and the same tool calls
            (their order within a message is free, and texts are not compared); `unordered`: the same tool calls, in any
            order; `subset`: no call that the reference does not make; `superset`: every call that the reference makes.
        tool_args_match_mode: when the arguments of two calls match: `exact`, `ignore`, `subset` (the output's are among
            the reference's) or `superset` (the reference's are among the output's). Values are compared as JSON: 1 equals
            1.0 and is not true.
        tool_args_match_overrides: tool name -> another mode for it, a list of dotted paths that must be there on both
            sides and be equal (`["time.start"]`), or a function `(output_arguments, reference_arguments) -> bool`.

    Returns:
        An evaluator `(*, outputs, reference_outputs, **kwargs)` with the key `trajectory_{mode}_match` and a boolean
        score. Both trajectories are OpenAI, LangChain or Anthropic messages, `{"messages": [...]}`, or None for none. The
        comment is the first difference; on a match it is None, or says that there was no tool call to compare. Arguments
        that are not valid JSON match only where arguments are ignored. Calls are paired so that as many match as can.
        An output without messages never matches.

    Raises:
        ConfigError: a mode that does not exist, or an override that is no mode, list of paths or function.
        PromptError: when called with something that is no trajectory.
    """
    return Evaluator(_match(trajectory_match_mode, tool_args_match_mode, tool_args_match_overrides))


def create_async_trajectory_match_evaluator(
    *,
    trajectory_match_mode: TrajectoryMatchMode = "strict",
    tool_args_match_mode: ToolArgsMatchMode = "exact",
    tool_args_match_overrides: ToolArgsMatchOverrides | None = None,
) -> AsyncEvaluator:
    """Build an async evaluator: the same parameters as `create_trajectory_match_evaluator`, the same result, awaited."""
    return AsyncEvaluator(_match(trajectory_match_mode, tool_args_match_mode, tool_args_match_overrides))


def _match(mode: str, arguments: str, overrides: ToolArgsMatchOverrides | None) -> TrajectoryMatch:
    return TrajectoryMatch(mode, ArgumentRules(arguments, overrides if overrides is not None else {}))
