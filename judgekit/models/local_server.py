"""One loaded model: llama.cpp inside this process, shared by all who ask for the same weights and options."""

from __future__ import annotations

import atexit
import os
import secrets
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any
from weakref import WeakValueDictionary

from judgekit.errors import MissingDependencyError, ModelError

__all__ = ["Chat", "LocalServer", "Setup", "engine_library", "shared"]

Chat = Callable[[Mapping[str, Any]], Mapping[str, Any]]
"""Sends the body of a chat completion to the model and returns the completion; raises `ModelError`."""

_BUSY = (429, 503)
_LONGEST_SOCKET = 100  # bytes that a socket's path may have everywhere


@dataclass(frozen=True, slots=True)
class Setup:
    """What is loaded, and how: context in tokens, and threads that compute."""

    path: Path
    context: int
    threads: int


class LocalServer:
    """A model that is loaded when it is first asked, and freed with the last reference to this object.

    One caller has it at a time: several sequences in one batch change the last bits of a probability, and two
    computations on the same cores slow each other far more than twofold.
    """

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self._lock = Lock()
        self._process = os.getpid()
        self._server: Any = None

    @contextmanager
    def turn(self) -> Iterator[Chat]:
        """The model for oneself, for as many calls as it takes.

        Raises:
            ModelError: it cannot be loaded, or the process is a fork of the one that would compute.
        """
        if os.getpid() != self._process:
            raise ModelError(
                f"{self.setup.path.name} was opened before this process was forked, and its threads are not here: "
                "open it in the process that uses it, or start processes with 'spawn'."
            )
        with self._lock:
            if self._server is None:
                self._server = _loaded(self.setup)
            yield self._chat

    def stop(self, patience: float = -1) -> None:
        """Free the weights, after the call that is under way; give up after `patience` seconds, if not negative."""
        if os.getpid() == self._process and self._lock.acquire(timeout=patience):
            try:
                self._server = None
            finally:
                self._lock.release()

    def _chat(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        try:
            completion: Mapping[str, Any] = self._server.handle_chat_completions(dict(body))
        except (RuntimeError, ValueError) as error:
            raise ModelError(f"{self.setup.path.name} could not answer: {error}") from error
        if "error" in completion:
            raise _refused(completion["error"], self.setup)
        return completion


_servers: WeakValueDictionary[tuple[int, Setup], LocalServer] = WeakValueDictionary()
_guard = Lock()


def shared(setup: Setup) -> LocalServer:
    """The one server of this process for a setup."""
    with _guard:
        key = (os.getpid(), setup)
        server = _servers.get(key)
        if server is None:
            server = _servers[key] = LocalServer(setup)
        return server


@atexit.register
def _stop_all() -> None:
    for server in list(_servers.values()):
        server.stop(patience=1.0)


def engine_library() -> Any:
    """The module `xllamacpp`.

    Raises:
        MissingDependencyError: it is not installed.
    """
    try:
        import xllamacpp
    except ImportError as error:
        raise MissingDependencyError(
            "A local model needs llama.cpp for Python: pip install 'judgekit-llm[local]'"
        ) from error
    return xllamacpp


def _loaded(setup: Setup) -> Any:
    library = engine_library()
    params = library.CommonParams()
    params.model.path = str(setup.path)
    params.n_parallel = 1  # the context is divided by it
    params.n_ctx = setup.context
    for pool in (params.cpuparams, params.cpuparams_batch):
        pool.n_threads = setup.threads
    params.cache_ram_mib = 0
    params.verbosity = 0
    params.offline = True
    params.ui = False
    params.endpoint_slots = False
    params.api_keys = [secrets.token_urlsafe()]
    # The library always listens somewhere. A socket in a folder that is deleted is nowhere.
    with tempfile.TemporaryDirectory(prefix="judgekit-") as folder:
        socket = str(Path(folder, "model.sock"))
        if os.name == "posix" and len(os.fsencode(socket)) <= _LONGEST_SOCKET:
            params.hostnames = [socket]
        else:
            params.hostnames, params.port = ["127.0.0.1"], 0
        try:
            return library.Server(params)
        except RuntimeError as error:
            raise ModelError(
                f"llama.cpp could not load {setup.path}: the file is cut short (compare its size and SHA-256 with the "
                f"publisher's), or of a kind that the installed xllamacpp does not know (upgrade it), or memory does "
                f"not suffice for it with a context of {setup.context} tokens (make that smaller)."
            ) from error


def _refused(error: Mapping[str, Any], setup: Setup) -> ModelError:
    status = error.get("code")
    message = f"{setup.path.name} could not answer: {error.get('message')}"
    if error.get("type") == "exceed_context_size_error":
        message = (
            f"The prompt has {error.get('n_prompt_tokens')} tokens and {setup.path.name} was loaded with a context of "
            f"{error.get('n_ctx')}: shorten what is judged, or load it with a larger context."
        )
    return ModelError(message, status=status, retryable=status in _BUSY)
