"""A file that remembers: answers by the hash of their request, in SQLite.

A rowid table with a unique BLOB key in WAL mode: many processes may share one file, and what was written
survives a killed process.
"""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Iterator, MutableMapping
from pathlib import Path
from typing import Any

from judgekit.errors import DataError

__all__ = ["AnswerStore"]

_SCHEMA = "create table if not exists answers (id integer primary key, key blob not null unique, value blob not null)"


class AnswerStore(MutableMapping[str, dict[str, Any]]):
    """Answers as JSON objects by request key, kept in one SQLite file; threads may share it.

    Args:
        path: the file; made, with its folder, when absent.

    Raises:
        DataError: the file is no SQLite database or cannot be written.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._lock = threading.Lock()
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._database = sqlite3.connect(
                self.path, check_same_thread=False, isolation_level=None, timeout=30
            )
            self._database.execute("pragma journal_mode = wal")
            self._database.execute("pragma synchronous = normal")
            self._database.execute(_SCHEMA)
        except (sqlite3.Error, OSError) as error:
            raise DataError(f"{self.path} cannot be used as a store of answers: {error}.") from error

    def __getitem__(self, key: str) -> dict[str, Any]:
        with self._lock:
            row = self._database.execute(
                "select value from answers where key = ?", (key.encode(),)
            ).fetchone()
        if row is None:
            raise KeyError(key)
        found: dict[str, Any] = json.loads(row[0])
        return found

    def __setitem__(self, key: str, value: dict[str, Any]) -> None:
        """Keep an answer. The first one for a key stays: a store is appended to, never rewritten."""
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
        with self._lock:
            self._database.execute(
                "insert or ignore into answers (key, value) values (?, ?)", (key.encode(), text)
            )

    def __delitem__(self, key: str) -> None:
        with self._lock:
            gone = self._database.execute("delete from answers where key = ?", (key.encode(),)).rowcount
        if not gone:
            raise KeyError(key)

    def __iter__(self) -> Iterator[str]:
        with self._lock:
            rows = self._database.execute("select key from answers order by id").fetchall()
        return (bytes(key).decode() for (key,) in rows)

    def __len__(self) -> int:
        with self._lock:
            (count,) = self._database.execute("select count(*) from answers").fetchone()
        return int(count)

    def close(self) -> None:
        with self._lock:
            self._database.close()

    def __enter__(self) -> AnswerStore:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
