"""What a run over a dataset returns: LangChain's dict of rows, over judgekit's results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from judgekit.runner.exports import data_frame
from judgekit.runner.records import Failure, RowResult, Score
from judgekit.runner.results import Results
from judgekit.runner.tally import key_names

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Feedback", "TestResult"]


@dataclass(frozen=True)
class Feedback:
    """One evaluator's result for one example, or for all.

    Attributes:
        key: what was evaluated.
        score: a number or a bool; None when the verdict is a label, or there is none.
        value: the verdict as a word, where it has one.
        comment: why.
        error: why there is no verdict, or None.
    """

    key: str
    score: float | bool | None = None
    value: str | None = None
    comment: str | None = None
    error: Failure | None = None


class TestResult(dict[str, Any]):
    """A run's `project_name`, `results` by example id, and `aggregate_metrics` of the batch evaluators.

    Each of the `results` has `input`, `feedback`, `execution_time` in seconds and `run_id` (None: nothing was traced);
    `reference` where there is one; and `output`, or `Error`, the `Failure` that says why there is none.

    Attributes:
        run: the same run as judgekit's `Results`, which can be summed up, compared, checked and reported.
    """

    __test__ = False  # no test, whatever its name

    def __init__(self, run: Results) -> None:
        rows = list(run.rows)
        names = key_names(dict.fromkeys((score.source, score.key) for row in rows for score in row.scores))
        metrics = [_feedback(score, score.key) for score in run.summary_scores.values()]
        super().__init__(
            project_name=run.name,
            results={row.id: _row(row, names) for row in rows},
            aggregate_metrics=[*metrics, *map(_failed, run.summary_failures)],
        )
        self.run = run

    def to_dataframe(self) -> pd.DataFrame:
        """One line an example, by its id: `inputs.NAME`, `outputs.NAME` (or `output`), `reference.NAME` (or `reference`);
        `feedback.KEY`, the score or the label; `value.KEY`, `comment.KEY` and `feedback_error.KEY` where there are any;
        `error`, `execution_time`, `run_id`.

        Raises:
            MissingDependencyError: pandas is not installed.
        """
        results: Mapping[str, Mapping[str, Any]] = self["results"]
        frame = data_frame(map(_line, results.values()))
        frame.index = list(results)
        return frame

    def get_aggregate_feedback(self) -> pd.DataFrame:
        """The statistics of each score, of the errors and of the times, as pandas' `describe` has them; true and false
        count as 1 and 0.

        Raises:
            MissingDependencyError: pandas is not installed.
        """
        frame = self.to_dataframe()
        kept = [name for name in frame.columns if name.startswith("feedback") or name in _MEASURES]
        described = frame[kept].copy()
        for name in kept:
            known = described[name].dropna()
            if len(known) and all(isinstance(value, bool) for value in known):
                described[name] = described[name].astype(float)
        return described.describe(include="all")


_MEASURES = ("error", "execution_time", "run_id")


def _row(row: RowResult, names: Mapping[tuple[str, str], str]) -> dict[str, Any]:
    scores = [_feedback(score, names[score.source, score.key]) for score in row.scores]
    found: dict[str, Any] = {
        "input": row.inputs,
        "feedback": [*scores, *map(_failed, row.failures)],
        "execution_time": row.seconds.get("target"),
        "run_id": None,
    }
    if row.error is None:
        found["output"] = row.outputs
    else:
        found["Error"] = row.error
    if row.reference_outputs is not None:
        found["reference"] = row.reference_outputs
    return found


def _feedback(score: Score, name: str) -> Feedback:
    if isinstance(score.score, str):
        return Feedback(name, None, score.score, score.comment)
    value = (score.metadata or {}).get("value")
    return Feedback(name, score.score, None if value is None else str(value), score.comment)


def _failed(failure: Failure) -> Feedback:
    return Feedback(failure.source, comment=f"{failure.message} [{failure.code}]", error=failure)


def _line(result: Mapping[str, Any]) -> dict[str, Any]:
    error: Failure | None = result.get("Error")
    return {
        **_cells("inputs", "input", result["input"]),
        **_cells("outputs", "output", result.get("output")),
        **_cells("reference", "reference", result.get("reference")),
        **dict(_feedback_cells(result["feedback"])),
        "error": None if error is None else f"{error.message} [{error.code}]",
        "execution_time": result["execution_time"],
        "run_id": result["run_id"],
    }


def _cells(several: str, one: str, value: Any) -> dict[str, Any]:
    if isinstance(value, Mapping):
        return {f"{several}.{name}": each for name, each in value.items()}
    return {} if value is None else {one: value}


def _feedback_cells(feedback: Sequence[Feedback]) -> Iterable[tuple[str, Any]]:
    for each in feedback:
        if each.error is not None:
            yield f"feedback_error.{each.key}", each.comment
            continue
        yield f"feedback.{each.key}", each.value if each.score is None else each.score
        if each.value is not None and each.score is not None:
            yield f"value.{each.key}", each.value
        if each.comment is not None:
            yield f"comment.{each.key}", each.comment
