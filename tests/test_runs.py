"""The store of runs: what is appended, what is read again, who may write, and what a file that cannot be used says."""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import pickle
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from judgekit.errors import ConfigError, DataError
from judgekit.runs import RunStore
from judgekit.store import AnswerStore


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "folder" / "runs.db"


@pytest.fixture
def store(path: Path) -> Iterator[RunStore]:
    with RunStore(path) as opened:
        yield opened


def key(text: object) -> bytes:
    return hashlib.sha256(str(text).encode()).digest()


def row(value: object) -> dict[str, Any]:
    return {"value": value}


def values(records: Iterator[dict[str, Any]]) -> list[Any]:
    return [record["value"] for record in records]


def test_rows_come_back_in_the_order_of_the_data_and_the_newest_counts(store: RunStore) -> None:
    with store.open("a", metadata={}) as run, store.open("b", metadata={}) as other:
        other.append(0, 0, key(0), row("other"))
        for position, repetition, value in [
            (2, 0, "2"),
            (0, 1, "0'"),
            (0, 0, "old"),
            (0, 0, "0"),
            (1, 0, "1"),
        ]:
            run.append(position, repetition, key(position), row(value))
        assert (values(run.records()), len(run)) == (["0", "0'", "1", "2"], 4)


def test_more_rows_than_a_page(store: RunStore) -> None:
    with store.open("a", metadata={}) as run:
        for position in range(1000):
            for repetition in range(2):
                run.append(position, repetition, key(position), row([position, repetition]), durable=False)
        assert values(run.records()) == [[p, r] for p in range(1000) for r in range(2)]


def test_a_row_keeps_all_that_json_can_say(store: RunStore) -> None:
    record: dict[str, Any] = {
        "text": "東京 \u2028 \ud800 }{ \x00",
        "list": [1, 1.5, None, True, {"deep": []}],
    }
    with store.open("a", metadata=record) as run:
        run.append(0, 0, b"any bytes \xff", record)
        run.finish(record)
    again = store.run("a")
    assert (list(again.records()), again.metadata, again.summary) == ([record], record, record)


def test_a_run_that_goes_on_knows_what_there_was(store: RunStore) -> None:
    with store.open("a", metadata={}) as run:
        assert (run.done(key("x")), run.record(key("x"))) == (False, None)
        run.append(0, 0, key("x"), row("failed"))
        run.append(0, 0, key("x"), row("good"))
        assert not run.done(key("x")), (
            "only what there was when it was opened: rows of now are known to the caller"
        )
    with store.open("other", metadata={}) as other:
        other.append(0, 0, key("y"), row("other"))
    with store.open("a", metadata={}) as run:
        assert (run.done(key("x"), 0), run.done(key("x"), 1), run.done(key("y"))) == (True, False, False)
        assert (run.record(key("x"), 0), run.record(key("x"), 1)) == (row("good"), None)
        run.append(3, 0, key("z"), row("new"))
        assert run.record(key("z")) is None
    assert store.run("a").record(key("z")) == row("new")


def test_what_a_run_says_of_itself(store: RunStore, path: Path) -> None:
    with store.open("a", metadata={"model": "m"}) as run:
        run.append(0, 0, key(0), row(0))
        assert (run.name, run.metadata, run.finished, run.summary) == ("a", {"model": "m"}, None, None)
        run.finish({"stopped": None})
        assert run.finished is not None
        assert run.summary == {"stopped": None}
        assert repr(run) == f"<Run 'a' in {str(path)!r}>"
    store.open("b", metadata={}).close()
    first, second = store.runs()
    assert (first.name, first.rows, first.metadata, first.created) == ("a", 1, {"model": "m"}, run.created)
    assert (first.finished, second.name, second.rows, second.finished) == (run.finished, "b", 0, None)
    assert ("a" in store, "c" in store) == (True, False)


def test_a_run_that_is_opened_again_is_not_finished(store: RunStore) -> None:
    with store.open("a", metadata={"old": 1}) as run:
        run.finish({"stopped": None})
        created = run.created
    with store.open("a", metadata={"new": 1}) as run:
        assert (run.finished, run.summary, run.metadata, run.created) == (None, None, {"new": 1}, created)


