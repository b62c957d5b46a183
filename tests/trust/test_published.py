"""Published figures, reproduced from the released verdicts and labels through the doors that a user takes."""

from __future__ import annotations

import csv
import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from judgekit.trust import JudgeReport, calibrate, evaluate_judge, pass_rate, rank
from tests.support.shared import shared_data

DATA = Path(__file__).parent.parent / "data"
BARS: dict[str, Any] = json.loads((DATA / "acceptance.json").read_text(encoding="utf-8"))
TABLE_1 = {
    "InstructGPT_zeroshot": "text-davinci-003_zeroshot",
    "InstructGPT_fewshot": "text-davinci-003_fewshot-n64",
    "DPR": "DPR",
    "FiD": "FiD",
    "ANCE_FiD": "ANCE-plus_FiD",
}
FEW = 100  # resamples: only the values are published


@cache
def jsonl(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@cache
def table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def scored_wrong(report: JudgeReport) -> float:
    """The accuracy in per cent, had a reply without a verdict been wrong, as these papers have it."""
    assert report.accuracy.value is not None
    return 100 * report.accuracy.value * report.n / report.items


@pytest.mark.parametrize(
    "bar", BARS["llmbar"]["examples"], ids=lambda bar: f"{bar['subset']}-{bar['judge']}-{bar['prompt']}"
)
def test_llmbar_recorded_verdicts(bar: dict[str, Any]) -> None:
    """Zeng et al. 2024: accuracy over both orders, and agreement of the two orders with each other."""
    folder = shared_data("llmbar")
    items = {str(item["id"]): item for item in jsonl(folder / "items.jsonl")}
    rows = [row for row in table(folder / "verdicts.csv") if items[row["id"]]["subset"] == bar["subset"]]
    orders = [
        [int(row[f"{bar['judge']}|{bar['prompt']}|{order}"]) or None for row in rows]
        for order in ("ab", "ba")
    ]
    labels = [items[row["id"]]["label"] for row in rows]
    ids = [row["id"] for row in rows]
    report = evaluate_judge(orders[0] + orders[1], labels + labels, cluster=ids + ids, resamples=FEW)
    assert len(rows) == bar["n"]
    assert scored_wrong(report) == pytest.approx(bar["acc_published"], abs=1e-6)
    assert report.accuracy.interval is not None
    assert f"{len(rows)} clusters" in report.accuracy.interval.method
    if not report.unparsed:
        consistent = evaluate_judge(orders[0], orders[1], resamples=FEW)
        assert scored_wrong(consistent) == pytest.approx(bar["agreement_published"], abs=1e-6)


def test_llmbar_raw_replies_read_to_the_recorded_winner() -> None:
    rows = jsonl(shared_data("llmbar") / "raw_cot.jsonl")
    assert len(rows) == 1257
    first, second = r"Output \(a\) is better", r"Output \(b\) is better"
    for order, reading in (("ab", {"1": first, "2": second}), ("ba", {"1": second, "2": first})):
        recorded = [row[f"winner_{order}"] for row in rows]
        winners = [winner if winner in reading else None for winner in recorded]
        raw = [row[f"raw_{order}"] for row in rows]
        report = evaluate_judge(raw, winners, reading=reading, positive="1", resamples=FEW)
        assert report.accuracy.value == 1
        assert report.n == sum(winner is not None for winner in winners) > 1245
        assert report.failures == {"unmatched": len(rows) - report.n}


@pytest.mark.parametrize("judge", ["gpt4_label", "davinci_label", "bem_label"])
def test_openqa_judges(judge: str) -> None:
    """Kamalloo et al. 2023, judged answers; three GPT-4 labels and two of BEM's are missing."""
    rows = jsonl(shared_data("openqa_eval") / "judgments.jsonl")
    bar = BARS["openqa_eval"]["judge_vs_human"][judge]
    report = evaluate_judge([row[judge] for row in rows], [row["human"] for row in rows], resamples=FEW)
    assert (report.n, report.unparsed) == (bar["n"], 1490 - bar["n"])
    for name in ("accuracy", "tpr", "tnr", "kappa"):
        assert report.estimates[name].value == pytest.approx(bar[name], abs=1e-6)


def test_openqa_ceiling_of_the_annotators_and_raw_replies() -> None:
    rows = jsonl(shared_data("openqa_eval") / "judgments.jsonl")
    bars = BARS["openqa_eval"]
    raters = [[row[f"annotator{rater}"] for row in rows] for rater in (1, 2, 3)]
    report = evaluate_judge(
        [row["davinci_raw"] for row in rows],
        raters,
        reading={1: r"(?i)^\s*yes", 0: r"(?i)^\s*no"},
        cluster=[row["qid"] for row in rows],
        resamples=FEW,
    )
    assert report.alpha.value == pytest.approx(bars["annotator_alpha_nominal_with_missing"], abs=1e-6)
    assert report.kappa.value == pytest.approx(bars["judge_vs_human"]["davinci_label"]["kappa"], abs=0.005)
    assert report.alt_test is not None
    between = evaluate_judge(raters[0], raters[1], resamples=FEW)
    assert between.kappa.value == pytest.approx(bars["annotator1_2_kappa"], abs=1e-6)


def test_openqa_table_of_systems_and_pass_rates_from_fifty_labels() -> None:
    """Table 1, in per cent of 301 questions; people's figure lies in the interval that 50 labels give."""
    rows = table(shared_data("openqa_eval") / "systems.csv")
    covered = 0
    for place, (system, bar) in enumerate(BARS["openqa_eval"]["recomputed"].items()):
        mine = [row for row in rows if row["system"] == system]
        verdicts = [int(row["gpt4"]) for row in mine]
        labelled = {(place + 6 * row) % 301 for row in range(50)}
        labels = [int(row["human"]) if number in labelled else None for number, row in enumerate(mine)]
        found = pass_rate(verdicts, labels)
        assert 100 * (found.judge_only.value or 0) == pytest.approx(bar["gpt4"], abs=0.006)
        everyone = pass_rate([int(row["davinci"]) for row in mine], [int(row["human"]) for row in mine])
        assert 100 * (everyone.value or 0) == pytest.approx(bar["human"], abs=0.006)
        assert 100 * (everyone.judge_only.value or 0) == pytest.approx(bar["davinci"], abs=0.006)
        assert found.interval is not None
        covered += bar["human"] / 100 in found.interval
    assert covered >= 11


@pytest.mark.parametrize("name", TABLE_1)
def test_openqa_table_1_as_printed(name: str) -> None:
    """Kamalloo et al. 2023, table 1: one digit, here within 0.1 of it."""
    printed = BARS["openqa_eval"]["published_table1"][name]
    rows = [
        row for row in table(shared_data("openqa_eval") / "systems.csv") if row["system"] == TABLE_1[name]
    ]
    people = [int(row["human"]) for row in rows]
    for scorer in ("em", "bem", "davinci"):
        found = pass_rate([int(row[scorer]) for row in rows], people)
        assert 100 * (found.judge_only.value or 0) == pytest.approx(printed[scorer], abs=0.1)
        assert 100 * (found.value or 0) == pytest.approx(printed["human"], abs=0.1)


def test_openqa_scores_that_a_calibration_helps() -> None:
    rows = jsonl(shared_data("openqa_eval") / "judgments.jsonl")
    found = calibrate(
        [row["bem_prob"] for row in rows],
        [row["human"] for row in rows],
        cluster=[row["qid"] for row in rows],
    )
    assert found.before.value == pytest.approx(BARS["openqa_eval"]["bem_prob"]["brier"], abs=1e-6)
    assert found.kept
    assert (found.after.value or 1) < (found.before.value or 0) - 0.005


def test_pandalm_annotators_and_judge() -> None:
    """Wang et al. 2024; 25 replies of GPT-3.5 are no verdict."""
    bars = BARS["pandalm"]
    rows = jsonl(shared_data("pandalm") / "testset.jsonl")
    raters = {rater: [row[f"annotator{rater}"] for row in rows] for rater in (1, 2, 3)}
    for a, b in ((1, 2), (1, 3), (2, 3)):
        found = evaluate_judge(raters[a], raters[b], resamples=FEW)
        assert found.kappa.value == pytest.approx(bars["published"][f"kappa_{a}{b}"], abs=0.005)
        assert found.kappa.value == pytest.approx(bars["recomputed"][f"kappa_{a}{b}"], abs=1e-6)
    read = {"0": 0, "1": 1, "2": 2, "Tie": 0, "garbage": None}
    report = evaluate_judge([read[row["gpt35"]] for row in rows], raters, resamples=FEW)
    assert report.unparsed == bars["recomputed"]["gpt35_garbage"]
    assert report.alpha.value == pytest.approx(bars["recomputed"]["alpha_nominal"], abs=1e-6)
    majority = evaluate_judge(
        [read[row["gpt35"]] for row in rows], [row["majority"] for row in rows], resamples=FEW
    )
    assert scored_wrong(majority) == pytest.approx(
        100 * bars["recomputed"]["gpt35_accuracy_garbage_wrong"], abs=1e-4
    )


@pytest.mark.parametrize("dimension", ["coherence", "consistency", "fluency", "relevance"])
def test_summeval_experts_and_crowd(dimension: str) -> None:
    """Fabbri et al. 2021: the ceiling on a declared scale is ordinal; experts and crowd are two different truths."""
    rows = table(shared_data("summeval_humans") / "ratings.csv")
    crowd = [[int(row[f"{dimension}_crowd{rater}"]) for row in rows] for rater in range(1, 6)]
    experts = [[int(row[f"{dimension}_expert{rater}"]) for row in rows] for rater in range(1, 4)]
    bars = BARS["summeval_humans"]["krippendorff"]
    for name, raters in (("expert", experts), ("crowd", crowd)):
        report = evaluate_judge(raters[0], raters, scale=(1, 2, 3, 4, 5), resamples=FEW)
        assert report.alpha.value == pytest.approx(bars[f"{dimension}_{name}"]["ordinal"], abs=1e-6)
    means = [sum(scores) / 3 for scores in zip(*experts, strict=True)]
    report = evaluate_judge(means, crowd, group=[row["doc_id"] for row in rows], resamples=FEW)
    published = {"coherence": 0.026, "consistency": -0.020, "fluency": 0.038, "relevance": 0.081}
    assert report.spearman.value == pytest.approx(published[dimension], abs=0.0006)
    assert report.alpha.value == pytest.approx(bars[f"{dimension}_crowd"]["interval"], abs=1e-6)
    assert report.spearman_within.value is not None
    assert report.kappa.value is None


def test_llmbar_verdicts_rank_the_better_output_first() -> None:
    folder = shared_data("llmbar")
    items = [item for item in jsonl(folder / "items.jsonl") if item["subset"] == "Natural"]
    said = {row["id"]: row["GPT-4|Vanilla|ab"] for row in table(folder / "verdicts.csv")}
    games = [
        ("better", "worse", "better" if int(said[str(item["id"])]) == item["label"] else "worse")
        for item in items
    ]
    found = rank(games)
    wins = sum(outcome == "better" for *_, outcome in games)
    assert found.probability("better", "worse") == pytest.approx(wins / len(games))
