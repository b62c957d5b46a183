"""How far one text is from another, in edits, computed by rapidfuzz.

A character is a Unicode code point, as in Python's `len`: an accent may be one of its own (normalize with "NFC"), and an
emoji may be several. `unit="grapheme"` counts what a reader sees as one character (Unicode Standard Annex 29) instead.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from typing import Any, Literal

from judgekit.errors import MissingDependencyError
from judgekit.evaluators.base import AsyncEvaluator, Evaluator
from judgekit.evaluators.comparison import Comparison, chosen, needed, result_of, text_of
from judgekit.evaluators.normalizing import AS_IT_IS, Normalize, Normalizer, normalizer
from judgekit.types import EvaluatorResult

__all__ = [
    "METRICS",
    "StringDistance",
    "create_async_string_distance_evaluator",
    "create_string_distance_evaluator",
    "levenshtein_distance",
    "levenshtein_distance_async",
    "similarity",
]

Metric = Literal["levenshtein", "damerau_levenshtein", "jaro", "jaro_winkler", "hamming", "indel"]
Measure = Literal["similarity", "normalized_distance", "distance"]
Unit = Literal["code_point", "grapheme"]

METRICS: Mapping[str, str] = {
    "levenshtein": "Levenshtein",
    "damerau_levenshtein": "DamerauLevenshtein",
    "jaro": "Jaro",
    "jaro_winkler": "JaroWinkler",
    "hamming": "Hamming",
    "indel": "Indel",
}
_MEASURES: Mapping[str, str] = {
    "similarity": "normalized_similarity",
    "normalized_distance": "normalized_distance",
    "distance": "distance",
}
_UNITS = ("code_point", "grapheme")


@dataclass(frozen=True)
class StringDistance(Comparison):
    """One metric between two texts."""

    metric: str = "levenshtein"
    measure: str = "similarity"
    normalize: Normalizer = AS_IT_IS
    unit: str = "code_point"
    feedback_key: str = "levenshtein_distance"

    def __post_init__(self) -> None:
        chosen("metric", self.metric, tuple(METRICS))
        chosen("measure", self.measure, tuple(_MEASURES))
        chosen("unit", self.unit, _UNITS)

    def evaluate(self, item: Mapping[str, Any]) -> EvaluatorResult:
        outputs, reference = needed(item, self.feedback_key)
        left = self._characters(outputs, "outputs")
        right = self._characters(reference, "reference_outputs")
        return result_of(self.feedback_key, _function(self.metric, self.measure)(left, right))

    def _characters(self, value: Any, name: str) -> Sequence[str]:
        text = self.normalize(text_of(value, name=name))
        return text if self.unit == "code_point" else _graphemes(text)


def similarity(metric: str) -> Callable[[Any, Any], float]:
    """A function of two values: how alike they are as text, from 0 to 1; None is like None alone.

    Raises:
        ConfigError: the metric does not exist.
    """
    return partial(_similarity, chosen("metric", metric, tuple(METRICS)))


def create_string_distance_evaluator(
    *,
    metric: Metric = "levenshtein",
    measure: Measure = "similarity",
    normalize: Normalize = (),
    unit: Unit = "code_point",
    feedback_key: str | None = None,
) -> Evaluator:
    """Build an evaluator that compares two texts by the edits between them.

    Args:
        metric: which edits count, and how.
            `levenshtein`: insertions, deletions and substitutions (Levenshtein 1966).
            `damerau_levenshtein`: these and swaps of neighbors (Damerau 1964), without restriction.
            `indel`: insertions and deletions alone, so a substitution costs two.
            `hamming`: substitutions alone (Hamming 1950); what the longer text has more counts as well.
            `jaro`: shared characters near the same place (Jaro 1989).
            `jaro_winkler`: the same, and a shared beginning of up to 4 characters counts more (Winkler 1990).
        measure: `similarity`, from 0 to 1 (equal texts); `normalized_distance`, which is 1 - similarity; or `distance`,
            the number of edits (for the two Jaro metrics again 1 - similarity).
        normalize: what is done to both texts before: "NFC", "NFKC", "casefold", "whitespace", or functions from text to
            text; one or several, applied in their order.
        unit: what a character is: a Unicode `code_point`, or a `grapheme` (needs the `regex` package, which the extra
            `text` brings).
        feedback_key: the `key` of the result, `{metric}_{measure}` by default.

    Returns:
        An evaluator `(*, outputs, reference_outputs, **kwargs)`. Values that are not text are compared as JSON, with
        their keys sorted.

    Raises:
        ConfigError: a metric, measure, step or unit that does not exist.
        MissingDependencyError: when called with graphemes to count and without `regex`.
    """
    return Evaluator(_string_distance(metric, measure, normalize, unit, feedback_key))


def create_async_string_distance_evaluator(
    *,
    metric: Metric = "levenshtein",
    measure: Measure = "similarity",
    normalize: Normalize = (),
    unit: Unit = "code_point",
    feedback_key: str | None = None,
) -> AsyncEvaluator:
    """Build an async evaluator: the same parameters as `create_string_distance_evaluator`, the same result, awaited."""
    return AsyncEvaluator(_string_distance(metric, measure, normalize, unit, feedback_key))


def _string_distance(
    metric: str, measure: str, normalize: Normalize, unit: str, feedback_key: str | None
) -> StringDistance:
    key = f"{metric}_{measure}" if feedback_key is None else feedback_key
    return StringDistance(metric, measure, normalizer(normalize), unit, key)


@cache
def _function(metric: str, measure: str) -> Callable[[Sequence[str], Sequence[str]], float]:
    from rapidfuzz import distance

    found: Callable[[Sequence[str], Sequence[str]], float] = getattr(
        getattr(distance, METRICS[metric]), _MEASURES[measure]
    )
    return found


def _similarity(metric: str, one: Any, other: Any) -> float:
    if one is None or other is None:
        return float(one is other)
    return _function(metric, "similarity")(text_of(one), text_of(other))


def _graphemes(text: str) -> list[str]:
    try:
        regex: Any = import_module("regex")
    except ImportError as error:
        raise MissingDependencyError(
            "unit=\"grapheme\" needs the regex package: pip install 'judgekit-llm[text]'"
        ) from error
    found: list[str] = regex.findall(r"\X", text)
    return found


levenshtein_distance = Evaluator(StringDistance())
levenshtein_distance_async = AsyncEvaluator(StringDistance())
