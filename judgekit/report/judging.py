"""Judge a file: read the rows, ask, write each outcome as it comes, and say what it comes to."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from judgekit.core.templates import Prompt
from judgekit.datasets import as_items, read_rows
from judgekit.errors import DataError
from judgekit.llm import create_async_llm_as_judge
from judgekit.models.base import Model
from judgekit.models.connect import HOW_TO_CONNECT, connect
from judgekit.models.recorded import recording
from judgekit.report.summary import agreement, summarize
from judgekit.report.terminal import console, progress, show_agreement, show_rows, show_summary
from judgekit.runner.rows import Outcome, evaluate_rows

__all__ = ["judge_file", "library_schema", "load_prompt"]


def judge_file(
    path: str,
    *,
    prompt: str,
    columns: Mapping[str, str],
    label: str | None,
    limit: int | None,
    output: str | None,
    concurrency: int,
    record: str | None,
    scale: Mapping[str, Any],
    judge: Mapping[str, Any],
    model: str | None,
    settings: Mapping[str, Any],
    price: tuple[float, float] | None = None,
) -> int:
    """Judge the rows of a file and print a table and a summary.

    Args:
        path: the file of rows.
        prompt: a shipped prompt's name, or a file.
        columns: argument of the judge -> column.
        label: a column of human verdicts to compare with, or None.
        limit: at most so many rows.
        output: a file for one JSON line a row, written as rows finish, or None.
        concurrency: rows under way at the same time.
        record: a file for raw answers, or None.
        scale: `continuous` and `choices`.
        judge: further arguments of `create_async_llm_as_judge`.
        model: the model string; None uses the reference matcher where rows have a reference.
        settings: further arguments of `connect`.
        price: dollars for a million input and output tokens, to show the cost.

    Returns:
        The exit status: 1 when a row failed, else 0.

    Raises:
        ConfigError: a missing file, column, variable, key or package.
    """
    asked = load_prompt(prompt)
    rows = list(read_rows(path, limit=limit))
    if not rows:
        raise DataError(f"{path} has no rows.")
    connected = _model(model, rows, columns, settings)
    needed = {*asked.required, *(("reference_outputs",) if connected.name == "embedded:match" else ())}
    items = list(as_items(rows, columns, needed=sorted(needed - {"attachments"})))
    evaluator = create_async_llm_as_judge(
        prompt=asked,
        judge=recording(connected, record) if record else connected,
        output_schema=library_schema(prompt),
        **scale,
        **judge,
    )
    with _writer(output) as write, progress("judging", len(items), price) as bar:

        def on_result(outcome: Outcome) -> None:
            write(outcome)
            bar.add(outcome)

        outcomes = evaluate_rows(evaluator, items, concurrency=concurrency, on_result=on_result)
    summary = summarize(outcomes, price)
    show_rows(outcomes)
    show_summary(summary, connected.name, _named(asked, prompt))
    if label is not None:
        show_agreement(agreement(outcomes, label), label)
    return 1 if summary.failed else 0


def load_prompt(name: str) -> Prompt:
    """A shipped prompt by its name, or a file's, where such a file is."""
    from judgekit import prompts

    return prompts.load_file(Path(name)) if Path(name).is_file() else prompts.load(name)


def library_schema(name: str) -> dict[str, Any] | None:
    """The output schema that a shipped prompt of scale `custom` brings; None for others and for files."""
    from judgekit import prompts

    return None if Path(name).is_file() else prompts.output_schema(name)


def _named(prompt: Prompt, given: str) -> str:
    return f"{prompt.name or given} {prompt.version or ''}".strip()


def _model(
    model: str | None, rows: list[dict[str, Any]], columns: Mapping[str, str], settings: Mapping[str, Any]
) -> Model:
    if model is not None or "base_url" in settings:
        return connect(model, **settings)
    column = columns.get("reference_outputs", "reference_outputs")
    if column not in rows[0]:
        raise DataError(
            f"No --model was given, and the rows have no reference ({column!r}) to compare with. {HOW_TO_CONNECT}"
        )
    console().print(
        "No --model was given: embedded:match compares each output with its reference by rule, without a model.",
        markup=False, soft_wrap=True,
    )  # fmt: skip
    return connect("embedded:match", **settings)


@contextmanager
def _writer(output: str | None) -> Iterator[Callable[[Outcome], None]]:
    """Writes one line a row and flushes it, so that what is finished survives."""
    if output is None:
        yield lambda _: None
        return
    try:
        file: IO[str] = Path(output).open("w", encoding="utf-8", errors="replace")  # noqa: SIM115  # closed below
    except OSError as error:
        raise DataError(f"{output} cannot be written: {error.strerror}.") from error
    with file:

        def write(outcome: Outcome) -> None:
            file.write(json.dumps(outcome.to_dict(), ensure_ascii=False, default=str) + "\n")
            file.flush()

        yield write
