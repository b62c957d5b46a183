"""Layers stand between a flow and its driver and answer rounds themselves where they can."""

from __future__ import annotations

from collections.abc import Generator, MutableMapping
from typing import Any, Literal, NamedTuple

from judgekit.core.exchange import Answer, Request
from judgekit.core.flow import Layer, Outcomes, Round
from judgekit.errors import ConfigError, NotRecordedError

__all__ = ["Mode", "remembered"]

Cache = MutableMapping[str, dict[str, Any]]
Mode = Literal["on", "read", "refresh", "replay"]


class _Use(NamedTuple):
    """What a mode does: look an answer up, ask for one that is not held, keep what comes, instead of what is held."""

    looks: bool = True
    asks: bool = True
    keeps: bool = True
    replaces: bool = False


_USES: dict[str, _Use] = {
    "on": _Use(),
    "read": _Use(keeps=False),
    "refresh": _Use(looks=False, replaces=True),
    "replay": _Use(asks=False, keeps=False),
}


def remembered(cache: Cache, mode: Mode = "on", sample: int = 0) -> Layer:
    """Answer from the cache what it holds, and keep in it what comes back.

    Every answer is kept, one that turns out to be no verdict as well: only the whole judgement shows what an answer was
    worth, and its repairs are kept under requests that hold it, so that what is remembered is the judgement as it was.
    A request that failed is never kept. Hence a judgement that ended in an unreadable answer is remembered like any
    other, and to try it again is to refresh it: the new answers are found from then on.

    Args:
        cache: answers by request key. Where it has a method `replace(key, value)`, that is how an answer is put in the
            place of another; otherwise it is set.
        mode: `"on"` as said; `"read"` keeps nothing; `"refresh"` asks anew and replaces; `"replay"` never asks: a request
            that is not held has a `NotRecordedError` for an outcome.
        sample: which of several answers to the same request is meant, from 0: the repetition, in a run.

    Raises:
        ConfigError: there is no such mode.
    """
    if mode not in _USES:
        raise ConfigError(f"The cache's mode is {mode!r}: choose one of {', '.join(_USES)}.")
    use = _USES[mode]
    keep = getattr(cache, "replace", cache.__setitem__) if use.replaces else cache.__setitem__

    def layer(effects: Round) -> Generator[Round, Outcomes, Outcomes]:
        keys = {i: _key(effect, sample) for i, effect in enumerate(effects) if isinstance(effect, Request)}
        found: dict[int, Any] = {}
        for i, key in keys.items():
            if use.looks and (answer := _kept(cache, key)) is not None:
                found[i] = answer
            elif not use.asks:
                found[i] = _not_recorded(effects[i])
        missing = [i for i in range(len(effects)) if i not in found]
        if missing:
            fresh = yield tuple(effects[i] for i in missing)
            for i, outcome in zip(missing, fresh, strict=True):
                found[i] = outcome
                if use.keeps and i in keys and isinstance(outcome, Answer):
                    keep(keys[i], outcome.to_dict())
        return tuple(found[i] for i in range(len(effects)))

    return layer


def _key(request: Request, sample: int) -> str:
    return f"{request.key}#{sample}" if sample else request.key


def _not_recorded(request: Any) -> NotRecordedError:
    return NotRecordedError(
        f"No answer of {request.model.name} to this request is recorded: its prompt, values, schema, parameters, address or "
        "repetition were never asked, or differ from those that were. Run it once with cache='on' to record it."
    )


def _kept(cache: Cache, key: str) -> Answer | None:
    """The answer under that key; None also for an entry that is no answer, from another version say."""
    entry = cache.get(key)
    if entry is None:
        return None
    try:
        return Answer.from_dict(entry)
    except (AttributeError, TypeError, ValueError):
        return None
