"""How near two texts are in meaning, by the vectors that an embedding model gives them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import mul
from typing import Any, Literal

from judgekit.core.flow import Flow, doing
from judgekit.errors import JudgekitError, ModelError
from judgekit.evaluators.base import AsyncEvaluator, Evaluator
from judgekit.evaluators.comparison import chosen, needed, result_of, text_of
from judgekit.evaluators.embedders import Embedder, connect_embedder
from judgekit.models.failures import failure_of
from judgekit.models.fields import count, items, pick
from judgekit.types import EvaluatorResult

__all__ = [
    "EmbeddingSimilarity",
    "Vector",
    "cosine",
    "create_async_embedding_similarity_evaluator",
    "create_embedding_similarity_evaluator",
    "vectors_of",
]

Algorithm = Literal["cosine", "dot_product"]
Vector = Sequence[float]

_DEFAULT_MODEL = "openai:text-embedding-3-small"
_NAMES = ("outputs", "reference_outputs")


@dataclass(frozen=True)
class EmbeddingSimilarity:
    """A comparison of two texts by their vectors."""

    embedder: Embedder
    algorithm: str = "cosine"
    feedback_key: str = "embedding_similarity"

    def __post_init__(self) -> None:
        chosen("algorithm", self.algorithm, tuple(_ALGORITHMS))

    @property
    def name(self) -> str:
        return self.feedback_key

    @property
    def deadline(self) -> None:
        return None

    def flow(self, item: Mapping[str, Any]) -> Flow[EvaluatorResult]:
        """Embed both texts in one request, and compare the vectors."""
        values = needed(item, self.feedback_key, *_NAMES)
        texts = [text_of(value, name=name) for name, value in zip(_NAMES, values, strict=True)]
        try:
            answer = yield from doing(self.embedder.job(texts))
        except JudgekitError:
            raise
        except Exception as error:
            raise failure_of(error, self.embedder.name) from error
        one, other = vectors_of(answer, self.embedder.name)
        metadata = {"model": self.embedder.name, "algorithm": self.algorithm, "dimensions": len(one)}
        if tokens := count(answer, "usage", "prompt_tokens"):
            metadata["usage"] = {"input_tokens": tokens}
        score = _ALGORITHMS[self.algorithm](one, other)
        return result_of(self.feedback_key, score, metadata=metadata)


def create_embedding_similarity_evaluator(
    *,
    model: str = _DEFAULT_MODEL,
    embeddings: Any = None,
    algorithm: Algorithm = "cosine",
    feedback_key: str = "embedding_similarity",
) -> Evaluator:
    """Build an evaluator that compares the outputs with the reference by the vectors of an embedding model.

    Args:
        model: `"openai:<name>"` (set OPENAI_API_KEY), or `"provider:name"` as LangChain's `init_embeddings` knows it; with a
            client the name to ask it for.
        embeddings: instead: an OpenAI-shaped client (`.embeddings.create`), a LangChain `Embeddings`, or a function that
            takes a list of texts and returns a vector for each.
        algorithm: `cosine` of the angle, from -1 to 1; or `dot_product`, which for vectors of length 1 is the same.
        feedback_key: the `key` of the result.

    Returns:
        An evaluator `(*, outputs, reference_outputs, **kwargs)`. Both texts go into one request, values that are not text
        as JSON with sorted keys. The score is not rounded; `metadata` has the model, the number of dimensions and the
        tokens.

    Raises:
        ConfigError: nothing that embeds, or an algorithm that does not exist.
        MissingDependencyError: the package of the model's provider is not installed.
        WrongClientError: an async client or function; use `create_async_embedding_similarity_evaluator`.
        ModelError: when called, and the model fails, or its vectors have no similarity: they differ in length, are not
            finite, or are zero, where the angle is not defined.
    """
    return Evaluator(EmbeddingSimilarity(connect_embedder(embeddings, model).sync(), algorithm, feedback_key))


def create_async_embedding_similarity_evaluator(
    *,
    model: str = _DEFAULT_MODEL,
    embeddings: Any = None,
    algorithm: Algorithm = "cosine",
    feedback_key: str = "embedding_similarity",
) -> AsyncEvaluator:
    """Build an async evaluator: the same parameters as `create_embedding_similarity_evaluator`, the same result, awaited.

    `embeddings` may be async here; what is sync is called in a thread.
    """
    return AsyncEvaluator(EmbeddingSimilarity(connect_embedder(embeddings, model), algorithm, feedback_key))


def vectors_of(answer: Any, name: str) -> tuple[Vector, Vector]:
    """The two vectors in an answer: an OpenAI response, or the vectors themselves."""
    rows = items(pick(answer, "data"))
    if rows and pick(rows[0], "embedding") is not None:
        found = [pick(row, "embedding") for row in sorted(rows, key=lambda row: count(row, "index"))]
    else:
        found = list(answer) if hasattr(answer, "__iter__") else []
    if len(found) != len(_NAMES):
        raise ModelError(f"{name} gave {len(found)} vectors for {len(_NAMES)} texts.")
    one, other = (_vector(vector, name) for vector in found)
    if len(one) != len(other):
        raise ModelError(
            f"{name} gave vectors of {len(one)} and {len(other)} dimensions, which cannot be compared."
        )
    return one, other


def _vector(found: Any, name: str) -> Vector:
    try:
        vector = [float(part) for part in found]
    except (TypeError, ValueError):
        raise ModelError(f"{name} gave {type(found).__name__} where a list of numbers is needed.") from None
    if not vector or not all(map(math.isfinite, vector)):
        raise ModelError(f"{name} gave a vector that is empty or has numbers that are not finite.")
    return vector


def _dot_product(one: Vector, other: Vector) -> float:
    product: float = sum(map(mul, one, other))
    if not math.isfinite(product):
        raise ModelError("The dot product of the two vectors is too large for a float.")
    return product


def cosine(one: Vector, other: Vector) -> float:
    """The cosine of the angle between two vectors, neither of them zero; safe where squares would overflow."""
    left, right = _scaled(one), _scaled(other)
    lengths = math.sqrt(_dot_product(left, left) * _dot_product(right, right))
    return max(-1.0, min(1.0, _dot_product(left, right) / lengths))  # rounding may go beyond by the last bit


def _scaled(vector: Vector) -> Vector:
    """The vector, made longer or shorter where the fourth power of its length would leave the floats."""
    largest = max(map(abs, vector))
    if largest == 0:
        raise ModelError(
            "A text has the zero vector, which has no angle to any other: is it empty, or does the model not know it?"
        )
    return vector if 1e-70 < largest < 1e70 else [part / largest for part in vector]


_ALGORITHMS = {"cosine": cosine, "dot_product": _dot_product}
