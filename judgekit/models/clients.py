"""The official clients that judgekit makes itself from a model string: one for each event loop, reused and closed.

A client's connections belong to the loop that opened them, so each loop gets its own; it is closed when the loop
shuts down its async generators, which `asyncio.run` does before it closes the loop. Sync calls go through one
background loop: they work inside a running loop, can be given up on at a deadline, and stop at once on Ctrl-C.
"""

from __future__ import annotations

import asyncio
import atexit
import threading
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from judgekit.models.base import Call

__all__ = ["Connection", "Portal"]

T = TypeVar("T")


class Portal:
    """An event loop in a background thread, started at the first call and stopped at exit."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    def call(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine there and wait for it here; interrupted here, it is cancelled there."""
        future: Future[T] = asyncio.run_coroutine_threadsafe(coroutine, self._running())
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def close(self) -> None:
        with self._lock:
            loop, thread = self._loop, self._thread
            self._loop = self._thread = None
        if loop is None or thread is None:
            return
        loop.call_soon_threadsafe(loop.stop)
        thread.join(timeout=5)

    def _running(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(
                    target=_serve, args=(self._loop,), name="judgekit-portal", daemon=True
                )
                self._thread.start()
                atexit.register(self.close)
            return self._loop


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
        loop.run_until_complete(loop.shutdown_asyncgens())
    finally:
        loop.close()


PORTAL = Portal()


@dataclass
class Connection:
    """Makes the client for whichever loop asks.

    Attributes:
        make: makes an async client; called once for each event loop.
        send: sends one `Call` with a client.
    """

    make: Callable[[], Any]
    send: Callable[[Any, Call], Awaitable[Any]]
    _clients: WeakKeyDictionary[asyncio.AbstractEventLoop, tuple[Any, AsyncGenerator[None, None]]] = field(
        default_factory=WeakKeyDictionary
    )

    def call(self, call: Call) -> Any:
        return PORTAL.call(self._timed(call))

    async def acall(self, call: Call) -> Any:
        return await self.send(await self._client(), call)

    async def _timed(self, call: Call) -> Any:
        async with asyncio.timeout(call.timeout):
            return await self.acall(call)

    async def _client(self) -> Any:
        loop = asyncio.get_running_loop()
        kept = self._clients.get(loop)
        if kept is None:
            client = self.make()
            lifetime = _closing(client)
            self._clients[loop] = kept = (client, lifetime)
            await anext(lifetime)
        return kept[0]


async def _closing(client: Any) -> AsyncGenerator[None, None]:
    """Closes the client when the loop shuts its async generators down."""
    try:
        yield
    finally:
        await client.close()
