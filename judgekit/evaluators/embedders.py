"""Whatever can embed texts, in one form: a client, a LangChain model, a function, or the name of a model."""

from __future__ import annotations

import inspect
import os
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from judgekit.core.flow import Job
from judgekit.errors import ConfigError, MissingDependencyError, WrongClientError
from judgekit.models.call import Call
from judgekit.models.clients import Connection

__all__ = ["Embedder", "connect_embedder"]

_TIMEOUT = 60.0  # seconds for one request of a client made here


@dataclass(frozen=True)
class Embedder:
    """One way to get the vectors of several texts in one request.

    Attributes:
        name: what results call it.
        call: takes the texts and blocks; None where there is only an async way.
        acall: takes the texts and is awaited; None where there is only a blocking way, which then gets a thread.
    """

    name: str
    call: Callable[[list[str]], Any] | None
    acall: Callable[[list[str]], Awaitable[Any]] | None = None

    def job(self, texts: Sequence[str]) -> Job:
        call, acall = self.call, self.acall
        if call is None:
            assert acall is not None  # noqa: S101  # an embedder has at least one of the two
            return Job(lambda: acall(list(texts)))
        return Job(
            lambda: call(list(texts)),
            None if acall is None else lambda: acall(list(texts)),
            blocking=True,
        )

    def sync(self) -> Embedder:
        """This embedder, if sync code can call it.

        Raises:
            WrongClientError: there is only an async way.
        """
        if self.call is None:
            raise WrongClientError(
                f"{self.name} embeds asynchronously, which a sync evaluator cannot wait for: use "
                "create_async_embedding_similarity_evaluator, or pass the sync client or a plain function."
            )
        return self


def connect_embedder(embeddings: Any, model: str) -> Embedder:
    """Connect what embeds.

    Args:
        embeddings: an OpenAI-shaped client (`.embeddings.create`), a LangChain `Embeddings`, a function of a list of texts,
            sync or async each; or None for the model that `model` names.
        model: `"openai:<name>"`, which `OPENAI_API_KEY` is for, or the name that LangChain's `init_embeddings` knows; with a
            client the name to ask it for.

    Raises:
        ConfigError: a name that says nothing, or nothing that embeds.
        MissingDependencyError: the package of the model's provider is not installed.
    """
    if not isinstance(model, str):
        raise ConfigError(f"model is {model!r}: give a name, e.g. 'openai:text-embedding-3-small'.")
    if embeddings is None:
        return _named(model)
    if isinstance(embeddings, type):
        raise WrongClientError(f"embeddings is the class {embeddings.__name__}: pass an instance of it.")
    create = getattr(getattr(embeddings, "embeddings", None), "create", None)
    if callable(create):
        return _client(create, model.removeprefix("openai:"))
    if callable(getattr(embeddings, "embed_documents", None)):
        return _langchain(embeddings, type(embeddings).__name__)
    if callable(embeddings):
        return _function(embeddings)
    raise WrongClientError(
        f"{type(embeddings).__name__} cannot embed: pass an OpenAI-shaped client (with .embeddings.create), a LangChain "
        "Embeddings, or a function that takes a list of texts and returns their vectors."
    )


def _client(create: Callable[..., Any], name: str) -> Embedder:
    call = partial(_created, create, name)
    return Embedder(f"openai:{name}", None, call) if _is_async(create) else Embedder(f"openai:{name}", call)


def _created(create: Callable[..., Any], name: str, texts: list[str]) -> Any:
    return create(model=name, input=texts)


def _langchain(embeddings: Any, name: str) -> Embedder:
    return Embedder(f"langchain:{name}", embeddings.embed_documents, embeddings.aembed_documents)


def _function(function: Callable[..., Any]) -> Embedder:
    name = getattr(function, "__name__", type(function).__name__)
    return Embedder(name, None, function) if _is_async(function) else Embedder(name, function)


def _is_async(function: Any) -> bool:
    """The official async clients wrap their methods, and only the unwrapped function tells what it is."""
    return inspect.iscoroutinefunction(inspect.unwrap(function)) or inspect.iscoroutinefunction(
        getattr(function, "__call__", None)  # noqa: B004  # an object whose __call__ is async
    )


def _named(model: str) -> Embedder:
    provider, colon, name = model.partition(":")
    if not colon and model.startswith("text-embedding-"):
        provider, name = "openai", model
    if not name:
        raise ConfigError(
            f"model {model!r} does not say whose it is: write 'provider:model', e.g. 'openai:text-embedding-3-small'."
        )
    if provider == "openai":
        return _openai(name)
    if provider == "local":
        raise ConfigError(
            f"{model!r}: local models judge here and give no vectors. Pass embeddings=<a function of a list of texts>, such "
            "as the `encode` of a sentence-transformers model."
        )
    return _init_embeddings(model, provider)


def _openai(name: str) -> Embedder:
    if not (os.environ.get("OPENAI_API_KEY") or os.environ.get("OPENAI_BASE_URL")):
        raise ConfigError("No API key: set OPENAI_API_KEY, or pass embeddings=<a client with its key>.")
    connection = _connection()
    return Embedder(
        f"openai:{name}", partial(_sent, connection.call, name), partial(_sent, connection.acall, name)
    )


def _connection() -> Connection:
    return Connection(_make_client, _send, origin=(_connection, ()))


def _sent(send: Callable[[Call], Any], name: str, texts: list[str]) -> Any:
    return send(Call({"model": name, "input": texts}))


def _send(client: Any, call: Call) -> Awaitable[Any]:
    made: Awaitable[Any] = client.embeddings.create(**call.payload)
    return made


def _make_client() -> Any:
    import openai

    key = os.environ.get("OPENAI_API_KEY") or "none"  # a server of one's own asks for none
    return openai.AsyncOpenAI(api_key=key, timeout=_TIMEOUT)


def _init_embeddings(model: str, provider: str) -> Embedder:
    package = f"langchain-{provider.replace('_', '-')}"
    try:
        from langchain.embeddings import init_embeddings
    except ImportError as error:
        raise MissingDependencyError(
            f"{provider!r} is not openai; LangChain may know it: pip install langchain {package}"
        ) from error
    try:
        return _langchain(init_embeddings(model), model)
    except ImportError as error:
        raise MissingDependencyError(f"LangChain cannot make {model!r}: {error}") from error
    except ValueError as error:
        raise ConfigError(f"LangChain does not know {model!r}: {error}") from error
