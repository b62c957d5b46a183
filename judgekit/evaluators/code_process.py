"""Run a program to its end or to a time limit, and leave nothing of it behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

__all__ = ["Execution", "execute"]

_MOST_OUTPUT = 10_000_000


@dataclass(frozen=True, slots=True)
class Execution:
    """How a program ended.

    Attributes:
        exit_code: its exit status; the negative number of the signal that ended it; None when the time limit did.
        stdout, stderr: what it wrote, decoded as UTF-8, at most 10 MB of each. The name of a directory made for it
            alone is taken out.
        timed_out: whether it was stopped at the time limit.
        network_cut: whether it ran without a network; None when that is not known.
    """

    exit_code: int | None
    stdout: str = ""
    stderr: str = ""
    timed_out: bool = False
    network_cut: bool | None = None


def execute(
    command: Sequence[str],
    *,
    where: Path,
    timeout: float,
    env: Mapping[str, str],
    pass_fds: Sequence[int] = (),
) -> Execution:
    """Run a command without a shell and without input, in a session of its own that is killed as a whole at the end.

    Args:
        command: the program and its arguments.
        where: its working directory, an absolute path.
        timeout: seconds; the session is killed after them.
        env: its whole environment.
        pass_fds: file descriptors that it inherits beside its output.

    Raises:
        OSError: the program could not be started.
    """
    with tempfile.TemporaryFile() as stdout, tempfile.TemporaryFile() as stderr:
        process = subprocess.Popen(  # noqa: S603  # no shell, and the caller says what is run
            list(command),
            cwd=where,
            env=dict(env),
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=stderr,
            start_new_session=True,
            pass_fds=tuple(pass_fds),
        )
        try:
            exit_code: int | None = process.wait(timeout)
        except subprocess.TimeoutExpired:
            exit_code = None
        finally:
            _kill(process)
        return Execution(exit_code, _text(stdout, where), _text(stderr, where), timed_out=exit_code is None)


def _kill(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError, PermissionError):
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _text(written: IO[bytes], where: Path) -> str:
    written.seek(0)
    text = written.read(_MOST_OUTPUT).decode("utf-8", "replace")
    return text.replace(f"{where}{os.sep}", "").replace(str(where), ".")
