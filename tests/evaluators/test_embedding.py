"""Embedding similarity: real clients in one request, whole vectors, nothing rounded, and no score where there is none."""

from __future__ import annotations

import asyncio
import functools
import inspect
import math
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgekit.errors import (
    ConfigError,
    MissingDependencyError,
    MissingVariableError,
    ModelError,
    RateLimitError,
    WrongClientError,
)
from judgekit.evaluators.embedding import (
    create_async_embedding_similarity_evaluator,
    create_embedding_similarity_evaluator,
)
from tests.support.bodies import embedding, embeddings_body
from tests.support.faults import rate_limited

if TYPE_CHECKING:
    from openai import AsyncOpenAI, OpenAI

    from tests.support.provider import Provider

PAIR = {"outputs": "warm in Rome", "reference_outputs": "cold in Rome"}
NUMBERS = st.floats(-1e308, 1e308, allow_nan=False)
VECTORS = st.integers(1, 5).flatmap(
    lambda size: st.tuples(
        st.lists(NUMBERS, min_size=size, max_size=size), st.lists(NUMBERS, min_size=size, max_size=size)
    )
)


def compared(rows: Any, **settings: Any) -> Any:
    """The result for texts that have these vectors, from both factories."""
    judge = create_embedding_similarity_evaluator(embeddings=lambda texts: rows, **settings)
    waiting = create_async_embedding_similarity_evaluator(embeddings=lambda texts: rows, **settings)
    result = judge(**PAIR)
    assert asyncio.run(waiting(**PAIR)) == result
    return result


def expected(one: str, other: str) -> float:
    """The cosine of the loopback provider's vectors, whose length is 1."""
    return sum(left * right for left, right in zip(embedding(one), embedding(other), strict=True))


def test_w46_an_openai_client_is_asked_once_for_both_texts(provider: Provider, openai_client: OpenAI) -> None:
    judge = create_embedding_similarity_evaluator(
        embeddings=openai_client, model="openai:text-embedding-3-large"
    )
    result = judge(**PAIR)
    assert result["score"] == pytest.approx(
        expected(*PAIR.values()), abs=1e-6
    )  # vectors travel as 32-bit floats
    assert provider.count == 1
    assert provider.last.json["model"] == "text-embedding-3-large"
    assert provider.last.json["input"] == list(PAIR.values())
    assert result["key"] == "embedding_similarity"
    assert result["metadata"] == {
        "model": "openai:text-embedding-3-large",
        "algorithm": "cosine",
        "dimensions": 32,
        "usage": {"input_tokens": 10},
    }


def test_w46_an_async_openai_client(provider: Provider, async_openai_client: AsyncOpenAI) -> None:
    judge = create_async_embedding_similarity_evaluator(embeddings=async_openai_client)

    async def both() -> list[Any]:
        return list(await asyncio.gather(judge(**PAIR), judge(outputs="same", reference_outputs="same")))

    different, same = asyncio.run(both())
    assert different["score"] == pytest.approx(expected(*PAIR.values()), abs=1e-6)
    assert same["score"] == pytest.approx(1)
    assert provider.count == 2
    assert provider.last.json["model"] == "text-embedding-3-small"


def test_w46_a_name_needs_one_client_for_all_calls(
    provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", f"{provider.url}/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "test")
    judge = create_embedding_similarity_evaluator(model="text-embedding-3-small")
    scores = {judge(**PAIR)["score"] for _ in range(3)}
    assert [*scores] == pytest.approx([expected(*PAIR.values())], abs=1e-6)
    assert (provider.count, provider.connections) == (3, 1)
    awaited = create_async_embedding_similarity_evaluator(model="openai:text-embedding-3-small")
    assert asyncio.run(awaited(**PAIR))["score"] in scores


def test_the_vectors_are_put_in_their_order(provider: Provider, openai_client: OpenAI) -> None:
    body = embeddings_body([[1.0, 0.0], [3.0, 4.0]])
    body["data"].reverse()
    provider.reply(body)
    judge = create_embedding_similarity_evaluator(embeddings=openai_client)
    assert judge(**PAIR)["score"] == pytest.approx(0.6)


