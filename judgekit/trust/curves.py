"""Curves from a judge's score to what people would have said, fitted to a few labels."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

__all__ = ["Curve", "Isotonic", "Line", "Sigmoid", "fit_isotonic", "fit_line", "fit_sigmoid"]


class Curve(Protocol):
    """What a score becomes."""

    def __call__(self, score: float, /) -> float: ...


@dataclass(frozen=True)
class Line:
    """slope * score + intercept, cut at the lowest and highest label; the default leaves scores as they are."""

    slope: float = 1.0
    intercept: float = 0.0
    low: float = -math.inf
    high: float = math.inf

    def __call__(self, score: float) -> float:
        return min(self.high, max(self.low, self.slope * score + self.intercept))


@dataclass(frozen=True)
class Sigmoid:
    """1 / (1 + exp(-(slope * score + intercept)))."""

    slope: float
    intercept: float

    def __call__(self, score: float) -> float:
        return 1 / (1 + math.exp(-max(-700.0, min(700.0, self.slope * score + self.intercept))))


@dataclass(frozen=True)
class Isotonic:
    """Straight between the knots (score, value), level beyond the first and the last."""

    knots: tuple[tuple[float, float], ...]

    def __call__(self, score: float) -> float:
        right = bisect_right(self.knots, (score, math.inf))
        if right == 0 or right == len(self.knots):
            return self.knots[max(0, right - 1)][1]
        (x0, y0), (x1, y1) = self.knots[right - 1 : right + 1]
        return y0 + (y1 - y0) * (score - x0) / (x1 - x0)


def fit_isotonic(scores: Sequence[float], labels: Sequence[float]) -> Isotonic:
    """The never falling curve of least squared error, by pooling adjacent violators (Ayer et al. 1955)."""
    at: dict[float, tuple[float, int]] = {}  # score -> sum of its labels, and how many
    for score, label in zip(scores, labels, strict=True):
        total, count = at.get(score, (0.0, 0))
        at[score] = total + label, count + 1
    blocks: list[tuple[float, float, float, int]] = []  # first score, last score, sum of labels, items
    for score, (total, count) in sorted(at.items()):
        block = (score, score, total, count)
        while blocks and blocks[-1][2] / blocks[-1][3] >= block[2] / block[3]:
            before = blocks.pop()
            block = (before[0], score, before[2] + block[2], before[3] + block[3])
        blocks.append(block)
    knots = {end: total / count for first, last, total, count in blocks for end in (first, last)}
    return Isotonic(tuple(knots.items()))


def fit_line(scores: Sequence[float], labels: Sequence[float]) -> Line:
    """The line of least squared error, its slope shrunk as far as few or noisy labels ask for.

    The factor is Copas' (1983): one less the noise over the explained variance, and never below 0; with nothing
    explained, the line is the labels' mean.
    """
    n = len(scores)
    x, y = sum(scores) / n, sum(labels) / n
    spread = sum((score - x) ** 2 for score in scores)
    slope = sum((s - x) * (t - y) for s, t in zip(scores, labels, strict=True)) / spread if spread else 0.0
    explained = slope**2 * spread
    noise = sum((t - y) ** 2 for t in labels) - explained
    shrunk = slope * max(0.0, 1 - noise / (n - 2) / explained) if n > 2 and explained else 0.0
    return Line(shrunk, y - shrunk * x, min(labels), max(labels))


def fit_sigmoid(scores: Sequence[float], labels: Sequence[float]) -> Sigmoid:
    """A logistic curve by Newton's method, the labels drawn in a little so that it stays finite (Platt 1999)."""
    import numpy as np

    x, y = np.asarray(scores, dtype=float), np.asarray(labels, dtype=float)
    passes = float(y.sum())
    target = np.where(y == 1, (passes + 1) / (passes + 2), 1 / (y.size - passes + 2))
    center, unit = float(x.mean()), float(x.std()) or 1.0
    design = np.column_stack([(x - center) / unit, np.ones_like(x)])
    weights = np.zeros(2)
    for _ in range(100):
        p = 1 / (1 + np.exp(-np.clip(design @ weights, -700, 700)))
        information = design.T @ (design * (p * (1 - p))[:, None])
        step = np.linalg.pinv(information, rcond=1e-12, hermitian=True) @ (design.T @ (target - p))
        largest = float(np.abs(step).max())
        weights = weights + step / max(1.0, largest)
        if largest < 1e-10:
            break
    slope = float(weights[0]) / unit
    return Sigmoid(slope, float(weights[1]) - slope * center)
