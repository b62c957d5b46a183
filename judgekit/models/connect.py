"""`connect`: whatever can judge, as a `Model`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from judgekit.errors import ConfigError, WrongClientError
from judgekit.models.base import Model
from judgekit.models.given import from_client
from judgekit.models.providers import from_string
from judgekit.models.settings import Settings

__all__ = ["HOW_TO_CONNECT", "connect", "require_model"]

HOW_TO_CONNECT = (
    "Connect one: model='openai:gpt-5.4-mini' (set OPENAI_API_KEY), model='anthropic:claude-sonnet-5-5' (set "
    "ANTHROPIC_API_KEY), model='ollama:llama3.2', model='local:/path/to/model.gguf', or judge=<a client or chat model>."
)


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
        timeout: seconds for one request. Clients that judgekit makes have 120 by default, LangChain's 600.
        deadline: seconds for one judgement, all retries and repairs together. None is no limit.
        retries: how often a failed request is sent again, 2 by default. It replaces the retries of the official
            clients, which are not used; a LangChain judge that retries by itself has 0 by default.
        repairs: how often an answer that cannot be read goes back to the model, 2 by default.
        cache: where answers are remembered: a path (an SQLite file) or a mutable mapping. The same request is then
            sent once.
        readout: `"logprobs"` takes the verdict of a local model from the probabilities of the allowed values.
        structured_output_kwargs: passed on to a LangChain model's `with_structured_output`.
        **params: sent with every request: `temperature`, `seed`, `max_tokens` (the output budget), `top_p`, ...

    Returns:
        A frozen `Model`, accepted wherever `judge` is.

    Raises:
        ConfigError: no model, an unknown provider, a missing key, a client without a model name, or a setting that
            would have no effect.
        WrongClientError: `judge` is nothing that can judge.
        MissingDependencyError: the provider's package is not installed.
    """
    found = _found(judge, Settings(model, base_url, api_key, readout, structured_output_kwargs or None))
    params = {
        "max_tokens" if name == "max_completion_tokens" else name: value for name, value in params.items()
    }
    if found.check is not None:
        found.check(params)
    changes: dict[str, Any] = {"params": {**found.params, **params}}
    if timeout is not None:
        changes["timeout"] = _positive("timeout", timeout)
    if deadline is not None:
        changes["deadline"] = _positive("deadline", deadline)
    if cache is not None:
        changes["cache"] = _cache(cache)
    limits = {"retries": retries, "repairs": repairs}
    times: dict[str, Any] = {name: _count(name, value) for name, value in limits.items() if value is not None}
    return replace(found, **changes, patience=replace(found.patience, **times))


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
        settings.only(by=f"{judge!r}, which is connected already")
        return judge
    if isinstance(judge, str):
        return from_string(judge, settings)
    found = from_client(judge, settings)
    if found is None:
        raise WrongClientError(
            f"{type(judge).__name__} cannot judge: pass an OpenAI-shaped client (with .chat.completions.create), an "
            "Anthropic client (with .messages.create), a LangChain chat model or runnable, a judgekit Model, or a model "
            "string such as 'openai:gpt-5.4-mini'."
        )
    return found


def _positive(name: str, seconds: Any) -> float:
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or not seconds > 0:
        raise ConfigError(f"{name} is {seconds!r}: give a number of seconds that is more than 0.")
    return seconds


def _count(name: str, times: Any) -> int:
    if isinstance(times, bool) or not isinstance(times, int) or times < 0:
        raise ConfigError(f"{name} is {times!r}: give a whole number, 0 for none.")
    return times


def _cache(cache: Any) -> Any:
    if isinstance(cache, (str, Path)):
        from judgekit.store import AnswerStore

        return AnswerStore(cache)
    if hasattr(cache, "get") and hasattr(cache, "__setitem__"):
        return cache
    raise ConfigError(f"cache is {cache!r}: give a path, or a mutable mapping such as a dict.")
