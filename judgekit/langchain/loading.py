"""Evaluators by the name of their type."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from typing import Any

from judgekit.errors import ConfigError, MissingDependencyError
from judgekit.langchain.agents import TrajectoryEvalChain
from judgekit.langchain.comparison import LabeledPairwiseStringEvalChain, PairwiseStringEvalChain
from judgekit.langchain.criteria import CriteriaEvalChain, LabeledCriteriaEvalChain
from judgekit.langchain.embedding_distance import (
    EmbeddingDistanceEvalChain,
    PairwiseEmbeddingDistanceEvalChain,
)
from judgekit.langchain.evaluator_type import EvaluatorType
from judgekit.langchain.exact_match import ExactMatchStringEvaluator
from judgekit.langchain.judging import accepted
from judgekit.langchain.parsing import (
    JsonEditDistanceEvaluator,
    JsonEqualityEvaluator,
    JsonSchemaEvaluator,
    JsonValidityEvaluator,
)
from judgekit.langchain.qa import ContextQAEvalChain, CotQAEvalChain, QAEvalChain
from judgekit.langchain.regex_match import RegexMatchStringEvaluator
from judgekit.langchain.schema import LLMEvalChain
from judgekit.langchain.scoring import LabeledScoreStringEvalChain, ScoreStringEvalChain
from judgekit.langchain.string_distance import PairwiseStringDistanceEvalChain, StringDistanceEvalChain

__all__ = ["load_dataset", "load_evaluator", "load_evaluators"]

_CLASSES: Mapping[EvaluatorType, type[Any]] = {
    EvaluatorType.QA: QAEvalChain,
    EvaluatorType.COT_QA: CotQAEvalChain,
    EvaluatorType.CONTEXT_QA: ContextQAEvalChain,
    EvaluatorType.PAIRWISE_STRING: PairwiseStringEvalChain,
    EvaluatorType.SCORE_STRING: ScoreStringEvalChain,
    EvaluatorType.LABELED_PAIRWISE_STRING: LabeledPairwiseStringEvalChain,
    EvaluatorType.LABELED_SCORE_STRING: LabeledScoreStringEvalChain,
    EvaluatorType.AGENT_TRAJECTORY: TrajectoryEvalChain,
    EvaluatorType.CRITERIA: CriteriaEvalChain,
    EvaluatorType.LABELED_CRITERIA: LabeledCriteriaEvalChain,
    EvaluatorType.STRING_DISTANCE: StringDistanceEvalChain,
    EvaluatorType.EXACT_MATCH: ExactMatchStringEvaluator,
    EvaluatorType.REGEX_MATCH: RegexMatchStringEvaluator,
    EvaluatorType.PAIRWISE_STRING_DISTANCE: PairwiseStringDistanceEvalChain,
    EvaluatorType.EMBEDDING_DISTANCE: EmbeddingDistanceEvalChain,
    EvaluatorType.PAIRWISE_EMBEDDING_DISTANCE: PairwiseEmbeddingDistanceEvalChain,
    EvaluatorType.JSON_VALIDITY: JsonValidityEvaluator,
    EvaluatorType.JSON_EQUALITY: JsonEqualityEvaluator,
    EvaluatorType.JSON_EDIT_DISTANCE: JsonEditDistanceEvaluator,
    EvaluatorType.JSON_SCHEMA_VALIDATION: JsonSchemaEvaluator,
}


def load_evaluator(evaluator: EvaluatorType | str, *, llm: Any = None, **kwargs: Any) -> Any:
    """Load an evaluator.

    Args:
        evaluator: its type, one of `EvaluatorType` or the text.
        llm: who is asked, for the types that ask a model: a LangChain chat model, an OpenAI or Anthropic client (with
            `model`), a judgekit `Model`, or `"provider:model"`. `DEFAULT_MODEL` when it is None.
        **kwargs: the settings of the evaluator: `criteria`, `prompt`, `normalize_by`, `distance`, ...

    Returns:
        The evaluator; its class says which methods it has.

    Raises:
        ConfigError: an unknown type, a setting that it does not have, or no model.
    """
    kind = _class_of(evaluator)
    if issubclass(kind, LLMEvalChain):
        return kind.from_llm(llm=llm, **kwargs)
    taken = _settings_of(kind)
    accepted({name: value for name, value in kwargs.items() if name not in taken}, kind.__name__, *taken)
    return kind(**{name: value for name, value in kwargs.items() if name in taken})


def load_evaluators(
    evaluators: Iterable[EvaluatorType | str],
    *,
    llm: Any = None,
    config: Mapping[Any, Mapping[str, Any]] | None = None,
    **kwargs: Any,
) -> list[Any]:
    """Load several evaluators.

    Args:
        evaluators: their types.
        llm: who is asked, by all of those that ask a model.
        config: settings by type, which win over `kwargs`.
        **kwargs: settings for each evaluator that has them.

    Returns:
        The evaluators, in the order of their types.

    Raises:
        ConfigError: as `load_evaluator`; also a setting that none of the evaluators has.
    """
    kinds = [(EvaluatorType(each), _class_of(each)) for each in evaluators]
    settings = [_settings_of(kind) for _, kind in kinds]
    spare = {name: value for name, value in kwargs.items() if not any(name in taken for taken in settings)}
    accepted(spare, "load_evaluators", *dict.fromkeys(name for taken in settings for name in taken))
    own = {EvaluatorType(kind): dict(given) for kind, given in (config or {}).items()}
    return [
        load_evaluator(
            kind,
            **{
                "llm": llm,
                **{name: kwargs[name] for name in taken if name in kwargs},
                **own.get(kind, {}),
            },
        )
        for (kind, _), taken in zip(kinds, settings, strict=True)
    ]


def load_dataset(uri: str) -> list[dict[str, Any]]:
    """The rows of `LangChainDatasets/<uri>` on the Hugging Face hub.

    Raises:
        MissingDependencyError: the `datasets` package is not installed.
    """
    try:
        from datasets import load_dataset as load
    except ImportError as error:
        raise MissingDependencyError(
            "load_dataset needs the datasets package: pip install datasets"
        ) from error
    return [dict(row) for row in load(f"LangChainDatasets/{uri}")["train"]]


def _class_of(evaluator: Any) -> type[Any]:
    try:
        return _CLASSES[EvaluatorType(evaluator)]
    except ValueError:
        raise ConfigError(
            f"Unknown evaluator type: {evaluator}\nValid types are: {[str(kind) for kind in EvaluatorType]}"
        ) from None


def _settings_of(kind: type[Any]) -> tuple[str, ...]:
    """The settings that an evaluator has, by the signature of what makes it."""
    maker = kind.from_llm if issubclass(kind, LLMEvalChain) else kind
    named = inspect.signature(maker).parameters.values()
    return tuple(each.name for each in named if each.kind is not each.VAR_KEYWORD and each.name != "llm")
