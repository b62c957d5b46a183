"""The rows that `prompts.py` judges: answers with human labels, each data set in two halves that share no question."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["HALVES", "TASKS", "Row", "Task", "data_root", "rows_of"]

HALVES = ("choose", "report")
VARIABLE = "JUDGEKIT_SHARED"


@dataclass(frozen=True)
class Row:
    """One answer with its human label; rows of one `group` (a question) are alike and stay in one half."""

    id: str
    group: str
    inputs: str
    outputs: str
    reference_outputs: Any
    human: bool

    @property
    def item(self) -> dict[str, Any]:
        """What the evaluator is called with."""
        return {"inputs": self.inputs, "outputs": self.outputs, "reference_outputs": self.reference_outputs}


@dataclass(frozen=True)
class Task:
    """A data set for one prompt; `read` yields its rows."""

    constant: str
    file: str
    read: Callable[[Path], Iterator[Row]]


def _openqa(path: Path) -> Iterator[Row]:
    """Answers of twelve systems to NQ-open questions (Kamalloo et al. 2023, arXiv 2305.06984)."""
    for fact in _lines(path):
        if fact["gold"] is None:
            continue
        gold = fact["gold"].split(" | ")
        group = str(fact["qid"])
        yield Row(str(fact["id"]), group, fact["question"], fact["answer"], gold, bool(fact["human"]))


def _evalsbench(path: Path) -> Iterator[Row]:
    """Long answers against an expert's grading notes (github.com/explodinggradients/EvalsBench)."""
    for number, fact in enumerate(_lines(path)):
        question = fact["question"]
        passed = fact["target"] == "pass"
        yield Row(str(number), question, question, fact["response"], fact["grading_notes"], passed)


TASKS = {
    "openqa": Task("CORRECTNESS_PROMPT", "openqa_eval/judgments.jsonl", _openqa),
    "evalsbench": Task("CORRECTNESS_PROMPT", "evalsbench/benchmark_df.jsonl", _evalsbench),
}


def data_root(given: str | None) -> Path | None:
    """The folder that holds the data sets: the one given, or `data` in the folder that JUDGEKIT_SHARED names, or in the
    nearest `shared` beside this file or one of its parents."""
    if given is not None:
        return Path(given)
    named = os.environ.get(VARIABLE)
    roots = [Path(named)] if named else [parent / "shared" for parent in Path(__file__).resolve().parents]
    return next((root / "data" for root in roots if (root / "data").is_dir()), None)


def rows_of(task: Task, root: Path, half: str, limit: int, seed: int) -> list[Row]:
    """At most `limit` rows of a half, in an order that depends on the seed alone: more rows begin with the fewer."""
    chosen = [row for row in task.read(root / task.file) if HALVES[_hash(f"judgekit{row.group}") % 2] == half]
    return sorted(chosen, key=lambda row: _hash(f"{seed}:{row.id}"))[:limit]


def _hash(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest())


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)
