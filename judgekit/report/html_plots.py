"""Plots as inline SVG: interval bars, histograms and shares. Colours are the style sheet's."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from judgekit.report.html_markup import Html, el

__all__ = ["Axis", "histogram", "interval_bar", "share_bar"]

_WIDTH, _HEIGHT = 180, 20
_PAD = 6
_FEW_VALUES = 11


@dataclass(frozen=True)
class Axis:
    """The values that a bar goes from and to; `zero` marks 0 with a line."""

    low: float
    high: float
    zero: bool = False

    @classmethod
    def over(cls, values: Sequence[float], *, zero: bool = False) -> Axis:
        """An axis that shows all values: 0 to 1 where they fit there, symmetric about 0 where `zero` is marked."""
        if zero:
            reach = max(map(abs, values), default=0.0) or 1.0
            return cls(-reach, reach, True)
        low, high = min(values, default=0.0), max(values, default=1.0)
        if low >= 0 and high <= 1:
            return cls(0.0, 1.0)
        return cls(low, high) if low < high else cls(low - 0.5, high + 0.5)

    def x(self, value: float) -> float:
        """Where on the bar a value is, in pixels."""
        share = (value - self.low) / (self.high - self.low)
        return round(_PAD + min(1.0, max(0.0, share)) * (_WIDTH - 2 * _PAD), 1)


def interval_bar(
    value: float | None, bounds: tuple[float, float] | None, axis: Axis, *, label: str, tone: str = "accent"
) -> Html:
    """A dot for the value on a band for its interval; `label` says it to who does not see it."""
    middle = _HEIGHT / 2
    drawn = [el("line", x1=_PAD, x2=_WIDTH - _PAD, y1=middle, y2=middle, class_="track")]
    if axis.zero:
        drawn.append(el("line", x1=axis.x(0), x2=axis.x(0), y1=2, y2=_HEIGHT - 2, class_="zero"))
    if bounds is not None:
        left, right = axis.x(bounds[0]), axis.x(bounds[1])
        width = max(2.0, right - left)
        drawn.append(el("rect", x=left, y=middle - 4, width=width, height=8, rx=4, class_="band"))
    if value is not None:
        drawn.append(el("circle", cx=axis.x(value), cy=middle, r=4, class_="dot"))
    return _svg(_WIDTH, _HEIGHT, label, drawn, f"interval {tone}")


def share_bar(share: float, *, label: str, tone: str = "accent") -> Html:
    """A bar as long as a share of 1."""
    width = round(max(share and 2.0, share * _WIDTH), 1)
    drawn = [
        el("rect", x=0, y=5, width=_WIDTH, height=10, rx=3, class_="rest"),
        el("rect", x=0, y=5, width=width, height=10, rx=3, class_="share"),
    ]
    return _svg(_WIDTH, _HEIGHT, label, drawn, f"interval {tone}")


def histogram(values: Sequence[float], *, label: str) -> Html:
    """How often each value comes, where they are few; else how many fall into each of some equal classes."""
    bins = _bins(values)
    width, height, base = 300, 120, 100
    most = max(count for _, _, count in bins)
    step = width / len(bins)
    gap = 1.0 if len(bins) > _FEW_VALUES else min(8.0, step * 0.2)
    drawn = [el("line", x1=0, x2=width, y1=base + 0.5, y2=base + 0.5, class_="track")]
    for place, (name, _, count) in enumerate(bins):
        tall = round(count / most * (base - 14), 1)
        left, wide = round(place * step + gap / 2, 1), round(step - gap, 1)
        bar = el(
            "rect",
            el("title", f"{name}: {count:,}"),
            x=left,
            y=base - tall,
            width=wide,
            height=tall,
            class_="share",
        )
        drawn.append(bar)
        if len(bins) <= _FEW_VALUES and count:
            drawn.append(el("text", f"{count:,}", x=left + wide / 2, y=base - tall - 4, class_="count"))
    for place, text, anchor in _ticks(bins):
        across = {"start": 0.0, "middle": place * step + step / 2, "end": float(width)}[anchor]
        drawn.append(el("text", text, x=round(across, 1), y=height - 4, class_=f"tick {anchor}"))
    return _svg(width, height, label, drawn, "histogram accent")


Bin = tuple[str, float, int]


def _bins(values: Sequence[float]) -> list[Bin]:
    """(name, lower end, count) of each class."""
    counts = Counter(values)
    if len(counts) <= _FEW_VALUES:
        return [(f"{value:.4g}", value, counts[value]) for value in sorted(counts)]
    step, low = _classes(min(counts), max(counts))
    places = Counter(math.floor((value - low) / step + 1e-9) for value in values)
    last = max(places)
    if last > 0 and places[last] == counts.get(
        low + last * step
    ):  # the largest value ends the class before it
        places[last - 1] += places.pop(last)
    return [
        (f"{low + place * step:.4g} to {low + (place + 1) * step:.4g}", low + place * step, places[place])
        for place in range(max(places) + 1)
    ]


def _classes(low: float, high: float) -> tuple[float, float]:
    """A round width that makes 10 to 25 classes, and where the first begins."""
    rough = (high - low) / 20
    unit = 10.0 ** math.floor(math.log10(rough))
    step = next(unit * factor for factor in (1, 2, 2.5, 5, 10) if unit * factor >= rough)
    return step, math.floor(low / step) * step


def _ticks(bins: Sequence[Bin]) -> list[tuple[int, str, str]]:
    if len(bins) <= _FEW_VALUES:
        return [(place, name, "middle") for place, (name, _, _) in enumerate(bins)]
    end = bins[-1][0].rpartition(" to ")[2]
    return [(0, f"{bins[0][1]:.4g}", "start"), (len(bins), end, "end")]


def _svg(width: int, height: int, label: str, drawn: Sequence[Html], class_: str) -> Html:
    return el(
        "svg",
        el("title", label),
        list(drawn),
        viewBox=f"0 0 {width} {height}",
        width=width,
        height=height,
        role="img",
        aria_label=label,
        class_=class_,
    )
