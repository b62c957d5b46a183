"""Ranking systems by pairwise verdicts: Bradley-Terry strengths, with their intervals."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from judgekit.errors import DataError
from judgekit.stats.inputs import (
    Column,
    FloatArray,
    IntArray,
    cluster_codes,
    equal_lengths,
    optional_numbers,
    share,
    unit_values,
)
from judgekit.stats.result import Estimate, Interval, interval_or_reason
from judgekit.stats.special import normal_quantile, t_two_sided_quantile

__all__ = ["Ranking", "Strength", "bradley_terry"]

_ONE_CLUSTER = "all games belong to one cluster, and nothing shows how clusters differ"
_ELO_BASE, _ELO_SCALE = 1000.0, 400 / math.log(10)


@dataclass(frozen=True, repr=False, kw_only=True)
class Strength(Estimate):
    """A system's Bradley-Terry log-strength; the mean over systems is 0. `n` counts its games.

    Attributes:
        se: standard error.
        wins: games won, ties counted as a half.
    """

    se: float | None = None
    wins: float

    @property
    def elo(self) -> float | None:
        """The strength on the Elo scale: 1000 is the average, 400 points are odds of 10 to 1."""
        return None if self.value is None else _ELO_BASE + _ELO_SCALE * self.value

    def _facts(self) -> list[str]:
        rating = [] if self.elo is None else [f"Elo {self.elo:.0f}"]
        return [*rating, f"{self.wins:g} wins"]

    def to_dict(self) -> dict[str, Any]:
        """The fields and the Elo rating as JSON values."""
        return {**Estimate.to_dict(self), "elo": self.elo}


@dataclass(frozen=True, repr=False)
class Ranking:
    """Systems from the strongest to the weakest.

    Attributes:
        strengths: one for each system.
        n: games.
        missing: games left out for want of an outcome.
        reason: why the strengths are None, else None.
    """

    strengths: tuple[Strength, ...]
    n: int
    missing: int = 0
    reason: str | None = None

    def __getitem__(self, name: str) -> Strength:
        for strength in self.strengths:
            if strength.name == name:
                return strength
        msg = f"no system is called {name!r}; there are {', '.join(s.name for s in self.strengths)}"
        raise KeyError(msg)

    def probability(self, first: str, second: str) -> float | None:
        """The chance that the first beats the second, or None where the strengths are undefined."""
        a, b = self[first].value, self[second].value
        return None if a is None or b is None else 1 / (1 + math.exp(b - a))

    def __repr__(self) -> str:
        if self.reason is not None:
            return f"the ranking is undefined: {self.reason}"
        return "; ".join(f"{place}. {strength!r}" for place, strength in enumerate(self.strengths, start=1))

    def to_dict(self) -> dict[str, Any]:
        """The fields as JSON values."""
        rows = [strength.to_dict() for strength in self.strengths]
        return {"strengths": rows, "n": self.n, "missing": self.missing, "reason": self.reason}


def bradley_terry(
    first: Column, second: Column, outcome: Column, *, cluster: Column | None = None, level: float = 0.95
) -> Ranking:
    """Rank systems by games between two of them (Bradley & Terry 1952), as chatbot arenas do.

    P(first beats second) = 1 / (1 + exp(strength of second - strength of first)); a tie is half a win for both
    (Chiang et al. 2024, arXiv:2403.04132). Intervals are normal, from the
    information matrix; where games come in clusters they are from its cluster-robust sandwich.

    Args:
        first: name of one system in each game.
        second: name of the other.
        outcome: 1 where the first won, 0 where the second did, 0.5 for a tie; None where the verdict failed
            (left out and counted).
        cluster: what each game belongs to, such as the prompt; games on one prompt are alike.
        level: confidence level.

    Raises:
        DataError: unequal lengths, a system against itself, or an outcome outside [0, 1].
        ConfigError: the level out of range.
    """
    share(level, "level")
    games = _Games.of(first, second, outcome, cluster)
    wins = games.win_matrix()
    reason = "there is no game with an outcome" if not games.n else _unconnected(wins, games.names)
    if reason is not None:
        rows = [Strength(value=None, interval=None, reason=reason, **record) for record in games.records()]
        return Ranking(tuple(sorted(rows, key=lambda row: -row.wins)), games.n, games.missing, reason)
    values = _maximum_likelihood(wins)
    errors = games.standard_errors(values)
    rows = []
    for place, record in enumerate(games.records()):
        value, se = float(values[place]), None if errors is None else float(errors[place])
        bounds = interval_or_reason(_ONE_CLUSTER if se is None else games.interval(value, se, level))
        rows.append(Strength(value=value, se=se, **bounds, **record))
    return Ranking(tuple(sorted(rows, key=lambda row: -(row.value or 0.0))), games.n, games.missing)


@dataclass(frozen=True)
class _Games:
    names: tuple[str, ...]
    first: IntArray
    second: IntArray
    outcome: FloatArray
    cluster: IntArray | None
    missing: int

    @classmethod
    def of(cls, first: Column, second: Column, outcome: Column, cluster: Column | None) -> _Games:
        n = equal_lengths(first=first, second=second, outcome=outcome)
        players = [str(name) for name in (*first, *second)]
        names = tuple(sorted(set(players)))
        codes = np.array([names.index(name) for name in players], dtype=np.int64)
        scores = optional_numbers(outcome, "outcome")
        unit_values(scores, "outcome", binary=False)
        a, b = codes[:n], codes[n:]
        same = np.flatnonzero(a == b)
        if same.size:
            msg = f"game {same[0]} sets {names[a[same[0]]]!r} against itself; name two systems"
            raise DataError(msg)
        kept = ~np.isnan(scores)
        groups = cluster_codes(cluster, n)
        return cls(
            names,
            a[kept],
            b[kept],
            scores[kept],
            None if groups is None else groups[kept],
            int((~kept).sum()),
        )

    @property
    def n(self) -> int:
        return self.outcome.size

    def win_matrix(self) -> FloatArray:
        """(systems, systems) wins of the row over the column."""
        wins = np.zeros((len(self.names), len(self.names)))
        np.add.at(wins, (self.first, self.second), self.outcome)
        np.add.at(wins, (self.second, self.first), 1 - self.outcome)
        return wins

    def records(self) -> list[dict[str, Any]]:
        """Each system's name, games and wins."""
        wins = self.win_matrix()
        played, won = (wins + wins.T).sum(axis=1), wins.sum(axis=1)
        return [
            {"name": name, "n": round(float(played[row])), "wins": float(won[row])}
            for row, name in enumerate(self.names)
        ]

    def standard_errors(self, strengths: FloatArray) -> FloatArray | None:
        """Standard errors of the strengths; None for games of a single cluster."""
        p = 1 / (1 + np.exp(strengths[self.second] - strengths[self.first]))
        inverse = _laplacian_inverse(_information(self.first, self.second, p * (1 - p), len(self.names)))
        if self.cluster is None:
            return np.sqrt(np.diag(inverse))
        _, groups = np.unique(self.cluster, return_inverse=True)
        clusters = int(groups.max()) + 1
        if clusters < 2:
            return None
        scores = np.zeros((clusters, len(self.names)))
        np.add.at(scores, (groups, self.first), self.outcome - p)
        np.add.at(scores, (groups, self.second), p - self.outcome)
        spread = inverse @ (scores.T @ scores) @ inverse * clusters / (clusters - 1)
        return np.sqrt(np.diag(spread))

    def interval(self, value: float, se: float, level: float) -> Interval:
        """The interval around one strength."""
        if self.cluster is None:
            half, method = normal_quantile((1 + level) / 2) * se, "normal"
        else:
            clusters = np.unique(self.cluster).size
            half, method = t_two_sided_quantile(level, clusters - 1) * se, f"sandwich, {clusters} clusters"
        return Interval(value - half, value + half, level, method)


