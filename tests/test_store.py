"""The store of answers: what is kept, for whom, and what happens to a file that is none."""

from __future__ import annotations

import gc
import pickle
import sqlite3
import threading
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from judgekit.errors import DataError
from judgekit.store import AnswerStore


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "folder" / "answers.sqlite"


@pytest.fixture
def store(path: Path) -> Iterator[AnswerStore]:
    with AnswerStore(path) as opened:
        yield opened


def test_it_is_a_mapping(store: AnswerStore) -> None:
    assert (len(store), list(store), store.get("a"), "a" in store) == (0, [], None, False)
    store["b"] = {"text": "first"}
    store["a"] = {"text": "second"}
    assert (len(store), list(store), store["a"]) == (2, ["b", "a"], {"text": "second"})
    del store["b"]
    assert "b" not in store
    for missing in (lambda: store["b"], lambda: store.__delitem__("b")):
        with pytest.raises(KeyError):
            missing()


def test_the_first_answer_stays(store: AnswerStore) -> None:
    store["a"] = {"text": "first"}
    store["a"] = {"text": "second"}
    assert store["a"] == {"text": "first"}


def test_an_answer_is_replaced_on_demand(store: AnswerStore) -> None:
    store["a"] = {"text": "first"}
    for key in ("a", "new"):
        store.replace(key, {"text": "second"})
    assert dict(store) == {"a": {"text": "second"}, "new": {"text": "second"}}


@pytest.mark.parametrize(
    "value",
    [
        {"text": "東京 café \u2028"},
        {"text": "half a character: \ud800"},
        {"calls": [["score", {"a": [1, None]}]]},
        {},
    ],
)
def test_what_is_kept_comes_back(value: dict[str, Any], store: AnswerStore, path: Path) -> None:
    store["a"] = value
    with AnswerStore(path) as again:
        assert again["a"] == value


def test_threads_may_share_it(store: AnswerStore) -> None:
    def write(number: int) -> None:
        for i in range(20):
            store[f"{number}-{i}"] = {"text": str(i)}
            store["shared"] = {"text": "same"}

    threads = [threading.Thread(target=write, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(store) == 161


def test_another_store_of_the_file_sees_what_is_written(store: AnswerStore, path: Path) -> None:
    with AnswerStore(str(path)) as other:
        store["a"] = {"text": "x"}
        assert other["a"] == {"text": "x"}


def test_what_was_written_survives_without_closing(path: Path) -> None:
    store = AnswerStore(path)
    store["a"] = {"text": "x"}
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        del store
        gc.collect()
    assert [str(warning.message) for warning in told] == []
    with AnswerStore(path) as again:
        assert again["a"] == {"text": "x"}


def test_it_travels_as_its_path(store: AnswerStore, path: Path) -> None:
    store["a"] = {"text": "x"}
    with pickle.loads(pickle.dumps(store)) as again:
        assert again["a"] == {"text": "x"}
    assert repr(store) == f"AnswerStore({str(path)!r})"


def test_a_file_that_is_no_database_is_named(tmp_path: Path) -> None:
    text = tmp_path / "text.sqlite"
    text.write_text("not a database at all, but long enough to be read as one " * 20)
    with pytest.raises(DataError, match=r"text\.sqlite"):
        AnswerStore(text)


def test_a_path_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(DataError, match="file"):
        AnswerStore(file / "answers.sqlite")
    with pytest.raises(DataError, match="cannot be opened or made"):
        AnswerStore(tmp_path)


def test_a_closed_store_says_so(path: Path) -> None:
    store = AnswerStore(path)
    store.close()
    store.close()
    with pytest.raises(DataError, match="closed"):
        store["a"] = {"text": "x"}


def test_a_table_that_is_not_ours_is_an_error_and_not_overwritten(path: Path) -> None:
    path.parent.mkdir()
    with sqlite3.connect(path) as database:
        database.execute("create table answers (something text)")
    database.close()
    with AnswerStore(path) as store, pytest.raises(DataError):
        store["a"] = {"text": "x"}
