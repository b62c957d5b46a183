"""A model that says what it is told to: the double for tests, public because users' judges need tests too."""

from __future__ import annotations

import itertools
import json
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from judgekit.core.exchange import Answer, Request
from judgekit.errors import ConfigError
from judgekit.models.base import Model
from judgekit.models.call import Call
from judgekit.models.capabilities import Capabilities

__all__ = ["Script", "scripted"]

Line = str | Mapping[str, Any] | Answer | Exception | Callable[[Request], Any]


@dataclass
class Script:
    """What a scripted model says next, and every request that it was sent, in order."""

    lines: Iterator[Line]
    requests: list[Request] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def next(self, request: Request) -> Any:
        with self._lock:
            self.requests.append(request)
            line = next(self.lines)
        if callable(line) and not isinstance(line, (str, Mapping, Answer, Exception)):
            line = line(request)
        return line


def scripted(*lines: Line, name: str = "scripted", **settings: Any) -> Model:
    """A model that gives `lines` one after the other, the last one again and again.

    Args:
        *lines: each an answer's text, a mapping (sent as JSON), an `Answer`, an exception to raise, or a function of
            the request that returns one of these.
        name: the model's name in results.
        **settings: other fields of `Model`: `params`, `deadline`, `patience`, ...

    Returns:
        A model whose `client` is the `Script`, with all requests in `client.requests`.

    Raises:
        ConfigError: no lines.
    """
    if not lines:
        raise ConfigError("A scripted model needs at least one answer.")
    script = Script(itertools.chain(lines, itertools.repeat(lines[-1])))

    def encode(request: Request, _: Capabilities) -> Call:
        return Call({"request": request})

    def call(call: Call) -> Any:
        line = script.next(call.payload["request"])
        if isinstance(line, Exception):
            raise line
        return line

    async def acall(sent: Call) -> Any:
        return call(sent)

    return Model(name, encode, _answer, call, acall, client=script, enforces=True, **settings)


def _answer(line: Any) -> Answer:
    if isinstance(line, Answer):
        return line
    return Answer(line if isinstance(line, str) else json.dumps(line, ensure_ascii=False))
