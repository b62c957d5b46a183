"""A file that remembers: answers by the hash of their request, in SQLite.

A rowid table with a unique BLOB key in WAL mode: many processes may share one file, and what was written
survives a killed process.
"""

from __future__ import annotations

import json
import sqlite3
import threading
import weakref
from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from judgekit.errors import DataError

__all__ = ["AnswerStore"]

_SCHEMA = "create table if not exists answers (id integer primary key, key blob not null unique, value blob not null)"
_PATIENCE = 30  # seconds for another process to finish writing


class AnswerStore(MutableMapping[str, dict[str, Any]]):
    """Answers as JSON objects by request key, kept in one SQLite file; threads and processes may share it.

    Args:
        path: the file; made, with its folder, when absent.

    Raises:
        DataError: the file is no SQLite database, cannot be written, or is full; here or in any method.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._lock = threading.Lock()
        with self._reported():
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._database = sqlite3.connect(
                self.path, check_same_thread=False, isolation_level=None, timeout=_PATIENCE
            )
            self._close = weakref.finalize(self, self._database.close)
            self._database.execute("pragma journal_mode = wal")
            self._database.execute("pragma synchronous = normal")
            self._database.execute(_SCHEMA)

    def __getitem__(self, key: str) -> dict[str, Any]:
        rows = self._run("select value from answers where key = ?", key.encode())
        if not rows:
            raise KeyError(key)
        found: dict[str, Any] = json.loads(rows[0][0])
        return found

    def __setitem__(self, key: str, value: dict[str, Any]) -> None:
        """Keep an answer. The first one for a key stays: a store is appended to, never rewritten."""
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        # half a character, which models do write, has no bytes; its JSON escape has
        data = text.encode("utf-8", "backslashreplace")
        self._run("insert or ignore into answers (key, value) values (?, ?)", key.encode(), data)

    def __delitem__(self, key: str) -> None:
        if not self._run("delete from answers where key = ? returning id", key.encode()):
            raise KeyError(key)

    def __iter__(self) -> Iterator[str]:
        return (bytes(key).decode() for (key,) in self._run("select key from answers order by id"))

    def __len__(self) -> int:
        return int(self._run("select count(*) from answers")[0][0])

    def __repr__(self) -> str:
        return f"AnswerStore({str(self.path)!r})"

    def __reduce__(self) -> tuple[Any, ...]:  # the file is what is shared, not the connection
        return (AnswerStore, (str(self.path),))

    def close(self) -> None:
        """Close the file; the store cannot be used any more."""
        self._close()

    def __enter__(self) -> AnswerStore:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _run(self, statement: str, *values: bytes) -> list[tuple[Any, ...]]:
        with self._reported(), self._lock:
            return self._database.execute(statement, values).fetchall()

    @contextmanager
    def _reported(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            raise DataError(f"{self.path} cannot be used as a store of answers: {error}.") from error
