"""Fixtures of all tests: the loopback provider, real clients bound to it, and no way out of this machine.

The clients skip loading certificates (`verify=False`): there is no TLS on the loopback, and it costs more than a test.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from tests.support.network import forget_settings, refuse_outside

pytest_plugins = ["pytester"]

# A busy machine is slow, which is no fault of the code; and a build that fails shall fail again.
settings.register_profile(
    "house", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize="CI" in os.environ
)
settings.load_profile("house")

if TYPE_CHECKING:
    from anthropic import Anthropic, AsyncAnthropic
    from httpx2 import Limits
    from openai import AsyncOpenAI, OpenAI

    from tests.support.provider import Provider


@pytest.fixture(autouse=True)
def outside(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Hosts beyond the loopback that the test tried to reach: it fails when there are any at its end."""
    forget_settings(monkeypatch)
    attempts = refuse_outside(monkeypatch)
    yield attempts
    assert not attempts, f"the test tried to reach {attempts}"


@pytest.fixture(scope="session")
def running_provider() -> Iterator[Provider]:
    from tests.support.provider import Provider

    with Provider() as provider:
        yield provider


@pytest.fixture
def provider(running_provider: Provider) -> Iterator[Provider]:
    """The loopback provider, with nothing queued and nothing recorded."""
    running_provider.reset()
    yield running_provider
    errors = running_provider.errors
    running_provider.reset()  # nothing may go on waiting for a gate that the test left shut
    if errors:
        raise ExceptionGroup("scripted answers raised", errors)


@pytest.fixture
def openai_client(provider: Provider) -> Iterator[OpenAI]:
    import openai

    http_client = openai.DefaultHttpxClient(verify=False)
    with openai.OpenAI(http_client=http_client, **provider.openai_options) as client:
        yield client


@pytest.fixture
def anthropic_client(provider: Provider) -> Iterator[Anthropic]:
    import anthropic

    http_client = anthropic.DefaultHttpxClient(verify=False)
    with anthropic.Anthropic(http_client=http_client, **provider.anthropic_options) as client:
        yield client


@pytest.fixture
def async_openai_client(provider: Provider) -> Iterator[AsyncOpenAI]:
    """A client for any number of `asyncio.run`: it keeps no connection that would outlive its event loop."""
    import openai

    http_client = openai.DefaultAsyncHttpxClient(verify=False, limits=no_keepalive())
    client = openai.AsyncOpenAI(http_client=http_client, **provider.openai_options)
    yield client
    asyncio.run(client.close())


@pytest.fixture
def async_anthropic_client(provider: Provider) -> Iterator[AsyncAnthropic]:
    """As `async_openai_client`."""
    import anthropic

    http_client = anthropic.DefaultAsyncHttpxClient(verify=False, limits=no_keepalive())
    client = anthropic.AsyncAnthropic(http_client=http_client, **provider.anthropic_options)
    yield client
    asyncio.run(client.close())


def no_keepalive() -> Limits:
    from httpx2 import Limits

    return Limits(max_keepalive_connections=0)
