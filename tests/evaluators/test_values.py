"""Evaluators that compare values, from the door that users take: right scores, and typed errors instead of guesses."""

from __future__ import annotations

import asyncio
import copy
import datetime as dt
import inspect
import math
from typing import Any

import pytest

import judgekit
from judgekit.errors import JudgekitError


@pytest.mark.parametrize(
    ("outputs", "reference", "same"),
    [
        ({"a": 1, "b": [1.0]}, {"b": [1], "a": 1}, True),
        (True, 1, False),
        ("1", 1, False),
        ([1, 2], [2, 1], False),
        ({"when": dt.date(2026, 1, 2)}, {"when": dt.date(2026, 1, 2)}, True),
    ],
)
def test_w10_equality_is_of_data(outputs: Any, reference: Any, same: bool) -> None:
    result = judgekit.exact_match(outputs=outputs, reference_outputs=reference, ignored="x")
    assert (result["key"], result["score"]) == ("exact_match", same)
    awaited = asyncio.run(judgekit.exact_match_async(outputs=outputs, reference_outputs=reference))
    assert awaited == result


@pytest.mark.parametrize(
    ("outputs", "reference", "score"),
    [("kitten", "sitting", 4 / 7), ("", "", 1.0), ("東京", "東亰", 0.5), ("same", "same", 1.0)],
)
def test_levenshtein(outputs: str, reference: str, score: float) -> None:
    result = judgekit.levenshtein_distance(outputs=outputs, reference_outputs=reference)
    assert result["score"] == pytest.approx(score)
    assert (
        asyncio.run(judgekit.levenshtein_distance_async(outputs=outputs, reference_outputs=reference))
        == result
    )


def test_w45_levenshtein_of_long_texts_is_quick() -> None:
    long, longer = "ab" * 5_000, "ba" * 5_000
    assert 0.9 < judgekit.levenshtein_distance(outputs=long, reference_outputs=longer)["score"] < 1


@pytest.mark.parametrize(
    ("metric", "score"),
    [("jaro_winkler", 0.9611), ("jaro", 0.9444), ("hamming", 4 / 6), ("damerau_levenshtein", 5 / 6)],
)
def test_string_metrics(metric: Any, score: float) -> None:
    judge = judgekit.create_string_distance_evaluator(metric=metric)
    assert judge(outputs="MARTHA", reference_outputs="MARHTA")["score"] == pytest.approx(score, abs=1e-4)


def test_patterns_and_parts() -> None:
    assert judgekit.create_contains_evaluator()(outputs="a b c", reference_outputs="b")["score"] is True
    assert judgekit.create_regex_evaluator(pattern=r"\d+")(outputs="no number")["score"] is False


def test_json_is_strict() -> None:
    assert judgekit.json_validity(outputs='{"a": 1}')["score"] is True
    invalid = judgekit.json_validity(outputs='{"a": NaN}')
    assert invalid["score"] is False
    assert "NaN" in invalid["comment"]
    different = judgekit.json_equality(outputs='{"a": {"b": 1}}', reference_outputs={"a": {"b": 2}})
    assert different["score"] is False
    assert "a.b: expected 2, got 1" in different["comment"]
    schema = {"type": "object", "required": ["a"], "properties": {"a": {"type": "integer"}}}
    fits = judgekit.create_json_schema_evaluator(schema)
    assert fits(outputs={"a": 1})["score"] is True
    assert "'a' is a required property" in fits(outputs={})["comment"]


@pytest.mark.parametrize(
    ("metric", "score"),
    [
        ("precision", 1 / 3),
        ("recall", 1 / 2),
        ("mrr", 1 / 2),
        ("ndcg", (1 / math.log2(3)) / (1 + 1 / math.log2(3))),
    ],
)
def test_retrieval_at_three(metric: Any, score: float) -> None:
    judge = judgekit.create_retrieval_evaluator(metric=metric, k=3)
    result = judge(outputs=["a", "b", "c", "d"], reference_outputs=["b", "d"])
    assert (result["key"], result["score"]) == (f"{metric}@3", pytest.approx(score))
    with pytest.raises(JudgekitError):
        judge(outputs=["a"], reference_outputs=[])


def test_functions_become_evaluators() -> None:
    @judgekit.evaluator
    def short(outputs: str) -> bool:
        return len(outputs) < 5

    @judgekit.evaluator(key="style")
    async def graded(outputs: str, reference_outputs: str) -> dict[str, Any]:
        return {"score": 0.5, "comment": f"{outputs} for {reference_outputs}"}

    @judgekit.evaluator
    def silent(outputs: str) -> None:
        return None

    assert short(inputs="q", outputs="abc") == {
        "key": "short",
        "score": True,
        "comment": None,
        "metadata": None,
    }
    assert inspect.iscoroutinefunction(graded)
    result = asyncio.run(graded(outputs="a", reference_outputs="b"))
    assert (result["key"], result["score"], result["comment"]) == ("style", 0.5, "a for b")
    with pytest.raises(JudgekitError, match=r"silent\(\)"):
        silent(outputs="x")


def test_w11_embeddings_are_compared_whole_and_unrounded() -> None:
    asked: list[list[str]] = []

    def embed(texts: list[str]) -> list[list[float]]:
        asked.append(list(texts))
        return {
            "same": [[1.0, 0.0], [1.0, 0.05]],
            "zero": [[0.0, 0.0], [1.0, 1.0]],
            "uneven": [[1.0], [1.0, 0.0]],
        }[texts[0]]

    judge = judgekit.create_embedding_similarity_evaluator(embeddings=embed)
    score = judge(outputs="same", reference_outputs="b")["score"]
    assert score == pytest.approx(1 / math.sqrt(1 + 0.05**2))
    assert score != round(score, 2)
    assert asked == [["same", "b"]]  # both in one request
    for outputs in ("zero", "uneven"):
        with pytest.raises(JudgekitError):
            judge(outputs=outputs, reference_outputs="b")


def test_nothing_that_is_passed_in_is_changed() -> None:
    item: dict[str, Any] = {
        "outputs": {"messages": [{"role": "user", "content": "x"}]},
        "reference_outputs": [1, {"a": 2}],
    }
    before = copy.deepcopy(item)
    judgekit.exact_match(**item)
    judgekit.json_equality(**item)
    judgekit.levenshtein_distance(**item)
    assert item == before
