"""The front door: `create_llm_as_judge` and `create_async_llm_as_judge`."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from judgekit.core.asking import Judgement, judged
from judgekit.core.exchange import Answer, AnswerSchema, Request
from judgekit.core.flow import Flow, Job, doing, through
from judgekit.core.foreign import comes_from
from judgekit.core.layers import remembered
from judgekit.core.messages import EXAMPLE_TAGS, as_messages, with_attachments, with_examples, with_system
from judgekit.core.parsing import Reading, read_verdict
from judgekit.core.plain import to_text
from judgekit.core.scales import Custom, Scale, scale_for
from judgekit.core.schemas import OutputSchema
from judgekit.core.schemas import output_schema as read_output_schema
from judgekit.core.templates import Prompt
from judgekit.errors import ConfigError, MissingVariableError, PromptError
from judgekit.evaluators.base import AsyncEvaluator, Evaluator
from judgekit.models.base import Model
from judgekit.models.connect import require_model
from judgekit.types import EvaluatorResult, FewShotExample

__all__ = ["LLMJudge", "build_judge", "create_async_llm_as_judge", "create_llm_as_judge"]

TemplateFormat = Literal["f-string", "jinja2"]


@dataclass(frozen=True)
class LLMJudge:
    """A judge as a value: what it asks, whom, on which scale. The factories wrap it into a callable."""

    prompt: Any
    model: Model
    scale: Scale
    feedback_key: str = "score"
    explain: bool = True
    system: str | None = None
    examples: tuple[FewShotExample, ...] = ()
    schema: AnswerSchema = field(default_factory=lambda: AnswerSchema("score", {}), repr=False)
    output: OutputSchema | None = field(default=None, repr=False)

    @property
    def name(self) -> str:
        return "llm_as_judge" if self.feedback_key == "score" else f"llm_as_{self.feedback_key}_judge"

    @property
    def deadline(self) -> float | None:
        return self.model.deadline

    def __repr__(self) -> str:
        return f"LLMJudge({_prompt_name(self.prompt)}, {self.model.name}, {type(self.scale).__name__})"

    def flow(self, item: Mapping[str, Any]) -> Flow[Any]:
        """Render, ask, read. Returns an `EvaluatorResult`, or the object that `output_schema` describes."""
        messages = yield from self._messages(item)
        request = Request(self.model, tuple(messages), self.schema, item=item)
        asking = judged(request, self._read, self.model.patience)
        if self.model.cache is not None:
            asking = through(asking, remembered(self.model.cache))
        judgement = yield from asking
        if self.output is not None:
            return judgement.reading[1]
        return self._result(judgement)

    def messages(self, item: Mapping[str, Any]) -> list[dict[str, Any]]:
        """The chat messages of a string prompt, without asking anyone."""
        if not isinstance(self.prompt, Prompt):
            raise PromptError("Only string prompts can be shown without being called.")
        return self._dressed(self._rendered(item))

    def _rendered(self, item: Mapping[str, Any]) -> list[dict[str, Any]]:
        guard = EXAMPLE_TAGS if self.examples else ()
        return self.prompt.messages(item, item.get("attachments"), guard=guard)  # type: ignore[no-any-return]

    def _messages(self, item: Mapping[str, Any]) -> Flow[list[dict[str, Any]]]:
        if isinstance(self.prompt, Prompt):
            return self._dressed(self._rendered(item))
        job, places_attachments = (_invoking if _is_runnable(self.prompt) else _calling)(self.prompt, item)
        messages = as_messages((yield from doing(job)))
        if item.get("attachments") is not None and not places_attachments:
            messages = with_attachments(messages, item["attachments"])
        return self._dressed(messages)

    def _dressed(self, messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
        if self.system is not None:
            messages = with_system(messages, self.system)
        return with_examples(messages, self.examples, explain=self.explain) if self.examples else messages

    def _read(self, answer: Answer) -> tuple[Reading, Any]:
        reading = read_verdict(answer, self.scale, explain=self.explain, tool_name=self.schema.name)
        return reading, self.output.build(reading.value) if self.output is not None else reading.value

    def _result(self, judgement: Judgement[tuple[Reading, Any]]) -> EvaluatorResult:
        reading, score = judgement.reading
        answer = judgement.answer
        usage = judgement.usage
        metadata: dict[str, Any] = {
            "model": self.model.name,
            "prompt": _identity(self.prompt),
            "usage": usage.to_dict() if usage else None,
            "attempts": len(judgement.attempts),
            "repairs": list(reading.repairs),
        }
        optional = (
            ("model_version", answer.model),
            ("request_id", answer.request_id),
            ("label", reading.label),
            ("coercions", list(reading.coercions)),
            ("score_before_reasoning", reading.score_before_reasoning),
            ("probabilities", dict(answer.probabilities or {})),
            ("failed_attempts", [attempt.code for attempt in judgement.attempts[:-1]]),
        )
        metadata.update((name, value) for name, value in optional if value)
        return {
            "key": self.feedback_key,
            "score": score,
            "comment": reading.explanation,
            "metadata": metadata,
        }


def create_llm_as_judge(
    *,
    prompt: str | Prompt | Callable[..., Any] | Any,
    feedback_key: str = "score",
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
    """Build an evaluator that asks a model for a verdict.

    Args:
        prompt: what to ask. A string with `{inputs}`, `{outputs}`, `{reference_outputs}` and the names of any other
            keyword that the evaluator will be called with (`{inputs[question]}` and `{outputs.answer}` reach into
            mappings and lists); a `Prompt`; a LangChain prompt template or a chain that ends in messages; or a
            function that is called with those keywords and returns messages.
        feedback_key: the `key` of the result.
        judge: who is asked: an OpenAI-shaped client, an Anthropic client, a LangChain chat model, or a `Model` from
            `judgekit.connect`.
        model: `"provider:model"`, or with a client the name to ask it for.
        system: a system message, put in front and never formatted.
        continuous: a score from 0.0 to 1.0 instead of true or false.
        choices: the allowed scores: numbers, or labels, or a mapping from label to number. Wins over `continuous`.
        use_reasoning: ask for an explanation of the score; it becomes the `comment`.
        few_shot_examples: graded examples, added to the end of the last user message.
        output_schema: a JSON schema, OpenAI's structured format, a pydantic model, a TypedDict or a dataclass. The
            evaluator then returns an object of that schema instead of a result.
        structured_output_kwargs: passed on to a LangChain model's `with_structured_output`.
        template_format: of a string prompt: `"f-string"` or `"jinja2"`.

    Returns:
        An evaluator `(*, inputs=None, outputs=None, reference_outputs=None, attachments=None, **kwargs)` that returns
        `{"key", "score", "comment", "metadata"}`, and raises a `JudgeError` when there is no verdict.

    Raises:
        ConfigError: what was given cannot make a judge; the message says what to change.
    """
    found = build_judge(
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


def create_async_llm_as_judge(
    *,
    prompt: str | Prompt | Callable[..., Any] | Any,
    feedback_key: str = "score",
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
    """Build an async evaluator: the same parameters as `create_llm_as_judge`, the same result, awaited.

    A prompt function may be async here. A sync client is called in a thread.
    """
    found = build_judge(
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
    return AsyncEvaluator(found)


def build_judge(
    *,
    prompt: Any,
    feedback_key: str = "score",
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
) -> LLMJudge:
    """The judge as a value, for those who drive its flow themselves; parameters and errors as `create_llm_as_judge`."""
    asked = _prompt(prompt, template_format)
    wanted = _wanted(asked, output_schema)
    if wanted is None:
        scale = scale_for(continuous=continuous, choices=choices)
        schema, _ = scale.schema(use_reasoning)
        answer_schema = AnswerSchema("score", schema)
    else:
        scale = Custom(wanted.schema)
        strict = True if wanted.strict is None else wanted.strict
        answer_schema = AnswerSchema(wanted.name, wanted.schema, strict, wanted.description)
    examples = tuple(few_shot_examples or ())
    if examples:
        with_examples([{"role": "user", "content": ""}], examples, explain=use_reasoning)  # or fail now
    return LLMJudge(
        prompt=asked,
        model=require_model(judge, model, structured_output_kwargs),
        scale=scale,
        feedback_key=feedback_key,
        explain=use_reasoning,
        system=system,
        examples=examples,
        schema=answer_schema,
        output=wanted,
    )


def _construct_default_output_json_schema(
    *,
    continuous: bool = False,
    choices: Sequence[float | int | str] | Mapping[str, float] | None = None,
    use_reasoning: bool = True,
) -> tuple[dict[str, Any], str]:
    """The schema that a judge asks for by default, and the description of its score; OpenEvals' name for it."""
    return scale_for(continuous=continuous, choices=choices).schema(use_reasoning)


