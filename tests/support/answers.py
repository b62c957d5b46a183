"""What the loopback provider can be told to send back, as values.

An answer is one of

    a text        the content of a normal body of the endpoint that is asked
    an object     a whole JSON body, sent as it is, with status 200
    a `Reply`     status, headers and body; late, in pieces, or cut short
    a `HangUp`    the connection is closed and nothing is sent
    None          filled from the JSON schema in the request
    a callable    takes the request's JSON and returns one of these
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from starlette.types import Send

__all__ = ["Answer", "Gate", "HangUp", "Reply", "Wait", "never", "trickle"]


class Gate:
    """Shut until `open()` is called, from any thread; the provider sends what waits for it then."""

    def __init__(self) -> None:
        self._opened: Future[None] = Future()

    def open(self) -> None:
        with suppress(InvalidStateError):  # it is open already
            self._opened.set_result(None)

    async def opened(self) -> None:
        # shielded: one waiter that is cancelled must not cancel the gate for the others
        await asyncio.shield(asyncio.wrap_future(self._opened))


Wait = Gate | float
"""A gate to be opened, or seconds."""


@dataclass(frozen=True, slots=True)
class HangUp:
    """The connection is closed: before a byte as an answer, in the middle of the body as the last piece of one."""

    after: Wait | None = None

    async def play(self, hang_up: Callable[[], Awaitable[None]]) -> None:
        await waited(self.after)
        await hang_up()


@dataclass(frozen=True, slots=True)
class Reply:
    """An HTTP response.

    `body` is bytes or text as they are, an object or a list to be written as JSON, or a tuple of pieces: bytes to
    send, a `Wait` between two of them, a `HangUp` at the end. The content type is `application/json` unless
    `headers` say otherwise. `after` is waited for before the first byte of the response.
    """

    body: bytes | str | dict[str, Any] | list[Any] | tuple[bytes | Wait | HangUp, ...] = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    after: Wait | None = None

    async def play(
        self, send: Send, hang_up: Callable[[], Awaitable[None]], headers: Mapping[str, str]
    ) -> None:
        """Send it. `headers` are those of every response; the reply's own override them."""
        await waited(self.after)
        merged = {"content-type": "application/json", **headers, **lowered(self.headers)}
        if isinstance(self.body, tuple):
            pieces = self.body
        else:
            pieces = (encoded(self.body),)
            merged.setdefault("content-length", str(len(pieces[0])))
        raw = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in merged.items()]
        await send({"type": "http.response.start", "status": self.status, "headers": raw})
        for piece in pieces:
            if isinstance(piece, bytes):
                await send({"type": "http.response.body", "body": piece, "more_body": True})
            elif isinstance(piece, HangUp):
                return await piece.play(hang_up)
            else:
                await waited(piece)
        await send({"type": "http.response.body", "body": b"", "more_body": False})
        return None


Answer = str | dict[str, Any] | Reply | HangUp | Callable[[Any], Any] | None


def never() -> Reply:
    """A reply that does not come: the client's timeout, or the provider's reset, ends it."""
    return Reply(after=Gate())


def trickle(body: dict[str, Any] | bytes, *, every: float, size: int = 1) -> Reply:
    """`size` bytes of the body each `every` seconds: no read timeout sees how slow it is."""
    data = encoded(body)
    pieces = [data[start : start + size] for start in range(0, len(data), size)]
    return Reply(tuple(part for piece in pieces for part in (piece, every)))


def encoded(body: bytes | str | dict[str, Any] | list[Any]) -> bytes:
    if isinstance(body, bytes):
        return body
    return (body if isinstance(body, str) else json.dumps(body)).encode()


def lowered(headers: Mapping[str, str]) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}


async def waited(wait: Wait | None) -> None:
    if isinstance(wait, Gate):
        await wait.opened()
    elif wait is not None:
        await asyncio.sleep(wait)
