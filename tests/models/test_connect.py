"""`connect`: which string means which model, what is missing or without effect, and that no key is ever shown."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import judgekit
from judgekit.errors import ConfigError, JudgeError, MissingDependencyError, ModelError, WrongClientError
from judgekit.models.connect import require_model
from judgekit.models.settings import Settings
from tests.support.answers import Reply
from tests.support.bodies import error_body
from tests.support.provider import Provider

ROOT = Path(__file__).parents[2]
PROMPT = "Grade: {outputs}"
SECRET = "sk-loopback-secret-0123456789"


@pytest.fixture
def without_langchain(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if the `langchain` package, which is no dependency, were not installed."""
    monkeypatch.setitem(sys.modules, "langchain", None)
    monkeypatch.setitem(sys.modules, "langchain.chat_models", None)


@pytest.fixture
def langchain_makes(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[..., Any]], None]:
    """Put a stand-in for LangChain's `init_chat_model` where it is imported from."""

    def put(init_chat_model: Callable[..., Any]) -> None:
        module = ModuleType("langchain.chat_models")
        module.init_chat_model = init_chat_model  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "langchain", ModuleType("langchain"))
        monkeypatch.setitem(sys.modules, "langchain.chat_models", module)

    return put


@pytest.mark.parametrize(
    ("spec", "name", "path"),
    [
        ("openai:gpt-x", "openai:gpt-x", "/v1/chat/completions"),
        ("openai:org/model:tag", "openai:org/model:tag", "/v1/chat/completions"),
        ("ollama:llama3.2:1b", "ollama:llama3.2:1b", "/v1/chat/completions"),
        ("vllm:org/model", "vllm:org/model", "/v1/chat/completions"),
        ("llama3.2:1b", "openai:llama3.2:1b", "/v1/chat/completions"),
        ("my-model", "openai:my-model", "/v1/chat/completions"),
        ("gpt-5.4-mini", "openai:gpt-5.4-mini", "/v1/chat/completions"),
    ],
)
def test_a_string_names_a_model_of_a_server(spec: str, name: str, path: str, provider: Provider) -> None:
    """A server of one's own wants no key."""
    model = judgekit.connect(spec, base_url=f"{provider.url}/v1")
    assert model.name == name
    assert judgekit.create_llm_as_judge(prompt=PROMPT, judge=model)(outputs="x")["metadata"]["model"] == name
    assert provider.last.path == path
    assert provider.last.json["model"] == name.partition(":")[2]


@pytest.mark.parametrize(
    ("variable", "value", "spec"),
    [
        ("OPENAI_BASE_URL", "{url}/v1", "openai:x"),
        ("OLLAMA_HOST", "{host}", "ollama:x"),
        ("OLLAMA_HOST", "{url}/", "ollama:x"),
        ("VLLM_BASE_URL", "{url}/v1/", "vllm:x"),
        ("ANTHROPIC_BASE_URL", "{url}", "anthropic:x"),
    ],
)
def test_the_environment_says_where_a_server_listens(
    variable: str, value: str, spec: str, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, value.format(url=provider.url, host=provider.url.removeprefix("http://")))
    judgekit.create_llm_as_judge(prompt=PROMPT, model=spec)(outputs="x")
    assert provider.last.path in ("/v1/chat/completions", "/v1/messages")


@pytest.mark.parametrize(
    ("spec", "provider_name"),
    [
        ("gpt-5.4-mini", "openai"),
        ("o3-mini", "openai"),
        ("ft:gpt-x:org::id", "openai"),
        ("claude-x", "anthropic"),
        ("azure:d", "azure"),
        ("azure_openai:d", "azure"),
    ],
)
def test_well_known_names_need_no_provider(
    spec: str, provider_name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "AZURE_OPENAI_API_KEY"):
        monkeypatch.setenv(variable, SECRET)
    monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", "https://example.com")
    assert judgekit.connect(spec).name.partition(":")[0] == provider_name


