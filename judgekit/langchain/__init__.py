"""LangChain's evaluators without LangChain's legacy package: change `langchain_classic.evaluation` to `judgekit.langchain`.

Names are resolved when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from judgekit.langchain.agents import TrajectoryEvalChain as TrajectoryEvalChain
    from judgekit.langchain.comparison import LabeledPairwiseStringEvalChain as LabeledPairwiseStringEvalChain
    from judgekit.langchain.comparison import PairwiseStringEvalChain as PairwiseStringEvalChain
    from judgekit.langchain.comparison import resolve_pairwise_criteria as resolve_pairwise_criteria
    from judgekit.langchain.constitutional import PRINCIPLES as PRINCIPLES
    from judgekit.langchain.constitutional import ConstitutionalPrinciple as ConstitutionalPrinciple
    from judgekit.langchain.criteria import Criteria as Criteria
    from judgekit.langchain.criteria import CriteriaEvalChain as CriteriaEvalChain
    from judgekit.langchain.criteria import LabeledCriteriaEvalChain as LabeledCriteriaEvalChain
    from judgekit.langchain.criteria import resolve_criteria as resolve_criteria
    from judgekit.langchain.embedding_distance import EmbeddingDistance as EmbeddingDistance
    from judgekit.langchain.embedding_distance import EmbeddingDistanceEvalChain as EmbeddingDistanceEvalChain
    from judgekit.langchain.embedding_distance import (
        PairwiseEmbeddingDistanceEvalChain as PairwiseEmbeddingDistanceEvalChain,
    )
    from judgekit.langchain.evaluator_type import EvaluatorType as EvaluatorType
    from judgekit.langchain.exact_match import ExactMatchStringEvaluator as ExactMatchStringEvaluator
    from judgekit.langchain.judging import DEFAULT_MODEL as DEFAULT_MODEL
    from judgekit.langchain.loading import load_dataset as load_dataset
    from judgekit.langchain.loading import load_evaluator as load_evaluator
    from judgekit.langchain.loading import load_evaluators as load_evaluators
    from judgekit.langchain.parsing import JsonEditDistanceEvaluator as JsonEditDistanceEvaluator
    from judgekit.langchain.parsing import JsonEqualityEvaluator as JsonEqualityEvaluator
    from judgekit.langchain.parsing import JsonSchemaEvaluator as JsonSchemaEvaluator
    from judgekit.langchain.parsing import JsonValidityEvaluator as JsonValidityEvaluator
    from judgekit.langchain.prompts import CONTEXT_PROMPT as CONTEXT_PROMPT
    from judgekit.langchain.prompts import COT_PROMPT as COT_PROMPT
    from judgekit.langchain.prompts import QA_PROMPT as QA_PROMPT
    from judgekit.langchain.prompts import SQL_PROMPT as SQL_PROMPT
    from judgekit.langchain.qa import ContextQAEvalChain as ContextQAEvalChain
    from judgekit.langchain.qa import CotQAEvalChain as CotQAEvalChain
    from judgekit.langchain.qa import QAEvalChain as QAEvalChain
    from judgekit.langchain.qa import QAGenerateChain as QAGenerateChain
    from judgekit.langchain.regex_match import RegexMatchStringEvaluator as RegexMatchStringEvaluator
    from judgekit.langchain.schema import AgentTrajectoryEvaluator as AgentTrajectoryEvaluator
    from judgekit.langchain.schema import LLMEvalChain as LLMEvalChain
    from judgekit.langchain.schema import PairwiseStringEvaluator as PairwiseStringEvaluator
    from judgekit.langchain.schema import StringEvaluator as StringEvaluator
    from judgekit.langchain.scoring import LabeledScoreStringEvalChain as LabeledScoreStringEvalChain
    from judgekit.langchain.scoring import ScoreStringEvalChain as ScoreStringEvalChain
    from judgekit.langchain.string_distance import (
        PairwiseStringDistanceEvalChain as PairwiseStringDistanceEvalChain,
    )
    from judgekit.langchain.string_distance import StringDistance as StringDistance
    from judgekit.langchain.string_distance import StringDistanceEvalChain as StringDistanceEvalChain

_LAZY = {
    "AgentTrajectoryEvaluator": "judgekit.langchain.schema",
    "CONTEXT_PROMPT": "judgekit.langchain.prompts",
    "COT_PROMPT": "judgekit.langchain.prompts",
    "ConstitutionalPrinciple": "judgekit.langchain.constitutional",
    "ContextQAEvalChain": "judgekit.langchain.qa",
    "CotQAEvalChain": "judgekit.langchain.qa",
    "Criteria": "judgekit.langchain.criteria",
    "CriteriaEvalChain": "judgekit.langchain.criteria",
    "DEFAULT_MODEL": "judgekit.langchain.judging",
    "EmbeddingDistance": "judgekit.langchain.embedding_distance",
    "EmbeddingDistanceEvalChain": "judgekit.langchain.embedding_distance",
    "EvaluatorType": "judgekit.langchain.evaluator_type",
    "ExactMatchStringEvaluator": "judgekit.langchain.exact_match",
    "JsonEditDistanceEvaluator": "judgekit.langchain.parsing",
    "JsonEqualityEvaluator": "judgekit.langchain.parsing",
    "JsonSchemaEvaluator": "judgekit.langchain.parsing",
    "JsonValidityEvaluator": "judgekit.langchain.parsing",
    "LLMEvalChain": "judgekit.langchain.schema",
    "LabeledCriteriaEvalChain": "judgekit.langchain.criteria",
    "LabeledPairwiseStringEvalChain": "judgekit.langchain.comparison",
    "LabeledScoreStringEvalChain": "judgekit.langchain.scoring",
    "PRINCIPLES": "judgekit.langchain.constitutional",
    "PairwiseEmbeddingDistanceEvalChain": "judgekit.langchain.embedding_distance",
    "PairwiseStringDistanceEvalChain": "judgekit.langchain.string_distance",
    "PairwiseStringEvalChain": "judgekit.langchain.comparison",
    "PairwiseStringEvaluator": "judgekit.langchain.schema",
    "QAEvalChain": "judgekit.langchain.qa",
    "QAGenerateChain": "judgekit.langchain.qa",
    "QA_PROMPT": "judgekit.langchain.prompts",
    "RegexMatchStringEvaluator": "judgekit.langchain.regex_match",
    "SQL_PROMPT": "judgekit.langchain.prompts",
    "ScoreStringEvalChain": "judgekit.langchain.scoring",
    "StringDistance": "judgekit.langchain.string_distance",
    "StringDistanceEvalChain": "judgekit.langchain.string_distance",
    "StringEvaluator": "judgekit.langchain.schema",
    "TrajectoryEvalChain": "judgekit.langchain.agents",
    "load_dataset": "judgekit.langchain.loading",
    "load_evaluator": "judgekit.langchain.loading",
    "load_evaluators": "judgekit.langchain.loading",
    "resolve_criteria": "judgekit.langchain.criteria",
    "resolve_pairwise_criteria": "judgekit.langchain.comparison",
}

__all__ = [
    "CONTEXT_PROMPT",
    "COT_PROMPT",
    "DEFAULT_MODEL",
    "PRINCIPLES",
    "QA_PROMPT",
    "SQL_PROMPT",
    "AgentTrajectoryEvaluator",
    "ConstitutionalPrinciple",
    "ContextQAEvalChain",
    "CotQAEvalChain",
    "Criteria",
    "CriteriaEvalChain",
    "EmbeddingDistance",
    "EmbeddingDistanceEvalChain",
    "EvaluatorType",
    "ExactMatchStringEvaluator",
    "JsonEditDistanceEvaluator",
    "JsonEqualityEvaluator",
    "JsonSchemaEvaluator",
    "JsonValidityEvaluator",
    "LLMEvalChain",
    "LabeledCriteriaEvalChain",
    "LabeledPairwiseStringEvalChain",
    "LabeledScoreStringEvalChain",
    "PairwiseEmbeddingDistanceEvalChain",
    "PairwiseStringDistanceEvalChain",
    "PairwiseStringEvalChain",
    "PairwiseStringEvaluator",
    "QAEvalChain",
    "QAGenerateChain",
    "RegexMatchStringEvaluator",
    "ScoreStringEvalChain",
    "StringDistance",
    "StringDistanceEvalChain",
    "StringEvaluator",
    "TrajectoryEvalChain",
    "load_dataset",
    "load_evaluator",
    "load_evaluators",
    "resolve_criteria",
    "resolve_pairwise_criteria",
]


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        value = getattr(import_module(_LAZY[name]), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'judgekit.langchain' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
