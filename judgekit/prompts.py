"""The prompt library: one Markdown file a prompt, read when it is first asked for.

`from judgekit.prompts import CORRECTNESS_PROMPT` and `load("correctness")` give the same `Prompt`. A file is YAML
front matter between two `---` lines, then the template:

    ---
    name: correctness                 # the file's stem
    version: 1                        # raised with every change of the text; quote it unless it is a whole number
    title: Correctness
    category: quality
    description: Is the answer right? # the question that the judge answers, in one sentence
    variables:                        # each variable of the template, `required` or `optional`
      inputs: required
      reference_outputs: optional     # the template leaves its part out: {% if reference_outputs %}
    true_means: the answer is correct # what a true or top score says
    scale: binary                     # what suits it: binary, continuous, choices, or custom with an output_schema
    source: Own wording               # where criterion and rubric come from
    ---
    Decide whether ...

Two keys are optional: `template_format` (`jinja2` when left out, or `f-string`) and `output_schema`, the JSON schema
of the answer, which goes with `scale: custom` and which `output_schema(name)` returns.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from importlib.resources.abc import Traversable
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from judgekit.core.templates import Prompt, TemplateFormat
from judgekit.errors import ConfigError, PromptError
from judgekit.resources import data_folder

if TYPE_CHECKING:
    AGENT_TONE_PROMPT: Prompt
    ANSWER_COMPLETENESS_PROMPT: Prompt
    ANSWER_RELEVANCE_PROMPT: Prompt
    AUDIO_QUALITY_PROMPT: Prompt
    CODE_CORRECTNESS_PROMPT: Prompt
    CODE_CORRECTNESS_PROMPT_WITH_REFERENCE_OUTPUTS: Prompt
    CODE_INJECTION_PROMPT: Prompt
    CONCISENESS_PROMPT: Prompt
    CONTEXT_PRECISION_PROMPT: Prompt
    CONTEXT_RECALL_PROMPT: Prompt
    CORRECTNESS_PROMPT: Prompt
    EXPLICIT_CONTENT_PROMPT: Prompt
    FAIRNESS_PROMPT: Prompt
    HALLUCINATION_PROMPT: Prompt
    INSTRUCTION_FOLLOWING_PROMPT: Prompt
    JAILBREAK_SUCCESS_PROMPT: Prompt
    KNOWLEDGE_RETENTION_PROMPT: Prompt
    LANGUAGE_DETECTION_PROMPT: Prompt
    LAZINESS_PROMPT: Prompt
    PERCEIVED_ERROR_PROMPT: Prompt
    PII_LEAKAGE_PROMPT: Prompt
    PLAN_ADHERENCE_PROMPT: Prompt
    PROMPT_INJECTION_PROMPT: Prompt
    RAG_FAITHFULNESS_PROMPT: Prompt
    RAG_GROUNDEDNESS_PROMPT: Prompt
    RAG_HELPFULNESS_PROMPT: Prompt
    RAG_RETRIEVAL_RELEVANCE_PROMPT: Prompt
    REFUSAL_CORRECTNESS_PROMPT: Prompt
    SENSITIVE_IMAGERY_PROMPT: Prompt
    SUMMARY_COHERENCE_PROMPT: Prompt
    SUMMARY_CONSISTENCY_PROMPT: Prompt
    SUMMARY_FLUENCY_PROMPT: Prompt
    SUMMARY_RELEVANCE_PROMPT: Prompt
    SUPPORT_INTENT_PROMPT: Prompt
    TASK_COMPLETION_PROMPT: Prompt
    TONE_AND_STYLE_PROMPT: Prompt
    TOOL_CALL_ARGUMENTS_PROMPT: Prompt
    TOOL_SELECTION_PROMPT: Prompt
    TOXICITY_PROMPT: Prompt
    TRAJECTORY_ACCURACY_PROMPT: Prompt
    TRAJECTORY_ACCURACY_PROMPT_WITH_REFERENCE: Prompt
    TRANSCRIPTION_ACCURACY_PROMPT: Prompt
    TRANSLATION_QUALITY_PROMPT: Prompt
    USER_INTERRUPTS_PROMPT: Prompt
    USER_SATISFACTION_PROMPT: Prompt
    VOCAL_AFFECT_PROMPT: Prompt
    WINS_PROMPT: Prompt

__all__ = [
    "AGENT_TONE_PROMPT",
    "ANSWER_COMPLETENESS_PROMPT",
    "ANSWER_RELEVANCE_PROMPT",
    "AUDIO_QUALITY_PROMPT",
    "CODE_CORRECTNESS_PROMPT",
    "CODE_CORRECTNESS_PROMPT_WITH_REFERENCE_OUTPUTS",
    "CODE_INJECTION_PROMPT",
    "CONCISENESS_PROMPT",
    "CONTEXT_PRECISION_PROMPT",
    "CONTEXT_RECALL_PROMPT",
    "CORRECTNESS_PROMPT",
    "EXPLICIT_CONTENT_PROMPT",
    "FAIRNESS_PROMPT",
    "HALLUCINATION_PROMPT",
    "INSTRUCTION_FOLLOWING_PROMPT",
    "JAILBREAK_SUCCESS_PROMPT",
    "KNOWLEDGE_RETENTION_PROMPT",
    "LANGUAGE_DETECTION_PROMPT",
    "LAZINESS_PROMPT",
    "PERCEIVED_ERROR_PROMPT",
    "PII_LEAKAGE_PROMPT",
    "PLAN_ADHERENCE_PROMPT",
    "PROMPT_INJECTION_PROMPT",
    "RAG_FAITHFULNESS_PROMPT",
    "RAG_GROUNDEDNESS_PROMPT",
    "RAG_HELPFULNESS_PROMPT",
    "RAG_RETRIEVAL_RELEVANCE_PROMPT",
    "REFUSAL_CORRECTNESS_PROMPT",
    "SENSITIVE_IMAGERY_PROMPT",
    "SUMMARY_COHERENCE_PROMPT",
    "SUMMARY_CONSISTENCY_PROMPT",
    "SUMMARY_FLUENCY_PROMPT",
    "SUMMARY_RELEVANCE_PROMPT",
    "SUPPORT_INTENT_PROMPT",
    "TASK_COMPLETION_PROMPT",
    "TONE_AND_STYLE_PROMPT",
    "TOOL_CALL_ARGUMENTS_PROMPT",
    "TOOL_SELECTION_PROMPT",
    "TOXICITY_PROMPT",
    "TRAJECTORY_ACCURACY_PROMPT",
    "TRAJECTORY_ACCURACY_PROMPT_WITH_REFERENCE",
    "TRANSCRIPTION_ACCURACY_PROMPT",
    "TRANSLATION_QUALITY_PROMPT",
    "USER_INTERRUPTS_PROMPT",
    "USER_SATISFACTION_PROMPT",
    "VOCAL_AFFECT_PROMPT",
    "WINS_PROMPT",
    "load",
    "load_file",
    "names",
    "output_schema",
]

_SUFFIXES: dict[str, TemplateFormat] = {".md": "f-string", ".txt": "f-string", ".j2": "jinja2"}
_FRONT_MATTER = re.compile(r"---[ \t]*\n(?P<head>.*?\n|)---[ \t]*(?:\n(?P<body>.*))?", re.DOTALL)


def names() -> list[str]:
    """The names that `load` takes, sorted."""
    return sorted(_files())


def load(name: str) -> Prompt:
    """The library's prompt of that name, as `"correctness"` or as `"CORRECTNESS_PROMPT"`.

    Raises:
        ConfigError: there is no such prompt; the message holds the closest names.
        PromptError: the prompt's file is broken.
    """
    return _entry(_known(name)).prompt


def output_schema(name: str) -> dict[str, Any] | None:
    """A fresh copy of the JSON schema that a prompt of scale `custom` needs, or None when the prompt needs none.

    Raises:
        ConfigError: there is no such prompt.
    """
    return deepcopy(_entry(_known(name)).schema)


def load_file(path: str | PathLike[str], *, template_format: TemplateFormat | None = None) -> Prompt:
    """A prompt from your own `.md`, `.txt` or `.j2` file.

    With front matter (see this module; no key is required, `name` defaults to the file's stem) the template is
    Jinja2 unless `template_format` there says otherwise. Without it, `.md` and `.txt` are f-strings and `.j2` is
    Jinja2. The argument `template_format` decides over both.

    Raises:
        PromptError: the file cannot be read, or its front matter or template is wrong; the message names the file
            and the key.
    """
    path = Path(path)
    if path.suffix not in _SUFFIXES:
        raise PromptError(f"{path}: a prompt file ends in one of {', '.join(_SUFFIXES)}")
    head, body = _split(_text(path, str(path)), str(path))
    default = _SUFFIXES[path.suffix] if head is None else "jinja2"
    facts = {"name": path.stem, "template_format": default, **(head or {})}
    if template_format is not None:
        facts["template_format"] = template_format
    return _build(facts, body, str(path)).prompt


@dataclass(frozen=True, slots=True)
class _Entry:
    prompt: Prompt
    schema: dict[str, Any] | None


@cache
def _files() -> Mapping[str, Traversable]:
    found = data_folder("prompts", "prompts_data").iterdir()
    return {
        file.name.removesuffix(".md"): file
        for file in found
        if re.fullmatch(r"[a-z][a-z0-9_]*\.md", file.name)
    }


def _known(name: str) -> str:
    stem = _stem(name)
    if stem not in _files():
        from difflib import get_close_matches

        close = get_close_matches(stem, _files(), n=3)
        hint = f"Did you mean {' or '.join(map(repr, close))}? " if close else ""
        raise ConfigError(f"there is no prompt {name!r}. {hint}`judgekit prompts list` shows them all.")
    return stem


@cache
def _entry(stem: str) -> _Entry:
    file = _files()[stem]
    head, body = _split(_text(file, file.name), file.name)
    facts = head or {}
    for key in _REQUIRED:
        if key not in facts:
            raise PromptError(f"{file.name}: the front matter lacks the key '{key}'")
    if facts["name"] != stem:
        raise PromptError(f"{file.name}: name: must be the file's stem, '{stem}', not {facts['name']!r}")
    return _build({"template_format": "jinja2", **facts}, body, file.name)


def _text(file: Traversable, where: str) -> str:
    try:
        return file.read_text(encoding="utf-8").removeprefix("\ufeff")
    except (OSError, UnicodeDecodeError) as error:
        raise PromptError(f"{where}: cannot be read as UTF-8 text: {error}") from error


def _split(text: str, where: str) -> tuple[dict[str, Any] | None, str]:
    """Front matter (None when there is none) and template, without the blank lines around it."""
    if not re.match(r"---[ \t]*\n", text):
        return None, text.strip()
    parts = _FRONT_MATTER.fullmatch(text)
    if parts is None:
        raise PromptError(
            f"{where}: the front matter is not closed; put a line '---' between it and the template"
        )
    import yaml

    try:
        head = yaml.safe_load(parts["head"])
    except yaml.YAMLError as error:
        raise PromptError(f"{where}: the front matter is not YAML: {error}") from error
    if not isinstance(head, dict):
        raise PromptError(f"{where}: the front matter must be `key: value` lines")
    return head, (parts["body"] or "").strip()


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _is_version(value: Any) -> bool:
    return _is_text(value) or (isinstance(value, int) and not isinstance(value, bool))


def _is_variables(value: Any) -> bool:
    return isinstance(value, dict) and all(
        isinstance(name, str) and name.isidentifier() and need in {"required", "optional"}
        for name, need in value.items()
    )


def _one_of(*words: str) -> tuple[Callable[[Any], bool], str]:
    return (lambda value: isinstance(value, str) and value in words), f"one of {', '.join(words)}"


_TEXT = (_is_text, "text")
_KEYS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "name": _TEXT,
    "version": (_is_version, "a whole number or quoted text"),
    "title": _TEXT,
    "category": _TEXT,
    "description": _TEXT,
    "variables": (_is_variables, "names, each `required` or `optional`"),
    "true_means": _TEXT,
    "scale": _one_of("binary", "continuous", "choices", "custom"),
    "source": _TEXT,
    "template_format": _one_of("f-string", "jinja2"),
    "output_schema": (lambda value: isinstance(value, dict), "a JSON schema written as YAML"),
}
_REQUIRED = [key for key in _KEYS if key not in {"template_format", "output_schema"}]


def _build(facts: Mapping[str, Any], body: str, where: str) -> _Entry:
    for key, value in facts.items():
        if key not in _KEYS:
            raise PromptError(f"{where}: unknown key '{key}'; the known ones are {', '.join(_KEYS)}")
        fits, wanted = _KEYS[key]
        if not fits(value):
            raise PromptError(f"{where}: {key}: must be {wanted}, not {value!r}")
    if (facts.get("scale") == "custom") != ("output_schema" in facts):
        raise PromptError(f"{where}: output_schema: goes with `scale: custom`, and neither without the other")
    declared = facts.get("variables")
    try:
        prompt = Prompt(
            body,
            template_format=facts["template_format"],
            name=facts["name"],
            version=str(facts["version"]) if "version" in facts else None,
            title=facts.get("title"),
            category=facts.get("category"),
            description=facts.get("description"),
            optional=frozenset(name for name, need in (declared or {}).items() if need == "optional"),
            true_means=facts.get("true_means"),
            scale=facts.get("scale"),
            source=facts.get("source"),
        )
    except PromptError as error:
        raise PromptError(f"{where}: {error}") from error
    if declared is not None:
        _compare(set(declared), set(prompt.variables), where)
    return _Entry(prompt, facts.get("output_schema"))


def _compare(declared: set[str], used: set[str], where: str) -> None:
    for name in sorted(declared - used):
        raise PromptError(f"{where}: variables: '{name}' is declared and the template does not use it")
    for name in sorted(used - declared):
        raise PromptError(f"{where}: variables: the template uses '{name}', which is not declared")


def _stem(name: str) -> str:
    return name.strip().lower().replace("_prompt", "")


def _constant(stem: str) -> str:
    """`correctness` is CORRECTNESS_PROMPT; `x_with_reference...` is X_PROMPT_WITH_REFERENCE..., as OpenEvals has it."""
    head, with_reference, rest = stem.partition("_with_reference")
    return f"{head}_prompt{with_reference}{rest}".upper()


if not TYPE_CHECKING:  # a checker that saw this would take any name for a prompt

    def __getattr__(name: str) -> Prompt:
        stem = _stem(name)
        if name.isupper() and stem in _files() and _constant(stem) == name:
            return load(stem)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
