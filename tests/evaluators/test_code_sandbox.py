"""Judged code runs where it was allowed to run, within its limits, and how it ended is told as it was."""

from __future__ import annotations

import json
import os
import socket
import sys
import time
from pathlib import Path

import pytest

from judgekit.errors import ConfigError, JudgeError
from judgekit.evaluators.code_local import LocalSandbox
from judgekit.evaluators.code_process import Execution
from judgekit.evaluators.code_sandbox import Run, finding_of

pytestmark = pytest.mark.skipif(os.name != "posix", reason="LocalSandbox needs POSIX")


def run(code: str, *, timeout: float = 20.0, sandbox: LocalSandbox | None = None) -> Execution:
    found = (sandbox or LocalSandbox(allow=True)).run({"a.py": code}, ["python", "a.py"], timeout=timeout)
    assert isinstance(found, Execution)
    return found


@pytest.mark.parametrize("allow", [False, None, 1, "yes"])
def test_a_local_sandbox_is_off_unless_it_is_allowed(allow: object) -> None:
    with pytest.raises(ConfigError, match="pass allow=True"):
        LocalSandbox(allow=allow)  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="pass allow=True"):
        LocalSandbox()


def test_a_program_gets_nothing_but_its_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    code = (
        "import json, os, sys; print(json.dumps([dict(os.environ), sorted(os.listdir()), sys.stdin.read()]))"
    )
    found = LocalSandbox(allow=True).run(
        {"a.py": code, "data/é.txt": "ü", "b.bin": b"\x00"},
        ["python", "a.py"],
        timeout=20,
        env={"MODE": "test"},
    )
    assert isinstance(found, Execution)
    environment, files, typed = json.loads(found.stdout)
    assert set(environment) == {
        *("HOME", "LANG", "MODE", "PATH", "PYTHONDONTWRITEBYTECODE", "PYTHONUTF8", "TMPDIR")
    }
    assert files == ["a.py", "b.bin", "data"]
    assert typed == ""


def test_limits_are_set_in_the_program() -> None:
    code = (
        "import json, resource as r\n"
        "kinds = (r.RLIMIT_CPU, r.RLIMIT_FSIZE, r.RLIMIT_AS, r.RLIMIT_CORE)\n"
        "print(json.dumps([r.getrlimit(kind) for kind in kinds] + [r.getrlimit(r.RLIMIT_NPROC)[0] > 0]))"
    )
    found = run(code, timeout=20.0, sandbox=LocalSandbox(allow=True, memory=2**29, file_size=2**20))
    assert json.loads(found.stdout) == [[21, 21], [2**20, 2**20], [2**29, 2**29], [0, 0], True]


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("x = bytearray(2 ** 31)", "MemoryError"),
        ("open('big', 'wb').write(b'x' * 2 ** 25)", "File too large"),
        ("raise ValueError('wrong')", "ValueError: wrong"),
    ],
)
def test_a_program_that_fails_tells_why(code: str, said: str) -> None:
    finding = finding_of(run(code))
    assert finding.passed is False
    assert finding.comment is not None
    assert "status 1" in finding.comment
    assert said in finding.comment
    assert 'File "a.py", line 1' in finding.comment


def test_the_network_is_cut_where_the_execution_says_so() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        found = run(
            f"import socket; socket.create_connection(('127.0.0.1', {server.getsockname()[1]}), timeout=5)"
        )
    assert found.network_cut is not None
    assert (found.exit_code == 0) is not found.network_cut


def test_a_program_is_stopped_at_its_time_limit_with_all_that_it_started() -> None:
    code = (
        "import subprocess, sys\n"
        "child = subprocess.Popen(['sleep', '60'])\n"
        "print(child.pid, flush=True)\n"
        "child.wait()\n"
    )
    started = time.monotonic()
    found = run(code, timeout=1.0)
    assert found.timed_out
    assert found.exit_code is None
    assert time.monotonic() - started < 15
    assert finding_of(found).comment == "It did not end within its time limit."
    assert gone(int(found.stdout))


def test_a_program_that_ends_leaves_no_process_behind() -> None:
    found = run("import subprocess; print(subprocess.Popen(['sleep', '60']).pid)")
    assert found.exit_code == 0
    assert gone(int(found.stdout))


def gone(process: int) -> bool:
    """Whether the process ends within a few seconds; a dead one may wait for its parent to take note."""
    for _ in range(100):
        try:
            state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return True
        if state == "Z":
            return True
        time.sleep(0.05)
    return False


def test_a_signal_is_named() -> None:
    finding = finding_of(run("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)"))
    assert finding.comment == "It was ended by SIGSEGV."
    assert finding_of(Execution(-250)).comment == "It was ended by signal 250."


@pytest.mark.parametrize("name", ["../a.py", "/etc/passwd", "a/../../b", ""])
def test_a_file_outside_the_directory_is_refused(name: str) -> None:
    with pytest.raises(ConfigError, match="no relative path"):
        LocalSandbox(allow=True).run({name: ""}, ["python"], timeout=1)


def test_a_program_that_does_not_exist_is_an_error_and_no_verdict() -> None:
    with pytest.raises(ConfigError, match=r"no-such-program: No such file"):
        LocalSandbox(allow=True).run({}, ["no-such-program"], timeout=20)


def test_a_sandbox_that_cannot_be_set_up_is_an_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    launcher = tmp_path / "launcher.py"
    launcher.write_text("import sys; sys.exit('broken')")
    monkeypatch.setattr("judgekit.evaluators.code_local._LAUNCHER", launcher)
    with pytest.raises(JudgeError, match="could not be set up: broken"):
        run("print()")


def test_code_runs_with_the_command_that_was_given() -> None:
    check = Run(LocalSandbox(allow=True), ("python", "-c", "import sys; print(sys.argv[1:])"), 20.0)
    found = check("raise SystemExit(3)")
    assert isinstance(found, Execution)
    assert found.stdout == "['outputs.py']\n"
    assert finding_of(found).metadata == {
        "exit_code": 0,
        "timed_out": False,
        "network_cut": found.network_cut,
        "stdout": "['outputs.py']\n",
    }


def test_output_is_bounded() -> None:
    found = run(
        "import sys\nwhile True: sys.stdout.write('x' * 65536)",
        sandbox=LocalSandbox(allow=True, file_size=2**18),
    )
    assert found.exit_code not in (0, None)
    assert len(found.stdout) <= 2**18


@pytest.mark.skipif(sys.platform != "linux", reason="counts the processes that Linux lists")
def test_the_limit_on_processes_is_beside_those_that_the_user_has() -> None:
    from judgekit.evaluators.code_launcher import _tasks

    assert _tasks() >= 1
