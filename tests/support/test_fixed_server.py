"""The benchmarks' server: a process of its own that real clients accept."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from urllib.parse import urlsplit

import anthropic
import openai
import pytest

from tests.support.fixed_server import spawned

DELAY = 0.03  # seconds


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with spawned(delay=DELAY) as url:
        yield url


def test_real_clients_get_the_verdict(url: str) -> None:
    verdict = {"reasoning": "Because.", "score": True}
    with openai.OpenAI(base_url=f"{url}/v1", api_key="test", max_retries=0) as client:
        started = time.perf_counter()
        completion = client.chat.completions.create(
            model="m", messages=[{"role": "user", "content": "?" * 200_000}]
        )
        assert time.perf_counter() - started >= DELAY
        assert json.loads(completion.choices[0].message.content or "") == verdict
        with pytest.raises(openai.NotFoundError, match="No such endpoint"):
            client.models.list()
    with anthropic.Anthropic(base_url=url, api_key="test", max_retries=0) as claude:
        message = claude.messages.create(model="m", max_tokens=9, messages=[{"role": "user", "content": "?"}])
        assert [json.loads(block.text) for block in message.content if block.type == "text"] == [verdict]


def test_requests_may_come_in_pieces_and_behind_each_other(url: str) -> None:
    address = urlsplit(url)
    request = b"POST /v1/chat/completions?x=1 HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\n1234"
    with socket.create_connection((address.hostname, address.port)) as sock:
        sock.sendall(request + request[:-2])
        received = sock.recv(65536)
        assert received.count(b"HTTP/1.1 200 OK") == 1
        sock.sendall(request[-2:])
        assert sock.recv(65536) == received
