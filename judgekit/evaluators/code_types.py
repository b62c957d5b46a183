"""Type checkers on judged code: mypy and pyright, run beside it. The code is read by them and never executed.

A verdict is taken from the exit status and has to agree with the report; a checker that crashes, is misused or does not
end in time has given none, and that is an error.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from judgekit.core.characters import shortened
from judgekit.errors import ConfigError, DeadlineError, JudgeError, MissingDependencyError
from judgekit.evaluators.code_check import Finding
from judgekit.evaluators.code_process import Execution, execute
from judgekit.evaluators.code_suppressions import without_suppressions

__all__ = ["MYPY_ARGUMENTS", "Mypy", "Pyright"]

MYPY_ARGUMENTS = (
    "--no-incremental",
    "--disallow-untyped-calls",
    "--disallow-incomplete-defs",
    "--ignore-missing-imports",
)
"""OpenEvals' own; the user's replace them."""

_FILE = "outputs.py"
_MOST_LINES = 30


@dataclass(frozen=True)
class Mypy:
    """mypy on one file.

    Attributes:
        arguments: of its command line.
        timeout: seconds for one run.
    """

    arguments: tuple[str, ...] = MYPY_ARGUMENTS
    timeout: float = 120.0

    def command(self) -> list[str]:
        """How it is started: the one installed beside judgekit, or else the one on the path.

        Raises:
            MissingDependencyError: it is not installed.
        """
        if importlib.util.find_spec("mypy") is not None:
            return [sys.executable, "-P", "-m", "mypy"]
        found = shutil.which("mypy")
        if found is None:
            raise MissingDependencyError("mypy is not installed, or not on the path: pip install mypy")
        return [found]

    def __call__(self, code: str) -> Finding:
        """Check some code.

        Raises:
            ConfigError: mypy rejects its arguments.
            DeadlineError: it did not end in time.
            JudgeError: it crashed, or said nothing that explains its exit status.
        """
        fixed = ["--config-file=", "--no-color-output", "--no-error-summary", "--hide-error-context"]
        ran, removed = _checked(code, [*self.command(), *fixed, *self.arguments], "mypy", self.timeout)
        lines = [line for line in ran.stdout.splitlines() if line.strip()]
        if "INTERNAL ERROR" in ran.stdout + ran.stderr:
            raise _crash("mypy", ran)
        if ran.exit_code == 0:
            return Finding(True, None, removed)
        if ran.exit_code in (1, 2) and _FILE in ran.stdout:  # 2 says that the code cannot even be parsed
            return Finding(False, _listed(lines), removed)
        if ran.exit_code == 2 and "usage:" in ran.stderr:
            raise ConfigError(f"mypy rejects its arguments, change `mypy_cli_args`: {_last_words(ran)}")
        raise _crash("mypy", ran)


@dataclass(frozen=True)
class Pyright:
    """pyright on one file.

    Attributes:
        arguments: of its command line.
        timeout: seconds for one run; the first run of the PyPI package downloads Node.js.
    """

    arguments: tuple[str, ...] = ()
    timeout: float = 120.0

    def command(self) -> list[str]:
        """How it is started: the one installed beside judgekit, or else the one on the path.

        Raises:
            MissingDependencyError: it is not installed.
        """
        found = shutil.which(
            "pyright", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
        )
        if found is None:
            raise MissingDependencyError("pyright is not installed, or not on the path: pip install pyright")
        return [found]

    def __call__(self, code: str) -> Finding:
        """Check some code. Imports that cannot be resolved do not count: the judged code's packages need not be here.

        Raises:
            ConfigError, DeadlineError, JudgeError: as for mypy.
        """
        fixed = ["--outputjson", "--level", "error", "--pythonpath", sys.executable]
        ran, removed = _checked(code, [*self.command(), *fixed, *self.arguments], "pyright", self.timeout)
        if ran.exit_code in (3, 4):
            raise ConfigError(f"pyright rejects its arguments, change `pyright_cli_args`: {_last_words(ran)}")
        found = _pyright_report(ran)
        errors = [each for each in found or () if each.get("severity") == "error"]
        if found is None or (ran.exit_code == 0 and errors) or (ran.exit_code == 1 and not found):
            raise _crash("pyright", ran)
        counted = [error for error in errors if error.get("rule") != "reportMissingImports"]
        return Finding(not counted, _listed([_pyright_line(error) for error in counted]) or None, removed)


def _checked(
    code: str, command: Sequence[str], tool: str, timeout: float
) -> tuple[Execution, dict[str, Any] | None]:
    """Run a checker on the code, in a directory that holds nothing else; with it, facts for the result's metadata."""
    cleaned, removed = without_suppressions(code)
    with tempfile.TemporaryDirectory(prefix="judgekit-") as folder:
        where = Path(folder).resolve()
        (where / _FILE).write_bytes(cleaned.encode("utf-8", "backslashreplace"))
        environment = {**os.environ, "PYTHONUTF8": "1", "PYTHONIOENCODING": "utf-8"}
        try:
            ran = execute([*command, _FILE], where=where, timeout=timeout, env=environment)
        except OSError as error:
            raise JudgeError(f"{tool} could not be started: {error.strerror}") from error
    if ran.timed_out:
        raise DeadlineError(f"{tool} did not end within {timeout:g} s: raise `timeout`.")
    return ran, {"suppressions_ignored": removed} if removed else None


def _listed(lines: Sequence[str]) -> str:
    more = len(lines) - _MOST_LINES
    return "\n".join([*lines[:_MOST_LINES], *([f"... and {more} lines more"] if more > 0 else [])])


def _pyright_report(ran: Execution) -> list[dict[str, Any]] | None:
    """What pyright found, or None when there is no report on exactly one file."""
    if ran.exit_code not in (0, 1):
        return None
    try:
        report = json.loads(ran.stdout)
        found = list(report["generalDiagnostics"])
        return found if report["summary"]["filesAnalyzed"] == 1 else None
    except (ValueError, KeyError, TypeError):
        return None


def _pyright_line(error: Mapping[str, Any]) -> str:
    line = error.get("range", {}).get("start", {}).get("line")
    place = _FILE if line is None else f"{_FILE}:{line + 1}"
    rule = f" [{error['rule']}]" if error.get("rule") else ""
    return f"{place}: error: {error.get('message')}{rule}"


def _crash(tool: str, ran: Execution) -> JudgeError:
    return JudgeError(
        f"{tool} ended with status {ran.exit_code} and no report that explains it, so there is no verdict: "
        f"{_last_words(ran)}",
        raw=ran.stdout or None,
    )


def _last_words(ran: Execution) -> str:
    return shortened(ran.stderr.strip()[-600:] or ran.stdout.strip()[-600:] or "it said nothing", 600)