def test_a_run_that_is_not_there_is_told_with_names_like_it(store: RunStore) -> None:
    with pytest.raises(DataError, match="has none yet"):
        store.run("a")
    store.open("baseline-1", metadata={}).close()
    with pytest.raises(DataError, match="'baseline-1'"):
        store.run("baselin-1")
    with pytest.raises(DataError, match="'baseline-1'"):
        store.run("nothing like it")


@pytest.mark.parametrize("name", ["", "a\nb", "half \ud800"])
def test_a_name_that_cannot_be_shown_is_refused(store: RunStore, name: str) -> None:
    with pytest.raises(ConfigError, match="printable"):
        store.open(name, metadata={})


def test_only_a_run_that_is_open_takes_rows(store: RunStore) -> None:
    run = store.open("a", metadata={})
    run.append(0, 0, key(0), row(0))
    run.close()
    run.close()
    for closed in (run, store.run("a")):
        with pytest.raises(DataError, match=r"RunStore\.open"):
            closed.append(1, 0, key(1), row(1))
        assert values(closed.records()) == [0]


def test_one_writer_at_a_time(store: RunStore, path: Path) -> None:
    run = store.open("a", metadata={})
    with RunStore(path) as second:
        for other in (store, second):
            with pytest.raises(DataError, match=f"'a'.* process {os.getpid()}"):
                other.open("a", metadata={"not": "taken"})
        assert second.run("a").metadata == {}
        second.open("b", metadata={}).close()
    with pytest.raises(DataError, match="is being run"):
        store.open("a", metadata={})
    run.close()
    store.open("a", metadata={}).close()


def test_a_run_that_is_forgotten_is_released(store: RunStore) -> None:
    run = store.open("a", metadata={})
    del run
    store.open("a", metadata={}).close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_forked_child_has_no_claim(store: RunStore, path: Path) -> None:
    """Neither does it take over its parent's, nor does it give it back when it ends."""
    context = multiprocessing.get_context("fork")
    with store.open("a", metadata={}):
        child = context.Process(target=_open_and_fail, args=(str(path),))
        child.start()
        child.join()
        assert child.exitcode == 0
        assert subprocess.run(_opening(path), check=False, capture_output=True).returncode != 0
    assert subprocess.run(_opening(path), check=False, capture_output=True).returncode == 0


def _open_and_fail(path: str) -> None:
    with RunStore(path) as mine, pytest.raises(DataError, match="is being run"):
        mine.open("a", metadata={})


def _opening(path: Path) -> list[str]:
    return [
        sys.executable,
        "-c",
        f"from judgekit.runs import RunStore; RunStore({str(path)!r}).open('a', metadata={{}})",
    ]


