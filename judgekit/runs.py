"""Runs in a file: an experiment's rows are appended as they are finished, and read again to go on or to compare."""

from __future__ import annotations

import itertools
import os
import threading
import weakref
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from difflib import get_close_matches
from pathlib import Path
from types import TracebackType
from typing import Any

from judgekit.errors import ConfigError, DataError
from judgekit.locks import claim, release
from judgekit.store import AnswerStore, Database, from_bytes, to_bytes

__all__ = ["Run", "RunInfo", "RunStore"]

_GROUP = 256
_WAIT = 0.2  # seconds that a row which may wait waits at most
_PAGE = 256

_APPEND = "insert into rows (experiment, position, repetition, key, record) values (?, ?, ?, ?, ?)"
_NEXT = """
select newest.position, newest.repetition, rows.record from (
    select position, repetition, max(id) as id from rows
    where experiment = ? and (position, repetition) > (?, ?)
    group by position, repetition order by position, repetition limit ?
) as newest join rows on rows.id = newest.id order by newest.position, newest.repetition
"""
_KNOWN = """
create temp table if not exists known (
    reader integer, key blob, repetition integer, id integer, primary key (reader, key, repetition)
) without rowid
"""
_KNOW = """
insert into known select ?, key, repetition, max(id) from rows
where experiment = ? and id <= ? group by key, repetition
"""
_RECALL = "select id from known where reader = ? and key = ? and repetition = ?"
_RECALL_RECORD = """
select record from rows where id = (select id from known where reader = ? and key = ? and repetition = ?)
"""
_readers = itertools.count(1)
_COUNT = "select count(*) from (select 1 from rows where experiment = ? group by position, repetition)"


@dataclass(frozen=True, slots=True)
class RunInfo:
    """A run in a list.

    Attributes:
        name: the experiment's name.
        created, finished: UTC times in ISO 8601; `finished` is None while rows may be missing.
        rows: how many rows it has, repetitions counted.
        metadata: what it was opened with last.
    """

    name: str
    created: str
    finished: str | None
    rows: int
    metadata: Mapping[str, Any]


class RunStore:
    """Experiments and the answers of their judges in one SQLite file; threads and processes may share it.

    Args:
        path: the file; made, with its folder, when absent.

    Raises:
        DataError: the file cannot be used, here or in any method; the message says why and what to do.
    """

    def __init__(self, path: str | Path) -> None:
        self._database = Database(path)
        self.path = self._database.path
        self.answers = AnswerStore(self._database)

    def open(self, name: str, *, metadata: Mapping[str, Any]) -> Run:
        """Begin an experiment, or go on with it, and be the only one who writes to it until it is closed.

        Args:
            name: the experiment's name.
            metadata: JSON-able facts about it; they replace those of an earlier time.

        Raises:
            ConfigError: the name is empty or no text.
            DataError: the experiment is being run, by another process or by this one.
        """
        number = self._number(name, metadata)
        self._claim(name, number)
        try:
            self._database.run(
                "update experiments set pid = ?, finished = null, summary = null, metadata = ? where id = ?",
                os.getpid(),
                to_bytes(dict(metadata)),
                number,
            )
            return Run(self._database, number, writes=True)
        except BaseException:
            release(_lock_file(self.path), number)
            raise

    def run(self, name: str) -> Run:
        """An experiment, to be read; it may be running.

        Raises:
            DataError: there is none of that name; the message has names like it.
        """
        found = self._database.run("select id from experiments where name = ?", name)
        if not found:
            names = [known for (known,) in self._database.run("select name from experiments order by id")]
            near = get_close_matches(name, names, n=3) or names[-3:]
            told = f"it has {', '.join(map(repr, near))}" if near else "it has none yet"
            raise DataError(f"{self.path} has no run {name!r}: {told}.")
        return Run(self._database, found[0][0])

    def runs(self) -> list[RunInfo]:
        """All experiments, the newest last."""
        found = self._database.run(
            "select id, name, created, finished, metadata from experiments order by id"
        )
        return [
            RunInfo(
                name, created, finished, int(self._database.run(_COUNT, number)[0][0]), from_bytes(metadata)
            )
            for number, name, created, finished, metadata in found
        ]

    def __contains__(self, name: object) -> bool:
        return bool(self._database.run("select 1 from experiments where name = ?", name))

    def __repr__(self) -> str:
        return f"RunStore({str(self.path)!r})"

    def __reduce__(self) -> tuple[Any, ...]:  # the file is what is shared, not the connection
        return (RunStore, (str(self.path),))

    def close(self) -> None:
        """Close the file. Its runs and answers cannot be used any more, so close the runs first."""
        self._database.close()

    def __enter__(self) -> RunStore:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _number(self, name: str, metadata: Mapping[str, Any]) -> int:
        if not name or not name.isprintable():
            raise ConfigError(
                f"An experiment cannot be named {name!r}: give it a name of printable characters."
            )
        self._database.run(
            "insert or ignore into experiments (name, created, metadata) values (?, ?, ?)",
            name,
            _now(),
            to_bytes(dict(metadata)),
        )
        return int(self._database.run("select id from experiments where name = ?", name)[0][0])

    def _claim(self, name: str, number: int) -> None:
        lock_file = _lock_file(self.path)
        try:
            free = claim(lock_file, number)
        except OSError as error:
            raise DataError(
                f"{lock_file} cannot be locked ({error}): put the store on a local disk."
            ) from error
        if not free:
            pid = self._database.run("select pid from experiments where id = ?", number)[0][0]
            raise DataError(
                f"The experiment {name!r} in {self.path} is being run by process {pid}: wait until it ends or stop it, or "
                "give this experiment another name."
            )


