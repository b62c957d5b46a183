"""Model strings, `provider:model`, as models. One table of providers; what is not in it is asked of LangChain."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any

from judgekit.errors import ConfigError, MissingDependencyError
from judgekit.models import anthropic, openai
from judgekit.models.base import Model
from judgekit.models.clients import Connection
from judgekit.models.given import langchain_judge
from judgekit.models.official import anthropic_connection, azure_connection, openai_connection
from judgekit.models.settings import Settings

__all__ = ["from_string"]

TIMEOUT = 120.0  # seconds for one request of a client that judgekit makes

_BARE_NAMES = {
    "gpt-": "openai",
    "chatgpt-": "openai",
    "ft:": "openai",
    "o1": "openai",
    "o3": "openai",
    "o4": "openai",
    "claude-": "anthropic",
}


def from_string(spec: str, settings: Settings) -> Model:
    """The model that a string names.

    Raises:
        ConfigError: it names none, an unknown provider, or one whose key is missing.
        MissingDependencyError: the provider's package is not installed.
    """
    if settings.model is not None:
        raise ConfigError(f"Two models were given, {spec!r} and {settings.model!r}: leave one out.")
    provider, colon, name = spec.partition(":")
    if not colon or not (provider in _PROVIDERS or provider in _LANGCHAIN_PACKAGES):
        if settings.base_url is not None:
            return _PROVIDERS["openai"].made(spec, settings)
        for prefix, known in _BARE_NAMES.items():
            if spec.startswith(prefix):
                return _PROVIDERS[known].made(spec, settings)
    if not colon:
        raise ConfigError(
            f"{spec!r} does not say whose model it is: write 'provider:model', e.g. 'openai:{spec}', or add base_url=... "
            "for an OpenAI-shaped server."
        )
    if not name:
        raise ConfigError(f"{spec!r} names no model: write it as 'provider:model'.")
    found = _PROVIDERS.get(provider)
    if found is None:
        return _of_langchain(spec, provider, settings)
    return found.made(name, settings)


def _openai(name: str, settings: Settings) -> Model:
    connection = openai_connection(settings.base_url, settings.api_key)
    return _openai_shaped(f"openai:{name}", openai.Encoder(name), connection, settings)


def _azure(name: str, settings: Settings) -> Model:
    connection = azure_connection(settings.base_url, settings.api_key)
    return _openai_shaped(f"azure:{name}", openai.Encoder(name), connection, settings)


def _openai_shaped(name: str, encoder: openai.Encoder, connection: Connection, settings: Settings) -> Model:
    return Model(
        name,
        encoder,
        openai.decode,
        connection.call,
        connection.acall,
        timeout=TIMEOUT,
        recover=openai.recover,
        capabilities=connection.capabilities(name, settings.ladder(openai.LADDER)),
        client=connection,
        enforces=True,
    )


def _anthropic(name: str, settings: Settings) -> Model:
    connection = anthropic_connection(settings.base_url, settings.api_key)
    return Model(
        f"anthropic:{name}",
        anthropic.Encoder(name),
        anthropic.decode,
        connection.call,
        connection.acall,
        timeout=TIMEOUT,
        capabilities=connection.capabilities(f"anthropic:{name}", settings.ladder(anthropic.LADDER)),
        client=connection,
        enforces=True,
    )


def _server(provider: str, variable: str, default: str) -> Callable[[str, Settings], Model]:
    """An OpenAI-shaped server of one's own: where it listens comes from the call, the environment or habit."""

    def build(name: str, settings: Settings) -> Model:
        url = settings.base_url or os.environ.get(variable) or default
        url = (url if "://" in url else f"http://{url}").rstrip("/")
        connection = openai_connection(url if url.endswith("/v1") else f"{url}/v1", settings.api_key)
        return _openai_shaped(f"{provider}:{name}", openai.Encoder(name, "max_tokens"), connection, settings)

    return build


def _local(name: str, settings: Settings) -> Model:
    from judgekit.models.local_model import local_model

    return local_model(name, readout=settings.readout)


