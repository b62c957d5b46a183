"""What a model has been seen to reject, and what is sent instead.

A provider says in an error text that it cannot do a format or does not take a parameter. The texts below were
collected from public bug reports of each provider; a model remembers what it learned, so it is told once.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Capabilities"]

_CAPABILITY_STATUSES = frozenset({400, 403, 404, 422, 500, 501})

_FORMAT_WORDS: dict[str, re.Pattern[str]] = {
    "json_schema": re.compile(
        r"response_format|response format|json_schema|output_config|output_format|structured output|guided|"
        r"compiled grammar is too large|xgrammar|tool use",
        re.IGNORECASE,
    ),
    "tool": re.compile(
        r"tool_choice|tool choice|\btools?\b|function call|functions? (?:is|are) not|thinking may not",
        re.IGNORECASE,
    ),
    "json_object": re.compile(
        r"response_format|response format|json_object|json mode|word 'json'", re.IGNORECASE
    ),
    "structured": re.compile(
        r"structured output|bind_tools|with_structured_output|response_format|tool", re.IGNORECASE
    ),
}

_SCHEMA_KEYWORDS = re.compile(
    r"(?:minimum|maximum|minItems|maxItems|minLength|maxLength|pattern|multipleOf|exclusiveM\w+|additionalProperties|"
    r"\$schema|const|title|default)\b[^.]{0,80}(?:not supported|unsupported|not permitted|unknown|Unknown name)|"
    r"(?:Unknown name|not supported)[^.]{0,80}(?:minimum|maximum|additionalProperties|\$schema|const|exclusiveM)",
    re.IGNORECASE,
)

_REJECTION = re.compile(
    r"unsupported|not supported|does not support|not available|unavailable|unknown|unrecognized|unexpected|"
    r"extra[_ ]forbidden|extra inputs|not permitted|not allowed|invalid parameter|deprecated|only the default|"
    r"must be 'json_schema' or 'text'|must be one of|enabled only|no endpoints found|not implemented|too large|"
    r"must contain the word|may not be enabled|invalid schema|features not supported|cannot be used",
    re.IGNORECASE,
)


@dataclass
class Capabilities:
    """The memory of one model. Writes only ever narrow it, so concurrent requests may share it.

    Attributes:
        ladder: the ways to ask for a schema, best first.
        rejected: the formats among them that the model rejected.
        dropped: the parameters that it rejected.
        renamed: parameters that it wants under another name.
        plain_schema: whether keywords that only narrow a value must be kept out of the schema.
    """

    ladder: Sequence[str]
    rejected: set[str] = field(default_factory=set)
    dropped: set[str] = field(default_factory=set)
    renamed: dict[str, str] = field(default_factory=dict)
    plain_schema: bool = False

    @property
    def format(self) -> str:
        """The best way to ask for a schema that has not been rejected; the last one always stays."""
        return next((rung for rung in self.ladder if rung not in self.rejected), self.ladder[-1])

    def learn(
        self, *, status: int | None, text: str, asked_as: str | None, sent: Mapping[str, Any]
    ) -> str | None:
        """Learn from an error text what to leave out next time.

        Args:
            status: the HTTP status, or None when the failure was not an HTTP answer.
            text: all that the provider said.
            asked_as: how the failed request asked for its schema, or None when it had none.
            sent: the failed request's top-level fields.

        Returns:
            What was learned, to be shown; None when the text is no statement about capabilities.
        """
        if status is not None and status not in _CAPABILITY_STATUSES:
            return None
        return self._parameter(text, sent) or self._schema(text, asked_as) or self._format(text, asked_as)

    def _parameter(self, text: str, sent: Mapping[str, Any]) -> str | None:
        if not _REJECTION.search(text) and "logprobs" not in text:
            return None
        for new, old in (("max_completion_tokens", "max_tokens"), ("max_tokens", "max_completion_tokens")):
            if old in sent and (_names(text, old) and _names(text, new)):
                if self.renamed.get(new) == old:  # both names were rejected
                    break
                self.renamed[old] = new
                return f"parameter {old} (sent as {new})"
        if "max_completion_tokens" in sent and _names(text, "max_completion_tokens"):
            self.renamed["max_completion_tokens"] = "max_tokens"
            return "parameter max_completion_tokens (sent as max_tokens)"
        for name in ("temperature", "top_p", "top_k", "seed", "logprobs", "top_logprobs", "stop", "frequency_penalty",
                     "presence_penalty", "reasoning_effort", "store", "parallel_tool_calls"):  # fmt: skip
            if name in sent and _names(text, name):
                self.dropped.add(name)
                if name == "logprobs":
                    self.dropped.add("top_logprobs")
                return f"parameter {name}"
        return None

    def _schema(self, text: str, asked_as: str | None) -> str | None:
        if asked_as is None or self.plain_schema or not _SCHEMA_KEYWORDS.search(text):
            return None
        self.plain_schema = True
        return "schema keywords that only narrow a value"

    def _format(self, text: str, asked_as: str | None) -> str | None:
        words = _FORMAT_WORDS.get(asked_as or "")
        if asked_as is None or words is None or asked_as == self.ladder[-1]:
            return None
        if not (words.search(text) and _REJECTION.search(text)) and not _is_about(asked_as, text):
            return None
        self.rejected.add(asked_as)
        return f"format {asked_as}"


def _is_about(asked_as: str, text: str) -> bool:
    """Texts that name the format's own field count without a word of rejection."""
    return asked_as == "json_schema" and bool(
        re.search(r"response_format[^.]{0,40}(?:value|type|must)|json_validate_failed", text, re.IGNORECASE)
    )


def _names(text: str, parameter: str) -> bool:
    return re.search(rf"(?<![\w.]){re.escape(parameter)}(?!\w)", text) is not None
