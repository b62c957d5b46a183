"""Published figures, reproduced from the released labels."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from judgekit import stats
from tests.support.shared import shared_data

DATA = Path(__file__).parent.parent / "data"
BARS: dict[str, Any] = json.loads((DATA / "acceptance.json").read_text(encoding="utf-8"))
VECTORS: dict[str, Any] = json.loads((DATA / "statistics_vectors.json").read_text(encoding="utf-8"))[
    "reference"
]


def jsonl(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_llmbar_accuracy_and_positional_agreement() -> None:
    """Zeng et al. 2024; an unparsed reply is a verdict of its own that is never the label."""
    folder = shared_data("llmbar")
    items = {str(item["id"]): item for item in jsonl(folder / "items.jsonl")}
    verdicts = table(folder / "verdicts.csv")
    published = table(folder / "published.csv")
    assert len(published) == BARS["llmbar"]["n_conditions"]
    for cell in published:
        rows = [row for row in verdicts if items[row["id"]]["subset"] == cell["subset"]]
        key = f"{cell['judge']}|{cell['prompt']}"
        given, swapped = ([int(row[f"{key}|{order}"]) for row in rows] for order in ("ab", "ba"))
        label = [items[row["id"]]["label"] for row in rows]
        accuracy = stats.accuracy(given + swapped, label + label)
        agreement = stats.accuracy(given, swapped)
        assert (accuracy.n, agreement.n) == (2 * len(rows), len(rows))
        assert 100 * (accuracy.value or 0) == pytest.approx(float(cell["acc_published"]), abs=1e-6)
        assert 100 * (agreement.value or 0) == pytest.approx(float(cell["agreement_published"]), abs=1e-6)


@pytest.mark.parametrize("judge", ["gpt4_label", "davinci_label", "bem_label"])
def test_openqa_judges_against_humans(judge: str) -> None:
    rows = jsonl(shared_data("openqa_eval") / "judgments.jsonl")
    bar = BARS["openqa_eval"]["judge_vs_human"][judge]
    verdicts, human = [row[judge] for row in rows], [row["human"] for row in rows]
    found = stats.binary_agreement(verdicts, human)
    assert found.accuracy.n == bar["n"]
    for name in ("accuracy", "tpr", "tnr", "mcc", "f1"):
        assert getattr(found, name).value == pytest.approx(bar[name], abs=1e-6)
    assert stats.cohen_kappa(verdicts, human).value == pytest.approx(bar["kappa"], abs=1e-6)


def test_openqa_annotators_standard_errors_and_calibration() -> None:
    bars = BARS["openqa_eval"]
    rows = jsonl(shared_data("openqa_eval") / "judgments.jsonl")
    annotators = [[row[f"annotator{rater}"] for row in rows] for rater in (1, 2, 3)]
    alpha = stats.krippendorff_alpha(*annotators)
    assert alpha.value == pytest.approx(bars["annotator_alpha_nominal_with_missing"], abs=1e-6)
    kappa = stats.cohen_kappa(annotators[0], annotators[1])
    assert kappa.value == pytest.approx(bars["annotator1_2_kappa"], abs=1e-6)

    judged = [row for row in rows if row["gpt4_label"] is not None]
    right = [row["gpt4_label"] == row["human"] for row in judged]
    assert stats.mean(right).se == pytest.approx(bars["gpt4_agreement_se_naive"], abs=1e-6)
    clustered = stats.cluster_se(right, [row["qid"] for row in judged])
    assert clustered == pytest.approx(bars["gpt4_agreement_se_cluster_by_qid"], abs=1e-5)

    scored = [row for row in rows if row["bem_prob"] is not None]
    p, y = [row["bem_prob"] for row in scored], [row["human"] for row in scored]
    assert stats.brier(p, y).value == pytest.approx(bars["bem_prob"]["brier"], abs=1e-6)
    assert stats.calibration_error(p, y).value == pytest.approx(bars["bem_prob"]["ece10"], abs=1e-6)


def test_openqa_table_of_systems() -> None:
    """Kamalloo et al. 2023, table 1, in percent of 301 questions."""
    rows = table(shared_data("openqa_eval") / "systems.csv")
    for system, bar in BARS["openqa_eval"]["recomputed"].items():
        mine = [row for row in rows if row["system"] == system]
        for scorer, expected in bar.items():
            rate = stats.proportion([int(row[scorer]) for row in mine])
            assert rate.n == 301
            assert 100 * (rate.value or 0) == pytest.approx(expected, abs=0.006)


def test_openqa_pass_rate_from_fifty_labels_covers_the_truth() -> None:
    """The judge alone is biased and overconfident; with 50 of 301 labels the interval covers the known rate."""
    rows = table(shared_data("openqa_eval") / "systems.csv")
    covered, covered_alone, narrower, trials = 0, 0, 0, 0
    for place, system in enumerate(BARS["openqa_eval"]["recomputed"]):
        mine = [row for row in rows if row["system"] == system]
        truth = [int(row["human"]) for row in mine]
        rate = sum(truth) / len(truth)
        for start in range(6):
            labelled = {(start * 50 + place + row) % 301 for row in range(50)}
            human = [label if row in labelled else None for row, label in enumerate(truth)]
            found = stats.pass_rate([int(row["bem"]) for row in mine], human)
            assert found.interval is not None
            assert found.judge_only.interval is not None
            assert found.labels_only.interval is not None
            covered += rate in found.interval
            covered_alone += rate in found.judge_only.interval
            narrower += found.interval.width < found.labels_only.interval.width
            trials += 1
    assert covered / trials >= 0.9
    assert covered_alone / trials < 0.5
    assert narrower / trials >= 0.9


def test_pandalm_annotators() -> None:
    """Wang et al. 2024: the published kappas have two digits."""
    bars = BARS["pandalm"]
    rows = jsonl(shared_data("pandalm") / "testset.jsonl")
    humans = [[row[f"annotator{rater}"] for row in rows] for rater in (1, 2, 3)]
    for name, (a, b) in {"kappa_12": (0, 1), "kappa_13": (0, 2), "kappa_23": (1, 2)}.items():
        kappa = stats.cohen_kappa(humans[a], humans[b]).value
        assert kappa == pytest.approx(bars["published"][name], abs=0.005)
        assert kappa == pytest.approx(bars["recomputed"][name], abs=1e-6)
    assert stats.krippendorff_alpha(*humans).value == pytest.approx(
        bars["recomputed"]["alpha_nominal"], abs=1e-6
    )
    assert stats.fleiss_kappa(*humans).value == pytest.approx(bars["recomputed"]["fleiss"], abs=1e-6)
    assert stats.gwet_ac(*humans).value == pytest.approx(bars["recomputed"]["gwet_ac1"], abs=1e-6)


def test_pandalm_judges_and_consensus() -> None:
    bars, vector = BARS["pandalm"]["recomputed"], VECTORS["dawid_skene_pandalm"]
    rows = jsonl(shared_data("pandalm") / "testset.jsonl")
    read = {"0": 0, "1": 1, "2": 2, "Tie": 0, "garbage": None}
    majority = [row["majority"] for row in rows]
    gpt35, pandalm = ([read[row[judge]] for row in rows] for judge in ("gpt35", "pandalm7b"))
    found = stats.accuracy(gpt35, majority)
    assert found.missing == bars["gpt35_garbage"]
    assert (found.value or 0) * found.n / len(rows) == pytest.approx(
        bars["gpt35_accuracy_garbage_wrong"], abs=1e-6
    )
    assert stats.accuracy(pandalm, majority).value == pytest.approx(bars["pandalm7b_accuracy"], abs=1e-6)

    humans = [[row[f"annotator{rater}"] for row in rows] for rater in (1, 2, 3)]
    consensus = stats.dawid_skene(*humans, gpt35, pandalm, smoothing=0.0, tolerance=1e-12)
    assert consensus.prevalence == pytest.approx(vector["prevalence"], abs=1e-9)
    for table_, name in (
        (consensus.confusion[3], "confusion_gpt35"),
        (consensus.confusion[4], "confusion_pandalm7b"),
    ):
        for row, expected in zip(table_, vector[name], strict=True):
            assert row == pytest.approx(expected, abs=1e-9)
    sums = [sum(row[label] for row in consensus.posterior) for label in range(3)]
    assert sums == pytest.approx(vector["sum_posterior"], abs=1e-6)


@pytest.mark.parametrize("name", sorted(BARS["summeval_humans"]["krippendorff"]))
def test_summeval_raters(name: str) -> None:
    """Fabbri et al. 2021: 1,200 summaries, 3 experts and 5 crowd workers, scores of 1 to 5."""
    rows = table(shared_data("summeval_humans") / "ratings.csv")
    bar = BARS["summeval_humans"]["krippendorff"][name]
    raters = [
        [int(row[f"{name}{rater}"]) for row in rows] for rater in range(1, 4 if "expert" in name else 6)
    ]
    few = 100  # resamples: only the values are published
    for metric in ("nominal", "ordinal", "interval"):
        alpha = stats.krippendorff_alpha(*raters, metric=metric, resamples=few)
        assert alpha.value == pytest.approx(bar[metric], abs=1e-6)
    assert stats.icc(*raters, resamples=few).value == pytest.approx(bar["icc2_1"], abs=1e-6)
    assert stats.icc(*raters, form="ICC(2,k)", resamples=few).value == pytest.approx(bar["icc2_k"], abs=1e-6)
