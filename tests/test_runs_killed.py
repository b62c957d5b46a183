"""A writer that is killed loses nothing that it was told is written, and its experiment can be gone on with at once."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from judgekit.errors import DataError
from judgekit.runs import RunStore

_WRITER = """
import itertools, sys
from judgekit.runs import RunStore
path, name = sys.argv[1:]
store = RunStore(path)
run = store.open(name, metadata={})
first = len(run)
for position in itertools.count(first):
    store.answers[f"{name}-{position}"] = {"text": "x" * 500}
    run.append(position, 0, b"key %d" % position, {"position": position, "text": "y" * 2000})
    print(position, flush=True)
"""


@contextmanager
def writing(path: Path, name: str) -> Iterator[subprocess.Popen[str]]:
    """A process that appends rows and answers and says each position when it is written; killed at the end."""
    with subprocess.Popen(
        [sys.executable, "-c", _WRITER, str(path), name], stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def acknowledged(process: subprocess.Popen[str], count: int) -> list[int]:
    """So many positions, then a kill, then all those that were said before it."""
    assert process.stdout is not None
    lines = [process.stdout.readline() for _ in range(count)]
    process.kill()
    lines += [line for line in process.stdout if line.endswith("\n")]
    process.wait()
    return [int(line) for line in lines]


def check(path: Path, name: str, told: list[int]) -> None:
    database = sqlite3.connect(path)
    assert database.execute("pragma integrity_check").fetchone() == ("ok",)
    database.close()
    with RunStore(path) as store:
        rows = [record["position"] for record in store.run(name).records()]
        assert rows[: len(told)] == told
        assert len(rows) - len(told) <= 1, "at most the one that was written and could not be told any more"
        assert all(f"{name}-{position}" in store.answers for position in told)


@pytest.mark.parametrize("count", [1, 2, 17, 130, 600])
def test_what_was_acknowledged_is_there_after_a_kill(tmp_path: Path, count: int) -> None:
    path = tmp_path / "runs.db"
    with writing(path, "a") as process:
        told = acknowledged(process, count)
    assert len(told) >= count
    check(path, "a", told)


def test_a_run_is_killed_and_gone_on_with_again_and_again(tmp_path: Path) -> None:
    path = tmp_path / "runs.db"
    held = 0
    for count in (3, 40, 7):
        with writing(path, "a") as process:
            told = acknowledged(process, count)
        assert told[0] == held, "it went on where the one before was killed"
        check(path, "a", list(range(told[-1] + 1)))
        with RunStore(path) as store, store.open("a", metadata={}) as run:
            held = len(run)
            assert run.done(b"key %d" % told[-1])


def test_two_processes_write_two_experiments_into_one_file(tmp_path: Path) -> None:
    path = tmp_path / "runs.db"
    with writing(path, "a") as one, writing(path, "b") as other:
        told = {name: acknowledged(process, 150) for name, process in (("a", one), ("b", other))}
    for name, positions in told.items():
        check(path, name, positions)


def test_an_experiment_is_free_as_soon_as_its_writer_is_dead(tmp_path: Path) -> None:
    path = tmp_path / "runs.db"
    with writing(path, "a") as process, RunStore(path) as store:
        assert process.stdout is not None
        process.stdout.readline()
        with pytest.raises(DataError, match=f"'a'.* being run by process {process.pid}:"):
            store.open("a", metadata={})
        process.kill()
        process.wait()
        store.open("a", metadata={}).close()


def test_many_processes_may_make_the_file_at_the_same_time(tmp_path: Path) -> None:
    path = tmp_path / "runs.db"
    script = "import sys; from judgekit.runs import RunStore; RunStore(sys.argv[1]).open(sys.argv[2], metadata={}).close()"
    processes = [
        subprocess.Popen([sys.executable, "-c", script, str(path), f"run {number}"]) for number in range(6)
    ]
    assert [process.wait() for process in processes] == [0] * 6
    with RunStore(path) as store:
        assert sorted(info.name for info in store.runs()) == [f"run {number}" for number in range(6)]
