"""Exact match: are the outputs the reference?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from judgekit.core.equality import same
from judgekit.evaluators.base import AsyncEvaluator, Evaluator
from judgekit.evaluators.comparison import Comparison, needed, result_of
from judgekit.types import EvaluatorResult

__all__ = ["ExactMatch", "exact_match", "exact_match_async"]


@dataclass(frozen=True)
class ExactMatch(Comparison):
    """Whether two values are equal as data, see `core.equality`: 1 is 1.0 and not true, the order of keys is no matter."""

    feedback_key: str = "exact_match"

    def evaluate(self, item: Mapping[str, Any]) -> EvaluatorResult:
        outputs, reference = needed(item, self.feedback_key)
        return result_of(self.feedback_key, same(outputs, reference))


exact_match = Evaluator(ExactMatch())
exact_match_async = AsyncEvaluator(ExactMatch())
