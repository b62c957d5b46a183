"""From a model and a prompt to a judge, and from its verdict to LangChain's result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from judgekit.core.flow import Flow
from judgekit.core.templates import Prompt
from judgekit.errors import ConfigError, PromptError, WrongClientError
from judgekit.llm import LLMJudge, build_judge
from judgekit.models.base import Model

__all__ = ["DEFAULT_MODEL", "RUN_KEY", "JudgedMixin", "Verdict", "accepted", "build", "verdict"]

DEFAULT_MODEL = "openai:gpt-5.4-mini"
"""Who is asked when no model is given."""

RUN_KEY = "__run"
"""The key of the run information, in results that were asked to have it."""

_CHAIN_SETTINGS = frozenset(
    [
        "cache",
        "callback_manager",
        "callbacks",
        "llm_kwargs",
        "memory",
        "metadata",
        "output_key",
        "return_final_only",
        "return_reasoning",
        "tags",
        "verbose",
    ]
)  # fields of LangChain's chains that decide nothing about a verdict
_DECIDING = {
    "output_parser": "answers are read as structured output. For a verdict of another form, use "
    "judgekit.create_llm_as_judge with `choices` or `output_schema`",
}


@dataclass(frozen=True)
class Verdict:
    """What a judge chose, on the scale that it was given.

    Attributes:
        score: the number that the choice stands for.
        label: the word that was chosen; None on a scale of numbers.
        reasoning: why.
        run: which model and prompt, how many attempts, tokens.
    """

    score: Any
    label: str | None
    reasoning: str
    run: Mapping[str, Any]

    def result(self, item: Mapping[str, Any], **members: Any) -> dict[str, Any]:
        """LangChain's result: the reasoning and these members, and the run for those who asked for it."""
        found = {"reasoning": self.reasoning, **members}
        return {**found, RUN_KEY: dict(self.run)} if item.get("include_run_info") else found


def verdict(judge: LLMJudge, values: Mapping[str, Any]) -> Flow[Verdict]:
    """Ask a judge.

    Args:
        judge: what `build` made.
        values: the prompt's variables.

    Raises:
        JudgeError: there is no verdict.
        MissingVariableError: a variable of the prompt is None.
    """
    result = yield from judge.flow(values)
    run = dict(result["metadata"])
    return Verdict(result["score"], run.get("label"), result["comment"] or "", run)


def build(
    llm: Any,
    prompt: Any,
    *,
    default: Prompt,
    variables: Sequence[str],
    choices: Any,
    name: str,
    model: str | None = None,
) -> LLMJudge:
    """The judge of an evaluator.

    Args:
        llm: a LangChain chat model, an OpenAI or Anthropic client (with `model`), `"provider:model"`, a judgekit
            `Model`; None for `DEFAULT_MODEL`.
        prompt: the user's own: a LangChain prompt template, a text, a `Prompt`; None for the default.
        default: the package's prompt.
        variables: the names that the prompt has to use, no more and no fewer.
        choices: the scale, as in `create_llm_as_judge`.
        name: the feedback key.
        model: the model's name, for a client.

    Raises:
        ConfigError: no judge can be made of this, or the prompt has other variables.
    """
    asked = default if prompt is None else _checked(prompt, variables)
    if llm is None and model is None:
        model = DEFAULT_MODEL
    return build_judge(prompt=asked, judge=llm, model=model, choices=choices, feedback_key=name)


def accepted(given: Mapping[str, Any], by: str, *names: str) -> None:
    """Refuse settings that an evaluator does not have; those of LangChain's chains that decide nothing are let through.

    Raises:
        ConfigError: an unknown setting, or one that would decide the verdict and cannot.
    """
    for name, value in given.items():
        if name in _DECIDING and value is not None:
            raise ConfigError(f"{by}: {name} cannot be used here: {_DECIDING[name]}.")
        if name not in _CHAIN_SETTINGS and name not in _DECIDING:
            close = get_close_matches(name, names, n=1)
            hint = f" (did you mean {close[0]!r}?)" if close else ""
            raise ConfigError(f"{by} has no setting {name!r}{hint}: it has {', '.join(names)}.")


class JudgedMixin:
    """What the evaluators that ask a model share: whose deadline holds, and who can be asked by sync code."""

    judge: LLMJudge

    @property
    def _model(self) -> Model:
        return self.judge.model

    @property
    def _deadline(self) -> float | None:
        return self._model.deadline

    def _check_sync(self) -> None:
        if self._model.call is None:
            raise WrongClientError(
                f"{self._model.name} is connected to an async client, which sync code cannot wait for: await the method "
                "whose name begins with `a` (aevaluate_strings, ...), or pass the sync client."
            )


def _checked(prompt: Any, variables: Sequence[str]) -> Any:
    """The prompt, if it uses these variables; of a function nobody can tell."""
    found = Prompt(prompt) if isinstance(prompt, str) else prompt
    if isinstance(found, Prompt):
        given: Any = found.variables
    else:
        given = getattr(found, "input_variables", None)
    if given is not None and set(given) != set(variables):
        raise PromptError(f"Input variables should be {set(variables)}, but got {list(given)}")
    return found
