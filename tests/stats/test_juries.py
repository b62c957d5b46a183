"""Juries, positions and probabilities."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from sklearn import metrics

from judgekit.errors import ConfigError, DataError
from judgekit.stats import (
    brier,
    calibration_error,
    dawid_skene,
    effective_votes,
    expected_score,
    jury_votes,
    log_loss,
    position_bias,
)


def jury(seed: int, *, items: int = 600, shared: float = 0.0) -> tuple[list[Any], Any]:
    """Three judges who err on a fifth of the items, the share `shared` of their errors on the same ones."""
    rng = np.random.default_rng(seed)
    human = rng.integers(0, 2, items)
    together, same = rng.random(items) < 0.2, rng.random(items) < shared
    judges = [np.where(np.where(same, together, rng.random(items) < 0.2), 1 - human, human) for _ in range(3)]
    return judges, human


def test_effective_votes_of_independent_and_of_identical_judges() -> None:
    judges, human = jury(0)
    independent = jury_votes(*judges, human=human)
    assert independent.interval is not None
    assert 3.0 in independent.interval
    copied = jury_votes(judges[0], judges[0], judges[0], human=human)
    assert copied.value == pytest.approx(1)
    assert copied.correlation == pytest.approx(1)
    assert copied.error_rates == pytest.approx([float((judges[0] != human).mean())] * 3)


def test_shared_errors_lower_the_votes() -> None:
    judges, human = jury(1, shared=0.5)
    found = jury_votes(*judges, human=human)
    wrong = np.array([judge != human for judge in judges])
    rho = np.corrcoef(wrong)[np.triu_indices(3, 1)].mean()
    assert found.correlation == pytest.approx(rho)
    assert found.value == pytest.approx(effective_votes(3, rho))
    assert "of 3, errors correlated" in repr(found)
    assert json.loads(json.dumps(found.to_dict()))["judges"] == 3


def test_degenerate_juries() -> None:
    perfect = jury_votes([1, 0, 1], [1, 1, 0], human=[1, 0, 1])
    assert (perfect.value, perfect.correlation) == (None, None)
    assert perfect.error_rates == pytest.approx((0, 2 / 3))
    assert "errors correlate with nothing" in str(perfect.reason)
    empty = jury_votes([None], [1], human=[1])
    assert (empty.value, empty.n, empty.missing, empty.error_rates) == (None, 0, 1, ())
    with pytest.raises(ConfigError, match="at least two raters"):
        jury_votes([1], human=[1])
    with pytest.raises(ConfigError, match=r"correlation=-0\.5 is impossible for 3 judges"):
        effective_votes(3, -0.5)
    assert effective_votes(1, 0.5) == 1


def test_dawid_skene_finds_the_bad_rater_and_beats_the_majority() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 500)

    def rater(accuracy: float) -> list[int]:
        return [int(label) for label in np.where(rng.random(500) < accuracy, truth, rng.integers(0, 3, 500))]

    raters = [rater(0.9), rater(0.3), rater(0.3), rater(0.35)]
    found = dawid_skene(*raters)
    majority = [np.bincount(votes, minlength=3).argmax() for votes in zip(*raters, strict=True)]
    assert found.converged
    assert (np.array(found.labels) == truth).mean() > (np.array(majority) == truth).mean()
    diagonals = [np.mean([table[c][c] for c in range(3)]) for table in found.confusion]
    assert int(np.argmax(diagonals)) == 0
    assert np.allclose([sum(row) for row in found.posterior], 1)


def test_dawid_skene_takes_words_gaps_and_unused_labels() -> None:
    rows = (["no", "yes", "yes", None], ["no", "yes", None, "no"], ["no", "no", "yes", "no"])
    a, b, c = (row * 10 for row in rows)
    found = dawid_skene(a, b, c, scale=("no", "yes", "maybe"))
    assert found.labels == ("no", "yes", "yes", "no") * 10
    assert found.prevalence[2] < 0.01
    assert repr(found).startswith("consensus of 3 raters on 40 items: 'no'")
    assert json.loads(json.dumps(found.to_dict()))["n"] == 40
    assert not dawid_skene(a, b, c, iterations=1).converged


def test_dawid_skene_errors() -> None:
    with pytest.raises(DataError, match="item 1 has no label"):
        dawid_skene([1, None], [0, None])
    with pytest.raises(DataError, match="there is no item"):
        dawid_skene([], [])
    with pytest.raises(ConfigError, match="smoothing=-1"):
        dawid_skene([1], [0], smoothing=-1)


def test_a_judge_that_prefers_the_first_place() -> None:
    rng = np.random.default_rng(0)
    flips = rng.random(200) < 0.3
    truth = rng.integers(0, 2, 200)
    found = position_bias(np.where(flips, 1, truth), np.where(flips, 0, truth))
    assert found.value == pytest.approx(1 - flips.mean())
    assert (found.flips_to_first, found.flips_to_second) == (flips.sum(), 0)
    assert found.fairness.value == pytest.approx(-flips.mean())
    assert found.first_rate.interval is not None
    assert found.first_rate.interval.low > 0.5
    assert (found.p_value or 1) < 1e-6
    assert "flips to the first place" in repr(found)


def test_a_fair_judge_and_degenerate_verdicts() -> None:
    fair = position_bias([1, 0, 0.5, 0.9, None], [1, 0, 0.5, 0.6, 1])
    assert (fair.value, fair.n, fair.missing, fair.p_value) == (1.0, 4, 1, 1.0)
    assert fair.first_rate.value == 0.5
    ties = position_bias([0.5, 0.5], [0.5, 0.5])
    assert (ties.value, ties.first_rate.value) == (1.0, None)
    nothing = position_bias([], [])
    assert (nothing.value, nothing.p_value) == (None, None)
    clustered = position_bias([1, 1, 0, 0], [1, 0, 0, 1], cluster=[0, 0, 1, 1])
    assert clustered.interval is not None
    assert "2 clusters" in clustered.interval.method
    with pytest.raises(DataError, match=r"swapped\[0\] is 2"):
        position_bias([1], [2])
    with pytest.raises(DataError, match="cluster has 1"):
        position_bias([1, 0], [1, 0], cluster=[1])


def test_scores_of_probabilities_equal_scikit_learns() -> None:
    rng = np.random.default_rng(0)
    p = rng.random(80)
    y = rng.random(80) < p
    assert brier(p, y).value == pytest.approx(metrics.brier_score_loss(y, p))
    assert log_loss(p, y).value == pytest.approx(metrics.log_loss(y, p))
    assert brier([*p, None], [*y, 1]).missing == 1


def test_calibration_error_sees_overconfidence() -> None:
    rng = np.random.default_rng(1)
    p = rng.random(4000)
    honest = calibration_error(p, rng.random(4000) < p)
    boasting = calibration_error(np.where(p > 0.5, 0.95, 0.05), rng.random(4000) < p)
    assert (honest.value or 1) < 0.05
    assert boasting.interval is not None
    assert boasting.interval.low > 0.15
    assert calibration_error([1.0, 0.0], [1, 0], bins=1).value == 0.0
    assert calibration_error([None], [1]).value is None


def test_probabilities_that_cannot_be_scored() -> None:
    with pytest.raises(DataError, match=r"probability\[1\] is 0 and wrong"):
        log_loss([0.5, 0.0], [1, 1])
    assert log_loss([1.0, 0.5], [1, None]).value == 0.0
    with pytest.raises(DataError, match=r"probability\[0\] is 1.2"):
        brier([1.2], [1])


def test_expected_scores() -> None:
    found = expected_score({"1": -0.1, "2": -3.0, "x": -4.0}, {"1": 0.0, "2": 1.0, "3": 2.0})
    weights = np.exp([-0.1, -3.0])
    assert found.value == pytest.approx(weights[1] / weights.sum())
    assert found.mass == pytest.approx(weights.sum())
    assert "of the probability" in repr(found)
    none = expected_score({"x": 0.0}, {"1": 1.0})
    assert (none.value, none.mass) == (None, 0.0)
    assert repr(none) == "expected score is undefined: none of 1 is among the tokens"
    assert json.loads(json.dumps(none.to_dict()))["value"] is None
    with pytest.raises(ConfigError, match="scores names no token"):
        expected_score({"1": 0.0}, {})
