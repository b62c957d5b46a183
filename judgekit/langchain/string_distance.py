"""How far one text is from another, in edits."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from judgekit.core.flow import Flow
from judgekit.evaluators import string_distance
from judgekit.evaluators.comparison import chosen
from judgekit.langchain.schema import FlowPairwiseStringEvaluator, FlowStringEvaluator

__all__ = ["PairwiseStringDistanceEvalChain", "StringDistance", "StringDistanceEvalChain"]


class StringDistance(StrEnum):
    """The metrics; what each counts is in `create_string_distance_evaluator`."""

    DAMERAU_LEVENSHTEIN = "damerau_levenshtein"
    LEVENSHTEIN = "levenshtein"
    JARO = "jaro"
    JARO_WINKLER = "jaro_winkler"
    HAMMING = "hamming"
    INDEL = "indel"


class _Distance:
    """A metric, normalized to 0 (equal) to 1 or not."""

    def __init__(
        self, *, distance: StringDistance | str = StringDistance.JARO_WINKLER, normalize_score: bool = True
    ) -> None:
        self.distance = StringDistance(chosen("distance", distance, [each.value for each in StringDistance]))
        self.normalize_score = normalize_score
        measure = "normalized_distance" if normalize_score else "distance"
        self._metric = string_distance.StringDistance(self.distance.value, measure, feedback_key=self._name)

    @property
    def _name(self) -> str:
        return f"{self.distance}_distance"

    def _between(self, one: Any, other: Any) -> Flow[dict[str, Any]]:
        result = yield from self._metric.flow({"outputs": one, "reference_outputs": other})
        return {"score": result["score"]}


class StringDistanceEvalChain(_Distance, FlowStringEvaluator):
    """The distance between a text and its reference: `{"score"}`, 0 for equal texts.

    Args:
        distance: one of `StringDistance`, or its name.
        normalize_score: divide by the largest distance that texts of these lengths can have, so that 1 is the most.

    Raises:
        ConfigError: an unknown metric.
    """

    @property
    def requires_reference(self) -> bool:
        return True

    @property
    def evaluation_name(self) -> str:
        return self._name

    def _flow(self, item: Mapping[str, Any]) -> Flow[dict[str, Any]]:
        return self._between(item["prediction"], item["reference"])


class PairwiseStringDistanceEvalChain(_Distance, FlowPairwiseStringEvaluator):
    """The distance between two texts; arguments, result and errors as those of `StringDistanceEvalChain`."""

    @property
    def evaluation_name(self) -> str:
        return f"pairwise_{self._name}"

    def _flow(self, item: Mapping[str, Any]) -> Flow[dict[str, Any]]:
        return self._between(item["prediction"], item["prediction_b"])