class Run:
    """One experiment in a store. Rows are appended and never changed: of those with the same position and repetition the
    newest counts. Threads may share it.

    Attributes:
        name: the experiment's name.
        created: when it was opened first, UTC in ISO 8601.
        metadata: what it was opened with last.
        finished: when it ended, or None.
        summary: what `finish` was given, or None.
    """

    def __init__(self, database: Database, number: int, *, writes: bool = False) -> None:
        self._database = database
        self._number = number
        self._last = database.run("select max(id) from rows")[0][0] or 0
        self._reader = next(_readers)
        self._knows: bool | None = None
        self._lock = threading.RLock()
        self._waiting: list[tuple[int, int, int, bytes, bytes]] = []
        self._timer: threading.Timer | None = None
        self._overdue = False
        self._release = weakref.finalize(self, release, _lock_file(database.path), number) if writes else None
        found = database.run("select name, created, metadata from experiments where id = ?", number)
        self.name: str = found[0][0]
        self.created: str = found[0][1]
        self.metadata: dict[str, Any] = from_bytes(found[0][2])

    @property
    def finished(self) -> str | None:
        found: str | None = self._database.run("select finished from experiments where id = ?", self._number)[
            0
        ][0]
        return found

    @property
    def summary(self) -> dict[str, Any] | None:
        found = self._database.run("select summary from experiments where id = ?", self._number)[0][0]
        return None if found is None else from_bytes(found)

    def append(
        self, position: int, repetition: int, key: bytes, record: Mapping[str, Any], *, durable: bool = True
    ) -> None:
        """Add a row.

        Args:
            position: the example's place in the data.
            repetition: from 0.
            key: what the example is known by when the run goes on: a hash of it.
            record: the row, JSON-able.
            durable: whether the row must survive the process being killed from when this returns. Otherwise it may wait,
                0.2 seconds at most, to be written with others.

        Raises:
            DataError: the run is not open for writing, or the file cannot be written. Rows that waited wait on.
        """
        row = (self._number, position, repetition, key, to_bytes(record))
        with self._lock:
            if self._release is None or not self._release.alive:
                raise DataError(
                    f"The run {self.name!r} is not open for writing: open it with RunStore.open(...)."
                )
            self._waiting.append(row)
            if durable or self._overdue or len(self._waiting) >= _GROUP:
                self.flush()
            elif self._timer is None:
                self._timer = threading.Timer(_WAIT, self._flush_late)
                self._timer.daemon = True
                self._timer.start()

    def flush(self) -> None:
        """Write the rows that wait."""
        with self._lock:
            if self._waiting:
                self._database.run_all(_APPEND, self._waiting)
                self._waiting.clear()
            self._overdue = False

    def _flush_late(self) -> None:
        with self._lock:
            self._timer = None
            self._overdue = True  # so the next row's `append` says what is wrong, if this fails
            with suppress(DataError):
                self.flush()

    def done(self, key: bytes, repetition: int = 0) -> bool:
        """Whether the example had a row when this run was opened, good or failed."""
        return self._recalled(_RECALL, key, repetition) != []

    def record(self, key: bytes, repetition: int = 0) -> dict[str, Any] | None:
        """The newest row that the example had when this run was opened, or None. It may have had another position."""
        found = self._recalled(_RECALL_RECORD, key, repetition)
        return from_bytes(found[0][0]) if found else None

    def _recalled(self, question: str, key: bytes, repetition: int) -> list[tuple[Any, ...]]:
        """Ask about what there was. It is listed at the first question, in a temporary table.

        An index that is kept would make each append dearer by a third: hashes come in no order.
        """
        with self._lock:
            if self._knows is None:
                self._database.run(_KNOWN)
                self._database.run(_KNOW, self._reader, self._number, self._last)
                self._knows = bool(
                    self._database.run("select 1 from known where reader = ? limit 1", self._reader)
                )
        return self._database.run(question, self._reader, key, repetition) if self._knows else []

    def records(self) -> Iterator[dict[str, Any]]:
        """The newest row of each position and repetition, in their order; a few hundred are in memory at a time."""
        self.flush()
        place = (-1, -1)
        while page := self._database.run(_NEXT, self._number, *place, _PAGE):
            for *_, record in page:
                yield from_bytes(record)
            place = page[-1][:2]

    def __len__(self) -> int:
        self.flush()
        return int(self._database.run(_COUNT, self._number)[0][0])

    def __repr__(self) -> str:
        return f"<Run {self.name!r} in {str(self._database.path)!r}>"

    def finish(self, summary: Mapping[str, Any]) -> None:
        """Write the rows that wait, and that the run has ended, with JSON-able facts about the whole."""
        self.flush()
        self._database.run(
            "update experiments set finished = ?, summary = ? where id = ?",
            _now(),
            to_bytes(dict(summary)),
            self._number,
        )

    def close(self) -> None:
        """Write the rows that wait and let others open the experiment; the run can still be read."""
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
            try:
                self.flush()
            finally:
                if self._release is not None:
                    self._release()

    def __enter__(self) -> Run:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _lock_file(path: Path) -> Path:
    return path.with_name(f"{path.name}.lock")


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
