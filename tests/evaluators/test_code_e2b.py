"""The E2B sandbox, against a double with the shape of E2B's client."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import dataclass, field
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from judgekit.errors import ConfigError, MissingDependencyError
from judgekit.evaluators.code_e2b import E2BSandbox
from judgekit.evaluators.code_process import Execution


class CommandExitException(Exception):
    """As e2b raises it for a status other than 0."""

    exit_code, stdout, stderr = 1, "before", "NameError: x"


class TimeoutException(Exception):
    __module__ = "e2b.exceptions"


@dataclass
class Client:
    """E2B's `Sandbox`: `files.write`, `commands.run` and `kill`; what it was asked is in `said`."""

    outcome: Any = field(default_factory=lambda: SimpleNamespace(exit_code=0, stdout="out", stderr=""))
    said: list[Any] = field(default_factory=list)

    @property
    def files(self) -> Any:
        return SimpleNamespace(write=lambda path, data: self.said.append(("write", path, data)))

    @property
    def commands(self) -> Any:
        return SimpleNamespace(run=self.run)

    def run(self, cmd: str, *, cwd: str, envs: dict[str, str], timeout: float) -> Any:
        self.said.append(("run", cmd, cwd, envs, timeout))
        if isinstance(self.outcome, Exception):
            raise self.outcome
        return self.outcome

    def kill(self) -> None:
        self.said.append(("kill",))


@dataclass
class AsyncClient(Client):
    @property
    def files(self) -> Any:
        async def write(path: str, data: Any) -> None:
            self.said.append(("write", path, data))

        return SimpleNamespace(write=write)

    @property
    def commands(self) -> Any:
        async def run(cmd: str, **options: Any) -> Any:
            return self.run(cmd, **options)

        return SimpleNamespace(run=run)


FILES = {"a b.py": "print()"}
COMMAND = ["python", "a b.py"]


@pytest.fixture(params=["sync", "async"])
def kind(request: pytest.FixtureRequest) -> Any:
    return {"sync": Client, "async": AsyncClient}[request.param]


def run(client: Client, **options: Any) -> Any:
    found: Any = E2BSandbox(client).run(FILES, COMMAND, timeout=9, **options)
    return found if isinstance(found, Execution) else asyncio.run(found)


def test_files_are_written_and_the_command_is_run_in_a_new_directory(kind: Any) -> None:
    client = kind()
    assert run(client, env={"A": "1"}) == Execution(0, "out", "")
    run(client)
    (_, path, data), (_, command, where, envs, timeout), (_, other, _), (_, _, _, none, _) = client.said
    assert (path, data) == (f"{where}/a b.py", "print()")
    assert (command, envs, timeout, none) == ("python 'a b.py'", {"A": "1"}, 9, {})
    assert other != path


def test_a_status_other_than_zero_is_an_outcome(kind: Any) -> None:
    assert run(kind(CommandExitException())) == Execution(1, "before", "NameError: x")


def test_e2bs_timeout_is_an_outcome(kind: Any) -> None:
    assert run(kind(TimeoutException())) == Execution(None, timed_out=True)


def test_other_failures_of_e2b_are_raised(kind: Any) -> None:
    with pytest.raises(ConnectionError):
        run(kind(ConnectionError("down")))


def test_a_file_outside_the_directory_is_refused(kind: Any) -> None:
    client = kind()
    with pytest.raises(ConfigError):
        E2BSandbox(client).run({"../x": ""}, COMMAND, timeout=9)
    assert client.said == []


@pytest.mark.parametrize("outcome", [SimpleNamespace(exit_code=0, stdout="", stderr=""), ConnectionError()])
def test_a_sandbox_made_for_a_run_is_ended_with_it(monkeypatch: pytest.MonkeyPatch, outcome: Any) -> None:
    client, options = Client(outcome), []

    class Sandbox:
        @staticmethod
        def create(**given: Any) -> Client:
            options.append(given)
            return client

    module = ModuleType("e2b_code_interpreter")
    module.Sandbox = Sandbox  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "e2b_code_interpreter", module)
    sandbox = E2BSandbox(options={"template": "mine", "api_key": "secret"})
    if isinstance(outcome, Exception):
        with pytest.raises(ConnectionError):
            sandbox.run(FILES, COMMAND, timeout=9)
    else:
        assert sandbox.run(FILES, COMMAND, timeout=9) == Execution(0)
    assert client.said[-1] == ("kill",)
    assert options == [{"template": "mine", "api_key": "secret"}]
    assert "secret" not in repr(sandbox)


def test_without_e2bs_client_the_error_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "e2b_code_interpreter", None)
    with pytest.raises(MissingDependencyError, match=r"pip install 'judgekit-llm\[e2b\]'"):
        E2BSandbox().run(FILES, COMMAND, timeout=9)
