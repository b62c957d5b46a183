"""Type checkers give a verdict or an error: a checker that failed is never taken for code that passed."""

from __future__ import annotations

import json
import locale
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from judgekit.errors import ConfigError, DeadlineError, JudgeError, MissingDependencyError
from judgekit.evaluators.code_check import Finding
from judgekit.evaluators.code_types import Mypy, Pyright

WRONG = "x: int = 'é'  # type: ignore\n"

Install = Callable[[str, str], None]


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Install:
    """Put a shell script on the path as the only checker of that name, whatever is installed."""
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "bin" / "python"))
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")

    def put(name: str, script: str) -> None:
        path = tmp_path / name
        path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        path.chmod(0o755)

    return put


def test_w4_mypy_reads_the_code_and_obeys_no_suppression_in_it() -> None:
    finding = Mypy()(WRONG + "reveal_type(x)\n")
    assert finding.passed is False
    assert finding.comment is not None
    lines = finding.comment.splitlines()
    assert lines[0].startswith("outputs.py:1: error: Incompatible types in assignment")
    assert lines[1].startswith("outputs.py:2: note: Revealed type")
    assert tempfile.gettempdir() not in finding.comment
    assert finding.metadata == {"suppressions_ignored": 1}


def test_w4_a_note_of_mypy_is_no_error_and_w29_no_locale_matters(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("LC_ALL", "LANG", "PYTHONIOENCODING"):
        monkeypatch.setenv(name, "C" if name != "PYTHONIOENCODING" else "ascii")
    monkeypatch.setattr(locale, "getpreferredencoding", lambda *_: "ascii")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert Mypy()("ключ: str = '東京\udc80'\nreveal_type(ключ)\n") == Finding(True)
    assert list(tmp_path.iterdir()) == []


def test_code_that_cannot_be_parsed_has_failed() -> None:
    finding = Mypy()("Sure! Here is the code: def f(a): return a")
    assert finding.passed is False
    assert "[syntax]" in str(finding.comment)


def test_w4_arguments_that_mypy_rejects_are_no_pass() -> None:
    with pytest.raises(ConfigError, match=r"mypy_cli_args.*--no-such-flag"):
        Mypy(("--no-such-flag",))("x: int = 'a'")


def test_judged_code_is_not_executed(tmp_path: Path) -> None:
    mark = tmp_path / "executed"
    assert Mypy(("--no-incremental",))(f"open({str(mark)!r}, 'w').close()\n").passed
    assert not mark.exists()


@pytest.mark.parametrize(
    "script",
    [
        "exit 1",
        "exit 2",
        "echo outputs.py:1: error: x; exit 3",
        "kill -9 $$",
        "echo 'outputs.py:1: error: INTERNAL ERROR -- report it' >&2; exit 2",
        "echo 'other.pyi:1: error: x'; exit 1",
    ],
)
def test_w4_a_crashed_mypy_is_an_error(install: Install, script: str) -> None:
    install("mypy", script)
    with pytest.raises(JudgeError, match="mypy ended with status") as caught:
        Mypy()("x = 1")
    assert tempfile.gettempdir() not in str(caught.value)


@pytest.mark.parametrize(("check", "name"), [(Mypy, "mypy"), (Pyright, "pyright")])
def test_w29_a_missing_checker_says_how_to_install_it(
    install: Install, check: Any, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(MissingDependencyError, match=f"pip install {name}$"):
        check()("x = 1")


@pytest.mark.parametrize(("check", "name"), [(Mypy, "mypy"), (Pyright, "pyright")])
def test_w29_a_checker_that_does_not_end_is_an_error(install: Install, check: Any, name: str) -> None:
    install(name, "sleep 60 & sleep 60")
    with pytest.raises(DeadlineError, match=f"{name} did not end within 0.2 s"):
        check(timeout=0.2)("x = 1")


def test_a_checker_that_cannot_be_started_is_an_error(install: Install, tmp_path: Path) -> None:
    install("pyright", "")
    (tmp_path / "pyright").write_bytes(b"\x00nothing to execute")
    with pytest.raises(JudgeError, match="pyright could not be started"):
        Pyright()("x = 1")


def test_long_reports_are_cut(install: Install) -> None:
    install("mypy", "for i in $(seq 50); do echo outputs.py:$i: error: x; done; exit 1")
    comment = Mypy()("x = 1").comment or ""
    assert comment.endswith("outputs.py:30: error: x\n... and 20 lines more")


def report(*diagnostics: dict[str, Any], files: int = 1) -> str:
    """What pyright 1.1 prints with --outputjson."""
    return json.dumps(
        {
            "version": "1.1.400",
            "time": "1700000000000",
            "generalDiagnostics": list(diagnostics),
            "summary": {"filesAnalyzed": files, "errorCount": len(diagnostics), "timeInSec": 0.4},
        }
    )


def diagnostic(message: str, rule: str | None, severity: str = "error") -> dict[str, Any]:
    place = {"start": {"line": 2, "character": 4}, "end": {"line": 2, "character": 9}}
    found = {"file": "/somewhere/outputs.py", "severity": severity, "message": message, "range": place}
    return found if rule is None else {**found, "rule": rule}


ERROR = diagnostic('"FastAPIde" is unknown', "reportAttributeAccessIssue")
SYNTAX = diagnostic("Expected expression", None)
IMPORT = diagnostic('Import "fastapi" could not be resolved', "reportMissingImports")
WARNING = diagnostic("x", "reportUnused", "warning")


@pytest.mark.parametrize(
    ("diagnostics", "status", "comment"),
    [
        ((), 0, None),
        ((WARNING,), 0, None),
        ((WARNING,), 1, None),
        ((IMPORT,), 1, None),
        ((IMPORT, ERROR), 1, 'outputs.py:3: error: "FastAPIde" is unknown [reportAttributeAccessIssue]'),
        ((SYNTAX,), 1, "outputs.py:3: error: Expected expression"),
    ],
)
def test_pyrights_report_is_the_verdict(
    install: Install, diagnostics: tuple[dict[str, Any], ...], status: int, comment: str | None
) -> None:
    install("pyright", f"cat <<'END'\n{report(*diagnostics)}\nEND\nexit {status}")
    assert Pyright()("x = 1") == Finding(comment is None, comment)


def test_pyright_is_called_with_the_file_alone(install: Install, tmp_path: Path) -> None:
    install(
        "pyright",
        f'echo "$@" > {tmp_path}/said; cp outputs.py {tmp_path}/seen; ls -A > {tmp_path}/files; exit 2',
    )
    with pytest.raises(JudgeError):
        Pyright(("--pythonversion", "3.12"))("x = 1  # pyright: ignore\n")
    said = (tmp_path / "said").read_text()
    assert said.startswith("--outputjson --level error --pythonpath ")
    assert said.endswith("--pythonversion 3.12 outputs.py\n")
    assert (tmp_path / "seen").read_text() == "x = 1  #\n"
    assert (tmp_path / "files").read_text() == "outputs.py\n"


@pytest.mark.parametrize(
    ("output", "status"),
    [
        ("", 0),
        ("", 1),
        ("Traceback: no network", 1),
        ("[]", 0),
        (report(files=0), 0),
        (report(), 1),
        (report(ERROR), 0),
        (report(), 2),
    ],
)
def test_a_pyright_that_says_nothing_sound_is_an_error(install: Install, output: str, status: int) -> None:
    install("pyright", f"cat <<'END'\n{output}\nEND\nexit {status}")
    with pytest.raises(JudgeError, match=f"pyright ended with status {status}"):
        Pyright()("x = 1")


@pytest.mark.parametrize("status", [3, 4])
def test_arguments_that_pyright_rejects_are_an_error(install: Install, status: int) -> None:
    install("pyright", f"echo 'unknown option' >&2; exit {status}")
    with pytest.raises(ConfigError, match=r"pyright_cli_args.*unknown option"):
        Pyright(("--nonsense",))("x = 1")


def test_the_real_pyright_agrees() -> None:
    try:
        Pyright().command()
    except MissingDependencyError:
        pytest.skip("pyright is not installed")
    assert Pyright()("x: int = 1\n").passed is True
    assert Pyright()(WRONG).passed is False
