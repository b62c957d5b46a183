"""`connect`: whatever can judge, as a `Model`. One table of providers, one order of recognition."""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from judgekit.errors import ConfigError, MissingDependencyError, WrongClientError
from judgekit.models import anthropic, langchain, openai
from judgekit.models.base import Call, Model
from judgekit.models.capabilities import Capabilities
from judgekit.models.official import anthropic_connection, azure_connection, openai_connection

__all__ = ["connect", "require_model"]

_BARE_NAMES = {
    "gpt-": "openai",
    "chatgpt-": "openai",
    "o1": "openai",
    "o3": "openai",
    "o4": "openai",
    "claude-": "anthropic",
}

HOW_TO_CONNECT = (
    "Connect one: model='openai:gpt-5.4-mini' (set OPENAI_API_KEY), model='anthropic:claude-sonnet-5-5' (set "
    "ANTHROPIC_API_KEY), model='ollama:llama3.2', model='local:/path/to/model.gguf', or judge=<a client or chat model>."
)


@dataclass(frozen=True)
class Settings:
    """What `connect` was told beside the judge itself."""

    model: str | None = None
    base_url: str | None = None
    api_key: str | None = None
    readout: str | None = None
    structured_output_kwargs: Mapping[str, Any] | None = None
    timeout: float | None = None


def connect(
    judge: Any = None,
    /,
    model: str | None = None,
    *,
    base_url: str | None = None,
    api_key: str | None = None,
    timeout: float | None = None,
    deadline: float | None = None,
    retries: int | None = None,
    repairs: int | None = None,
    cache: Any = None,
    readout: str | None = None,
    structured_output_kwargs: Mapping[str, Any] | None = None,
    **params: Any,
) -> Model:
    """Connect a model to judge with.

    Args:
        judge: `"provider:model"`; an OpenAI-shaped client (`.chat.completions.create`, sync or async), an Anthropic
            client (`.messages.create`), a LangChain chat model or a runnable around one; or a `Model`, to change it.
        model: the model's name, needed with a client; or the whole string, instead of `judge`.
        base_url: where an OpenAI-shaped server listens, e.g. `"http://localhost:8000/v1"`.
        api_key: the key, instead of the provider's environment variable. It is never shown or stored.
        timeout: seconds for one request. Clients that judgekit makes have 120 by default.
        deadline: seconds for one judgement, all retries and repairs together. None is no limit.
        retries: how often a failed request is sent again, 2 by default. It replaces the retries of the official
            clients, which are not used.
        repairs: how often an answer that cannot be read goes back to the model, 2 by default.
        cache: where answers are remembered: a path (an SQLite file) or a mutable mapping. The same request is then
            sent once.
        readout: `"logprobs"` takes the verdict of a local model from the probabilities of the allowed values.
        structured_output_kwargs: passed on to a LangChain model's `with_structured_output`.
        **params: sent with every request: `temperature`, `seed`, `max_tokens` (the output budget), `top_p`, ...

    Returns:
        A frozen `Model`, accepted wherever `judge` is.

    Raises:
        ConfigError: no model, an unknown provider, or a client without a model name.
        WrongClientError: `judge` is nothing that can judge.
        MissingDependencyError: the provider's package is not installed.
    """
    limits = {"timeout": timeout, "deadline": deadline, "retries": retries, "repairs": repairs}
    for name, value in limits.items():
        if value is not None and not value >= 0:
            raise ConfigError(f"{name} is {value!r}: give a number that is not negative.")
    settings = Settings(model, base_url, api_key, readout, structured_output_kwargs, timeout)
    found = _found(judge, settings)
    changes: dict[str, Any] = {"params": {**found.params, **params}}
    if timeout is not None:
        changes["timeout"] = timeout
    if deadline is not None:
        changes["deadline"] = deadline
    if cache is not None:
        changes["cache"] = _cache(cache)
    changes["patience"] = replace(
        found.patience,
        retries=found.patience.retries if retries is None else retries,
        repairs=found.patience.repairs if repairs is None else repairs,
    )
    return replace(found, **changes)


def require_model(judge: Any, model: str | None, kwargs: Mapping[str, Any] | None = None) -> Model:
    """The factories' way in: at least one of `judge` and `model`.

    Raises:
        ConfigError: neither was given.
    """
    if judge is None and model is None:
        raise ConfigError(f"A judge needs a model: neither `judge` nor `model` was given. {HOW_TO_CONNECT}")
    return connect(judge, model, structured_output_kwargs=kwargs)


