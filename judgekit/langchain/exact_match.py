"""Is a text exactly its reference?"""

from __future__ import annotations

import string
from collections.abc import Mapping
from typing import Any

from judgekit.core.flow import Flow
from judgekit.evaluators.comparison import needed, text_of
from judgekit.evaluators.exact import ExactMatch
from judgekit.langchain.schema import FlowStringEvaluator

__all__ = ["ExactMatchStringEvaluator"]

_PUNCTUATION = str.maketrans("", "", string.punctuation)
_DIGITS = str.maketrans("", "", string.digits)


class ExactMatchStringEvaluator(FlowStringEvaluator):
    """Whether a text is its reference: `{"score": 1 or 0}`.

    Args:
        ignore_case: compare both in lower case.
        ignore_punctuation: leave out ASCII punctuation.
        ignore_numbers: leave out the digits 0 to 9.
    """

    def __init__(
        self, *, ignore_case: bool = False, ignore_punctuation: bool = False, ignore_numbers: bool = False
    ) -> None:
        self.ignore_case = ignore_case
        self.ignore_punctuation = ignore_punctuation
        self.ignore_numbers = ignore_numbers

    @property
    def evaluation_name(self) -> str:
        return "exact_match"

    @property
    def requires_reference(self) -> bool:
        return True

    def _flow(self, item: Mapping[str, Any]) -> Flow[dict[str, Any]]:
        prediction, reference = map(self._reduced, needed(item, "exact_match", "prediction", "reference"))
        result = yield from ExactMatch().flow({"outputs": prediction, "reference_outputs": reference})
        return {"score": int(result["score"])}

    def _reduced(self, value: Any) -> Any:
        if not (self.ignore_case or self.ignore_punctuation or self.ignore_numbers):
            return value
        text = text_of(value)
        text = text.lower() if self.ignore_case else text
        text = text.translate(_PUNCTUATION) if self.ignore_punctuation else text
        return text.translate(_DIGITS) if self.ignore_numbers else text
