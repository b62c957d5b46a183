"""Measures of one ranked list: which of the relevant documents are in it, and how far up.

Every measure takes the grades of the retrieved documents in rank order (0 is not relevant), the grades of all relevant
documents, and a cutoff `k` or None; it returns a number from 0 to 1. What is undefined is a `ValueError`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

__all__ = [
    "MEASURES",
    "average_precision",
    "hit_rate",
    "ndcg",
    "precision",
    "recall",
    "reciprocal_rank",
]

Grades = Sequence[float]


def precision(retrieved: Grades, relevant: Grades, k: int | None) -> float:  # noqa: ARG001  # one signature for all
    """The share of relevant documents among those retrieved.

    With a cutoff the share is of `k`, also where fewer were retrieved, as `trec_eval` has it. (Manning, Raghavan & Schütze
    2008, Introduction to Information Retrieval, section 8.4.)

    Raises:
        ValueError: nothing was retrieved and there is no cutoff.
    """
    shown = retrieved[:k]
    if not shown and k is None:
        raise ValueError(
            "nothing was retrieved, so there is nothing to take a share of; give a cutoff k to count it as 0"
        )
    return sum(grade > 0 for grade in shown) / (len(shown) if k is None else k)


def recall(retrieved: Grades, relevant: Grades, k: int | None) -> float:
    """The share of the relevant documents that were retrieved. (Manning et al. 2008, section 8.3.)"""
    return sum(grade > 0 for grade in retrieved[:k]) / len(relevant)


def hit_rate(retrieved: Grades, relevant: Grades, k: int | None) -> float:  # noqa: ARG001
    """1 when a relevant document was retrieved, else 0; its mean over questions is the hit rate, or success at k."""
    return float(any(grade > 0 for grade in retrieved[:k]))


def reciprocal_rank(retrieved: Grades, relevant: Grades, k: int | None) -> float:  # noqa: ARG001
    """1 / rank of the first relevant document, 0 without one; its mean over questions is the MRR. (Voorhees 1999, TREC-8.)"""
    return next((1 / rank for rank, grade in enumerate(retrieved[:k], start=1) if grade > 0), 0.0)


def average_precision(retrieved: Grades, relevant: Grades, k: int | None) -> float:
    """The precision at the rank of each relevant document, averaged over all relevant ones; one not retrieved counts 0.

    Its mean over questions is the MAP. (Manning et al. 2008, section 8.4; the divisor is the number of relevant documents
    with a cutoff too, as in `trec_eval`.)
    """
    found = 0
    total = 0.0
    for rank, grade in enumerate(retrieved[:k], start=1):
        if grade > 0:
            found += 1
            total += found / rank
    return total / len(relevant)


def ndcg(retrieved: Grades, relevant: Grades, k: int | None) -> float:
    """The discounted cumulated gain, divided by that of the best order of the relevant documents.

    The gain is the grade itself and the discount log2(1 + rank), so the first rank is not discounted. (Järvelin &
    Kekäläinen 2002, ACM TOIS 20(4), normalized gain; the discount in the form that has become usual since.)
    """
    return _gain(retrieved[:k]) / _gain(sorted(relevant, reverse=True)[:k])


def _gain(grades: Grades) -> float:
    return math.fsum(grade / math.log2(1 + rank) for rank, grade in enumerate(grades, start=1))


MEASURES: Mapping[str, Callable[[Grades, Grades, int | None], float]] = {
    "precision": precision,
    "recall": recall,
    "mrr": reciprocal_rank,
    "ndcg": ndcg,
    "hit_rate": hit_rate,
    "average_precision": average_precision,
}
