"""Any client's exception as a `ModelError`: what happened, whether to try again, and when.

Clients are recognized by what their exceptions carry (a status, headers, a body), not by their classes, so no
SDK is imported and look-alikes work.
"""

from __future__ import annotations

import email.utils
import json
import math
import time
from collections.abc import Mapping
from typing import Any

from judgekit.errors import ContentFilterError, DeadlineError, ModelError, RateLimitError

__all__ = ["failure_of"]

_RETRYABLE_STATUSES = frozenset({408, 409, 425, 429})
_CONNECTION_NAMES = frozenset(
    {"APIConnectionError", "APITimeoutError", "ConnectError", "TransportError", "Timeout"}
)
_TIMEOUT_NAMES = frozenset({"APITimeoutError", "TimeoutException", "Timeout"})
_GARBLED_NAMES = frozenset({"APIResponseValidationError", "JSONDecodeError", "DecodingError"})

_ADVICE = {
    401: "check the API key",
    402: "the account has no credit left",
    403: "the key may not use this model or parameter",
    404: "check the model's name and the base URL",
    413: "the request is too large: shorten the judged text",
    422: "the request has a field that the provider does not know",
}


def failure_of(error: Exception, model: str) -> ModelError:
    """The failure as a value. The original exception stays its `__cause__`, and all its text is in `said`."""
    if isinstance(error, ModelError):
        return error
    found = _classified(error, model)
    found.__cause__ = error
    return found


def _classified(error: Exception, model: str) -> ModelError:  # one branch for each kind of exception
    names = {cls.__name__ for cls in type(error).__mro__}
    status = _integer(getattr(error, "status_code", None) or getattr(error, "status", None))
    text = _text(error)
    facts: dict[str, Any] = {"status": status, "request_id": _string(getattr(error, "request_id", None))}
    if status is not None:
        found = _from_status(status, error, text, model, facts)
    elif isinstance(error, TimeoutError) or names & _TIMEOUT_NAMES:
        found = DeadlineError(f"{model} did not answer in time: raise `timeout`.", retryable=True, **facts)
    elif isinstance(error, OSError) or names & _CONNECTION_NAMES:
        found = ModelError(f"No connection to {model}: {_root(error)}.", retryable=True, **facts)
    elif names & _GARBLED_NAMES:
        found = ModelError(
            f"{model} answered with something that is no JSON: {error}.", retryable=True, **facts
        )
    elif isinstance(error, RuntimeError) and "loop is closed" in str(error):
        found = ModelError(
            f"The client of {model} was used in an event loop that is closed: make the client inside the running loop, "
            "or pass model='provider:name' and let judgekit make it.",
            retryable=True,
        )
    else:
        retryable = bool(getattr(error, "is_retryable", False))
        found = ModelError(f"{model} failed: {type(error).__name__}: {error}", retryable=retryable, **facts)
    found.said = text
    return found


def _from_status(status: int, error: Exception, text: str, model: str, facts: dict[str, Any]) -> ModelError:
    said = _said(error)
    if status in (400, 403) and _is_filtered(error, text):
        return _Filtered(f"{model} refused the prompt: its content filter removed it ({said}).", **facts)
    if status == 429 and ("insufficient_quota" in text or "credit balance" in text):
        return ModelError(
            f"{model}: the account's quota is used up; waiting will not help ({said}).", **facts
        )
    if status in (429, 529):
        facts["retry_after"] = _retry_after(error)
        return RateLimitError(
            f"{model} is over its rate limit: lower the concurrency ({said}).", retryable=True, **facts
        )
    retryable = status in _RETRYABLE_STATUSES or status >= 500
    should = _header(error, "x-should-retry")
    if should in ("true", "false"):
        retryable = should == "true"
    if retryable:
        facts["retry_after"] = _retry_after(error)
    advice = _ADVICE.get(status)
    return ModelError(
        f"{model} answered {status}: {said}{f'; {advice}' if advice else ''}.", retryable=retryable, **facts
    )


class _Filtered(ModelError, ContentFilterError):
    """A prompt that a provider's filter removed arrives as a status; it is a content filter all the same."""

    code = "content_filter"


def _is_filtered(error: Exception, text: str) -> bool:
    code = getattr(error, "code", None)
    return code == "content_filter" or "'content_filter'" in text or '"content_filter"' in text


def _text(error: Exception) -> str:
    """All that the provider said: some clients keep only part of it in the message, the rest in the body."""
    body = getattr(error, "body", None)
    return f"{error} {body!r}" if body is not None else str(error)


def _said(error: Exception) -> str:
    body = getattr(error, "body", None)
    message = _message_in(body)
    said = message or getattr(error, "message", None) or str(error)
    return str(said).strip().rstrip(".")[:500]


def _message_in(body: Any) -> str | None:
    if isinstance(body, list) and body:
        return _message_in(body[0])
    if isinstance(body, Mapping):
        for key in ("message", "detail", "error"):
            value = body.get(key)
            if isinstance(value, str):
                return value
            if isinstance(value, (Mapping, list)):
                return _message_in(value) or json.dumps(value, default=str)
    return None


def _root(error: BaseException) -> BaseException:
    while error.__cause__ is not None:
        error = error.__cause__
    return error


def _header(error: Exception, name: str) -> str | None:
    headers = getattr(getattr(error, "response", None), "headers", None)
    value = headers.get(name) if isinstance(headers, Mapping) else None
    return value if isinstance(value, str) else None


def _retry_after(error: Exception) -> float | None:
    """Seconds that the provider asks to wait; None for nothing, zero, the past, or what cannot be read."""
    milliseconds = _number(_header(error, "retry-after-ms"))
    if milliseconds is not None and milliseconds > 0:
        return milliseconds / 1000
    header = _header(error, "retry-after")
    seconds = _number(header)
    if seconds is None and header:
        try:
            moment = email.utils.parsedate_to_datetime(header)
        except ValueError:
            return None
        seconds = moment.timestamp() - time.time()
    return seconds if seconds is not None and seconds > 0 else None


def _number(text: str | None) -> float | None:
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _integer(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _string(value: Any) -> str | None:
    return value if isinstance(value, str) else None
