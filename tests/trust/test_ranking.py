"""`rank`: outcomes in all their forms, runs side by side, and strengths at equal length."""

from __future__ import annotations

import json
import math
import random
from typing import Any

import pytest

import judgekit
from judgekit import stats
from judgekit.errors import DataError
from judgekit.trust import LengthControlledRanking, rank


def test_an_outcome_is_a_word_a_name_or_a_number() -> None:
    words = rank([("a", "b", "first"), ("a", "b", "b"), ("b", "c", "tie"), ("c", "a", 0.0), ("a", "c", None)])
    numbers = stats.bradley_terry(["a", "a", "b", "c", "a"], ["b", "b", "c", "a", "c"], [1, 0, 0.5, 0, None])
    assert words == numbers
    assert (words.n, words.missing) == (4, 1)
    with pytest.raises(DataError, match="comparisons\\[0\\] is 'left'"):
        rank([("a", "b", "left")])
    with pytest.raises(DataError, match="give \\(first system, second system, outcome\\)"):
        rank([("a", "b")])


def test_runs_that_were_compared_are_ranked_with_their_examples_as_clusters() -> None:
    data = [{"id": str(row), "inputs": "q", "outputs": "x" * (row % 3)} for row in range(30)]
    longer = [{**row, "outputs": "x" * (int(str(row["id"])) % 4)} for row in data]
    runs = [
        judgekit.evaluate(None, rows, len_of, store=None, progress=False, experiment=name)
        for name, rows in (("short", data), ("long", longer))
    ]
    compared: Any = judgekit.compare(
        *runs, evaluators=lambda outputs: [float(len(output)) for output in outputs]
    )
    ranking = rank(compared)
    assert [strength.name for strength in ranking.strengths] == ["long", "short"]
    assert ranking.strengths[0].interval is not None
    assert "30 clusters" in ranking.strengths[0].interval.method


def len_of(outputs: str) -> int:
    return len(outputs)


def games(n: int, length_effect: float) -> tuple[list[tuple[str, str, str]], list[tuple[float, float]]]:
    """c > b > a by .5 each; a writes at length, and length wins."""
    rng = random.Random(5)
    strength = {"a": -0.5, "b": 0.0, "c": 0.5}
    played, lengths = [], []
    for _ in range(n):
        first, second = rng.sample(sorted(strength), 2)
        size = tuple(rng.uniform(50, 150) * (3 if name == "a" else 1) for name in (first, second))
        share = (size[0] - size[1]) / (size[0] + size[1])
        odds = strength[first] - strength[second] + length_effect * share
        played.append((first, second, "first" if rng.random() < 1 / (1 + math.exp(-odds)) else "second"))
        lengths.append((size[0], size[1]))
    return played, lengths


def test_strengths_at_equal_length_are_those_behind_the_length() -> None:
    played, lengths = games(3_000, length_effect=4.0)
    assert rank(played).strengths[0].name == "a", "because it is long"
    found = rank(played, lengths=lengths)
    assert isinstance(found, LengthControlledRanking)
    assert [strength.name for strength in found.strengths] == ["c", "b", "a"]
    for name, true in (("a", -0.5), ("b", 0.0), ("c", 0.5)):
        interval = found[name].interval
        assert interval is not None
        assert true in interval
    effect = found.length_effect
    assert effect is not None
    assert effect.interval is not None
    assert effect.interval.low > 0
    assert json.loads(json.dumps(found.to_dict()))["length_effect"]["value"] == effect.value
    assert "effect of length" in repr(found)


def test_equal_lengths_change_nothing_and_clusters_reach_the_interval() -> None:
    played, _ = games(200, length_effect=0.0)
    plain = rank(played)
    same = rank(played, lengths=[(9, 9)] * 200)
    for strength in plain.strengths:
        assert same[strength.name].value == pytest.approx(strength.value, abs=1e-8)
        assert same[strength.name].se == pytest.approx(strength.se, abs=1e-8)
    cluster = [row // 4 for row in range(200)]
    clustered, beside = rank(played, cluster=cluster), rank(played, lengths=[(9, 9)] * 200, cluster=cluster)
    for strength in clustered.strengths:
        assert beside[strength.name].se == pytest.approx(strength.se, abs=1e-8)
        assert beside[strength.name].interval is not None
        assert "50 clusters" in repr(beside[strength.name].interval)


def test_lengths_that_decide_every_game_leave_no_finite_model() -> None:
    played = [("a", "b", "first"), ("a", "b", "second")] * 10
    found = rank(played, lengths=[(9, 1), (1, 9)] * 10)
    assert found.reason == "length separates the wins from the losses, so no finite model fits"
    assert all(strength.value is None for strength in found.strengths)
    with pytest.raises(DataError, match="1 pairs of lengths for 20"):
        rank(played, lengths=[(1, 2)])