def _prompt(given: Any, template_format: TemplateFormat) -> Any:
    if isinstance(given, str):
        return Prompt(given, template_format=template_format)
    if isinstance(given, Prompt) or _is_runnable(given) or callable(given):
        return given
    raise ConfigError(
        f"prompt is {given!r}: give a string, a judgekit Prompt, a LangChain prompt template or chain, or a function that "
        "returns messages."
    )


def _wanted(prompt: Any, given: Any) -> OutputSchema | None:
    """The custom schema: the argument's, or the one that a LangChain `StructuredPrompt` brings."""
    brought = (
        getattr(prompt, "schema_", None) if comes_from(prompt, "langchain_core", "StructuredPrompt") else None
    )
    if given is not None and brought is not None:
        raise ConfigError(
            "The StructuredPrompt brings its own schema: leave out `output_schema`, or use a plain prompt."
        )
    found = given if given is not None else brought
    return None if found is None else read_output_schema(found)


def _is_runnable(prompt: Any) -> bool:
    return callable(getattr(prompt, "invoke", None)) and callable(getattr(prompt, "ainvoke", None))


def _invoking(runnable: Any, item: Mapping[str, Any]) -> tuple[Job, bool]:
    """The call of a LangChain runnable: text for its variables, the values themselves for message placeholders."""
    template = getattr(runnable, "first", runnable)  # a chain is asked for what its first step needs
    variables = set(getattr(template, "input_variables", None) or ())
    placeholders = {getattr(part, "variable_name", None) for part in getattr(template, "messages", ())}
    values = {
        name: value if name in placeholders or name == "attachments" else to_text(value, name=name)
        for name, value in item.items()
        if value is not None
    }
    if missing := variables - values.keys() - set(getattr(template, "optional_variables", ())):
        raise MissingVariableError(
            f"The {type(template).__name__} needs {', '.join(sorted(missing))}: it has the variables "
            f"{', '.join(sorted(variables))}; given: {', '.join(sorted(values)) or 'none'}."
        )
    return Job(lambda: runnable.invoke(values), lambda: runnable.ainvoke(values)), "attachments" in variables


