"""Trajectories: how well did an agent go about a question, from 0 to 1?"""

from __future__ import annotations

import inspect
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from judgekit.core.flow import Flow
from judgekit.core.plain import to_plain, to_text
from judgekit.errors import ConfigError
from judgekit.judges.trajectory import Layout
from judgekit.langchain import prompts
from judgekit.langchain.judging import JudgedMixin, accepted, build, verdict
from judgekit.langchain.schema import FlowTrajectoryEvaluator, LLMEvalChain
from judgekit.llm import LLMJudge

__all__ = ["TrajectoryEvalChain"]

_BEST = 5


@dataclass(frozen=True)
class TrajectoryEvalChain(JudgedMixin, FlowTrajectoryEvaluator, LLMEvalChain):
    """Asks a model to rate a trajectory: `{"score", "reasoning"}`, the ratings 1 to 5 as 0, 0.25, 0.5, 0.75 and 1.

    Attributes:
        judge: who is asked, and what.
        agent_tools: name and description of each tool that the agent had.
    """

    judge: LLMJudge
    agent_tools: tuple[Mapping[str, str], ...] = ()

    @classmethod
    def from_llm(
        cls,
        llm: Any = None,
        agent_tools: Sequence[Any] | None = None,
        output_parser: Any = None,
        *,
        model: str | None = None,
        **kwargs: Any,
    ) -> Self:
        """Make the evaluator.

        Args:
            llm, model, kwargs: as in `CriteriaEvalChain.from_llm`.
            agent_tools: the tools that the agent had: LangChain tools, functions, or dicts with `name` and `description`
                (OpenAI's form too).
            output_parser: LangChain's; nothing is parsed from text here, so it must be None.

        Raises:
            ConfigError: something of this cannot be used.
        """
        accepted({**kwargs, "output_parser": output_parser}, cls.__name__, "agent_tools", "model")
        judge = build(
            llm,
            None,
            default=prompts.TRAJECTORY,
            variables=(),
            choices=tuple(range(1, _BEST + 1)),
            name="trajectory",
            model=model,
        )
        return cls(judge, tuple(map(_tool, agent_tools or ())))

    @staticmethod
    def get_agent_trajectory(steps: Any) -> str:
        """A trajectory as the text that the model is shown.

        Args:
            steps: a text, which stays as it is; `[(AgentAction, output), ...]`, an agent's intermediate steps; or messages
                as `create_trajectory_llm_as_judge` takes them.

        Raises:
            PromptError: it is none of these.
        """
        if isinstance(steps, str):
            return steps
        if isinstance(steps, Sequence) and steps and all(map(_is_step, steps)):
            steps = [message for action, output in steps for message in _messages(action, output)]
        return Layout.beside(prompts.TRAJECTORY).text(steps, name="agent_trajectory") or ""

    def _check_evaluation_args(self, reference: Any = None, input_: Any = None) -> None:  # noqa: ARG002
        super()._check_evaluation_args(None, input_)  # a reference is used when there is one

    def _flow(self, item: Mapping[str, Any]) -> Flow[dict[str, Any]]:
        values = {
            "question": item["input"],
            "agent_trajectory": self.get_agent_trajectory(item["agent_trajectory"]),
            "answer": item["prediction"],
            "reference": item["reference"] or None,
            "tool_descriptions": json.dumps(list(self.agent_tools), ensure_ascii=False, indent=1)
            if self.agent_tools
            else None,
        }
        found = yield from verdict(self.judge, values)
        return found.result(item, score=(found.score - 1) / (_BEST - 1))


def _is_step(step: Any) -> bool:
    return isinstance(step, tuple) and len(step) == 2 and hasattr(step[0], "tool")


def _messages(action: Any, output: Any) -> list[dict[str, Any]]:
    call = {"name": str(action.tool), "arguments": to_text(action.tool_input, name="agent_trajectory")}
    return [
        {"role": "assistant", "content": "", "tool_calls": [{"id": "", "function": call}]},
        {"role": "tool", "content": to_text(output, name="agent_trajectory")},
    ]


def _tool(tool: Any) -> dict[str, str]:
    if isinstance(tool, Mapping):
        about = tool.get("function", tool)
        name, description = about.get("name"), about.get("description")
    elif inspect.isfunction(tool):
        name, description = tool.__name__, inspect.getdoc(tool)
    else:
        name, description = getattr(tool, "name", None), getattr(tool, "description", None)
    if not isinstance(name, str):
        raise ConfigError(
            f"agent_tools has {tool!r:.100}: give tools with a `name` and a `description`, or functions."
        )
    return {"name": name, "description": str(to_plain(description or ""))}
