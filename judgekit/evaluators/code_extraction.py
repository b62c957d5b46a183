"""Code out of a model's answer: the fenced blocks of its Markdown, by the rules of CommonMark.

Fences may be of backticks or tildes and of any length from three, may carry an info string, may stand in a list item,
and end at the end of the text when nothing closes them (CommonMark 0.31.2, section 4.5). A block of Markdown is looked
into for the blocks that it holds.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from judgekit.core.flow import Flow, Job, doing
from judgekit.errors import ConfigError, PromptError
from judgekit.evaluators.trajectory_messages import text_of, trajectory_messages

__all__ = [
    "NOT_CODE",
    "CodeBlock",
    "ExtractionStrategy",
    "Extractor",
    "code_blocks",
    "extract_code",
    "extractor",
    "output_text",
]

ExtractionStrategy = Literal["none", "all", "llm", "markdown_code_blocks"]

Extractor = Callable[[Any], Flow[str | None]]
"""From the outputs that an evaluator was given to the code in them, or None when there is none."""

NOT_CODE = frozenset(
    {
        *(
            "bash",
            "bat",
            "batch",
            "cmd",
            "dos",
            "fish",
            "powershell",
            "ps1",
            "pwsh",
            "sh",
            "shell",
            "terminal",
            "zsh",
        ),
        *("console", "log", "output", "plain", "plaintext", "shell-session", "shellsession", "text", "txt"),
        *("json", "json5", "jsonc", "jsonl", "ndjson"),
    }
)
"""Languages of blocks that are commands, their output, or data."""

_MARKDOWN = frozenset({"markdown", "md"})
_OPENING = re.compile(
    r"(?P<indent>[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*)(?P<fence>`{3,}(?=[^`]*$)|~{3,})[ \t]*(?P<info>.*)"
)
_LANGUAGE = re.compile(r"[{.]*(?P<language>[^\s{}:,=]*)")


@dataclass(frozen=True, slots=True)
class CodeBlock:
    """A fenced block: `language` is the first word of its info string, in lower case; every line of `text` is ended."""

    language: str
    text: str


def extract_code(text: str, *, leave_out: Collection[str] = NOT_CODE) -> str | None:
    """Return the code in the fenced blocks of a text, several of them with a blank line between.

    Args:
        text: Markdown, as models answer.
        leave_out: languages, in lower case, of blocks that are not wanted.

    Returns:
        The code, or None when no block is left.
    """
    blocks = [
        block.text for block in code_blocks(text) if block.language not in leave_out and block.text.strip()
    ]
    return "\n".join(blocks) if blocks else None


def code_blocks(text: str) -> Iterator[CodeBlock]:
    """The fenced blocks of a text, in order; those inside a block of Markdown instead of it, if it has any."""
    lines = iter(re.split(r"\r\n|\n|\r", text))
    for line in lines:
        opening = _OPENING.fullmatch(line)
        if opening is None:
            continue
        block = _block(opening, lines)
        inner = list(code_blocks(block.text)) if block.language in _MARKDOWN else []
        yield from inner or [block]


def _block(opening: re.Match[str], lines: Iterator[str]) -> CodeBlock:
    """The block that `opening` begins; its lines are taken from `lines`."""
    fence, indent = opening["fence"], len(opening["indent"].expandtabs(4))
    closing = re.compile(rf"(?P<indent>[ \t]*){re.escape(fence[0])}{{{len(fence)},}}[ \t]*")
    content = []
    for line in lines:
        end = closing.fullmatch(line)
        if end and len(end["indent"].expandtabs(4)) < indent + 4:
            break
        content.append(_outdented(line, indent))
    else:
        if (
            content and not content[-1]
        ):  # what follows the last line break of the text is no line of the block
            content.pop()
    language = _LANGUAGE.match(opening["info"])
    return CodeBlock(
        language["language"].lower() if language else "", "".join(f"{line}\n" for line in content)
    )


def _outdented(line: str, columns: int) -> str:
    """The line without up to so many columns of white space, which is as far as its fence was indented."""
    if not columns:
        return line
    body = line.lstrip(" \t")
    indent = line[: len(line) - len(body)]
    return " " * max(0, len(indent.expandtabs(4)) - columns) + body


def extractor(
    strategy: ExtractionStrategy, function: Callable[[Any], Any] | None, llm: Callable[[], Extractor]
) -> Extractor:
    """The extractor that an evaluator's arguments ask for.

    Args:
        strategy: `none` takes the text as it is, `markdown_code_blocks` its fenced blocks, `llm` asks a model.
        function: the user's own, called with the outputs as they are; returns the code, or None. May be async in an
            async evaluator.
        llm: makes the extractor that asks a model.

    Raises:
        ConfigError: both a function and a strategy, or a strategy that does not exist.
    """
    if function is not None:
        if strategy != "none":
            raise ConfigError("Give either `code_extractor` or `code_extraction_strategy`, not both.")
        return _ByFunction(function)
    makers: dict[str, Callable[[], Extractor]] = {
        "none": lambda: _FromText(str),
        "all": lambda: _FromText(str),  # OpenEvals' first name for it, which its users still write
        "markdown_code_blocks": lambda: _FromText(extract_code),
        "llm": llm,
    }
    if strategy not in makers:
        raise ConfigError(f"code_extraction_strategy is {strategy!r}: give one of {', '.join(makers)}.")
    return makers[strategy]()


@dataclass(frozen=True)
class _FromText:
    """Reads the code out of the text of the outputs."""

    read: Callable[[str], str | None]

    def __call__(self, outputs: Any) -> Flow[str | None]:
        yield from ()
        return self.read(output_text(outputs))


@dataclass(frozen=True)
class _ByFunction:
    """Leaves the outputs to the user's own function."""

    function: Callable[[Any], Any]

    def __call__(self, outputs: Any) -> Flow[str | None]:
        code = yield from doing(Job(lambda: self.function(outputs)))
        if code is not None and not isinstance(code, str):
            raise PromptError(
                f"code_extractor returned a {type(code).__name__}; it must return text, or None."
            )
        return code


def output_text(outputs: Any) -> str:
    """What an app said: a text, a message, or the last message of several.

    Raises:
        PromptError: it is none of these.
    """
    if isinstance(outputs, str):
        return outputs
    messages: Sequence[dict[str, Any]] = trajectory_messages(outputs, name="outputs", text_role="assistant")
    if not messages:
        raise PromptError("`outputs` has no code and no text; pass the app's answer, or {'messages': [...]}.")
    return text_of(messages[-1]["content"])
