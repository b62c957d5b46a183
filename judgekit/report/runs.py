"""What the command line says of runs: `judgekit run`, `compare`, `report`, `show` and `ls`."""

from __future__ import annotations

import json
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, redirect_stdout
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import Any

from judgekit.core.equality import shown
from judgekit.errors import DataError
from judgekit.report.terminal import console
from judgekit.runner.checks import CheckReport
from judgekit.runner.evaluating import DEFAULT_STORE, evaluate, load
from judgekit.runner.records import Failure, RowResult
from judgekit.runner.results import Results
from judgekit.runner.tables import text_table
from judgekit.runs import RunInfo, RunStore

__all__ = ["LATEST", "compare_runs", "find_run", "list_runs", "report_run", "run_config", "show_run"]

LATEST = "latest"
"""What stands for the run that was begun last."""


def run_config(
    settings: Mapping[str, Any], conditions: Sequence[str], *, as_json: bool, page: str | None
) -> int:
    """Run an experiment and say what it comes to.

    Args:
        settings: keywords of `judgekit.evaluate`.
        conditions: what is checked of the results.
        as_json: print one JSON document, and nothing else, on standard output.
        page: a file for the HTML page, or None.

    Returns:
        The exit status: 1 when a condition does not hold, a row or a summary evaluator failed, or the run stopped early;
        else 0.

    Raises:
        ConfigError: what is to be run cannot be; or a condition cannot be read, after all else was printed.
    """
    silent: AbstractContextManager[Any] = redirect_stdout(sys.stderr) if as_json else nullcontext()
    with silent:  # a target may print
        results = evaluate(**settings)
    failed = sum(row.failed for row in results)
    if page is not None:
        results.report(page)
    if not as_json:
        _tell(results, failed, settings.get("store", DEFAULT_STORE), page)
    checked = results.check(*conditions) if conditions else None
    status = _status(results, failed, checked)
    if as_json:
        _print_json(_document(results, failed, checked, status))
    elif checked is not None:
        _print(f"\n{checked}")
    return status


def _status(results: Results, failed: int, checked: CheckReport | None) -> int:
    missed = checked is not None and not checked.passed
    return int(bool(failed or missed or results.summary_failures or results.stopped))


def _tell(results: Results, failed: int, store: Any, page: str | None) -> None:
    _print(str(results.summary()))
    for score in results.summary_scores.values():
        _print(f"{score.key}: {score.score}")
    for failure in results.summary_failures:
        _print(f"{failure.source} failed: {failure.message} [{failure.code}]")
    if results.stopped:
        _print(f"stopped early: {results.stopped}")
    if failed and store is not None:
        _print(f"{failed} rows failed: judgekit show {results.name} --failed")
    if page is not None:
        _print(f"page: {page}")


def _document(results: Results, failed: int, checked: CheckReport | None, status: int) -> dict[str, Any]:
    return {
        "name": results.name,
        "rows": len(results),
        "failed_rows": failed,
        "stopped": results.stopped,
        "left": results.left,
        "summary": results.summary().to_dict(),
        "summary_scores": [score.to_dict() for score in results.summary_scores.values()],
        "summary_failures": [failure.to_dict() for failure in results.summary_failures],
        "checks": None if checked is None else checked.to_dict(),
        "exit_status": status,
    }


def compare_runs(
    before: str,
    after: str,
    *,
    store: str | Path,
    as_json: bool,
    page: str | None,
    cluster: str | None = None,
    lower_is_better: Collection[str] = (),
) -> int:
    """Print what changed from one run to another. Names as in `find_run`.

    Args:
        before, after: the two runs.
        store: the file that has them.
        as_json: print one JSON document.
        page: a file for the HTML page of both, or None.
        cluster, lower_is_better: as of `Results.compare`.
    """
    old, new = _loaded(before, store), _loaded(after, store)
    found = new.compare(old, cluster=cluster, lower_is_better=lower_is_better)
    if page is not None:
        new.report(page, other=old)
    if as_json:
        _print_json(found.to_dict())
    else:
        _print(str(found))
    return 0


def report_run(run: str, *, store: str | Path, output: str | None, against: str | None) -> int:
    """Write the HTML page of a run, by default into a file of its name, and print where it is."""
    found = _loaded(run, store)
    other = None if against is None else _loaded(against, store)
    name = "".join(letter if letter.isalnum() or letter in "-_." else "-" for letter in found.name)
    _print(str(found.report(output or f"{name}.html", other=other)))
    return 0


