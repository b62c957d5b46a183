"""`evaluate_judge`: what it takes, what it counts, what it refuses to score, and that its intervals cover."""

from __future__ import annotations

import json
import random

import numpy as np
import pytest

import judgekit
from judgekit.errors import ConfigError, DataError
from judgekit.stats import accuracy, cohen_kappa, labels_to_halve
from judgekit.trust import evaluate_judge

HUMAN = [True, True, True, True, False, False, False, True, False, True]
JUDGE = [True, True, True, False, False, True, False, True, False, True]


def test_a_judge_that_is_right_eight_times_in_ten() -> None:
    report = evaluate_judge(JUDGE, HUMAN)
    assert report.accuracy == accuracy(JUDGE, HUMAN)
    assert report.kappa == cohen_kappa(JUDGE, HUMAN, resamples=2_000)
    assert report.tpr.value == pytest.approx(5 / 6)
    assert report.tnr.value == pytest.approx(3 / 4)
    assert report.bias.value == 0
    assert report.confusion is not None
    assert report.confusion.counts == ((3, 1), (1, 5))
    assert report.labels_to_halve["accuracy"] == labels_to_halve(report.accuracy)
    assert report.labels_to_halve["alpha"] is None


def test_the_repr_is_a_sentence_and_the_text_a_table() -> None:
    rng = random.Random(4)
    human = [rng.random() < 0.6 for _ in range(300)]
    judge = [label if rng.random() < 0.85 else not label for label in human]
    report = evaluate_judge(judge, human)
    kappa, share = report.kappa, report.accuracy
    assert kappa.value is not None
    assert kappa.interval is not None
    assert share.value is not None
    bounds = f"({kappa.interval.low:.2f} to {kappa.interval.high:.2f})".replace("0.", ".")
    told = f"agrees with people at kappa {kappa.value:.2f} ".replace("0.", ".")
    assert f"{told}{bounds} on 300 items; the same verdict on {100 * share.value:.0f} % (" in repr(report)
    lines = str(report).splitlines()
    assert lines[0] == "300 of 300 items have a verdict and a label"
    assert [line.split("  ")[0] for line in lines[3:6]] == ["coverage", "accuracy", "tpr"]


def test_what_is_missing_is_counted_and_never_scored() -> None:
    judge = [None, True, float("nan"), False, True]
    human = [True, True, False, None, True]
    report = evaluate_judge(judge, human)
    assert (report.n, report.items, report.unparsed, report.unlabelled) == (2, 5, 2, 1)
    assert report.coverage.value == pytest.approx(3 / 5)
    assert report.accuracy.value == 1
    assert report.failures == {"no_verdict": 2}
    assert "no verdict: 2 (no_verdict 2)" in str(report)


def test_raw_replies_hold_a_verdict_when_one_pattern_alone_is_found() -> None:
    replies = ["Yes, it is.", "no", "yes and no", "perhaps", None]
    reading = {"yes": r"(?i)\byes\b", "no": r"(?i)\bno\b"}
    report = evaluate_judge(replies, ["yes", "no", "no", "no", "no"], reading=reading)
    assert report.failures == {"ambiguous": 1, "unmatched": 1, "no_verdict": 1}
    assert (report.n, report.accuracy.value) == (2, 1)


def test_an_evaluator_is_run_and_its_failures_are_no_verdicts() -> None:
    def judge(outputs: str) -> bool:
        if outputs == "?":
            raise ValueError("no opinion")
        return outputs == "right"

    def shout(outputs: str) -> bool:
        return outputs.isupper()

    items = [{"inputs": "q", "outputs": outputs} for outputs in ("right", "wrong", "?", "right")]
    report = evaluate_judge(judge, [True, False, True, False], items=items)
    assert report.failures == {"ValueError": 1}
    assert report.accuracy.value == pytest.approx(2 / 3)
    run = judgekit.evaluate(None, items, [judge, shout], store=None, progress=False)
    assert evaluate_judge(run, [True, False, True, False], key="judge").to_dict() == report.to_dict()
    with pytest.raises(ConfigError, match="judge, shout: say which"):
        evaluate_judge(run, [True, False, True, False])


