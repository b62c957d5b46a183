"""A file that remembers: judgekit's SQLite file, and in it the answers by the hash of their request.

Rowid tables with BLOB keys in WAL mode: many processes may share one file, and what was written survives a killed
process.
"""

from __future__ import annotations

import json
import sqlite3
import threading
import weakref
from collections.abc import Iterator, MutableMapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from judgekit.errors import DataError

__all__ = ["AnswerStore", "Database", "from_bytes", "to_bytes"]

FORMAT = 1
"""The format of the file, its `user_version`; 0 is a new file, or one of the time when it held answers only."""

_TABLES = """
create table if not exists answers (id integer primary key, key blob not null unique, value blob not null);
create table if not exists experiments (
    id integer primary key, name text not null unique, created text not null, finished text, pid integer,
    metadata blob not null, summary blob
);
create table if not exists rows (
    id integer primary key, experiment integer not null, position integer not null, repetition integer not null,
    key blob not null, record blob not null
);
create index if not exists rows_by_place on rows (experiment, position, repetition, key);
"""
_PATIENCE = 30  # seconds for another process to finish writing
_CACHE = -16_384  # KiB (SQLite's sign for it): the upper pages of a million rows' indexes

_ADVICE = {
    sqlite3.SQLITE_BUSY: f"another process has been writing to it for more than {_PATIENCE} seconds: try again",
    sqlite3.SQLITE_CANTOPEN: "it cannot be opened or made: check the path and the permissions, or give another path",
    sqlite3.SQLITE_CORRUPT: "the file is damaged: move it away, or give another path",
    sqlite3.SQLITE_FULL: "the disk is full: make room and go on, what was finished is kept",
    sqlite3.SQLITE_IOERR: "reading or writing failed: check the disk's room and the limits on it, what was finished is kept",
    sqlite3.SQLITE_NOTADB: "the file is no SQLite database: give another path",
    sqlite3.SQLITE_READONLY: "it can be read and not written: make the file and its folder writable, or give another path",
}

_CLOSED = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)

_encoder = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


_CHECKPOINT = (
    8_000  # pages of 4 KiB between two copies of the log into the file; each costs two syncs of the disk
)


def to_bytes(value: Any) -> bytes:
    """A value as JSON: by pydantic's encoder, which takes a fifth of the time, or by the standard library's where that gives
    up: half a character, which models do write, has no bytes in UTF-8; its JSON escape has."""
    from pydantic_core import PydanticSerializationError, to_json

    try:
        return to_json(value)
    except PydanticSerializationError:
        return _encoder.encode(value).encode("utf-8", "backslashreplace")


def from_bytes(data: bytes) -> dict[str, Any]:
    """The JSON object that `to_bytes` wrote."""
    from pydantic_core import from_json

    try:
        found: dict[str, Any] = from_json(data)
    except ValueError:  # the escape of half a character
        found = json.loads(data)
    return found


