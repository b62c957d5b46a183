"""What goes wrong with a provider, seen through the real clients."""

from __future__ import annotations

import json
import time
from concurrent.futures import ThreadPoolExecutor

import anthropic
import openai
import pytest

from tests.support.answers import Gate, HangUp, Reply, never, trickle
from tests.support.bodies import chat_body
from tests.support.faults import anthropic_error, html_page, openai_error, overloaded, rate_limited
from tests.support.provider import Provider
from tests.support.provider_errors import PROVIDER_ERRORS
from tests.support.questions import ask, ask_claude, content

SILENCE = 0.2  # seconds that a client waits for a provider that does not answer


def test_a_rate_limit_is_retried_by_the_client(provider: Provider, openai_client: openai.OpenAI) -> None:
    provider.reply(rate_limited(retry_after=0.01), "1")
    assert content(ask(openai_client.with_options(max_retries=2))) == 1
    assert provider.count == 2
    provider.reply(rate_limited(retry_after=30))
    with pytest.raises(openai.RateLimitError) as caught:
        ask(openai_client)
    assert caught.value.response.headers["retry-after"] == "30"
    assert "retry-after" not in rate_limited().headers


def test_errors_have_the_shape_that_the_clients_read(
    provider: Provider, openai_client: openai.OpenAI, anthropic_client: anthropic.Anthropic
) -> None:
    provider.reply(openai_error(400, "No.", code="unsupported_value", param="temperature"))
    with pytest.raises(openai.BadRequestError, match=r"No\.") as refused:
        ask(openai_client)
    assert (refused.value.code, refused.value.param) == ("unsupported_value", "temperature")
    assert (refused.value.type, refused.value.request_id) == ("invalid_request_error", "req_1")
    provider.reply(openai_error(500, "Oops."))
    with pytest.raises(openai.InternalServerError):
        ask(openai_client)
    provider.reply(anthropic_error(404, "No such model.", "not_found_error"), overloaded())
    with pytest.raises(anthropic.NotFoundError) as unknown:
        ask_claude(anthropic_client)
    assert (unknown.value.type, unknown.value.request_id) == ("not_found_error", "req_3")
    with pytest.raises(anthropic.APIStatusError, match="Overloaded") as busy:
        ask_claude(anthropic_client)
    assert busy.value.status_code == 529


QUOTED = {
    "openai_max_tokens": "Use 'max_completion_tokens' instead",
    "azure_prompt_filter": "ResponsibleAIPolicyViolation",
    "gemini_unknown_name": "additionalProperties",
    "lm_studio_json_object": "must be 'json_schema' or 'text'",
    "mistral_extra_field": "extra_forbidden",
    "vllm_grammar": "not supported by xgrammar",
    "anthropic_bounds": "maximum, minimum are not supported",
}


ANTHROPIC = {name for name in PROVIDER_ERRORS if name.startswith("anthropic")}
OK = {name for name, error in PROVIDER_ERRORS.items() if error.status == 200}


@pytest.mark.parametrize("name", sorted(PROVIDER_ERRORS.keys() - ANTHROPIC - OK))
def test_what_servers_of_openais_protocol_say(
    provider: Provider, openai_client: openai.OpenAI, name: str
) -> None:
    provider.reply(PROVIDER_ERRORS[name])
    with pytest.raises(openai.APIStatusError) as caught:
        ask(openai_client)
    assert caught.value.status_code == PROVIDER_ERRORS[name].status
    assert QUOTED.get(name, "") in f"{caught.value} {caught.value.body!r}"


@pytest.mark.parametrize("name", sorted(ANTHROPIC))
def test_what_anthropic_says(provider: Provider, anthropic_client: anthropic.Anthropic, name: str) -> None:
    provider.reply(PROVIDER_ERRORS[name])
    with pytest.raises(anthropic.BadRequestError, match=QUOTED.get(name, ".")):
        ask_claude(anthropic_client)


@pytest.mark.parametrize("name", sorted(OK))
def test_an_error_with_status_200_is_a_completion_without_choices(
    provider: Provider, openai_client: openai.OpenAI, name: str
) -> None:
    provider.reply(PROVIDER_ERRORS[name])
    assert ask(openai_client).choices is None


def test_bodies_that_are_no_json(provider: Provider, openai_client: openai.OpenAI) -> None:
    provider.reply(Reply('{"id": '), html_page(200), html_page(503))
    with pytest.raises(json.JSONDecodeError):
        ask(openai_client)
    assert ask(openai_client).startswith("<!doctype html>")
    with pytest.raises(openai.InternalServerError):
        ask(openai_client)


@pytest.mark.parametrize("answer", [HangUp(), HangUp(after=0.01), Reply((b'{"id":', HangUp()))])
def test_a_connection_is_closed_early(
    provider: Provider, openai_client: openai.OpenAI, answer: Reply | HangUp
) -> None:
    provider.reply(answer, "1")
    with pytest.raises(openai.APIConnectionError) as caught:
        ask(openai_client)
    assert not isinstance(caught.value, openai.APITimeoutError)
    assert content(ask(openai_client)) == 1
    assert provider.connections == 2


def test_a_provider_that_hangs(provider: Provider, openai_client: openai.OpenAI) -> None:
    gate = Gate()
    provider.reply(Reply(chat_body("1"), after=gate))
    with pytest.raises(openai.APITimeoutError):
        ask(openai_client, timeout=SILENCE)
    gate.open()
    gate.open()
    assert content(ask(openai_client)) == 1


def test_a_request_that_its_client_left_is_no_longer_in_flight(
    provider: Provider, openai_client: openai.OpenAI
) -> None:
    provider.reply(never(), never(), never(), "1")
    for _ in range(3):
        with pytest.raises(openai.APITimeoutError):
            ask(openai_client, timeout=SILENCE)
    assert content(ask(openai_client)) == 1
    assert provider.count == 4
    assert (
        provider.peak <= 2
    )  # the server may hear of the new request before it hears that the last one is gone


def test_reset_ends_what_hangs(provider: Provider, openai_client: openai.OpenAI) -> None:
    provider.reply(never())
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(ask, openai_client)
        provider.wait_for(1)
        provider.reset()
        with pytest.raises(openai.InternalServerError):
            asked.result()


def test_a_body_in_pieces(provider: Provider, openai_client: openai.OpenAI) -> None:
    first, second = json.dumps(chat_body("1")).encode().split(b"content", 1)
    gate = Gate()
    provider.reply(Reply((first, gate, b"content", second)))
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(ask, openai_client)
        provider.wait_for(1)
        assert not asked.done()
        gate.open()
        assert content(asked.result()) == 1


def test_a_trickling_body_takes_longer_than_the_timeout(
    provider: Provider, openai_client: openai.OpenAI
) -> None:
    body, timeout = chat_body("1"), 0.5
    size = len(json.dumps(body)) // 12 + 1
    provider.reply(trickle(body, every=timeout / 10, size=size))
    started = time.perf_counter()
    assert content(ask(openai_client, timeout=timeout)) == 1
    assert time.perf_counter() - started > timeout
