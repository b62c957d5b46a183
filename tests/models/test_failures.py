"""Exceptions as failures: of clients that are not installed here, known by what they carry."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from judgekit.errors import ContentFilterError, DeadlineError, ModelError, RateLimitError
from judgekit.models.failures import failure_of, failure_under_200


def raised(name: str, *bases: type[BaseException], message: str = "Something.", **facts: Any) -> Exception:
    """An exception of a class of that name, with these attributes."""
    kind = type(name, bases or (Exception,), {})
    error: Exception = kind(message)
    for fact, value in facts.items():
        setattr(error, fact, value)
    return error


def response(status: int | None = None, **headers: str) -> SimpleNamespace:
    return SimpleNamespace(
        status_code=status, headers={name.replace("_", "-"): value for name, value in headers.items()}
    )


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (raised("ApiError", status_code=503), 503),
        (raised("ApiError", status=503), 503),
        (raised("ServiceUnavailable", code=503), 503),
        (raised("HTTPStatusError", response=response(503)), 503),
        (raised("ApiError", status_code=200, response=response(200)), None),
        (raised("ApiError", code="invalid_api_key", status_code=True), None),
    ],
)
def test_a_status_goes_by_several_names(error: Exception, status: int | None) -> None:
    found = failure_of(error, "m")
    assert found.status == status
    assert found.retryable is (status == 503)
    assert found.__cause__ is error


@pytest.mark.parametrize(
    ("error", "kind", "retryable", "says"),
    [
        (TimeoutError(), DeadlineError, True, "`timeout`"),
        (raised("ReadTimeout", type("TimeoutException", (Exception,), {})), DeadlineError, True, "in time"),
        (ConnectionResetError("reset by peer"), ModelError, True, "reset by peer"),
        (
            raised("ServerDisconnectedError", type("ClientError", (Exception,), {})),
            ModelError,
            True,
            "No connection",
        ),
        (
            raised("RemoteProtocolError", type("TransportError", (Exception,), {})),
            ModelError,
            True,
            "No connection",
        ),
        (raised("JSONDecodeError", ValueError), ModelError, True, "no JSON"),
        (RuntimeError("Event loop is closed"), ModelError, True, "inside the running loop"),
        (RuntimeError("Something else"), ModelError, False, "RuntimeError: Something else"),
        (raised("SomeModelError", is_retryable=True), ModelError, True, "SomeModelError"),
        (raised("SomeModelError", is_retryable="maybe"), ModelError, False, "SomeModelError"),
        (ValueError("bad argument"), ModelError, False, "ValueError: bad argument"),
    ],
)
def test_what_an_exception_without_a_status_is(
    error: Exception, kind: type[ModelError], retryable: bool, says: str
) -> None:
    found = failure_of(error, "m")
    assert type(found) is kind
    assert found.retryable is retryable
    assert says in found.message


def test_a_broken_connection_that_is_reported_as_a_timeout() -> None:
    error = raised("APITimeoutError", message="Request timed out.")
    error.__cause__ = raised("ConnectTimeout", type("TimeoutException", (Exception,), {}))
    assert isinstance(failure_of(error, "m"), DeadlineError)
    error.__cause__.__cause__ = raised(
        "ServerDisconnectedError", type("ClientConnectionError", (Exception,), {})
    )
    assert "No connection" in failure_of(error, "m").message


def test_an_overdue_request_is_not_worth_another() -> None:
    found = failure_of(TimeoutError(), "m", overdue=True)
    assert (found.retryable, "`deadline`" in found.message) == (False, True)


def test_a_failure_is_returned_as_it_is() -> None:
    error = ModelError("mine")
    assert failure_of(error, "m") is error


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry_after": "1.5"}, 1.5),
        ({"retry_after_ms": "250", "retry_after": "9"}, 0.25),
        ({"retry_after_ms": "0", "retry_after": "2"}, 2.0),
        ({"retry_after": "Wed, 21 Oct 2015 07:28:00 GMT"}, None),
        ({"retry_after": ""}, None),
        ({}, None),
    ],
)
def test_retry_after_in_all_its_forms(headers: dict[str, str], seconds: float | None) -> None:
    found = failure_of(raised("ApiError", status_code=429, response=response(429, **headers)), "m")
    assert isinstance(found, RateLimitError)
    assert found.retry_after == seconds


def test_headers_may_be_missing_or_odd() -> None:
    for odd in (None, SimpleNamespace(headers=None), SimpleNamespace(headers={"retry-after": 5})):
        assert failure_of(raised("ApiError", status_code=429, response=odd), "m").retry_after is None


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"message": "One."}, "One"),
        ({"error": {"message": "Two."}}, "Two"),
        ({"error": "Three."}, "Three"),
        ([{"error": {"message": "Four."}}], "Four"),
        ({"detail": [{"msg": "Five.", "loc": ["body"]}]}, '"msg": "Five."'),
        ({"other": "Six."}, "From the client"),
        ("<html>", "From the client"),
        (None, "From the client"),
    ],
)
def test_the_provider_s_words_are_found_in_any_body(body: Any, said: str) -> None:
    found = failure_of(raised("ApiError", status_code=400, message="From the client.", body=body), "m")
    assert said in found.message
    if body is not None:
        assert repr(body) in found.said


@pytest.mark.parametrize("code", ["content_filter", None])
def test_a_filtered_prompt(code: str | None) -> None:
    body = {"message": "Filtered.", "innererror": {"code": "content_filter"}}
    found = failure_of(raised("ApiError", status_code=400, body=body, code=code), "m")
    assert isinstance(found, ContentFilterError)
    assert (found.code, found.retryable) == ("content_filter", False)


@pytest.mark.parametrize(
    ("code", "kind", "retryable"),
    [
        (None, ModelError, True),
        ("upstream_error", ModelError, True),
        (500, ModelError, True),
        ("502", ModelError, True),
        (400, ModelError, False),
        ("404", ModelError, False),
        (408, ModelError, True),
        (429, RateLimitError, True),
    ],
)
def test_an_error_under_status_200(code: Any, kind: type[ModelError], retryable: bool) -> None:
    found = failure_under_200("an error", code=code, text="all of it")
    assert type(found) is kind
    assert (found.retryable, found.said) == (retryable, "all of it")