@pytest.mark.parametrize(
    ("variable", "spec"),
    [
        ("OPENAI_API_KEY", "openai:x"),
        ("ANTHROPIC_API_KEY", "anthropic:x"),
        ("AZURE_OPENAI_API_KEY", "azure:x"),
    ],
)
def test_a_missing_key_is_an_error_at_once_that_names_its_variable(
    variable: str, spec: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", "https://example.com")
    with pytest.raises(ConfigError, match=variable):
        judgekit.create_llm_as_judge(prompt=PROMPT, model=spec)


def test_azure_needs_its_endpoint() -> None:
    with pytest.raises(ConfigError, match="AZURE_OPENAI_ENDPOINT"):
        judgekit.connect("azure:x", api_key=SECRET)


def test_a_token_does_for_a_key(provider: Provider, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "token-of-mine")
    model = judgekit.connect("anthropic:x", base_url=provider.url)
    judgekit.create_llm_as_judge(prompt=PROMPT, judge=model)(outputs="x")
    assert provider.last.headers["authorization"] == "Bearer token-of-mine"


def test_a_key_is_never_shown(provider: Provider) -> None:
    """Not even where the server says it aloud."""
    provider.reply(Reply(error_body(f"Incorrect API key provided: {SECRET}."), 401))
    model = judgekit.connect("openai:x", base_url=f"{provider.url}/v1", api_key=SECRET)
    judge = judgekit.create_llm_as_judge(prompt=PROMPT, judge=model)
    with pytest.raises(ModelError, match="check the API key") as caught:
        judge(outputs="x")
    assert provider.last.headers["authorization"] == f"Bearer {SECRET}"
    error = caught.value
    shown = (str(error), repr(error), error.message, error.said, repr(vars(error)))
    parts = (model, model.client, judge, judge.evaluation, Settings(api_key=SECRET))
    for text in (*shown, *map(repr, parts), *map(str, parts), judge.__doc__):
        assert SECRET not in str(text)
    assert "***" in error.message


def test_a_gateway_s_key_in_a_header_is_not_shown() -> None:
    headers = {"x-gateway-key": SECRET}
    model = judgekit.connect("openai:x", base_url="http://x", temperature=0, extra_headers=headers)
    assert repr(model) == "Model('openai:x', temperature=0)"


def test_a_client_s_key_is_not_shown_either(provider: Provider) -> None:
    import openai

    provider.reply(Reply(error_body(f"Incorrect API key provided: {SECRET}."), 401))
    with openai.OpenAI(base_url=f"{provider.url}/v1", api_key=SECRET) as client:
        judge = judgekit.create_llm_as_judge(prompt=PROMPT, judge=client, model="x")
        with pytest.raises(ModelError) as caught:
            judge(outputs="x")
    assert SECRET not in caught.value.message + caught.value.said + repr(judge)


@pytest.mark.parametrize(
    ("spec", "line"),
    [
        ("google_genai:gemini-x", "pip install langchain langchain-google-genai"),
        ("mistralai:m", "pip install langchain langchain-mistralai"),
        ("bedrock_converse:m", "pip install langchain langchain-aws"),
    ],
)
@pytest.mark.usefixtures("without_langchain")
def test_a_provider_of_langchain_names_what_to_install(spec: str, line: str) -> None:
    with pytest.raises(MissingDependencyError) as caught:
        judgekit.connect(spec)
    assert str(caught.value).endswith(line)


@pytest.mark.usefixtures("without_langchain")
def test_an_unknown_provider_is_told_the_known_ones() -> None:
    with pytest.raises(ConfigError, match=r"Did you mean 'openai:\.\.\.'") as caught:
        judgekit.connect("opnai:gpt")
    assert "anthropic" in str(caught.value)
    assert str(caught.value).endswith("pip install langchain")
    with pytest.raises(ConfigError) as caught:
        judgekit.connect("zzzzzz:gpt")
    assert "Did you mean" not in str(caught.value)


def test_other_providers_are_made_by_langchain(
    langchain_makes: Callable[[Callable[..., Any]], None],
) -> None:
    from langchain_core.language_models import FakeListChatModel

    calls: list[Any] = []

    def init_chat_model(spec: str, **options: Any) -> Any:
        calls.append((spec, options))
        return FakeListChatModel(responses=['{"reasoning": "r", "score": true}'])

    langchain_makes(init_chat_model)
    model = judgekit.connect("groq:m", base_url="http://x", api_key=SECRET)
    assert calls == [("groq:m", {"base_url": "http://x", "api_key": SECRET})]
    assert model.name == "groq:m"
    assert judgekit.create_llm_as_judge(prompt=PROMPT, judge=model)(outputs="x")["score"] is True


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (ImportError("install langchain-groq"), MissingDependencyError),
        (ValueError("no such provider"), ConfigError),
        (KeyError("GROQ_API_KEY"), ConfigError),
    ],
)
def test_what_langchain_cannot_make_is_a_config_error(
    error: Exception, kind: type[Exception], langchain_makes: Callable[[Callable[..., Any]], None]
) -> None:
    def init_chat_model(spec: str) -> Any:
        raise error

    langchain_makes(init_chat_model)
    with pytest.raises(kind, match="groq:m"):
        judgekit.connect("groq:m")


