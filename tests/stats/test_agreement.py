"""Two raters' labels: against scikit-learn, and what missing, skewed and mistyped labels give."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics

from judgekit.errors import ConfigError, DataError
from judgekit.stats import Estimate, accuracy, binary_agreement, cohen_kappa, confusion, proportion, scott_pi

SCALE = (1, 2, 3, 4, 5)
PAIRS = st.lists(st.tuples(st.sampled_from(SCALE), st.sampled_from(SCALE)), min_size=2, max_size=60)
BINARY = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=60)


@settings(deadline=None, max_examples=30)
@given(PAIRS, st.sampled_from([None, "linear", "quadratic"]))
def test_kappa_equals_scikit_learns(
    pairs: list[tuple[int, int]], weights: Literal["linear", "quadratic"] | None
) -> None:
    judge, human = [a for a, _ in pairs], [b for _, b in pairs]
    found = cohen_kappa(judge, human, weights=weights, scale=SCALE, resamples=100)
    if len({*judge, *human}) == 1:
        assert found.value is None
        assert "one and the same label" in str(found.reason)
        return
    oracle = metrics.cohen_kappa_score(judge, human, labels=SCALE, weights=weights)
    assert found.value == pytest.approx(oracle, abs=1e-9)


@settings(deadline=None, max_examples=15)
@given(BINARY)
def test_binary_rates_equal_scikit_learns(pairs: list[tuple[bool, bool]]) -> None:
    judge, human = [a for a, _ in pairs], [b for _, b in pairs]
    found = binary_agreement(judge, human, resamples=100)
    assert found.accuracy.value == pytest.approx(metrics.accuracy_score(human, judge))
    oracles: dict[str, tuple[Estimate, Any]] = {
        "tpr": (found.tpr, lambda: metrics.recall_score(human, judge)),
        "tnr": (found.tnr, lambda: metrics.recall_score(human, judge, pos_label=False)),
        "ppv": (found.ppv, lambda: metrics.precision_score(human, judge)),
        "npv": (found.npv, lambda: metrics.precision_score(human, judge, pos_label=False)),
        "f1": (found.f1, lambda: metrics.f1_score(human, judge)),
        "balanced accuracy": (found.balanced_accuracy, lambda: metrics.balanced_accuracy_score(human, judge)),
        "mcc": (found.mcc, lambda: metrics.matthews_corrcoef(human, judge)),
    }
    for estimate, oracle in oracles.values():
        if estimate.value is not None:
            assert estimate.value == pytest.approx(oracle(), abs=1e-9)
        else:
            assert estimate.reason
    assert (found.tpr.value is None) == (not any(human))
    assert (found.npv.value is None) == all(judge)


def test_a_missing_label_is_no_disagreement() -> None:
    judge, human = [1, 0, None, 1, None], [1, 1, 1, None, None]
    for found in (accuracy(judge, human), cohen_kappa(judge, human), confusion(judge, human)):
        assert (found.n, found.missing) == (2, 3)
    assert accuracy(judge, human).value == 0.5
    rates = binary_agreement(judge, human)
    assert (rates.accuracy.n, rates.accuracy.missing, rates.tpr.n, rates.tnr.n) == (2, 3, 2, 0)
    assert rates.tnr.reason == "the human called no item negative"


def test_accuracy_has_the_interval_of_a_proportion() -> None:
    judge, human = list("aabbc"), list("aabcc")
    assert accuracy(judge, human).interval == proportion([1, 1, 1, 0, 1]).interval
    clusters = [0, 0, 1, 1, 2]
    clustered = proportion([1, 1, 1, 0, 1], cluster=clusters).interval
    assert accuracy(judge, human, cluster=clusters).interval == clustered


def test_kappas_interval_covers() -> None:
    """200 samples of 60 pairs from a table whose kappa is 0.6."""
    rng, covered, trials = np.random.default_rng(2), 0, 200
    for _ in range(trials):
        human = rng.integers(0, 2, 60)
        judge = np.where(rng.random(60) < 0.2, 1 - human, human)
        covered += 0.6 in (cohen_kappa(judge, human, resamples=400).interval or ())
    assert 0.91 <= covered / trials <= 0.99


def test_clusters_widen_kappas_interval() -> None:
    rng = np.random.default_rng(4)
    human = rng.integers(0, 2, 60)
    judge = np.where(rng.random(60) < 0.2, 1 - human, human)
    plain = cohen_kappa(judge, human).interval
    copies = cohen_kappa(np.repeat(judge, 4), np.repeat(human, 4)).interval
    clustered = cohen_kappa(
        np.repeat(judge, 4), np.repeat(human, 4), cluster=np.repeat(np.arange(60), 4)
    ).interval
    assert plain is not None
    assert copies is not None
    assert clustered is not None
    assert copies.width < 0.6 * plain.width
    assert clustered.width == pytest.approx(plain.width, rel=0.1)
    assert clustered.method == "BCa cluster bootstrap"


def test_the_same_seed_gives_the_same_interval() -> None:
    judge, human = [1, 0, 1, 1, 0, 0, 1, 0] * 3, [1, 0, 0, 1, 0, 1, 1, 0] * 3
    assert cohen_kappa(judge, human) == cohen_kappa(judge, human)
    assert cohen_kappa(judge, human, rng=5).interval != cohen_kappa(judge, human).interval


def test_an_unused_level_changes_weighted_kappa() -> None:
    judge, human = [1, 1, 2, 5, 5, 3], [1, 2, 2, 5, 3, 3]
    declared = cohen_kappa(judge, human, weights="quadratic", scale=SCALE).value
    observed = cohen_kappa(judge, human, weights="quadratic", scale=(1, 2, 3, 5)).value
    assert declared != pytest.approx(observed)
    assert cohen_kappa(judge, human, scale=SCALE).value == pytest.approx(cohen_kappa(judge, human).value)
    with pytest.raises(ConfigError, match="needs the declared scale"):
        cohen_kappa(judge, human, weights="quadratic")


def test_many_levels() -> None:
    rng = np.random.default_rng(0)
    human = rng.integers(0, 101, 300)
    judge = np.clip(human + rng.integers(-9, 10, 300), 0, 100)
    found = cohen_kappa(judge, human, weights="quadratic", scale=range(101), resamples=200)
    oracle = metrics.cohen_kappa_score(judge, human, labels=range(101), weights="quadratic")
    assert found.value == pytest.approx(oracle)


@pytest.mark.parametrize("function", [cohen_kappa, scott_pi])
def test_degenerate_kappas(function: Any) -> None:
    nothing = function([None], [1])
    assert (nothing.value, nothing.n, nothing.missing) == (None, 0, 1)
    same = function(["pass"] * 9, ["pass"] * 9)
    assert (same.value, same.interval) == (None, None)
    assert "one and the same label" in same.reason
    perfect = function([1, 0] * 9, [1, 0] * 9)
    assert (perfect.value, perfect.interval) == (1.0, None)
    assert "every resample gives the same value" in perfect.reason
    rare = function([1] * 30 + [0], [1] * 30 + [0])
    assert rare.interval is None
    assert "of the resamples leave it undefined" in rare.reason


def test_confusion_counts_judge_by_human() -> None:
    found = confusion(["b", "a", "a", None], ["b", "b", "a", "a"], scale=("a", "b", "c"))
    assert found.counts == ((1, 1, 0), (0, 1, 0), (0, 0, 0))
    assert found.to_dict() == {
        "scale": ["a", "b", "c"],
        "counts": [[1, 1, 0], [0, 1, 0], [0, 0, 0]],
        "n": 3,
        "missing": 1,
    }
    assert repr(found) == (
        "confusion of 3 items: 1 judged 'a' and labelled 'a', 1 judged 'a' and labelled 'b', "
        "1 judged 'b' and labelled 'b'"
    )
    assert repr(confusion([], [])) == "confusion of 0 items: none has both labels"


def test_true_is_one_and_the_positive_label_may_be_a_word() -> None:
    assert binary_agreement([True, False, 1], [1, 0, 0]).tp == 1
    worded = binary_agreement(["pass", "fail", "pass"], ["pass", "fail", "fail"], positive="pass")
    assert (worded.tp, worded.fp, worded.fn, worded.tn) == (1, 1, 0, 1)
    assert binary_agreement(["fail"], ["fail"], positive="pass").tn == 1


@pytest.mark.parametrize(
    ("judge", "human", "words"),
    [
        (["pass"], [True], "judge has text labels; human has number labels"),
        ([1], [1, 0], "judge has 1, human has 2"),
        ([1, float("nan")], [1, 0], r"judge\[1\] is nan"),
        ([[1]], [1], r"judge\[0\] is \[1\]; a label is a text or a number"),
        ([(1, 2)], [1], "judge has tuple labels"),
    ],
)
def test_labels_that_cannot_be_compared(judge: list[Any], human: list[Any], words: str) -> None:
    for function in (accuracy, cohen_kappa, confusion, scott_pi):
        with pytest.raises(DataError, match=words):
            function(judge, human)


def test_scales_and_positives_that_cannot_be_used() -> None:
    with pytest.raises(DataError, match=r"human\[1\] is 7, which is not on the scale \(1, 2\)"):
        cohen_kappa([1, 1], [1, 7], scale=(1, 2))
    with pytest.raises(ConfigError, match="at least two different labels"):
        cohen_kappa([1, 1], [1, 1], scale=(1, 1))
    with pytest.raises(DataError, match="positive=True"):
        binary_agreement(["pass", "fail"], ["pass", "fail"])
    with pytest.raises(DataError, match="positive=True"):
        binary_agreement(["pass"], ["pass"])
    with pytest.raises(ConfigError, match="weights='cubic' is unknown"):
        cohen_kappa([1], [1], weights="cubic", scale=(1, 2))  # type: ignore[arg-type]  # what the error is for
    with pytest.raises(ConfigError, match="level=95"):
        cohen_kappa([1, 0], [1, 0], level=95)
