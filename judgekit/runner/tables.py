"""Tables and numbers as plain text and as HTML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING

from judgekit.core.characters import shortened

if TYPE_CHECKING:
    from judgekit.stats.result import Estimate, Interval

__all__ = ["bounded", "estimated", "failed", "html_table", "shortly", "text_table", "times"]

_WIDEST = 60  # characters of a cell


def text_table(lines: Sequence[Sequence[str]]) -> str:
    """Lines of cells in columns, two blanks apart; the first line is the header. A cell is cut to 60 characters."""
    cells = [[_indented(cell) for cell in line] for line in lines]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in cells
    )


def html_table(lines: Sequence[Sequence[str]]) -> str:
    """The same as an HTML table; whatever the cells hold is text."""
    head, *body = ([escape(cell) for cell in line] for line in lines)
    rows = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in line)}</tr>" for line in body)
    return f"<table><thead><tr>{''.join(f'<th>{cell}</th>' for cell in head)}</tr></thead><tbody>{rows}</tbody></table>"


def _indented(cell: str) -> str:
    flat = shortened(cell, _WIDEST)
    return f"  {flat}" if cell.startswith("  ") else flat


def shortly(value: float | None) -> str:
    """A number with four digits, or a dash."""
    return "-" if value is None else f"{value:.4g}"


def bounded(interval: Interval | None) -> str:
    """`(0.72 to 0.88)`, or nothing."""
    return "" if interval is None else f"({shortly(interval.low)} to {shortly(interval.high)})"


def estimated(estimate: Estimate) -> str:
    """`0.81 (0.72 to 0.88)`."""
    return f"{shortly(estimate.value)} {bounded(estimate.interval)}".rstrip()


def failed(failures: Mapping[str, int]) -> str:
    """`3 (rate_limited 2, refusal 1)`, or 0."""
    return times(failures) if failures else "0"


def times(counts: Mapping[str, int]) -> str:
    """How many in all, and of what."""
    return f"{sum(counts.values())} ({', '.join(f'{name} {count}' for name, count in counts.items())})"
