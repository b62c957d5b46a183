"""When requests to one model may leave, and how many tokens they are likely to need."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from judgekit.core.exchange import Request, Usage

__all__ = ["Lengths", "Pace"]

_MINUTE = 60.0
_SLOWEST = 1 / 64  # of the full pace
_REGAINED = 0.01  # of the full pace, each second
_WAIT = 1.0  # seconds, where a provider is busy and does not say for how long
_BYTES_A_TOKEN = 4  # OpenAI's rule of thumb for English; other scripts have more bytes a character
_TOKENS_A_BLOCK = 1000  # an image or a document: about what a large image costs
_FIRST_ANSWER = 500  # tokens, until one is known
_BUDGETS = ("max_tokens", "max_completion_tokens", "max_output_tokens")


class Pace:
    """Spaces what is sent evenly: the generic cell rate algorithm (ITU-T I.371) without a burst.

    Args:
        requests: per minute, or None.
        tokens: per minute, or None.
    """

    __slots__ = ("_low", "_next", "_pause", "_rates", "_since", "_slowed")

    def __init__(self, requests: float | None, tokens: float | None) -> None:
        self._rates = (requests or math.inf, tokens or math.inf)
        self._next = [-math.inf, -math.inf]
        self._pause = self._since = self._slowed = -math.inf
        self._low = 1.0

    def speed(self, now: float) -> float:
        """The part of the full pace at which requests leave."""
        return min(1.0, self._low + max(0.0, now - self._since) * _REGAINED)

    def leave(self, now: float, tokens: int) -> float:
        """The time at which a request may leave; the next one may only when it has had its share."""
        start = max(now, self._pause, *self._next)
        self._next = [start + share for share in self._shares(1, tokens, start)]
        return start

    def correct(self, tokens: int, now: float) -> None:
        """A request needed so many tokens more than was thought, or fewer."""
        self._next[1] += self._shares(0, tokens, now)[1]

    def give_back(self, tokens: int, now: float) -> None:
        """A request did not leave."""
        self._next = [
            end - share for end, share in zip(self._next, self._shares(1, tokens, now), strict=True)
        ]

    def slow(self, now: float, *, since: float, wait: float | None) -> None:
        """The provider was busy: half the pace, and nothing leaves until it wants more.

        Args:
            now: the time.
            since: when the request left; one that left before the last halving says nothing new.
            wait: seconds that the provider asked for.
        """
        self._pause = max(self._pause, now + (_WAIT if wait is None else wait))
        self._low = self.speed(now)
        if since >= self._slowed:
            self._low = max(self._low / 2, _SLOWEST)
            self._slowed = now
        self._since = max(now, self._pause)

    def _shares(self, requests: int, tokens: int, now: float) -> list[float]:
        """Seconds that so much takes at the present pace."""
        pace = self.speed(now) / _MINUTE
        return [amount / (rate * pace) for amount, rate in zip((requests, tokens), self._rates, strict=True)]


class Lengths:
    """How many tokens requests to one model need: told from their text, and from the answers so far."""

    __slots__ = ("_answers", "_longest", "_tokens")

    def __init__(self) -> None:
        self._answers = self._tokens = self._longest = 0

    def note(self, usage: Usage) -> None:
        """An answer came."""
        self._answers += 1
        self._tokens += usage.output_tokens
        self._longest = max(self._longest, usage.output_tokens)

    def of(self, request: Request) -> tuple[Usage, Usage]:
        """What a request is likely to need, and the most that it could."""
        prompt = _size(request.messages) // _BYTES_A_TOKEN + 1
        if request.schema is not None:
            prompt += len(json.dumps(request.schema.schema, default=str)) // _BYTES_A_TOKEN
        most = _allowed({**request.model.params, **request.params}) or self._longest or _FIRST_ANSWER
        usual = self._tokens // self._answers if self._answers else most
        return Usage(prompt, usual), Usage(prompt, most)


def _allowed(params: Mapping[str, Any]) -> int | None:
    return next((value for name in _BUDGETS if isinstance(value := params.get(name), int)), None)


def _size(content: Any) -> int:
    """Bytes of the texts of messages; another block than text counts as so many tokens, however it is written."""
    if isinstance(content, str):
        return len(content.encode("utf-8", "surrogatepass"))
    if isinstance(content, Mapping):
        if content.get("type", "text") != "text":
            return _TOKENS_A_BLOCK * _BYTES_A_TOKEN
        return sum(_size(content.get(name)) for name in ("content", "text"))
    return sum(map(_size, content)) if isinstance(content, list | tuple) else 0
