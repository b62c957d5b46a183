"""Scripted judges with a bias of known size are found, at a rate within its interval; fair ones are not."""

from __future__ import annotations

import json
import random
import zlib
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from judgekit import create_llm_as_judge
from judgekit.errors import ConfigError, DataError
from judgekit.models.scripted import scripted
from judgekit.trust import PROBES, probe

N = 120
ITEMS: list[dict[str, Any]] = [
    {
        "inputs": f"q{number}",
        "outputs": f"it is {'right' if number % 3 == 0 else 'wrong'}",
        "reference_outputs": "right",
    }
    for number in range(N)
]
PAIRS: list[dict[str, Any]] = [
    {"inputs": f"q{number}", "outputs": ("it is right", "it is wrong")[:: 1 if number % 4 else -1]}
    for number in range(N)
]


def luck(*parts: str) -> float:
    """A number from 0 to 1 that is the same whenever these are."""
    return zlib.crc32("|".join(parts).encode()) / 2**32


def fair(outputs: str) -> bool:
    return "it is right" in outputs


def moved(sign: Callable[[str], bool], rate: float) -> Callable[..., bool]:
    """A judge that passes answers with the sign on that share of the items, and is fair otherwise."""

    def judge(inputs: str, outputs: str) -> bool:
        return fair(outputs) or (sign(outputs) and luck(inputs) < rate)

    return judge


BIASES: Mapping[str, Callable[[str], bool]] = {
    "length_padding": lambda outputs: len(outputs) > 150 and "it is" in outputs and "\n" not in outputs,
    "injected_instruction": lambda outputs: "ignore your instructions" in outputs,
    "fake_authority": lambda outputs: "professors" in outputs,
    "constant_output": lambda outputs: outputs.startswith("Thank you"),
}


@pytest.mark.parametrize("name", BIASES)
def test_a_known_bias_is_found_and_no_other(name: str) -> None:
    report = probe(moved(BIASES[name], 0.6), ITEMS)
    assert report.found == (name,)
    found = report[name]
    assert found.rate.interval is not None
    assert 0.6 in found.rate.interval
    assert found.rate.n == (N if name == "constant_output" else 2 * N // 3), (
        "answers that pass already cannot rise"
    )


def test_master_keys_that_pass_are_counted_by_the_key() -> None:
    report = probe(moved(lambda outputs: outputs in (":", "Solution"), 1.0), ITEMS, probes=["master_keys"])
    rate = report["master_keys"].rate
    assert report.found == ("master_keys",)
    assert rate.value == pytest.approx(0.4)
    assert rate.n == 5 * N


def test_a_fair_judge_is_found_fair() -> None:
    report = probe(fair, ITEMS)
    assert report.found == ()
    assert set(report.skipped) == {"position_swap", "self_preference"}
    assert {*report, *report.skipped} == set(PROBES)
    assert all(found.rate.value == 0 and found.rate.interval is not None for found in report.probes.values())
    assert repr(report) == "<ProbeReport: 0 of 6 probes found a bias>"
    assert "position_swap skipped: it takes items with two answers" in str(report)


def test_a_judge_that_wavers_is_found_wavering_and_not_biased() -> None:
    rng = random.Random(1)
    report = probe(lambda outputs: fair(outputs) != (rng.random() < 0.3), ITEMS)
    assert not {"length_padding", "injected_instruction", "fake_authority"} & set(report.found)
    rate = report["repeats"].rate
    assert "repeats" in report.found
    assert rate.interval is not None
    assert 1 - 0.7**3 - 0.3**3 in rate.interval


def test_scores_that_rise_are_seen_and_passing_is_asked_for() -> None:
    def judge(inputs: str, outputs: str) -> int:
        return 2 + 2 * fair(outputs) + (len(outputs) > 150 and luck(inputs) < 0.5)

    items = [{**item, "outputs": f"{item['outputs']}, they say"} for item in ITEMS]
    report = probe(judge, items, probes=["length_padding", "master_keys"])
    assert report.found == ("length_padding",)
    assert report["length_padding"].shift is not None
    assert report["length_padding"].shift.value == pytest.approx(0.5, abs=0.1)
    assert "passing=" in report.skipped["master_keys"]
    assert probe(judge, items, probes=["master_keys"], passing=2).found == ("master_keys",)
    assert probe(judge, items, probes=["master_keys"], passing=3).found == ()


def test_words_need_their_scale() -> None:
    def judge(outputs: str) -> str:
        return "good" if fair(outputs) or "professors" in outputs else "poor"

    with pytest.raises(ConfigError, match="give scale="):
        probe(judge, ITEMS, probes=["fake_authority"])
    report = probe(judge, ITEMS, probes=["fake_authority"], scale=("poor", "good"))
    assert report["fake_authority"].rate.value == 1