def test_words_on_a_scale_are_weighted_by_their_distance() -> None:
    scale = ("poor", "fair", "good")
    human = ["poor", "fair", "good", "good", "fair", "poor", "good", "poor"]
    near = ["poor", "good", "good", "good", "fair", "fair", "good", "poor"]
    far = ["poor", "fair", "good", "poor", "fair", "good", "good", "poor"]
    one, two = (evaluate_judge(judge, human, scale=scale) for judge in (near, far))
    assert one.accuracy.value == two.accuracy.value
    assert one.kappa.value == cohen_kappa(near, human, weights="quadratic", scale=scale, resamples=100).value
    assert (one.kappa.value or 0) > (two.kappa.value or 0)
    assert one.spearman.value is not None
    assert one.bias.value == pytest.approx(2 / 8)
    assert one.tpr.reason == "it takes two labels, and there are more"


def test_words_without_a_scale_have_no_order() -> None:
    report = evaluate_judge(["A", "B", "tie", "A"], ["A", "B", "A", "A"])
    assert report.accuracy.value == 0.75
    assert report.spearman.value is None
    assert "give scale=" in (report.bias.reason or "")


def test_either_of_two_words_may_be_the_hit_until_one_is_named() -> None:
    judge, human = ["pass", "fail", "pass", "pass"], ["pass", "fail", "fail", "pass"]
    assert "positive=" in (evaluate_judge(judge, human).tpr.reason or "")
    named = evaluate_judge(judge, human, positive="pass")
    assert (named.tpr.value, named.tnr.value) == (1, 0.5)
    upper = evaluate_judge(judge, human, scale=("fail", "pass"))
    assert (upper.tpr.value, upper.tnr.value) == (1, 0.5)


def test_several_raters_are_one_label_a_ceiling_and_a_test() -> None:
    rng = random.Random(1)
    truth = [rng.random() < 0.5 for _ in range(200)]
    raters = {
        name: [label if rng.random() < 0.85 else not label for label in truth] for name in ("ana", "bo", "cy")
    }
    judge = [label if rng.random() < 0.9 else not label for label in truth]
    report = evaluate_judge(judge, raters)
    majority = [sum(votes) >= 2 for votes in zip(*raters.values(), strict=True)]
    assert report.accuracy == accuracy(judge, majority)
    assert report.split == 0
    assert report.alpha.value == pytest.approx(0.5, abs=0.15)
    assert report.alt_test is not None
    assert report.alt_test.passed
    assert set(report.alt_test.advantage) == set(raters)
    assert "passes the alternative annotator test" in repr(report)
    assert evaluate_judge(judge, list(raters.values())).kappa == report.kappa


def test_raters_who_split_leave_no_label() -> None:
    report = evaluate_judge([1, 1, 0], [[1, 1, 0], [1, 0, None]])
    assert (report.n, report.split, report.unlabelled) == (2, 1, 0)
    assert report.alt_test is None
    ordinal = evaluate_judge([4, 2], [[5, 1], [4, 2], [1, 5]], scale=(1, 2, 3, 4, 5))
    assert ordinal.accuracy.value == 1, "the medians are 4 and 2"


