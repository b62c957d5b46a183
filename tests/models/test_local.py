"""The embedded engine: with a tiny random model for what must always hold, and with SmolLM2 for sanity."""

from __future__ import annotations

import copy
import json
import math
import os
import sys
import weakref
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from judgekit.core.exchange import AnswerSchema
from judgekit.errors import ConfigError, MissingDependencyError, ModelError
from judgekit.models import local_server
from judgekit.models.local import LocalEngine
from judgekit.models.local_grammar import grammar
from judgekit.models.weights import resolve_weights
from tests.support.tiny_gguf import write_tiny_gguf

QUESTION = [{"role": "system", "content": "You judge."}, {"role": "user", "content": "Is {this} good?"}]
CONTEXT = 2048


def answers(score: Any, **others: Any) -> AnswerSchema:
    properties = {**others, "score": score}
    return AnswerSchema("answer", {"type": "object", "properties": properties, "required": list(properties)})


BOOLEAN = answers({"type": "boolean"})


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("xllamacpp", reason="the embedded engine needs xllamacpp")
    pytest.importorskip("gguf", reason="writing the tiny model needs gguf")
    return write_tiny_gguf(tmp_path_factory.mktemp("weights") / "tiny.gguf")


@pytest.fixture(scope="session")
def engine(tiny: Path) -> Iterator[LocalEngine]:
    with LocalEngine(tiny, context=CONTEXT, threads=1) as engine:
        yield engine


SCHEMAS: dict[str, dict[str, Any]] = {
    "boolean": {"type": "boolean"},
    "words": {"type": "string", "enum": ["good", 'so "so"', "très\nbad"]},
    "numbers": {"type": "number", "enum": [0, 0.5, 1.0]},
    "mixed": {"enum": [None, True, "x", -2]},
    "unit": {"type": "number", "minimum": 0, "maximum": 1},
    "number": {"type": "number"},
    "integers": {"type": "integer", "minimum": -2, "maximum": 12},
    "text": {"type": "string", "minLength": 1, "maxLength": 40},
    "nullable": {"anyOf": [{"type": "integer", "minimum": 0}, {"type": "null"}]},
    "union": {"type": ["boolean", "null"]},
    "all": {"allOf": [{"type": "integer"}, {"minimum": 1, "maximum": 3}]},
    "list": {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 3},
    "empty": {"type": "array", "items": {"type": "string"}, "maxItems": 0},
    "object": {
        "type": "object",
        "properties": {name: {"type": "boolean"} for name in "abcd"},
        "required": ["b"],
        "additionalProperties": False,
    },
    "optional": {"type": "object", "properties": {"a": {"type": "null"}, "b": {"type": "null"}}},
    "constant": {"const": {"a": [1, "b"]}},
    "unconstrained": {"type": "boolean", "if": {"const": True}, "then": {"const": True}, "format": "odd"},
}


@pytest.mark.local
@pytest.mark.parametrize("name", SCHEMAS)
def test_an_answer_follows_its_schema(engine: LocalEngine, name: str) -> None:
    schema = answers(SCHEMAS[name], reasoning={"type": "string", "maxLength": 30})
    for seed in range(4):
        answer = engine.generate(QUESTION, schema, {"temperature": 1.5, "seed": seed})
        assert answer.finish == "stop"
        assert answer.text is not None
        # one broken character of the random text is shown as up to four marks
        jsonschema.validate(json.loads(answer.text.replace("\ufffd", "")), schema.schema)


@pytest.mark.local
def test_a_schema_may_refer_to_itself(engine: LocalEngine) -> None:
    tree = {"type": "object", "properties": {"kids": {"type": "array", "items": {"$ref": "#/$defs/T"}, "maxItems": 1}},
            "required": ["kids"]}  # fmt: skip
    schema = AnswerSchema("tree", {**answers({"$ref": "#/$defs/T"}).schema, "$defs": {"T": tree}})
    answer = engine.generate(QUESTION, schema)
    assert answer.text is not None
    jsonschema.validate(json.loads(answer.text), schema.schema)


def test_what_the_grammar_does_not_know_is_left_out() -> None:
    known = {"type": "string", "maxLength": 10}
    assert grammar({**known, "pattern": "a+", "format": "uri", "title": "T", "default": "x"}) == grammar(
        known
    )


def test_a_reference_that_leads_nowhere_allows_any_value() -> None:
    assert grammar({"$ref": "#/$defs/Gone"}).splitlines()[:2] == ["root ::= r0", "r0 ::= value"]
    assert grammar({"$ref": "https://schemas.example/a"}).splitlines()[1] == "r0 ::= value"


