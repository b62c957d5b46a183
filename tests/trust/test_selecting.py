"""`select` and `select_examples`: what was chosen on one half is told of the other."""

from __future__ import annotations

import random

import pytest

from judgekit import create_llm_as_judge
from judgekit.errors import ConfigError, DataError
from judgekit.models.scripted import scripted
from judgekit.trust import evaluate_judge, select, select_examples


def judge(labels: list[bool], accuracy: float, rng: random.Random) -> list[bool | None]:
    return [label if rng.random() < accuracy else not label for label in labels]


def test_the_best_is_chosen_and_told_of_the_half_that_did_not_choose() -> None:
    rng = random.Random(0)
    labels = [rng.random() < 0.5 for _ in range(400)]
    candidates = {
        "old": judge(labels, 0.7, rng),
        "worse": judge(labels, 0.6, rng),
        "new": judge(labels, 0.9, rng),
    }
    found = select(candidates, labels)
    assert (found.name, found.order) == ("new", ("new", "old", "worse"))
    rows = found.reported_on
    assert found.report == evaluate_judge(
        [candidates["new"][row] for row in rows], [labels[row] for row in rows]
    )
    assert set(rows) | set(found.chosen_on) == set(range(400))
    assert not set(rows) & set(found.chosen_on)
    assert found.better
    assert found.gain is not None
    assert found.gain.value == pytest.approx(0.2, abs=0.08)


def test_the_luck_of_the_best_of_many_is_not_told() -> None:
    kappas = []
    for seed in range(12):
        rng = random.Random(seed)
        labels = [rng.random() < 0.5 for _ in range(80)]
        guesses = {f"prompt {number}": judge(labels, 0.5, rng) for number in range(15)}
        found = select(guesses, labels, seed=seed)
        kappas.append(found.report.kappa.value or 0)
        assert not found.better
    assert abs(sum(kappas) / len(kappas)) < 0.1, "on the half that chose it is about .3"


def test_silence_on_what_is_hard_wins_nothing() -> None:
    rng = random.Random(1)
    labels = [rng.random() < 0.5 for _ in range(200)]
    steady = judge(labels, 0.85, rng)
    silent: list[bool | None] = [label if rng.random() < 0.4 else None for label in labels]
    assert select({"steady": steady, "silent": silent}, labels, by="accuracy").name == "steady"


def test_items_without_a_label_are_in_neither_half() -> None:
    labels = [row % 2 == 0 if row < 20 else None for row in range(100)]
    found = select({"a": [True] * 100, "b": [row % 2 == 0 for row in range(100)]}, labels)
    assert sorted((*found.chosen_on, *found.reported_on)) == list(range(20))
    assert (len(found.reported_on), found.report.n, found.report.unlabelled) == (10, 10, 0)


def test_a_cluster_is_in_one_half() -> None:
    rng = random.Random(2)
    labels = [rng.random() < 0.5 for _ in range(100)]
    cluster = [row // 4 for row in range(100)]
    found = select(
        {"a": judge(labels, 0.6, rng), "b": judge(labels, 0.8, rng)}, labels, cluster=cluster, by="spearman"
    )
    assert not {cluster[row] for row in found.chosen_on} & {cluster[row] for row in found.reported_on}
    assert found.to_dict()["name"] == found.name == "b"
    assert "'b' of 2 candidates" in repr(found)


def test_examples_take_turns_and_begin_with_what_the_judge_got_wrong() -> None:
    items = [
        {"inputs": f"q{row}", "outputs": f"a{row}", "reasoning": "since" if row == 3 else None}
        for row in range(12)
    ]
    labels: list[bool | None] = [row % 4 != 0 for row in range(12)]
    labels[11] = None
    verdicts = [label if row not in (3, 8) else not label for row, label in enumerate(labels)]
    found = select_examples(items, labels, k=4, verdicts=verdicts)
    assert sorted(example["score"] for example in found.examples) == [False, False, True, True]
    assert set(found.shown[:2]) == {3, 8}
    assert sorted((*found.shown, *found.held_out)) == list(range(12))
    assert 11 in found.held_out
    told = {example["inputs"]: example.get("reasoning") for example in found.examples}
    assert told["q3"] == "since"
    assert told["q8"] is None
    model = scripted({"reasoning": "r", "score": True})
    create_llm_as_judge(prompt="Judge {outputs}", judge=model, few_shot_examples=found.examples)(outputs="a")


def test_what_cannot_be_selected_says_what_to_change() -> None:
    with pytest.raises(ConfigError, match="two or more"):
        select({"a": [1]}, [1])
    with pytest.raises(ConfigError, match="by='f1'"):
        select({"a": [1], "b": [1]}, [1], by="f1")  # type: ignore[arg-type]
    with pytest.raises(DataError, match="candidates\\['b'\\] has 1 verdicts for 2"):
        select({"a": [1, 0], "b": [1]}, [1, 0])
    with pytest.raises(DataError, match="cannot be divided"):
        select({"a": [1], "b": [1]}, [1])
    with pytest.raises(ConfigError, match="leave one of the 2"):
        select_examples([{"outputs": "a"}, {"outputs": "b"}], [1, 0], k=2)
