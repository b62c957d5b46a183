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
    from judgekit.runner.evaluating import aevaluate as aevaluate
    from judgekit.runner.evaluating import evaluate as evaluate
    from judgekit.runner.evaluating import load as load
    from judgekit.runner.pairwise import compare as compare
    from judgekit.simulators import MultiturnSimulationResult as MultiturnSimulationResult
    from judgekit.simulators import create_async_llm_simulated_user as create_async_llm_simulated_user
    from judgekit.simulators import create_llm_simulated_user as create_llm_simulated_user
    from judgekit.simulators import run_multiturn_simulation as run_multiturn_simulation
    from judgekit.simulators import run_multiturn_simulation_async as run_multiturn_simulation_async

_LAZY = {
    "E2BSandbox": "judgekit.evaluators.code_e2b",
    "Execution": "judgekit.evaluators.code_process",
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
    "aevaluate": "judgekit.runner.evaluating",
    "compare": "judgekit.runner.pairwise",
    "connect": "judgekit.models.connect",
    "create_async_code_llm_as_judge": "judgekit.judges.code",
    "create_async_contains_evaluator": "judgekit.evaluators.text_checks",
    "create_async_embedding_similarity_evaluator": "judgekit.evaluators.embedding",
    "create_async_execution_evaluator": "judgekit.judges.code",
    "create_async_json_equality_evaluator": "judgekit.evaluators.json_checks",
    "create_async_json_match_evaluator": "judgekit.judges.json_match",
    "create_async_json_schema_evaluator": "judgekit.evaluators.json_schema",
    "create_async_llm_as_judge": "judgekit.llm",
    "create_async_llm_simulated_user": "judgekit.simulators",
    "create_async_mypy_evaluator": "judgekit.judges.code",
    "create_async_ngram_evaluator": "judgekit.evaluators.ngrams",
    "create_async_pyright_evaluator": "judgekit.judges.code",
    "create_async_regex_evaluator": "judgekit.evaluators.text_checks",
    "create_async_retrieval_evaluator": "judgekit.evaluators.retrieval",
    "create_async_string_distance_evaluator": "judgekit.evaluators.string_distance",
    "create_async_trajectory_llm_as_judge": "judgekit.judges.trajectory",
    "create_async_trajectory_match_evaluator": "judgekit.evaluators.trajectory",
    "create_code_llm_as_judge": "judgekit.judges.code",
    "create_contains_evaluator": "judgekit.evaluators.text_checks",
    "create_embedding_similarity_evaluator": "judgekit.evaluators.embedding",
    "create_execution_evaluator": "judgekit.judges.code",
    "create_json_equality_evaluator": "judgekit.evaluators.json_checks",
    "create_json_match_evaluator": "judgekit.judges.json_match",
    "create_json_schema_evaluator": "judgekit.evaluators.json_schema",
    "create_llm_as_judge": "judgekit.llm",
    "create_llm_simulated_user": "judgekit.simulators",
    "create_mypy_evaluator": "judgekit.judges.code",
    "create_ngram_evaluator": "judgekit.evaluators.ngrams",
    "create_pyright_evaluator": "judgekit.judges.code",
    "create_regex_evaluator": "judgekit.evaluators.text_checks",
    "create_retrieval_evaluator": "judgekit.evaluators.retrieval",
    "create_string_distance_evaluator": "judgekit.evaluators.string_distance",
    "create_trajectory_llm_as_judge": "judgekit.judges.trajectory",
    "create_trajectory_match_evaluator": "judgekit.evaluators.trajectory",
    "evaluate": "judgekit.runner.evaluating",
    "evaluator": "judgekit.evaluators.function",
    "exact_match": "judgekit.evaluators.exact",
    "exact_match_async": "judgekit.evaluators.exact",
    "extract_code": "judgekit.evaluators.code_extraction",
    "json_equality": "judgekit.evaluators.json_checks",
    "json_equality_async": "judgekit.evaluators.json_checks",
    "json_validity": "judgekit.evaluators.json_checks",
    "json_validity_async": "judgekit.evaluators.json_checks",
    "levenshtein_distance": "judgekit.evaluators.string_distance",
    "levenshtein_distance_async": "judgekit.evaluators.string_distance",
    "load": "judgekit.runner.evaluating",
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
    "aevaluate",
    "compare",
    "connect",
    "create_async_code_llm_as_judge",
    "create_async_contains_evaluator",
    "create_async_embedding_similarity_evaluator",
    "create_async_execution_evaluator",
    "create_async_json_equality_evaluator",
    "create_async_json_match_evaluator",
    "create_async_json_schema_evaluator",
    "create_async_llm_as_judge",
    "create_async_llm_simulated_user",
    "create_async_mypy_evaluator",
    "create_async_ngram_evaluator",
    "create_async_pyright_evaluator",
    "create_async_regex_evaluator",
    "create_async_retrieval_evaluator",
    "create_async_string_distance_evaluator",
    "create_async_trajectory_llm_as_judge",
    "create_async_trajectory_match_evaluator",
    "create_code_llm_as_judge",
    "create_contains_evaluator",
    "create_embedding_similarity_evaluator",
    "create_execution_evaluator",
    "create_json_equality_evaluator",
    "create_json_match_evaluator",
    "create_json_schema_evaluator",
    "create_llm_as_judge",
    "create_llm_simulated_user",
    "create_mypy_evaluator",
    "create_ngram_evaluator",
    "create_pyright_evaluator",
    "create_regex_evaluator",
    "create_retrieval_evaluator",
    "create_string_distance_evaluator",
    "create_trajectory_llm_as_judge",
    "create_trajectory_match_evaluator",
    "evaluate",
    "evaluator",
    "exact_match",
    "exact_match_async",
    "extract_code",
    "json_equality",
    "json_equality_async",
    "json_validity",
    "json_validity_async",
    "levenshtein_distance",
    "levenshtein_distance_async",
    "load",
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
