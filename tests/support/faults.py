"""Replies that are no answer: provider errors, rate limits, and pages of a proxy in between."""

from __future__ import annotations

from typing import Any

from tests.support.answers import Reply
from tests.support.bodies import anthropic_error_body, error_body

__all__ = ["anthropic_error", "html_page", "openai_error", "overloaded", "rate_limited"]


def openai_error(
    status: int,
    message: str,
    type: str = "invalid_request_error",  # noqa: A002  # the field's name
    code: str | None = None,
    param: str | None = None,
    **more: Any,
) -> Reply:
    """An HTTP error with OpenAI's body; `more` adds fields to its `error`."""
    return Reply(error_body(message, type=type, code=code, param=param, **more), status)


def anthropic_error(status: int, message: str, type: str = "invalid_request_error") -> Reply:  # noqa: A002  # the field's name
    """An HTTP error with Anthropic's body."""
    return Reply(anthropic_error_body(message, type=type), status)


def rate_limited(retry_after: float | str | None = None) -> Reply:
    """A 429; `retry_after` is seconds or an HTTP date, sent as `Retry-After` unless it is None."""
    headers = {} if retry_after is None else {"retry-after": str(retry_after)}
    body = error_body("Rate limit reached for requests.", type="requests", code="rate_limit_exceeded")
    return Reply(body, 429, headers)


def overloaded() -> Reply:
    """Anthropic's 529."""
    return anthropic_error(529, "Overloaded", "overloaded_error")


def html_page(status: int = 502) -> Reply:
    """What a gateway answers for a provider that it cannot reach; some do so with status 200."""
    page = "<!doctype html><html><body><h1>Bad gateway</h1></body></html>"
    return Reply(page, status, {"content-type": "text/html; charset=utf-8"})
