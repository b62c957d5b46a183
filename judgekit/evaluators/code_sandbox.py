"""Where judged code may run: the protocol that a sandbox follows, and the check that runs code in one."""

from __future__ import annotations

import signal
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any, Protocol

from judgekit.errors import ConfigError
from judgekit.evaluators.code_check import Finding
from judgekit.evaluators.code_process import Execution

__all__ = ["CODE_FILE", "Run", "Sandbox", "finding_of", "safe_names"]

CODE_FILE = "outputs.py"
_MOST_TEXT = 2_000


class Sandbox(Protocol):
    """A place in which a program can do no harm."""

    def run(
        self,
        files: Mapping[str, str | bytes],
        command: Sequence[str],
        *,
        timeout: float,
        env: Mapping[str, str] | None = None,
    ) -> Execution | Awaitable[Execution]:
        """Run a command in a new directory that holds the files and nothing else.

        Args:
            files: relative path -> content; text is written as UTF-8.
            command: the program and its arguments; no shell reads them.
            timeout: seconds, after which the program is stopped.
            env: its environment variables; nothing of the caller's own environment is added.

        Returns:
            How it ended. An async sandbox returns an awaitable, for async evaluators.
        """
        ...


@dataclass(frozen=True)
class Run:
    """Run judged code in a sandbox: `command` is called with the name of the file that holds it."""

    sandbox: Sandbox
    command: tuple[str, ...] = ("python",)
    timeout: float = 30.0
    env: Mapping[str, str] = field(default_factory=dict, repr=False)

    def __call__(self, code: str) -> Execution | Awaitable[Execution]:
        return self.sandbox.run(
            {CODE_FILE: code}, [*self.command, CODE_FILE], timeout=self.timeout, env=self.env
        )


def finding_of(execution: Execution) -> Finding:
    """The code passed when its program ended by itself with status 0."""
    metadata: dict[str, Any] = {
        "exit_code": execution.exit_code,
        "timed_out": execution.timed_out,
        "network_cut": execution.network_cut,
        "stdout": execution.stdout[:_MOST_TEXT],
    }
    passed = execution.exit_code == 0 and not execution.timed_out
    return Finding(passed, None if passed else _why(execution), metadata)


def _why(execution: Execution) -> str:
    if execution.timed_out:
        ending = "It did not end within its time limit."
    elif execution.exit_code is not None and execution.exit_code < 0:
        ending = f"It was ended by {_signal(-execution.exit_code)}."
    else:
        ending = f"It ended with status {execution.exit_code}."
    return "\n".join([ending, execution.stderr.strip()[-_MOST_TEXT:]]).strip()


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def safe_names(files: Mapping[str, str | bytes]) -> None:
    """Refuse files that would be written outside their directory.

    Raises:
        ConfigError: a name is absolute, or leads upward.
    """
    for name in files:
        path = PurePosixPath(name)
        if not name or path.is_absolute() or ".." in path.parts:
            raise ConfigError(f"{name!r} is no relative path inside the sandbox.")
