"""JSON read strictly, by RFC 8259 and with one meaning: a number is finite, and a key stands once."""

from __future__ import annotations

import json
import math
from collections import Counter
from typing import Any

from judgekit.core.equality import shown

__all__ = ["read_json"]


def read_json(text: str) -> Any:
    """The value that a JSON text has.

    Raises:
        ValueError: the text is no JSON, or has NaN, an infinity, a number beyond all floats or a key twice; the message
            says what and where.
    """
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"line {error.lineno}, column {error.colno}: {_said(error)}") from None
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _said(error: json.JSONDecodeError) -> str:
    if not error.doc.strip():
        return "there is no text"
    return f"{error.msg[:1].lower()}{error.msg[1:]}, before {shown(error.doc[error.pos : error.pos + 30])}"


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON number")


def _object(members: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(members)
    if len(found) < len(members):
        times = Counter(key for key, _ in members)
        twice = next(key for key, count in times.items() if count > 1)
        raise ValueError(f"the key {shown(twice)} is there more than once in one object")
    return found


def _integer(digits: str) -> int:
    try:
        return int(digits)
    except ValueError:  # Python converts no more than some thousands of digits
        raise ValueError(f"the number {digits[:20]}... has {len(digits)} digits") from None


def _real(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):  # all numbers beyond the floats would be equal
        raise ValueError(f"the number {digits[:20]} is too large")
    return number


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object, parse_constant=_refuse_constant, parse_int=_integer, parse_float=_real
)
