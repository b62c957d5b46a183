"""Tests cannot leave the loopback interface, and see none of the developer's settings."""

from __future__ import annotations

import os
import socket

import openai
import pytest

from tests.support.network import OutsideError, forget_settings
from tests.support.provider import Provider

ELSEWHERE = "192.0.2.1"  # reserved for documentation (RFC 5737): nobody answers there


def test_sockets_refuse_other_machines(outside: list[str]) -> None:
    with socket.socket() as sock, pytest.raises(OutsideError, match="use the `provider` fixture"):
        sock.connect((ELSEWHERE, 80))
    with socket.socket() as sock, pytest.raises(OutsideError):
        sock.connect_ex((ELSEWHERE, 80))
    with pytest.raises(OutsideError):
        socket.create_connection((ELSEWHERE, 80))
    with socket.socket(socket.AF_INET6) as sock, pytest.raises(OutsideError):
        sock.connect(("2001:db8::1", 80))
    with pytest.raises(OutsideError):
        socket.getaddrinfo(b"api.openai.com", 443)
    assert outside == [ELSEWHERE, ELSEWHERE, ELSEWHERE, "2001:db8::1", "b'api.openai.com'"]
    outside.clear()


def test_clients_cannot_reach_their_provider(outside: list[str]) -> None:
    with (
        openai.OpenAI(api_key="test", max_retries=0) as client,
        pytest.raises(openai.APIConnectionError) as caught,
    ):
        client.models.list()
    causes = [caught.value.__cause__, getattr(caught.value.__cause__, "__cause__", None)]
    assert "api.openai.com" in repr(causes)
    assert outside == ["api.openai.com"]
    outside.clear()


def test_the_loopback_is_open(provider: Provider) -> None:
    for host in ("127.0.0.1", "localhost"):
        socket.create_connection((host, provider.port)).close()
    assert socket.getaddrinfo(None, 80)


def test_unix_sockets_are_open() -> None:
    with socket.socket(socket.AF_UNIX) as sock, pytest.raises(FileNotFoundError):
        sock.connect("no-such-socket")


def test_settings_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = [
        "OPENAI_API_KEY",
        "MISTRAL_API_KEY",
        "OPENAI_BASE_URL",
        "LANGSMITH_TRACING",
        "https_proxy",
        "NO_PROXY",
    ]
    others = ["SOMEBODYS_API_KEY_RING", "LANG"]
    for name in settings + others:
        monkeypatch.setenv(name, "value")
    forget_settings(monkeypatch)
    assert [name for name in settings + others if name in os.environ] == others
