"""Measures of rankings: by hand, against scikit-learn, and at the edges where they are undefined."""

from __future__ import annotations

import asyncio
import math
import uuid
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from judgekit.errors import ConfigError, MissingVariableError, PromptError
from judgekit.evaluators.rankings import MEASURES
from judgekit.evaluators.retrieval import create_async_retrieval_evaluator, create_retrieval_evaluator

RANKED = ["a", "b", "c", "d"]
RELEVANT = ["b", "d", "x"]
GRADES = st.dictionaries(st.sampled_from("abcdefgh"), st.integers(0, 3)).filter(
    lambda grades: any(grades.values())
)
LISTS = st.lists(st.sampled_from("abcdefgh"), unique=True, min_size=1)
CUTOFFS = st.none() | st.integers(1, 10)


def scored(outputs: Any, reference: Any, **settings: Any) -> Any:
    item = {"outputs": outputs, "reference_outputs": reference}
    result = create_retrieval_evaluator(**settings)(**item)
    assert asyncio.run(create_async_retrieval_evaluator(**settings)(**item)) == result
    return result["score"]


@pytest.mark.parametrize(
    ("metric", "k", "score"),
    [
        ("precision", None, 2 / 4),
        ("precision", 3, 1 / 3),
        ("precision", 10, 2 / 10),
        ("recall", None, 2 / 3),
        ("recall", 3, 1 / 3),
        ("recall", 1, 0),
        ("mrr", None, 1 / 2),
        ("mrr", 1, 0),
        ("hit_rate", None, 1),
        ("hit_rate", 1, 0),
        ("average_precision", None, (1 / 2 + 2 / 4) / 3),
        ("average_precision", 2, (1 / 2) / 3),
        ("ndcg", None, (1 / math.log2(3) + 1 / math.log2(5)) / (1 + 1 / math.log2(3) + 1 / 2)),
        ("ndcg", 2, (1 / math.log2(3)) / (1 + 1 / math.log2(3))),
        ("ndcg", 1, 0),
    ],
)
def test_each_measure_by_hand(metric: str, k: int | None, score: float) -> None:
    assert scored(RANKED, RELEVANT, metric=metric, k=k) == pytest.approx(score)


@settings(max_examples=25)
@given(LISTS, GRADES, st.integers(1, 10))
def test_ndcg_is_scikit_learn_s(ranked: list[str], grades: dict[str, int], k: int) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    names = [*ranked, *(name for name in grades if name not in ranked)]
    truth = [[grades.get(name, 0) for name in names]]
    places = [[-place for place in range(len(names))]]
    assume(len(names) > 1)
    found = create_retrieval_evaluator(metric="ndcg", k=k)(outputs=ranked, reference_outputs=grades)["score"]
    # scikit-learn ranks also what was not retrieved, below the rest; the cutoff at what was keeps its gain out
    gained = metrics.dcg_score(truth, places, k=min(k, len(ranked)))
    assert found == pytest.approx(gained / metrics.dcg_score(truth, truth, k=k))
    if k <= len(ranked):
        assert found == pytest.approx(metrics.ndcg_score(truth, places, k=k))


@settings(max_examples=25)
@given(LISTS, GRADES)
def test_average_precision_is_scikit_learn_s(ranked: list[str], grades: dict[str, int]) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    relevant = [name for name, grade in grades.items() if grade]
    names = [
        *ranked,
        *(name for name in relevant if name not in ranked),
    ]  # scikit-learn ranks all that there is
    truth = [name in relevant for name in names]
    oracle = metrics.average_precision_score(truth, [-place for place in range(len(names))])
    judge = create_retrieval_evaluator(metric="average_precision")
    assert judge(outputs=names, reference_outputs=relevant)["score"] == pytest.approx(oracle)


@given(LISTS, GRADES, CUTOFFS)
def test_scores_are_shares_and_the_best_order_has_the_best(
    ranked: list[str], grades: dict[str, int], k: int | None
) -> None:
    best = sorted(ranked, key=lambda name: -grades.get(name, 0))
    metrics: Any = MEASURES
    for metric in metrics:
        judge = create_retrieval_evaluator(metric=metric, k=k)
        score = judge(outputs=ranked, reference_outputs=grades)["score"]
        assert 0 <= score <= judge(outputs=best, reference_outputs=grades)["score"] + 1e-12 <= 1 + 2e-12


@pytest.mark.parametrize("metric", MEASURES)
def test_the_right_documents_alone_in_order_score_1(metric: str) -> None:
    grades = {"a": 3, "b": 2, "c": 1, "d": 0}
    assert scored(["a", "b", "c"], grades, metric=metric) == pytest.approx(1)
    assert scored(["a"], ["a"], metric=metric, k=1) == 1


def test_only_ndcg_tells_grades_apart() -> None:
    lower, higher = {"a": 1, "b": 3}, {"a": 3, "b": 1}
    for metric in MEASURES:
        pair = [scored(["a", "b"], grades, metric=metric) for grades in (lower, higher)]
        assert (pair[0] < pair[1]) == (metric == "ndcg")


@pytest.mark.parametrize("metric", MEASURES)
def test_a_document_that_comes_twice_counts_at_its_first_place(metric: str) -> None:
    assert scored(["a", "b", "a", "b"], ["b"], metric=metric) == scored(["a", "b"], ["b"], metric=metric)
    assert scored(["a", "a", "b"], ["a", "b"], metric=metric, k=2) == pytest.approx(1)
    assert scored(["a", "b"], ["b", "b"], metric=metric) == scored(["a", "b"], ["b"], metric=metric)


