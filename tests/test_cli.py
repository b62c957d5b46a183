"""The command line: what it prints, what it writes, and how it ends."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from judgekit.cli import main
from tests.support.bodies import chat_body
from tests.support.faults import openai_error

if TYPE_CHECKING:
    from tests.support.provider import Provider

ROWS = [
    {"id": "a", "inputs": "2+2?", "outputs": "It is 4.", "reference_outputs": "4", "human": 1},
    {"id": "b", "inputs": "3+3?", "outputs": "It is 7.", "reference_outputs": "6", "human": 0},
    {"id": "c", "inputs": "Capital of Peru?", "outputs": "Lima", "reference_outputs": "Lima", "human": 0},
]

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    return _jsonl(tmp_path / "rows.jsonl", ROWS)


def _jsonl(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def run(*words: object) -> tuple[int, str, str]:
        try:
            status = main([str(word) for word in words])
        except SystemExit as stop:
            status = int(stop.code or 0)
        out, err = capsys.readouterr()
        return status, out, err

    return run


@pytest.fixture
def openai(provider: Provider, monkeypatch: pytest.MonkeyPatch) -> Provider:
    monkeypatch.setenv("OPENAI_BASE_URL", f"{provider.url}/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "test")
    return provider


def _written(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]


def test_without_a_model_the_matcher_judges_and_says_so(run: Run, rows: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    status, printed, _ = run("judge", rows, "--label", "human", "-o", out)
    assert status == 0
    assert "No --model was given: embedded:match" in printed
    assert "3 rows judged by embedded:match with correctness" in printed
    assert "pass rate 0.67 (95 % interval 0.21 to 0.94)" in printed
    assert "0 failed" in printed
    assert "accuracy 0.67" in printed
    written = {row["id"]: row for row in _written(out)}
    assert {name: row["score"] for name, row in written.items()} == {"a": True, "b": False, "c": True}
    assert written["a"]["metadata"]["model"] == "embedded:match"


def test_without_model_and_reference_it_says_how_to_connect(run: Run, tmp_path: Path) -> None:
    path = _jsonl(tmp_path / "rows.jsonl", [{"inputs": "q", "outputs": "a"}])
    status, _, err = run("judge", path)
    assert status == 2
    assert "OPENAI_API_KEY" in err
    assert "local:" in err


def test_a_hosted_model_judges_through_http(run: Run, rows: Path, openai: Provider) -> None:
    openai.truth = False
    status, printed, _ = run("judge", rows, "--model", "openai:gpt-x", "--temperature", "0", "--seed", "3")
    assert status == 0
    assert "pass rate 0.00" in printed
    assert openai.count == 3
    assert openai.last.json["temperature"] == 0
    assert openai.last.json["seed"] == 3


def test_a_failed_row_is_a_row_with_its_error(run: Run, rows: Path, tmp_path: Path, openai: Provider) -> None:
    good = chat_body('{"reasoning": "fine", "score": true}')
    openai.reply(
        lambda request: openai_error(400, "no", "invalid", None, None) if "3+3" in str(request) else good
    )
    out = tmp_path / "out.jsonl"
    status, printed, _ = run("judge", rows, "--model", "openai:gpt-x", "-o", out)
    assert status == 1
    assert "1 failed (provider_error 1)" in printed
    assert "pass rate 1.00" in printed
    bad = next(row for row in _written(out) if row["id"] == "b")
    assert bad["error"]["code"] == "provider_error"
    assert "score" not in bad


def test_choices_and_no_reasoning_reach_the_schema(run: Run, rows: Path, openai: Provider) -> None:
    status, printed, _ = run(
        "judge",
        rows,
        "--model",
        "openai:gpt-x",
        "--choices",
        "good",
        "poor",
        "--no-reasoning",
        "--limit",
        "2",
    )
    assert status == 0
    schema = openai.last.json["response_format"]["json_schema"]["schema"]
    assert schema["properties"]["score"]["enum"] == ["good", "poor"]
    assert list(schema["properties"]) == ["score"]
    assert "poor: 2" in printed


def test_continuous_scores_have_a_mean(run: Run, rows: Path, openai: Provider) -> None:
    openai.reply(*(chat_body(json.dumps({"reasoning": "x", "score": s})) for s in (0.2, 0.4, 0.6)))
    status, printed, _ = run("judge", rows, "--model", "openai:gpt-x", "--continuous", "--concurrency", "1")
    assert status == 0
    assert "mean 0.40" in printed


def test_the_cost_is_shown_where_the_price_is_known(run: Run, rows: Path, openai: Provider) -> None:
    openai.reply(
        chat_body(
            '{"reasoning": "x", "score": true}', usage={"prompt_tokens": 1000, "completion_tokens": 500}
        )
    )
    _, printed, _ = run("judge", rows, "--model", "openai:gpt-x", "--price", "1", "2")
    assert "4,500 tokens, $0.0060" in printed
    _, printed, _ = run("judge", rows, "--model", "openai:gpt-x")
    assert "4,500 tokens" in printed
    assert "$" not in printed


def test_recorded_answers_are_read_again(run: Run, rows: Path, tmp_path: Path, openai: Provider) -> None:
    tape = tmp_path / "tape.jsonl"
    assert run("judge", rows, "--model", "openai:gpt-x", "--record", tape)[0] == 0
    asked = openai.count
    status, printed, _ = run("judge", rows, "--model", f"recorded:{tape}")
    assert (status, openai.count) == (0, asked)
    assert "judged by recorded:tape.jsonl" in printed
    status, printed, _ = run("judge", rows, "--model", f"recorded:{tape}", "--prompt", "conciseness")
    assert status == 1  # an answer to another prompt is no answer
    assert "3 failed (provider_error 3)" in printed


def test_raw_answers_of_any_judge_are_read_by_row_id(run: Run, rows: Path, tmp_path: Path) -> None:
    tape = _jsonl(
        tmp_path / "tape.jsonl",
        [{"id": row["id"], "text": f'{{"reasoning": "said elsewhere", "score": {str(i > 0).lower()}}}'}
         for i, row in enumerate(ROWS)],
    )  # fmt: skip
    status, printed, _ = run("judge", rows, "--model", f"recorded:{tape}")
    assert status == 0
    assert "pass rate 0.67" in printed


def test_the_cache_pays_once(run: Run, rows: Path, tmp_path: Path, openai: Provider) -> None:
    for _ in range(2):
        assert run("judge", rows, "--model", "openai:gpt-x", "--cache", tmp_path / "answers.db")[0] == 0
    assert openai.count == 3


def test_a_prompt_file_with_its_own_variables(run: Run, tmp_path: Path, openai: Provider) -> None:
    prompt = tmp_path / "mine.txt"
    prompt.write_text("Is {outputs} in the style of {style}?", encoding="utf-8")
    path = _jsonl(tmp_path / "rows.jsonl", [{"answer": "Hi!", "guide": "formal"}])
    status, printed, _ = run(
        "judge",
        path,
        "--prompt",
        prompt,
        "--model",
        "openai:gpt-x",
        "--outputs",
        "answer",
        "--var",
        "style=guide",
    )
    assert status == 0
    assert openai.last.json["messages"][-1]["content"] == "Is Hi! in the style of formal?"
    assert "with mine" in printed


@pytest.mark.parametrize("kind", ["json", "csv", "tsv"])
def test_other_files_hold_the_same_rows(run: Run, tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"rows.{kind}"
    if kind == "json":
        path.write_text(json.dumps({"rows": ROWS}), encoding="utf-8")
    else:
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(ROWS[0]), delimiter="," if kind == "csv" else "\t")
            writer.writeheader()
            writer.writerows(ROWS)
    status, printed, _ = run("judge", path, "--label", "human")
    assert status == 0
    assert "accuracy 0.67" in printed


def test_parquet(run: Run, tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    pandas.DataFrame(ROWS).to_parquet(tmp_path / "rows.parquet")
    status, printed, _ = run("judge", tmp_path / "rows.parquet")
    assert status == 0
    assert "3 rows judged" in printed


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["judge", "absent.jsonl"], "no file absent.jsonl"),
        (["judge", "ROWS", "--outputs", "output"], "Did you mean 'outputs'?"),
        (["judge", "ROWS", "--prompt", "corectness"], "'correctness'"),
        (["judge", "ROWS", "--model", "groq:x"], "pip install langchain langchain-groq"),
        (["judge", "ROWS", "--model", "openai:gpt-x"], "OPENAI_API_KEY"),
        (["judge", "ROWS", "--label", "nope"], "'nope'"),
        (["judge", "ROWS", "--prompt", "plan_adherence"], "--var plan=COLUMN"),
        (["judge", "ROWS", "--model", "embedded:match", "--continuous"], "right or wrong"),
        (["judge", "ROWS", "--choices", "a", "a", "--model", "ollama:x"], "choices"),
        (["judge", "ROWS", "--var", "x"], "NAME=COLUMN"),
        (["judge", "ROWS", "--limit", "0"], "at least 1"),
        (["judge", "ROWS", "-o", "/absent/out.jsonl"], "cannot be written"),
        (["prompts", "show", "nope"], "nope"),
        ([], "COMMAND"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_usage_errors_exit_with_2_and_say_what_to_change(
    run: Run, rows: Path, words: list[str], expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "langchain.chat_models", None)  # as where LangChain is not installed
    status, _, err = run(*(str(rows) if word == "ROWS" else word for word in words))
    assert status == 2
    assert expected in err


def test_a_broken_line_is_named(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"inputs": 1}\n{"inputs": \n', encoding="utf-8")
    status, _, err = run("judge", path)
    assert status == 2
    assert "line 2" in err


def test_prompts_are_listed_and_shown(run: Run) -> None:
    status, printed, _ = run("prompts", "list")
    assert status == 0
    assert "correctness" in printed
    status, printed, _ = run("prompts", "show", "correctness")
    assert status == 0
    assert "{{ outputs }}" in printed
    assert "sha256:" in printed


def test_the_version(run: Run) -> None:
    from judgekit import __version__

    assert run("--version")[:2] == (0, f"judgekit {__version__}\n")


def test_the_page_of_prompts_is_what_the_command_prints(run: Run) -> None:
    page = Path(__file__).parent.parent / "docs" / "prompts.md"
    status, printed, _ = run("prompts", "list", "--markdown")
    assert status == 0
    assert page.read_text(encoding="utf-8") == printed, "judgekit prompts list --markdown > docs/prompts.md"
