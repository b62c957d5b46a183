"""What a configuration file may say, and where an error in it is said to be."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from judgekit.errors import ConfigError, DataError
from judgekit.models.prices import Price
from judgekit.runner.config import read_config

Write = Callable[[str, str], Path]

APP = """
from judgekit import exact_match

def answer(inputs):
    return inputs.upper()

def length(outputs):
    return len(outputs)

class Nested:
    same = staticmethod(exact_match)
"""


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Write]:
    """Writes a file into a folder with an importable module `app_of_config`."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "app_of_config.py").write_text(APP, encoding="utf-8")

    def write(name: str, text: str) -> Path:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    yield write
    for name in [name for name in sys.modules if name.startswith(("app_of_config", "_judgekit_config_"))]:
        del sys.modules[name]


WHOLE: dict[str, Any] = {
    "data": "rows.jsonl",
    "columns": {"inputs": "question"},
    "target": "app_of_config:answer",
    "evaluators": [
        "exact_match",
        "app_of_config:length",
        "app_of_config:Nested.same",
        {"contains": ["x"], "key": "has_x"},
        {"regex": "^a", "where": "fullmatch"},
        {"json_match": {"tolerance": 0.1}},
        {"string_distance": "jaro_winkler", "key": "near"},
        {"judge": "correctness", "key": "right", "model": "embedded:match"},
    ],
    "experiment": "e",
    "repetitions": 2,
    "max_concurrency": 3,
    "thresholds": ["exact_match >= 0.5"],
    "store": "kept/runs.db",
    "limits": {"requests_per_minute": 60, "dollars": 1.5},
    "prices": {"openai:mine": {"input": 1, "output": 2}},
    "metadata": {"team": "a"},
}


def _toml(whole: dict[str, Any]) -> str:
    def told(value: Any) -> str:
        if isinstance(value, dict):
            return "{ " + ", ".join(f"{json.dumps(key)} = {told(each)}" for key, each in value.items()) + " }"
        return f"[{', '.join(map(told, value))}]" if isinstance(value, list) else json.dumps(value)

    return "\n".join(f"{key} = {told(value)}" for key, value in whole.items())


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("c.yaml", json.dumps(WHOLE, indent=1)),
        ("c.yml", json.dumps(WHOLE)),
        ("c.json", json.dumps(WHOLE)),
        ("c.toml", _toml(WHOLE)),
        ("c.py", f"config = {WHOLE!r}"),
    ],
)
def test_every_format_says_the_same(write: Write, tmp_path: Path, name: str, text: str) -> None:
    found = read_config(write(name, text))
    settings = dict(found.settings)
    evaluators = settings.pop("evaluators")
    target, limits = settings.pop("target"), settings.pop("limits")
    assert target("a") == "A"
    assert "requests_per_minute=60" in repr(limits)
    assert found.thresholds == ("exact_match >= 0.5",)
    assert settings == {
        "data": tmp_path / "rows.jsonl",
        "columns": {"inputs": "question"},
        "experiment": "e",
        "repetitions": 2,
        "max_concurrency": 3,
        "store": tmp_path / "kept/runs.db",
        "prices": {"openai:mine": Price(1, 2)},
        "metadata": {"team": "a"},
    }
    exact, length, same, contains, regex, matching, near, judge = evaluators
    assert exact is same
    assert length("abc") == 3
    assert contains(outputs="x")["key"] == "has_x"
    assert regex(outputs="ba")["score"] is False
    assert matching.evaluation.name == "json_match"
    assert near.evaluation.feedback_key == "near"
    assert judge.evaluation.feedback_key == "right"
    assert judge.evaluation.model.name == "embedded:match"


def test_python_variables_are_keys_and_objects_stay(write: Write) -> None:
    text = "data = [{'inputs': 'a'}]\ndef target(inputs): return inputs\ndef mine(outputs): return 1\nevaluators = [mine]\nother = 1"
    settings = read_config(write("c.py", text)).settings
    assert settings["data"] == [{"inputs": "a"}]
    assert settings["target"]("x") == "x"
    assert [each(None) for each in settings["evaluators"]] == [1]
    assert "other" not in settings


