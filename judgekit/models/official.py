"""The official async clients, as judgekit makes and calls them.

They are asked with a plain post of a ready body: the typed methods walk every message and schema again, which is
40 % of a call's CPU; and they run on aiohttp where it is installed, which costs half of the default transport.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable
from typing import Any
from weakref import WeakValueDictionary

from judgekit.errors import ConfigError
from judgekit.models.base import Call
from judgekit.models.clients import Connection

__all__ = ["anthropic_connection", "azure_connection", "openai_connection"]

_CONNECTIONS: WeakValueDictionary[tuple[str | None, ...], Connection] = WeakValueDictionary()
_HAS_AIOHTTP = importlib.util.find_spec("aiohttp") is not None


def openai_connection(base_url: str | None, api_key: str | None) -> Connection:
    """The connection to an OpenAI-shaped server; the same one for the same address and key."""

    def make() -> Any:
        import openai

        return _made(
            lambda: openai.AsyncOpenAI(
                base_url=base_url, api_key=api_key, max_retries=0, http_client=_transport(openai)
            ),
            "OPENAI_API_KEY",
            openai.OpenAIError,
        )

    return _shared(("openai", base_url, api_key, *_environment("OPENAI")), make, _post("/chat/completions"))


def azure_connection(base_url: str | None, api_key: str | None) -> Connection:
    """The connection to an Azure OpenAI resource; the deployment is the model's name."""
    endpoint = base_url or os.environ.get("AZURE_OPENAI_ENDPOINT")
    version = os.environ.get("OPENAI_API_VERSION", "2024-10-21")

    def make() -> Any:
        import openai

        if endpoint is None:
            raise ConfigError("Azure needs its endpoint: set AZURE_OPENAI_ENDPOINT, or give base_url=...")
        return _made(
            lambda: openai.AsyncAzureOpenAI(
                azure_endpoint=endpoint,
                api_key=api_key,
                api_version=version,
                max_retries=0,
                http_client=_transport(openai),
            ),
            "AZURE_OPENAI_API_KEY",
            openai.OpenAIError,
        )

    return _shared(
        ("azure", endpoint, api_key, version, *_environment("AZURE_OPENAI")), make, _post("/chat/completions")
    )


def anthropic_connection(base_url: str | None, api_key: str | None) -> Connection:
    """The connection to Anthropic's endpoint; the same one for the same address and key."""

    def make() -> Any:
        import anthropic

        if not (api_key or os.environ.get("ANTHROPIC_API_KEY") or os.environ.get("ANTHROPIC_AUTH_TOKEN")):
            raise ConfigError(_no_key("ANTHROPIC_API_KEY"))
        return anthropic.AsyncAnthropic(
            base_url=base_url, api_key=api_key, max_retries=0, http_client=_transport(anthropic)
        )

    return _shared(("anthropic", base_url, api_key, *_environment("ANTHROPIC")), make, _post("/v1/messages"))


def _environment(prefix: str) -> tuple[str | None, str | None]:
    """The variables that decide whom a client talks to, so that a change of them makes another client."""
    return os.environ.get(f"{prefix}_BASE_URL"), os.environ.get(f"{prefix}_API_KEY")


def _shared(
    key: tuple[str | None, ...], make: Callable[[], Any], send: Callable[[Any, Call], Any]
) -> Connection:
    found = _CONNECTIONS.get(key)
    if found is None:
        _CONNECTIONS[key] = found = Connection(make, send)
    return found


def _post(path: str) -> Callable[[Any, Call], Any]:
    async def send(client: Any, call: Call) -> Any:
        import httpx2

        body = {**call.payload, **(call.payload.get("extra_body") or {})}
        body.pop("extra_body", None)
        options = {} if call.timeout is None else {"timeout": call.timeout}
        return await client.post(path, cast_to=httpx2.Response, body=body, options=options)

    return send


def _transport(sdk: Any) -> Any:
    return sdk.DefaultAioHttpClient() if _HAS_AIOHTTP else None


def _made(make: Callable[[], Any], variable: str, error_type: type[Exception]) -> Any:
    try:
        return make()
    except error_type as error:
        raise ConfigError(f"{_no_key(variable)} ({error})") from error


def _no_key(variable: str) -> str:
    return f"No API key: set {variable}, or pass api_key=... to judgekit.connect."
