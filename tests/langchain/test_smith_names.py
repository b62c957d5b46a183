"""LangChain's own example after the change of imports, and what its names are here."""

from __future__ import annotations

import ast
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from judgekit.langchain import smith as ours
from tests.langchain.classic import classic

if TYPE_CHECKING:
    from tests.support.provider import Provider

assert classic
ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "langchain.md").read_text(encoding="utf-8")
theirs: Any = pytest.importorskip("langchain_classic.smith")

MODULES = ("config", "name_generation", "progress", "runner_utils", "string_run_evaluator")
"""Where `langchain_classic.smith.evaluation` defines what users import."""


def public_names() -> Iterator[str]:
    """The public names that its modules define, read from their source."""
    from langchain_classic.smith import evaluation

    folder = Path(str(evaluation.__file__)).parent
    yield from evaluation.__all__
    for module in MODULES:
        for node in ast.parse((folder / f"{module}.py").read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                yield node.name
            elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                yield node.targets[0].id


NAMES = sorted(
    {name for name in public_names() if not name.startswith("_")} - {"logger", "adjectives", "nouns"}
)


@pytest.mark.parametrize("name", NAMES)
def test_the_page_says_what_to_write_for_a_name(name: str) -> None:
    assert f"`{name}`" in PAGE


@pytest.mark.parametrize(
    "name", sorted({*theirs.__all__, "EvalConfig", "SingleKeyEvalConfig", "InputFormatError", "TestResult"})
)
def test_a_name_is_here(name: str) -> None:
    assert name in ours.__all__
    assert getattr(ours, name).__name__ == name


def test_the_names_are_loaded_without_langchain() -> None:
    program = (
        "import sys; import judgekit.langchain.smith; "
        "print([name for name in sys.modules if name.partition('.')[0] in ('langchain_core', 'langsmith', 'pandas', 'numpy')])"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        cwd=ROOT, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout.strip()) == (0, "[]"), done.stderr


class Client:
    """A dataset without an account."""

    def read_dataset(self, *, dataset_name: str) -> Any:
        assert dataset_name == "<my_dataset_name>"
        return SimpleNamespace(id="7")

    def list_examples(self, *, dataset_id: str) -> Any:
        assert dataset_id == "7"
        for name, answer in (("What is 1+1?", "2"), ("What is 2+2?", "4")):
            yield SimpleNamespace(id=name, inputs={"text": name}, reference_outputs={"answer": answer})


def test_langchain_s_example_runs_after_the_change_of_imports(
    provider: Provider, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "test")
    monkeypatch.setenv("OPENAI_BASE_URL", f"{provider.url}/v1")
    monkeypatch.chdir(tmp_path)
    warnings.simplefilter("ignore", DeprecationWarning)  # LLMChain's

    from langchain_classic.chains import LLMChain
    from langchain_openai import ChatOpenAI

    from judgekit.langchain import StringEvaluator
    from judgekit.langchain.smith import RunEvalConfig, run_on_dataset

    def construct_chain() -> Any:
        model = ChatOpenAI(temperature=0)
        return LLMChain.from_string(model, "What's the answer to {your_input_key}")

    evaluation_config = RunEvalConfig(
        evaluators=[
            "qa",
            "embedding_distance",
            RunEvalConfig.Criteria("helpfulness"),
            RunEvalConfig.Criteria(
                {
                    "fifth-grader-score": "Do you have to be smarter than a fifth grader to answer this question?"
                }
            ),
        ]
    )
    client = Client()
    result = run_on_dataset(client, "<my_dataset_name>", construct_chain, evaluation=evaluation_config)

    assert list(result["results"]) == ["What is 1+1?", "What is 2+2?"]
    for row in result["results"].values():
        assert list(row["output"]) == ["text"]
        scores = {each.key: each.score for each in row["feedback"] if each.error is None}
        assert list(scores) == [
            "correctness",
            "embedding_cosine_distance",
            "helpfulness",
            "fifth-grader-score",
        ]

    class MyStringEvaluator(StringEvaluator):
        @property
        def requires_input(self) -> bool:
            return False

        @property
        def requires_reference(self) -> bool:
            return True

        @property
        def evaluation_name(self) -> str:
            return "exact_match"

        def _evaluate_strings(
            self,
            prediction: Any,
            reference: Any = None,
            input: Any = None,  # noqa: A002  # LangChain's name
            **kwargs: Any,
        ) -> dict[str, Any]:
            return {"score": prediction == reference}

    evaluation_config = RunEvalConfig(custom_evaluators=[MyStringEvaluator()])
    provider.reply("2")
    provider.reply("2")
    result = run_on_dataset(client, "<my_dataset_name>", construct_chain, evaluation=evaluation_config)
    assert [row["feedback"][0].score for row in result["results"].values()] == [True, False]
