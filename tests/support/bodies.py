"""Bodies as the providers send them: OpenAI chat completions and embeddings, Anthropic messages, errors."""

from __future__ import annotations

import base64
import json
import math
import random
import re
import struct
from collections.abc import Mapping, Sequence
from typing import Any

__all__ = [
    "anthropic_error_body",
    "chat_body",
    "embedding",
    "embeddings_body",
    "error_body",
    "message_body",
    "token_logprobs",
    "tool_call",
    "tool_use",
]

CHAT_USAGE = {"prompt_tokens": 20, "completion_tokens": 10, "total_tokens": 30}
MESSAGE_USAGE = {"input_tokens": 20, "output_tokens": 10}
CREATED = 1_750_000_000  # seconds since 1970; fixed, so that bodies compare equal


def chat_body(
    text: str | Sequence[Mapping[str, Any]] | None = None,
    *,
    tool_calls: Sequence[Mapping[str, Any]] | None = None,
    finish_reason: str | None = "stop",
    refusal: str | None = None,
    usage: Mapping[str, Any] | None = CHAT_USAGE,
    logprobs: Mapping[str, Any] | None = None,
    model: str = "gpt-judge",
    **message: Any,
) -> dict[str, Any]:
    """An OpenAI chat completion with one choice; `message` adds fields to it, `reasoning_content` say."""
    said = {"role": "assistant", "content": text, "refusal": refusal, **message}
    if tool_calls is not None:
        said["tool_calls"] = list(tool_calls)
    choice = {"index": 0, "message": said, "logprobs": logprobs, "finish_reason": finish_reason}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": CREATED,
        "model": model,
        "choices": [choice],
        "usage": usage,
    }


def tool_call(name: str, arguments: Mapping[str, Any] | str, *, id: str = "call_1") -> dict[str, Any]:  # noqa: A002  # the field's name
    """One of `tool_calls` in `chat_body`; `arguments` that are text are sent as they are."""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return {"id": id, "type": "function", "function": {"name": name, "arguments": text}}


def token_logprobs(*positions: Mapping[str, float]) -> dict[str, Any]:
    """The `logprobs` of a choice: for each position the alternatives with their log-probability, chosen first."""
    return {"content": [_position(alternatives) for alternatives in positions], "refusal": None}


def _position(alternatives: Mapping[str, float]) -> dict[str, Any]:
    entries = [
        {"token": token, "logprob": logprob, "bytes": list(token.encode())}
        for token, logprob in alternatives.items()
    ]
    return {**entries[0], "top_logprobs": entries}


def message_body(
    content: str | Sequence[Mapping[str, Any]],
    *,
    stop_reason: str | None = "end_turn",
    usage: Mapping[str, Any] | None = MESSAGE_USAGE,
    model: str = "claude-judge",
    **message: Any,
) -> dict[str, Any]:
    """An Anthropic message; `content` is a text or blocks, `message` adds fields, `stop_details` say."""
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else list(content)
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": blocks,
        "stop_reason": stop_reason,
        "stop_sequence": None,
        "usage": usage,
        **message,
    }


def tool_use(name: str, arguments: Mapping[str, Any], *, id: str = "toolu_1") -> dict[str, Any]:  # noqa: A002  # the field's name
    """A block of `message_body` that calls a tool."""
    return {"type": "tool_use", "id": id, "name": name, "input": dict(arguments)}


def embedding(text: str, dimensions: int = 32) -> list[float]:
    """A vector of length 1: the sum of a pseudo-random one for each word, so texts that share words lie closer."""
    total = [0.0] * dimensions
    for word in re.findall(r"\w+", text.casefold()) or [""]:
        draw = random.Random(word)
        total = [value + draw.gauss(0.0, 1.0) for value in total]
    norm = math.hypot(*total)
    return [value / norm for value in total]


def embeddings_body(
    vectors: Sequence[Sequence[float]], *, as_base64: bool = False, model: str = "embedding-judge"
) -> dict[str, Any]:
    """An OpenAI list of embeddings; `as_base64` packs each one as little-endian 32-bit floats."""
    data = [
        {"object": "embedding", "index": i, "embedding": _packed(vector) if as_base64 else list(vector)}
        for i, vector in enumerate(vectors)
    ]
    usage = {"prompt_tokens": 10, "total_tokens": 10}
    return {"object": "list", "data": data, "model": model, "usage": usage}


def _packed(vector: Sequence[float]) -> str:
    return base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode()


def error_body(
    message: str,
    *,
    type: str = "invalid_request_error",  # noqa: A002  # the field's name
    code: str | None = None,
    param: str | None = None,
    **more: Any,
) -> dict[str, Any]:
    """An error as OpenAI writes it."""
    return {"error": {"message": message, "type": type, "param": param, "code": code, **more}}


def anthropic_error_body(message: str, *, type: str = "invalid_request_error") -> dict[str, Any]:  # noqa: A002  # the field's name
    """An error as Anthropic writes it."""
    return {"type": "error", "error": {"type": type, "message": message}}
