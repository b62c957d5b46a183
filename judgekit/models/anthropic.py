"""Anthropic's messages endpoint, from and to the chat messages that judgekit speaks inside."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from judgekit.core.exchange import Answer, AnswerSchema, Finish, Request, ToolCall, Usage
from judgekit.errors import PromptError
from judgekit.models.call import Call
from judgekit.models.capabilities import NARROWING, Capabilities
from judgekit.models.fields import count, pick, text
from judgekit.models.openai import body_of, no_answer, request_id
from judgekit.models.wire import closed, for_each_schema, with_instruction, without

__all__ = ["LADDER", "LARGEST_WITHOUT_TIMEOUT", "Encoder", "decode"]

LADDER = ("json_schema", "tool", "prompt")

DEFAULT_BUDGET = 4096  # the endpoint wants an output budget with every request

LARGEST_WITHOUT_TIMEOUT = 21_333
"""The client refuses a larger output budget, unless it is called with a timeout."""

_FINISH: Mapping[str, Finish] = {
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "refusal",
}
_SAMPLING = ("temperature", "top_p", "top_k")  # no longer parameters of the client; older models take them
_UNKNOWN = ("seed",)  # the endpoint has none, and a judge without one is the same judge
_RENAMED = {"stop": "stop_sequences"}
_DATA_URI = re.compile(r"data:(?P<type>[^;,]+)(?:;[^,]*)?;base64,(?P<data>.*)", re.DOTALL)
_TAKEN = frozenset({"type", "properties", "required", "additionalProperties", "items", "enum", "const", "anyOf", "allOf",
                    "description", "title", "$ref", "$defs"})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Encoder:
    """The `encode` of one model; `model` is its name on the wire."""

    model: str

    def __call__(self, request: Request, capabilities: Capabilities) -> Call:
        format_ = capabilities.format if request.schema else None
        messages: Sequence[Mapping[str, Any]] = request.messages
        if request.schema and format_ == "prompt":
            messages = with_instruction(messages, request.schema)
        payload: dict[str, Any] = {
            "model": self.model,
            "messages": _turns(messages),
            "max_tokens": DEFAULT_BUDGET,
        }
        system = [block for message in messages if _is_system(message) for block in _blocks(message)]
        if system:
            payload["system"] = system
        if request.schema and format_:
            payload.update(_asking_for(request.schema, format_))
        _set(payload, {**request.model.params, **request.params}, capabilities)
        return Call(payload, format_, _NARROWING)


_NARROWING = frozenset(NARROWING)


def _set(payload: dict[str, Any], params: Mapping[str, Any], capabilities: Capabilities) -> None:
    extra: dict[str, Any] = dict(params.get("extra_body") or {})
    for given, value in params.items():
        name = _RENAMED.get(given, given)
        if value is None or name in capabilities.dropped or name in _UNKNOWN or name == "extra_body":
            continue
        if name in _SAMPLING:
            extra[name] = value
        elif name == "output_config":
            payload[name] = {**value, **payload.get(name, {})}
        elif name == "stop_sequences":
            payload[name] = [value] if isinstance(value, str) else list(value)
        else:
            payload[name] = value
    if extra:
        payload["extra_body"] = extra


@for_each_schema
def _asking_for(wanted: AnswerSchema, format_: str) -> Mapping[str, Any]:
    schema = _subset(without(closed(wanted.schema), _NARROWING))
    if format_ == "json_schema":
        return {"output_config": {"format": {"type": "json_schema", "schema": schema}}}
    if format_ == "tool":
        tool = {
            "name": wanted.name,
            "description": wanted.description or "Record the verdict.",
            "input_schema": schema,
        }
        choice = {"type": "tool", "name": wanted.name, "disable_parallel_tool_use": True}
        return {"tools": [tool], "tool_choice": choice}
    return {}


def _subset(schema: Any) -> Any:
    """The keywords that the endpoint compiles; the rest would be a 400, and is checked on reading anyway."""
    if isinstance(schema, list):
        return [_subset(value) for value in schema]
    if not isinstance(schema, Mapping):
        return schema
    kept: dict[str, Any] = {}
    for key, value in schema.items():
        name = {"oneOf": "anyOf", "definitions": "$defs"}.get(key, key)
        if name in ("properties", "$defs"):
            kept[name] = {inner: _subset(below) for inner, below in value.items()}
        elif name == "$ref":
            kept[name] = str(value).replace("#/definitions/", "#/$defs/")
        elif name in ("enum", "const", "required"):
            kept[name] = value
        elif name in _TAKEN:
            kept[name] = _subset(value)
    return kept


def _is_system(message: Mapping[str, Any]) -> bool:
    return message.get("role") in ("system", "developer")


def _turns(messages: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """User and assistant turns; neighbors of one role become one, as the endpoint wants them."""
    turns: list[dict[str, Any]] = []
    for message in messages:
        if _is_system(message):
            continue
        role = "assistant" if message.get("role") == "assistant" else "user"
        blocks = _blocks(message)
        if turns and turns[-1]["role"] == role:
            turns[-1]["content"] = [*turns[-1]["content"], *blocks]
        else:
            turns.append({"role": role, "content": blocks})
    if not turns:
        raise PromptError(
            "The prompt has no user message: Anthropic models need one besides the system message."
        )
    return turns


def _blocks(message: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The content blocks of a message. Calls of tools are told in words: as blocks they would need their tools."""
    content = message.get("content")
    parts = content if isinstance(content, (list, tuple)) else [content or ""]
    functions = (call.get("function") or {} for call in message.get("tool_calls") or ())
    called = [f"(calls {function.get('name')}: {function.get('arguments')})" for function in functions]
    blocks = [_block(part) for part in (*parts, *called)]
    return [
        block for block in blocks if block.get("type") != "text" or block.get("text")
    ]  # empty ones are refused


