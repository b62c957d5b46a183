"""A model: two pure functions around one client call. Here its failures become values and its limits are kept."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from judgekit.core.asking import Patience
from judgekit.core.exchange import Answer, Request
from judgekit.errors import ConfigError, JudgeError, ModelError, WrongClientError
from judgekit.models.capabilities import Capabilities
from judgekit.models.failures import failure_of
from judgekit.models.threads import Calling

__all__ = ["Call", "Model"]


@dataclass(frozen=True, slots=True)
class Call:
    """One encoded request: what the client is called with, and how it asked for its schema.

    `timeout` is the seconds left for it, or None; clients that take a timeout are told.
    """

    payload: Mapping[str, Any]
    format: str | None = None
    timeout: float | None = None


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
        enforces: whether the client itself keeps `timeout` as a total; otherwise judgekit does.
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
    enforces: bool = field(default=False, repr=False)

    def __repr__(self) -> str:
        params = "".join(f", {key}={value!r}" for key, value in self.params.items())
        return f"Model({self.name!r}{params})"

    def answer(self, request: Request, left: float | None = None) -> Answer | JudgeError:
        """Ask and wait. `left` is the seconds that the judgement still has.

        Raises:
            WrongClientError: the client is async.
        """
        if self.call is None:
            raise self._only_async()
        call = self._prepared(request, left)
        limit = _least(self.timeout, left)
        try:
            if limit is None or self.enforces:
                raw = self.call(call)
            else:
                raw = Calling(self.call, call).result(limit)
        except Exception as error:  # noqa: BLE001  # the client's failure, whatever its class, is a value here
            return self._failed(error, call, request)
        if inspect.isawaitable(raw):
            raise self._only_async(raw)
        return self._decoded(raw)

    async def aanswer(self, request: Request, left: float | None = None) -> Answer | JudgeError:
        """Ask without blocking the loop; a sync client is called in a thread."""
        call = self._prepared(request, left)
        try:
            async with asyncio.timeout(_least(self.timeout, left)):
                if self.acall is not None:
                    raw = await self.acall(call)
                else:
                    assert self.call is not None  # noqa: S101  # a model has at least one of the two
                    raw = await asyncio.to_thread(self.call, call)
                    raw = await raw if inspect.isawaitable(raw) else raw
        except Exception as error:  # noqa: BLE001  # as above
            return self._failed(error, call, request)
        return self._decoded(raw)

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
        limit = _least(self.timeout, left)
        return call if limit is None else replace(call, timeout=limit)

    def _decoded(self, raw: Any) -> Answer | ModelError:
        try:
            return self.decode(raw)
        except ModelError as error:
            return error

    def _failed(self, error: Exception, call: Call, request: Request) -> Answer | JudgeError:
        if isinstance(error, ConfigError):
            raise error
        if isinstance(error, JudgeError) and not isinstance(error, ModelError):
            return error
        if self.recover is not None and (answer := self.recover(error)) is not None:
            return answer
        found = failure_of(error, self.name)
        found.unsupported = self.capabilities.learn(
            status=found.status,
            text=found.said,
            asked_as=call.format if request.schema else None,
            sent=call.payload,
        )
        return found


def _least(*limits: float | None) -> float | None:
    return min((limit for limit in limits if limit is not None), default=None)
