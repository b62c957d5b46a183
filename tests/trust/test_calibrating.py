"""Calibrations: the curves against other libraries', and the check that keeps only what helps."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from judgekit.errors import ConfigError, DataError
from judgekit.trust import calibrate
from judgekit.trust.curves import Isotonic, Line, fit_isotonic, fit_line, fit_sigmoid


def overconfident(seed: int, n: int = 300) -> tuple[list[float], list[bool]]:
    """Log-odds said three times too large."""
    rng = np.random.default_rng(seed)
    logit = rng.normal(size=n)
    labels = rng.random(n) < 1 / (1 + np.exp(-logit))
    return (1 / (1 + np.exp(-3 * logit))).tolist(), labels.tolist()


def test_isotonic_is_that_of_scikit_learn() -> None:
    isotonic = pytest.importorskip("sklearn.isotonic")
    rng = np.random.default_rng(0)
    scores = rng.integers(0, 30, size=200) / 30
    labels = (rng.random(200) < scores).astype(float)
    ours = fit_isotonic(scores.tolist(), labels.tolist())
    theirs = isotonic.IsotonicRegression(out_of_bounds="clip").fit(scores, labels)
    at = np.linspace(-0.2, 1.2, 57)
    assert [ours(score) for score in at] == pytest.approx(theirs.predict(at).tolist(), abs=1e-12)


def test_isotonic_curves_between_and_beyond_their_knots() -> None:
    assert fit_isotonic([1, 1, 1], [0, 1, 1]) == Isotonic(((1, 2 / 3),))
    curve = Isotonic(((1, 0.2), (3, 0.6)))
    assert [curve(score) for score in (0, 1, 2, 3, 9)] == pytest.approx([0.2, 0.2, 0.4, 0.6, 0.6])


def test_a_sigmoid_is_platt_s() -> None:
    linear = pytest.importorskip("sklearn.linear_model")
    scores, labels = overconfident(1)
    passes = sum(labels)
    target = [(passes + 1) / (passes + 2) if label else 1 / (len(labels) - passes + 2) for label in labels]
    twice = np.array([[score] for score in scores * 2])  # a soft label is two weighted hard ones
    model = linear.LogisticRegression(C=math.inf, tol=1e-10, max_iter=1000)
    model.fit(
        twice, [1] * len(labels) + [0] * len(labels), sample_weight=target + [1 - soft for soft in target]
    )
    curve = fit_sigmoid(scores, labels)
    assert (curve.slope, curve.intercept) == pytest.approx((model.coef_[0, 0], model.intercept_[0]), rel=1e-4)
    separated = fit_sigmoid([0.1, 0.2, 0.8, 0.9], [0, 0, 1, 1])
    assert 0 < separated(0.1) < 0.5 < separated(0.9) < 1, "finite, though the labels are separated"


def test_a_line_is_shrunk_to_the_mean_when_scores_say_nothing() -> None:
    assert fit_line([1, 2, 3, 4], [2, 4, 6, 8]) == Line(2, 0, 2, 8)
    flat = fit_line([1, 2, 3, 4], [1, 5, 5, 1])
    assert (flat.slope, flat(2.5)) == (0, 3)
    assert fit_line([3, 3], [1, 2])(3) == 1.5


@pytest.mark.parametrize("method", ["platt", "isotonic"])
def test_an_overconfident_judge_is_calibrated(method: str) -> None:
    scores, labels = overconfident(2)
    found = calibrate(scores, labels, method=method)  # type: ignore[arg-type]
    assert found.kept
    assert found.gain.interval is not None
    assert found.gain.value == pytest.approx((found.before.value or 0) - (found.after.value or 0))
    fresh, truth = overconfident(3, 2_000)
    applied = found.apply(fresh)
    assert sum((p - y) ** 2 for p, y in zip(applied, truth, strict=True) if p is not None) < sum(
        (p - y) ** 2 for p, y in zip(fresh, truth, strict=True)
    )
    assert json.loads(json.dumps(found.to_dict()))["kept"] is True


def test_what_does_not_help_is_not_kept() -> None:
    kept = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        scores = rng.random(80)
        labels = rng.random(80) < scores  # calibrated already
        found = calibrate(scores, labels, method="isotonic", seed=seed)
        kept += found.kept
        assert found.kept or found.apply([0.3, None]) == [0.3, None]
    assert kept <= 1


def test_scores_that_are_off_by_a_line_are_brought_to_people_s_scale() -> None:
    rng = np.random.default_rng(4)
    human = rng.integers(1, 6, size=60).astype(float)
    judge = 5 + 0.5 * human + rng.normal(scale=0.3, size=60)
    found = calibrate(judge, human)
    assert (found.method, found.kept) == ("line", True)
    assert found.before.name == "squared error before"
    assert (found.after.value or 9) < 0.6 < (found.before.value or 0)
    assert all(1 <= (value or 0) <= 5 for value in found.apply([0.0, 6.0, 99.0]))


def test_a_cluster_is_never_both_fitted_to_and_tried_on() -> None:
    """Every cluster has its own score and its own label, which says nothing of other clusters."""
    rng = np.random.default_rng(5)
    cluster = [row // 5 for row in range(200)]
    score, label = rng.random(40), rng.random(40) < 0.5
    scores, labels = score[cluster].tolist(), label[cluster].tolist()
    leaky = calibrate(scores, labels, method="isotonic")
    honest = calibrate(scores, labels, method="isotonic", cluster=cluster)
    assert (leaky.after.value or 1) < (honest.after.value or 0) - 0.05


def test_what_cannot_be_calibrated_says_what_to_change() -> None:
    with pytest.raises(DataError, match="takes 20 at least"):
        calibrate([0.5] * 10, [1] * 10)
    with pytest.raises(DataError, match="3 scores and 2 labels"):
        calibrate([1, 2, 3], [1, 0])
    with pytest.raises(ConfigError, match="'line' or 'isotonic'"):
        calibrate([1] * 30, [1, 2, 3] * 10, method="platt")
    with pytest.raises(ConfigError, match="is none of 'platt'"):
        calibrate([1] * 30, [1, 0, 1] * 10, method="beta")  # type: ignore[arg-type]
