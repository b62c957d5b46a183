"""Sample sizes, checked by drawing samples of that size; and looking as often as one likes."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest

from judgekit.errors import ConfigError, DataError
from judgekit.stats import (
    accuracy,
    anytime_interval,
    cohen_kappa,
    labels_to_halve,
    mean,
    minimum_detectable_effect,
    monitor,
    paired_difference,
    proportion,
    sample_size_kappa,
    sample_size_paired,
    sample_size_proportion,
    wilson,
)


def test_a_paired_difference_is_found_as_often_as_promised() -> None:
    rng, trials = np.random.default_rng(0), 400
    plan = sample_size_paired(0.3, variance=1.0)
    found = 0
    for _ in range(trials):
        interval = mean(rng.normal(0.3, 1, plan.n)).interval
        found += interval is not None and 0 not in interval
    assert found / trials == pytest.approx(0.8, abs=0.06)
    assert minimum_detectable_effect(plan.n, variance=1.0) == pytest.approx(0.3, rel=0.01)


def test_noise_and_clusters_cost_items_and_repeated_runs_save_them() -> None:
    base = sample_size_paired(0.05, variance=0.1)
    noisy = sample_size_paired(0.05, variance=0.1, noise_a=0.1, noise_b=0.1)
    averaged = sample_size_paired(0.05, variance=0.1, noise_a=0.1, noise_b=0.1, samples_a=10, samples_b=10)
    clustered = sample_size_paired(0.05, variance=0.1, design_effect=1.7)
    assert noisy.value == pytest.approx(3 * base.value)
    assert averaged.value == pytest.approx(1.2 * base.value)
    assert clustered.value == pytest.approx(1.7 * base.value)
    assert sample_size_paired(-0.05, variance=0.1).value == pytest.approx(base.value)


def test_an_interval_of_a_proportion_is_as_narrow_as_planned() -> None:
    for half_width, expected in ((0.05, 0.5), (0.03, 0.9), (0.1, 0.0)):
        n = sample_size_proportion(half_width, expected=expected).n
        assert wilson(expected * n, n).width <= 2 * half_width * (1 + 1e-9)
        assert wilson(expected * (n - 1), n - 1).width > 2 * half_width
    assert sample_size_proportion(0.05).n == 381
    doubled = sample_size_proportion(0.05, design_effect=2)
    assert doubled.value == pytest.approx(2 * sample_size_proportion(0.05).value)


@pytest.mark.parametrize(("kappa", "prevalence"), [(0.6, 0.5), (0.7, 0.8), (0.0, 0.3)])
def test_kappa_varies_as_the_plan_says(kappa: float, prevalence: float) -> None:
    rng, n = np.random.default_rng(1), 400
    apart = prevalence * (1 - prevalence) * (1 - kappa)
    cells = [prevalence - apart, apart, apart, 1 - prevalence - apart]
    drawn = rng.multinomial(n, cells, size=4000) / n
    observed = drawn[:, 0] + drawn[:, 3]
    a, b = drawn[:, 0] + drawn[:, 1], drawn[:, 0] + drawn[:, 2]
    chance = a * b + (1 - a) * (1 - b)
    spread = float(np.std((observed - chance) / (1 - chance)))
    plan = sample_size_kappa(1.959964 * spread, kappa=kappa, prevalence=prevalence)
    assert plan.n == pytest.approx(n, rel=0.08)


def test_plans_read_as_sentences_and_are_json_values() -> None:
    plan = sample_size_kappa(0.1, kappa=0.7)
    assert repr(plan) == "196 items for kappa within 0.1 (assuming kappa 0.7, prevalence 0.5, level 0.95)"
    assert json.loads(json.dumps(plan.to_dict()))["n"] == 196


def test_labels_to_halve() -> None:
    estimate = accuracy([1] * 40 + [0] * 10, [1] * 50)
    assert estimate.interval is not None
    more = labels_to_halve(estimate)
    assert more is not None
    assert 4 * 50 - 5 <= more <= 4 * 50 + 20
    assert wilson(0.8 * more, more).width <= estimate.interval.width / 2
    assert wilson(0.8 * (more - 1), more - 1).width > estimate.interval.width / 2
    kappa = cohen_kappa([1, 0, 1, 0, 1, 1], [1, 0, 0, 0, 1, 1])
    assert labels_to_halve(kappa) == 24
    assert labels_to_halve(mean([1, 2, 4])) == 12
    assert labels_to_halve(proportion([])) is None
    assert labels_to_halve(paired_difference([1], [1], method="t")) is None


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: sample_size_paired(0, variance=1), "difference=0 must be"),
        (lambda: sample_size_paired(0.1, variance=-1), "must be at least 0"),
        (lambda: sample_size_paired(0.1, variance=0), "total_variance=0"),
        (lambda: sample_size_paired(0.1, variance=1, samples_a=0), "samples_a=0"),
        (lambda: sample_size_paired(0.1, variance=1, power=80), "write 95 % as 0.95"),
        (lambda: minimum_detectable_effect(1, variance=1), "n=1"),
        (lambda: sample_size_proportion(5), "write 5 points as 0.05"),
        (lambda: sample_size_proportion(0.05, expected=90), "expected=90"),
        (lambda: sample_size_kappa(0.1, kappa=1), "kappa=1 must lie in"),
        (lambda: sample_size_kappa(0.1, kappa=-0.5, prevalence=0.9), "kappa=-0.5"),
        (lambda: anytime_interval(3, 2), "successes=3"),
        (lambda: anytime_interval(1, 2, prior=(0, 1)), "prior="),
        (lambda: monitor([1], threshold=80), "threshold=80"),
    ],
)
def test_numbers_out_of_range(call: Any, words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        call()


def test_the_anytime_interval_holds_at_every_label_at_once() -> None:
    """Wilson's interval, looked at after every label, excludes the truth far more often than it says."""
    rng, trials, n, p = np.random.default_rng(0), 200, 300, 0.8
    left = left_wilson = 0
    for _ in range(trials):
        so_far = np.cumsum(rng.random(n) < p)
        result = monitor(np.diff(so_far, prepend=0), threshold=p)
        left += result.stopped_at is not None
        left_wilson += any(p not in wilson(int(so_far[t - 1]), t) for t in range(10, n + 1))
    assert left / trials <= 0.05
    assert left_wilson / trials > 0.2


