"""Statistics for judges and the runs that they score: every number with its interval, its n, and what is missing.

Columns hold one entry an item, None where there is none. Undefined statistics are None with a reason, never NaN or
0. Only numpy is needed.
"""

from __future__ import annotations

from judgekit.stats.agreement import Confusion, accuracy, cohen_kappa, confusion, scott_pi
from judgekit.stats.alttest import AltTest, alt_test
from judgekit.stats.binary import BinaryAgreement, binary_agreement
from judgekit.stats.calibration import ExpectedScore, brier, calibration_error, expected_score, log_loss
from judgekit.stats.compare import (
    Comparison,
    benjamini_hochberg,
    benjamini_yekutieli,
    holm,
    mcnemar_p,
    paired_difference,
    rate_difference,
    sign_flip_p,
)
from judgekit.stats.correlation import (
    Correlation,
    bias,
    kendall_tau,
    lin_ccc,
    mae,
    pairwise_accuracy,
    pearson,
    rmse,
    spearman,
)
from judgekit.stats.icc import icc
from judgekit.stats.intervals import Mean, clopper_pearson, cluster_se, jeffreys, mean, proportion, wilson
from judgekit.stats.juries import DawidSkene, JuryVotes, dawid_skene, effective_votes, jury_votes
from judgekit.stats.length import length_controlled_win_rate
from judgekit.stats.passrate import CorrectedRate, PassRate, pass_rate, rogan_gladen
from judgekit.stats.position import PositionBias, position_bias
from judgekit.stats.power import (
    SampleSize,
    labels_to_halve,
    minimum_detectable_effect,
    sample_size_kappa,
    sample_size_paired,
    sample_size_proportion,
)
from judgekit.stats.ranking import Ranking, Strength, bradley_terry
from judgekit.stats.reliability import fleiss_kappa, gwet_ac, krippendorff_alpha
from judgekit.stats.result import Estimate, Interval
from judgekit.stats.sequential import Monitored, anytime_interval, monitor

__all__ = [
    "AltTest",
    "BinaryAgreement",
    "Comparison",
    "Confusion",
    "CorrectedRate",
    "Correlation",
    "DawidSkene",
    "Estimate",
    "ExpectedScore",
    "Interval",
    "JuryVotes",
    "Mean",
    "Monitored",
    "PassRate",
    "PositionBias",
    "Ranking",
    "SampleSize",
    "Strength",
    "accuracy",
    "alt_test",
    "anytime_interval",
    "benjamini_hochberg",
    "benjamini_yekutieli",
    "bias",
    "binary_agreement",
    "bradley_terry",
    "brier",
    "calibration_error",
    "clopper_pearson",
    "cluster_se",
    "cohen_kappa",
    "confusion",
    "dawid_skene",
    "effective_votes",
    "expected_score",
    "fleiss_kappa",
    "gwet_ac",
    "holm",
    "icc",
    "jeffreys",
    "jury_votes",
    "kendall_tau",
    "krippendorff_alpha",
    "labels_to_halve",
    "length_controlled_win_rate",
    "lin_ccc",
    "log_loss",
    "mae",
    "mcnemar_p",
    "mean",
    "minimum_detectable_effect",
    "monitor",
    "paired_difference",
    "pairwise_accuracy",
    "pass_rate",
    "pearson",
    "position_bias",
    "proportion",
    "rate_difference",
    "rmse",
    "rogan_gladen",
    "sample_size_kappa",
    "sample_size_paired",
    "sample_size_proportion",
    "scott_pi",
    "sign_flip_p",
    "spearman",
    "wilson",
]
