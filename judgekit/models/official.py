"""The official async clients, as judgekit makes and calls them.

They are asked with a plain post of a ready body: the typed methods walk every message and schema again, which is
40 % of a call's CPU; and they run on aiohttp where it is installed, which costs half of the default transport.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Awaitable, Callable, Mapping
from functools import cache, lru_cache
from typing import Any

from judgekit.errors import ConfigError
from judgekit.models.call import Call
from judgekit.models.clients import Connection

__all__ = ["MARGIN", "anthropic_connection", "azure_connection", "openai_connection"]

_HAS_AIOHTTP = importlib.util.find_spec("aiohttp") is not None
MARGIN = 1.0
"""Seconds that a client's own timeout, which is for each read, is longer than the total that judgekit keeps."""

_MOST = 32  # connections kept open although no model may use them any more

Credential = tuple[str, str]
"""A client's parameter and its value: an API key, or a token of another kind."""


def openai_connection(base_url: str | None = None, api_key: str | None = None) -> Connection:
    """The connection to an OpenAI-shaped server; the same one for the same address and key.

    Raises:
        ConfigError: there is no key, and the address is OpenAI's own.
    """
    url = base_url or os.environ.get("OPENAI_BASE_URL")
    found = _credential(api_key, {"api_key": "OPENAI_API_KEY"}, keyless=url is not None)
    return _openai(url, found, api_key is not None)


def azure_connection(base_url: str | None = None, api_key: str | None = None) -> Connection:
    """The connection to an Azure OpenAI resource; the deployment is the model's name.

    Raises:
        ConfigError: there is no key or no endpoint.
    """
    endpoint = base_url or os.environ.get("AZURE_OPENAI_ENDPOINT")
    if endpoint is None:
        raise ConfigError("Azure needs its endpoint: set AZURE_OPENAI_ENDPOINT, or give base_url=...")
    variables = {"api_key": "AZURE_OPENAI_API_KEY", "azure_ad_token": "AZURE_OPENAI_AD_TOKEN"}
    version = os.environ.get("OPENAI_API_VERSION", "2024-10-21")
    return _azure(endpoint, version, _credential(api_key, variables), api_key is not None)


def anthropic_connection(base_url: str | None = None, api_key: str | None = None) -> Connection:
    """The connection to Anthropic's endpoint; the same one for the same address and key.

    Raises:
        ConfigError: there is no key, and the address is Anthropic's own.
    """
    url = base_url or os.environ.get("ANTHROPIC_BASE_URL")
    variables = {"api_key": "ANTHROPIC_API_KEY", "auth_token": "ANTHROPIC_AUTH_TOKEN"}
    found = _credential(api_key, variables, keyless=url is not None)
    return _anthropic(url, found, api_key is not None)


def _credential(given: str | None, variables: Mapping[str, str], *, keyless: bool = False) -> Credential:
    if given is not None:
        return "api_key", given
    for parameter, variable in variables.items():
        if value := os.environ.get(variable):
            return parameter, value
    if keyless or os.environ.get("JUDGEKIT_KEYLESS"):
        # a server of one's own may want no key, and a replay asks nobody; but the client wants one to send
        return "api_key", "none"
    raise ConfigError(
        f"No API key: set {next(iter(variables.values()))}, or pass api_key=... to judgekit.connect."
    )


def _named(credential: Credential) -> dict[str, Any]:
    return dict([credential])


@lru_cache(_MOST)
def _openai(url: str | None, credential: Credential, given: bool) -> Connection:
    def make() -> Any:
        import openai

        return openai.AsyncOpenAI(
            base_url=url, max_retries=0, http_client=_transport(openai), **_named(credential)
        )

    origin = None if given else (openai_connection, (url,))
    return Connection(make, _post("/chat/completions"), base_url=url, secret=credential[1], origin=origin)


@lru_cache(_MOST)
def _azure(endpoint: str, version: str, credential: Credential, given: bool) -> Connection:
    def make() -> Any:
        import openai

        return openai.AsyncAzureOpenAI(
            azure_endpoint=endpoint,
            api_version=version,
            max_retries=0,
            http_client=_transport(openai),
            **_named(credential),
        )

    origin = None if given else (azure_connection, (endpoint,))
    return Connection(
        make, _post("/chat/completions"), base_url=endpoint, secret=credential[1], origin=origin
    )


@lru_cache(_MOST)
def _anthropic(url: str | None, credential: Credential, given: bool) -> Connection:
    def make() -> Any:
        import anthropic

        return anthropic.AsyncAnthropic(
            base_url=url, max_retries=0, http_client=_transport(anthropic), **_named(credential)
        )

    origin = None if given else (anthropic_connection, (url,))
    return Connection(make, _post("/v1/messages"), base_url=url, secret=credential[1], origin=origin)


def _post(path: str) -> Callable[[Any, Call], Awaitable[Any]]:
    """A function that posts a call's payload; what the SDKs' methods take beside the body goes where they put it."""

    async def send(client: Any, call: Call) -> Any:
        import httpx2

        body = dict(call.payload)
        options: dict[str, Any] = {} if call.timeout is None else {"timeout": call.timeout + MARGIN}
        for parameter, option in _BESIDE_THE_BODY.items():
            if parameter in body:
                options[option] = body.pop(parameter)
        if "extra_body" in body:
            body.update(body.pop("extra_body"))
        return await client.post(path, cast_to=httpx2.Response, body=body, options=options)

    return send


_BESIDE_THE_BODY = {"extra_headers": "headers", "extra_query": "params"}


def _transport(sdk: Any) -> Any:
    client = sdk.DefaultAioHttpClient if _HAS_AIOHTTP else sdk.DefaultAsyncHttpxClient
    return client(verify=_certificates())


@cache
def _certificates() -> Any:
    """What the clients would load themselves, loaded once: it takes longer than a hundred calls."""
    import httpx2

    return httpx2.create_ssl_context()
