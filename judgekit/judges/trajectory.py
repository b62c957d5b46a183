"""A model judges an agent's trajectory: the messages are laid out as text and put into the prompt."""

from __future__ import annotations

import html
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from judgekit.core.delimiters import neutralizer, tags_in
from judgekit.core.flow import Flow
from judgekit.core.templates import Prompt
from judgekit.evaluators.base import AsyncEvaluator, Evaluator
from judgekit.evaluators.trajectory_messages import text_of, trajectory_messages
from judgekit.llm import LLMJudge, TemplateFormat, build_judge
from judgekit.types import FewShotExample

__all__ = [
    "Layout",
    "TrajectoryJudge",
    "create_async_trajectory_llm_as_judge",
    "create_trajectory_llm_as_judge",
]


@dataclass(frozen=True)
class Layout:
    """How a trajectory is shown: one element for each message and one for each call, named by these two tags.

    The tags are made harmless wherever the messages themselves contain them, so a message cannot end its own element
    and begin another's.
    """

    message: str = "message"
    call: str = "tool_call"

    @classmethod
    def beside(cls, prompt: Any) -> Layout:
        """The layout whose tags a prompt does not use itself: a prompt's own tags are neutralized in what it shows."""
        taken = tags_in(prompt.text) if isinstance(prompt, Prompt) else frozenset()
        return cls(_free("message", taken), _free("tool_call", taken))

    def text(self, value: Any, *, name: str = "outputs") -> str | None:
        """A trajectory as text; None stays None.

        Args:
            value: a trajectory in any of the forms that `trajectory_messages` reads.
            name: what error messages call it.

        Raises:
            PromptError: it is no trajectory.
        """
        if value is None:
            return None
        messages = trajectory_messages(value, name=name)
        shown = [self._message(number, message) for number, message in enumerate(messages, start=1)]
        return "\n\n".join(shown) or "(no messages)"

    def _message(self, number: int, message: Mapping[str, Any]) -> str:
        neutral = neutralizer(frozenset({self.message, self.call}))
        about = {"number": number, **{key: message.get(key) for key in ("role", "name", "tool_call_id")}}
        lines = [
            f"<{self.message}{_attributes(about)}>",
            neutral(text_of(message["content"])),
            *(self._call(call, neutral) for call in message.get("tool_calls", ())),
            f"</{self.message}>",
        ]
        return "\n".join(line for line in lines if line)

    def _call(self, call: Mapping[str, Any], neutral: Callable[[str], str]) -> str:
        about = {"id": call["id"], "name": call["function"]["name"]}
        return f"<{self.call}{_attributes(about)}>{neutral(call['function']['arguments'])}</{self.call}>"


def _free(tag: str, taken: frozenset[str]) -> str:
    return _free(f"trajectory_{tag}", taken) if tag in taken else tag


def _attributes(values: Mapping[str, Any]) -> str:
    return "".join(
        f' {key}="{html.escape(" ".join(str(value).split()))}"' for key, value in values.items() if value
    )


@dataclass(frozen=True, repr=False)
class TrajectoryJudge(LLMJudge):
    """A judge that is shown `outputs` and `reference_outputs` as laid-out trajectories."""

    layout: Layout = Layout()

    def flow(self, item: Mapping[str, Any]) -> Flow[Any]:
        """Lay out, render, ask, read; the result is that of `LLMJudge.flow`."""
        return super().flow(self._shown(item))

    def messages(self, item: Mapping[str, Any]) -> list[dict[str, Any]]:
        """The chat messages of a string prompt, without asking anyone."""
        return super().messages(self._shown(item))

    def _shown(self, item: Mapping[str, Any]) -> dict[str, Any]:
        reference = item.get("reference_outputs")
        return {
            **item,
            "outputs": self.layout.text(item.get("outputs")),
            "reference_outputs": self.layout.text(
                None if _is_empty(reference) else reference, name="reference_outputs"
            ),
        }


def _is_empty(reference: Any) -> bool:
    found = reference["messages"] if isinstance(reference, Mapping) and "messages" in reference else reference
    return found is None or (isinstance(found, str | list | tuple) and not found)


