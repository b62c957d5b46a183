"""What a model has been seen to reject, and what is sent instead.

A provider says in an error text that it cannot do a format or does not take a parameter. The texts below were
collected from public bug reports of each provider; a model remembers what it learned, so it is told once.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from judgekit.models.call import Call

__all__ = ["NARROWING", "Capabilities"]

NARROWING = {
    "minimum": "at least {}",
    "maximum": "at most {}",
    "exclusiveMinimum": "more than {}",
    "exclusiveMaximum": "less than {}",
    "multipleOf": "a multiple of {}",
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "minItems": "at least {} items",
    "maxItems": "at most {} items",
    "pattern": "matching {}",
}
"""Schema keywords that only narrow a value, and what they say in words. Reading checks them in any case."""

_KEYWORDS = (*NARROWING, "additionalProperties")
_QUOTED_KEYWORDS = ("const", "examples", "format", "title")

_PARAMETERS = (
    "temperature", "top_p", "top_k", "logprobs", "top_logprobs", "frequency_penalty", "presence_penalty",
    "reasoning_effort", "parallel_tool_calls", "logit_bias", "service_tier",
)  # fmt: skip
"""Parameters that an answer can be had without. A model's name or its messages are not among them."""

_QUOTED_PARAMETERS = ("seed", "stop", "store", "metadata", "verbosity")
"""More of them, which are also words: they count where a text has them in quotation marks."""

_BUDGETS = ("max_completion_tokens", "max_tokens")

_CAPABILITY_STATUSES = frozenset({400, 403, 404, 422, 500, 501})

_REJECTION = re.compile(
    r"unsupported|(?:not|n't|no longer) support|not available|unavailable|unknown|unrecognized|unexpected|"
    r"extra[_ ]forbidden|extra inputs|not permitted|not allowed|invalid parameter|deprecated|only the default|"
    r"may only be set|enabled only|no endpoints found|not implemented|grammar is too large|exceeds limit|"
    r"must be (?:one of|explicitly|'json_schema')|must contain the word|may not be|cannot be used|"
    r"invalid (?:json )?schema|requires --jinja",
    re.IGNORECASE,
)

_FORMAT_WORDS: Mapping[str, re.Pattern[str]] = {
    "json_schema": re.compile(
        r"response[_ ]format|json_schema|output_config|output_format|structured output|guided|compiled grammar|"
        r"xgrammar|tool use|requested parameters",
        re.IGNORECASE,
    ),
    "tool": re.compile(
        r"tool_choice|tool choice|\btools?\b|function call|functions? (?:is|are) not|requested parameters",
        re.IGNORECASE,
    ),
    "json_object": re.compile(
        r"response[_ ]format|json_object|json mode|word 'json'|requested parameters", re.IGNORECASE
    ),
    "structured": re.compile(
        r"structured output|bind_tools|with_structured_output|response[_ ]format|json_schema|output_config|"
        r"compiled grammar|xgrammar|\btools?\b|tool_choice",
        re.IGNORECASE,
    ),
}
"""What a text must name to be about a format."""

_TOO_LONG = re.compile(
    r"context length|context window|context size|too many tokens|prompt is too long", re.IGNORECASE
)
"""The size of a prompt is no capability, though such texts count the tokens of "tools" and "response_format" too."""


