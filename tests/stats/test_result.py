"""What all results have in common: frozen, JSON values, a sentence, and None with a reason rather than NaN."""

from __future__ import annotations

import copy
import dataclasses
import json
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judgekit import stats
from judgekit.stats import Estimate, Interval

BOOT: dict[str, Any] = {"resamples": 100}
FUNCTIONS: dict[str, Callable[[list[Any], list[Any]], Any]] = {
    "accuracy": stats.accuracy,
    "alt_test": lambda a, b: stats.alt_test(a, {"b": b, "a": a}, least_items=2, **BOOT),
    "bias": stats.bias,
    "binary_agreement": lambda a, b: stats.binary_agreement(a, b, **BOOT),
    "bradley_terry": lambda a, _: stats.bradley_terry(
        ["x", "y"] * (len(a) // 2), ["y", "z"] * (len(a) // 2), a[: len(a) // 2 * 2]
    ),
    "brier": stats.brier,
    "calibration_error": lambda a, b: stats.calibration_error(a, b, **BOOT),
    "cohen_kappa": lambda a, b: stats.cohen_kappa(a, b, **BOOT),
    "confusion": stats.confusion,
    "fleiss_kappa": lambda a, b: stats.fleiss_kappa(a, b, **BOOT),
    "gwet_ac": lambda a, b: stats.gwet_ac(a, b, **BOOT),
    "icc": lambda a, b: stats.icc(a, b, **BOOT),
    "jury_votes": lambda a, b: stats.jury_votes(a, b, human=b[::-1], **BOOT),
    "kendall_tau": lambda a, b: stats.kendall_tau(a, b, **BOOT),
    "krippendorff_alpha": lambda a, b: stats.krippendorff_alpha(a, b, **BOOT),
    "krippendorff_interval": lambda a, b: stats.krippendorff_alpha(a, b, metric="interval", **BOOT),
    "krippendorff_ordinal": lambda a, b: stats.krippendorff_alpha(a, b, metric="ordinal", **BOOT),
    "krippendorff_ratio": lambda a, b: stats.krippendorff_alpha(a, b, metric="ratio", **BOOT),
    "length_controlled": lambda a, b: stats.length_controlled_win_rate(a, b, difficulty=b[::-1]),
    "lin_ccc": lambda a, b: stats.lin_ccc(a, b, **BOOT),
    "mae": stats.mae,
    "mean": lambda a, _: stats.mean(a),
    "mean_bca": lambda a, _: stats.mean(a, method="bca", **BOOT),
    "pairwise_accuracy": lambda a, b: stats.pairwise_accuracy(a, b, **BOOT),
    "paired_difference": lambda a, b: stats.paired_difference(a, b, **BOOT),
    "pass_rate": stats.pass_rate,
    "pearson": lambda a, b: stats.pearson(a, b, **BOOT),
    "position_bias": stats.position_bias,
    "proportion": lambda a, _: stats.proportion(a),
    "rate_difference": stats.rate_difference,
    "rmse": lambda a, b: stats.rmse(a, b, **BOOT),
    "rogan_gladen": lambda a, b: stats.rogan_gladen(a, labelled_judge=a, labelled_human=b),
    "scott_pi": lambda a, b: stats.scott_pi(a, b, **BOOT),
    "spearman": lambda a, b: stats.spearman(a, b, **BOOT),
    "spearman_within": lambda a, b: stats.spearman(a, b, within=[row // 3 for row in range(len(a))]),
}
LABELS = st.lists(st.tuples(*[st.sampled_from([0, 1, True, None])] * 2), max_size=14)


def estimates(result: Any) -> list[Estimate]:
    """A result and the estimates inside it."""
    inside = [value for value in vars(result).values() if isinstance(value, Estimate)]
    inside += getattr(result, "strengths", ())
    return [result, *inside] if isinstance(result, Estimate) else inside


def numbers(value: Any) -> list[float]:
    """All numbers in a JSON value."""
    if isinstance(value, dict):
        return [number for part in value.values() for number in numbers(part)]
    if isinstance(value, list):
        return [number for part in value for number in numbers(part)]
    return [value] if isinstance(value, (int, float)) else []


@pytest.mark.parametrize("name", FUNCTIONS)
@settings(deadline=None, max_examples=15)
@given(rows=LABELS)
def test_whatever_the_labels_a_result_is_sound(name: str, rows: list[tuple[Any, Any]]) -> None:
    a, b = [x for x, _ in rows], [y for _, y in rows]
    kept = copy.deepcopy((a, b))
    result = FUNCTIONS[name](a, b)
    assert (a, b) == kept
    assert all(
        math.isfinite(number) for number in numbers(json.loads(json.dumps(result.to_dict(), allow_nan=False)))
    )
    assert repr(result)
    assert "nan" not in repr(result)
    for estimate in estimates(result):
        assert (estimate.reason is not None) == (estimate.value is None or estimate.interval is None)
        assert estimate.value is not None or estimate.interval is None
        assert estimate.n >= 0
        if estimate.interval is not None:
            assert estimate.interval.low <= estimate.interval.high


@pytest.mark.parametrize("name", [name for name in stats.__all__ if isinstance(getattr(stats, name), type)])
def test_results_are_frozen_dataclasses(name: str) -> None:
    kind = getattr(stats, name)
    assert dataclasses.is_dataclass(kind)
    assert vars(kind)["__dataclass_params__"].frozen
    assert kind.__doc__


def test_all_is_sorted_and_true() -> None:
    assert list(stats.__all__) == sorted(stats.__all__)
    assert all(hasattr(stats, name) for name in stats.__all__)


def test_results_read_as_sentences() -> None:
    interval = Interval(0.25, 0.75, 0.95, "Wilson")
    assert repr(interval) == "95% interval 0.25 to 0.75 (Wilson)"
    assert (0.25 in interval, 0.8 in interval, interval.width) == (True, False, 0.5)
    known = Estimate(name="accuracy", value=0.5, interval=interval, n=8, missing=1)
    assert (
        repr(known)
        == "accuracy 0.5, 95% interval 0.25 to 0.75 (Wilson), n = 8, 1 left out for want of a value"
    )
    bare = dataclasses.replace(known, interval=None, missing=0, reason="one item")
    assert repr(bare) == "accuracy 0.5 without an interval: one item, n = 8"
    unknown = dataclasses.replace(bare, value=None)
    assert repr(unknown) == "accuracy is undefined: one item, n = 8"
    assert known.to_dict() == {
        "name": "accuracy",
        "value": 0.5,
        "interval": {"low": 0.25, "high": 0.75, "level": 0.95, "method": "Wilson"},
        "n": 8,
        "missing": 1,
        "reason": None,
    }


@pytest.mark.parametrize("kind", [list, tuple, np.array])
def test_columns_may_be_lists_tuples_and_arrays(kind: Callable[[list[int]], Any]) -> None:
    judge, human = [1, 0, 1, 1, 0, 0], [1, 0, 0, 1, 0, 1]
    for function in (
        stats.accuracy,
        stats.cohen_kappa,
        stats.pearson,
        stats.paired_difference,
        stats.krippendorff_alpha,
    ):
        assert function(kind(judge), kind(human)) == function(judge, human)
