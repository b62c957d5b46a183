"""Where a client sends to, as each kind of client tells it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

import anthropic
import openai
import pytest

from judgekit.models.addresses import address_of
from judgekit.models.connect import connect

URL = "http://localhost:8000/v1"


@pytest.mark.parametrize(
    "kind", [openai.OpenAI, openai.AsyncOpenAI, anthropic.Anthropic, anthropic.AsyncAnthropic]
)
def test_the_official_clients(kind: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("OPENAI_BASE_URL", "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(variable, raising=False)
    assert address_of(kind(api_key="key")) is None
    assert address_of(kind(api_key="key", base_url=URL)) == URL
    assert connect(kind(api_key="key", base_url=URL), "m").address == URL


@pytest.mark.parametrize("spec", ["openai:m", "anthropic:m", "ollama:m", "vllm:m"])
def test_models_by_name(spec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "key")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "key")
    assert connect(spec, base_url=URL).address == URL


def test_the_environment_names_the_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "key")
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    assert connect("openai:m").address is None
    monkeypatch.setenv("OPENAI_BASE_URL", URL)
    assert connect("openai:m").address == URL
    monkeypatch.setenv("AZURE_OPENAI_API_KEY", "key")
    monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", "https://mine.openai.azure.com/")
    assert connect("azure:m").address == "https://mine.openai.azure.com"


def test_langchain_tells_it_inside_of_wrappers() -> None:
    from langchain_openai import ChatOpenAI

    chat = ChatOpenAI(model="m", base_url=URL, api_key="key")  # type: ignore[arg-type]  # wants a SecretStr
    assert address_of(chat) == URL
    assert address_of(chat.bind(stop=["x"])) == URL


@pytest.mark.parametrize("client", [None, SimpleNamespace(), SimpleNamespace(base_url=""), MagicMock()])
def test_a_client_that_tells_none(client: Any) -> None:
    assert address_of(client) is None