def test_strings_and_lists_have_an_end_whatever_the_schema_says() -> None:
    assert grammar({"type": "string", "maxLength": 10**6}) == grammar({"type": "string"})
    assert "char{0,600}" in grammar({"type": "string"})
    assert "{0,19}" in grammar({"type": "array", "items": {"type": "boolean"}})


@pytest.mark.local
def test_the_budget_ends_an_answer(engine: LocalEngine) -> None:
    answer = engine.generate(QUESTION, None, {"max_completion_tokens": 5})
    assert (answer.finish, answer.detail) == ("length", None)
    assert answer.usage is not None
    assert answer.usage.output_tokens == 5


@pytest.mark.local
def test_the_end_of_the_context_ends_an_answer(engine: LocalEngine) -> None:
    long = [{"role": "user", "content": "x" * (CONTEXT - 350)}]
    answer = engine.generate(long, answers({"type": "string", "minLength": 500}))
    assert answer.finish == "length"
    assert answer.detail == f"the context of {CONTEXT} tokens is full"


@pytest.mark.local
def test_a_prompt_longer_than_the_context_is_an_error(engine: LocalEngine) -> None:
    with pytest.raises(ModelError, match=rf"context of {CONTEXT}: shorten") as caught:
        engine.generate([{"role": "user", "content": "x" * 2 * CONTEXT}], BOOLEAN)
    assert (caught.value.status, caught.value.retryable) == (400, False)


@pytest.mark.local
def test_what_the_engine_refuses_is_an_error(engine: LocalEngine) -> None:
    with pytest.raises(ModelError, match=r"tiny\.gguf could not answer"):
        engine.generate([{"role": "user"}])


@pytest.mark.local
def test_a_question_is_answered_the_same_every_time(engine: LocalEngine) -> None:
    schema = answers({"type": "boolean"}, reasoning={"type": "string", "maxLength": 60})
    params = {"temperature": 1, "seed": 7}
    first = engine.generate(QUESTION, schema), engine.generate(QUESTION, schema, params)
    engine.generate([{"role": "user", "content": "Something else."}])
    assert (engine.generate(QUESTION, schema), engine.generate(QUESTION, schema, params)) == first


READINGS = [
    ({"type": "boolean"}, ["true", "false"]),
    ({"type": "string", "enum": ["good", "bad", "goodish"]}, ['"good"', '"bad"', '"goodish"']),
    ({"enum": [0.0, 0.5, 1.0]}, ["0.0", "0.5", "1.0"]),
    ({"type": "integer", "minimum": 1, "maximum": 10}, [str(n) for n in range(1, 11)]),
    ({"enum": [None, "x", 3]}, ["null", '"x"', "3"]),
    ({"type": "string", "enum": ["gut", "schlécht", "悪い"]}, ['"gut"', '"schlécht"', '"悪い"']),
]


@pytest.mark.local
@pytest.mark.parametrize(("score", "values"), READINGS)
def test_a_reading_covers_the_allowed_values(engine: LocalEngine, score: Any, values: list[str]) -> None:
    schema = answers(score, reasoning={"type": "string"})
    answer = engine.read_out(QUESTION, schema)
    assert answer.probabilities is not None
    assert list(answer.probabilities) == values
    assert math.isclose(sum(answer.probabilities.values()), 1)
    best = max(values, key=lambda value: (answer.probabilities or {})[value])
    assert answer.text == f'{{"score": {best}}}'
    assert json.loads(answer.text)["score"] == json.loads(best)
    assert not answer.explains
    assert answer.detail is not None
    assert 0 < float(answer.detail.removeprefix("mass=")) < 1
    engine.generate([{"role": "user", "content": "Something else."}])
    assert engine.read_out(QUESTION, schema) == answer


@pytest.mark.local
def test_threads_get_what_they_would_get_alone(engine: LocalEngine) -> None:
    asked = [[{"role": "user", "content": f"Is {n} good?"}] for n in range(6)]
    alone = [engine.read_out(messages, BOOLEAN) for messages in asked]
    with ThreadPoolExecutor(6) as pool:
        assert list(pool.map(lambda messages: engine.read_out(messages, BOOLEAN), asked)) == alone


@pytest.mark.local
def test_what_is_passed_in_stays_as_it_was(engine: LocalEngine) -> None:
    messages, schema, params = copy.deepcopy((QUESTION, dict(BOOLEAN.schema), {"max_tokens": 20}))
    engine.generate(messages, AnswerSchema("answer", schema), params)
    engine.read_out(messages, AnswerSchema("answer", schema), params)
    assert (messages, schema, params) == (QUESTION, BOOLEAN.schema, {"max_tokens": 20})


