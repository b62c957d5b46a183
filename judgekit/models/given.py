"""Clients that the user passes, as models; known by their shape, so that look-alikes, wrappers and doubles work."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from typing import Any

from judgekit.core.asking import Patience
from judgekit.errors import ConfigError
from judgekit.models import anthropic, langchain, openai
from judgekit.models.base import Model
from judgekit.models.call import Call
from judgekit.models.capabilities import Capabilities
from judgekit.models.official import MARGIN
from judgekit.models.runnables import is_runnable, model_name, retries_itself, takes_schema
from judgekit.models.settings import Settings

__all__ = ["from_client", "langchain_judge"]

Method = Callable[[Call], Any]


def from_client(client: Any, settings: Settings) -> Model | None:
    """The model that a client is; None when it is no client that is known.

    Raises:
        ConfigError: a client without the name of a model, or a setting that it cannot use.
    """
    for recognizes, build in _KINDS:
        if recognizes(client):
            return build(client, settings)
    return None


def langchain_judge(judge: Any, settings: Settings) -> Model:
    """A LangChain chat model, or a runnable around one, as a model."""
    settings.only("model", "structured_output_kwargs", by=f"a LangChain judge ({type(judge).__name__})")
    chat = langchain.Chat(judge, dict(settings.structured_output_kwargs or {}))
    ladder = langchain.LADDER if takes_schema(judge) else langchain.LADDER[-1:]
    return Model(
        f"langchain:{settings.model or model_name(judge)}",
        langchain.encode,
        langchain.decode,
        chat.call,
        chat.acall,
        timeout=600.0,  # LangChain's clients wait for ever
        patience=Patience(retries=0) if retries_itself(judge) else Patience(),
        recover=langchain.recover,
        capabilities=Capabilities(ladder),
        client=judge,
        check=chat.check,
    )


def _openai_client(client: Any, settings: Settings) -> Model:
    name = _wire_name(client, settings, "openai")
    call, acall = _calls(_without_retries(client).chat.completions.create, _is_official(client))
    return Model(
        f"openai:{name}",
        openai.Encoder(name),
        openai.decode,
        call,
        acall,
        recover=openai.recover,
        capabilities=Capabilities(settings.ladder(openai.LADDER)),
        client=client,
    )


def _anthropic_client(client: Any, settings: Settings) -> Model:
    name = _wire_name(client, settings, "anthropic")
    call, acall = _calls(_without_retries(client).messages.create, _is_official(client))
    return Model(
        f"anthropic:{name}",
        anthropic.Encoder(name),
        anthropic.decode,
        call,
        acall,
        capabilities=Capabilities(settings.ladder(anthropic.LADDER)),
        client=client,
    )


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


_KINDS: tuple[tuple[Callable[[Any], bool], Callable[[Any, Settings], Model]], ...] = (
    (_is_langchain, langchain_judge),
    (_has("chat", "completions", "create"), _openai_client),
    (_has("messages", "create"), _anthropic_client),
    (is_runnable, langchain_judge),
)


def _wire_name(client: Any, settings: Settings, provider: str) -> str:
    settings.only(
        "model", "structured_output_kwargs", by=f"a client ({type(client).__name__}), which has its own"
    )
    if settings.model is None:
        raise ConfigError(
            f"A client ({type(client).__name__}) was given without a model: add model='...', the name to ask it for."
        )
    return settings.model.removeprefix(f"{provider}:")


def _is_official(client: Any) -> bool:
    return type(client).__module__.partition(".")[0] in ("openai", "anthropic") and hasattr(
        client, "with_options"
    )


def _without_retries(client: Any) -> Any:
    """An official client that leaves retrying to judgekit, sharing the user's connections.

    A client whose method was replaced (a tracer's wrapper, a test's patch) is used as it is.
    """
    if not _is_official(client):
        return client
    endpoint = client.chat.completions if hasattr(client, "chat") else client.messages
    return client if "create" in vars(endpoint) else client.with_options(max_retries=0)


def _calls(create: Callable[..., Any], official: bool) -> tuple[Method | None, Method | None]:
    """The sync and the async way to call a client's method; it has one of them.

    The official async clients wrap their methods, and only the unwrapped function tells what it is. Only the official
    clients are told the timeout: others may not take it, and judgekit keeps it for all.
    """

    def call(call: Call) -> Any:
        return create(**call.payload, **(_timeout(call) if official else {}))

    is_async = inspect.iscoroutinefunction(inspect.unwrap(create)) or inspect.iscoroutinefunction(
        getattr(create, "__call__", None)  # noqa: B004  # an object whose __call__ is async
    )
    return (None, call) if is_async else (call, None)


def _timeout(call: Call) -> dict[str, Any]:
    if call.timeout is not None:
        return {"timeout": call.timeout + MARGIN}
    if call.payload.get("max_tokens", 0) > anthropic.LARGEST_WITHOUT_TIMEOUT:
        return {"timeout": 600.0}  # the client's own default, said aloud
    return {}
