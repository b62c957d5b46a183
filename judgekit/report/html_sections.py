"""The parts of the page that stand still: what was run, the scores with their intervals, distributions and slices."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from judgekit.report.html_data import PageRows
from judgekit.report.html_markup import Html, el
from judgekit.report.html_plots import Axis, histogram, interval_bar, share_bar
from judgekit.runner.summary import KeySummary, Summary
from judgekit.runner.tally import Kind, Scores

if TYPE_CHECKING:
    from judgekit.stats.result import Estimate, Interval

__all__ = ["Side", "distributions", "figure", "in_bounds", "overview", "slices", "summary_table", "table"]

_MOST_LABELS = 8
_TONES = {"true": "good", "false": "bad"}


@dataclass(frozen=True)
class Side:
    """One experiment as the page sees it: its results, their summary, and its rows."""

    results: Any
    summary: Summary
    rows: PageRows

    @property
    def name(self) -> str:
        return str(self.results.name)

    def axis(self, key: str) -> Axis:
        """The axis of a key's bars: 0 to 1, or the range of the scores."""
        found = self.scores().get(key)
        return Axis.over(found.values) if found and found.kind == "number" else Axis(0.0, 1.0)

    def scores(self) -> dict[str, Scores]:
        columns = self.rows.columns()
        return {name: self.rows.tally.columns[place] for place, name in columns.items()}


def figure(value: float | None, kind: Kind | None) -> str:
    """A score in words: a percentage where it is a share, else four digits; a dash for none."""
    if value is None:
        return "–"
    return f"{value:.4g}" if kind == "number" else f"{100 * value:.1f}%"


def in_bounds(interval: Interval | None, kind: Kind | None) -> str:
    """`76.1% to 85.2%`, or nothing."""
    if interval is None:
        return ""
    return f"{figure(interval.low, kind)} to {figure(interval.high, kind)}"


def table(head: Sequence[str], body: Sequence[Sequence[Html]], *, caption: str, class_: str = "") -> Html:
    """A table that scrolls by itself; the cells are `td` or `th` elements; a header that starts with `#` is of numbers."""
    titles = [
        el("th", title.lstrip("#"), scope="col", class_="number" if title.startswith("#") else None)
        for title in head
    ]
    made = el(
        "table",
        el("caption", caption, class_="unseen"),
        el("thead", el("tr", titles)),
        el("tbody", [el("tr", list(cells)) for cells in body]),
        class_=class_ or None,
    )
    return el("div", made, class_="scroll", tabindex=0, role="region", aria_label=caption)


def overview(side: Side, *, named: bool) -> Html:
    """What was run, in figures, and who judged; under its name where the page has another title."""
    facts = [
        el("div", el("dt", name), el("dd", value), el("dd", note, class_="note") if note else None)
        for name, value, note in _facts(side)
    ]
    return el(
        "section",
        el("h2", el("bdi", side.name)) if named else None,
        el("dl", facts, class_="facts"),
        _judges(side),
        aria_label=f"Experiment {side.name}",
    )


def _facts(side: Side) -> Iterator[tuple[str, str, str]]:
    summary, total = side.summary, side.rows.total
    yield "Rows", f"{total:,}", f"{summary.repetitions} repetitions" if summary.repetitions > 1 else ""
    share = f"{100 * side.rows.failed / total:.1f}% of rows" if side.rows.failed else ""
    yield "Failed", f"{side.rows.failed:,}", share
    priced = f"no price or no count for {summary.unpriced:,} rows" if summary.cost is None else ""
    yield "Cost", "unknown" if summary.cost is None else f"${summary.cost:,.4f}", priced
    usage = summary.usage
    if usage is None:
        yield "Tokens", "unknown" if side.summary.cost is None else "0", ""
    else:
        spent = f"{usage.input_tokens:,} in, {usage.output_tokens:,} out"
        yield "Tokens", f"{usage.input_tokens + usage.output_tokens:,}", spent
    medians = [timing.p50 for timing in summary.seconds.values()]
    yield (
        "Time",
        f"{sum(medians):.3g} s" if medians else "unknown",
        "medians of a row, added" if medians else "",
    )
    created = side.results.metadata.get("judgekit", {}).get("created")
    if created:
        yield "Started", str(created)[:10], f"{str(created)[11:16]} UTC"


