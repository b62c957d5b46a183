"""One page that shows a run: it needs no network and no server, and nothing in it runs but its own script."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from judgekit._version import __version__
from judgekit.report.html_compare import comparison
from judgekit.report.html_data import Bounds, PageRows, embedded, joined
from judgekit.report.html_markup import Html, el
from judgekit.report.html_sections import Side, distributions, overview, slices, summary_table

if TYPE_CHECKING:
    from judgekit.runner.results import Results

__all__ = ["Bounds", "write_report"]

_SCRIPTS = ("dom.js", "rows.js", "detail.js", "table.js", "page.js")


def write_report(
    results: Results,
    path: str | Path,
    *,
    other: Results | None = None,
    title: str | None = None,
    bounds: Bounds | None = None,
) -> Path:
    """Write the HTML page of a run, or of a run against another one.

    Args:
        results: the run; its rows are read a few times, in order.
        path: the file to write; one that is there is replaced.
        other: the run that it is held against: what was before.
        title: what the page is called; the experiment's name by default.
        bounds: how much the page carries. Rendered prompts, then rows, that are over it are left out and counted.

    Returns:
        The path.

    Raises:
        OSError: the file cannot be written.
    """
    kept = bounds or Bounds()
    sides = [
        Side(each, each.summary(), PageRows.of(each, kept)) for each in (results, other) if each is not None
    ]
    name = title or " against ".join(side.name for side in sides)
    written = Path(path)
    with written.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(_page(name, sides))
    return written


def _page(title: str, sides: Sequence[Side]) -> Iterator[str]:
    style, script = _assets()
    policy = (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; img-src data:; base-uri 'none'; "
        "form-action 'none'"
    )
    yield '<!doctype html>\n<html lang="en">\n<head>\n'
    yield el("meta", charset="utf-8")
    yield f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
    yield el("meta", name="viewport", content="width=device-width, initial-scale=1")
    yield el("meta", name="color-scheme", content="light dark")
    yield el("meta", name="referrer", content="no-referrer")
    yield el("title", title)
    yield f"<style>{style}</style>\n</head>\n<body>\n"
    yield from _body(title, sides)
    yield '\n<script type="application/json" id="data">{"runs":['
    for place, side in enumerate(sides):
        yield from _data(side) if not place else (",", *_data(side))
    yield f"]}}</script>\n<script>{script}</script>\n</body>\n</html>\n"


def _body(title: str, sides: Sequence[Side]) -> Iterator[str]:
    now = f"{datetime.now(UTC):%d %B %Y, %H:%M} UTC"
    header = el(
        "header", el("p", f"judgekit {__version__} · {now}", class_="note"), el("h1", el("bdi", title))
    )
    first = sides[0]
    compared = comparison(first.results.compare(sides[1].results)) if len(sides) > 1 else None
    yield el("a", "Skip to the rows", href="#rows", class_="skip")
    yield el(
        "main",
        header,
        [el("p", notice, class_="warning") for side in sides for notice in _notices(side)],
        el("div", [overview(side, named=side.name != title) for side in sides], class_="runs"),
        compared,
        summary_table(sides),
        distributions(sides),
        slices(first),
        el(
            "section",
            el("h2", "Rows"),
            el("noscript", el("p", "The rows are shown by the page's script, which is switched off.")),
            id="rows",
        ),
    )


def _notices(side: Side) -> Iterator[str]:
    results, rows = side.results, side.rows
    if results.stopped:
        left = "" if results.left is None else f"; {results.left:,} rows were not run"
        yield f"{side.name} ended early: {results.stopped}{left}."
    for failure in results.summary_failures:
        yield f"{side.name}: no verdict of {failure.source} over all rows: {failure.message} [{failure.code}]"
    if rows.with_prompts < len(rows.carried):
        yield (
            f"{side.name}: rendered prompts are kept for the first {rows.with_prompts:,} of {rows.total:,} rows, to keep "
            "this page small; the others have their inputs, outputs, scores and explanations."
        )
    if rows.left_out:
        yield (
            f"{side.name}: the table holds the first {len(rows.carried):,} of {rows.total:,} rows; all figures are of "
            "all rows."
        )


def _data(side: Side) -> Iterator[str]:
    columns = [
        {"name": name, "source": source, "kind": side.summary.keys[name].kind}
        for (source, _), name in side.rows.columns().items()
    ]
    yield f'{{"name":{embedded(side.name)},"columns":{embedded(columns)},"rows":'
    yield from joined(side.rows.carried)
    yield "}"


@cache
def _assets() -> tuple[Html, Html]:
    """The style sheet and the script."""
    folder = files("judgekit.report") / "assets"
    parts = [(folder / name).read_text("utf-8") for name in _SCRIPTS]
    script = "\n".join(['"use strict";\n(() => {', *parts, "})();"])
    return Html((folder / "report.css").read_text("utf-8")), Html(script)


def _hash(text: str) -> str:
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"'sha256-{digest}'"