def test_threads_may_share_a_run(store: RunStore) -> None:
    with store.open("a", metadata={}) as run:

        def write(thread: int) -> None:
            for i in range(100):
                run.append(i, thread, key(i), row(i), durable=i % 3 == 0)
                store.answers[f"{thread}-{i}"] = {"text": "x"}

        threads = [threading.Thread(target=write, args=(number,)) for number in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert (len(run), len(store.answers)) == (600, 600)


def _until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_row_that_may_wait_is_written_soon_and_before_a_later_one(store: RunStore, path: Path) -> None:
    with RunStore(path) as other, store.open("a", metadata={}) as run:
        run.append(0, 0, key(0), row("first"), durable=False)
        _until(lambda: len(other.run("a")) == 1)
        run.append(0, 0, key(0), row("second"), durable=False)
        run.append(0, 0, key(0), row("third"))
        assert values(other.run("a").records()) == ["third"]
        run.append(1, 0, key(1), row("last"), durable=False)
        run.close()
        assert values(other.run("a").records()) == ["third", "last"]


def test_it_travels_as_its_path(store: RunStore, path: Path) -> None:
    store.answers["a"] = {"text": "x"}
    with pickle.loads(pickle.dumps(store)) as again:
        assert again.answers["a"] == {"text": "x"}
    assert repr(store) == f"RunStore({str(path)!r})"


def test_a_run_outlives_its_store_object(path: Path) -> None:
    run = RunStore(path).open("a", metadata={})
    run.append(0, 0, key(0), row(0))
    assert values(run.records()) == [0]
    run.close()


def test_a_file_of_answers_becomes_a_store_of_runs(path: Path) -> None:
    path.parent.mkdir()
    database = sqlite3.connect(path)
    database.execute(
        "create table answers (id integer primary key, key blob not null unique, value blob not null)"
    )
    database.execute("insert into answers (key, value) values (?, ?)", (b"a", b'{"text":"x"}'))
    database.commit()
    database.close()
    with RunStore(path) as store:
        store.open("a", metadata={}).close()
        assert store.answers["a"] == {"text": "x"}


def test_a_file_of_a_later_version_is_left_alone(path: Path, store: RunStore) -> None:
    store.close()
    with sqlite3.connect(path) as database:
        database.execute("pragma user_version = 99")
    database.close()
    for kind in (RunStore, AnswerStore):
        with pytest.raises(DataError, match=r"format 99.*update judgekit"):
            kind(path)


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    text = tmp_path / "notes.db"
    text.write_text("not a database, but long enough to be read as one " * 20)
    with pytest.raises(DataError, match=r"notes\.db.*no SQLite database: give another path"):
        RunStore(text)
    assert text.read_text().startswith("not a database")


@pytest.mark.parametrize("durable", [True, False])
def test_a_full_disk_is_told_and_what_was_finished_stays(store: RunStore, durable: bool) -> None:
    connection = store._database._connection
    with store.open("a", metadata={}) as run:
        run.append(0, 0, key(0), row("kept"))
        pages = connection.execute("pragma page_count").fetchone()[0]
        connection.execute(f"pragma max_page_count = {pages + 2}")

        def fill() -> None:
            for position in range(1, 600):
                run.append(position, 0, key(position), row("x" * 3000), durable=durable)

        with pytest.raises(DataError, match="make room and go on, what was finished is kept"):
            fill()
        held = values(store.run("a").records())
        assert held[0] == "kept"
        assert len(held) < 5
        connection.execute("pragma max_page_count = 100000")
        run.append(1, 0, key(1), row("and on"))
        assert values(run.records())[:2] == ["kept", "and on"]


def test_a_row_that_waited_for_a_full_disk_is_told_at_the_next(store: RunStore) -> None:
    connection = store._database._connection
    with store.open("a", metadata={}) as run:
        pages = connection.execute("pragma page_count").fetchone()[0]
        connection.execute(f"pragma max_page_count = {pages}")
        run.append(0, 0, key(0), row("x" * 10_000), durable=False)
        _until(lambda: run._overdue)
        with pytest.raises(DataError, match="make room"):
            run.append(1, 0, key(1), row("y"), durable=False)
        connection.execute("pragma max_page_count = 100000")
    assert len(store.run("a")) == 2


_LIMITED = """
import resource, sys
from judgekit.errors import DataError
from judgekit.runs import RunStore
run = RunStore(sys.argv[1]).open("a", metadata={})
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
for position in range(1000):
    try:
        run.append(position, 0, b"k%d" % position, {"value": "x" * 2000})
    except DataError as error:
        print(error)
        break
    print(position)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such limits")
def test_a_limit_on_the_size_of_files_is_told(path: Path) -> None:
    found = subprocess.run(
        [sys.executable, "-c", _LIMITED, str(path)], capture_output=True, text=True, check=True
    )
    *positions, message = found.stdout.splitlines()
    assert "what was finished is kept" in message
    with RunStore(path) as store:
        assert len(store.run("a")) == len(positions) > 10


_READING = """
import os, sys
from judgekit.store import from_bytes, to_bytes
from judgekit.errors import DataError
from judgekit.runs import RunStore
from_bytes(to_bytes({}))  # imports what it needs now: nobody may not look where that is installed
if os.getuid() == 0:
    os.setuid(65534)
store = RunStore(sys.argv[1])
print([record["value"] for record in store.run("a").records()])
try:
    store.open("b", metadata={})
except DataError as error:
    print(error)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="folders are not read-only there")
def test_a_store_in_a_read_only_folder_can_be_read() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "runs.db"
        with RunStore(path) as store, store.open("a", metadata={}) as run:
            run.append(0, 0, key(0), row(1))
        path.chmod(0o444)
        Path(folder).chmod(0o555)
        try:
            found = subprocess.run(
                [sys.executable, "-c", _READING, str(path)], capture_output=True, text=True, check=False
            )
        finally:
            Path(folder).chmod(0o755)
    assert found.stderr == ""
    values_read, message = found.stdout.splitlines()
    assert values_read == "[1]"
    assert "make the file and its folder writable" in message
