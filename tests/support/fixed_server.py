"""The cheapest server that real clients accept: every request gets the same verdict.

For benchmarks, where the server must not be what is measured. It parses no more of a request than its path and
length, and writes a response that was made once.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.support.bodies import chat_body, error_body, message_body

__all__ = ["FixedServer", "main", "spawned"]

VERDICT = json.dumps({"reasoning": "Because.", "score": True})

CONTENT_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)

END_OF_HEAD = b"\r\n\r\n"


def response(body: Mapping[str, Any], status: bytes = b"200 OK") -> bytes:
    content = json.dumps(body).encode()
    head = b"HTTP/1.1 %b\r\ncontent-type: application/json\r\ncontent-length: %d" % (status, len(content))
    return head + END_OF_HEAD + content


class FixedServer:
    """Answers `text`, `delay` seconds after each request, on OpenAI's chat completions and Anthropic's messages."""

    def __init__(self, text: str = VERDICT, *, delay: float = 0.0) -> None:
        self.delay = delay
        self._responses = {
            b"completions": response(chat_body(text)),
            b"messages": response(message_body(text)),
        }
        self._unknown = response(error_body("No such endpoint."), b"404 Not Found")

    async def serve(self, port: int, listening: Callable[[int], object]) -> None:
        """Serve on 127.0.0.1 until cancelled; `listening` is called with the port, a free one for 0."""
        loop = asyncio.get_running_loop()
        server = await loop.create_server(lambda: _Connection(self), "127.0.0.1", port, backlog=2048)
        async with server:
            listening(server.sockets[0].getsockname()[1])
            await server.serve_forever()

    def response_to(self, head: bytes) -> bytes:
        """The response to a request with this head."""
        path = head.split(b" ", 2)[1].partition(b"?")[0]
        return self._responses.get(path.rpartition(b"/")[2], self._unknown)


class _Connection(asyncio.Protocol):
    """HTTP/1.1 with keep-alive; bodies come with a length."""

    def __init__(self, server: FixedServer) -> None:
        self._server = server
        self._received = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._received += data
        while (end := self._received.find(END_OF_HEAD)) >= 0:
            length = CONTENT_LENGTH.search(self._received, 0, end)
            size = end + len(END_OF_HEAD) + (int(length[1]) if length else 0)
            if len(self._received) < size:
                return
            head, self._received = self._received[:end], self._received[size:]
            self._respond(self._server.response_to(head))

    def _respond(self, data: bytes) -> None:
        if self._server.delay:
            asyncio.get_running_loop().call_later(self._server.delay, self._write, data)
        else:
            self._write(data)

    def _write(self, data: bytes) -> None:
        if not self._transport.is_closing():
            self._transport.write(data)


def main() -> None:
    """The command line: print the port, then serve until the process is ended."""
    parser = argparse.ArgumentParser(description=FixedServer.__doc__)
    parser.add_argument("--port", type=int, default=0, help="0 for a free one")
    parser.add_argument(
        "--delay", type=float, default=0.0, metavar="MS", help="milliseconds before each answer"
    )
    options = parser.parse_args()
    server = FixedServer(delay=options.delay / 1000)
    asyncio.run(server.serve(options.port, lambda port: print(port, flush=True)))


@contextmanager
def spawned(*, delay: float = 0.0) -> Iterator[str]:
    """A fixed server, `delay` in seconds, in a process of its own.

    Yields:
        Its base URL; OpenAI clients want `/v1` behind it.
    """
    command = [sys.executable, "-m", "tests.support.provider", "--port", "0", "--delay", str(delay * 1000)]
    root = Path(__file__).resolve().parents[2]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=root) as process:
        try:
            assert process.stdout is not None
            yield f"http://127.0.0.1:{int(process.stdout.readline())}"
        finally:
            process.terminate()