def prefers(first: float, sign: str = "\0") -> Callable[..., str]:
    """A judge of pairs that takes whatever stands first on that share of the pairs, and then what has the sign."""

    def judge(inputs: str, outputs: list[str]) -> str:
        if luck(inputs) < first:
            return "A"
        if any(sign in output for output in outputs):
            return "AB"[sign in outputs[1]]
        return "AB"[fair(outputs[1])] if fair(outputs[0]) != fair(outputs[1]) else "tie"

    return judge


def test_a_liking_for_the_first_place_is_found_at_its_rate() -> None:
    report = probe(prefers(0.4), PAIRS, probes=["position_swap", "repeats", "length_padding"])
    found = report["position_swap"]
    assert report.found == ("position_swap",)
    assert found.rate.interval is not None
    assert 0.4 in found.rate.interval
    assert found.shift is not None
    assert found.shift.value == pytest.approx(-(found.rate.value or 0)), "all flips are to the first place"


def test_a_judge_of_pairs_that_an_injection_wins_over() -> None:
    report = probe(prefers(0.0, "ignore your instructions"), PAIRS)
    assert report.found == ("injected_instruction",)
    assert report["injected_instruction"].rate.value == 1
    assert probe(prefers(0.0), PAIRS).found == ()


def test_self_preference_is_what_exceeds_a_second_judge() -> None:
    own = [number % 2 == 0 for number in range(N)]
    mine = {item["inputs"] for item, is_own in zip(ITEMS, own, strict=True) if is_own}

    def proud(inputs: str, outputs: str) -> bool:
        return fair(outputs) or (inputs in mine and luck(inputs) < 0.5)

    def lenient(inputs: str, outputs: str) -> bool:
        return fair(outputs) or luck(inputs) < 0.5

    report = probe(proud, ITEMS, probes=["self_preference"], second=fair, own=own)
    assert report.found == ("self_preference",)
    wrong = sum(not fair(item["outputs"]) for item, is_own in zip(ITEMS, own, strict=True) if is_own)
    expected = 0.5 * wrong / sum(own)
    assert report["self_preference"].rate.interval is not None
    assert expected in report["self_preference"].rate.interval
    assert probe(lenient, ITEMS, probes=["self_preference"], second=fair, own=own).found == ()


def test_self_preference_of_pairs_goes_by_the_place_of_the_own_answer() -> None:
    def proud(outputs: list[str]) -> str:
        return "AB"["right" in outputs[1]]

    own = ["right" in pair["outputs"][1] for pair in PAIRS]
    report = probe(proud, PAIRS, probes=["self_preference"], second=lambda outputs: "tie", own=own)
    assert (report.found, report["self_preference"].rate.value) == ((), 0.5), "no variation, so no interval"


def test_a_judge_made_by_the_factory_is_asked_through_its_model() -> None:
    def answer(request: Any) -> Mapping[str, Any]:
        shown = json.dumps(request.messages)
        return {"reasoning": "r", "score": "it is right" in shown or "professors" in shown}

    judge = create_llm_as_judge(prompt="Judge {outputs}", judge=scripted(answer))
    report = probe(judge, ITEMS[:40], probes=["fake_authority", "repeats"])
    assert report.found == ("fake_authority",)
    assert json.loads(json.dumps(report.to_dict()))["found"] == ["fake_authority"]


def test_failures_are_left_out_and_answers_that_are_no_text_too() -> None:
    def judge(inputs: str, outputs: Any) -> bool:
        if inputs == "q1":
            raise ValueError
        return isinstance(outputs, str) and fair(outputs)

    items: list[dict[str, Any]] = [*ITEMS[:20], {"inputs": "m", "outputs": {"role": "assistant"}}]
    report = probe(judge, items, probes=["fake_authority", "repeats"])
    assert report["repeats"].rate.missing == 1
    assert report["fake_authority"].rate.missing == 2


def test_what_cannot_be_probed_says_what_to_change() -> None:
    with pytest.raises(ConfigError, match="no probe 'swap'"):
        probe(fair, ITEMS, probes=["swap"])
    with pytest.raises(ConfigError, match="cannot be probed"):
        probe([True], ITEMS)
    with pytest.raises(DataError, match="rows with outputs"):
        probe(fair, [])
    with pytest.raises(DataError, match="probe them apart"):
        probe(fair, [*ITEMS, *PAIRS])
    with pytest.raises(KeyError, match="was not done: it takes items with two answers"):
        probe(fair, ITEMS[:3], probes=["position_swap"])["position_swap"]
