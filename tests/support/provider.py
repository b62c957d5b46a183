"""A model provider on a real loopback socket, for the real clients to talk to.

    with Provider() as provider:
        provider.reply(rate_limited(retry_after=1), '{"score": true}')
        client = openai.OpenAI(**provider.openai_options)
        ...
        assert provider.last.json["model"] == "gpt-judge"

It speaks OpenAI's chat completions and embeddings and Anthropic's messages, under any path prefix. What an answer can
be is in `tests.support.answers`; `python -m tests.support.provider` runs the lean `tests.support.fixed_server`.
"""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Self

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.routing import BaseRoute, Route
from starlette.types import Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from tests.support.answers import Answer, HangUp, Reply
from tests.support.endpoints import ENDPOINTS, Endpoint
from tests.support.faults import openai_error
from tests.support.fixed_server import main

__all__ = ["Provider", "Recorded"]

PATIENCE = 10.0  # seconds, for what takes milliseconds


@dataclass(frozen=True, slots=True)
class Recorded:
    """A request as it came: header names in lower case, `json` None when the body is no JSON."""

    path: str
    headers: Mapping[str, str]
    json: Any
    connection: tuple[str, int]


class Provider:
    """The provider as a context manager: it listens on 127.0.0.1 inside, on a free port.

    `truth` is what unscripted answers fill a boolean with. `routes` are served before the provider's own.
    All attributes may be used from any thread, while requests are being served.
    """

    def __init__(self, routes: Sequence[BaseRoute] = ()) -> None:
        self.truth = True
        self.errors: list[Exception] = []  # what scripted callables raised; their clients saw a 500
        self.requests: list[Recorded] = []
        self.peak = 0
        self._script: deque[Answer] = deque()
        self._repeated: Answer = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._changed = threading.Condition()
        self._socket = socket.create_server(("127.0.0.1", 0), backlog=2048)
        self.port: int = self._socket.getsockname()[1]
        own = [
            Route(f"/{{prefix:path}}{each.path}", _Served(self, each), methods=["POST"]) for each in ENDPOINTS
        ]
        config = uvicorn.Config(
            Starlette(routes=[*routes, *own]),
            http="h11",
            loop="asyncio",
            ws="none",
            lifespan="off",
            log_config=None,
            log_level="critical",
            timeout_keep_alive=60,
        )
        self._server = _Server(config)
        self._thread = threading.Thread(
            target=self._server.run, args=([self._socket],), name="provider", daemon=True
        )

    def __enter__(self) -> Self:
        self._thread.start()
        if not self._server.listening.wait(PATIENCE):
            raise RuntimeError(f"the loopback provider did not start within {PATIENCE} s")
        return self

    def __exit__(self, *exception: object) -> None:
        self._abandon()
        self._server.should_exit = True
        self._thread.join(PATIENCE)
        if self._thread.is_alive():
            raise RuntimeError(f"the loopback provider did not stop within {PATIENCE} s")

    @property
    def url(self) -> str:
        """The base URL for Anthropic clients; OpenAI clients want `/v1` behind it."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def openai_options(self) -> dict[str, Any]:
        """Keyword arguments of `openai.OpenAI` and `AsyncOpenAI`: no retries, and a timeout that fails a test soon."""
        return {"base_url": f"{self.url}/v1", "api_key": "test", "max_retries": 0, "timeout": PATIENCE}

    @property
    def anthropic_options(self) -> dict[str, Any]:
        """Keyword arguments of `anthropic.Anthropic` and `AsyncAnthropic`."""
        return {**self.openai_options, "base_url": self.url}

    def reply(self, *answers: Answer) -> None:
        """Queue answers, one for each request; the last one is repeated until others are queued."""
        with self._changed:
            self._script.extend(answers)

    def reset(self) -> None:
        """Drop what is queued, recorded and under way; the connections stay."""
        self._abandon()
        with self._changed:
            self._script.clear()
            self._repeated = None
            self.truth = True
            self.errors, self.requests, self.peak = [], [], 0

    def wait_for(self, count: int) -> None:
        """Block until `count` requests have come.

        Raises:
            TimeoutError: they did not come.
        """
        with self._changed:
            if not self._changed.wait_for(lambda: self.count >= count, PATIENCE):
                raise TimeoutError(f"{self.count} requests came, {count} were awaited")

    @property
    def count(self) -> int:
        """Requests so far."""
        return len(self.requests)

    @property
    def last(self) -> Recorded:
        """The latest request."""
        assert self.requests, "no request has come"
        return self.requests[-1]

    @property
    def connections(self) -> int:
        """TCP connections that carried the requests."""
        return len({request.connection for request in self.requests})

    def _abandon(self) -> None:
        """End the requests that wait for their answer: their clients see a 500, or a body cut short."""

        def cancel() -> None:
            for task in self._tasks:
                task.cancel()

        self._server.loop.call_soon_threadsafe(cancel)
        with self._changed:
            self._changed.wait_for(lambda: not self._tasks, PATIENCE)

    @contextmanager
    def _serving(self, request: Recorded) -> Iterator[None]:
        task = asyncio.current_task()
        assert task is not None
        with self._changed:
            self.requests.append(request)
            self._tasks.add(task)
            self.peak = max(self.peak, len(self._tasks))
            self._changed.notify_all()
        try:
            yield
        finally:
            with self._changed:
                self._tasks.discard(task)
                self._changed.notify_all()

    def _answer(self, endpoint: Endpoint, request: Any) -> Reply | HangUp:
        with self._changed:
            if self._script:
                self._repeated = self._script.popleft()
            answer = self._repeated
        try:
            return self._written(answer, endpoint, request)
        except Exception as error:  # noqa: BLE001  # the test that scripted it is told, not the server's log
            self.errors.append(error)
            return openai_error(500, f"the scripted answer raised {error!r}", "server_error")

    def _written(self, answer: Answer, endpoint: Endpoint, request: Any) -> Reply | HangUp:
        while callable(answer):
            answer = answer(request)
        match answer:
            case None:
                return Reply(endpoint.fill(request, self.truth))
            case str():
                return Reply(endpoint.say(answer, request))
            case dict():
                return Reply(answer)
            case _:
                return answer

    def _hang_up(self, client: tuple[str, int]) -> None:
        for connection in self._server.server_state.connections:
            if isinstance(connection, H11Protocol) and connection.client == client:
                connection.transport.close()


class _Server(uvicorn.Server):
    """Says when it listens."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.listening = threading.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.loop = asyncio.get_running_loop()
        self.listening.set()