def _judges(side: Side) -> Html | None:
    asked = [source for source, identities in side.rows.judges.items() if any(map(any, identities))]
    sources = dict.fromkeys([*side.summary.seconds, *asked])
    body = [
        [
            el("th", source or "unnamed", scope="row"),
            *(el("td", value) for value in identity),
            *_timed(side.summary, source),
        ]
        for source in sources
        for identity in _identities(side.rows.judges.get(source, {}))
    ]
    if not body:
        return None
    head = ["Evaluator", "Model", "Prompt", "Version", "Hash", "#Median", "#95th percentile"]
    return table(head, body, caption=f"Who judged in {side.name}", class_="judges")


def _identities(found: Mapping[tuple[str, ...], None]) -> list[tuple[str, ...]]:
    known = [(*identity[:3], identity[3].removeprefix("sha256:")[:12]) for identity in found]
    return known or [("", "", "", "")]


def _timed(summary: Summary, source: str) -> list[Html]:
    timing = summary.seconds.get(source)
    shown = ("", "") if timing is None else (f"{timing.p50:.3g} s", f"{timing.p95:.3g} s")
    return [el("td", value, class_="number") for value in shown]


def summary_table(sides: Sequence[Side]) -> Html:
    """The scores of each key with their intervals; two experiments below each other on the same axis."""
    keys = dict.fromkeys(key for side in sides for key in side.summary.keys)
    body = [
        cells
        for key in keys
        for cells in _of_key(key, [side for side in sides if key in side.summary.keys], len(sides) > 1)
    ]
    run = ["Experiment"] if len(sides) > 1 else []
    head = ["Score", *run, "#n", "#Failed", "#Missing", "#Value", "Interval", "95% interval"]
    return el(
        "section",
        el("h2", "Scores"),
        table(head, body, caption="Scores with their intervals", class_="scores"),
    )


def _of_key(key: str, sides: Sequence[Side], several: bool) -> Iterator[list[Html]]:
    axes = [side.axis(key) for side in sides]
    axis = Axis(min(each.low for each in axes), max(each.high for each in axes))
    for place, side in enumerate(sides):
        found = side.summary.keys[key]
        head = el("th", el("bdi", key), el("small", _KINDS[found.kind]), scope="row")
        run = [el("td", side.name)] if several else []
        counts = [el("td", f"{count:,}", class_="number") for count in (found.n, found.failed, found.missing)]
        tone = "accent" if place == 0 else "other"
        yield [head, *run, *counts, *_estimated(found.estimate, found.kind, axis, key, tone)]
        for label, share in found.labels.items():
            count = el("td", f"{found.counts[label]:,}", class_="number")
            rest = [el("td"), el("td"), *_estimated(share, found.kind, Axis(0.0, 1.0), label, tone)]
            yield [
                el("th", el("bdi", label), scope="row", class_="label"),
                *[el("td") for _ in run],
                count,
                *rest,
            ]


_KINDS: dict[Kind | None, str] = {"bool": "pass rate", "number": "mean", "label": "labels", None: "no score"}


def _estimated(estimate: Estimate | None, kind: Kind | None, axis: Axis, name: str, tone: str) -> list[Html]:
    if estimate is None or estimate.value is None:
        return [el("td", "" if kind == "label" else "no score", class_="number"), el("td"), el("td")]
    value, interval = figure(estimate.value, kind), estimate.interval
    told = in_bounds(interval, kind) or f"no interval: {estimate.reason}"
    bounds = None if interval is None else (interval.low, interval.high)
    bar = interval_bar(estimate.value, bounds, axis, label=f"{name}: {value} ({told})", tone=tone)
    return [
        el("td", value, class_="number value"),
        el("td", bar, class_="plot"),
        el("td", told, class_="told"),
    ]


