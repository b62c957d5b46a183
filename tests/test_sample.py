"""The sample data set that examples and the first run use."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

SAMPLE = Path(__file__).parents[1] / "examples" / "data" / "qa.jsonl"

FIELDS = {
    "id": str,
    "inputs": str,
    "outputs": str,
    "reference_outputs": str,
    "label": bool,
    "kind": str,
    "difficulty": str,
    "language": str,
}
KINDS = {"date", "distractor", "entity", "negation", "number", "paraphrase", "partial", "unit", "yes_no"}


@pytest.fixture(scope="module")
def rows() -> list[dict[str, Any]]:
    return [json.loads(line) for line in SAMPLE.read_text(encoding="utf-8").splitlines()]


def test_every_row_has_the_same_fields(rows: list[dict[str, Any]]) -> None:
    for row in rows:
        assert {name: type(value) for name, value in row.items()} == FIELDS
        assert all(value.strip() == value and value for value in row.values() if isinstance(value, str))


def test_kinds_are_those_of_the_readme(rows: list[dict[str, Any]]) -> None:
    assert {row["kind"] for row in rows} == KINDS
    text = SAMPLE.with_name("README.md").read_text(encoding="utf-8")
    assert all(f"`{kind}`" in text for kind in KINDS)


def test_counts(rows: list[dict[str, Any]]) -> None:
    assert Counter(row["language"] for row in rows) == {"en": 40, "zh": 10, "de": 10}
    assert Counter(row["difficulty"] for row in rows) == {"plain": 36, "hard": 24}


@pytest.mark.parametrize("field", ["language", "difficulty"])
def test_half_of_each_group_is_right(rows: list[dict[str, Any]], field: str) -> None:
    for group in {row[field] for row in rows}:
        labels = [row["label"] for row in rows if row[field] == group]
        assert sum(labels) * 2 == len(labels), group


def test_rows_are_numbered_in_order(rows: list[dict[str, Any]]) -> None:
    assert [row["id"] for row in rows] == [f"qa-{n:03d}" for n in range(1, len(rows) + 1)]


def test_no_question_and_answer_twice(rows: list[dict[str, Any]]) -> None:
    assert len({(row["inputs"], row["outputs"]) for row in rows}) == len(rows)


def test_text_is_readable_as_it_stands() -> None:
    assert "\\u" not in SAMPLE.read_text(encoding="utf-8")
