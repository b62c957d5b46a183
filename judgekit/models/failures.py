"""Any client's exception as a `ModelError`: what happened, whether to try again, and when.

Clients are recognized by what their exceptions carry (a status, headers, a body), not by their classes, so no
SDK is imported and look-alikes work.
"""

from __future__ import annotations

import email.utils
import json
import math
import time
from collections.abc import Iterator, Mapping
from typing import Any

from judgekit.errors import ContentFilterError, DeadlineError, ModelError, RateLimitError

__all__ = ["failure_of", "failure_under_200"]

_RETRYABLE_STATUSES = frozenset({408, 409, 425, 429})
_CONNECTION_NAMES = frozenset({"APIConnectionError", "ConnectError", "TransportError", "ClientError"})
_TIMEOUT_NAMES = frozenset({"APITimeoutError", "TimeoutException", "Timeout"})
_BROKEN_NAMES = frozenset({"ClientConnectionError", "NetworkError", "ProtocolError", "TransportError"})
_GARBLED_NAMES = frozenset({"APIResponseValidationError", "JSONDecodeError", "DecodingError"})

_ADVICE = {
    401: "check the API key",
    402: "the account has no credit left",
    403: "the key may not use this model or parameter",
    404: "check the model's name and the base URL",
    413: "the request is too large: shorten the judged text",
    422: "the request has a field that the provider does not know",
}


def failure_of(error: Exception, model: str, *, overdue: bool = False) -> ModelError:
    """The failure as a value. The original exception is its `__cause__`, and all its text is in `said`.

    Args:
        error: what the client raised; a `ModelError` is returned as it is.
        model: what the messages call the model.
        overdue: a timeout means that the judgement's deadline has passed, so there is no trying again.
    """
    if isinstance(error, ModelError):
        return error
    found = _classified(error, model, overdue)
    found.__cause__ = error
    return found


def failure_under_200(said: str, *, code: Any = None, text: str = "") -> ModelError:
    """The failure that a successful HTTP answer without a model's answer is.

    Args:
        said: what came instead, for the message.
        code: the error's own code; gateways put the status of the provider behind them there.
        text: all that the provider said.
    """
    status = _integer(int(code) if isinstance(code, str) and code.isdecimal() else code)
    facts: dict[str, Any] = {"status": status, "said": text}
    message = f"The provider answered with {said}."
    if status == 429:
        return RateLimitError(message, retryable=True, **facts)
    fatal = status is not None and 400 <= status < 500 and status not in _RETRYABLE_STATUSES
    return ModelError(message, retryable=not fatal, **facts)


def _classified(
    error: Exception, model: str, overdue: bool
) -> ModelError:  # one branch for each kind of exception
    names = _names(error)
    status = _status(error)
    text = _text(error)
    facts: dict[str, Any] = {
        "status": status,
        "request_id": _string(getattr(error, "request_id", None)),
        "said": text,
    }
    if status is not None:
        return _from_status(status, error, model, facts)
    if isinstance(error, TimeoutError) or (names & _TIMEOUT_NAMES and not _is_broken(error)):
        late = "before the judgement's deadline: raise `deadline`" if overdue else "in time: raise `timeout`"
        return DeadlineError(f"{model} did not answer {late}.", retryable=not overdue, **facts)
    if isinstance(error, OSError) or names & (_CONNECTION_NAMES | _TIMEOUT_NAMES):
        return ModelError(f"No connection to {model}: {_root(error)}.", retryable=True, **facts)
    if names & _GARBLED_NAMES:
        message = f"{model} answered with something that is no JSON: {error}."
        return ModelError(message, retryable=True, **facts)
    if isinstance(error, RuntimeError) and "loop is closed" in str(error):
        message = (
            f"The client of {model} was used in an event loop that is closed: make the client inside the running loop, "
            "or pass model='provider:name' and let judgekit make it."
        )
        return ModelError(message, retryable=True, **facts)
    retryable = getattr(error, "is_retryable", False) is True
    return ModelError(f"{model} failed: {type(error).__name__}: {error}", retryable=retryable, **facts)


def _from_status(status: int, error: Exception, model: str, facts: dict[str, Any]) -> ModelError:
    said, text = _said(error), facts["said"]
    if status in (400, 403) and _is_filtered(error, text):
        return _Filtered(f"{model} refused the prompt: its content filter removed it ({said}).", **facts)
    if status == 429 and ("insufficient_quota" in text or "credit balance" in text):
        message = f"{model}: the account's quota is used up; waiting will not help ({said})."
        return ModelError(message, **facts)
    retryable = _retryable(status, error)
    if retryable:
        facts["retry_after"] = _retry_after(error)
    if status in (429, 529):
        message = f"{model} is over its rate limit: lower the concurrency ({said})."
        return RateLimitError(message, retryable=retryable, **facts)
    advice = f"; {_ADVICE[status]}" if status in _ADVICE else ""
    return ModelError(f"{model} answered {status}: {said}{advice}.", retryable=retryable, **facts)


def _retryable(status: int, error: Exception) -> bool:
    """What the provider says of itself goes before what its status says."""
    told = _header(error, "x-should-retry")
    if told in ("true", "false"):
        return told == "true"
    return status in _RETRYABLE_STATUSES or status >= 500


class _Filtered(ModelError, ContentFilterError):
    """A prompt that a provider's filter removed arrives as a status; it is a content filter all the same."""

    code = "content_filter"


def _is_filtered(error: Exception, text: str) -> bool:
    code = getattr(error, "code", None)
    return code == "content_filter" or "'content_filter'" in text or '"content_filter"' in text


def _status(error: Exception) -> int | None:
    """The status of an HTTP error, under any of the names that clients give it."""
    response = getattr(error, "response", None)
    for owner, name in (
        (error, "status_code"),
        (error, "status"),
        (error, "code"),
        (response, "status_code"),
    ):
        status = _integer(getattr(owner, name, None))
        if status is not None and 400 <= status < 600:
            return status
    return None


def _names(error: BaseException) -> set[str]:
    return {cls.__name__ for cls in type(error).__mro__}


def _chain(error: BaseException) -> Iterator[BaseException]:
    found: BaseException | None = error
    while found is not None:
        yield found
        found = found.__cause__


def _root(error: BaseException) -> BaseException:
    *_, root = _chain(error)
    return root


def _is_broken(error: BaseException) -> bool:
    """Whether a connection broke: one transport reports that as a timeout too, and only the cause tells."""
    return any(
        (isinstance(cause, OSError) or _names(cause) & _BROKEN_NAMES)
        and not (isinstance(cause, TimeoutError) or _names(cause) & _TIMEOUT_NAMES)
        for cause in _chain(error)
    )


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
