"""What a user's evaluator returned, as a result: a score, a dict with one, or a list of dicts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from typing import Any

from judgekit.core.equality import as_data, shown
from judgekit.core.plain import to_plain
from judgekit.errors import ParseError, PromptError
from judgekit.types import EvaluatorResult

__all__ = ["read_result"]

_FIELDS = ("key", "score", "value", "comment", "reasoning", "metadata", "source_run_id")
_FORMS = "return a bool, a number, a text, a dict with a `score`, or a list of such dicts"


def read_result(returned: Any, key: str) -> EvaluatorResult | list[EvaluatorResult]:
    """Read what a function returned.

    Args:
        returned: see `judgekit.evaluator`.
        key: the function's name; the `key` of a result that brings none.

    Raises:
        ParseError: there is no score in it, or two results have one key; `code` is `invalid_score`.
    """
    data = _data(returned, key)
    if isinstance(data, Mapping) and set(data) == {"results"}:
        data = _data(data["results"], key)
    if isinstance(data, Mapping):
        return _from_mapping(data, key)
    if isinstance(data, Sequence) and not isinstance(data, str | bytes):
        return _several(data, key)
    return {"key": key, "score": _score(returned, key), "comment": None, "metadata": None}


def _data(value: Any, key: str) -> Any:
    try:
        return as_data(value)
    except PromptError:
        raise _no_score(key, f"returned {type(value).__name__}, which is no score") from None


def _several(found: Sequence[Any], key: str) -> list[EvaluatorResult]:
    if not found:
        raise _no_score(key, "returned an empty list")
    parts = [_data(part, key) for part in found]
    if not all(isinstance(part, Mapping) for part in parts):
        raise _no_score(key, f"returned {shown(found)}, a list of something else than dicts")
    results = [_from_mapping(part, key) for part in parts]
    keys = [result["key"] for result in results]
    if len(set(keys)) < len(keys):
        raise _no_score(
            key, f"returned several results with one key, {shown(keys)}; give each dict its own `key`"
        )
    return results


def _from_mapping(found: Mapping[Any, Any], key: str) -> EvaluatorResult:
    score, value = found.get("score"), found.get("value")
    if score is None and value is None:
        raise _no_score(key, f"returned {shown(found)}, which has neither a `score` nor a `value`")
    comment = next((found[name] for name in ("comment", "reasoning") if found.get(name) is not None), None)
    name = found.get("key")
    result: EvaluatorResult = {
        "key": key if name is None else str(name),
        "score": _score(value if score is None else score, key),
        "comment": None if comment is None else str(comment),
        "metadata": _metadata(found, key),
    }
    if found.get("source_run_id") is not None:
        result["source_run_id"] = str(found["source_run_id"])
    return result


def _metadata(found: Mapping[Any, Any], key: str) -> dict[str, Any] | None:
    """The metadata that came, and beside it all fields that a result has no place for."""
    others = {name: value for name, value in found.items() if name not in _FIELDS}
    if found.get("score") is not None:
        others["value"] = found.get("value")
    try:
        given = to_plain(found.get("metadata"), name="metadata")
        plain = {name: value for name, value in to_plain(others).items() if value not in (None, {})}
    except PromptError as error:
        raise ParseError(f"{key}() returned what is no data: {error}", code="invalid_score") from error
    if not isinstance(given, dict | None):
        raise ParseError(
            f"{key}() returned the metadata {shown(given)}: return a dict of it.", code="invalid_score"
        )
    return {**plain, **(given or {})} or None


def _score(returned: Any, key: str) -> float | bool | str:
    data = _data(returned, key)
    if isinstance(data, bool) or (isinstance(data, str) and data and isinstance(returned, str | Enum)):
        return data
    if isinstance(data, int | float | Decimal | Fraction) and _is_finite(data):
        return data if isinstance(data, int | float) else float(data)
    raise _no_score(key, f"returned {shown(data)}, which is no score")


def _is_finite(number: float | Decimal | Fraction) -> bool:
    try:
        return math.isfinite(number)
    except OverflowError:  # beyond every float
        return False


def _no_score(key: str, problem: str) -> ParseError:
    return ParseError(f"{key}() {problem}: {_FORMS}.", code="invalid_score")
