"""A sandbox on this machine: limits for code that is clumsy, and no wall against code that is malicious."""

from __future__ import annotations

import json
import math
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from pathlib import Path

from judgekit.errors import ConfigError, JudgeError
from judgekit.evaluators.code_process import Execution, execute
from judgekit.evaluators.code_sandbox import safe_names

__all__ = ["LocalSandbox"]

_LAUNCHER = Path(__file__).with_name("code_launcher.py")


@dataclass(frozen=True)
class LocalSandbox:
    """Runs programs as processes of this machine, when `allow=True` says that they may.

    A program gets a temporary directory, an empty environment, no input, limits on processor time, memory, file size and
    the number of processes, and its whole session is killed at the end. On Linux it runs without a network where the
    system permits that; `Execution.network_cut` tells. It runs as the same user, so it can read what that user can read:
    for code that nobody trusts, take a container, a virtual machine or `E2BSandbox`. Root is not held by the limit on
    processes.

    Attributes:
        allow: must be True.
        memory: bytes of address space for each process.
        file_size: bytes of each file that it writes, and of its output.
        processes: how many processes and threads it may have.

    Raises:
        ConfigError: `allow` is not True, or the system has no POSIX processes.
    """

    _: KW_ONLY
    allow: bool = False
    memory: int = 2**30
    file_size: int = 16 * 2**20
    processes: int = 64

    def __post_init__(self) -> None:
        if self.allow is not True:
            raise ConfigError(
                "LocalSandbox runs judged code on this machine, as this user: pass allow=True if that is acceptable, or "
                "use E2BSandbox."
            )
        if os.name != "posix":
            raise ConfigError("LocalSandbox needs a POSIX system; use E2BSandbox here.")

    def run(
        self,
        files: Mapping[str, str | bytes],
        command: Sequence[str],
        *,
        timeout: float,
        env: Mapping[str, str] | None = None,
    ) -> Execution:
        """Run a command; see `Sandbox.run`. `python` means the interpreter that runs judgekit.

        Raises:
            ConfigError: a file's name leads out of the directory, or the program cannot be started.
            JudgeError: the sandbox itself failed.
        """
        safe_names(files)
        with tempfile.TemporaryDirectory(prefix="judgekit-", ignore_cleanup_errors=True) as folder:
            where = Path(folder).resolve()
            _write(files, where)
            ran, report = self._launched(
                _resolved(command), where, timeout, {**_environment(where), **(env or {})}
            )
        if not report:
            if ran.timed_out:
                return ran
            raise JudgeError(f"The sandbox could not be set up: {ran.stderr.strip()[-600:] or ran.exit_code}")
        if report[1:]:
            raise ConfigError(f"The program cannot be started: {report[1:]}.")
        return replace(ran, network_cut=report == "1")

    def _launched(
        self, command: Sequence[str], where: Path, timeout: float, env: Mapping[str, str]
    ) -> tuple[Execution, str]:
        """The execution, and what the launcher reported."""
        reading, writing = os.pipe()
        limits = {
            "cpu": math.ceil(timeout) + 1,
            "file": self.file_size,
            "memory": self.memory,
            "processes": self.processes,
        }
        settings = json.dumps({"report": writing, "limits": limits})
        with os.fdopen(reading, encoding="utf-8") as pipe:
            try:
                ran = execute(
                    [sys.executable, "-I", "-S", str(_LAUNCHER), settings, *command],
                    where=where,
                    timeout=timeout,
                    env=env,
                    pass_fds=(writing,),
                )
            finally:
                os.close(writing)
            return ran, pipe.read()


def _environment(where: Path) -> dict[str, str]:
    return {
        "HOME": str(where),
        "LANG": "C.UTF-8",
        "PATH": os.defpath,
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONUTF8": "1",
        "TMPDIR": str(where),
    }


def _resolved(command: Sequence[str]) -> list[str]:
    program, *arguments = command
    return [sys.executable if program in ("python", "python3") else program, *arguments]


def _write(files: Mapping[str, str | bytes], where: Path) -> None:
    for name, content in files.items():
        path = where / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(
            content if isinstance(content, bytes) else content.encode("utf-8", "backslashreplace")
        )
