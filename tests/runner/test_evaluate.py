"""`evaluate` and `aevaluate`, from data to results."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

import judgekit
from judgekit.core.exchange import Answer, Usage
from judgekit.errors import ConfigError, DataError, RunError
from judgekit.models.scripted import scripted
from judgekit.runner.records import RowResult

DATA = [
    {"id": f"q{n}", "inputs": n, "reference_outputs": 2 * n, "metadata": {"odd": n % 2}} for n in range(6)
]
NEVER = AssertionError("this was to be remembered")
QUIET: dict[str, Any] = {"store": None, "progress": False}


def double(inputs: int) -> int:
    return 2 * inputs


async def adouble(inputs: int) -> int:
    await asyncio.sleep(0)
    return 2 * inputs


def right(outputs: Any, reference_outputs: Any) -> bool:
    return bool(outputs == reference_outputs)


def picky(inputs: int) -> bool:
    if inputs == 3:
        raise ValueError("not this one")
    return True


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "runs.db"


@pytest.mark.parametrize("target", [double, adouble])
@pytest.mark.parametrize("kept", [True, False])
def test_rows_come_back_in_the_order_of_the_data(target: Any, kept: bool, store: Path) -> None:
    found = judgekit.evaluate(target, DATA, [right, picky], store=store if kept else None, progress=False)
    assert [row.id for row in found] == [f"q{n}" for n in range(6)]
    assert [row.outputs for row in found] == [0, 2, 4, 6, 8, 10]
    assert [len(row.scores) for row in found] == [2, 2, 2, 1, 2, 2]
    assert found[3].failures[0].code == "ValueError"
    assert len(found) == 6


def test_sync_and_async_give_the_same() -> None:
    async def both() -> list[RowResult]:
        return list(await judgekit.aevaluate(double, DATA, [right, picky], **QUIET))

    def plain(rows: list[RowResult]) -> list[Any]:
        return [(row.id, row.outputs, row.scores, row.failures) for row in rows]

    assert plain(asyncio.run(both())) == plain(list(judgekit.evaluate(double, DATA, [right, picky], **QUIET)))


def test_it_works_inside_a_running_loop() -> None:
    async def notebook() -> int:
        return len(judgekit.evaluate(adouble, DATA, right, **QUIET))

    assert asyncio.run(notebook()) == 6


def test_data_with_outputs_needs_no_target() -> None:
    rows = [{"outputs": "a", "reference_outputs": "a"}, {"outputs": "b", "reference_outputs": "a"}]
    found = judgekit.evaluate(None, rows, [judgekit.exact_match], **QUIET)
    assert [row.scores[0].score for row in found] == [True, False]


def test_rows_are_read_as_they_are_needed() -> None:
    read = 0

    def rows() -> Iterator[dict[str, Any]]:
        nonlocal read
        for row in DATA:
            read += 1
            yield row

    seen: list[int] = []
    judgekit.evaluate(
        double, rows(), right, store=None, max_concurrency=1, progress=lambda _: seen.append(read)
    )
    assert seen == [1, 2, 3, 4, 5, 6]


def test_an_async_iterator_is_data_for_both() -> None:
    async def rows() -> AsyncIterator[dict[str, Any]]:
        for row in DATA:
            await asyncio.sleep(0)
            yield row

    async def go() -> int:
        return len(await judgekit.aevaluate(double, rows(), right, **QUIET))

    assert len(judgekit.evaluate(double, rows(), right, **QUIET)) == 6
    assert asyncio.run(go()) == 6


def test_columns_are_mapped_and_others_reach_the_evaluators() -> None:
    rows = [{"question": 1, "gold": 2, "context": "given"}]

    def reads(inputs: int, reference_outputs: int, context: str) -> str:
        return f"{inputs} {reference_outputs} {context}"

    columns = {"inputs": "question", "reference_outputs": "gold"}
    found = judgekit.evaluate(double, rows, reads, columns=columns, **QUIET)
    assert found[0].scores[0].score == "1 2 given"


def test_a_failing_target_is_a_failed_row() -> None:
    def target(inputs: int) -> int:
        if inputs == 2:
            raise RuntimeError("down")
        return 2 * inputs

    found = judgekit.evaluate(target, DATA, right, **QUIET)
    assert found[2].error is not None
    assert found[2].scores == ()
    assert sum(row.failed for row in found) == 1
    scored = judgekit.evaluate(target, DATA, right, on_error="score", **QUIET)
    assert scored[2].scores[0].score is False
    with pytest.raises(RunError, match="Row q2: target failed: down"):
        judgekit.evaluate(target, DATA, right, on_error="raise", max_concurrency=1, **QUIET)


def test_repetitions_are_numbered_and_ask_anew(store: Path) -> None:
    judge = judgekit.create_llm_as_judge(
        prompt="{outputs}", judge=scripted(*['{"score": true}', '{"score": false}'] * 2), use_reasoning=False
    )
    settings: dict[str, Any] = {"repetitions": 2, "store": store, "max_concurrency": 1, "progress": False}
    found = judgekit.evaluate(double, DATA[:2], judge, **settings)
    assert [(row.index, row.repetition) for row in found] == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert [row.scores[0].score for row in found] == [True, False, True, False]
    again = judgekit.evaluate(double, DATA[:2], judge, **settings)
    assert [row.scores[0].score for row in again] == [True, False, True, False]
    assert all(exchange.remembered for row in again for exchange in row.exchanges)


def test_summary_evaluators_see_all_rows() -> None:
    def rate(outputs: list[int], reference_outputs: list[int]) -> float:
        return sum(a == b for a, b in zip(outputs, reference_outputs, strict=True)) / len(outputs)

    async def worst(rows: list[RowResult]) -> dict[str, Any]:
        return {
            "key": "worst",
            "score": min(row.scores[0].number or 0.0 for row in rows),
            "comment": "of all",
        }

    def broken(inputs: list[int]) -> float:
        raise KeyError("no")

    found = judgekit.evaluate(adouble, DATA, right, summary_evaluators=[rate, worst, broken], **QUIET)
    assert {key: score.score for key, score in found.summary_scores.items()} == {"rate": 1.0, "worst": 1.0}
    assert [failure.source for failure in found.summary_failures] == ["broken"]


def test_a_run_is_loaded_from_the_store(store: Path) -> None:
    made = judgekit.evaluate(
        double,
        DATA,
        [right, picky],
        store=store,
        experiment="first",
        metadata={"commit": "abc"},
        summary_evaluators=[lambda outputs: len(outputs)],
        progress=False,
    )
    found = judgekit.load("first", store=store)
    assert [row.to_dict() for row in found] == [row.to_dict() for row in made]
    assert found.metadata["commit"] == "abc"
    assert found.summary_scores["evaluator"].score == 6
    assert found.stopped is None
    with pytest.raises(DataError, match="'first'"):
        judgekit.load("frist", store=store)
    with pytest.raises(DataError, match="no store"):
        judgekit.load("first", store=store.with_name("other.db"))


def test_what_is_finished_is_not_done_again_and_what_failed_is(store: Path) -> None:
    calls: list[int] = []
    broken = True

    def target(inputs: int) -> int:
        calls.append(inputs)
        if inputs == 1 and broken:
            raise RuntimeError("down")
        return 2 * inputs

    def moody(inputs: int) -> bool:
        if inputs == 2 and broken:
            raise RuntimeError("not now")
        return True

    settings: dict[str, Any] = {"store": store, "experiment": "e", "progress": False}
    first = judgekit.evaluate(target, DATA, [right, moody], **settings)
    assert sum(row.failed for row in first) == 2
    broken = False
    calls.clear()
    second = judgekit.evaluate(target, DATA, [right, moody], **settings)
    assert calls == [1]
    assert not any(row.failed for row in second)
    assert len(second) == 6


def test_a_new_evaluator_scores_the_old_outputs(store: Path) -> None:
    settings: dict[str, Any] = {"store": store, "experiment": "e", "progress": False}
    judgekit.evaluate(double, DATA, right, **settings)

    def never(inputs: int) -> int:
        raise AssertionError("the outputs are there")

    found = judgekit.evaluate(never, DATA, [right, picky], **settings)
    assert [score.key for score in found[0].scores] == ["right", "picky"]


def test_a_run_is_not_mixed_with_another_judge(store: Path) -> None:
    def judge(prompt: str) -> Any:
        return judgekit.create_llm_as_judge(
            prompt=prompt, judge=scripted(*['{"score": true}'] * 6), use_reasoning=False
        )

    settings: dict[str, Any] = {"store": store, "experiment": "e", "progress": False}
    judgekit.evaluate(double, DATA, judge("{outputs}"), **settings)
    with pytest.raises(ConfigError, match="began with another llm_as_judge"):
        judgekit.evaluate(double, DATA, judge("{outputs}!"), **settings)
    with pytest.raises(ConfigError, match="give the experiment another name"):
        judgekit.evaluate(double, DATA, judge("{outputs}"), resume=False, **settings)


def test_the_same_request_is_paid_once(store: Path) -> None:
    answers = [Answer('{"score": true}', usage=Usage(100, 10)) for _ in range(6)]

    def judged(*script: Any, **settings: Any) -> Any:
        judge = judgekit.create_llm_as_judge(prompt="{outputs}", judge=scripted(*script), use_reasoning=False)
        return judgekit.evaluate(double, DATA, judge, store=store, progress=False, **settings)

    paid = judged(*answers)
    assert all(row.usage == Usage(100, 10) for row in paid)
    free = judged(NEVER)
    assert [row.scores[0].score for row in free] == [True] * 6
    assert all(row.usage is None and row.cost == 0.0 for row in free)
    replayed = judged(NEVER, cache="replay")
    assert [row.scores[0].score for row in replayed] == [True] * 6
    refreshed = judged(*[Answer('{"score": false}')] * 6, cache="refresh")
    assert [row.scores[0].score for row in refreshed] == [False] * 6
    assert [row.scores[0].score for row in judged(NEVER)] == [False] * 6
    off = judged(*answers, cache="off")
    assert [row.scores[0].score for row in off] == [True] * 6


def test_a_replay_says_what_it_does_not_hold(store: Path) -> None:
    judge = judgekit.create_llm_as_judge(prompt="{outputs}", judge=scripted(NEVER), use_reasoning=False)
    found = judgekit.evaluate(double, DATA, judge, store=store, cache="replay", progress=False)
    assert [row.failures[0].code for row in found] == ["not_recorded"] * 6


def test_a_spent_budget_stops_the_run_and_a_larger_one_goes_on(store: Path) -> None:
    asked = 0

    def answer(*_: Any) -> Answer:
        nonlocal asked
        asked += 1
        return Answer('{"score": true}', usage=Usage(1_000_000, 0))

    prices = {"dear": judgekit.Price(1.0, 1.0)}
    model = scripted(answer, name="dear")

    def run(dollars: float) -> Any:
        judge = judgekit.create_llm_as_judge(prompt="{outputs}", judge=model, use_reasoning=False)
        limits = judgekit.Limits(dollars=dollars, prices=prices)
        return judgekit.evaluate(
            double,
            DATA,
            judge,
            store=store,
            experiment="e",
            limits=limits,
            prices=prices,
            max_concurrency=1,
            progress=False,
        )

    first = run(2.5)
    assert first.stopped == "the budget is spent"
    done = sum(bool(row.scores) for row in first)
    assert 1 <= done < 6
    assert asked == done
    second = run(100.0)
    assert second.stopped is None
    assert sum(bool(row.scores) for row in second) == 6
    assert asked == 6


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"max_concurrency": 0}, "max_concurrency is 0"),
        ({"repetitions": "2"}, "repetitions is '2'"),
        ({"cache": "maybe"}, "choose one of on, off, read, refresh, replay"),
        ({"on_error": "ignore"}, "choose one of record, score, raise"),
        ({"cache": "replay", "store": None}, "needs a store"),
    ],
)
def test_wrong_settings_are_errors_before_anything_is_done(settings: Any, words: str, store: Path) -> None:
    with pytest.raises(ConfigError, match=words):
        judgekit.evaluate(double, DATA, right, **{"store": store, "progress": False, **settings})
    assert not store.exists()


def test_a_file_is_data(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text("\n".join(json.dumps(row) for row in DATA), encoding="utf-8")
    assert len(judgekit.evaluate(double, file, right, limit=4, **QUIET)) == 4
    with pytest.raises(DataError, match="There is no file"):
        judgekit.evaluate(double, tmp_path / "row.jsonl", right, **QUIET)


def test_a_broken_row_ends_the_run_and_keeps_what_was_done(tmp_path: Path, store: Path) -> None:
    file = tmp_path / "rows.jsonl"
    lines = [json.dumps(row) for row in DATA]
    file.write_text("\n".join([*lines[:4], "{broken", *lines[4:]]), encoding="utf-8")
    with pytest.raises(DataError, match="line 5"):
        judgekit.evaluate(double, file, right, store=store, experiment="e", progress=False)
    found = judgekit.load("e", store=store)
    assert [row.id for row in found] == ["q0", "q1", "q2", "q3"]
    assert found.stopped == "not finished"
    file.write_text("\n".join(lines), encoding="utf-8")
    assert len(judgekit.evaluate(double, file, right, store=store, experiment="e", progress=False)) == 6


def test_two_runs_of_one_name_at_a_time_are_an_error(store: Path) -> None:
    def nested(inputs: int) -> int:
        judgekit.evaluate(double, DATA, right, store=store, experiment="e", progress=False)
        return 0

    found = judgekit.evaluate(nested, DATA[:1], right, store=store, experiment="e", progress=False)
    assert found[0].error is not None
    assert "is being run" in found[0].error.message
