"""Worked examples with known answers, one check for each entry of the file of vectors."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import pytest

from judgekit import stats
from judgekit.stats.reliability import Metric

VECTORS: dict[str, Any] = json.loads(
    (Path(__file__).parent.parent / "data" / "statistics_vectors.json").read_text(encoding="utf-8")
)["reference"]

Check = Callable[[dict[str, Any]], None]
CHECKS: dict[str, Check] = {}


def check(name: str) -> Callable[[Check], Check]:
    def register(function: Check) -> Check:
        CHECKS[name] = function
        return function

    return register


def close(value: object, expected: object, tolerance: float = 1e-9) -> None:
    assert value == pytest.approx(expected, abs=tolerance)


def ends(estimate: stats.Estimate | stats.Interval) -> list[float]:
    interval = estimate if isinstance(estimate, stats.Interval) else estimate.interval
    assert interval is not None
    return [interval.low, interval.high]


def columns(rows: list[list[Any]]) -> list[list[Any]]:
    """Rows of items as one column for each rater."""
    return [list(column) for column in zip(*rows, strict=True)]


@check("binary")
def _(case: dict[str, Any]) -> None:
    found = stats.binary_agreement(case["pred"], case["y"])
    for name, expected in case["out"].items():
        value = getattr(found, name)
        close(value.value if isinstance(value, stats.Estimate) else value, expected)


@check("cohen")
def _(case: dict[str, Any]) -> None:
    a, b, scale = case["a"], case["b"], (1, 2, 3, 4, 5)
    close(stats.cohen_kappa(a, b).value, case["unweighted"])
    close(stats.cohen_kappa(a, b, weights="linear", scale=scale).value, case["linear"])
    close(stats.cohen_kappa(a, b, weights="quadratic", scale=scale).value, case["quadratic"])
    close(stats.scott_pi(a, b).value, case["scott_pi"])


@check("cohen_gap")
def _(case: dict[str, Any]) -> None:
    a, b = case["a"], case["b"]
    declared = stats.cohen_kappa(a, b, weights="quadratic", scale=(1, 2, 3, 4, 5))
    close(declared.value, case["declared_1_5_quadratic"])
    observed = stats.cohen_kappa(a, b, weights="quadratic", scale=(1, 2, 3, 5))
    close(observed.value, case["observed_labels_quadratic"])


@check("fleiss")
def _(case: dict[str, Any]) -> None:
    rows = [[label for label, n in enumerate(counts) for _ in range(n)] for counts in case["counts"]]
    close(stats.fleiss_kappa(*columns(rows)).value, case["out"])


@check("krippendorff")
def _(case: dict[str, Any]) -> None:
    for metric in get_args(Metric):
        found = stats.krippendorff_alpha(*case["raters_by_items"], metric=metric)
        close(found.value, case[metric])
        assert (found.n, found.missing) == (12, 3)


@check("gwet")
def _(case: dict[str, Any]) -> None:
    raters, scale = columns(case["items_by_raters"]), (1, 2, 3, 4)
    close(stats.gwet_ac(*raters).value, case["AC1"])
    close(stats.gwet_ac(*raters, weights="linear", scale=scale).value, case["AC2_linear"])
    close(stats.gwet_ac(*raters, weights="quadratic", scale=scale).value, case["AC2_quadratic"])


@check("kappa_paradox")
def _(case: dict[str, Any]) -> None:
    a, b = [1] * 97 + [0] * 3, [1] * 94 + [0] * 3 + [1] * 3
    close(stats.accuracy(a, b).value, case["agreement"])
    close(stats.cohen_kappa(a, b).value, case["cohen"])
    close(stats.gwet_ac(a, b).value, case["gwet_ac1"])


@check("icc")
def _(case: dict[str, Any]) -> None:
    raters = columns(case["items_by_raters"])
    close(stats.icc(*raters).value, case["ICC2_1"])
    close(stats.icc(*raters, form="ICC(2,k)").value, case["ICC2_k"])
    close(stats.icc(*raters, form="ICC(3,1)").value, case["ICC3_1"])


@check("corr")
def _(case: dict[str, Any]) -> None:
    functions: dict[str, Callable[..., stats.Estimate]] = {
        "pearson": stats.pearson,
        "spearman": stats.spearman,
        "kendall_tau_b": stats.kendall_tau,
        "lin_ccc": stats.lin_ccc,
        "mae": stats.mae,
        "rmse": stats.rmse,
        "bias": stats.bias,
        "acc_eq": stats.pairwise_accuracy,
    }
    assert set(functions) == set(case) - {"x", "y"}
    for name, function in functions.items():
        close(function(case["x"], case["y"]).value, case[name])


@check("calibration")
def _(case: dict[str, Any]) -> None:
    p, y = case["p"], case["y"]
    close(stats.brier(p, y).value, case["brier"])
    close(stats.log_loss(p, y).value, case["log_loss"])
    close(stats.calibration_error(p, y, bins=5).value, case["ece_5"])
    close(stats.calibration_error(p, y).value, case["ece_10"])


@check("ci")
def _(case: dict[str, Any]) -> None:
    close(ends(stats.wilson(17, 20)), case["wilson_17_20"])
    close(ends(stats.wilson(0, 10)), case["wilson_0_10"])
    close(ends(stats.clopper_pearson(17, 20)), case["clopper_17_20"])
    difference = stats.rate_difference([1] * 17 + [0] * 3, [1] * 12 + [0] * 8)
    close(ends(difference), case["newcombe_17_20_vs_12_20"])


@check("cluster_se")
def _(case: dict[str, Any]) -> None:
    close(stats.cluster_se(case["x"], case["cluster"]), case["se_cluster"])
    found = stats.mean(case["x"])
    close((found.value, found.se), (case["mean"], case["se_naive"]))


@check("paired")
def _(case: dict[str, Any]) -> None:
    found = stats.paired_difference(case["a"], case["b"])
    close((found.value, found.se, found.se_unpaired), (case["diff"], case["se_paired"], case["se_unpaired"]))
    assert (found.a_better, found.b_better) == (case["mcnemar_b"], case["mcnemar_c"])
    close(found.p_value, case["mcnemar_exact_p"])
    close(stats.mcnemar_p(10, 2), case["mcnemar_exact_p_10_2"])


@check("power")
def _(case: dict[str, Any]) -> None:
    found = stats.sample_size_paired(0.03, variance=1 / 9)
    close(found.value, case["n_for_3pts_Miller"])
    assert found.n == 969
    noisy = stats.sample_size_paired(0.03, variance=1 / 9, noise_a=1 / 6, noise_b=1 / 6)
    close(noisy.value, case["n_for_3pts_with_K1_noise"])
    close(stats.minimum_detectable_effect(1000, variance=1 / 9), case["mde_n1000"])


@check("ppi")
def _(case: dict[str, Any]) -> None:
    judge, human = case["f"] + case["F"], case["y"] + [None] * len(case["F"])
    for tuning, expected in ((1.0, case["lam1"]), (None, case["tuned"])):
        found = stats.pass_rate(judge, human, tuning=tuning)
        close([found.value, *ends(found), found.tuning], expected)
    close(found.labels_only.value, case["labels_only"])
    close(found.judge_only.value, case["judge_only"])


@check("rogan_gladen")
def _(case: dict[str, Any]) -> None:
    found = stats.rogan_gladen(
        [1] * 400 + [0] * 600,
        labelled_judge=[1] * 180 + [0] * 20 + [0] * 140 + [1] * 60,
        labelled_human=[1] * 200 + [0] * 200,
    )
    close(found.value, case["out"])
    close(ends(found), case["ci_lee2025_n1000_m200_200"])


def _dawid_skene(case: dict[str, Any]) -> None:
    raters = columns([[None if label < 0 else label for label in row] for row in case["labels"]])
    found = stats.dawid_skene(*raters, smoothing=case.get("smooth", 0.0), tolerance=1e-14)
    assert found.converged
    close([row[1] for row in found.posterior], case["posterior_1"])
    close(list(found.prevalence), case["prevalence"])
    for table, expected in zip(found.confusion, case.get("confusion", ()), strict=False):
        for row, wanted in zip(table, expected, strict=True):
            close(list(row), wanted)


for _name in ("dawid_skene", "dawid_skene_2", "dawid_skene_2_smoothed"):
    check(_name)(_dawid_skene)


@check("bradley_terry")
def _(case: dict[str, Any]) -> None:
    games = [(a, b) for a, row in enumerate(case["wins"]) for b, wins in enumerate(row) for _ in range(wins)]
    found = stats.bradley_terry([a for a, _ in games], [b for _, b in games], [1] * len(games))
    order = [found[str(system)] for system in range(4)]
    close([strength.value for strength in order], case["log_strength"])
    close([strength.se for strength in order], case["se"])
    close([strength.elo for strength in order], case["elo"], 1e-6)
    close(found.probability("0", "1"), case["p_0_beats_1"])


@check("position")
def _(case: dict[str, Any]) -> None:
    value = {"A": 1, "B": 0, "T": 0.5}
    found = stats.position_bias([value[v] for v in case["ab"]], [value[v] for v in case["ba"]])
    close(found.value, case["consistency"])
    assert (found.flips_to_first, found.flips_to_second) == (case["flips_to_first"], case["flips_to_second"])
    close(found.fairness.value, case["preference_fairness"])
    close(found.first_rate.value, case["first_rate"])
    close(found.p_value, case["mcnemar_p"])


@check("geval")
def _(case: dict[str, Any]) -> None:
    found = stats.expected_score(case["logprobs"], case["scores"])
    close((found.value, found.mass), (case["expected"], case["mass"]))


@check("beta_cs")
def _(case: dict[str, Any]) -> None:
    close(ends(stats.anytime_interval(case["S"], case["n"])), case["out"], 2e-5)
    close(ends(stats.anytime_interval(case["S2"], case["n2"])), case["out2"], 2e-5)


@check("neff")
def _(case: dict[str, Any]) -> None:
    close(stats.effective_votes(case["k"], case["rho"]), case["out"])


@check("multipletests")
def _(case: dict[str, Any]) -> None:
    close(stats.holm(case["p"]), tuple(case["holm"]))
    close(stats.benjamini_hochberg(case["p"]), tuple(case["bh"]))
    close(stats.benjamini_yekutieli(case["p"]), tuple(case["by"]))


@check("bca")
def _(case: dict[str, Any]) -> None:
    pairs = VECTORS["corr"]
    found = stats.paired_difference(pairs["x"], pairs["y"], method="bca")
    close(ends(found), [case["low"], case["high"]], 0.02)


@pytest.mark.parametrize("name", sorted(set(VECTORS) - {"dawid_skene_pandalm"}))
def test_the_vector_is_reproduced(name: str) -> None:
    CHECKS[name](VECTORS[name])