def create_trajectory_llm_as_judge(
    *,
    prompt: str | Prompt | Callable[..., Any] | Any = None,
    feedback_key: str = "trajectory_accuracy",
    judge: Any = None,
    model: str | None = None,
    system: str | None = None,
    continuous: bool = False,
    choices: Sequence[float | int | str] | Mapping[str, float] | None = None,
    use_reasoning: bool = True,
    few_shot_examples: Sequence[FewShotExample] | None = None,
    output_schema: Any = None,
    structured_output_kwargs: Mapping[str, Any] | None = None,
    template_format: TemplateFormat = "f-string",
) -> Evaluator:
    """Build an evaluator that asks a model about an agent's trajectory.

    Args:
        prompt: `TRAJECTORY_ACCURACY_PROMPT_WITH_REFERENCE` by default, which also works without a reference. In any
            prompt `outputs` and `reference_outputs` are the trajectories as text.
        few_shot_examples: as in `create_llm_as_judge`; outputs that are messages are laid out like the judged ones.
        feedback_key, judge, model, system, continuous, choices, use_reasoning, output_schema, structured_output_kwargs,
            template_format: as in `create_llm_as_judge`.

    Returns:
        An evaluator `(*, outputs, reference_outputs=None, inputs=None, **kwargs)`. Both trajectories are OpenAI,
        LangChain or Anthropic messages or `{"messages": [...]}`; an empty reference counts as none. The result is that
        of `create_llm_as_judge`.

    Raises:
        ConfigError: what was given cannot make a judge; the message says what to change.
        PromptError: when called with something that is no trajectory.
    """
    found = _build(
        prompt=prompt,
        feedback_key=feedback_key,
        judge=judge,
        model=model,
        system=system,
        continuous=continuous,
        choices=choices,
        use_reasoning=use_reasoning,
        few_shot_examples=few_shot_examples,
        output_schema=output_schema,
        structured_output_kwargs=structured_output_kwargs,
        template_format=template_format,
    )
    found.model.sync()
    return Evaluator(found)


def create_async_trajectory_llm_as_judge(
    *,
    prompt: str | Prompt | Callable[..., Any] | Any = None,
    feedback_key: str = "trajectory_accuracy",
    judge: Any = None,
    model: str | None = None,
    system: str | None = None,
    continuous: bool = False,
    choices: Sequence[float | int | str] | Mapping[str, float] | None = None,
    use_reasoning: bool = True,
    few_shot_examples: Sequence[FewShotExample] | None = None,
    output_schema: Any = None,
    structured_output_kwargs: Mapping[str, Any] | None = None,
    template_format: TemplateFormat = "f-string",
) -> AsyncEvaluator:
    """Build an async evaluator: the same parameters as `create_trajectory_llm_as_judge`, the same result, awaited."""
    return AsyncEvaluator(
        _build(
            prompt=prompt,
            feedback_key=feedback_key,
            judge=judge,
            model=model,
            system=system,
            continuous=continuous,
            choices=choices,
            use_reasoning=use_reasoning,
            few_shot_examples=few_shot_examples,
            output_schema=output_schema,
            structured_output_kwargs=structured_output_kwargs,
            template_format=template_format,
        )
    )


def _build(*, prompt: Any, **parameters: Any) -> TrajectoryJudge:
    if prompt is None:
        from judgekit.prompts import TRAJECTORY_ACCURACY_PROMPT_WITH_REFERENCE

        prompt = TRAJECTORY_ACCURACY_PROMPT_WITH_REFERENCE
    judge = build_judge(prompt=prompt, **parameters)
    layout = Layout.beside(judge.prompt)
    settings = {each.name: getattr(judge, each.name) for each in fields(judge)}
    settings["examples"] = tuple(_laid_out(example, layout) for example in judge.examples)
    return TrajectoryJudge(**settings, layout=layout)


def _laid_out(example: FewShotExample, layout: Layout) -> FewShotExample:
    outputs = example["outputs"]
    return (
        example if isinstance(outputs, str) else {**example, "outputs": layout.text(outputs, name="outputs")}
    )
