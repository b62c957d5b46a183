"""`judgekit run`, `compare`, `report`, `show` and `ls`."""

from __future__ import annotations

import argparse
import os
from typing import Any

from judgekit.cli.words import positive

__all__ = ["add_runs"]

_STORE = ".judgekit/runs.db"
_RUN = "a run: its name, the beginning of it, or `latest`"


def add_runs(commands: Any) -> None:
    _add_run(commands)
    _add_compare(commands)
    _add_report(commands)
    _add_show(commands)
    listing = commands.add_parser("ls", help="the runs of a store")
    listing.add_argument("--json", action="store_true", help="as one JSON list")
    _add_store(listing)
    listing.set_defaults(run=_ls)


def _add_run(commands: Any) -> None:
    run = commands.add_parser(
        "run",
        help="run an application over data and score what it answers, as a file says",
        description="Run the experiment that CONFIG (.yaml, .yml, .json, .toml, .py) describes. Exit status 1 when a threshold "
        "was missed, a row failed or the run stopped early, 2 when the command or the file was wrong.",
    )
    run.add_argument("config", metavar="CONFIG", help="the file; paths in it start at its folder")
    run.set_defaults(run=_run)
    what = run.add_argument_group("instead of what the file says")
    what.add_argument("--limit", type=positive, metavar="N", help="only the first N examples")
    what.add_argument(
        "--experiment", metavar="NAME", help="the run's name; a name that is there is gone on with"
    )
    what.add_argument("--repetitions", type=positive, metavar="N", help="how often each example is done")
    what.add_argument(
        "--concurrency",
        type=positive,
        metavar="N",
        dest="max_concurrency",
        help="rows under way at the same time",
    )
    what.add_argument("--model", metavar="PROVIDER:NAME", help="asked by every judge")
    store = what.add_mutually_exclusive_group()
    store.add_argument("--store", metavar="FILE", help=f"where rows and answers are kept (default: {_STORE})")
    store.add_argument("--no-store", action="store_true", help="keep nothing")
    what.add_argument("--no-resume", action="store_true", help="refuse a name that is there")
    what.add_argument(
        "--cache", metavar="MODE", help="on, read, refresh, replay (nothing is sent, no key is needed) or off"
    )
    out = run.add_argument_group("what comes of it")
    out.add_argument(
        "--check",
        action="append",
        default=[],
        metavar="EXPR",
        help="a threshold beside those of the file, as in 'correctness >= 0.8'; may be repeated",
    )
    out.add_argument("--json", action="store_true", help="print one JSON document and nothing else")
    out.add_argument("--report", metavar="FILE.html", help="write the HTML page")


def _add_compare(commands: Any) -> None:
    compare = commands.add_parser(
        "compare", help="what changed from one run to another, and whether data can tell"
    )
    compare.add_argument("before", metavar="BEFORE", help=_RUN)
    compare.add_argument("after", metavar="AFTER", help="the run after the change")
    compare.add_argument(
        "--cluster", metavar="COLUMN", help="a metadata column that says which examples belong together"
    )
    compare.add_argument(
        "--lower-is-better", action="append", default=[], metavar="KEY", help="may be repeated"
    )
    compare.add_argument("--json", action="store_true", help="as one JSON document")
    compare.add_argument("--html", metavar="FILE", help="write the HTML page of both")
    _add_store(compare)
    compare.set_defaults(run=_compare)


def _add_report(commands: Any) -> None:
    report = commands.add_parser("report", help="write the HTML page of a run")
    report.add_argument("name", metavar="RUN", help=_RUN)
    report.add_argument("-o", "--output", metavar="FILE.html", help="where to (default: RUN.html)")
    report.add_argument("--against", metavar="OTHER", help="the run before the change, shown beside it")
    _add_store(report)
    report.set_defaults(run=_report)


def _add_show(commands: Any) -> None:
    show = commands.add_parser("show", help="the rows of a run, or all there is to know of one")
    show.add_argument("name", metavar="RUN", help=_RUN)
    show.add_argument("row", nargs="?", metavar="ROW_ID", help="one row, with what its judges were asked")
    show.add_argument("--failed", action="store_true", help="only rows in which something failed")
    show.add_argument("--limit", type=positive, metavar="N", help="only the first N of them")
    show.add_argument("--json", action="store_true", help="as one JSON list")
    _add_store(show)
    show.set_defaults(run=_show)


def _add_store(command: Any) -> None:
    command.add_argument(
        "--store", default=_STORE, metavar="FILE", help=f"the file that has the runs (default: {_STORE})"
    )


def _run(options: argparse.Namespace) -> int:
    if options.cache == "replay":
        os.environ.setdefault("JUDGEKIT_KEYLESS", "1")  # nothing is sent, so judges can be made without a key
    from judgekit.report.runs import run_config
    from judgekit.runner.config import read_config

    config = read_config(options.config, model=options.model)
    names = ("limit", "experiment", "repetitions", "max_concurrency", "store", "cache")
    said = {name: getattr(options, name) for name in names if getattr(options, name) is not None}
    if options.no_store:
        said["store"] = None
    if options.no_resume:
        said["resume"] = False
    return run_config(
        {**config.settings, **said},
        (*config.thresholds, *options.check),
        as_json=options.json,
        page=options.report,
    )


def _compare(options: argparse.Namespace) -> int:
    from judgekit.report.runs import compare_runs

    return compare_runs(
        options.before,
        options.after,
        store=options.store,
        as_json=options.json,
        page=options.html,
        cluster=options.cluster,
        lower_is_better=options.lower_is_better,
    )


def _report(options: argparse.Namespace) -> int:
    from judgekit.report.runs import report_run

    return report_run(options.name, store=options.store, output=options.output, against=options.against)


def _show(options: argparse.Namespace) -> int:
    from judgekit.report.runs import show_run

    return show_run(
        options.name,
        options.row,
        store=options.store,
        failed=options.failed,
        as_json=options.json,
        limit=options.limit,
    )


def _ls(options: argparse.Namespace) -> int:
    from judgekit.report.runs import list_runs

    return list_runs(store=options.store, as_json=options.json)
