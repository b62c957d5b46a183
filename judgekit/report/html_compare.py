"""Two experiments on one page: the difference of each key with its interval, and the rows that changed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING
from urllib.parse import quote

from judgekit.report.html_markup import Html, el
from judgekit.report.html_plots import Axis, interval_bar
from judgekit.report.html_sections import figure, table
from judgekit.runner.tally import Kind

if TYPE_CHECKING:
    from judgekit.runner.comparison import Change, KeyComparison, RunComparison

__all__ = ["comparison", "row_link"]

_LISTED = 20  # changes of one key
_VERDICTS = {"better": "good", "worse": "bad"}
_SURROGATES = re.compile("[\ud800-\udfff]")


def row_link(id_: str) -> str:
    """The fragment that opens a row on the page."""
    return "#row=" + quote(_SURROGATES.sub("\ufffd", id_), safe="")


def comparison(found: RunComparison) -> Html:
    """What is better, what worse, what the data cannot tell; then the rows that changed, truth values first."""
    facts = f"{found.both:,} examples in both experiments"
    for ids, name in ((found.only_here, found.name), (found.only_there, found.other_name)):
        facts += f"; {len(ids):,} only in {name}" if ids else ""
    keys = list(found.keys.values())
    head = [
        "Score",
        "#n",
        f"#{found.other_name}",
        f"#{found.name}",
        "Difference",
        "#",
        "#p",
        "#p adjusted",
        "Verdict",
    ]
    body = [_line(each) for each in keys]
    changed = sorted((each for each in keys if each.changes), key=lambda each: each.kind != "bool")
    return el(
        "section",
        el("h2", "Comparison"),
        el(
            "p",
            f"{facts}. The difference is ",
            el("bdi", found.name),
            " minus ",
            el("bdi", found.other_name),
            ".",
        ),
        [el("p", warning, class_="warning") for warning in found.warnings],
        table(head, body, caption="Differences with their intervals", class_="compared") if keys else None,
        [el("p", "Only in ", el("bdi", run), f": {', '.join(names)}.") for run, names in _alone(found)],
        [_changes(each, is_open=place == 0) for place, each in enumerate(changed)],
        id="comparison",
    )


def _alone(found: RunComparison) -> Iterator[tuple[str, tuple[str, ...]]]:
    if found.keys_here:
        yield found.name, found.keys_here
    if found.keys_there:
        yield found.other_name, found.keys_there


def _line(found: KeyComparison) -> list[Html]:
    off = found.difference
    bounds = None if off is None or off.interval is None else (off.interval.low, off.interval.high)
    p = None if off is None else off.p_value
    told = "" if off is None else _signed(off.value, found.kind)
    if bounds is not None:
        told += f" ({_signed(bounds[0], found.kind)} to {_signed(bounds[1], found.kind)})"
    cells = [f"{found.n:,}", figure(found.other_mean, found.kind), figure(found.mean, found.kind)]
    tone = _VERDICTS.get(found.verdict, "accent")
    bar = None
    if off is not None and off.value is not None:
        axis = Axis.over([off.value, *(bounds or ())], zero=True)
        bar = interval_bar(off.value, bounds, axis, label=f"{found.key}: {told}", tone=tone)
    return [
        el("th", el("bdi", found.key), scope="row"),
        *(el("td", cell, class_="number") for cell in cells),
        el("td", bar, class_="plot"),
        el("td", told, class_="number value"),
        el("td", _p(p), class_="number"),
        el("td", _p(found.p_adjusted), class_="number"),
        el("td", el("span", found.verdict, class_=f"tag {tone}"), el("p", _words(found), class_="note")),
    ]


def _words(found: KeyComparison) -> str:
    return (
        found.explanation.removeprefix(f"{found.key}: ")
        .removeprefix(found.verdict)
        .removeprefix(": ")
        .lstrip()
    )


def _signed(value: float | None, kind: Kind) -> str:
    if value is None:
        return "–"
    shown = f"{value:+.4g}" if kind == "number" else f"{100 * value:+.1f} pp"
    return shown.replace("-", "−")


def _p(value: float | None) -> str:
    if value is None:
        return "–"
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def _changes(found: KeyComparison, *, is_open: bool) -> Html:
    told = f"{len(found.changes):,} of {found.n:,} changed"
    listed = list(found.changes)
    if found.kind == "bool":
        worse = sum(change.size < 0 for change in found.flips)
        told = f"{worse:,} true → false, {len(found.flips) - worse:,} false → true"
        listed.sort(key=lambda change: (not change.is_flip, change.size))
    body = [_change(change) for change in listed[:_LISTED]]
    more = len(listed) - _LISTED
    note = (
        el("p", f"And {more:,} more: choose “Changed only” in the table of rows.", class_="note")
        if more > 0
        else None
    )
    rows = table(
        ["Row", "Before", "After", "Explanation after"], body, caption=f"Rows whose {found.key} changed"
    )
    title = el("summary", el("bdi", found.key), el("small", told))
    return el("details", title, rows, note, open=is_open, class_="changes")


def _change(change: Change) -> list[Html]:
    comment = change.comment_after or ""
    return [
        el("th", el("a", el("bdi", change.id), href=row_link(change.id)), scope="row"),
        el("td", _score(change.before)),
        el("td", _score(change.after)),
        el("td", comment if len(comment) <= 200 else f"{comment[:199]}…", class_="told"),
    ]


def _score(value: bool | float | str) -> Html:
    if isinstance(value, bool):
        return el("span", "true" if value else "false", class_=f"tag {'good' if value else 'bad'}")
    return el("bdi", value if isinstance(value, str) else f"{value:.4g}")
