"""Results over rows in memory and over a store's: the same rows, the same numbers, and what they say of themselves."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgekit.runner.records import Failure, RowResult, Score
from judgekit.runner.results import Results, StoredRows
from judgekit.runs import RunStore


class Recorded:
    """A run of so many rows, which counts how many were decoded."""

    def __init__(self, n: int) -> None:
        self.n, self.read = n, 0

    def __len__(self) -> int:
        return self.n

    def records(self) -> Iterator[dict[str, Any]]:
        for index in range(self.n):
            self.read += 1
            yield row(index).to_dict()


def row(index: int) -> RowResult:
    scores = (Score("right", index % 4 > 0, source="right"), Score("size", index / 2, source="size"))
    return RowResult(index, f"id{index}", inputs={"q": index}, scores=scores, seconds={"target": 0.5})


@pytest.mark.parametrize("index", [0, 3, 9, -1, -10])
def test_a_stored_row_has_its_place(index: int) -> None:
    assert StoredRows(Recorded(10))[index] == row(range(10)[index])


@pytest.mark.parametrize("index", [10, -11])
def test_no_row_beyond_the_ends(index: int) -> None:
    with pytest.raises(IndexError):
        StoredRows(Recorded(10))[index]


@given(st.slices(12))
def test_slices_are_those_of_a_list(part: slice) -> None:
    rows = [row(index) for index in range(12)]
    assert StoredRows(Recorded(12))[part] == rows[part]


def test_an_index_reads_no_further_than_its_row() -> None:
    run = Recorded(1000)
    assert StoredRows(run)[4].id == "id4"
    assert run.read == 5


def test_rows_of_a_real_store_are_those_that_went_in(tmp_path: Path) -> None:
    rows = [row(index) for index in range(5)]
    with RunStore(tmp_path / "runs.db") as store:
        run = store.open("first", metadata={})
        for position in (3, 0, 4, 1, 2):
            run.append(position, 0, b"%d" % position, rows[position].to_dict())
        run.flush()
        stored = Results("first", {}, StoredRows(run))
        assert list(stored) == rows
        assert len(stored) == 5
        assert stored[2] == rows[2]
        assert str(stored.summary()) == str(Results("first", {}, rows).summary())
        run.close()


def test_a_summary_of_a_stored_run_is_small_whatever_its_length() -> None:
    Results("warm", {}, StoredRows(Recorded(10))).summary()
    peaks = []
    for n in (2_000, 20_000):
        results = Results("long", {}, StoredRows(Recorded(n)))
        tracemalloc.start()
        results.summary()
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert (
        peaks[1] - peaks[0]
    ) / 18_000 < 120  # bytes a row: two scores, a time, and what the statistics copy


def test_a_summary_is_made_once() -> None:
    run = Recorded(10)
    results = Results("run", {}, StoredRows(run))
    assert results.summary() is results.summary()
    repr(results)
    results.check("right >= 0")
    assert run.read == 10


def failing(rows: Sequence[RowResult], **facts: Any) -> Results:
    broken = RowResult(99, "x", failures=(Failure("refusal", "it would not", "right"),))
    return Results("night <run>", {}, [*rows, broken], **facts)


def test_repr_is_one_sentence_with_intervals_and_failures() -> None:
    found = repr(failing([row(index) for index in range(8)]))
    assert found == (
        "<Results 'night <run>': 9 rows, $0; right pass rate 0.75 (0.4093 to 0.9285), 1 (refusal 1) failed; "
        "size mean 1.75 (0.7261 to 2.774)>"
    )


def test_repr_says_that_a_run_ended_early() -> None:
    assert repr(failing([], stopped="the budget is spent", left=7)).endswith(
        "right has no score, 1 (refusal 1) failed; stopped: the budget is spent, 7 rows left>"
    )


def test_html_is_escaped() -> None:
    label = RowResult(0, "0", scores=(Score("<b>", "<script>", source="s"),))
    html = Results("<i>", {}, [label])._repr_html_()
    assert "<td>&lt;b&gt;</td>" in html
    assert "&lt;script&gt;" in html
    assert "<script>" not in html
    assert html.startswith("<p>&lt;i&gt;: 1 rows")


def test_nothing_is_no_result() -> None:
    empty = Results("empty", {}, [])
    assert repr(empty) == "<Results 'empty': 0 rows, $0>"
    assert empty.summary().keys == {}


def test_a_page_of_the_run_and_of_the_one_before(tmp_path: Path) -> None:
    results = Results("after", {}, [row(index) for index in range(4)])
    path = results.report(
        tmp_path / "page.html", other=Results("before", {}, [row(index) for index in range(4)])
    )
    assert "after against before" in path.read_text(encoding="utf-8")
