"""The plugin that runs OpenEvals' suite, on a small suite written in its manner."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.compat.openevals import resolve

ROOT = Path(__file__).resolve().parent.parent.parent

SUITE = """
import pytest

from openevals.llm import create_async_llm_as_judge, create_llm_as_judge
from openevals.prompts.quality.conciseness import CONCISENESS_PROMPT
from openevals.types import EvaluatorResult


def test_a_judge_that_must_say_true():
    judge = create_llm_as_judge(prompt=CONCISENESS_PROMPT, model="openai:gpt-judge")
    assert judge(inputs="2 + 2?", outputs="4")["score"] is True


def test_a_judge_that_must_say_false():
    judge = create_llm_as_judge(prompt="Is {outputs} long?", model="openai:gpt-judge")
    assert judge(outputs="4")["score"] is False


@pytest.mark.asyncio
@pytest.mark.parametrize("outputs", ["4"])
async def test_a_coroutine(outputs):
    judge = create_async_llm_as_judge(prompt="Is {outputs} short?", model="anthropic:claude-judge")
    assert (await judge(outputs=outputs))["key"] == "score"


@pytest.mark.asyncio
async def test_a_coroutine_that_fails():
    assert EvaluatorResult is None


def test_no_judge_says_both():
    judge = create_llm_as_judge(prompt="Is {outputs} long?", model="openai:gpt-judge")
    assert judge(outputs="4")["score"] is not judge(outputs="4")["score"]
"""

PATCHED = """
from unittest.mock import patch

from judgekit.models.scripted import scripted
from openevals.llm import _create_llm_as_judge_scorer


def test_a_scorer_takes_its_model_where_the_test_puts_it():
    scorer = _create_llm_as_judge_scorer(prompt="Grade {outputs}", model="openai:gpt-judge")
    with patch("openevals.llm.init_chat_model") as factory:
        factory.return_value = scripted('{"reasoning": "Short.", "score": true}')
        assert scorer(outputs="4")["comment"] == "Short."
    factory.assert_called_once_with(model="openai:gpt-judge")
"""

MISSING = "from openevals.llm import create_oracle\n"


def run(directory: Path) -> str:
    options = [
        "-p",
        "tests.compat.openevals",
        "-p",
        "no:cacheprovider",
        "-rA",
        "--continue-on-collection-errors",
    ]
    command = [sys.executable, "-m", "pytest", "--rootdir", str(directory), *options]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        command, cwd=directory, env=env, capture_output=True, text=True, timeout=300, check=False
    )
    return done.stdout + done.stderr


def test_a_suite_of_openevals_runs_on_judgekit(tmp_path: Path) -> None:
    for name, text in {"judges": SUITE, "missing": MISSING}.items():
        (tmp_path / f"test_{name}.py").write_text(text, encoding="utf-8")
    said = run(tmp_path)
    assert outcomes(said) == {
        "ERROR test_missing.py",
        "FAILED test_judges.py::test_a_coroutine_that_fails",
        "FAILED test_judges.py::test_no_judge_says_both",
        "PASSED test_judges.py::test_a_coroutine[4]",
        "PASSED test_judges.py::test_a_judge_that_must_say_false",
        "PASSED test_judges.py::test_a_judge_that_must_say_true",
    }, said
    assert "cannot import name 'create_oracle' from 'openevals.llm'" in said


def test_a_model_may_be_patched_in_where_openevals_has_it(tmp_path: Path) -> None:
    pytest.importorskip("langchain", reason="openevals.llm.init_chat_model is LangChain's")
    (tmp_path / "test_patched.py").write_text(PATCHED, encoding="utf-8")
    said = run(tmp_path)
    assert outcomes(said) == {
        "PASSED test_patched.py::test_a_scorer_takes_its_model_where_the_test_puts_it"
    }, said


def outcomes(said: str) -> set[str]:
    lines = (line.partition(" - ")[0] for line in said.splitlines())
    return {line for line in lines if line.startswith(("ERROR test", "FAILED ", "PASSED "))}


@pytest.mark.parametrize(
    "module", ["openevals.prompts", "openevals.prompts.rag.groundedness", "openevals.trajectory.llm"]
)
def test_prompts_come_from_the_library_wherever_openevals_has_them(module: str) -> None:
    from judgekit.prompts import TOXICITY_PROMPT

    assert resolve(module, "TOXICITY_PROMPT") is TOXICITY_PROMPT


def test_a_name_that_judgekit_does_not_have() -> None:
    with pytest.raises(AttributeError, match="create_oracle"):
        resolve("openevals.llm", "create_oracle")
