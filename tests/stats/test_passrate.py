"""Pass rates from verdicts and a few labels: coverage, gain, clusters, and degenerate labels."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from judgekit.errors import ConfigError, DataError
from judgekit.stats import pass_rate, proportion, rogan_gladen


def judged(rng: np.random.Generator, items: int, labels: int, *, rate: float = 0.7) -> tuple[Any, Any]:
    """Verdicts of a judge with sensitivity 0.85 and specificity 0.75, and labels for the first few."""
    truth = rng.random(items) < rate
    verdict = np.where(truth, rng.random(items) < 0.85, rng.random(items) < 0.25)
    human = [int(label) if row < labels else None for row, label in enumerate(truth)]
    return verdict, human


def test_it_covers_and_beats_labels_alone() -> None:
    rng, trials = np.random.default_rng(0), 200
    covered = covered_alone = 0
    widths = []
    for _ in range(trials):
        found = pass_rate(*judged(rng, 1000, 60))
        assert found.interval is not None
        assert found.labels_only.interval is not None
        covered += 0.7 in found.interval
        covered_alone += 0.7 in (found.judge_only.interval or ())
        widths.append((found.interval.width, found.labels_only.interval.width))
        assert (found.gain or 0) > 0.9
    assert 0.92 <= covered / trials <= 0.98
    assert covered_alone / trials < 0.6
    assert np.mean([own for own, _ in widths]) < 0.9 * np.mean([alone for _, alone in widths])


def test_clusters_cover_where_items_alone_do_not() -> None:
    rng, trials, covered, covered_plain = np.random.default_rng(1), 120, 0, 0
    owner = np.repeat(np.arange(60), 10)
    for _ in range(trials):
        rate = rng.beta(1.4, 0.6, 60)[owner]
        truth = rng.random(600) < rate
        verdict = np.where(truth, rng.random(600) < 0.9, rng.random(600) < 0.2)
        human = [int(label) if cluster < 30 else None for label, cluster in zip(truth, owner, strict=True)]
        covered += 0.7 in (pass_rate(verdict, human, cluster=owner).interval or ())
        covered_plain += 0.7 in (pass_rate(verdict, human).interval or ())
    assert covered / trials >= 0.9
    assert covered_plain / trials < 0.8


def test_a_useless_judge_leaves_the_labels_alone() -> None:
    human = [1, 0, 1, 1, 0, 1, None, None, None]
    found = pass_rate([1] * 9, human)
    assert found.value == pytest.approx(4 / 6)
    assert (found.tuning, found.unlabelled) == (0.0, 3)
    assert found.interval == proportion([1, 0, 1, 1, 0, 1]).interval
    assert (found.effective_labels, found.gain) == (6.0, 1.0)


def test_labels_for_all_need_no_judge() -> None:
    found = pass_rate([1, 0, 0, 1], [1, 1, 0, 0], tuning=1)
    assert (found.value, found.tuning, found.unlabelled) == (0.5, 0.0, 0)


def test_labels_of_one_class_have_wilsons_interval() -> None:
    found = pass_rate([1, 0] * 25, [1] * 20 + [None] * 30)
    assert found.value == 1.0
    assert found.interval == proportion([1] * 20).interval


def test_probabilities_are_verdicts_too() -> None:
    rng = np.random.default_rng(2)
    truth = rng.random(400) < 0.6
    verdict = np.clip(0.5 * truth + 0.25 + rng.normal(0, 0.1, 400), 0, 1)
    found = pass_rate(verdict, [int(label) if row < 40 else None for row, label in enumerate(truth)])
    assert (found.gain or 0) > 3
    assert found.interval is not None
    assert truth.mean() in found.interval


def test_failed_verdicts_are_left_out_and_counted() -> None:
    found = pass_rate([1, None, 0, 1, 0], [1, 1, 0, None, None])
    assert (found.n, found.missing, found.unlabelled) == (2, 1, 2)


def test_values_and_intervals_stay_inside() -> None:
    found = pass_rate([1] * 3 + [0] * 3 + [1] * 300, [1, 1, 1, 1, 0, 0] + [None] * 300, tuning=1)
    assert found.value == 1.0
    assert found.interval is not None
    assert found.interval.high == 1.0


def test_degenerate_labels() -> None:
    for human in ([None, None, None], [1, None, None]):
        found = pass_rate([1, 0, 1], human)
        assert (found.value, found.interval, found.tuning, found.gain) == (None, None, None, None)
        assert "at least two items" in str(found.reason)
        assert found.judge_only.value == pytest.approx(2 / 3)
    one_cluster = pass_rate([1, 0, 1, 0, 1], [1, 0, 0, None, None], cluster="aaaaa")
    assert one_cluster.value is not None
    assert "one cluster" in str(one_cluster.reason)
    perfect = pass_rate([1, 1, 1, 1], [1, 1, None, None], tuning=1)
    assert "no variation" in str(perfect.reason)


def test_it_prints_what_it_stands_beside() -> None:
    found = pass_rate(*judged(np.random.default_rng(0), 300, 40))
    text = repr(found)
    for words in ("(PPI++)", "260 more items judged", "worth", "judge alone", "labels alone", "n = 40"):
        assert words in text
    assert json.loads(json.dumps(found.to_dict()))["labels_only"]["n"] == 40


def test_rogan_gladen_covers() -> None:
    rng, trials, covered = np.random.default_rng(3), 150, 0
    for _ in range(trials):
        verdict, _ = judged(rng, 800, 0)
        labelled = [1] * 100 + [0] * 100
        verdicts = np.concatenate([rng.random(100) < 0.85, rng.random(100) < 0.25])
        found = rogan_gladen(verdict, labelled_judge=verdicts, labelled_human=labelled)
        covered += 0.7 in (found.interval or ())
    assert 0.92 <= covered / trials <= 0.985


@pytest.mark.parametrize(
    ("judge", "labelled_judge", "labelled_human", "words"),
    [
        ([1, 0], [1, 0, 1, 0], [1, 1, 0, 0], "no better than chance"),
        ([1, 0], [1, 1], [1, 1], "the specificity is unknown: the human called no item negative"),
        ([1, 0], [1, 0], [0, 0], "the sensitivity is unknown: the human called no item positive"),
        ([None], [1, 0], [1, 0], "the verdicts that pass is unknown"),
    ],
)
def test_rogan_gladen_needs_a_judge_that_tells_classes_apart(
    judge: list[Any], labelled_judge: list[int], labelled_human: list[int], words: str
) -> None:
    found = rogan_gladen(judge, labelled_judge=labelled_judge, labelled_human=labelled_human)
    assert (found.value, found.interval) == (None, None)
    assert words in repr(found)


def test_smoothing_may_leave_the_value_without_an_interval() -> None:
    found = rogan_gladen(
        [1, 0], labelled_judge=[1] * 8 + [1] * 98 + [0] * 2, labelled_human=[1] * 8 + [0] * 100
    )
    assert found.value == 0.0
    assert found.reason == "too few labels to tell the judge from chance"


def test_errors() -> None:
    with pytest.raises(ConfigError, match="tuning=2"):
        pass_rate([1], [1], tuning=2)
    with pytest.raises(DataError, match=r"judge\[0\] is 2, but must be between 0 and 1"):
        pass_rate([2], [1])
    with pytest.raises(DataError, match=r"human\[0\] is 0.5, but must be True or False"):
        pass_rate([1], [0.5])
    with pytest.raises(DataError, match="judge has 1, human has 2"):
        pass_rate([1], [1, 0])
