"""Tables, the progress bar and sentences for a terminal."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from judgekit.report.summary import Agreement, Summary, dollars, score_of, tokens_of
from judgekit.runner.rows import Outcome

if TYPE_CHECKING:
    from rich.console import Console

__all__ = [
    "Progress",
    "console",
    "cost",
    "progress",
    "show_agreement",
    "show_rows",
    "show_summary",
    "with_interval",
]

_SHOWN = 10


def console() -> Console:
    """The terminal, or a plain 100 columns when the output goes elsewhere."""
    from rich.console import Console

    return Console(highlight=False, width=None if sys.stdout.isatty() else 100, soft_wrap=False)


class Progress:
    """Counts rows as they come and keeps the bar's words right."""

    def __init__(self, bar: Any, task: Any, price: tuple[float, float] | None) -> None:
        self._bar = bar
        self._task = task
        self._price = price
        self._started = time.monotonic()
        self._done = 0
        self._failed = 0
        self._tokens = (0, 0)

    def add(self, outcome: Outcome) -> None:
        self._done += 1
        self._failed += outcome.failure is not None
        sent, said = tokens_of(outcome) or (0, 0)
        self._tokens = (self._tokens[0] + sent, self._tokens[1] + said)
        rate = self._done / max(time.monotonic() - self._started, 1e-9)
        facts = [f"{rate:.1f} rows/s", f"{self._failed} failed"]
        if any(self._tokens):
            facts.append(cost(self._tokens, self._price))
        self._bar.update(self._task, advance=1, facts=", ".join(facts))


def cost(tokens: tuple[int, int], price: tuple[float, float] | None) -> str:
    """What was spent, in words: dollars where the price is known, else the tokens alone."""
    counted = f"{sum(tokens):,} tokens"
    return counted if price is None else f"{counted}, ${dollars(tokens, price):.4f}"


@contextmanager
def progress(title: str, total: int | None, price: tuple[float, float] | None = None) -> Iterator[Progress]:
    """A bar on the error stream with the rate, failures and cost; only where a person is looking."""
    from rich import progress as bars
    from rich.console import Console

    bar = bars.Progress(
        bars.TextColumn("{task.description}"),
        bars.BarColumn(),
        bars.MofNCompleteColumn(),
        bars.TextColumn("{task.fields[facts]}"),
        bars.TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
        disable=not sys.stderr.isatty(),
    )
    with bar:
        yield Progress(bar, bar.add_task(title, total=total, facts=""), price)


def show_rows(outcomes: Sequence[Outcome]) -> None:
    """A table of the first rows."""
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("row", "score", "comment or error"):
        table.add_column(name, no_wrap=name != "comment or error", overflow="fold")
    for outcome in outcomes[:_SHOWN]:
        given = outcome.item.get("id")
        row = str(outcome.index + 1 if given is None else given)
        if outcome.failure is not None:
            table.add_row(
                escape(row), "failed", escape(_short(f"{outcome.failure.code}: {outcome.failure.message}"))
            )
        else:
            said = outcome.result.get("comment") if isinstance(outcome.result, dict) else None
            score = score_of(outcome)
            table.add_row(
                escape(row),
                escape(_written(outcome.result if score is None else score)),
                escape(_short(said or "")),
            )
    out = console()
    out.print(table)
    if len(outcomes) > _SHOWN:
        out.print(f"... and {len(outcomes) - _SHOWN} more rows")


def show_summary(summary: Summary, model: str, prompt: str) -> None:
    """One line: n, the rate or mean with its interval, failures."""
    out = console()
    facts = [f"{summary.n} rows judged by {model} with {prompt}"]
    if summary.estimate is not None:
        facts.append(with_interval(summary.estimate))
    if summary.counts:
        facts.append(", ".join(f"{label}: {count}" for label, count in sorted(summary.counts.items())))
    kinds = ", ".join(f"{code} {count}" for code, count in sorted(summary.failures.items()))
    facts.append(f"{summary.failed} failed" + (f" ({kinds})" if kinds else ""))
    if summary.tokens:
        facts.append(cost(summary.tokens, summary.price))
    out.print("; ".join(facts), markup=False, soft_wrap=True)


def show_agreement(found: Agreement, label: str) -> None:
    """One line: how often the judge and the people agree, and kappa."""
    text = f"agreement with {label}: {with_interval(found.accuracy)}; {with_interval(found.kappa)}; n = {found.accuracy.n}"
    console().print(text, markup=False, soft_wrap=True)


def with_interval(estimate: Any) -> str:
    """`pass rate 0.52 (0.40 to 0.64)`; the reason where there is no value."""
    if estimate.value is None:
        return f"{estimate.name} undefined: {estimate.reason}"
    if estimate.interval is None:
        return f"{estimate.name} {estimate.value:.2f}"
    return f"{estimate.name} {estimate.value:.2f} (95 % interval {estimate.interval.low:.2f} to {estimate.interval.high:.2f})"


def _written(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str) if not isinstance(value, str) else value


def _short(text: str, limit: int = 160) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= limit else flat[: limit - 1] + "…"
