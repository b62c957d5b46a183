"""The alternative annotator test, against a direct reading of the paper."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from scipy import stats as scipy_stats

from judgekit.errors import ConfigError, DataError
from judgekit.stats import alt_test
from judgekit.stats.alttest import Alignment

Labels = list[Any]


def annotators(seed: int, *, items: int = 120, gaps: float = 0.25) -> tuple[Labels, dict[str, Labels]]:
    """A judge and four humans who scatter around a truth of 1 to 5."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(1, 6, items)

    def scattered(spread: int, missing: float) -> Labels:
        values = np.clip(truth + rng.integers(-spread, spread + 1, items), 1, 5)
        return [None if rng.random() < missing else int(value) for value in values]

    return scattered(1, 0.05), {name: scattered(1 + (name == "d"), gaps) for name in "abcd"}


def misfit(label: int, others: list[int], alignment: Alignment) -> float:
    if alignment == "accuracy":
        return -sum(label == other for other in others) / len(others)
    return math.sqrt(sum((label - other) ** 2 for other in others) / len(others))


@pytest.mark.parametrize("alignment", ["accuracy", "neg_rmse"])
@pytest.mark.parametrize("seed", range(3))
def test_it_is_what_the_paper_says(alignment: Alignment, seed: int) -> None:
    judge, humans = annotators(seed)
    advantage, p_values = {}, []
    for left_out, own in humans.items():
        judge_wins, human_wins = [], []
        for item, (verdict, label) in enumerate(zip(judge, own, strict=True)):
            others = [column[item] for name, column in humans.items() if name != left_out]
            others = [other for other in others if other is not None]
            if verdict is None or label is None or not others:
                continue
            theirs, mine = misfit(label, others, alignment), misfit(verdict, others, alignment)
            judge_wins.append(mine <= theirs + 1e-12)
            human_wins.append(theirs <= mine + 1e-12)
        advantage[left_out] = np.mean(judge_wins)
        behind = np.array(human_wins, dtype=float) - judge_wins
        p_values.append(scipy_stats.ttest_1samp(behind, 0.15, alternative="less").pvalue)
    adjusted = scipy_stats.false_discovery_control(p_values, method="by")

    found = alt_test(judge, humans, alignment=alignment, epsilon=0.15)
    assert found.advantage == pytest.approx(advantage)
    assert list(found.p_values.values()) == pytest.approx(list(adjusted))
    assert found.value == pytest.approx(np.mean(list(advantage.values())))
    assert found.winning_rate == pytest.approx(np.mean(adjusted <= 0.05))
    assert found.interval is not None
    assert found.interval.low < (found.value or 0) < found.interval.high


def test_a_judge_that_copies_the_truth_passes_and_noise_fails() -> None:
    judge, humans = annotators(0, gaps=0.0)
    rng = np.random.default_rng(9)
    assert alt_test(humans["a"], {name: humans[name] for name in "bcd"}).passed
    noise = alt_test(rng.integers(1, 6, 120), humans)
    assert (noise.winning_rate, noise.passed) == (0.0, False)
    assert "beats 0% of 4 annotators at epsilon 0.2: failed" in repr(noise)
    assert len(judge) == noise.n


def test_words_are_labels_too() -> None:
    judge, humans = annotators(1)
    named = {name: [f"grade {v}" if v else None for v in column] for name, column in humans.items()}
    by_word = alt_test([f"grade {v}" if v else None for v in judge], named)
    assert by_word.advantage == alt_test(judge, humans).advantage


def test_a_human_may_be_called_judge() -> None:
    judge, humans = annotators(1)
    renamed = {"judge" if name == "a" else name: column for name, column in humans.items()}
    assert alt_test(judge, renamed).value == alt_test(judge, humans).value


def test_annotators_with_few_items_are_skipped() -> None:
    judge, humans = annotators(2)
    humans["rare"] = [*humans["a"][:29], *[None] * 91]
    found = alt_test(judge, humans)
    assert found.skipped == ("rare",)
    assert set(found.advantage) == set("abcd")
    assert "rare" in alt_test(judge, humans, least_items=10).advantage


def test_too_few_items_leave_it_undefined() -> None:
    found = alt_test([1, 0], {"a": [1, 0], "b": [1, 1]})
    assert (found.value, found.winning_rate, found.passed) == (None, None, None)
    assert "no annotator shares 30 items" in repr(found)
    assert json.loads(json.dumps(found.to_dict()))["skipped"] == ["a", "b"]


def test_indicators_without_spread() -> None:
    same = [0, 1] * 20
    found = alt_test(same, {"a": same, "b": same})
    assert (found.value, found.passed, list(found.p_values.values())) == (1.0, True, [0.0, 0.0])
    worse = alt_test([1 - label for label in same], {"a": same, "b": same})
    assert (worse.value, worse.passed, list(worse.p_values.values())) == (0.0, False, [1.0, 1.0])


def test_errors() -> None:
    with pytest.raises(ConfigError, match="at least two, here 1"):
        alt_test([1], {"a": [1]})
    with pytest.raises(ConfigError, match="epsilon=1"):
        alt_test([1], {"a": [1], "b": [1]}, epsilon=1)
    with pytest.raises(DataError, match=r"judge has 1, humans\['a'\] has 2"):
        alt_test([1], {"a": [1, 2], "b": [1, 2]})
    with pytest.raises(DataError, match=r"humans\['b'\]\[0\] is 'x', not a number"):
        alt_test([1], {"a": [1], "b": ["x"]}, alignment="neg_rmse")
