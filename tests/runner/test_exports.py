"""Rows as files: what is written is what a reader of that format gets, whatever the judged text holds."""

from __future__ import annotations

import builtins
import csv
import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgekit.core.exchange import Usage
from judgekit.errors import ConfigError, MissingDependencyError
from judgekit.runner.exports import cell_text
from judgekit.runner.records import Failure, RowResult, Score
from judgekit.runner.results import Results

ROWS = [
    RowResult(
        0,
        "a",
        inputs={"question": "2+2", "history": ["hi"]},
        outputs={"answer": "=4"},
        reference_outputs="4",
        metadata={"topic": "sums"},
        scores=(Score("right", True, "+ good", source="judge"), Score("size", -1.5, source="size")),
        seconds={"target": 0.5, "judge": 0.25},
        usage=Usage(3, 4),
        cost=0.01,
    ),
    RowResult(
        0,
        "a",
        1,
        inputs={"question": "2+2", "history": []},
        outputs="4\x00\ud800",
        scores=(Score("right", False, "too \x01 short", source="judge"),),
        failures=(Failure("refusal", "it would not", "size"),),
        cost=None,
    ),
    RowResult(1, "b", inputs={"question": "1/0"}, error=Failure("ZeroDivisionError", "by <zero>", "target")),
]
RESULTS = Results("night", {}, ROWS)


def test_json_lines_are_the_rows_again(tmp_path: Path) -> None:
    path = RESULTS.to_jsonl(tmp_path / "new" / "rows.jsonl")
    lines = path.read_bytes().splitlines()
    assert [RowResult.from_dict(json.loads(line)) for line in lines] == ROWS


def test_json_lines_keep_their_script(tmp_path: Path) -> None:
    path = Results("run", {}, [RowResult(0, "0", inputs="日本")]).to_jsonl(tmp_path / "rows.jsonl")
    assert "日本" in path.read_text(encoding="utf-8")


def test_a_data_frame_has_a_line_a_row() -> None:
    frame = RESULTS.to_pandas()
    assert list(frame.columns) == [
        "id",
        "repetition",
        "inputs.question",
        "inputs.history",
        "outputs.answer",
        "outputs",
        "reference_outputs",
        "metadata.topic",
        "feedback.right",
        "comment.right",
        "feedback.size",
        "comment.size",
        "error",
        "failures",
        "seconds.target",
        "seconds.judge",
        "cost",
    ]
    assert list(frame["feedback.right"])[:2] == [True, False]
    assert frame["inputs.history"][0] == ["hi"]
    assert pd.isna(frame["cost"][1])
    assert frame["failures"][1] == "size: refusal"
    assert frame["error"][2] == "ZeroDivisionError: by <zero>"


def test_numbers_stay_numbers_in_a_data_frame() -> None:
    rows = [RowResult(i, str(i), scores=(Score("k", i / 2),)) for i in range(3)]
    assert Results("run", {}, rows).to_pandas()["feedback.k"].mean() == 0.5


def test_without_pandas_the_message_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def refuse(name: str, *args: Any) -> Any:
        if name == "pandas":
            raise ImportError(name)
        return real(name, *args)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(MissingDependencyError, match="pip install"):
        RESULTS.to_pandas()


def test_csv_reads_back_with_formulas_disarmed(tmp_path: Path) -> None:
    path = RESULTS.to_csv(tmp_path / "rows.csv")
    with path.open(encoding="utf-8", newline="") as lines:
        first, second, third = csv.DictReader(lines)
    assert first["outputs.answer"] == "'=4"
    assert first["comment.right"] == "'+ good"
    assert (first["feedback.right"], first["feedback.size"]) == ("true", "-1.5")
    assert first["inputs.history"] == '["hi"]'
    assert second["outputs"] == "4\ufffd"
    assert second["cost"] == ""
    assert third["id"] == "b"


@given(st.text())
def test_no_text_is_a_formula(text: str) -> None:
    assert not cell_text(text).startswith(("=", "+", "-", "@", "\t", "\r", "\n"))


@given(st.one_of(st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.booleans(), st.none()))
def test_other_values_are_json(value: Any) -> None:
    assert (json.loads(cell_text(value)) if value is not None else None) == value


def test_a_column_name_is_no_formula_either(tmp_path: Path) -> None:
    path = Results("run", {}, [RowResult(0, "=1", metadata={}, seconds={"=x": 1.0})]).to_csv(
        tmp_path / "rows.csv"
    )
    with path.open(encoding="utf-8", newline="") as lines:
        (row,) = csv.DictReader(lines)
    assert row["id"] == "'=1"
    key = Results("run", {}, [RowResult(0, "0", inputs={"q": 1}, scores=(Score("=k", 1.0),))])
    assert "feedback.=k" in key.to_csv(path).read_text(encoding="utf-8")


def cases(path: Path) -> dict[str, tuple[str | None, str | None]]:
    """Test case -> how it ended (None: passed) and why."""
    found: dict[str, tuple[str | None, str | None]] = {}
    for case in ET.parse(path).iter("testcase"):
        ending = next(iter(case), None)
        found[case.attrib["name"]] = (
            (None, None) if ending is None else (ending.tag, ending.attrib["message"])
        )
    return found


def test_junit_has_a_case_a_row_and_key(tmp_path: Path) -> None:
    path = RESULTS.to_junit(tmp_path / "junit.xml")
    assert cases(path) == {
        "right[a]": (None, None),
        "size[a]": (None, None),
        "right[a, repetition 1]": ("failure", "it is false"),
        "size[a, repetition 1]": ("error", "refusal"),
        "target[b]": ("error", "ZeroDivisionError"),
    }
    suite = ET.parse(path).getroot()[0]
    assert suite.attrib == {"name": "night", "tests": "5", "failures": "1", "errors": "2"}
    assert suite[0].attrib == {"classname": "night.right", "name": "right[a]", "time": "0.250000"}
    assert suite[2][0].text == "too \ufffd short"


def test_junit_fails_what_is_below_its_threshold(tmp_path: Path) -> None:
    path = RESULTS.to_junit(tmp_path / "junit.xml", thresholds={"size": -1, "right": 0})
    found = cases(path)
    assert found["size[a]"] == ("failure", "-1.5 is below -1")
    assert found["right[a, repetition 1]"] == (None, None)


def test_a_threshold_must_be_for_a_key_that_there_is(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"'rihgt'.*Did you mean 'right'"):
        RESULTS.to_junit(tmp_path / "junit.xml", thresholds={"rihgt": 1})
    assert not (tmp_path / "junit.xml").exists()


def test_labels_have_no_threshold(tmp_path: Path) -> None:
    labels = Results("run", {}, [RowResult(0, "0", scores=(Score("tone", "warm"),))])
    with pytest.raises(ConfigError, match="labels"):
        labels.to_junit(tmp_path / "junit.xml", thresholds={"tone": 1})


@given(st.text(st.characters(exclude_categories=[])))
def test_junit_is_xml_whatever_the_text(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    row = RowResult(0, text, scores=(Score(text, False, text),), failures=(Failure("x", text, text),))
    path = Results(text, {}, [row]).to_junit(tmp_path_factory.mktemp("xml") / "junit.xml")
    assert len(ET.parse(path).findall(".//testcase")) == 2
