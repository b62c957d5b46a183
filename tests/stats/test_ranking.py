"""Bradley-Terry rankings and length-controlled win rates: recovery, coverage, and graphs with no answer."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from judgekit.errors import ConfigError, DataError
from judgekit.stats import bradley_terry, length_controlled_win_rate

TRUE = {"a": 0.8, "b": 0.1, "c": -0.9}


def games(rng: np.random.Generator, n: int, *, ties: float = 0.0) -> tuple[list[str], list[str], list[float]]:
    first, second, outcome = [], [], []
    for _ in range(n):
        one, other = rng.permutation(list(TRUE))[:2]
        won = rng.random() < 1 / (1 + np.exp(TRUE[other] - TRUE[one]))
        first.append(str(one))
        second.append(str(other))
        outcome.append(0.5 if rng.random() < ties else float(won))
    return first, second, outcome


def test_strengths_are_recovered_and_covered() -> None:
    rng, trials, covered = np.random.default_rng(0), 80, 0
    for _ in range(trials):
        found = bradley_terry(*games(rng, 300))
        for name, strength in TRUE.items():
            covered += strength in (found[name].interval or ())
    assert 0.92 <= covered / (3 * trials) <= 0.98


def test_the_likelihood_is_at_its_maximum() -> None:
    """At the estimate each system's expected wins equal its wins, ties counted as halves."""
    first, second, outcome = games(np.random.default_rng(1), 200, ties=0.2)
    found = bradley_terry(first, second, outcome)
    for name in TRUE:
        expected = 0.0
        for one, other in zip(first, second, strict=True):
            if name in {one, other}:
                expected += found.probability(name, other if name == one else one) or 0.0
        assert expected == pytest.approx(found[name].wins)
    assert sum(strength.value or 0 for strength in found.strengths) == pytest.approx(0)
    assert [strength.value for strength in found.strengths] == sorted(
        (strength.value for strength in found.strengths), key=lambda value: -(value or 0)
    )


def test_who_is_named_first_does_not_matter() -> None:
    first, second, outcome = games(np.random.default_rng(2), 100)
    turned = bradley_terry(second, first, [1 - won for won in outcome])
    assert bradley_terry(first, second, outcome)["a"].value == pytest.approx(turned["a"].value)


def test_clusters_of_copied_games_add_nothing() -> None:
    first, second, outcome = games(np.random.default_rng(3), 150)
    plain = bradley_terry(first, second, outcome)
    naive = bradley_terry(first * 4, second * 4, outcome * 4)
    clustered = bradley_terry(first * 4, second * 4, outcome * 4, cluster=list(range(150)) * 4)
    for name in TRUE:
        assert clustered[name].value == pytest.approx(plain[name].value)
        assert naive[name].se == pytest.approx((plain[name].se or 0) / 2)
        assert clustered[name].se == pytest.approx(plain[name].se, rel=0.15)
    assert "sandwich, 150 clusters" in repr(clustered)


def test_a_system_that_never_wins_has_no_finite_strength() -> None:
    found = bradley_terry(["a", "b", "a"], ["b", "a", "c"], [1, 1, 1])
    assert (
        found.reason == "c never won or tied against a, b, so the difference in strength has no upper bound"
    )
    assert [strength.name for strength in found.strengths] == ["a", "b", "c"]
    assert all(strength.value is None and strength.elo is None for strength in found.strengths)
    assert found.probability("a", "c") is None
    assert repr(found).startswith("the ranking is undefined: c never")


def test_separate_leagues_cannot_be_ranked_together() -> None:
    found = bradley_terry(["a", "b", "c", "d"], ["b", "a", "d", "c"], [1, 1, 1, 1])
    assert found.reason is not None


def test_no_games_and_failed_verdicts() -> None:
    assert bradley_terry([], [], []).reason == "there is no game with an outcome"
    found = bradley_terry(["a", "b", "a"], ["b", "a", "b"], [1, 1, None])
    assert (found.n, found.missing) == (2, 1)
    assert bradley_terry(["a"], ["b"], [None]).strengths[0].n == 0
    one = bradley_terry(["a", "b"], ["b", "a"], [1, 1], cluster=["x", "x"])
    assert one["a"].value == pytest.approx(0)
    assert one["a"].interval is None
    assert "one cluster" in str(one["a"].reason)


