"""judgekit: build LLM judges, reuse prompts, and know how far a judge can be trusted.

Names are resolved when they are first used, so that `import judgekit` loads no SDK.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from judgekit._version import __version__ as __version__
    from judgekit.core.templates import Prompt as Prompt
    from judgekit.evaluators.code_e2b import E2BSandbox as E2BSandbox
    from judgekit.evaluators.code_extraction import extract_code as extract_code
    from judgekit.evaluators.code_local import LocalSandbox as LocalSandbox
    from judgekit.evaluators.code_process import Execution as Execution
    from judgekit.evaluators.code_sandbox import Sandbox as Sandbox
    from judgekit.evaluators.embedding import (
        create_async_embedding_similarity_evaluator as create_async_embedding_similarity_evaluator,
    )
    from judgekit.evaluators.embedding import (
        create_embedding_similarity_evaluator as create_embedding_similarity_evaluator,
    )
    from judgekit.evaluators.exact import exact_match as exact_match
    from judgekit.evaluators.exact import exact_match_async as exact_match_async
    from judgekit.evaluators.function import evaluator as evaluator
    from judgekit.evaluators.json_checks import (
        create_async_json_equality_evaluator as create_async_json_equality_evaluator,
    )
    from judgekit.evaluators.json_checks import (
        create_json_equality_evaluator as create_json_equality_evaluator,
    )
    from judgekit.evaluators.json_checks import json_equality as json_equality
    from judgekit.evaluators.json_checks import json_equality_async as json_equality_async
    from judgekit.evaluators.json_checks import json_validity as json_validity
    from judgekit.evaluators.json_checks import json_validity_async as json_validity_async
    from judgekit.evaluators.json_schema import (
        create_async_json_schema_evaluator as create_async_json_schema_evaluator,
    )
    from judgekit.evaluators.json_schema import create_json_schema_evaluator as create_json_schema_evaluator
    from judgekit.evaluators.ngrams import create_async_ngram_evaluator as create_async_ngram_evaluator
    from judgekit.evaluators.ngrams import create_ngram_evaluator as create_ngram_evaluator
    from judgekit.evaluators.retrieval import (
        create_async_retrieval_evaluator as create_async_retrieval_evaluator,
    )
    from judgekit.evaluators.retrieval import create_retrieval_evaluator as create_retrieval_evaluator
    from judgekit.evaluators.string_distance import (
        create_async_string_distance_evaluator as create_async_string_distance_evaluator,
    )
    from judgekit.evaluators.string_distance import (
        create_string_distance_evaluator as create_string_distance_evaluator,
    )
    from judgekit.evaluators.string_distance import levenshtein_distance as levenshtein_distance
    from judgekit.evaluators.string_distance import levenshtein_distance_async as levenshtein_distance_async
    from judgekit.evaluators.text_checks import (
        create_async_contains_evaluator as create_async_contains_evaluator,
    )
    from judgekit.evaluators.text_checks import create_async_regex_evaluator as create_async_regex_evaluator
    from judgekit.evaluators.text_checks import create_contains_evaluator as create_contains_evaluator
    from judgekit.evaluators.text_checks import create_regex_evaluator as create_regex_evaluator
    from judgekit.evaluators.trajectory import (
        create_async_trajectory_match_evaluator as create_async_trajectory_match_evaluator,
    )
    from judgekit.evaluators.trajectory import (
        create_trajectory_match_evaluator as create_trajectory_match_evaluator,
    )
    from judgekit.evaluators.trajectory_arguments import ToolArgsMatchMode as ToolArgsMatchMode
    from judgekit.evaluators.trajectory_arguments import ToolArgsMatchOverrides as ToolArgsMatchOverrides
    from judgekit.evaluators.trajectory_comparison import TrajectoryMatchMode as TrajectoryMatchMode
    from judgekit.evaluators.trajectory_deprecated import trajectory_strict_match as trajectory_strict_match
    from judgekit.evaluators.trajectory_deprecated import (
        trajectory_strict_match_async as trajectory_strict_match_async,
    )
    from judgekit.evaluators.trajectory_deprecated import trajectory_subset as trajectory_subset
    from judgekit.evaluators.trajectory_deprecated import trajectory_subset_async as trajectory_subset_async
    from judgekit.evaluators.trajectory_deprecated import trajectory_superset as trajectory_superset
    from judgekit.evaluators.trajectory_deprecated import (
        trajectory_superset_async as trajectory_superset_async,
    )
    from judgekit.evaluators.trajectory_deprecated import (
        trajectory_unordered_match as trajectory_unordered_match,
    )
    from judgekit.evaluators.trajectory_deprecated import (
        trajectory_unordered_match_async as trajectory_unordered_match_async,
    )
    from judgekit.judges.checklist import create_async_checklist_judge as create_async_checklist_judge
    from judgekit.judges.checklist import create_checklist_judge as create_checklist_judge
    from judgekit.judges.claims import create_async_claims_judge as create_async_claims_judge
    from judgekit.judges.claims import create_claims_judge as create_claims_judge
    from judgekit.judges.code import create_async_code_llm_as_judge as create_async_code_llm_as_judge
    from judgekit.judges.code import create_async_execution_evaluator as create_async_execution_evaluator
    from judgekit.judges.code import create_async_mypy_evaluator as create_async_mypy_evaluator
    from judgekit.judges.code import create_async_pyright_evaluator as create_async_pyright_evaluator
    from judgekit.judges.code import create_code_llm_as_judge as create_code_llm_as_judge
    from judgekit.judges.code import create_execution_evaluator as create_execution_evaluator
    from judgekit.judges.code import create_mypy_evaluator as create_mypy_evaluator
    from judgekit.judges.code import create_pyright_evaluator as create_pyright_evaluator
    from judgekit.judges.json_match import (
        create_async_json_match_evaluator as create_async_json_match_evaluator,
    )
    from judgekit.judges.json_match import create_json_match_evaluator as create_json_match_evaluator
    from judgekit.judges.jury import create_async_jury as create_async_jury
    from judgekit.judges.jury import create_jury as create_jury
    from judgekit.judges.pairwise import create_async_pairwise_judge as create_async_pairwise_judge
    from judgekit.judges.pairwise import create_pairwise_judge as create_pairwise_judge
    from judgekit.judges.rubric import create_async_rubric_judge as create_async_rubric_judge
    from judgekit.judges.rubric import create_rubric_judge as create_rubric_judge
    from judgekit.judges.samples import JuryWeights as JuryWeights
    from judgekit.judges.samples import create_async_expected_score_judge as create_async_expected_score_judge
    from judgekit.judges.samples import create_async_sampled_judge as create_async_sampled_judge
    from judgekit.judges.samples import create_expected_score_judge as create_expected_score_judge
    from judgekit.judges.samples import create_sampled_judge as create_sampled_judge
    from judgekit.judges.samples import fit_weights as fit_weights
    from judgekit.judges.trajectory import (
        create_async_trajectory_llm_as_judge as create_async_trajectory_llm_as_judge,
    )
    from judgekit.judges.trajectory import create_trajectory_llm_as_judge as create_trajectory_llm_as_judge
    from judgekit.llm import create_async_llm_as_judge as create_async_llm_as_judge
    from judgekit.llm import create_llm_as_judge as create_llm_as_judge
    from judgekit.models.base import Model as Model
    from judgekit.models.connect import connect as connect
    from judgekit.models.limits import Limits as Limits
    from judgekit.models.prices import Price as Price
    from judgekit.runner.checking import acheck as acheck
    from judgekit.runner.checking import check as check
    from judgekit.runner.evaluating import aevaluate as aevaluate
    from judgekit.runner.evaluating import evaluate as evaluate
    from judgekit.runner.evaluating import load as load
    from judgekit.runner.pairwise import compare as compare
    from judgekit.simulators import MultiturnSimulationResult as MultiturnSimulationResult
    from judgekit.simulators import create_async_llm_simulated_user as create_async_llm_simulated_user
    from judgekit.simulators import create_llm_simulated_user as create_llm_simulated_user
    from judgekit.simulators import run_multiturn_simulation as run_multiturn_simulation
    from judgekit.simulators import run_multiturn_simulation_async as run_multiturn_simulation_async
    from judgekit.trust import JudgeReport as JudgeReport
    from judgekit.trust import evaluate_judge as evaluate_judge
    from judgekit.trust import probe as probe

_LAZY = {
    "E2BSandbox": "judgekit.evaluators.code_e2b",
    "Execution": "judgekit.evaluators.code_process",
    "JudgeReport": "judgekit.trust",
    "JuryWeights": "judgekit.judges.samples",
    "Limits": "judgekit.models.limits",
    "LocalSandbox": "judgekit.evaluators.code_local",
    "Model": "judgekit.models.base",
    "MultiturnSimulationResult": "judgekit.simulators",
    "Price": "judgekit.models.prices",
    "Prompt": "judgekit.core.templates",
    "Sandbox": "judgekit.evaluators.code_sandbox",
    "ToolArgsMatchMode": "judgekit.evaluators.trajectory_arguments",
    "ToolArgsMatchOverrides": "judgekit.evaluators.trajectory_arguments",
    "TrajectoryMatchMode": "judgekit.evaluators.trajectory_comparison",
    "__version__": "judgekit._version",
    "acheck": "judgekit.runner.checking",
    "aevaluate": "judgekit.runner.evaluating",
    "check": "judgekit.runner.checking",
    "compare": "judgekit.runner.pairwise",
    "connect": "judgekit.models.connect",
    "create_async_checklist_judge": "judgekit.judges.checklist",
    "create_async_claims_judge": "judgekit.judges.claims",
    "create_async_code_llm_as_judge": "judgekit.judges.code",
    "create_async_contains_evaluator": "judgekit.evaluators.text_checks",
    "create_async_embedding_similarity_evaluator": "judgekit.evaluators.embedding",
    "create_async_execution_evaluator": "judgekit.judges.code",
    "create_async_expected_score_judge": "judgekit.judges.samples",
    "create_async_json_equality_evaluator": "judgekit.evaluators.json_checks",
    "create_async_json_match_evaluator": "judgekit.judges.json_match",
    "create_async_json_schema_evaluator": "judgekit.evaluators.json_schema",
    "create_async_jury": "judgekit.judges.jury",
    "create_async_llm_as_judge": "judgekit.llm",
    "create_async_llm_simulated_user": "judgekit.simulators",
    "create_async_mypy_evaluator": "judgekit.judges.code",
    "create_async_ngram_evaluator": "judgekit.evaluators.ngrams",
    "create_async_pairwise_judge": "judgekit.judges.pairwise",
    "create_async_pyright_evaluator": "judgekit.judges.code",
    "create_async_regex_evaluator": "judgekit.evaluators.text_checks",
    "create_async_retrieval_evaluator": "judgekit.evaluators.retrieval",
    "create_async_rubric_judge": "judgekit.judges.rubric",
    "create_async_sampled_judge": "judgekit.judges.samples",
    "create_async_string_distance_evaluator": "judgekit.evaluators.string_distance",
    "create_async_trajectory_llm_as_judge": "judgekit.judges.trajectory",
    "create_async_trajectory_match_evaluator": "judgekit.evaluators.trajectory",
    "create_checklist_judge": "judgekit.judges.checklist",
    "create_claims_judge": "judgekit.judges.claims",
    "create_code_llm_as_judge": "judgekit.judges.code",
    "create_contains_evaluator": "judgekit.evaluators.text_checks",
    "create_embedding_similarity_evaluator": "judgekit.evaluators.embedding",
    "create_execution_evaluator": "judgekit.judges.code",
    "create_expected_score_judge": "judgekit.judges.samples",
    "create_json_equality_evaluator": "judgekit.evaluators.json_checks",
    "create_json_match_evaluator": "judgekit.judges.json_match",
    "create_json_schema_evaluator": "judgekit.evaluators.json_schema",
    "create_jury": "judgekit.judges.jury",
    "create_llm_as_judge": "judgekit.llm",
    "create_llm_simulated_user": "judgekit.simulators",
    "create_mypy_evaluator": "judgekit.judges.code",
    "create_ngram_evaluator": "judgekit.evaluators.ngrams",
    "create_pairwise_judge": "judgekit.judges.pairwise",
    "create_pyright_evaluator": "judgekit.judges.code",
    "create_regex_evaluator": "judgekit.evaluators.text_checks",
    "create_retrieval_evaluator": "judgekit.evaluators.retrieval",
    "create_rubric_judge": "judgekit.judges.rubric",
    "create_sampled_judge": "judgekit.judges.samples",
    "create_string_distance_evaluator": "judgekit.evaluators.string_distance",
    "create_trajectory_llm_as_judge": "judgekit.judges.trajectory",
    "create_trajectory_match_evaluator": "judgekit.evaluators.trajectory",
    "evaluate": "judgekit.runner.evaluating",
    "evaluate_judge": "judgekit.trust",
    "evaluator": "judgekit.evaluators.function",
    "exact_match": "judgekit.evaluators.exact",
    "exact_match_async": "judgekit.evaluators.exact",
    "extract_code": "judgekit.evaluators.code_extraction",
    "fit_weights": "judgekit.judges.samples",
    "json_equality": "judgekit.evaluators.json_checks",
    "json_equality_async": "judgekit.evaluators.json_checks",
    "json_validity": "judgekit.evaluators.json_checks",
    "json_validity_async": "judgekit.evaluators.json_checks",
    "levenshtein_distance": "judgekit.evaluators.string_distance",
    "levenshtein_distance_async": "judgekit.evaluators.string_distance",
    "load": "judgekit.runner.evaluating",
    "probe": "judgekit.trust",
    "run_multiturn_simulation": "judgekit.simulators",
    "run_multiturn_simulation_async": "judgekit.simulators",
    "trajectory_strict_match": "judgekit.evaluators.trajectory_deprecated",
    "trajectory_strict_match_async": "judgekit.evaluators.trajectory_deprecated",
    "trajectory_subset": "judgekit.evaluators.trajectory_deprecated",
    "trajectory_subset_async": "judgekit.evaluators.trajectory_deprecated",
    "trajectory_superset": "judgekit.evaluators.trajectory_deprecated",
    "trajectory_superset_async": "judgekit.evaluators.trajectory_deprecated",
    "trajectory_unordered_match": "judgekit.evaluators.trajectory_deprecated",
    "trajectory_unordered_match_async": "judgekit.evaluators.trajectory_deprecated",
}

__all__ = [
    "E2BSandbox",
    "Execution",
    "JudgeReport",
    "JuryWeights",
    "Limits",
    "LocalSandbox",
    "Model",
    "MultiturnSimulationResult",
    "Price",
    "Prompt",
    "Sandbox",
    "ToolArgsMatchMode",
    "ToolArgsMatchOverrides",
    "TrajectoryMatchMode",
    "__version__",
    "acheck",
    "aevaluate",
    "check",
    "compare",
    "connect",
    "create_async_checklist_judge",
    "create_async_claims_judge",
    "create_async_code_llm_as_judge",
    "create_async_contains_evaluator",
    "create_async_embedding_similarity_evaluator",
    "create_async_execution_evaluator",
    "create_async_expected_score_judge",
    "create_async_json_equality_evaluator",
    "create_async_json_match_evaluator",
    "create_async_json_schema_evaluator",
    "create_async_jury",
    "create_async_llm_as_judge",
    "create_async_llm_simulated_user",
    "create_async_mypy_evaluator",
    "create_async_ngram_evaluator",
    "create_async_pairwise_judge",
    "create_async_pyright_evaluator",
    "create_async_regex_evaluator",
    "create_async_retrieval_evaluator",
    "create_async_rubric_judge",
    "create_async_sampled_judge",
    "create_async_string_distance_evaluator",
    "create_async_trajectory_llm_as_judge",
    "create_async_trajectory_match_evaluator",
    "create_checklist_judge",
    "create_claims_judge",
    "create_code_llm_as_judge",
    "create_contains_evaluator",
    "create_embedding_similarity_evaluator",
    "create_execution_evaluator",
    "create_expected_score_judge",
    "create_json_equality_evaluator",
    "create_json_match_evaluator",
    "create_json_schema_evaluator",
    "create_jury",
    "create_llm_as_judge",
    "create_llm_simulated_user",
    "create_mypy_evaluator",
    "create_ngram_evaluator",
    "create_pairwise_judge",
    "create_pyright_evaluator",
    "create_regex_evaluator",
    "create_retrieval_evaluator",
    "create_rubric_judge",
    "create_sampled_judge",
    "create_string_distance_evaluator",
    "create_trajectory_llm_as_judge",
    "create_trajectory_match_evaluator",
    "evaluate",
    "evaluate_judge",
    "evaluator",
    "exact_match",
    "exact_match_async",
    "extract_code",
    "fit_weights",
    "json_equality",
    "json_equality_async",
    "json_validity",
    "json_validity_async",
    "levenshtein_distance",
    "levenshtein_distance_async",
    "load",
    "probe",
    "run_multiturn_simulation",
    "run_multiturn_simulation_async",
    "trajectory_strict_match",
    "trajectory_strict_match_async",
    "trajectory_subset",
    "trajectory_subset_async",
    "trajectory_superset",
    "trajectory_superset_async",
    "trajectory_unordered_match",
    "trajectory_unordered_match_async",
]


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        value = getattr(import_module(_LAZY[name]), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'judgekit' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