def test_nothing_retrieved_scores_0() -> None:
    for metric in MEASURES:
        assert scored([], ["a"], metric=metric, k=2) == 0
        if metric != "precision":
            assert scored([], ["a"], metric=metric) == 0
    with pytest.raises(PromptError, match="precision is undefined: nothing was retrieved"):
        scored([], ["a"], metric="precision")


@pytest.mark.parametrize("reference", [[], {}, {"a": 0}, ()])
def test_w9_nothing_relevant_has_no_score(reference: Any) -> None:
    for metric in MEASURES:
        with pytest.raises(PromptError, match=f"{metric} is undefined: .* names no relevant document"):
            scored(["a"], reference, metric=metric)


def test_w21_none_is_no_list() -> None:
    for item in ({"outputs": None, "reference_outputs": ["a"]}, {"outputs": ["a"]}):
        with pytest.raises(MissingVariableError, match="recall needs"):
            create_retrieval_evaluator()(**item)


@pytest.mark.parametrize(
    ("outputs", "reference", "settings"),
    [
        ([{"id": 1}, {"id": 0}], [0], {}),
        ([{"source": "a.md"}], ["a.md"], {"id_key": "source"}),
        ([{"metadata": {"source": "a.md"}}], [{"source": "a.md"}], {"id_key": "source"}),
        (["a.md"], ["a.md"], {"id_key": "source"}),
        ([1, 2], ["2"], {}),
        ([("a", 0.9)], ["a"], {"id_key": lambda pair: pair[0]}),
        ([("a", 0.9)], [("a", 0.1)], {"id_key": lambda pair: pair[0]}),
        (["a: text"], ["a"], {"id_key": lambda text: text.split(":")[0]}),
        ([uuid.UUID(int=1)], [str(uuid.UUID(int=1))], {}),
        (["a"], {"a"}, {}),
    ],
)
def test_documents_or_ids(outputs: Any, reference: Any, settings: dict[str, Any]) -> None:
    assert scored(outputs, reference, **settings) == 1


def test_langchain_documents_and_arrays() -> None:
    documents = pytest.importorskip("langchain_core.documents")
    np = pytest.importorskip("numpy")
    found = [
        documents.Document(page_content=name, metadata={"source": f"{name}.md"}, id=name) for name in "ab"
    ]
    assert scored(found, ["b"], metric="mrr") == 1 / 2
    assert scored(found, ["b.md"], metric="mrr", id_key="source") == 1 / 2
    assert scored(np.array([7, 8]), np.array([8]), metric="mrr") == 1 / 2
    assert scored(["a"], {"a": np.float32(0.5), "b": np.int64(0)}, metric="ndcg") == 1
    with pytest.raises(PromptError, match=r"a document has no id: .* Say where its id is, id_key="):
        scored([documents.Document(page_content="x")], ["x"])


@pytest.mark.parametrize(
    ("outputs", "complaint"),
    [
        ("abc", "outputs is .*: give a list of documents or of their ids"),
        ({"documents": ["a"]}, "give a list of documents"),
        ({"a", "b"}, "outputs is a set, which has no order"),
        ([1.5], "1.5 is no id: an id is a text or a whole number"),
        ([None], "null is no id"),
        ([True], "true is no id"),
        ([{"name": "a"}], "a document has no id"),
    ],
)
def test_outputs_that_are_no_ranking(outputs: Any, complaint: str) -> None:
    with pytest.raises(PromptError, match=complaint):
        scored(outputs, ["a"])


@pytest.mark.parametrize("grade", [-1, float("nan"), float("inf"), 10**400, "3", b"3", None, [1]])
def test_a_grade_is_a_number_from_0_up(grade: Any) -> None:
    with pytest.raises(PromptError, match=r'grades "a" with .*: a grade is a number from 0'):
        scored(["a"], {"a": grade}, metric="ndcg")


def test_grades_of_any_number_type_and_of_one_id_once() -> None:
    assert scored(["a", "b"], {"a": Decimal("0.5"), "b": True}, metric="recall") == 1
    with pytest.raises(PromptError, match="grades the id '1' twice"):
        scored(["1"], {1: 0, "1": 3})
    with pytest.raises(PromptError, match="ndcg is undefined"):
        scored(["a"], dict.fromkeys("abcd", 1e308), metric="ndcg")


@pytest.mark.parametrize(
    "settings", [{"metric": "nDCG"}, {"k": 0}, {"k": -1}, {"k": True}, {"k": 2.0}, {"k": "3"}]
)
def test_w8_wrong_settings_are_errors_when_the_evaluator_is_made(settings: dict[str, Any]) -> None:
    (name,) = settings
    for create in (create_retrieval_evaluator, create_async_retrieval_evaluator):
        with pytest.raises(ConfigError, match=f"^{name} is "):
            create(**settings)


def test_the_key_names_metric_and_cutoff() -> None:
    assert create_retrieval_evaluator().__name__ == "recall"
    judge = create_retrieval_evaluator(metric="ndcg", k=10)
    assert judge(outputs=["a"], reference_outputs=["a"]) == {
        "key": "ndcg@10",
        "score": 1,
        "comment": None,
        "metadata": None,
    }
    assert create_retrieval_evaluator(feedback_key="found").__name__ == "found"