def _calling(function: Callable[..., Any], item: Mapping[str, Any]) -> tuple[Job, bool]:
    """The call of a prompt function, with the keywords that it takes and the values as they are.

    Attachments are its business when it names them; otherwise they are added to the messages that it returns.
    """
    parameters = inspect.signature(function).parameters
    takes_all = any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters.values())
    values = {
        name: value
        for name, value in item.items()
        if name in parameters or (takes_all and name != "attachments")
    }
    missing = [
        name for name, parameter in parameters.items() if parameter.default is parameter.empty
        and parameter.kind in _NAMED and name not in values
    ]  # fmt: skip
    if missing:
        raise MissingVariableError(
            f"The prompt function {_prompt_name(function)} needs {', '.join(missing)}; given: {', '.join(item)}."
        )
    return Job(lambda: function(**values)), "attachments" in parameters


_NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


def _identity(prompt: Any) -> dict[str, Any]:
    """Which prompt a verdict was made with; a function or a chain has a name and nothing that could be hashed."""
    if isinstance(prompt, Prompt):
        return {"name": prompt.name, "version": prompt.version, "hash": prompt.hash}
    return {"name": _prompt_name(prompt), "version": None, "hash": None}


def _prompt_name(prompt: Any) -> str:
    name = prompt.name if isinstance(prompt, Prompt) else getattr(prompt, "__name__", None)
    return name or type(prompt).__name__