@pytest.mark.parametrize(
    ("spec", "says"),
    [("some-model", "provider:model"), ("openai:", "names no model"), ("embedded:other", "embedded:match")],
)
def test_a_string_that_names_no_model(spec: str, says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        judgekit.connect(spec)


@pytest.mark.parametrize("connect", [judgekit.connect, lambda: require_model(None, None)])
def test_no_model_says_how_to_connect_one(connect: Callable[[], Any]) -> None:
    with pytest.raises(ConfigError, match="OPENAI_API_KEY"):
        connect()


@pytest.mark.parametrize(
    ("judge", "settings"),
    [
        ("openai:x", {"readout": "logprobs"}),
        ("embedded:match", {"base_url": "http://x"}),
        ("local:smollm2", {"api_key": SECRET}),
        ("recorded:x.jsonl", {"structured_output_kwargs": {"method": "json_mode"}}),
        (judgekit.connect("embedded:match"), {"api_key": SECRET}),
        (judgekit.connect("embedded:match"), {"model": "openai:x"}),
    ],
)
def test_a_setting_without_effect_is_refused(judge: Any, settings: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=f"{next(iter(settings))} has no effect") as caught:
        judgekit.connect(judge, **settings)
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize(
    "limit",
    [
        {"timeout": 0}, {"timeout": -1}, {"timeout": float("nan")}, {"timeout": "5"}, {"deadline": True}, {"deadline": 0},
        {"retries": -1}, {"retries": 1.5}, {"repairs": True}, {"repairs": "2"},
    ],
)  # fmt: skip
def test_limits_are_checked(limit: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=f"{next(iter(limit))} is "):
        judgekit.connect("embedded:match", **limit)


def test_a_model_is_changed_by_making_another() -> None:
    first = judgekit.connect("openai:x", base_url="http://x", temperature=0)
    second = judgekit.connect(first, temperature=1, seed=7, retries=5, repairs=0, timeout=1, deadline=2)
    assert (first.params, first.timeout, first.deadline, first.patience.retries) == (
        {"temperature": 0},
        120,
        None,
        2,
    )
    assert second.params == {"temperature": 1, "seed": 7}
    assert (second.timeout, second.deadline, second.patience.retries, second.patience.repairs) == (1, 2, 5, 0)
    assert second.capabilities is first.capabilities, "what one has learned the other knows"
    assert repr(second) == "Model('openai:x', temperature=1, seed=7)"


@pytest.mark.parametrize("thing", [object(), 42, lambda: None, ["openai:x"]])
def test_what_cannot_judge_is_told_what_can(thing: Any) -> None:
    with pytest.raises(WrongClientError, match=type(thing).__name__):
        judgekit.connect(thing)


def test_the_same_request_is_sent_once_with_a_dict(provider: Provider) -> None:
    cache: dict[str, Any] = {}
    model = judgekit.connect("openai:x", base_url=f"{provider.url}/v1", cache=cache)
    judge = judgekit.create_llm_as_judge(prompt=PROMPT, judge=model)
    first, second = judge(outputs="x"), judge(outputs="x")
    assert first == second
    assert provider.count == 1
    judge(outputs="y")
    judgekit.create_llm_as_judge(prompt=PROMPT, judge=judgekit.connect(model, temperature=0))(outputs="x")
    assert provider.count == len(cache) == 3


def test_a_failure_is_not_kept(provider: Provider) -> None:
    provider.reply(Reply(error_body("Something."), 400), '{"reasoning": "r", "score": true}')
    cache: dict[str, Any] = {}
    model = judgekit.connect("openai:x", base_url=f"{provider.url}/v1", cache=cache)
    judge = judgekit.create_llm_as_judge(prompt=PROMPT, judge=model)
    with pytest.raises(JudgeError):
        judge(outputs="x")
    assert cache == {}
    assert judge(outputs="x")["score"] is True


JUDGE_IN_A_PROCESS = """
import sys, judgekit
url, path, first, last = sys.argv[1:]
model = judgekit.connect("openai:x", base_url=url, cache=path)
judge = judgekit.create_llm_as_judge(prompt="Grade: {outputs}", judge=model)
print(sum(judge(outputs=str(i))["score"] for i in range(int(first), int(last))))
"""


def test_two_processes_share_one_store(provider: Provider, tmp_path: Path) -> None:
    path = tmp_path / "new" / "answers.sqlite"

    def judging(first: int, last: int) -> subprocess.Popen[str]:
        arguments = [f"{provider.url}/v1", str(path), str(first), str(last)]
        command = [sys.executable, "-W", "error", "-c", JUDGE_IN_A_PROCESS, *arguments]
        return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)

    for process in [judging(0, 20), judging(10, 30)]:
        printed, _ = process.communicate(timeout=60)
        assert (process.returncode, printed.strip()) == (0, "20")
    with sqlite3.connect(path) as database:
        assert database.execute("select count(*) from answers").fetchone() == (30,)
    database.close()
    sent = provider.count
    model = judgekit.connect("openai:x", base_url=f"{provider.url}/v1", cache=path)
    judge = judgekit.create_llm_as_judge(prompt=PROMPT, judge=model)
    assert all(judge(outputs=str(i))["score"] for i in range(30))
    assert provider.count == sent, "all of it was remembered"
    model.cache.close()


@pytest.mark.parametrize("cache", [42, [], object()])
def test_what_cannot_remember_is_refused(cache: Any) -> None:
    with pytest.raises(ConfigError, match="cache is"):
        judgekit.connect("embedded:match", cache=cache)
