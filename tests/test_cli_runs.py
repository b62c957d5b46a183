"""`judgekit run`, `compare`, `report`, `show`, `ls`: what they print, what they write, and how they end."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from judgekit.cli import main

if TYPE_CHECKING:
    from tests.support.provider import Provider

Run = Callable[..., tuple[int, str, str]]

APP = """
def answer(inputs):
    print("noise of the target")
    if inputs == "fail":
        raise RuntimeError("the application broke")
    return {"2+2": "4", "3+3": "7"}.get(inputs, "Lima")

def lower(inputs):
    return answer(inputs).lower()
"""
ROWS = [
    {"id": "a", "question": "2+2", "reference_outputs": "4"},
    {"id": "b", "question": "3+3", "reference_outputs": "6"},
    {"id": "c", "question": "Peru", "reference_outputs": "Lima"},
]
CONFIG = """
data: rows.jsonl
columns: {inputs: question}
target: app_of_runs:answer
evaluators: [exact_match]
experiment: first
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delitem(sys.modules, "app_of_runs", raising=False)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "app_of_runs.py").write_text(APP, encoding="utf-8")
    _rows(tmp_path, ROWS)
    (tmp_path / "c.yaml").write_text(CONFIG, encoding="utf-8")
    return tmp_path


def _rows(folder: Path, rows: list[dict[str, Any]]) -> None:
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (folder / "rows.jsonl").write_text(text, encoding="utf-8")


