"""The demonstration: the shipped sample, judged by three judges through the same code, and what it shows."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import as_file
from importlib.resources.abc import Traversable
from typing import Any

from judgekit.core.templates import Prompt
from judgekit.datasets import read_rows
from judgekit.errors import ConfigError
from judgekit.llm import create_async_llm_as_judge
from judgekit.models.base import Model
from judgekit.models.connect import HOW_TO_CONNECT, connect
from judgekit.prompts import load_file
from judgekit.report.summary import Agreement, Summary, agreement, summarize
from judgekit.report.terminal import console, progress
from judgekit.resources import data_folder
from judgekit.runner.rows import Outcome, evaluate_rows

__all__ = ["Trial", "demo", "sample", "sample_prompt", "sample_recording"]

LABEL = "label"
RECORDED_AS = "recorded (1.5B)"


@dataclass(frozen=True)
class Trial:
    """One judge's run over the sample, or the reason why there was none."""

    judge: str
    outcomes: Sequence[Outcome] = ()
    seconds: float = 0.0
    reason: str | None = None

    @property
    def summary(self) -> Summary:
        return summarize(self.outcomes)

    def agreement(self, difficulty: str | None = None) -> Agreement:
        """Agreement with the labels, on all rows or on those of one difficulty."""
        chosen = [o for o in self.outcomes if difficulty in (None, o.item["difficulty"])]
        return agreement(chosen, LABEL)


def sample(limit: int | None = None) -> list[dict[str, Any]]:
    """The rows of the shipped sample: `inputs`, `outputs`, `reference_outputs`, `label`, `kind`, `difficulty`."""
    with as_file(_data("qa.jsonl")) as path:
        return list(read_rows(path, limit=limit))


def sample_prompt() -> Prompt:
    """The sample's prompt: a few plain lines, which small models follow better than a long rubric."""
    with as_file(_data("same_answer.txt")) as path:
        return load_file(path)


def sample_recording() -> Model:
    """The recorded judge of the sample: what a stronger local model answered to the same requests."""
    with as_file(_data("qa.recorded.jsonl")) as path:
        return connect(f"recorded:{path}")


def _data(name: str) -> Traversable:
    return data_folder("examples/data", "sample_data") / name


def demo(*, limit: int | None = None) -> int:
    """Judge the sample with a recorded, a live local and a rule-based judge, and print what they are worth.

    Returns:
        The exit status: 0. A judge that cannot run here is named with the reason.
    """
    rows = sample(limit)
    trials = [_trial(name, make, rows[::every]) for name, make, every in _JUDGES]
    _show(trials, len(rows))
    return 0


_JUDGES: tuple[tuple[str, Callable[[], Model], int], ...] = (
    (RECORDED_AS, sample_recording, 1),
    (
        "local:smollm2",
        lambda: connect("local:smollm2", readout="logprobs"),
        3,
    ),  # seconds a row on a slow core
    ("embedded:match", lambda: connect("embedded:match"), 1),
)


_HOW_TO_READ = "In brackets: 95 % intervals. Agreement and kappa are with the labels; failed rows have no score and are in no rate."
_WHO_THEY_ARE = (
    "recorded: what a 1.5B model once answered, read like any other answer; local:smollm2: a 135M model, live in this "
    "process, on every third row; embedded:match: no model, a rule that compares words."
)
_WEAKNESS = {"embedded:match": "it compares words, so negation and paraphrase fool it"}


def _trial(name: str, make: Callable[[], Model], rows: Sequence[Mapping[str, Any]]) -> Trial:
    started = time.monotonic()
    try:
        judge = create_async_llm_as_judge(prompt=sample_prompt(), judge=make(), feedback_key="correctness")
        with progress(name, len(rows)) as bar:
            outcomes = evaluate_rows(judge, rows, concurrency=4, on_result=bar.add)
    except ConfigError as error:
        return Trial(name, reason=str(error))
    return Trial(name, outcomes, time.monotonic() - started)


def _show(trials: Sequence[Trial], rows: int) -> None:
    from rich.table import Table

    out = console()
    out.print(
        f"{rows} answers to short questions, each with a reference and a human label: is the answer right?",
        soft_wrap=True,
    )
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("judge", "n", "failed", "pass rate", "agreement", "kappa", "time"):
        table.add_column(column, justify="left" if column == "judge" else "right", no_wrap=True)
    for trial in trials:
        table.add_row(trial.judge, *(_cells(trial) if trial.reason is None else ("-",) * 6))
    out.print(table)
    for sentence in _findings(trials):
        out.print(f"* {sentence}", markup=False, soft_wrap=True)


def _cells(trial: Trial) -> tuple[str, ...]:
    found = trial.agreement()
    summary = trial.summary
    return (
        str(summary.n),
        str(summary.failed),
        _cell(summary.estimate),
        _cell(found.accuracy),
        _cell(found.kappa),
        f"{trial.seconds:.1f} s",
    )


def _cell(estimate: Any) -> str:
    if estimate is None or estimate.value is None:
        return "-"
    if estimate.interval is None:
        return f"{estimate.value:.2f}"
    return f"{estimate.value:.2f} ({estimate.interval.low:.2f}-{estimate.interval.high:.2f})"


def _findings(trials: Sequence[Trial]) -> list[str]:
    """What the table shows, in words, from its own numbers."""
    said = [_HOW_TO_READ, _WHO_THEY_ARE]
    said.extend(f"{trial.judge}: {_finding(trial)}" for trial in trials)
    return [*said, f"Decide nothing with the last two judges. {HOW_TO_CONNECT}"]


def _finding(trial: Trial) -> str:
    if trial.reason is not None:
        return f"did not run. {trial.reason}"
    kappa = trial.agreement().kappa
    plain, hard = (trial.agreement(difficulty).accuracy for difficulty in ("plain", "hard"))
    split = f"right on {_of(plain)} of the plain rows and on {_of(hard)} of the hard ones"
    rate = trial.summary.estimate
    if rate is not None and rate.value in (0.0, 1.0) and rate.n > 1:
        return f"{split}: it said the same of all {rate.n} rows, which is no better than chance."
    if kappa.interval is None:
        return f"{split}; too few rows to say more."
    if kappa.interval.low <= 0:
        return f"{split}; its kappa interval reaches 0, so it may be no better than chance."
    if plain.value is not None and hard.value is not None and hard.value < 0.6 <= plain.value:
        return f"{split}: {_WEAKNESS.get(trial.judge, 'the hard ones are beyond it')}."
    return f"{split}: better than chance."


def _of(estimate: Any) -> str:
    return f"{round((estimate.value or 0) * estimate.n)}/{estimate.n}"