class Database:
    """One connection to the file: threads share it, processes have one each.

    Args:
        path: the file; made, with its folder, when absent. One that cannot be written is opened for reading.

    Raises:
        DataError: the file is no SQLite database, was written by a later version, cannot be written, or is full; here or
            in any method.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._lock = threading.Lock()
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = self._opened()
        except (sqlite3.Error, OSError) as error:
            raise self._unusable(error) from error
        self.close = weakref.finalize(self, self._connection.close)

    def run(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        """All rows of one statement; what it writes is written when this returns."""
        try:
            with self._lock:
                return self._connection.execute(statement, values).fetchall()
        except sqlite3.Error as error:
            raise self._unusable(error) from error

    def run_all(self, statement: str, rows: Sequence[Sequence[Any]]) -> None:
        """One statement for each of the rows: all of them are written, or none."""
        if len(rows) == 1:
            self.run(statement, *rows[0])
            return
        try:
            with self._lock, self._transaction(self._connection):
                self._connection.executemany(statement, rows)
        except sqlite3.Error as error:
            raise self._unusable(error) from error

    def _opened(self) -> sqlite3.Connection:
        address = self.path.absolute().as_uri()
        try:
            return self._prepared(address)
        except sqlite3.OperationalError as error:
            log = self.path.with_name(f"{self.path.name}-wal")
            if (
                _kind(error) not in _CLOSED
                or not self.path.is_file()
                or (log.exists() and log.stat().st_size)
            ):
                raise
        # Even to read, SQLite makes a file beside the database, unless it is told that nobody writes.
        return self._prepared(f"{address}?mode=ro&immutable=1")

    def _prepared(self, address: str) -> sqlite3.Connection:
        connection = sqlite3.connect(
            address, uri=True, check_same_thread=False, isolation_level=None, timeout=_PATIENCE
        )
        try:
            self._prepare(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _prepare(self, connection: sqlite3.Connection) -> None:
        connection.execute("pragma synchronous = normal")
        connection.execute(f"pragma wal_autocheckpoint = {_CHECKPOINT}")
        for schema in ("main", "temp"):
            connection.execute(f"pragma {schema}.cache_size = {_CACHE}")
        if self._format(connection) == FORMAT:
            return
        connection.execute("pragma journal_mode = wal")
        with self._transaction(connection):
            if self._format(connection) < FORMAT:  # no other process was faster
                for statement in _TABLES.split(";"):
                    connection.execute(statement)
                connection.execute(f"pragma user_version = {FORMAT}")

    def _format(self, connection: sqlite3.Connection) -> int:
        found = int(connection.execute("pragma user_version").fetchone()[0])
        if found > FORMAT:
            raise DataError(
                f"{self.path} has format {found}, and this version of judgekit reads formats up to {FORMAT}: update judgekit, "
                "or give another path."
            )
        return found

    @contextmanager
    def _transaction(self, connection: sqlite3.Connection) -> Iterator[None]:
        connection.execute("begin immediate")
        try:
            yield
            connection.execute("commit")
        finally:
            if connection.in_transaction:
                connection.execute("rollback")

    def _unusable(self, error: Exception) -> DataError:
        advice = _ADVICE.get(_kind(error), "make sure that it is not closed, or give another path")
        return DataError(f"{self.path} cannot be used as a store ({error}): {advice}.")


def _kind(error: BaseException) -> int:
    """SQLite's primary error code; 0 for another error."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


class AnswerStore(MutableMapping[str, dict[str, Any]]):
    """Answers as JSON objects by request key, kept in one SQLite file; threads and processes may share it.

    Args:
        path: the file, made with its folder when absent; or a `Database`, which is then shared.

    Raises:
        DataError: the file cannot be used, here or in any method; the message says why and what to do.
    """

    def __init__(self, path: str | Path | Database) -> None:
        self._database = path if isinstance(path, Database) else Database(path)
        self.path = self._database.path

    def __getitem__(self, key: str) -> dict[str, Any]:
        rows = self._database.run("select value from answers where key = ?", key.encode())
        if not rows:
            raise KeyError(key)
        return from_bytes(rows[0][0])

    def __setitem__(self, key: str, value: dict[str, Any]) -> None:
        """Keep an answer. The first one for a key stays: of two that come at the same time, all then see the same."""
        self._database.run(
            "insert or ignore into answers (key, value) values (?, ?)", key.encode(), to_bytes(value)
        )

    def replace(self, key: str, value: dict[str, Any]) -> None:
        """Keep an answer instead of the one that is there."""
        self._database.run(
            "insert into answers (key, value) values (?, ?) on conflict (key) do update set value = excluded.value",
            key.encode(),
            to_bytes(value),
        )

    def __delitem__(self, key: str) -> None:
        if not self._database.run("delete from answers where key = ? returning id", key.encode()):
            raise KeyError(key)

    def __iter__(self) -> Iterator[str]:
        return (bytes(key).decode() for (key,) in self._database.run("select key from answers order by id"))

    def __len__(self) -> int:
        return int(self._database.run("select count(*) from answers")[0][0])

    def __repr__(self) -> str:
        return f"AnswerStore({str(self.path)!r})"

    def __reduce__(self) -> tuple[Any, ...]:  # the file is what is shared, not the connection
        return (AnswerStore, (str(self.path),))

    def close(self) -> None:
        """Close the file; the store cannot be used any more."""
        self._database.close()

    def __enter__(self) -> AnswerStore:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