@pytest.fixture
def run(folder: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    def run(*words: str) -> tuple[int, str, str]:
        try:
            status = main(words)
        except SystemExit as stop:
            status = int(stop.code or 0)
        out, err = capsys.readouterr()
        return status, out, err

    return run


def test_a_run_is_summed_up_and_kept(run: Run) -> None:
    status, out, _ = run("run", "c.yaml")
    assert status == 0
    assert "first: 3 rows" in out
    assert "pass rate 0.6667" in out
    status, out, _ = run("ls")
    assert (status, out.split()[4:6]) == (0, ["first", out.split()[5]])
    status, out, _ = run("show", "first")
    assert status == 0
    assert [line.split() for line in out.splitlines()[1:]] == [
        ["a", "1", "true"],
        ["b", "1", "false"],
        ["c", "1", "true"],
    ]


def test_json_is_all_there_is_on_standard_output(run: Run) -> None:
    status, out, err = run("run", "c.yaml", "--json", "--check", "exact_match >= 0.5")
    document = json.loads(out)
    assert status == document["exit_status"] == 0
    assert document["summary"]["keys"]["exact_match"]["estimate"]["value"] == pytest.approx(2 / 3)
    assert document["checks"]["passed"] is True
    assert (document["rows"], document["failed_rows"], document["stopped"]) == (3, 0, None)
    assert "noise of the target" in err


def test_a_missed_threshold_ends_with_1(run: Run) -> None:
    status, out, _ = run("run", "c.yaml", "--check", "exact_match >= 0.9", "--check", "rows == 3")
    assert status == 1
    assert "FAILED  exact_match >= 0.9" in out
    assert "passed  rows == 3" in out


def test_thresholds_of_the_file_count_as_well(run: Run, folder: Path) -> None:
    (folder / "c.yaml").write_text(f"{CONFIG}thresholds: 'exact_match > 0.99'\n", encoding="utf-8")
    assert run("run", "c.yaml", "--check", "rows == 3")[0] == 1


def test_a_failed_row_ends_with_1_and_is_shown(run: Run, folder: Path) -> None:
    _rows(folder, [*ROWS, {"id": "d", "question": "fail", "reference_outputs": ""}])
    status, out, _ = run("run", "c.yaml")
    assert status == 1
    assert "1 rows failed: judgekit show first --failed" in out
    status, out, _ = run("show", "first", "--failed", "--json")
    (row,) = json.loads(out)
    assert (status, row["id"], row["error"]["code"], row["scores"]) == (0, "d", "RuntimeError", [])
    status, out, _ = run("show", "first", "d")
    assert status == 0
    assert "target failed: the application broke [RuntimeError]" in out


def test_options_go_before_the_file(run: Run, folder: Path) -> None:
    words = (
        "--limit",
        "2",
        "--experiment",
        "mine",
        "--store",
        "other.db",
        "--repetitions",
        "2",
        "--concurrency",
        "1",
    )
    status, out, _ = run("run", "c.yaml", "--json", *words)
    document = json.loads(out)
    assert (status, document["name"], document["rows"]) == (0, "mine", 4)
    assert (folder / "other.db").is_file()
    assert not (folder / ".judgekit").exists()


def test_nothing_is_kept_without_a_store(run: Run, folder: Path) -> None:
    assert run("run", "c.yaml", "--no-store")[0] == 0
    assert not (folder / ".judgekit").exists()
    status, _, err = run("ls")
    assert status == 2
    assert "--store" in err


def test_a_name_that_is_there_is_refused_when_asked(run: Run) -> None:
    assert run("run", "c.yaml")[0] == 0
    assert run("run", "c.yaml")[0] == 0
    status, _, err = run("run", "c.yaml", "--no-resume")
    assert status == 2
    assert "'first'" in err


def test_the_model_of_the_command_is_asked(
    run: Run, folder: Path, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", f"{provider.url}/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "test")
    judged = CONFIG.replace("[exact_match]", "[{judge: correctness, model: 'embedded:match'}]")
    (folder / "c.yaml").write_text(judged, encoding="utf-8")
    assert run("run", "c.yaml", "--model", "openai:gpt-x")[0] == 0
    assert provider.count == 3


def test_a_replay_sends_nothing_and_needs_no_key(
    run: Run, folder: Path, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", f"{provider.url}/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "test")
    monkeypatch.setenv("JUDGEKIT_KEYLESS", "")  # put back after the test
    monkeypatch.delenv("JUDGEKIT_KEYLESS")
    judged = CONFIG.replace("[exact_match]", "[{judge: correctness, model: 'openai:gpt-x'}]")
    (folder / "c.yaml").write_text(judged, encoding="utf-8")
    assert run("run", "c.yaml")[0] == 0
    asked = provider.count
    monkeypatch.delenv("OPENAI_API_KEY")
    status, out, _ = run("run", "c.yaml", "--experiment", "again", "--cache", "replay", "--json")
    assert (status, json.loads(out)["failed_rows"], provider.count) == (0, 0, asked)


def test_two_runs_are_compared(run: Run, folder: Path) -> None:
    run("run", "c.yaml")
    (folder / "d.yaml").write_text(
        CONFIG.replace(":answer", ":lower").replace("first", "second"), encoding="utf-8"
    )
    run("run", "d.yaml")
    status, out, _ = run("compare", "first", "latest", "--html", "both.html")
    assert status == 0
    assert "second against first: 3 examples in both" in out
    assert "c: true -> false" in out
    assert "second" in (folder / "both.html").read_text(encoding="utf-8")
    status, out, _ = run("compare", "first", "second", "--json")
    document = json.loads(out)
    assert (status, document["name"], document["other_name"]) == (0, "second", "first")
    assert document["keys"]["exact_match"]["difference"]["value"] == pytest.approx(-1 / 3)


def test_a_page_is_written(run: Run, folder: Path) -> None:
    assert run("run", "c.yaml", "--report", "page.html")[0] == 0
    assert "first" in (folder / "page.html").read_text(encoding="utf-8")
    status, out, _ = run("report", "fir")
    assert (status, out.strip()) == (0, "first.html")
    assert (folder / "first.html").is_file()
    assert run("report", "latest", "-o", "x.html", "--against", "first")[:2] == (0, "x.html\n")


def test_runs_are_listed_as_json(run: Run) -> None:
    run("run", "c.yaml")
    run("run", "c.yaml", "--experiment", "second")
    status, out, _ = run("ls", "--json")
    assert (status, [(info["name"], info["rows"]) for info in json.loads(out)]) == (
        0,
        [("first", 3), ("second", 3)],
    )


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["run", "absent.yaml"], "no file absent.yaml"),
        (["run", "c.yaml", "--check", "exact_mach >= 1"], "'exact_match'"),
        (["run", "c.yaml", "--check", "nonsense"], "is no condition"),
        (["run", "c.yaml", "--cache", "always"], "replay"),
        (["run", "c.yaml", "--model", "ollama:x"], "no judge here"),
        (["run", "c.yaml", "--store", "a.db", "--no-store"], "not allowed with"),
        (["show", "first", "zzz"], "no row 'zzz'"),
        (["show", "forst"], "'first'"),
        (["report", "fi", "--against", "f"], "Several runs begin with 'f'"),
        (["compare", "first"], "AFTER"),
    ],
    ids=" ".join,
)
def test_what_is_wrong_ends_with_2(run: Run, words: list[str], expected: str) -> None:
    run("run", "c.yaml")
    run("run", "c.yaml", "--experiment", "fork")
    status, _, err = run(*words)
    assert status == 2
    assert expected in err
