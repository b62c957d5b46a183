"""docs/openevals.md lists every public name of OpenEvals, and what it says judgekit has is there."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

import pytest

PAGE = Path(__file__).resolve().parent.parent / "docs" / "openevals.md"

PUBLIC: dict[str, str] = {
    "openevals": """
        create_async_llm_as_judge create_async_trajectory_llm_as_judge create_async_trajectory_match_evaluator
        create_llm_as_judge create_trajectory_llm_as_judge create_trajectory_match_evaluator exact_match
        exact_match_async
    """,
    "openevals.code.e2b.execution": "create_async_e2b_execution_evaluator create_e2b_execution_evaluator",
    "openevals.code.e2b.pyright": "create_async_e2b_pyright_evaluator create_e2b_pyright_evaluator",
    "openevals.code.llm": "create_async_code_llm_as_judge create_code_llm_as_judge",
    "openevals.code.mypy": "create_async_mypy_evaluator create_mypy_evaluator",
    "openevals.code.pyright": "create_async_pyright_evaluator create_pyright_evaluator",
    "openevals.exact": "exact_match exact_match_async",
    "openevals.json": "SYSTEM_PROMPT USER_PROMPT create_async_json_match_evaluator create_json_match_evaluator",
    "openevals.llm": "create_async_llm_as_judge create_llm_as_judge",
    "openevals.prompts": """
        AGENT_TONE_PROMPT ANSWER_RELEVANCE_PROMPT AUDIO_QUALITY_PROMPT CODE_CORRECTNESS_PROMPT
        CODE_CORRECTNESS_PROMPT_WITH_REFERENCE_OUTPUTS CODE_INJECTION_PROMPT CONCISENESS_PROMPT CORRECTNESS_PROMPT
        EXPLICIT_CONTENT_PROMPT FAIRNESS_PROMPT HALLUCINATION_PROMPT KNOWLEDGE_RETENTION_PROMPT
        LANGUAGE_DETECTION_PROMPT LAZINESS_PROMPT PERCEIVED_ERROR_PROMPT PII_LEAKAGE_PROMPT PLAN_ADHERENCE_PROMPT
        PROMPT_INJECTION_PROMPT RAG_GROUNDEDNESS_PROMPT RAG_HELPFULNESS_PROMPT RAG_RETRIEVAL_RELEVANCE_PROMPT
        SENSITIVE_IMAGERY_PROMPT SUPPORT_INTENT_PROMPT TASK_COMPLETION_PROMPT TOOL_SELECTION_PROMPT TOXICITY_PROMPT
        TRAJECTORY_ACCURACY_PROMPT TRAJECTORY_ACCURACY_PROMPT_WITH_REFERENCE TRANSCRIPTION_ACCURACY_PROMPT
        USER_INTERRUPTS_PROMPT USER_SATISFACTION_PROMPT VOCAL_AFFECT_PROMPT WINS_PROMPT
    """,
    "openevals.simulators": """
        MultiturnSimulationResult create_async_llm_simulated_user create_llm_simulated_user run_multiturn_simulation
        run_multiturn_simulation_async
    """,
    "openevals.string": """
        create_async_embedding_similarity_evaluator create_embedding_similarity_evaluator levenshtein_distance
        levenshtein_distance_async
    """,
    "openevals.trajectory": """
        create_async_trajectory_llm_as_judge create_async_trajectory_match_evaluator create_trajectory_llm_as_judge
        create_trajectory_match_evaluator
    """,
    "openevals.trajectory.strict": "trajectory_strict_match trajectory_strict_match_async",
    "openevals.trajectory.subset": "trajectory_subset trajectory_subset_async",
    "openevals.trajectory.superset": "trajectory_superset trajectory_superset_async",
    "openevals.trajectory.unordered": "trajectory_unordered_match trajectory_unordered_match_async",
    "openevals.types": """
        ChatCompletion ChatCompletionMessage ChatCompletionsClient EvaluatorResult FewShotExample Messages ModelClient
        MultiturnSimulationResult RunnableLike ScoreType SimpleAsyncEvaluator SimpleEvaluator ToolArgsMatchMode
        ToolArgsMatchOverrides
    """,
}
"""OpenEvals 0.2.2: module -> the names that users import from it."""


class Entry(NamedTuple):
    """One name: OpenEvals' module, judgekit's module, the name."""

    theirs: str
    ours: str
    name: str


def rows(columns: int) -> list[list[list[str]]]:
    """The tables with so many columns: row, column, the words in backquotes."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    cells = [line.strip("|").split("|") for line in lines if line.startswith("| `")]
    return [[re.findall(r"`([^`]+)`", cell) for cell in row] for row in cells if len(row) == columns]


ENTRIES = [Entry(theirs[0], ours[0], name) for theirs, ours, names in rows(3) for name in names]
REPLACED = {theirs[0]: instead for theirs, instead in rows(2)}
PATHS = sorted({word for words in REPLACED.values() for word in words if re.fullmatch(r"\w+(\.\w+)+", word)})


def test_every_public_name_of_openevals_is_on_the_page() -> None:
    public = {f"{module}.{name}" for module, names in PUBLIC.items() for name in names.split()}
    listed = [f"{entry.theirs}.{entry.name}" for entry in ENTRIES] + list(REPLACED)
    assert set(listed) == public
    assert len(listed) == len(set(listed)), "listed twice"


@pytest.mark.parametrize("ours", sorted({entry.ours for entry in ENTRIES}))
def test_judgekit_has_the_names_where_the_page_says(ours: str) -> None:
    module = import_module(ours)
    missing = [entry.name for entry in ENTRIES if entry.ours == ours and not hasattr(module, entry.name)]
    assert missing == []


@pytest.mark.parametrize("path", PATHS)
def test_what_is_named_instead_is_there(path: str) -> None:
    module, _, name = path.rpartition(".")
    assert hasattr(import_module(module), name)


@pytest.mark.parametrize("theirs", sorted(REPLACED))
def test_what_is_said_to_be_missing_is_missing(theirs: str) -> None:
    name = theirs.rpartition(".")[2]
    assert not any(hasattr(import_module(module), name) for module in ("judgekit", "judgekit.types"))