def test_w26_a_provider_that_fails_is_a_typed_error(provider: Provider, openai_client: OpenAI) -> None:
    provider.reply(rate_limited(retry_after=1))
    judge = create_embedding_similarity_evaluator(embeddings=openai_client)
    with pytest.raises(RateLimitError) as caught:
        judge(**PAIR)
    assert (caught.value.status, caught.value.retryable) == (429, True)


def test_w46_a_langchain_model_gets_both_texts_at_once() -> None:
    embeddings = pytest.importorskip("langchain_core.embeddings")
    asked: list[list[str]] = []

    class Fake(embeddings.Embeddings):  # type: ignore[misc, name-defined]  # the base is known at run time
        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            asked.append(texts)
            return [[1.0, 0.0], [0.6, 0.8]]

        def embed_query(self, text: str) -> list[float]:
            raise AssertionError("one text at a time")

    result = create_embedding_similarity_evaluator(embeddings=Fake())(**PAIR)
    assert (result["score"], result["metadata"]["model"]) == (pytest.approx(0.6), "langchain:Fake")
    awaited = create_async_embedding_similarity_evaluator(embeddings=Fake())
    assert asyncio.run(awaited(**PAIR)) == result
    assert asked == [list(PAIR.values())] * 2


def test_a_function_gets_its_own_list_of_texts() -> None:
    asked: list[list[str]] = []

    def embed(texts: list[str]) -> list[list[float]]:
        asked.append(texts.copy())
        texts.clear()
        return [[1.0], [1.0]]

    result = create_embedding_similarity_evaluator(embeddings=embed)(
        outputs={"b": 1, "a": "東京"}, reference_outputs=[1], other="ignored"
    )
    assert (result["score"], result["metadata"]["model"]) == (1, "embed")
    assert asked == [['{"a": "東京", "b": 1}', "[1]"]]


def test_w11_nothing_is_rounded() -> None:
    score = compared([[1.0, 0.0], [1.0, 0.05]])["score"]
    assert score == pytest.approx(1 / math.sqrt(1 + 0.05**2), rel=1e-15)
    assert score != round(score, 2)


@pytest.mark.parametrize(
    ("rows", "complaint"),
    [
        ([[1.0], [1.0, 0.0]], "vectors of 1 and 2 dimensions"),
        ([[0.0, 0.0], [1.0, 1.0]], "zero vector, which has no angle"),
        ([[1.0, 2.0]], "1 vectors for 2 texts"),
        ([[1.0]] * 3, "3 vectors for 2 texts"),
        ([], "0 vectors for 2 texts"),
        (None, "0 vectors for 2 texts"),
        ("ab", "gave str where a list of numbers is needed"),
        ([1.0, 2.0], "gave float where a list of numbers is needed"),
        ([["x"], ["y"]], "gave list where a list of numbers is needed"),
        ([[], []], "empty or has numbers that are not finite"),
        ([[math.nan], [1.0]], "not finite"),
        ([[math.inf], [1.0]], "not finite"),
    ],
)
def test_w11_w26_vectors_without_a_similarity_have_no_score(rows: Any, complaint: str) -> None:
    with pytest.raises(ModelError, match=complaint):
        compared(rows)


def test_dot_product() -> None:
    result = compared([[1.0, 2.0], [3.0, 4.0]], algorithm="dot_product")
    assert (result["score"], result["metadata"]["algorithm"]) == (11, "dot_product")
    assert compared([[0.0], [1.0]], algorithm="dot_product")["score"] == 0
    with pytest.raises(ModelError, match="too large for a float"):
        compared([[1e308] * 2] * 2, algorithm="dot_product")


def test_arrays_are_vectors() -> None:
    np = pytest.importorskip("numpy")
    assert compared(np.eye(2))["score"] == 0
    score = compared([np.float32([1, 2]), np.float32([2, 4])])["score"]
    assert (score, type(score)) == (pytest.approx(1), float)