def distributions(sides: Sequence[Side]) -> Html:
    """How the scores of each key are spread."""
    keys = dict.fromkeys(key for side in sides for key in side.scores())
    cards = [
        el(
            "figure",
            el("figcaption", el("bdi", key), el("small", side.name) if len(sides) > 1 else None),
            _distribution(key, side.scores()[key]),
        )
        for key in keys
        for side in sides
        if key in side.scores()
    ]
    return el("section", el("h2", "Distributions"), el("div", cards, class_="cards"))


def _distribution(name: str, scores: Scores) -> Html:
    if scores.kind == "number":
        return histogram(scores.values, label=f"Distribution of {name}, {scores.n:,} scores")
    if scores.kind == "bool":
        passed = int(sum(scores.values))
        counts = {"true": passed, "false": scores.n - passed}
    else:
        words = scores.as_words()
        tally = [0] * len(words.codes)
        for code in words.words:
            tally[code] += 1
        ordered = sorted(words.codes, key=lambda label: -tally[words.codes[label]])
        counts = {label: tally[words.codes[label]] for label in ordered[:_MOST_LABELS]}
        if others := ordered[_MOST_LABELS:]:
            counts[f"{len(others)} other labels"] = sum(tally[words.codes[label]] for label in others)
    body = [_counted(label, count, scores.n) for label, count in counts.items()]
    return table(["Score", "", "#n", "#Share"], body, caption=f"Distribution of {name}", class_="bars")


def _counted(label: str, count: int, total: int) -> list[Html]:
    share = count / total
    told = f"{100 * share:.1f}%"
    return [
        el("th", el("bdi", label), scope="row"),
        el("td", share_bar(share, label=f"{label}: {told}", tone=_TONES.get(label, "accent"))),
        el("td", f"{count:,}", class_="number"),
        el("td", told, class_="number"),
    ]


_MOST_COLUMNS = 6


def slices(side: Side) -> Html | None:
    """The scores by the values of each metadata column that has a few of them."""
    columns = [name for name, counts in side.rows.facets.items() if 2 <= len(counts) <= 12]
    columns = [name for name in columns if max(side.rows.facets[name].values()) > 1]
    if not columns:
        return None
    parts = [_sliced(side, name, is_open=place == 0) for place, name in enumerate(columns[:_MOST_COLUMNS])]
    left = columns[_MOST_COLUMNS:]
    note = el("p", f"Not shown: {', '.join(left)}.", class_="note") if left else None
    return el("section", el("h2", "By slice"), parts, note)


def _sliced(side: Side, column: str, *, is_open: bool) -> Html:
    summary: Summary = side.results.summary(by=column)
    cards = []
    for key, whole in summary.keys.items():
        lines = [
            cells
            for part in summary.slices
            for cells in _in_slice(part.values[0], part.keys[key], side.axis(key))
        ]
        if whole.n:
            head = [column, "#n", "#Value", "Interval", "95% interval"]
            cards.append(
                el(
                    "figure",
                    el("figcaption", el("bdi", key)),
                    table(head, lines, caption=f"{key} by {column}"),
                )
            )
    title = el("summary", el("bdi", column), el("small", f"{len(summary.slices)} values"))
    return el("details", title, el("div", cards, class_="cards wide"), open=is_open, class_="slice")


def _in_slice(value: str | None, found: KeySummary, axis: Axis) -> Iterator[list[Html]]:
    name = "none" if value is None else value
    n = el("td", f"{found.n:,}", class_="number")
    yield [
        el("th", el("bdi", name), scope="row"),
        n,
        *_estimated(found.estimate, found.kind, axis, name, "accent"),
    ]
    for label, share in found.labels.items():
        count = el("td", f"{found.counts[label]:,}", class_="number")
        cells = _estimated(share, "label", Axis(0.0, 1.0), label, "accent")
        yield [el("th", el("bdi", label), scope="row", class_="label"), count, *cells]
