"""Every public name of `langchain_classic.evaluation` is here, with the parameters that its users pass."""

from __future__ import annotations

import inspect
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from judgekit import langchain
from judgekit.langchain import Criteria, EmbeddingDistance, EvaluatorType, StringDistance
from tests.langchain.classic import classic

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "langchain.md"


@pytest.mark.parametrize("name", sorted(classic.__all__))
def test_a_public_name_is_here(name: str) -> None:
    assert name in langchain.__all__
    assert getattr(langchain, name).__name__ == name


@pytest.mark.parametrize("name", sorted(classic.__all__))
def test_the_page_says_what_to_write_for_a_public_name(name: str) -> None:
    assert f"`{name}`" in PAGE.read_text(encoding="utf-8")


@pytest.mark.parametrize("ours", [EvaluatorType, Criteria, StringDistance, EmbeddingDistance])
def test_an_enum_has_the_same_members(ours: Any) -> None:
    theirs = getattr(classic, ours.__name__)
    assert {each.name: each.value for each in ours} == {each.name: each.value for each in theirs}


MAKERS = sorted(name for name in classic.__all__ if hasattr(getattr(classic, name), "from_llm"))


@pytest.mark.parametrize("name", MAKERS)
def test_from_llm_takes_what_it_took(name: str) -> None:
    theirs = inspect.signature(getattr(classic, name).from_llm).parameters
    ours = inspect.signature(getattr(langchain, name).from_llm).parameters
    assert [each for each in theirs if each not in ours] == []


METHODS = ("evaluate_strings", "evaluate_string_pairs", "evaluate_agent_trajectory", "evaluate")


@pytest.mark.parametrize("name", sorted(classic.__all__))
@pytest.mark.parametrize("method", [*METHODS, *(f"a{method}" for method in METHODS)])
def test_a_method_takes_what_it_took(name: str, method: str) -> None:
    theirs = getattr(getattr(classic, name), method, None)
    ours = getattr(getattr(langchain, name), method, None)
    assert (theirs is None) == (ours is None)
    if theirs is not None and ours is not None:
        assert list(inspect.signature(ours).parameters) == list(inspect.signature(theirs).parameters)
        assert inspect.iscoroutinefunction(ours) == inspect.iscoroutinefunction(theirs)


def test_the_principles_have_the_same_names_and_words_of_their_own() -> None:
    from langchain_classic.chains.constitutional_ai.principles import PRINCIPLES as THEIRS

    assert set(langchain.PRINCIPLES) == set(THEIRS)
    assert len(langchain.PRINCIPLES) == 54
    for name, principle in langchain.PRINCIPLES.items():
        assert principle.name == THEIRS[name].name
        assert principle.critique_request != THEIRS[name].critique_request
        assert "? Y " in principle.critique_request  # a question, and which answer is Y


def test_the_package_loads_no_langchain() -> None:
    program = (
        "import sys; from judgekit.langchain import load_evaluator; "
        "load_evaluator('exact_match'); print([n for n in sys.modules if n.startswith('langchain')])"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        cwd=ROOT, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout.strip()) == (0, "[]"), done.stderr


def test_type_checkers_are_told_the_same_as_the_interpreter() -> None:
    source = Path(str(langchain.__file__)).read_text(encoding="utf-8")
    table: dict[str, str] = vars(langchain)["_LAZY"]
    assert set(table) == set(langchain.__all__)
    assert dir(langchain) == sorted(langchain.__all__)
    for name, module in table.items():
        assert f"from {module} import {name} as {name}" in source or f"    {name} as {name}," in source
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = langchain.no_such_name