@pytest.mark.local
def test_weights_are_loaded_once_and_freed_with_the_last_engine(
    tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded: list[local_server.Setup] = []
    load = local_server._loaded

    def count(setup: local_server.Setup) -> Any:
        loaded.append(setup)
        return load(setup)

    monkeypatch.setattr(local_server, "_loaded", count)
    first, second = (LocalEngine(tiny, context=512, threads=1) for _ in range(2))
    assert loaded == []
    assert first.read_out(QUESTION, BOOLEAN) == second.read_out(QUESTION, BOOLEAN)
    assert loaded == [local_server.Setup(tiny, 512, 1)]
    server = weakref.ref(local_server.shared(loaded[0]))
    first.close()
    with pytest.raises(ConfigError, match="is closed"):
        first.generate(QUESTION)
    assert second.generate(QUESTION, BOOLEAN).text
    second.close()
    assert server() is None


@pytest.mark.local
def test_a_stopped_server_loads_again_when_asked(tiny: Path) -> None:
    with LocalEngine(tiny, context=640, threads=1) as engine:
        before = engine.read_out(QUESTION, BOOLEAN)
        local_server._stop_all()
        assert engine.read_out(QUESTION, BOOLEAN) == before


@pytest.mark.local
@pytest.mark.skipif(os.name != "posix", reason="elsewhere it listens on the loopback, behind a random key")
def test_nothing_can_reach_the_engine_and_it_says_nothing(
    tiny: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with LocalEngine(tiny, context=768, threads=1) as engine:
        engine.read_out(QUESTION, BOOLEAN)
        address = local_server.shared(local_server.Setup(tiny, 768, 1))._server.listening_address
        assert address.startswith("unix://")
        assert not Path(address.removeprefix("unix://")).parent.exists()
    assert capfd.readouterr() == ("", "")


@pytest.mark.local
def test_a_forked_process_is_told_to_open_its_own(
    engine: LocalEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "getpid", lambda: -1)
    with pytest.raises(ModelError, match="forked"):
        engine.generate(QUESTION)


@pytest.mark.local
def test_files_that_are_no_weights(tiny: Path, tmp_path: Path) -> None:
    (tmp_path / "text.gguf").write_text("version https://git-lfs", encoding="utf-8")
    (tmp_path / "short.gguf").write_bytes(tiny.read_bytes()[:20_000])
    with pytest.raises(ConfigError, match=r"no GGUF file: it starts with b'vers'"):
        LocalEngine(tmp_path / "text.gguf")
    with pytest.raises(ConfigError, match="cannot be read: No such file"):
        LocalEngine(tmp_path / "none.gguf")
    short = LocalEngine(tmp_path / "short.gguf", context=512)
    with pytest.raises(ModelError, match="cut short") as caught:
        short.generate(QUESTION)
    assert not caught.value.retryable


@pytest.mark.local
@pytest.mark.parametrize("options", [{"context": 0}, {"context": 1.5}, {"threads": -1}, {"threads": True}])
def test_options_are_positive_integers(tiny: Path, options: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match="give a positive integer"):
        LocalEngine(tiny, **options)


@pytest.mark.local
def test_an_unknown_parameter_is_refused_and_not_ignored(engine: LocalEngine) -> None:
    for ask in (engine.generate, engine.read_out):
        with pytest.raises(ConfigError, match="does not take reasoning_effort; it takes frequency_penalty"):
            ask(QUESTION, BOOLEAN, {"reasoning_effort": "low"})


def test_a_missing_engine_names_the_command(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    with pytest.raises(MissingDependencyError, match=r"pip install 'judgekit-llm\[local\]'"):
        LocalEngine(tmp_path / "any.gguf")


@pytest.mark.local
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read from /proc")
def test_smollm2_answers_within_its_means() -> None:
    pytest.importorskip("xllamacpp", reason="the embedded engine needs xllamacpp")
    try:
        weights = resolve_weights("smollm2")
    except MissingDependencyError as error:
        pytest.skip(str(error))
    question = [{"role": "user", "content": "Is the answer right? Question: 2 + 2? Answer: 4"}]
    with LocalEngine(weights, context=1024) as engine:
        written = engine.generate(question, BOOLEAN)
        reading = engine.read_out(question, BOOLEAN)
        status = Path("/proc/self/status").read_text(encoding="utf-8")
    assert written.text in ('{"score": true}', '{"score": false}')
    assert written.usage is not None
    assert reading.usage is not None
    assert 50 < written.usage.input_tokens < 150
    assert 4 < written.usage.output_tokens < 12
    assert written.usage.input_tokens < reading.usage.input_tokens
    assert reading.probabilities is not None
    assert math.isclose(sum(reading.probabilities.values()), 1)
    resident = int(status.split("VmRSS:")[1].split()[0]) / 1024
    assert resident < 1500
