"""`rank`: systems from the best to the worst by pairwise verdicts, at equal length where lengths are given."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from math import comb
from typing import Any

from judgekit import stats
from judgekit.errors import DataError
from judgekit.runner.pairwise import PairwiseComparison
from judgekit.stats import Ranking
from judgekit.stats.inputs import Column
from judgekit.trust.length import at_equal_length

__all__ = ["rank"]

_WORDS = {"first": 1.0, "second": 0.0, "tie": 0.5}


def rank(
    comparisons: Iterable[Sequence[Any]] | PairwiseComparison,
    *,
    lengths: Iterable[Sequence[float]] | None = None,
    cluster: Column | None = None,
    level: float = 0.95,
) -> Ranking:
    """Rank systems by pairwise verdicts, each strength with its interval (Bradley & Terry 1952).

    Args:
        comparisons: (first system, second system, outcome): the outcome is `first`, `second` or `tie`, a system's name, or
            a number from 1 (the first won) to 0; None where the verdict failed, which is left out and counted. Or what
            `judgekit.compare` returned, whose examples are then the clusters.
        lengths: (of the first answer, of the second) for each comparison, in any one unit. The strengths are then those at
            equal length: what answers win by being longer is taken out, as chatbot arenas do (Li, Angelopoulos & Chiang
            2024).
        cluster: what each comparison belongs to, such as the prompt.
        level: confidence level.

    Raises:
        DataError: an outcome that cannot be read, a system against itself, or columns of unequal lengths.
        ConfigError: the level out of range.
    """
    if isinstance(comparisons, PairwiseComparison):
        games = _games(comparisons)
        cluster = _examples(comparisons) if cluster is None else cluster
    else:
        games = [tuple(game) for game in comparisons]
    for place, game in enumerate(games):
        if len(game) != 3:
            raise DataError(f"comparisons[{place}] is {game!r}: give (first system, second system, outcome).")
    first, second = [str(game[0]) for game in games], [str(game[1]) for game in games]
    outcome = [_outcome(game, place) for place, game in enumerate(games)]
    ranking = stats.bradley_terry(first, second, outcome, cluster=cluster, level=level)
    if lengths is None or ranking.reason is not None:
        return ranking
    longer = [(a - b) / (a + b) if a + b else 0.0 for a, b in lengths]
    if len(longer) != len(games):
        raise DataError(
            f"There are {len(longer)} pairs of lengths for {len(games)} comparisons: give one for each."
        )
    return at_equal_length(ranking, (first, second, outcome), longer, cluster=cluster, level=level)


def _outcome(game: tuple[Any, ...], place: int) -> float | None:
    first, second, said = game
    if said is None or (isinstance(said, int | float) and not isinstance(said, bool)):
        return said
    table = {**_WORDS, str(first): 1.0, str(second): 0.0}
    if not isinstance(said, str) or said not in table:
        raise DataError(
            f"The outcome of comparisons[{place}] is {said!r}: give 'first', 'second', 'tie', one of the two names, a "
            "number from 0 to 1, or None."
        )
    return table[said]


def _games(compared: PairwiseComparison) -> list[tuple[Any, ...]]:
    """Every two experiments of every verdict; ties are halves."""
    return [
        (compared.names[a], compared.names[b], _better(verdict.scores[a], verdict.scores[b]))
        for verdict in compared.preferences
        for a, b in combinations(range(len(compared.names)), 2)
    ]


def _better(a: float, b: float) -> float:
    return 0.5 if a == b else float(a > b)


def _examples(compared: PairwiseComparison) -> list[str]:
    pairs = comb(len(compared.names), 2)
    return [verdict.id for verdict in compared.preferences for _ in range(pairs)]
