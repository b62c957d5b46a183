"""The judge on trial: how far it agrees with people, what moves it that should not, and what its verdicts are worth.

Every number has its interval and its n. A verdict that is missing is counted, and never taken for one.
"""

from __future__ import annotations

from judgekit.trust.calibrating import Calibration, calibrate
from judgekit.trust.judging import evaluate_judge
from judgekit.trust.length import LengthControlledRanking
from judgekit.trust.passing import PassRateReport, pass_rate
from judgekit.trust.planning import power, sequential
from judgekit.trust.probing import PROBES, Probe, ProbeReport, probe
from judgekit.trust.ranking import rank
from judgekit.trust.report import JudgeReport
from judgekit.trust.selecting import Selection, ShownExamples, select, select_examples

__all__ = [
    "PROBES",
    "Calibration",
    "JudgeReport",
    "LengthControlledRanking",
    "PassRateReport",
    "Probe",
    "ProbeReport",
    "Selection",
    "ShownExamples",
    "calibrate",
    "evaluate_judge",
    "pass_rate",
    "power",
    "probe",
    "rank",
    "select",
    "select_examples",
    "sequential",
]