def show_run(
    run: str, row: str | None, *, store: str | Path, failed: bool, as_json: bool, limit: int | None
) -> int:
    """Print the rows of a run, or all there is to know of one.

    Args:
        run: as in `find_run`.
        row: a row's id, or None for all of them.
        store: the file.
        failed: only rows in which something failed.
        as_json: print the rows as one JSON list.
        limit: at most so many rows.

    Raises:
        DataError: there is no row of that id.
    """
    results = _loaded(run, store)
    chosen = (each for each in results if (row is None or each.id == row) and (each.failed or not failed))
    rows = islice(chosen, limit)
    if row is None:
        return _print_list(each.to_dict() for each in rows) if as_json else _print_table(results, rows)
    found = list(rows)
    if not found:
        raise DataError(f"The run {results.name!r} has no {'failed ' if failed else ''}row {row!r}.")
    if as_json:
        return _print_list(each.to_dict() for each in found)
    _print("\n\n".join(map(_detail, found)))
    return 0


def list_runs(*, store: str | Path, as_json: bool) -> int:
    """Print the runs of a store, the newest last."""
    found = _runs(store)
    if as_json:
        return _print_list(asdict(info) for info in found)
    lines = [[info.name, info.created, info.finished or "not finished", f"{info.rows:,}"] for info in found]
    _print(text_table([["name", "created", "finished", "rows"], *lines]))
    return 0


def find_run(name: str, store: str | Path) -> str:
    """The full name of a run.

    Args:
        name: the run's name, its beginning if no other run begins so, or `latest`.
        store: the file that has it.

    Raises:
        DataError: there is no such file or run, or several begin so.
    """
    names = [info.name for info in _runs(store)]
    if name in names:
        return name
    if name == LATEST and names:
        return names[-1]
    begun = [known for known in names if known.startswith(name)]
    if len(begun) > 1:
        raise DataError(f"Several runs begin with {name!r}: {', '.join(begun[-5:])}. Write more of the name.")
    return begun[0] if begun else name  # `load` says which names are close


def _runs(store: str | Path) -> list[RunInfo]:
    if not Path(store).is_file():
        raise DataError(
            f"There is no store {store}: say where it is with --store, or run an experiment first."
        )
    with RunStore(store) as opened:
        return opened.runs()


def _loaded(name: str, store: str | Path) -> Results:
    return load(find_run(name, store), store=store)


def _print_table(results: Results, rows: Iterator[RowResult]) -> int:
    keys = list(results.summary().keys)
    lines = [
        [row.id, str(row.repetition + 1), *(_cell(row, key) for key in keys), _problem(row)] for row in rows
    ]
    _print(text_table([["id", "run", *keys, "failure"], *lines]))
    return 0


def _cell(row: RowResult, key: str) -> str:
    """The score that the summary counts under that name."""
    found = next((each for each in row.scores if key in (each.key, f"{each.source}.{each.key}")), None)
    return "-" if found is None else shown(found.score).strip('"')


def _problem(row: RowResult) -> str:
    return "; ".join(f"{each.source}: {each.code}" for each in _failures(row))


def _failures(row: RowResult) -> list[Failure]:
    return [*([row.error] if row.error is not None else []), *row.failures]


def _detail(row: RowResult) -> str:
    return "\n  ".join([f"{row.id}, run {row.repetition + 1}", *_facts(row), *_asked(row)])


def _facts(row: RowResult) -> Iterator[str]:
    for name in ("inputs", "outputs", "reference_outputs", "metadata"):
        if (value := getattr(row, name)) not in (None, {}):
            yield f"{name}: {value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}"
    for score in row.scores:
        yield f"{score.key}: {score.score}" + (f"  {score.comment}" if score.comment else "")
    for failure in _failures(row):
        yield f"{failure.source} failed: {failure.message} [{failure.code}]"
    for source, seconds in row.seconds.items():
        yield f"{source}: {seconds:.3f} s"


def _asked(row: RowResult) -> Iterator[str]:
    for each in row.exchanges:
        yield f"asked {each.model} for {each.source}{' (remembered)' if each.remembered else ''}"
        yield from (f"  {message['role']}: {message['content']}" for message in each.messages)
        yield f"  answer: {each.answer if each.error is None else each.error}"


def _print(text: str) -> None:
    console().print(text, markup=False, soft_wrap=True)


def _print_json(document: Mapping[str, Any]) -> None:
    sys.stdout.write(json.dumps(document, ensure_ascii=False, indent=2, default=str) + "\n")


def _print_list(items: Iterable[Mapping[str, Any]]) -> int:
    """One JSON list, written as it is read."""
    sys.stdout.write("[")
    for i, item in enumerate(items):
        sys.stdout.write((",\n " if i else "\n ") + json.dumps(item, ensure_ascii=False, default=str))
    sys.stdout.write("\n]\n")
    return 0
