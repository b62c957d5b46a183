"""How far apart two texts are in meaning, by the vectors that an embedding model gives them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any

from judgekit.core.flow import Flow, doing
from judgekit.errors import JudgekitError, WrongClientError
from judgekit.evaluators.comparison import chosen, needed, text_of
from judgekit.evaluators.embedders import connect_embedder
from judgekit.evaluators.embedding import Vector, cosine, vectors_of
from judgekit.langchain.schema import FlowPairwiseStringEvaluator, FlowStringEvaluator
from judgekit.models.failures import failure_of

__all__ = ["EmbeddingDistance", "EmbeddingDistanceEvalChain", "PairwiseEmbeddingDistanceEvalChain"]

_DEFAULT_MODEL = "openai:text-embedding-3-small"


class EmbeddingDistance(StrEnum):
    """The metrics between two vectors."""

    COSINE = "cosine"
    EUCLIDEAN = "euclidean"
    MANHATTAN = "manhattan"
    CHEBYSHEV = "chebyshev"
    HAMMING = "hamming"


def _gaps(one: Vector, other: Vector) -> list[float]:
    return [abs(left - right) for left, right in zip(one, other, strict=True)]


_METRICS: Mapping[EmbeddingDistance, Callable[[Vector, Vector], float]] = {
    EmbeddingDistance.COSINE: lambda one, other: 1.0 - cosine(one, other),
    EmbeddingDistance.EUCLIDEAN: math.dist,
    EmbeddingDistance.MANHATTAN: lambda one, other: math.fsum(_gaps(one, other)),
    EmbeddingDistance.CHEBYSHEV: lambda one, other: max(_gaps(one, other)),
    EmbeddingDistance.HAMMING: lambda one, other: sum(gap != 0 for gap in _gaps(one, other)) / len(one),
}


class _Distance:
    """A metric and what gives the vectors."""

    def __init__(
        self,
        *,
        embeddings: Any = None,
        distance_metric: EmbeddingDistance | str = EmbeddingDistance.COSINE,
        model: str = _DEFAULT_MODEL,
    ) -> None:
        metrics = [each.value for each in EmbeddingDistance]
        self.distance_metric = EmbeddingDistance(chosen("distance_metric", distance_metric, metrics))
        self._embedder = connect_embedder(embeddings, model)

    @property
    def _name(self) -> str:
        return f"embedding_{self.distance_metric}_distance"

    def _check_sync(self) -> None:
        if self._embedder.call is None:
            raise WrongClientError(
                f"{self._embedder.name} embeds asynchronously, which sync code cannot wait for: await the method whose name "
                "begins with `a`, or pass the sync client or a plain function."
            )

    def _between(self, item: Mapping[str, Any], *names: str) -> Flow[dict[str, Any]]:
        values = needed(item, self._name, *names)
        texts = [text_of(value, name=name) for value, name in zip(values, names, strict=True)]
        try:
            answer = yield from doing(self._embedder.job(texts))
        except JudgekitError:
            raise
        except Exception as error:
            raise failure_of(error, self._embedder.name) from error
        one, other = vectors_of(answer, self._embedder.name)
        return {"score": _METRICS[self.distance_metric](one, other)}


class EmbeddingDistanceEvalChain(_Distance, FlowStringEvaluator):
    """The distance between the vectors of a text and its reference: `{"score"}`.

    Args:
        embeddings: a LangChain `Embeddings`, an OpenAI-shaped client, or a function from a list of texts to vectors.
        distance_metric: one of `EmbeddingDistance`, or its name. `cosine` is 1 minus the cosine, from 0 to 2; `hamming` the
            share of the components that differ.
        model: whose vectors, when no `embeddings` are given; with a client, the name to ask it for.

    Raises:
        ConfigError: an unknown metric, or nothing that embeds.
        ModelError: when called, and the model fails or its vectors cannot be compared; cosine of a zero vector too.
    """

    @property
    def requires_reference(self) -> bool:
        return True

    @property
    def evaluation_name(self) -> str:
        return self._name

    def _flow(self, item: Mapping[str, Any]) -> Flow[dict[str, Any]]:
        return self._between(item, "prediction", "reference")


class PairwiseEmbeddingDistanceEvalChain(_Distance, FlowPairwiseStringEvaluator):
    """The distance between two texts; arguments, result and errors as those of `EmbeddingDistanceEvalChain`."""

    @property
    def evaluation_name(self) -> str:
        return f"pairwise_{self._name}"

    def _flow(self, item: Mapping[str, Any]) -> Flow[dict[str, Any]]:
        return self._between(item, "prediction", "prediction_b")