def test_a_clear_rate_is_decided_early() -> None:
    rng = np.random.default_rng(1)
    stops = [monitor(rng.random(1000) < 0.91, threshold=0.8).stopped_at or math.inf for _ in range(150)]
    assert 70 <= np.median(stops) <= 130


def test_monitoring_agrees_with_the_interval() -> None:
    outcomes = [1] * 30 + [0] * 2 + [1] * 60
    found = monitor(outcomes, threshold=0.8)
    assert found.side == "above"
    assert found.stopped_at is not None
    before, at = (anytime_interval(sum(outcomes[:t]), t) for t in (found.stopped_at - 1, found.stopped_at))
    assert before.low <= 0.8 < at.low
    assert found.p_value <= 0.05
    assert f"above 0.8 since label {found.stopped_at}" in repr(found)
    assert monitor([0] * 40, threshold=0.5).side == "below"
    assert "not excluded yet" in repr(monitor([1, 0], threshold=0.5))


def test_degenerate_monitoring() -> None:
    assert anytime_interval(0, 0).width == 1
    nothing = monitor([], threshold=0.5)
    assert (nothing.value, nothing.reason) == (None, "there is no outcome yet")
    assert anytime_interval(0, 20).low == 0
    assert anytime_interval(20, 20).high == 1
    with pytest.raises(DataError, match=r"outcomes\[1\] is None"):
        monitor([1, None], threshold=0.5)
