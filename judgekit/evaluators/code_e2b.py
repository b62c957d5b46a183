"""A sandbox at E2B: a virtual machine of its own for code that nobody trusts."""

from __future__ import annotations

import importlib
import inspect
import shlex
import uuid
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from judgekit.core.flow import Flow, Job, doing
from judgekit.core.foreign import comes_from
from judgekit.errors import MissingDependencyError
from judgekit.evaluators.code_process import Execution
from judgekit.evaluators.code_sandbox import safe_names
from judgekit.models.drive import adrive, drive

__all__ = ["E2BSandbox"]


@dataclass(frozen=True)
class E2BSandbox:
    """Runs programs in an E2B sandbox.

    Attributes:
        client: an open `Sandbox` or, for async evaluators, `AsyncSandbox` of `e2b_code_interpreter`; it is used for every
            run, each in a new directory, and left open. None makes a new sandbox for every run and ends it.
        options: for the sandboxes made here: `template`, `api_key`, `metadata`, ...
    """

    client: Any = None
    options: Mapping[str, Any] = field(default_factory=dict, repr=False)

    def run(
        self,
        files: Mapping[str, str | bytes],
        command: Sequence[str],
        *,
        timeout: float,
        env: Mapping[str, str] | None = None,
    ) -> Execution | Awaitable[Execution]:
        """Run a command; see `Sandbox.run`. With an async client the result is awaited.

        Raises:
            ConfigError: a file's name leads out of the directory.
            MissingDependencyError: there is no client, and the `e2b` extra is not installed.
        """
        safe_names(files)
        if self.client is None:
            return self._run_in_own(files, command, timeout, env)
        flow = _steps(self.client, files, command, timeout, env)
        is_async = inspect.iscoroutinefunction(inspect.unwrap(self.client.commands.run))
        return adrive(flow) if is_async else drive(flow)

    def _run_in_own(
        self,
        files: Mapping[str, str | bytes],
        command: Sequence[str],
        timeout: float,
        env: Mapping[str, str] | None,
    ) -> Execution:
        try:
            made = importlib.import_module("e2b_code_interpreter").Sandbox
        except ImportError as error:
            raise MissingDependencyError(
                "E2BSandbox needs E2B's client: pip install 'judgekit-llm[e2b]'"
            ) from error
        client = getattr(made, "create", made)(**self.options)
        try:
            return drive(_steps(client, files, command, timeout, env))
        finally:
            client.kill()


def _steps(
    client: Any,
    files: Mapping[str, str | bytes],
    command: Sequence[str],
    timeout: float,
    env: Mapping[str, str] | None,
) -> Flow[Execution]:
    folder = f"judgekit-{uuid.uuid4().hex}"
    for name, content in files.items():
        yield from doing(_writing(client, f"{folder}/{name}", content))
    line = shlex.join(command)  # E2B takes a line for a shell
    running = Job(lambda: client.commands.run(line, cwd=folder, envs=dict(env or {}), timeout=timeout))
    try:
        ended = yield from doing(running)
    except Exception as error:
        if comes_from(error, "e2b", "TimeoutException"):
            return Execution(None, timed_out=True)
        if not isinstance(getattr(error, "exit_code", None), int):
            raise
        ended = error  # a status other than 0, which is an outcome and no failure
    return Execution(ended.exit_code, ended.stdout or "", ended.stderr or "")


def _writing(client: Any, path: str, content: str | bytes) -> Job:
    return Job(lambda: client.files.write(path, content))
