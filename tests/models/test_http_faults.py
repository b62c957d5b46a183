"""What goes wrong over HTTP, through every kind of client: what is sent again, what is not, and what the error says."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from email.utils import formatdate
from typing import Any

import pytest

import judgekit
from judgekit.errors import (
    ContentFilterError,
    DeadlineError,
    JudgeError,
    ModelError,
    ParseError,
    RateLimitError,
)
from tests.support.answers import HangUp, Reply, never, trickle
from tests.support.bodies import anthropic_error_body, chat_body, error_body, message_body
from tests.support.faults import anthropic_error, html_page, openai_error, overloaded, rate_limited
from tests.support.provider import Provider
from tests.support.provider_errors import PROVIDER_ERRORS

GOOD = '{"reasoning": "Because.", "score": true}'


@dataclass(frozen=True)
class Asker:
    """One kind of client: `connect` makes its model, `anthropic` says whose protocol it speaks."""

    connect: Callable[..., judgekit.Model]
    anthropic: bool = False
    asynchronous: bool = False

    def model(self, **settings: Any) -> judgekit.Model:
        model = self.connect(**settings)
        return replace(model, patience=replace(model.patience, jitter=lambda: 0.0))

    def ask(self, **settings: Any) -> Any:
        """Judge once; retries do not wait unless the provider says so."""
        factory = judgekit.create_async_llm_as_judge if self.asynchronous else judgekit.create_llm_as_judge
        judge = factory(prompt="Grade this: {outputs}", judge=self.model(**settings))
        return asyncio.run(judge(outputs="x")) if self.asynchronous else judge(outputs="x")

    def fails(self, **settings: Any) -> JudgeError:
        with pytest.raises(JudgeError) as caught:
            self.ask(**settings)
        return caught.value

    def error(self, status: int, message: str = "Something.") -> Reply:
        return anthropic_error(status, message) if self.anthropic else openai_error(status, message)

    def body(self, text: str) -> dict[str, Any]:
        return message_body(text) if self.anthropic else chat_body(text)


KINDS = (
    "made-openai", "made-openai-async", "made-anthropic", "made-anthropic-async",
    "openai_client", "async_openai_client", "anthropic_client", "async_anthropic_client",
)  # fmt: skip


@pytest.fixture(params=KINDS)
def asker(request: pytest.FixtureRequest, provider: Provider) -> Asker:
    kind: str = request.param
    is_anthropic, is_async = "anthropic" in kind, "async" in kind

    def made(**settings: Any) -> judgekit.Model:
        url = provider.url if is_anthropic else f"{provider.url}/v1"
        name = "anthropic:judge" if is_anthropic else "openai:judge"
        return judgekit.connect(name, base_url=url, api_key="loopback-key", **settings)

    def given(**settings: Any) -> judgekit.Model:
        return judgekit.connect(request.getfixturevalue(kind), "judge", **settings)

    return Asker(made if kind.startswith("made") else given, is_anthropic, is_async)


two_kinds = pytest.mark.parametrize("asker", ["made-openai", "async_anthropic_client"], indirect=True)
"""Where the same table is read for all: one kind of each protocol, of each owner, and of each driver."""


def test_a_good_answer_is_one_request(asker: Asker, provider: Provider) -> None:
    result = asker.ask()
    assert (result["score"], result["comment"]) == (True, "Because.")
    assert provider.count == 1
    assert result["metadata"]["attempts"] == 1
    assert result["metadata"]["request_id"] == "req_1"


@two_kinds
@pytest.mark.parametrize("status", [408, 409, 429, 500, 503, 529])
def test_a_passing_failure_is_sent_again(asker: Asker, provider: Provider, status: int) -> None:
    provider.reply(asker.error(status), GOOD)
    result = asker.ask()
    assert result["score"] is True
    assert provider.count == 2
    assert result["metadata"]["attempts"] == 2
    code = "rate_limited" if status in (429, 529) else "provider_error"
    assert result["metadata"]["failed_attempts"] == [code]


def test_a_lasting_failure_ends_after_the_retries(asker: Asker, provider: Provider) -> None:
    provider.reply(asker.error(503, "The server is tired."))
    error = asker.fails(retries=1)
    assert isinstance(error, ModelError)
    assert (error.code, error.status, error.attempts, provider.count) == ("provider_error", 503, 2, 2)
    assert error.request_id == "req_2"
    assert (error.raw, error.usage) == (None, None)
    assert "The server is tired" in error.message


@two_kinds
def test_no_retries_means_one_request(asker: Asker, provider: Provider) -> None:
    provider.reply(asker.error(500))
    assert asker.fails(retries=0).attempts == provider.count == 1


@two_kinds
def test_retry_after_is_waited_for(asker: Asker, provider: Provider) -> None:
    provider.reply(rate_limited(retry_after=0.01), GOOD)
    assert asker.ask()["score"] is True
    assert provider.count == 2


@two_kinds
@pytest.mark.parametrize("wait", [3600, 121, formatdate(4_000_000_000, usegmt=True)])
def test_a_retry_after_that_is_too_long_ends_at_once(
    asker: Asker, provider: Provider, wait: float | str
) -> None:
    provider.reply(rate_limited(retry_after=wait), GOOD)
    error = asker.fails()
    assert isinstance(error, RateLimitError)
    assert "120 s" in error.message
    assert error.retry_after is not None
    assert error.retry_after > 120
    assert (error.status, error.attempts, provider.count) == (429, 1, 1)


@two_kinds
@pytest.mark.parametrize("wait", ["0", "-1", "nan", "inf", "soon", formatdate(0, usegmt=True)])
def test_a_retry_after_that_says_nothing_is_not_obeyed(asker: Asker, provider: Provider, wait: str) -> None:
    provider.reply(rate_limited(retry_after=wait), GOOD)
    assert asker.ask()["score"] is True


def test_a_wait_beyond_the_deadline_ends_at_once(asker: Asker, provider: Provider) -> None:
    provider.reply(rate_limited(retry_after=60), GOOD)
    error = asker.fails(deadline=20)
    assert isinstance(error, DeadlineError)
    assert (error.attempts, provider.count) == (1, 1), "what was not sent is no attempt"
    assert (error.status, error.request_id) == (429, "req_1")
    assert "60.0 s" in error.message
    assert "deadline" in error.message
    assert "rate limit" in error.message


@two_kinds
def test_an_empty_account_is_not_asked_again(asker: Asker, provider: Provider) -> None:
    provider.reply(PROVIDER_ERRORS["openai_quota"])
    error = asker.fails()
    assert error.code == "provider_error"
    assert "quota" in error.message
    assert provider.count == 1


@two_kinds
@pytest.mark.parametrize(
    ("status", "told", "count"), [(400, "true", 2), (429, "false", 1), (503, "false", 1)]
)
def test_the_provider_s_word_goes_before_the_status(
    asker: Asker, provider: Provider, status: int, told: str, count: int
) -> None:
    refusal = asker.error(status)
    provider.reply(replace(refusal, headers={"x-should-retry": told}), GOOD)
    if count == 2:
        assert asker.ask()["score"] is True
    else:
        assert asker.fails().attempts == 1
    assert provider.count == count


@two_kinds
@pytest.mark.parametrize(
    ("status", "advice"),
    [
        (400, "Something"),
        (401, "API key"),
        (402, "credit"),
        (403, "key may not"),
        (404, "model's name and the base URL"),
        (413, "shorten"),
        (422, "does not know"),
    ],
)
def test_a_refused_request_is_final_and_the_message_says_what_to_do(
    asker: Asker, provider: Provider, status: int, advice: str
) -> None:
    provider.reply(asker.error(status))
    error = asker.fails()
    assert isinstance(error, ModelError)
    assert (error.status, error.attempts, provider.count) == (status, 1, 1)
    assert advice in error.message


@two_kinds
def test_anthropic_s_overload_is_a_rate_limit(asker: Asker, provider: Provider) -> None:
    provider.reply(overloaded())
    assert asker.fails(retries=1).code == "rate_limited"
    assert provider.count == 2


@two_kinds
def test_a_filtered_prompt_is_a_content_filter(asker: Asker, provider: Provider) -> None:
    provider.reply(PROVIDER_ERRORS["azure_prompt_filter"])
    error = asker.fails()
    assert isinstance(error, ContentFilterError)
    assert (error.code, provider.count) == ("content_filter", 1)


@two_kinds
@pytest.mark.parametrize(
    "nonsense",
    [
        Reply(b'{"choices": [{"mess'),
        html_page(200),
        html_page(502),
        HangUp(),
        Reply((b'{"id": "x", ', HangUp()), headers={"content-length": "4000"}),
        Reply(error_body("Provider returned error", type="upstream", code="502")),
        Reply(anthropic_error_body("Overloaded", type="overloaded_error")),
        Reply({"id": "x", "object": "chat.completion", "choices": []}),
        Reply({"id": "x", "object": "chat.completion", "choices": None}),
    ],
    ids=[
        "broken-json",
        "html-200",
        "html-502",
        "hang-up",
        "cut-body",
        "error-200",
        "overload-200",
        "empty",
        "null",
    ],
)
def test_what_is_no_answer_is_sent_again_and_then_an_error(
    asker: Asker, provider: Provider, nonsense: Reply | HangUp
) -> None:
    provider.reply(nonsense, GOOD)
    assert asker.ask()["score"] is True
    assert provider.count == 2
    provider.reply(nonsense)
    error = asker.fails(retries=1)
    assert isinstance(error, ModelError)
    assert (error.code, error.attempts, provider.count) == ("provider_error", 2, 4)


@two_kinds
@pytest.mark.parametrize(("code", "requests"), [(400, 1), (429, 2), (502, 2)])
def test_an_error_under_status_200_counts_by_its_own_code(
    asker: Asker, provider: Provider, code: int, requests: int
) -> None:
    provider.reply(Reply({"error": {"message": "Upstream said no.", "code": code}}))
    error = asker.fails(retries=1)
    assert isinstance(error, ModelError)
    assert "Upstream said no" in error.message
    assert (error.status, provider.count) == (code, requests)


def test_a_broken_connection_is_not_called_a_timeout(asker: Asker, provider: Provider) -> None:
    provider.reply(HangUp())
    error = asker.fails(retries=0)
    assert "No connection" in error.message


def test_a_server_that_does_not_answer_is_given_up(asker: Asker, provider: Provider) -> None:
    provider.reply(never())
    error = asker.fails(timeout=0.05, retries=1)
    assert isinstance(error, DeadlineError)
    assert (error.attempts, provider.count) == (2, 2)
    assert "`timeout`" in error.message


def test_the_deadline_is_kept_where_each_read_is_in_time(asker: Asker, provider: Provider) -> None:
    provider.reply(trickle(asker.body(GOOD), every=0.02))
    error = asker.fails(timeout=5, deadline=0.15)
    assert isinstance(error, DeadlineError)
    assert (error.attempts, provider.count) == (1, 1)
    assert "`deadline`" in error.message


def test_a_trickling_body_does_not_outlast_the_timeout(asker: Asker, provider: Provider) -> None:
    provider.reply(trickle(asker.body(GOOD), every=0.02))
    assert asker.fails(timeout=0.1, retries=0).code == "deadline"


@pytest.mark.parametrize("asker", [kind for kind in KINDS if kind.startswith("made")], indirect=True)
def test_no_server_is_an_error_that_names_the_cause(asker: Asker) -> None:
    name = "anthropic:judge" if asker.anthropic else "openai:judge"
    nowhere = replace(
        asker, connect=lambda **settings: judgekit.connect(name, base_url="http://127.0.0.1:9", **settings)
    )
    assert "No connection" in nowhere.fails(retries=0).message


def test_tokens_of_unread_answers_and_the_last_text_are_on_the_error(
    asker: Asker, provider: Provider
) -> None:
    provider.reply("It is fine.", asker.error(400, "No more."))
    error = asker.fails(repairs=1)
    assert isinstance(error, ModelError)
    assert error.usage == {"input_tokens": 20, "output_tokens": 10, "cached_tokens": 0, "reasoning_tokens": 0}
    assert (error.raw, error.attempts, error.request_id) == ("It is fine.", 2, "req_2")


def test_an_answer_that_cannot_be_read_is_asked_for_again(asker: Asker, provider: Provider) -> None:
    provider.reply("It is fine.", GOOD)
    result = asker.ask()
    assert result["score"] is True
    assert result["metadata"]["failed_attempts"] == ["no_json"]
    assert result["metadata"]["usage"]["input_tokens"] == 40


@two_kinds
def test_no_repairs_means_that_the_first_answer_counts(asker: Asker, provider: Provider) -> None:
    provider.reply("It is fine.")
    error = asker.fails(repairs=0)
    assert isinstance(error, ParseError)
    assert (error.code, error.raw, error.attempts, provider.count) == ("no_json", "It is fine.", 1, 1)