def test_scores_are_compared_as_scores() -> None:
    rng = np.random.default_rng(0)
    human = rng.uniform(size=80)
    report = evaluate_judge(
        human + rng.normal(scale=0.1, size=80) + 0.2, human, group=[i // 8 for i in range(80)]
    )
    assert report.accuracy.value is None
    assert report.kappa.reason == "scores such as 0.73 are no labels; round them"
    assert (report.spearman.value or 0) > 0.9
    assert report.bias.value == pytest.approx(0.2, abs=0.03)
    assert "ranks as people do at Spearman .9" in repr(report)
    assert report.confusion is None


def test_groups_take_out_what_lies_between_them() -> None:
    group = [place // 10 for place in range(100)]
    rng = random.Random(3)
    human = [number + rng.random() for number in group]
    judge = [number + rng.random() for number in group]
    report = evaluate_judge(judge, human, group=group)
    assert (report.spearman.value or 0) > 0.9
    assert abs(report.spearman_within.value or 1) < 0.35


def test_items_that_are_alike_widen_the_intervals() -> None:
    rng = random.Random(2)
    cluster = [place // 10 for place in range(300)]
    wrong = {number: rng.random() < 0.3 for number in set(cluster)}
    human = [rng.random() < 0.5 for _ in cluster]
    judge = [label != wrong[number] for label, number in zip(human, cluster, strict=True)]
    alone, clustered = evaluate_judge(judge, human), evaluate_judge(judge, human, cluster=cluster)
    for name in ("accuracy", "kappa", "ac"):
        one, many = alone.estimates[name].interval, clustered.estimates[name].interval
        assert one is not None
        assert many is not None
        assert many.width > 2 * one.width


def test_a_report_is_json_and_nothing_given_is_changed() -> None:
    judge, humans = [1, 0, None, 1], {"a": [1, 0, 1, None], "b": [1, 1, 1, 0], "c": [0, 0, 1, 1]}
    before = json.dumps([judge, humans])
    data = evaluate_judge(judge, humans).to_dict()
    assert json.loads(json.dumps(data))["kappa"]["n"] == data["n"]
    assert data["unparsed"] == 1
    assert json.dumps([judge, humans]) == before


def test_a_dataframe_s_columns_are_raters() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"ana": [1, 0, None, 1], "bo": [1, 0, 1, 1]})
    report = evaluate_judge(pandas.Series([1, 0, 1, None]), frame)
    assert (report.n, report.unparsed) == (3, 1)
    assert report.accuracy.value == 1


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: evaluate_judge([1, 0], [1]), "2 verdicts and people 1"),
        (lambda: evaluate_judge([1, 0], []), "2 verdicts and people 0"),
        (lambda: evaluate_judge([1, 0], {}), "no rater"),
        (lambda: evaluate_judge(lambda outputs: True, [1]), "needs items="),
        (lambda: evaluate_judge([1], [1], items=[{}]), "recorded verdicts need none"),
        (lambda: evaluate_judge([1, 7], [1, 2], scale=(1, 2, 3)), "not on the scale"),
        (lambda: evaluate_judge([1, 2], [[1, 7], [1, 2]], scale=(1, 2, 3)), "not on the scale"),
        (lambda: evaluate_judge(["yes", "no"], [1, 0]), "different types"),
        (lambda: evaluate_judge(["x"], [1], reading={1: "x"}), "two or more"),
        (lambda: evaluate_judge(["x"], [1], reading={1: "(", 0: "x"}), "no regular expression"),
        (lambda: evaluate_judge([3], [1], reading={1: "a", 0: "b"}), "not a text"),
        (lambda: evaluate_judge([1, 0], [1, 0], level=95), "write 95 % as 0.95"),
    ],
)
def test_what_cannot_be_evaluated_says_what_to_change(call, words) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises((ConfigError, DataError), match=words):
        call()


def test_a_run_with_repetitions_has_no_one_verdict_an_item() -> None:
    run = judgekit.evaluate(
        None, [{"outputs": "a"}], judgekit.levenshtein_distance, store=None, progress=False, repetitions=2,
        columns={"reference_outputs": "outputs"},
    )  # fmt: skip
    with pytest.raises(DataError, match="has repetitions"):
        evaluate_judge(run, [1, 1])


def test_the_intervals_cover() -> None:
    """80 judges that are right 85 % of the time on balanced labels: kappa is .70, and 95 % intervals hold it."""
    rng = np.random.default_rng(7)
    hits = {"kappa": 0, "ac": 0, "accuracy": 0}
    for _ in range(80):
        human = rng.random(120) < 0.5
        judge = np.where(rng.random(120) < 0.85, human, ~human)
        report = evaluate_judge(judge, human, resamples=400)
        for name, true in (("kappa", 0.7), ("ac", 0.7), ("accuracy", 0.85)):
            interval = report.estimates[name].interval
            assert interval is not None
            hits[name] += true in interval
    assert min(hits.values()) >= 71, hits  # 76 are expected