class _Served:
    """An ASGI application that serves one endpoint; it ends early when the client goes away."""

    def __init__(self, provider: Provider, endpoint: Endpoint) -> None:
        self.provider = provider
        self.endpoint = endpoint

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = await recorded(Request(scope, receive))
        with self.provider._serving(request):
            id = f"req_{self.provider.count}"  # noqa: A001  # the field's name
            answer = self.provider._answer(self.endpoint, request.json)
            gone = asyncio.create_task(disconnected(receive))

            async def hang_up() -> None:
                self.provider._hang_up(request.connection)
                await asyncio.shield(gone)

            if isinstance(answer, Reply):
                play = answer.play(send, hang_up, {"x-request-id": id, "request-id": id})
            else:
                play = answer.play(hang_up)
            await first(asyncio.create_task(play), gone)


async def recorded(request: Request) -> Recorded:
    body = await request.body()
    try:
        content = json.loads(body)
    except ValueError:
        content = None
    assert request.client is not None
    client = (request.client.host, request.client.port)
    return Recorded(request.url.path, dict(request.headers), content, client)


async def disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def first(*tasks: asyncio.Task[None]) -> None:
    """Wait for the first task to end, and cancel the others."""
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
    for task in done:
        task.result()


if __name__ == "__main__":
    main()
