"""`pass_rate`, `power` and `sequential`: faces of the statistics, with their conditions said."""

from __future__ import annotations

import json
import random

import pytest

from judgekit import stats
from judgekit.errors import ConfigError, DataError
from judgekit.trust import evaluate_judge, pass_rate, power, sequential


def drawn(seed: int, n: int = 400, labelled: int = 80) -> tuple[list[bool], list[bool], list[bool | None]]:
    """People, a judge of sensitivity .8 and specificity .9, and the labels of some items drawn at random."""
    rng = random.Random(seed)
    truth = [rng.random() < 0.7 for _ in range(n)]
    judge = [rng.random() < (0.8 if passes else 0.1) for passes in truth]
    chosen = set(rng.sample(range(n), labelled))
    return truth, judge, [label if row in chosen else None for row, label in enumerate(truth)]


def test_the_three_rates_stand_side_by_side() -> None:
    _, judge, labels = drawn(1)
    found = pass_rate(judge, labels)
    assert found.rate is found.ppi == stats.pass_rate(judge, labels)
    assert found.ppi.judge_only.value == found.judge_only.value == pytest.approx(sum(judge) / 400)
    assert found.ppi.labels_only.interval == found.labels_only.interval
    assert found.rogan_gladen == stats.rogan_gladen(judge, labelled_judge=judge, labelled_human=labels)
    assert found.gain is not None
    assert found.gain > 1.2
    assert (
        f"if the labelled items are a random sample of those judged; the judge alone says {100 * (found.judge_only.value or 0):.0f} %"
        in repr(found)
    )
    assert [line.split("  ")[0] for line in str(found).splitlines()[1:]] == [
        "pass rate",
        "corrected pass rate",
        "judge alone",
        "labels alone",
    ]
    assert json.loads(json.dumps(found.to_dict()))["gain"] == found.gain


def test_the_interval_covers_where_the_judge_alone_does_not() -> None:
    held = {"rate": 0, "judge": 0}
    for seed in range(60):
        truth, judge, labels = drawn(seed)
        found, rate = pass_rate(judge, labels), sum(truth) / len(truth)
        assert found.interval is not None
        assert found.judge_only.interval is not None
        held["rate"] += rate in found.interval
        held["judge"] += rate in found.judge_only.interval
    assert held["rate"] >= 53
    assert held["judge"] <= 12


def test_labels_that_are_no_random_sample_correct_by_error_rates() -> None:
    truth, judge, _ = drawn(3)
    failures = [row for row, passes in enumerate(truth) if not passes][:60]
    passes = [row for row, passed in enumerate(truth) if passed][:60]
    by_class = [truth[row] if row in {*failures, *passes} else None for row in range(len(truth))]
    found = pass_rate(judge, by_class, at_random=False)
    assert found.ppi is None
    assert found.gain is None
    assert found.rate is found.rogan_gladen
    assert found.interval is not None
    assert sum(truth) / len(truth) in found.interval
    assert "if the judge errs as often on the items judged as on those labelled" in repr(found)
    assert found.labels_only.value == 0.5, "half of them, because they were drawn by class"


def test_labels_of_other_answers_bring_their_own_verdicts() -> None:
    truth, judge, _ = drawn(4)
    others, their_judge, _ = drawn(5, n=150)
    found = pass_rate(judge, others, labelled_verdicts=their_judge)
    assert found.rate == stats.rogan_gladen(judge, labelled_judge=their_judge, labelled_human=others)
    assert found.interval is not None
    assert sum(truth) / len(truth) in found.interval


def test_words_probabilities_and_missing_verdicts() -> None:
    words = pass_rate(["pass", "fail", None, "pass"], ["pass", "fail", "pass", None], positive="pass")
    assert words.judge_only.value == pytest.approx(2 / 3)
    assert words.rate.missing == 1
    soft = pass_rate([0.9, 0.2, 0.7, 0.4, 0.8], [True, False, True, None, None])
    assert soft.rogan_gladen is None
    assert soft.judge_only.value == pytest.approx(0.6)
    with pytest.raises(DataError, match="drawn at random only"):
        pass_rate([0.9, 0.2], [1, 0], at_random=False)


def test_what_cannot_be_rated_says_what_to_change() -> None:
    with pytest.raises(ConfigError, match="knows of no clusters"):
        pass_rate([1, 0], [1, 0], at_random=False, cluster=[1, 2])
    with pytest.raises(DataError, match="2 verdicts for 1 labels"):
        pass_rate([1, 0], [1])
    with pytest.raises(DataError, match="map labels to numbers"):
        pass_rate(["yes", "no"], [None, None])


def test_power_is_the_sample_size_of_what_is_asked() -> None:
    assert power("kappa", 0.1) == stats.sample_size_kappa(0.1, kappa=0.7)
    assert power("rate", 0.05, expected=0.8) == stats.sample_size_proportion(0.05, expected=0.8)
    assert power("difference", 0.03, expected=1 / 9).n == 969, "Miller 2024"
    with pytest.raises(ConfigError, match="goal='tau'"):
        power("tau", 0.1)  # type: ignore[arg-type]


def test_the_labels_that_power_asks_for_give_the_interval() -> None:
    rng = random.Random(8)
    n = power("kappa", 0.1, expected=0.7).n
    widths = []
    for _ in range(8):
        human = [rng.random() < 0.5 for _ in range(n)]
        judge = [label if rng.random() < 0.85 else not label for label in human]
        interval = evaluate_judge(judge, human, resamples=400).kappa.interval
        assert interval is not None
        widths.append(interval.width / 2)
    assert sum(widths) / len(widths) == pytest.approx(0.1, abs=0.01)


def test_sequential_stops_when_it_is_known() -> None:
    rng = random.Random(0)
    labels = [rng.random() < 0.5 for _ in range(400)]
    judge: list[bool | None] = [label if rng.random() < 0.93 else not label for label in labels]
    judge[5] = None
    found = sequential(judge, labels, above=0.8)
    assert found.side == "above"
    assert found.n == 399
    assert found.stopped_at is not None
    assert sequential(judge[: found.stopped_at - 5], labels[: found.stopped_at - 5], above=0.8).side is None
    with pytest.raises(DataError, match="one entry for each item"):
        sequential([True], [True, False], above=0.8)
