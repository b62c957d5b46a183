"""Was the right thing retrieved? Ranked documents against the ids of the relevant ones."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any, Literal

from judgekit.core.equality import as_data, shown
from judgekit.errors import ConfigError, PromptError
from judgekit.evaluators.base import AsyncEvaluator, Evaluator
from judgekit.evaluators.comparison import Comparison, chosen, needed, result_of
from judgekit.evaluators.rankings import MEASURES
from judgekit.types import EvaluatorResult

__all__ = ["Retrieval", "create_async_retrieval_evaluator", "create_retrieval_evaluator"]

Metric = Literal["precision", "recall", "mrr", "ndcg", "hit_rate", "average_precision"]
IdKey = str | Callable[[Any], Any]


@dataclass(frozen=True)
class Retrieval(Comparison):
    """One measure of a ranked list of documents."""

    metric: str
    k: int | None = None
    id_key: IdKey | None = None
    feedback_key: str = "retrieval"

    def __post_init__(self) -> None:
        chosen("metric", self.metric, tuple(MEASURES))
        k: Any = self.k
        if k is not None and (isinstance(k, bool) or not isinstance(k, int) or k < 1):
            raise ConfigError(f"k is {self.k!r}: give a whole number from 1, or None for no cutoff.")

    def evaluate(self, item: Mapping[str, Any]) -> EvaluatorResult:
        outputs, reference = needed(item, self.feedback_key)
        if isinstance(outputs, Set):
            raise PromptError(
                f"{self.feedback_key}: outputs is a set, which has no order: give a list, best first."
            )
        ranked = [self._id(document) for document in self._documents(outputs, "outputs")]
        grades = self._grades(reference)
        relevant = [grade for grade in grades.values() if grade > 0]
        if not relevant:
            raise PromptError(
                f"{self.feedback_key} is undefined: reference_outputs names no relevant document. Leave such rows out, or "
                "judge by other means whether retrieving nothing was right."
            )
        retrieved = [grades.get(name, 0) for name in dict.fromkeys(ranked)]
        try:
            score = MEASURES[self.metric](retrieved, relevant, self.k)
        except (ValueError, OverflowError) as error:
            raise PromptError(f"{self.feedback_key} is undefined: {error}.") from error
        return result_of(self.feedback_key, score)

    def _grades(self, reference: Any) -> dict[str, float]:
        data = as_data(reference)
        if not isinstance(data, Mapping):
            documents = self._documents(reference, "reference_outputs")
            return dict.fromkeys((self._id(each, may_be_id=True) for each in documents), 1.0)
        grades: dict[str, float] = {}
        for given, grade in data.items():
            name = _text(given, self.feedback_key)
            if name in grades:
                raise PromptError(f"{self.feedback_key}: reference_outputs grades the id {name!r} twice.")
            grades[name] = self._grade(given, grade)
        return grades

    def _grade(self, name: Any, given: Any) -> float:
        try:
            data = as_data(given)
            grade = math.nan if isinstance(data, str | bytes) else float(data)
        except (PromptError, TypeError, OverflowError):
            grade = math.nan
        if not 0 <= grade < math.inf:
            raise PromptError(
                f"{self.feedback_key}: reference_outputs grades {shown(name)} with {shown(given)}: a grade is a number "
                "from 0 (not relevant) up."
            )
        return grade

    def _documents(self, documents: Any, name: str) -> Sequence[Any]:
        found = as_data(documents)
        if not isinstance(found, list | tuple):
            raise PromptError(
                f"{self.feedback_key}: {name} is {shown(documents)}: give a list of documents or of their ids, in order."
            )
        return found

    def _id(self, document: Any, *, may_be_id: bool = False) -> str:
        """A document's id. A function reads all that was retrieved, and of the reference what is not an id already."""
        if callable(self.id_key):
            is_id = may_be_id and isinstance(document, str | int)
            return _text(document if is_id else self.id_key(document), self.feedback_key)
        data = as_data(document)
        if not isinstance(data, Mapping):
            return _text(document, self.feedback_key)
        found = _field(data, self.id_key or "id")
        if found is None:
            where = f"no {self.id_key!r}" if self.id_key else "no id"
            raise PromptError(
                f"{self.feedback_key}: a document has {where}: {shown(document)}. Say where its id is, "
                "id_key='...' or id_key=<a function>."
            )
        return _text(found, self.feedback_key)


def create_retrieval_evaluator(
    *,
    metric: Metric = "recall",
    k: int | None = None,
    id_key: IdKey | None = None,
    feedback_key: str | None = None,
) -> Evaluator:
    """Build an evaluator of what a retriever returned for one question.

    Args:
        metric: `precision`, `recall`, `mrr` (reciprocal rank), `ndcg`, `hit_rate` or `average_precision`; the functions of
            `judgekit.evaluators.rankings` define them and name their sources.
        k: only the first `k` documents count; None is all of them.
        id_key: where a document has its id: a key of a dict, or of the metadata of a dict or of a LangChain `Document`; or
            a function of what was retrieved, which also reads those in the reference that are neither texts nor whole
            numbers. By default it is `id`.
        feedback_key: the `key` of the result, `{metric}@{k}` (or `{metric}`) by default.

    Returns:
        An evaluator `(*, outputs, reference_outputs, **kwargs)` with a score from 0 to 1. `outputs` are the documents, or
        their ids, best first; a document that comes twice counts at its first place alone. `reference_outputs` are the
        relevant ones, or a mapping from id to grade (0 is not relevant; only `ndcg` tells other grades apart). Ids are
        compared as text, because the keys of a JSON object are.

    Raises:
        ConfigError: a metric that does not exist, or a `k` below 1.
        PromptError: when called with documents without ids, or where the measure is undefined: no document is relevant, or for
            `precision` without `k` none was retrieved.
    """
    return Evaluator(_retrieval(metric, k, id_key, feedback_key))


def create_async_retrieval_evaluator(
    *,
    metric: Metric = "recall",
    k: int | None = None,
    id_key: IdKey | None = None,
    feedback_key: str | None = None,
) -> AsyncEvaluator:
    """Build an async evaluator: the same parameters as `create_retrieval_evaluator`, the same result, awaited."""
    return AsyncEvaluator(_retrieval(metric, k, id_key, feedback_key))


def _retrieval(metric: str, k: int | None, id_key: IdKey | None, feedback_key: str | None) -> Retrieval:
    usual = metric if k is None else f"{metric}@{k}"
    return Retrieval(metric, k, id_key, usual if feedback_key is None else feedback_key)


def _field(document: Mapping[Any, Any], key: str) -> Any:
    """A field of the document, or else of its metadata."""
    if document.get(key) is not None:
        return document[key]
    metadata = document.get("metadata")
    return metadata.get(key) if isinstance(metadata, Mapping) else None


def _text(name: Any, by: str) -> str:
    data = as_data(name)
    if isinstance(data, bool) or not isinstance(data, str | int):
        raise PromptError(f"{by}: {shown(name)} is no id: an id is a text or a whole number.")
    return str(data)
