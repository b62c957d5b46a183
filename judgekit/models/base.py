"""A model: two pure functions around one client call. Here its failures become values and its limits are kept."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from judgekit.core.asking import Patience
from judgekit.core.exchange import Answer, Request
from judgekit.errors import ConfigError, JudgeError, ModelError, WrongClientError
from judgekit.models.addresses import address_of
from judgekit.models.call import Call
from judgekit.models.capabilities import Capabilities
from judgekit.models.failures import failure_of
from judgekit.models.threads import start, waited

__all__ = ["Call", "Model", "within"]

T = TypeVar("T")


@dataclass(frozen=True)
class Model:
    """A connected model. Frozen: `replace(model, params=...)` or `judgekit.connect(model, ...)` makes another.

    Attributes:
        name: `provider:model`, as results and stores name it.
        encode: `(request, capabilities) -> Call`, pure.
        decode: `(client's answer) -> Answer`, pure; raises `ModelError` for what is no answer.
        call: sends a `Call` and blocks, or None for a client that is only async.
        acall: sends a `Call` from async code, or None for a client that is only sync (it gets a thread).
        params: sent with every request: temperature, seed, max_tokens (the output budget), ...
        timeout: seconds for one request; None leaves the client's own.
        deadline: seconds for one judgement, all its retries and repairs together; None is no limit.
        patience: how often a judgement tries again.
        recover: finds the answer that a client's exception holds, where clients raise on cut or filtered ones.
        capabilities: what the model has been seen to reject.
        cache: answers by request key, or None.
        client: what was connected, for those who need it.
        check: raises `ConfigError` for parameters that could not be sent.
        enforces: whether `call` itself keeps `timeout` as a total; otherwise judgekit does, with a thread.
    """

    name: str
    encode: Callable[[Request, Capabilities], Call]
    decode: Callable[[Any], Answer]
    call: Callable[[Call], Any] | None = None
    acall: Callable[[Call], Awaitable[Any]] | None = None
    params: Mapping[str, Any] = field(default_factory=dict)
    timeout: float | None = None
    deadline: float | None = None
    patience: Patience = field(default_factory=Patience)
    recover: Callable[[Exception], Answer | None] | None = None
    capabilities: Capabilities = field(
        default_factory=lambda: Capabilities(("prompt",)), compare=False, repr=False
    )
    cache: Any = field(default=None, compare=False, repr=False)
    client: Any = field(default=None, compare=False, repr=False)
    check: Callable[[Mapping[str, Any]], None] | None = field(default=None, compare=False, repr=False)
    enforces: bool = field(default=False, repr=False)

    def __repr__(self) -> str:
        shown = {key: value for key, value in self.params.items() if key not in _UNSHOWN}
        params = "".join(f", {key}={value!r}" for key, value in shown.items())
        return f"Model({self.name!r}{params})"

    @property
    def address(self) -> str | None:
        """Where its requests go; None for the provider's own address."""
        return address_of(self.client)

    def answer(self, request: Request, left: float | None = None) -> Answer | JudgeError:
        """Ask and wait. `left` is the seconds that the judgement still has.

        Raises:
            ConfigError: the request cannot be put to this model as it is connected.
        """
        if self.call is None:
            raise self._only_async()
        call = self._prepared(request, left)
        try:
            if call.timeout is None or self.enforces:
                raw = self.call(call)
            else:
                raw = waited(start(self.call, call), call.timeout)
        except Exception as error:  # noqa: BLE001  # the client's failure, whatever its class, is a value here
            return self._failed(error, call, left)
        if inspect.isawaitable(raw):
            raise self._only_async(raw)
        return self._decoded(raw, call, left)

    async def aanswer(self, request: Request, left: float | None = None) -> Answer | JudgeError:
        """Ask without blocking the loop; a sync client is called in a thread. Otherwise as `answer`."""
        call = self._prepared(request, left)
        try:
            answer = self._awaited(call)
            raw = await (answer if call.timeout is None else within(call.timeout, answer))
        except Exception as error:  # noqa: BLE001  # as above
            return self._failed(error, call, left)
        return self._decoded(raw, call, left)

    async def _awaited(self, call: Call) -> Any:
        if self.acall is not None:
            return await self.acall(call)
        assert self.call is not None  # noqa: S101  # a model has at least one of the two
        raw = await asyncio.wrap_future(start(self.call, call))
        return await raw if inspect.isawaitable(raw) else raw

    def sync(self) -> Model:
        """This model, if sync code can call it.

        Raises:
            WrongClientError: it is connected to an async client.
        """
        if self.call is None:
            raise self._only_async()
        return self

    def _only_async(self, made: Any = None) -> WrongClientError:
        if inspect.iscoroutine(made):
            made.close()
        return WrongClientError(
            f"{self.name} is connected to an async client ({type(self.client).__name__}), which a sync judge cannot "
            "call: use create_async_llm_as_judge, or pass the sync client."
        )

    def _prepared(self, request: Request, left: float | None) -> Call:
        call = self.encode(request, self.capabilities)
        limits = [limit for limit in (self.timeout, left) if limit is not None]
        return replace(call, timeout=min(limits)) if limits else call

    def _decoded(self, raw: Any, call: Call, left: float | None) -> Answer | JudgeError:
        try:
            return self.decode(raw)
        except JudgeError as error:
            return self._failed(error, call, left)

    def _failed(self, error: Exception, call: Call, left: float | None) -> Answer | JudgeError:
        if isinstance(error, ConfigError):
            raise error
        if isinstance(error, JudgeError) and not isinstance(error, ModelError):
            return error
        if self.recover is not None and (answer := self.recover(error)) is not None:
            return answer
        found = failure_of(error, self.name, overdue=left is not None and call.timeout == left)
        self._hide_secret(found)
        if found.unsupported is None:
            found.unsupported = self.capabilities.learn(status=found.status, text=found.said, call=call)
        return found

    def _hide_secret(self, error: ModelError) -> None:
        """Some servers say a key that they refuse, and messages are shown and stored."""
        secret = getattr(self.client, "secret", None) or getattr(self.client, "api_key", None)
        if isinstance(secret, str) and len(secret) >= _SHORTEST_SECRET:
            error.message = error.message.replace(secret, "***")
            error.args = (error.message,)
            error.said = error.said.replace(secret, "***")


_SHORTEST_SECRET = 8
_UNSHOWN = ("extra_headers", "extra_query")  # a gateway's own key may be in them


async def within(seconds: float | None, awaitable: Awaitable[T]) -> T:
    """What is awaited, if it comes in time; None is no limit.

    Raises:
        TimeoutError: it did not come, whatever the code below made of being cancelled: a transport that was about to
            connect calls it a failed connection.
    """
    limit = asyncio.timeout(seconds)
    try:
        async with limit:
            return await awaitable
    except Exception as error:
        if limit.expired():
            raise TimeoutError from error
        raise
