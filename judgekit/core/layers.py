"""Layers stand between a flow and its driver and answer rounds themselves where they can."""

from __future__ import annotations

from collections.abc import Generator, MutableMapping
from typing import Any

from judgekit.core.exchange import Answer, Request
from judgekit.core.flow import Layer, Outcomes, Round

__all__ = ["remembered"]


def remembered(cache: MutableMapping[str, dict[str, Any]]) -> Layer:
    """Answer from the cache what it holds, and keep in it what comes back. Failures are never kept."""

    def layer(effects: Round) -> Generator[Round, Outcomes, Outcomes]:
        keys = {i: effect.key for i, effect in enumerate(effects) if isinstance(effect, Request)}
        found: dict[int, Any] = {
            i: answer for i, key in keys.items() if (answer := _kept(cache, key)) is not None
        }
        missing = [i for i in range(len(effects)) if i not in found]
        if missing:
            fresh = yield tuple(effects[i] for i in missing)
            for i, outcome in zip(missing, fresh, strict=True):
                found[i] = outcome
                if i in keys and isinstance(outcome, Answer):
                    cache[keys[i]] = outcome.to_dict()
        return tuple(found[i] for i in range(len(effects)))

    return layer


def _kept(cache: MutableMapping[str, dict[str, Any]], key: str) -> Answer | None:
    """The answer under that key; None also for an entry that is no answer, from another version say."""
    entry = cache.get(key)
    if entry is None:
        return None
    try:
        return Answer.from_dict(entry)
    except (AttributeError, TypeError, ValueError):
        return None