def test_no_store_is_null_and_no_target_is_none(write: Write) -> None:
    settings = read_config(write("c.yaml", "data: d.csv\nevaluators: exact_match\nstore: null")).settings
    assert settings["store"] is None
    assert settings["target"] is None
    assert len(settings["evaluators"]) == 1


def test_a_model_for_all_judges(write: Write) -> None:
    text = "data: d.csv\nmodel: embedded:match\nevaluators:\n- judge: correctness\n- {judge: correctness, model: 'ollama:x', temperature: 0}\n"
    path = write("c.yaml", text)
    first, second = read_config(path).settings["evaluators"]
    assert first.evaluation.model.name == "embedded:match"
    assert second.evaluation.model.name == "ollama:x"
    assert second.evaluation.model.params == {"temperature": 0}
    instead = read_config(path, model="vllm:y").settings["evaluators"]
    assert [each.evaluation.model.name for each in instead] == ["vllm:y", "vllm:y"]


def test_a_prompt_file_is_found_from_the_config(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    write("mine.md", "Is {outputs} kind?")
    monkeypatch.chdir("/")
    path = write("c.yaml", "data: d.csv\nevaluators:\n- {judge: mine.md, model: 'ollama:x'}")
    (judge,) = read_config(path).settings["evaluators"]
    assert judge.evaluation.messages({"outputs": "x"})[0]["content"] == "Is x kind?"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "data: d\nevaluator: x",
            "c.yaml, line 2, evaluator: the key 'evaluator' is not known here. Did you mean",
        ),
        ("data: d\nevaluators:\n- exact_mach", "line 3, evaluators[0]: there is no evaluator 'exact_mach'"),
        (
            "data: d\nevaluators:\n- judge: correctness\n  modle: x",
            "line 4, evaluators[0].modle: the key 'modle'",
        ),
        ("data: d\nevaluators:\n- {contain: x}", "evaluators[0]: an evaluator is of one kind"),
        ("data: d\nevaluators:\n- {contains: x, regex: y}", "it has contains and regex"),
        ("data: d\nevaluators:\n- {regex: '('}", "line 3, evaluators[0]:"),
        ("data: d\nevaluators: [3]", "3 is no evaluator"),
        ("data: d\nevaluators: []", "at least one evaluator"),
        ("data: d", "the key 'evaluators' is missing"),
        ("evaluators: exact_match", "the key 'data' is missing"),
        ("data: d\nevaluators: a:b:c", "cannot be imported"),
        ("data: d\nevaluators: app_of_config:nothing", "has no attribute 'nothing'"),
        ("data: d\ntarget: app_of_config\nevaluators: exact_match", "should be 'module:function'"),
        (
            "data: d\nevaluators: exact_match\nrepetitions: 0",
            "line 3, repetitions: 0 should be a whole number",
        ),
        ("data: d\nevaluators: exact_match\nlimits: {dollar: 1}", "limits.dollar: the key 'dollar'"),
        ("data: d\nevaluators: exact_match\nlimits: {dollars: -1}", "limits: dollars is -1"),
        ("data: d\nevaluators: exact_match\nprices: {a: {input: 1}}", "prices.a:"),
        ("data: d\nevaluators: exact_match\nthresholds: 3", "a list of conditions"),
        ("data: d\nevaluators: exact_match\nresume: maybe", "true or false"),
        ("- a", "should be a mapping"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(write: Write, text: str, expected: str) -> None:
    with pytest.raises(ConfigError) as error:
        read_config(write("c.yaml", text))
    assert expected in str(error.value)
    assert "c.yaml" in str(error.value)


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("c.yaml", "a: [", "is no YAML"),
        ("c.json", "{", "is no JSON"),
        ("c.toml", "a =", "is no TOML"),
        ("c.py", "1 / 0", "ZeroDivisionError"),
        ("c.ini", "", "no known kind"),
    ],
)
def test_what_cannot_be_read(write: Write, name: str, text: str, expected: str) -> None:
    with pytest.raises(DataError, match=expected):
        read_config(write(name, text))


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no file"):
        read_config(tmp_path / "c.yaml")


def test_a_model_that_no_judge_would_ask(write: Write) -> None:
    with pytest.raises(ConfigError, match="no judge here"):
        read_config(write("c.yaml", "data: d\nevaluators: exact_match"), model="ollama:x")
