"""A model inside this process: messages in, an `Answer` out, nothing over a network."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from judgekit.core.exchange import Answer, AnswerSchema, Finish, Usage
from judgekit.errors import ConfigError, ModelError
from judgekit.models.local_grammar import grammar
from judgekit.models.local_server import LocalServer, Setup, engine_library, shared
from judgekit.models.readout import Token, allowed, asking, masses, verdict
from judgekit.models.weights import check_weights
from judgekit.models.wire import with_instruction

__all__ = ["LocalEngine"]

CONTEXT = 4096
OUTPUT = 512
TOP_TOKENS = 500

_SETTINGS = {
    "frequency_penalty": "frequency_penalty",
    "max_completion_tokens": "max_tokens",
    "max_tokens": "max_tokens",
    "min_p": "min_p",
    "presence_penalty": "presence_penalty",
    "repeat_penalty": "repeat_penalty",
    "seed": "seed",
    "stop": "stop",
    "temperature": "temperature",
    "top_k": "top_k",
    "top_p": "top_p",
}

# Bit-identical answers need the prompt computed anew each time, in the same steps; and a model that thinks
# before it answers would think inside the JSON.
_ALWAYS = {"cache_prompt": False, "chat_template_kwargs": {"enable_thinking": False}}

# The token that is drawn does not matter, only the probabilities beside it, which are taken before the grammar;
# but an end of text or half a character would come back without any.
_ONE_TOKEN = {
    "temperature": 0,
    "max_tokens": 1,
    "logprobs": True,
    "top_logprobs": TOP_TOKENS,
    "grammar": "root ::= [ -~]+",
}


class LocalEngine:
    """A GGUF model that llama.cpp runs in this process.

    Engines of the same file and options share one copy of the weights, loaded at the first question; it is freed
    when the last of them is closed. Questions from several threads are answered one after the other. The same
    question gets the same answer, to the last bit, at temperature 0 on the same machine.

    Args:
        path: a GGUF file; `judgekit.models.weights.resolve_weights` finds one.
        context: tokens of prompt and answer together.
        threads: threads that compute; by default 2, or 1 on a machine with one core. Give 1 where other programs
            compute as well: threads that wait for each other's turn on a busy core are many times slower.

    Raises:
        ConfigError: the file is not there or is no GGUF file, or an option is not a positive integer.
        MissingDependencyError: xllamacpp is not installed.
    """

    def __init__(self, path: str | Path, *, context: int = CONTEXT, threads: int | None = None) -> None:
        engine_library()
        self.path = Path(path).expanduser().resolve()
        check_weights(self.path)
        chosen = _default_threads() if threads is None else _positive("threads", threads)
        self._server: LocalServer | None = shared(Setup(self.path, _positive("context", context), chosen))

    @property
    def name(self) -> str:
        """The file's name without `.gguf`."""
        return self.path.stem

    def __repr__(self) -> str:
        return f"LocalEngine({str(self.path)!r})"

    def generate(
        self,
        messages: Sequence[Mapping[str, Any]],
        schema: AnswerSchema | None = None,
        params: Mapping[str, Any] | None = None,
    ) -> Answer:
        """Let the model write an answer, one JSON object when there is a schema.

        llama.cpp holds the model to a schema but does not tell it what the schema is: that is added to the last
        user message.

        Args:
            messages: chat messages, system first; text only.
            schema: what the answer must look like, or None for free text.
            params: `temperature` (0 by default), `seed`, `max_tokens` (512 by default), `top_p`, ...

        Raises:
            ModelError: the model cannot be loaded, the prompt is longer than the context, or llama.cpp fails.
            ConfigError: a parameter that llama.cpp does not know, or the engine is closed.
        """
        body = {"temperature": 0, "max_tokens": OUTPUT, **_settings(params or {}), **_ALWAYS}
        if schema is None:
            body["messages"] = [dict(message) for message in messages]
        else:
            body["messages"] = with_instruction(messages, schema)
            body["grammar"] = grammar(schema.schema)
        server = self._open()
        with server.turn() as chat:
            completion = chat(body)
        choice, usage = completion["choices"][0], _usage(completion)
        finish: Finish = "length" if choice.get("finish_reason") == "length" else "stop"
        full = finish == "length" and usage.input_tokens + usage.output_tokens >= server.setup.context
        detail = f"the context of {server.setup.context} tokens is full" if full else None
        return Answer(
            choice["message"].get("content") or "", finish=finish, detail=detail, usage=usage, model=self.name
        )

    def read_out(
        self,
        messages: Sequence[Mapping[str, Any]],
        schema: AnswerSchema,
        params: Mapping[str, Any] | None = None,
    ) -> Answer:
        """Take the most probable of the values that the schema allows for its score; nothing is sampled.

        Args:
            messages: chat messages, system first; text only. What else the schema asks for is not asked.
            schema: its `score` must have at most 26 values: a boolean, an enum, a short range of integers.
            params: as for `generate`; they do not change probabilities.

        Returns:
            An answer whose text is `{"score": <the value>}` and whose `probabilities` cover the allowed values and
            sum to 1; `detail` says how much probability they had together, `"mass=0.98"`: the rest went to tokens
            that begin none of them, and a small mass means that the model did not answer the question. Of equally
            probable values the first in the schema is taken.

        Raises:
            ModelError: as `generate`, or none of the values had any probability.
            ConfigError: the score has no countable values or too many, a parameter is unknown, or the engine is closed.
        """
        _settings(params or {})
        texts = allowed(schema)
        asked = asking(messages, schema)
        usages: list[Usage] = []
        with self._open().turn() as chat:

            def look(written: str) -> list[Token]:
                begun = [*asked, {"role": "assistant", "content": written}]
                # What follows the first look shares its whole prompt, computed a moment ago under the same lock.
                completion = chat({**_ALWAYS, **_ONE_TOKEN, "messages": begun, "cache_prompt": bool(usages)})
                usages.append(_usage(completion))
                return _tokens(completion)

            found = masses(texts, look)
        text, probabilities, mass = verdict(found)
        return Answer(
            text,
            detail=f"mass={mass:.3g}",
            usage=sum(usages, Usage()),
            model=self.name,
            probabilities=probabilities,
            explains=False,
        )

    def close(self) -> None:
        """Give up the weights; they are freed when no other engine has them. A closed engine answers no more."""
        self._server = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _open(self) -> LocalServer:
        if self._server is None:
            raise ConfigError(f"{self!r} is closed: make another one.")
        return self._server


def _positive(name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ConfigError(f"{name} is {value!r}: give a positive integer.")
    return value


def _default_threads() -> int:
    return min(2, os.cpu_count() or 1)


def _settings(params: Mapping[str, Any]) -> dict[str, Any]:
    if unknown := sorted(set(params) - set(_SETTINGS)):
        raise ConfigError(
            f"A local model does not take {', '.join(unknown)}; it takes {', '.join(sorted(_SETTINGS))}."
        )
    return {_SETTINGS[name]: value for name, value in params.items() if value is not None}


def _usage(completion: Mapping[str, Any]) -> Usage:
    counts = completion["usage"]
    cached = (counts.get("prompt_tokens_details") or {}).get("cached_tokens", 0)
    return Usage(counts["prompt_tokens"], counts["completion_tokens"], cached)


def _tokens(completion: Mapping[str, Any]) -> list[Token]:
    logprobs = completion["choices"][0].get("logprobs")
    if not logprobs or not logprobs["content"]:
        raise ModelError("llama.cpp gave no probabilities: upgrade xllamacpp, or drop readout.")
    likeliest = logprobs["content"][0]["top_logprobs"]
    return [Token(bytes(token["bytes"]), math.exp(token["logprob"])) for token in likeliest]