def _embedded(name: str, _: Settings) -> Model:
    from judgekit.models.embedded import matcher

    if name != "match":
        raise ConfigError(f"'embedded:{name}' is unknown: there is 'embedded:match', the reference matcher.")
    return matcher()


def _recorded(name: str, _: Settings) -> Model:
    from judgekit.models.recorded import recorded

    return recorded(name)


@dataclass(frozen=True)
class _Provider:
    """How a provider's models are made, and the settings that they take."""

    build: Callable[[str, Settings], Model]
    takes: tuple[str, ...] = ("base_url", "api_key", "structured_output_kwargs")

    def made(self, name: str, settings: Settings) -> Model:
        return self.build(name, settings.only(*self.takes, by=f"{name!r}, a model of this kind"))


_PROVIDERS: Mapping[str, _Provider] = {
    "openai": _Provider(_openai),
    "azure": _Provider(_azure),
    "azure_openai": _Provider(_azure),  # LangChain's name for it
    "anthropic": _Provider(_anthropic),
    "ollama": _Provider(_server("ollama", "OLLAMA_HOST", "http://localhost:11434")),
    "vllm": _Provider(_server("vllm", "VLLM_BASE_URL", "http://localhost:8000")),
    "local": _Provider(_local, ("readout",)),
    "embedded": _Provider(_embedded, ()),
    "recorded": _Provider(_recorded, ()),
}

_LANGCHAIN_PACKAGES = {
    "anthropic_bedrock": "langchain-aws",
    "azure_ai": "langchain-azure-ai",
    "baseten": "langchain-baseten",
    "bedrock": "langchain-aws",
    "bedrock_converse": "langchain-aws",
    "cohere": "langchain-cohere",
    "deepseek": "langchain-deepseek",
    "fireworks": "langchain-fireworks",
    "google_anthropic_vertex": "langchain-google-vertexai",
    "google_genai": "langchain-google-genai",
    "google_vertexai": "langchain-google-vertexai",
    "groq": "langchain-groq",
    "huggingface": "langchain-huggingface",
    "ibm": "langchain-ibm",
    "litellm": "langchain-litellm",
    "mistralai": "langchain-mistralai",
    "nvidia": "langchain-nvidia-ai-endpoints",
    "openrouter": "langchain-openrouter",
    "perplexity": "langchain-perplexity",
    "together": "langchain-together",
    "upstage": "langchain-upstage",
    "xai": "langchain-xai",
}
"""Providers that judgekit leaves to LangChain, and the package that each one needs there."""


def _of_langchain(spec: str, provider: str, settings: Settings) -> Model:
    try:
        from langchain.chat_models import init_chat_model
    except ImportError as error:
        raise _unknown(spec, provider) from error
    given = {"base_url": settings.base_url, "api_key": settings.api_key}
    options: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    try:
        chat: Any = init_chat_model(spec, **options)
    except ImportError as error:
        raise MissingDependencyError(f"LangChain cannot make {spec!r}: {error}") from error
    except Exception as error:  # what it raises for a wrong name or a missing key is its integration's own
        raise ConfigError(f"LangChain cannot make {spec!r}: {error}") from error
    return replace(langchain_judge(chat, replace(settings, base_url=None, api_key=None)), name=spec)


def _unknown(spec: str, provider: str) -> ConfigError:
    if package := _LANGCHAIN_PACKAGES.get(provider):
        return MissingDependencyError(
            f"{spec!r} is made by LangChain, which is not installed: pip install langchain {package}"
        )
    close = get_close_matches(provider, [*_PROVIDERS, *_LANGCHAIN_PACKAGES], n=1)
    hint = f" Did you mean '{close[0]}:...'?" if close else ""
    return MissingDependencyError(
        f"{provider!r} is none of judgekit's providers ({', '.join(_PROVIDERS)}).{hint} For a provider that only LangChain "
        "knows, install LangChain and the provider's package: pip install langchain"
    )
