"""One encoded request."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["Call"]


@dataclass(frozen=True, slots=True)
class Call:
    """What a client is called with, and how it asks for its schema.

    Attributes:
        payload: the client's keyword arguments, or whatever else `Model.call` takes.
        format: how it asks for its schema, a rung of the model's ladder; None when it asks for none.
        without: the schema keywords that were left out because the model had rejected them.
        timeout: seconds until it is given up, or None; clients that take a timeout are told.
    """

    payload: Mapping[str, Any]
    format: str | None = None
    without: frozenset[str] = frozenset()
    timeout: float | None = None