@given(VECTORS)
def test_the_cosine_is_in_its_bounds_for_numbers_of_any_size(pair: tuple[list[float], list[float]]) -> None:
    judge = create_embedding_similarity_evaluator(embeddings=lambda texts: pair)
    if not any(pair[0]) or not any(pair[1]):
        with pytest.raises(ModelError, match="zero vector"):
            judge(**PAIR)
        return
    score = judge(**PAIR)["score"]
    assert -1 <= score <= 1
    itself = create_embedding_similarity_evaluator(embeddings=lambda texts: [pair[0], pair[0]])
    assert itself(**PAIR)["score"] == pytest.approx(1)


async def embed_later(texts: Sequence[str]) -> list[list[float]]:
    return [[1.0, 0.0], [0.6, 0.8]]


@pytest.mark.parametrize("embed", [embed_later, functools.partial(embed_later)])
def test_w23_what_is_async_is_for_the_async_evaluator(embed: Any) -> None:
    judge = create_async_embedding_similarity_evaluator(embeddings=embed)
    assert inspect.iscoroutinefunction(judge)
    assert asyncio.run(judge(**PAIR))["score"] == pytest.approx(0.6)
    with pytest.raises(WrongClientError, match="use create_async_embedding_similarity_evaluator"):
        create_embedding_similarity_evaluator(embeddings=embed)


def test_w23_an_async_client_in_the_sync_evaluator(
    async_openai_client: AsyncOpenAI, provider: Provider
) -> None:
    with pytest.raises(WrongClientError, match="embeds asynchronously"):
        create_embedding_similarity_evaluator(embeddings=async_openai_client)
    assert provider.count == 0


def test_a_function_that_raises_is_a_failure_with_its_cause() -> None:
    def broken(texts: list[str]) -> None:
        raise RuntimeError("out of memory")

    with pytest.raises(ModelError, match=r"broken failed: RuntimeError: out of memory") as caught:
        create_embedding_similarity_evaluator(embeddings=broken)(**PAIR)
    assert isinstance(caught.value.__cause__, RuntimeError)


class Encoder:
    def encode(self, texts: list[str]) -> list[list[float]]:
        return [[1.0], [1.0]]


@pytest.mark.parametrize(
    ("settings", "error", "complaint"),
    [
        ({"embeddings": Encoder().encode, "algorithm": "euclid"}, ConfigError, "algorithm is 'euclid'"),
        ({"embeddings": 5}, WrongClientError, "int cannot embed"),
        ({"embeddings": Encoder()}, WrongClientError, "Encoder cannot embed"),
        ({"embeddings": Encoder}, WrongClientError, "the class Encoder: pass an instance"),
        ({"model": "some-model"}, ConfigError, "write 'provider:model'"),
        ({"model": "openai:"}, ConfigError, "write 'provider:model'"),
        ({"model": None}, ConfigError, "model is None"),
        ({"model": "local:model.gguf"}, ConfigError, "give no vectors"),
        ({"model": "openai:text-embedding-3-small"}, ConfigError, "set OPENAI_API_KEY"),
    ],
)
def test_w28_wrong_settings_are_errors_when_the_evaluator_is_made(
    settings: dict[str, Any], error: type[Exception], complaint: str
) -> None:
    for create in (create_embedding_similarity_evaluator, create_async_embedding_similarity_evaluator):
        with pytest.raises(error, match=complaint):
            create(**settings)


def test_another_provider_needs_langchain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "langchain.embeddings", None)
    with pytest.raises(MissingDependencyError, match="pip install langchain langchain-cohere"):
        create_embedding_similarity_evaluator(model="cohere:embed-v4.0")


def test_w21_none_is_no_text() -> None:
    judge = create_embedding_similarity_evaluator(embeddings=Encoder().encode, feedback_key="near")
    with pytest.raises(MissingVariableError, match="near needs `reference_outputs`"):
        judge(outputs="a")