def _found(judge: Any, settings: Settings) -> Model:
    if judge is None:
        if settings.model is None:
            raise ConfigError(f"connect() was given no model. {HOW_TO_CONNECT}")
        judge, settings = settings.model, replace(settings, model=None)
    if isinstance(judge, Model):
        return judge
    if isinstance(judge, str):
        return _from_string(judge, settings)
    for recognizes, build in _KINDS:
        if recognizes(judge):
            return build(judge, settings)
    raise WrongClientError(
        f"{type(judge).__name__} cannot judge: pass an OpenAI-shaped client (with .chat.completions.create), an "
        "Anthropic client (with .messages.create), a LangChain chat model or runnable, a judgekit Model, or a model "
        "string such as 'openai:gpt-5.4-mini'."
    )


# --- clients that the user passes -------------------------------------------------------------------------


def _has(*path: str) -> Callable[[Any], bool]:
    def recognizes(judge: Any) -> bool:
        for name in path:
            judge = getattr(judge, name, None)
        return callable(judge)

    return recognizes


def _is_langchain(judge: Any) -> bool:
    """By class where LangChain is loaded, so that a double made with `spec=` counts; by methods comes later."""
    runnables = sys.modules.get("langchain_core.runnables")
    return runnables is not None and isinstance(judge, runnables.Runnable)


def _openai_client(client: Any, settings: Settings) -> Model:
    name = _wire_name(client, settings, "openai")
    completions = _without_retries(client).chat.completions
    encode = openai.encoder(name)
    create = completions.create
    call, acall = _calls(create)
    return Model(
        f"openai:{name}", encode, openai.decode, call, acall,
        recover=openai.recover, capabilities=Capabilities(openai.LADDER), client=client,
    )  # fmt: skip


def _anthropic_client(client: Any, settings: Settings) -> Model:
    name = _wire_name(client, settings, "anthropic")
    call, acall = _calls(_without_retries(client).messages.create)
    return Model(
        f"anthropic:{name}", anthropic.encoder(name), anthropic.decode, call, acall,
        capabilities=Capabilities(anthropic.LADDER), client=client,
    )  # fmt: skip


def _langchain_judge(judge: Any, settings: Settings) -> Model:
    chat = langchain.Chat(judge, dict(settings.structured_output_kwargs or {}))
    return Model(
        f"langchain:{settings.model or langchain.model_name(judge)}", langchain.encode, langchain.decode,
        chat.call, chat.acall, timeout=600.0,
        recover=langchain.recover, capabilities=Capabilities(langchain.LADDER), client=judge,
    )  # fmt: skip


_KINDS: tuple[tuple[Callable[[Any], bool], Callable[[Any, Settings], Model]], ...] = (
    (_is_langchain, _langchain_judge),
    (_has("chat", "completions", "create"), _openai_client),
    (_has("messages", "create"), _anthropic_client),
    (langchain.is_runnable, _langchain_judge),
)


def _wire_name(client: Any, settings: Settings, provider: str) -> str:
    if settings.model is None:
        raise ConfigError(
            f"A client ({type(client).__name__}) was given without a model: add model='...', the name to ask it for."
        )
    return settings.model.removeprefix(f"{provider}:")


def _without_retries(client: Any) -> Any:
    """An official client that leaves retrying to judgekit, sharing the user's connections.

    A client whose method was replaced (a tracer's wrapper, a test's patch) is used as it is.
    """
    if not type(client).__module__.startswith(("openai", "anthropic")) or not hasattr(client, "with_options"):
        return client
    chat = getattr(client, "chat", None)
    endpoint = chat.completions if chat is not None else client.messages
    return client if "create" in vars(endpoint) else client.with_options(max_retries=0)


def _calls(create: Callable[..., Any]) -> tuple[Callable[[Call], Any] | None, Callable[[Call], Any] | None]:
    """The sync and the async way to call a client's method; it has one of them.

    The official async clients wrap their methods, and only the unwrapped function tells what it is.
    """

    def call(call: Call) -> Any:
        return create(**_arguments(call))

    is_async = inspect.iscoroutinefunction(inspect.unwrap(create)) or inspect.iscoroutinefunction(
        getattr(create, "__call__", None)  # noqa: B004  # an object whose __call__ is async, as AsyncMock's is not
    )
    return (None, call) if is_async else (call, None)


def _arguments(call: Call) -> dict[str, Any]:
    return dict(call.payload) if call.timeout is None else {**call.payload, "timeout": call.timeout}


# --- model strings ----------------------------------------------------------------------------------------