def _information(first: IntArray, second: IntArray, weight: FloatArray, systems: int) -> FloatArray:
    """(systems, systems) Fisher information of games with p (1 - p) = weight."""
    information = np.zeros((systems, systems))
    for row, column, sign in (
        (first, first, 1),
        (second, second, 1),
        (first, second, -1),
        (second, first, -1),
    ):
        np.add.at(information, (row, column), sign * weight)
    return information


def _laplacian_inverse(information: FloatArray) -> FloatArray:
    """Pseudo-inverse of a matrix whose null space is known: strengths that all move by the same amount."""
    level = np.full(information.shape, 1 / len(information))
    return np.asarray(np.linalg.inv(information + level) - level)


def _unconnected(wins: FloatArray, names: tuple[str, ...]) -> str | None:
    """Why no finite strengths exist: some systems never beat one of the rest (Ford 1957); None where they do exist."""
    reach = (wins > 0) | np.eye(len(names), dtype=bool)
    for _ in range(len(names).bit_length()):
        reach = reach @ reach
    if reach.all():
        return None
    weakest = reach[int(reach.sum(axis=1).argmin())]
    weak = ", ".join(name for name, among in zip(names, weakest, strict=True) if among)
    rest = ", ".join(name for name, among in zip(names, weakest, strict=True) if not among)
    return f"{weak} never won or tied against {rest}, so the difference in strength has no upper bound"


def _maximum_likelihood(wins: FloatArray) -> FloatArray:
    """Log-strengths with mean 0, by Newton's method with steps of at most 1."""
    games, won = wins + wins.T, wins.sum(axis=1)
    strength = np.zeros(len(wins))
    for _ in range(200):
        p = 1 / (1 + np.exp(strength[None, :] - strength[:, None]))
        weight = games * p * (1 - p)
        step = _laplacian_inverse(np.diag(weight.sum(axis=1)) - weight) @ (won - (games * p).sum(axis=1))
        largest = float(np.abs(step).max())
        strength += step / max(1.0, largest)
        if largest < 1e-12:
            break
    return np.asarray(strength - strength.mean())