@dataclass
class Capabilities:
    """The memory of one model. Writes only ever narrow it, so concurrent requests may share it.

    Attributes:
        ladder: the ways to ask for a schema, best first.
        rejected: the formats among them that the model rejected.
        dropped: the parameters that it rejected.
        renamed: parameters that it wants under another name.
        keywords: the schema keywords that it rejected.
    """

    ladder: Sequence[str]
    rejected: set[str] = field(default_factory=set)
    dropped: set[str] = field(default_factory=set)
    renamed: dict[str, str] = field(default_factory=dict)
    keywords: frozenset[str] = frozenset()

    @property
    def format(self) -> str:
        """The best way to ask for a schema that has not been rejected; the last one always stays."""
        for rung in self.ladder:
            if rung not in self.rejected:
                return rung
        return self.ladder[-1]

    def learn(self, *, status: int | None, text: str, call: Call) -> str | None:
        """Learn from an error text what to leave out next time.

        Args:
            status: the HTTP status, or None when the failure was not an HTTP answer.
            text: all that the provider said.
            call: the request that failed. What it did not send cannot have been rejected, and what another request
                has taught meanwhile may be what it lacks.

        Returns:
            What to do without, to be shown; None when the text is no statement about capabilities.
        """
        if (status is not None and status not in _CAPABILITY_STATUSES) or _TOO_LONG.search(text):
            return None
        if not _REJECTION.search(text) and "logprobs" not in text:
            return None
        return (
            self._parameter(text, call.payload)
            or self._keyword(text, call)
            or self._format(text, call.format)
        )

    def _parameter(self, text: str, sent: Mapping[str, Any]) -> str | None:
        for old, new in zip(_BUDGETS, reversed(_BUDGETS), strict=True):
            if old in sent and _names(text, old):
                if self.renamed.get(new) == old:  # neither name is taken
                    self.dropped.add(old)
                    return f"parameter {old}"
                self.renamed[old] = new
                return f"parameter {old} (sent as {new})"
        for name in (*_PARAMETERS, *_QUOTED_PARAMETERS):
            if _sends(sent, name) and _names(text, name, quoted=name in _QUOTED_PARAMETERS):
                self.dropped |= {"logprobs", "top_logprobs"} if name == "logprobs" else {name}
                return f"parameter {name}"
        return None

    def _keyword(self, text: str, call: Call) -> str | None:
        if call.format is None:
            return None
        named = {word for word in (*_KEYWORDS, *_QUOTED_KEYWORDS) if _rejects_keyword(text, word)}
        named = named & _keys_in(call.payload) - call.without
        if not named:
            return None
        if not named.isdisjoint(NARROWING):  # who takes no maximum will take no minimum either
            named |= set(NARROWING)
        self.keywords |= named
        return f"schema keywords {', '.join(sorted(named))}"

    def _format(self, text: str, asked_as: str | None) -> str | None:
        words = _FORMAT_WORDS.get(asked_as or "")
        if asked_as is None or words is None or asked_as == self.ladder[-1] or not words.search(text):
            return None
        self.rejected.add(asked_as)
        return f"format {asked_as}"


def _sends(payload: Mapping[str, Any], name: str) -> bool:
    return name in payload or name in (payload.get("extra_body") or ())


def _names(text: str, parameter: str, *, quoted: bool = False) -> bool:
    return re.search(rf"(?<![\w.$]){_word(parameter, quoted)}(?![\w.])", text) is not None


def _rejects_keyword(text: str, keyword: str) -> bool:
    """Whether the text says, near the keyword and in the same sentence, that it is not taken."""
    named = rf"(?<![\w$]){_word(keyword, keyword in _QUOTED_KEYWORDS)}(?!\w)"
    refused = r"(?:not supported|unsupported|not permitted|not allowed|unknown)"
    return (
        re.search(rf"{named}[^.]{{0,80}}{refused}|{refused}[^.]{{0,80}}{named}", text, re.IGNORECASE)
        is not None
    )


def _word(word: str, quoted: bool) -> str:
    mark = "[\"'`]" if quoted else ""
    return f"{mark}{re.escape(word)}{mark}"


def _keys_in(payload: Mapping[str, Any]) -> set[str]:
    """The keys, at any depth, of what asks for the schema."""
    asking = {
        name: payload[name] for name in ("response_format", "tools", "output_config") if name in payload
    }
    return set(_keys(json.loads(json.dumps(asking, default=str))))


def _keys(value: Any) -> Iterable[str]:
    if isinstance(value, dict):
        yield from value
        value = list(value.values())
    if isinstance(value, list):
        for part in value:
            yield from _keys(part)