def _from_string(spec: str, settings: Settings) -> Model:
    provider, colon, name = spec.partition(":")
    if not colon or (settings.base_url and provider not in _PROVIDERS):
        return _bare(spec, settings)
    if not name:
        raise ConfigError(f"{spec!r} names no model: write it as 'provider:model'.")
    build = _PROVIDERS.get(provider)
    return build(name, settings) if build else _init_chat_model(spec, provider, settings)


def _bare(name: str, settings: Settings) -> Model:
    if settings.base_url:
        return _openai_model(name, settings)
    for prefix, provider in _BARE_NAMES.items():
        if name.startswith(prefix):
            return _PROVIDERS[provider](name, settings)
    raise ConfigError(
        f"{name!r} does not say whose model it is: write 'provider:model', e.g. 'openai:{name}', or add base_url=... for "
        "an OpenAI-shaped server."
    )


def _openai_model(
    name: str, settings: Settings, provider: str = "openai", budget: str = "max_completion_tokens"
) -> Model:
    connection = openai_connection(settings.base_url, settings.api_key)
    return Model(
        f"{provider}:{name}", openai.encoder(name, budget_name=budget), openai.decode, connection.call, connection.acall,
        timeout=120.0, capabilities=Capabilities(openai.LADDER), client=connection, enforces=True,
    )  # fmt: skip


def _azure_model(name: str, settings: Settings) -> Model:
    connection = azure_connection(settings.base_url, settings.api_key)
    return Model(
        f"azure:{name}", openai.encoder(name), openai.decode, connection.call, connection.acall,
        timeout=120.0, capabilities=Capabilities(openai.LADDER), client=connection, enforces=True,
    )  # fmt: skip


def _anthropic_model(name: str, settings: Settings) -> Model:
    connection = anthropic_connection(settings.base_url, settings.api_key)
    return Model(
        f"anthropic:{name}", anthropic.encoder(name), anthropic.decode, connection.call, connection.acall,
        timeout=120.0, capabilities=Capabilities(anthropic.LADDER), client=connection, enforces=True,
    )  # fmt: skip


def _server(provider: str, variable: str, default: str) -> Callable[[str, Settings], Model]:
    """An OpenAI-shaped server that wants no key: where it listens comes from the call, the environment or habit."""

    def build(name: str, settings: Settings) -> Model:
        url = settings.base_url or os.environ.get(variable) or default
        url = url if "://" in url else f"http://{url}"
        url = url if url.rstrip("/").endswith("/v1") else url.rstrip("/") + "/v1"
        return _openai_model(
            name, replace(settings, base_url=url, api_key=settings.api_key or "none"), provider, "max_tokens"
        )

    return build


def _local_model(name: str, settings: Settings) -> Model:
    from judgekit.models.local_model import local_model

    return local_model(name, readout=settings.readout)


def _embedded_model(name: str, _: Settings) -> Model:
    from judgekit.models.embedded import matcher

    if name != "match":
        raise ConfigError(f"'embedded:{name}' is unknown: there is 'embedded:match', the reference matcher.")
    return matcher()


def _recorded_model(name: str, _: Settings) -> Model:
    from judgekit.models.recorded import recorded

    return recorded(name)


_PROVIDERS: Mapping[str, Callable[..., Model]] = {
    "openai": _openai_model,
    "azure": _azure_model,
    "anthropic": _anthropic_model,
    "ollama": _server("ollama", "OLLAMA_HOST", "http://localhost:11434/v1"),
    "vllm": _server("vllm", "VLLM_BASE_URL", "http://localhost:8000/v1"),
    "local": _local_model,
    "embedded": _embedded_model,
    "recorded": _recorded_model,
}


def _init_chat_model(spec: str, provider: str, settings: Settings) -> Model:
    try:
        from langchain.chat_models import init_chat_model
    except ImportError as error:
        known = ", ".join(sorted(_PROVIDERS))
        package = provider.replace("_", "-")
        raise MissingDependencyError(
            f"{provider!r} is none of judgekit's own providers ({known}); LangChain may know it: "
            f"pip install langchain langchain-{package}"
        ) from error
    try:
        chat = init_chat_model(spec)
    except ImportError as error:
        raise MissingDependencyError(f"LangChain cannot make {spec!r}: {error}") from error
    except ValueError as error:
        raise ConfigError(f"LangChain does not know {spec!r}: {error}") from error
    return replace(_langchain_judge(chat, settings), name=spec)


def _cache(cache: Any) -> Any:
    if isinstance(cache, (str, Path)):
        from judgekit.store import AnswerStore

        return AnswerStore(cache)
    if hasattr(cache, "__getitem__") and hasattr(cache, "__setitem__"):
        return cache
    raise ConfigError(f"cache is {cache!r}: give a path, or a mutable mapping such as a dict.")
