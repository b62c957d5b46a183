"""Conditions on a run: what they mean, what they say, and what is no condition."""

from __future__ import annotations

import json
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgekit.core.exchange import Usage
from judgekit.errors import ConfigError, JudgekitError
from judgekit.runner.checks import CheckFailed
from judgekit.runner.records import Failure, RowResult, Score
from judgekit.runner.results import Results


def run() -> Results:
    """20 rows: 15 of 19 right, one refusal; sizes 0 to 19; tones half and half; the target takes 0 to 1.9 s."""
    rows = []
    for i in range(20):
        right = () if i == 19 else (Score("right", i < 15, source="right"),)
        others = (Score("size", float(i)), Score("tone", "warm" if i % 2 else "cold"))
        failures = (Failure("refusal", "no", "right"),) if i == 19 else ()
        rows.append(
            RowResult(
                i,
                str(i),
                scores=(*right, *others),
                failures=failures,
                seconds={"target": i / 10},
                cost=0.5,
                usage=Usage(10, 5),
            )
        )
    return Results("night", {}, rows, summary_scores={"f1": Score("f1", 0.75), "grade": Score("grade", "B")})


@pytest.mark.parametrize(
    ("condition", "passed"),
    [
        ("right >= 0.78", True),
        ("right>=78%", True),
        ("right >= 79%", False),
        ("right.lower > 0.5", True),
        ("right.lower > 0.6", False),
        ("right.upper <= .92", True),
        ("right.n == 19", True),
        ("right.failed == 1", True),
        ("right.failed <= 5%", True),
        ("right.failed < 5 %", False),
        ("right.missing == 0", True),
        ("size == 9.5", True),
        ("size != 9.5", False),
        ("size > -1e1", True),
        ("tone.warm == 50%", True),
        ("tone.cold.lower < 0.3", True),
        ("latency.target.p95 < 2", True),
        ("latency.target.p50 < 0.95", False),
        ("latency.target.max <= 1.9", True),
        ("errors == 0", True),
        ("rows >= 1_000", False),
        ("cost <= 10", True),
        ("tokens < 300", False),
        ("f1 >= 0.7", True),
        ("grade >= 1", False),
    ],
)
def test_a_condition(condition: str, passed: bool) -> None:
    assert run().check(condition).passed is passed


@given(st.floats(0, 1), st.sampled_from(["<", "<=", ">", ">="]))
def test_a_condition_and_its_opposite_never_both_hold(bound: float, comparison: str) -> None:
    opposite = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}[comparison]
    results = run()
    assert (
        results.check(f"right {comparison} {bound!r}").passed
        is not results.check(f"right {opposite} {bound!r}").passed
    )


def test_the_report_says_what_was_found() -> None:
    report = run().check("right >= 0.8", "size < 10")
    assert str(report).splitlines() == [
        "night: 1 of 2 conditions failed",
        "  FAILED  right >= 0.8  (is 0.7895, 0.5667 to 0.9149, n = 19, 1 (refusal 1) failed)",
        "  passed  size < 10  (is 9.5, 6.731 to 12.27, n = 20, 0 failed)",
    ]
    assert not report
    assert json.loads(json.dumps(report.to_dict()))["passed"] is False


def test_what_must_hold_is_an_assertion() -> None:
    run().check("right > 0").require()
    with pytest.raises(AssertionError, match="right >= 1") as caught:
        run().check("right >= 1").require()
    assert isinstance(caught.value, CheckFailed)
    assert isinstance(caught.value, JudgekitError)
    assert pickle.loads(pickle.dumps(caught.value)).report == caught.value.report


def test_what_is_unknown_does_not_pass() -> None:
    unpriced = Results("run", {}, [RowResult(0, "0", cost=None)])
    (line,) = unpriced.check("cost < 100").lines
    assert (line.passed, line.value) == (False, None)
    assert "no value, unknown for 1 of 1 rows" in str(line)


def test_a_key_without_a_score_does_not_pass() -> None:
    failed = Results("run", {}, [RowResult(0, "0", failures=(Failure("refusal", "no", "right"),))])
    report = failed.check("right >= 0", "right.lower >= 0")
    assert [line.passed for line in report.lines] == [False, False]
    assert "1 (refusal 1) failed" in str(report)


def test_an_interval_that_there_is_none_of_is_explained() -> None:
    (line,) = Results("run", {}, [RowResult(0, "0", scores=(Score("k", 1.0),))]).check("k.lower > 0").lines
    assert "one value shows no spread" in str(line)


@pytest.mark.parametrize(
    ("condition", "complaint"),
    [
        ("rigth >= 0.8", r"no 'rigth'.*Did you mean 'right'"),
        ("right.lowr >= 0.8", r"Did you mean 'right\.lower'"),
        ("tone >= 0.8", r"no 'tone'\. Did you mean 'tone"),
        ("right", "is no condition"),
        ("right >= high", "is no condition"),
        ("right => 1", "is no condition"),
        ("", "is no condition"),
    ],
)
def test_what_is_no_condition(condition: str, complaint: str) -> None:
    with pytest.raises(ConfigError, match=complaint):
        run().check(condition)
