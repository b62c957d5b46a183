"""A run in numbers, against values worked out by hand, by SciPy and by pandas."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Sequence

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from judgekit.core.exchange import Usage
from judgekit.errors import ConfigError
from judgekit.runner.records import Failure, RowResult, Score
from judgekit.runner.summary import Spread, Summary, summarize
from judgekit.runner.tally import key_names

Verdict = bool | float | str


def scored(values: Sequence[Verdict], key: str = "k") -> list[RowResult]:
    return [RowResult(i, str(i), scores=(Score(key, value, source=key),)) for i, value in enumerate(values)]


def interval(summary: Summary, key: str = "k") -> tuple[float, float]:
    estimate = summary[key].estimate
    assert estimate is not None
    assert estimate.interval is not None
    return estimate.interval.low, estimate.interval.high


def test_truth_values_have_a_pass_rate_with_wilsons_interval() -> None:
    found = summarize(scored([True] * 15 + [False] * 5))
    expected = scipy_stats.binomtest(15, 20).proportion_ci(0.95, "wilson")
    assert found["k"].kind == "bool"
    assert found["k"].estimate is not None
    assert found["k"].estimate.value == 0.75
    assert interval(found) == pytest.approx((expected.low, expected.high))


def test_numbers_have_a_mean_with_a_t_interval() -> None:
    values: list[Verdict] = [1.0, 2.5, 3.0, 4.5, 2.0]
    found = summarize(scored(values), level=0.9)
    expected = scipy_stats.t.interval(0.9, 4, loc=2.6, scale=scipy_stats.sem(values))
    assert interval(found) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("values", "kind"),
    [([True, 1.0], "number"), ([True, "good"], "label"), ([1.0, "good"], "label"), ([False, True], "bool")],
)
def test_what_the_scores_of_a_key_are(values: list[Verdict], kind: str) -> None:
    assert summarize(scored(values))["k"].kind == kind


def test_labels_are_counted_each_with_its_share() -> None:
    found = summarize(scored(["b", "a", "b", "b"]))["k"]
    expected = scipy_stats.binomtest(3, 4).proportion_ci(0.95, "wilson")
    assert found.counts == {"b": 3, "a": 1}
    assert list(found.labels) == ["b", "a"]
    assert found.labels["b"].value == 0.75
    assert found.labels["b"].interval is not None
    assert found.labels["b"].interval.low == pytest.approx(expected.low)
    assert found.estimate is None


def test_numbers_among_labels_are_labels() -> None:
    assert summarize(scored(["n/a", 3.0, 3.0]))["k"].counts == {"3": 2, "n/a": 1}


@given(st.lists(st.sampled_from(["a", "b", "c"]), min_size=1))
def test_label_counts_are_those_of_a_counter(labels: list[str]) -> None:
    found = summarize(scored([*labels]))["k"]
    assert found.counts == Counter(labels)
    assert sum(share.value or 0 for share in found.labels.values()) == pytest.approx(1)


def repeated(values: list[list[float]]) -> list[RowResult]:
    return [
        RowResult(i, str(i), r, scores=(Score("k", value),))
        for i, scores in enumerate(values)
        for r, value in enumerate(scores)
    ]


def test_repetitions_of_an_example_are_one_cluster() -> None:
    values = [[1.0, 1.2], [3.0, 3.4], [2.0, 1.8], [5.0, 5.0]]
    found = summarize(repeated(values))
    mean = sum(map(sum, values)) / 8
    error = math.sqrt(sum(sum(value - mean for value in scores) ** 2 for scores in values)) / 8
    half = scipy_stats.t.ppf(0.975, 3) * error * math.sqrt(4 / 3)
    assert interval(found) == pytest.approx((mean - half, mean + half))
    within = math.sqrt((2 * 0.1**2 + 2 * 0.2**2 + 2 * 0.1**2 + 0) / 4)
    spread = found["k"].spread
    assert spread is not None
    assert (spread.examples, spread.unsteady) == (4, 3)
    assert spread.sd == pytest.approx(within)
    assert found.repetitions == 2


def test_saying_the_same_again_adds_no_certainty() -> None:
    once = [True] * 6 + [False] * 4
    twice = [
        RowResult(i, str(i), r, scores=(Score("k", value),)) for i, value in enumerate(once) for r in (0, 1)
    ]
    low, high = interval(summarize(twice))
    narrow = interval(summarize(scored([*once, *once])))
    assert high - low > narrow[1] - narrow[0]
    assert summarize(twice)["k"].spread == Spread(10, 0, 0.0)


@given(
    st.lists(st.lists(st.floats(-100, 100), min_size=1, max_size=4), min_size=1, max_size=8).filter(
        lambda values: max(map(len, values)) > 1
    )
)
def test_the_spread_within_examples_is_pandas(values: list[list[float]]) -> None:
    frame = pd.DataFrame(
        [(i, value) for i, scores in enumerate(values) for value in scores], columns=["i", "v"]
    )
    off = frame["v"] - frame.groupby("i")["v"].transform("mean")
    expected = math.sqrt(float((off**2).sum()) / (len(frame) - len(values)))
    spread = summarize(repeated(values))["k"].spread
    assert spread is not None
    assert spread.sd == pytest.approx(expected, abs=1e-6)


def test_the_order_of_rows_does_not_matter() -> None:
    rows = repeated([[1.0, 2.0], [3.0, 5.0], [2.0, 2.0]])
    assert summarize(rows[::-1]) == summarize(rows)


def test_failures_are_counted_by_code_and_never_scored() -> None:
    rows = [
        *scored([True, True]),
        RowResult(2, "2", failures=(Failure("refusal", "no", "k"),)),
        RowResult(3, "3", failures=(Failure("refusal", "no", "k"),)),
        RowResult(4, "4", failures=(Failure("deadline", "late", "k"),)),
        RowResult(5, "5", error=Failure("ValueError", "bad", "target")),
    ]
    found = summarize(rows)
    assert found["k"].failures == {"refusal": 2, "deadline": 1}
    assert (found["k"].n, found["k"].failed, found["k"].missing) == (2, 3, 1)
    assert found["k"].estimate is not None
    assert found["k"].estimate.value == 1.0
    assert found.errors == {"ValueError": 1}


def test_an_evaluators_failures_count_for_every_key_that_it_gives() -> None:
    both = RowResult(0, "0", scores=(Score("a", True, source="judge"), Score("b", 0.5, source="judge")))
    failed = RowResult(1, "1", failures=(Failure("refusal", "no", "judge"), Failure("empty", "no", "other")))
    found = summarize([both, failed])
    assert {key: scores.failures for key, scores in found.keys.items()} == {
        "a": {"refusal": 1},
        "b": {"refusal": 1},
        "other": {"empty": 1},
    }
    assert found["other"].kind is None


def test_two_evaluators_with_one_key_are_not_mixed() -> None:
    row = RowResult(0, "0", scores=(Score("k", True, source="k"), Score("k", False, source="k_2")))
    found = summarize([row])
    assert list(found.keys) == ["k", "k_2.k"]
    assert [scores.n for scores in found.keys.values()] == [1, 1]


@given(st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("ab")), unique=True))
def test_no_two_evaluators_share_a_name(pairs: list[tuple[str, str]]) -> None:
    assert len(set(key_names(pairs).values())) == len(pairs)


def sliced() -> list[RowResult]:
    return [
        RowResult(
            i,
            str(i),
            metadata={"topic": topic, "hard": i % 2 == 0} if topic else {},
            scores=(Score("k", value),),
        )
        for i, (topic, value) in enumerate([("tax", True), ("law", False), ("tax", False), ("", True)])
    ]


def test_slices_by_a_metadata_column() -> None:
    found = summarize(sliced(), by="topic")
    assert [(part.values, part.rows) for part in found.slices] == [(("law",), 1), (("tax",), 2), ((None,), 1)]
    rates = [part.keys["k"].estimate for part in found.slices]
    assert [rate and rate.value for rate in rates] == [0.0, 0.5, 1.0]
    assert found["k"].n == 4


def test_slices_by_two_columns() -> None:
    found = summarize(sliced(), by=["topic", "hard"])
    assert [part.values for part in found.slices] == [("law", "false"), ("tax", "true"), (None, None)]


def test_an_unknown_column_is_told_with_its_likeness() -> None:
    with pytest.raises(ConfigError, match=r"'topics'.*Did you mean 'topic'"):
        summarize(sliced(), by="topics")


def test_seconds_are_quantiles_as_pandas_has_them() -> None:
    times = [0.3, 0.1, 2.0, 0.7, 0.2, 0.9]
    found = summarize([RowResult(i, str(i), seconds={"target": t}) for i, t in enumerate(times)]).seconds[
        "target"
    ]
    column = pd.Series(times)
    assert (found.n, found.max) == (6, 2.0)
    assert found.p50 == pytest.approx(column.quantile(0.5))
    assert found.p95 == pytest.approx(column.quantile(0.95))


def test_a_cost_that_is_unknown_for_one_row_is_unknown() -> None:
    known = [RowResult(i, str(i), cost=0.25, usage=Usage(10, 5)) for i in range(2)]
    assert summarize(known).cost == 0.5
    assert summarize(known).usage == Usage(20, 10)
    doubtful = summarize([*known, RowResult(2, "2", cost=None)])
    assert (doubtful.cost, doubtful.unpriced) == (None, 1)
    assert "cost of 1 rows unknown" in str(doubtful)


def test_the_table_can_be_read() -> None:
    rows = [
        RowResult(
            i, str(i), scores=(Score("ok", i < 3), Score("tone", "warm\nand kind")), seconds={"target": i / 4}
        )
        for i in range(4)
    ]
    assert str(summarize(rows, name="night")).splitlines() == [
        "night: 4 rows, $0",
        "",
        "key              score                              n  failed  missing",
        "ok               pass rate 0.75 (0.3006 to 0.9544)  4  0       0",
        "tone                                                4  0       0",
        "  warm and kind  1 (0.5101 to 1)                    4",
        "",
        "seconds  n  p50    p95     max",
        "target   4  0.375  0.7125  0.75",
    ]


def test_as_json_and_as_a_data_frame() -> None:
    found = summarize(sliced(), by="topic")
    assert json.loads(json.dumps(found.to_dict()))["keys"]["k"]["estimate"]["value"] == 0.5
    frame = found.to_pandas()
    assert list(frame["topic"][:2]) == ["law", "tax"]
    assert list(frame["value"]) == [0.0, 0.5, 1.0]
    assert list(frame["n"]) == [1, 2, 1]


def test_a_missing_key_names_those_that_are() -> None:
    with pytest.raises(KeyError, match="the keys are 'k'"):
        summarize(scored([True]))["other"]
