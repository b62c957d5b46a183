"""Does a text match the regular expression that is its reference?"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from judgekit.core.equality import shown
from judgekit.core.flow import Flow
from judgekit.errors import PromptError
from judgekit.evaluators.comparison import chosen, needed, text_of
from judgekit.langchain.schema import FlowStringEvaluator

__all__ = ["RegexMatchStringEvaluator"]


class RegexMatchStringEvaluator(FlowStringEvaluator):
    """Whether a text matches the reference, a regular expression: `{"score": 1 or 0}`.

    Args:
        flags: of `re`, such as `re.IGNORECASE`.
        where: "match" (from the beginning of the text, the end is free), "search" (anywhere) or "fullmatch" (all of it).

    Raises:
        ConfigError: an unknown `where`.
        PromptError: when called with a reference that is no regular expression.
    """

    def __init__(self, *, flags: int = 0, where: str = "match") -> None:
        self.flags = flags
        self.where: str = chosen("where", where, ("match", "search", "fullmatch"))

    @property
    def evaluation_name(self) -> str:
        return "regex_match"

    @property
    def requires_reference(self) -> bool:
        return True

    def _flow(self, item: Mapping[str, Any]) -> Flow[dict[str, Any]]:
        yield from ()
        prediction, reference = needed(item, "regex_match", "prediction", "reference")
        try:
            pattern = re.compile(reference, self.flags)
        except (re.error, ValueError, TypeError, RecursionError) as error:
            raise PromptError(
                f"regex_match: the reference is no regular expression: {shown(reference)}: {error}."
            ) from error
        found = getattr(pattern, self.where)(text_of(prediction, name="prediction"))
        return {"score": int(found is not None)}
