"""The official clients that judgekit makes itself from a model string: one for each event loop, reused and closed.

A client's connections belong to the loop that opened them, so each loop gets its own; it is closed when the loop
shuts down its async generators, which `asyncio.run` does before it closes the loop. Sync calls go through one
background loop: they work inside a running loop, can be given up on at a deadline, and stop at once on Ctrl-C.
"""

from __future__ import annotations

import asyncio
import atexit
import threading
import weakref
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Sequence
from concurrent.futures import Future
from typing import Any, TypeVar

from judgekit.errors import ConfigError
from judgekit.models.base import within
from judgekit.models.call import Call
from judgekit.models.capabilities import Capabilities

__all__ = ["PORTAL", "Connection", "Portal"]

T = TypeVar("T")


class Portal:
    """An event loop in a background thread, started at the first call and stopped at exit."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._next: Portal | None = None
        self._inherited: list[asyncio.AbstractEventLoop] = []

    def call(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine there and wait for it here; interrupted here, it is cancelled there.

        A call out of the portal's own loop (sync code inside of an async evaluation that runs there) goes to another
        portal: this one's loop is busy with the caller.
        """
        if threading.current_thread() is self._thread:
            self._next = self._next or Portal()
            return self._next.call(coroutine)
        future: Future[T] = asyncio.run_coroutine_threadsafe(coroutine, self._running())
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def close(self) -> None:
        """Cancel what is under way there, close its clients and stop it; a later call starts it anew."""
        with self._lock:
            loop, thread, inner = self._loop, self._thread, self._next
            self._loop = self._thread = self._next = None
        atexit.unregister(self.close)
        if inner is not None:
            inner.close()
        if loop is not None and thread is not None and thread.is_alive():
            loop.call_soon_threadsafe(loop.stop)
            thread.join(timeout=5)

    def _running(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is not None and (self._thread is None or not self._thread.is_alive()):
                # This process is a fork. The thread stayed behind, and the loop shares its parent's selector: to
                # close it would cut off the parent's.
                self._inherited.append(self._loop)
                self._loop = None
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
        if unfinished := asyncio.all_tasks(loop):
            for task in unfinished:
                task.cancel()
            loop.run_until_complete(asyncio.gather(*unfinished, return_exceptions=True))
        loop.run_until_complete(loop.shutdown_asyncgens())
    finally:
        loop.close()


PORTAL = Portal()

Clients = dict[asyncio.AbstractEventLoop, tuple[Any, AsyncGenerator[None, None]]]
"""The client of each loop, and the generator that closes it."""


class Connection:
    """Makes the client for whichever event loop asks, and calls it.

    Args:
        make: makes an async client; called once for each event loop.
        send: sends one `Call` with a client.
        base_url: where the client sends to, or None for the provider's own address.
        secret: what the client proves itself with, to be kept out of messages.
        origin: a function and its arguments that give this connection again in another process, or None where that
            would write the secret down.
    """

    def __init__(
        self,
        make: Callable[[], Any],
        send: Callable[[Any, Call], Awaitable[Any]],
        *,
        base_url: str | None = None,
        secret: str | None = None,
        origin: tuple[Callable[..., Connection], tuple[Any, ...]] | None = None,
    ) -> None:
        self._make = make
        self._send = send
        self._origin = origin
        self.base_url = base_url
        self.secret = secret
        self._clients: Clients = {}
        self._closing = weakref.finalize(self, _close_all, self._clients)
        self._closing.atexit = False  # the loops close theirs
        self._learned: dict[tuple[str, ...], Capabilities] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        if self._origin is None:
            raise ConfigError(
                "A model that was connected with api_key=... cannot be pickled, or the key would be written down: set the "
                "provider's environment variable instead, here and in the other process."
            )
        return self._origin

    def capabilities(self, name: str, ladder: Sequence[str]) -> Capabilities:
        """What the model of that name has been seen to reject here, whoever asked it."""
        return self._learned.setdefault((name, *ladder), Capabilities(ladder))

    def call(self, call: Call) -> Any:
        """Send from sync code; `call.timeout` is kept as a total."""
        return PORTAL.call(within(call.timeout, self.acall(call)))

    async def acall(self, call: Call) -> Any:
        """Send from the running loop, with that loop's client."""
        loop = asyncio.get_running_loop()
        kept = self._clients.get(loop)
        if kept is None:
            kept = await self._opened(loop)
        return await self._send(kept[0], call)

    async def _opened(self, loop: asyncio.AbstractEventLoop) -> tuple[Any, AsyncGenerator[None, None]]:
        for closed in [known for known in self._clients if known.is_closed()]:
            del self._clients[
                closed
            ]  # closed without shutting its generators down: its client is past saving
        client = self._make()
        self._clients[loop] = kept = (client, _lifetime(client, loop, self._clients))
        await anext(kept[1])
        return kept


async def _lifetime(
    client: Any, loop: asyncio.AbstractEventLoop, clients: Clients
) -> AsyncGenerator[None, None]:
    """Closes the client when it is ended itself: by its loop, which ends its generators, or by `_close_all`."""
    try:
        yield
    finally:
        clients.pop(loop, None)
        await client.close()


def _close_all(clients: Clients) -> None:
    """Close, each in its own loop, the clients of a connection that is no longer used."""
    for loop, (_, lifetime) in list(clients.items()):
        if not loop.is_closed():
            loop.call_soon_threadsafe(_end, loop, lifetime)


def _end(loop: asyncio.AbstractEventLoop, lifetime: AsyncGenerator[None, None]) -> None:
    loop.create_task(lifetime.aclose())
