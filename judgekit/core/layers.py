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
        known: dict[int, Any] = {}
        keys = {i: effect.key for i, effect in enumerate(effects) if isinstance(effect, Request)}
        for i, key in keys.items():
            kept = cache.get(key)
            if kept is not None:
                known[i] = Answer.from_dict(kept)
        missing = [i for i in range(len(effects)) if i not in known]
        if missing:
            fresh = yield tuple(effects[i] for i in missing)
            for i, outcome in zip(missing, fresh, strict=True):
                known[i] = outcome
                if i in keys and isinstance(outcome, Answer):
                    cache[keys[i]] = outcome.to_dict()
        return tuple(known[i] for i in range(len(effects)))

    return layer