def test_rankings_are_json_values() -> None:
    found = bradley_terry(["a", "b"], ["b", "a"], [1, 1])
    rows = json.loads(json.dumps(found.to_dict()))
    assert rows["strengths"][0]["elo"] == pytest.approx(1000)
    with pytest.raises(KeyError, match="no system is called 'z'; there are a, b"):
        found["z"]


def test_ranking_errors() -> None:
    with pytest.raises(DataError, match="game 1 sets 'a' against itself"):
        bradley_terry(["a", "a"], ["b", "a"], [1, 1])
    with pytest.raises(DataError, match=r"outcome\[0\] is 2"):
        bradley_terry(["a"], ["b"], [2])
    with pytest.raises(ConfigError, match="level=2"):
        bradley_terry(["a"], ["b"], [1], level=2)


def preferences(rng: np.random.Generator, n: int) -> tuple[Any, Any, Any, float]:
    """A system with long answers: soft preferences, length differences, difficulty, and its rate at equal length."""
    difficulty = rng.normal(size=n)
    longer = rng.normal(300, 400, n) + 100 * difficulty
    base = 0.2 + 0.9 * difficulty
    p = 1 / (1 + np.exp(-(base + 1.2 * np.tanh(longer / longer.std()))))
    return (rng.random(n) < p).astype(float), longer, difficulty, float((1 / (1 + np.exp(-base))).mean())


def test_the_length_controlled_rate_covers_what_equal_lengths_would_give() -> None:
    rng, trials, covered, covered_raw = np.random.default_rng(0), 150, 0, 0
    for _ in range(trials):
        preference, longer, difficulty, truth = preferences(rng, 400)
        found = length_controlled_win_rate(preference, longer, difficulty=difficulty)
        covered += truth in (found.interval or ())
        covered_raw += abs(preference.mean() - truth) < 0.05
    assert covered / trials >= 0.92
    assert covered_raw / trials < 0.2


def test_length_control_by_cluster_and_with_gaps() -> None:
    preference, longer, difficulty, _ = preferences(np.random.default_rng(1), 300)
    plain = length_controlled_win_rate(preference, longer, difficulty=difficulty)
    copied = length_controlled_win_rate(
        np.tile(preference, 3),
        np.tile(longer, 3),
        difficulty=np.tile(difficulty, 3),
        cluster=np.tile(range(300), 3),
    )
    assert copied.value == pytest.approx(plain.value)
    assert plain.interval is not None
    assert copied.interval is not None
    assert copied.interval.width == pytest.approx(plain.interval.width)
    gapped = length_controlled_win_rate([None, *preference], [0, *longer], difficulty=[0, *difficulty])
    assert (gapped.value, gapped.n, gapped.missing) == (plain.value, 300, 1)


def test_equal_difficulty_leaves_length_alone() -> None:
    preference, longer, _, _ = preferences(np.random.default_rng(2), 300)
    zero, five = (length_controlled_win_rate(preference, longer, difficulty=[d] * 300) for d in (0, 5))
    assert zero.value == pytest.approx(five.value)
    assert zero.interval is not None


@pytest.mark.parametrize(
    ("preference", "longer", "words"),
    [
        ([1, 0, 1], [5, 2, 1], "needs 10 items or clusters"),
        ([1, 0] * 10, [5] * 20, "all answers differ equally in length"),
        ([1, 0] * 10, [5, -5] * 10, "no finite model fits"),
    ],
)
def test_degenerate_length_control(preference: list[int], longer: list[int], words: str) -> None:
    found = length_controlled_win_rate(preference, longer, difficulty=np.linspace(-1, 1, len(longer)))
    assert (found.value, found.interval) == (None, None)
    assert words in str(found.reason)