def _block(part: Any) -> dict[str, Any]:
    if isinstance(part, str):
        return {"type": "text", "text": part}
    convert = _BLOCKS.get(part.get("type"))
    return convert(part) if convert else dict(part)


def _image(part: Mapping[str, Any]) -> dict[str, Any]:
    url = part["image_url"]["url"] if isinstance(part["image_url"], Mapping) else part["image_url"]
    return {"type": "image", "source": _source(str(url))}


def _file(part: Mapping[str, Any]) -> dict[str, Any]:
    file = part["file"]
    if "file_data" not in file:
        raise PromptError(
            "Anthropic models take a file by its content: give `file_data`, not a file id of OpenAI."
        )
    block = {"type": "document", "source": _source(str(file["file_data"]))}
    return {**block, "title": file["filename"]} if file.get("filename") else block


def _audio(_part: Mapping[str, Any]) -> dict[str, Any]:
    raise PromptError("Anthropic models take no audio: judge a transcript, or connect a model that hears.")


def _source(url: str) -> dict[str, Any]:
    inline = _DATA_URI.match(url)
    if inline is None:
        return {"type": "url", "url": url}
    return {"type": "base64", "media_type": inline["type"], "data": inline["data"]}


_BLOCKS: Mapping[Any, Callable[[Mapping[str, Any]], dict[str, Any]]] = {
    "image_url": _image,
    "file": _file,
    "input_audio": _audio,
}


def decode(raw: Any) -> Answer:
    """A message, as an SDK object, a dict, or an HTTP response's body.

    Raises:
        ModelError: it is none: an error body under status 200, a page of HTML.
    """
    body = body_of(raw)
    content = pick(body, "content")
    if not isinstance(content, (list, tuple)):
        raise no_answer(body)
    shown = "".join(text(block, "text") or "" for block in content if text(block, "type") == "text")
    reason = text(body, "stop_reason") or "stop"
    return Answer(
        text=shown or None,
        calls=tuple(_call(block) for block in content if text(block, "type") == "tool_use"),
        finish=_FINISH.get(reason, "stop"),
        detail=_refusal(body) if reason == "refusal" else reason,
        usage=_usage(pick(body, "usage")),
        model=text(body, "model"),
        request_id=request_id(raw, body, "request-id"),
        hidden=not shown and any(text(block, "type") == "thinking" for block in content),
    )


def _call(block: Any) -> ToolCall:
    given = pick(block, "input")
    return ToolCall(text(block, "name") or "", given if isinstance(given, (str, Mapping)) else {})


def _refusal(body: Any) -> str:
    category = text(body, "stop_details", "category")
    told = text(body, "stop_details", "explanation")
    return ": ".join(filter(None, (category, told))) or "refusal"


def _usage(usage: Any) -> Usage | None:
    if not isinstance(pick(usage, "input_tokens"), int):
        return None
    cached = count(usage, "cache_read_input_tokens")
    written = count(usage, "cache_creation_input_tokens")
    return Usage(count(usage, "input_tokens") + cached + written, count(usage, "output_tokens"), cached)
