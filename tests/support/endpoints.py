"""The endpoints of the loopback provider: how each one says a text and fills the schema that it is asked for."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from tests.support.bodies import chat_body, embedding, embeddings_body, message_body, tool_call, tool_use
from tests.support.schema_filling import TEXT, fill

__all__ = ["ENDPOINTS", "Endpoint"]

JSON = dict[str, Any]

VERDICT: JSON = {
    "type": "object",
    "properties": {"reasoning": {"type": "string"}, "score": {"type": "boolean"}},
}
"""What is filled when JSON is wanted and no schema says which."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """`path` is how a request's path ends; `say(text, request)` and `fill(request, truth)` return bodies."""

    path: str
    say: Callable[[str, JSON], JSON]
    fill: Callable[[JSON, bool], JSON]


@dataclass(frozen=True, slots=True)
class Tool:
    name: str
    schema: JSON


def chosen(tools: Iterable[Tool], wanted: str | None) -> Tool | None:
    """The tool that the request insists on, else its first."""
    return next((tool for tool in tools if wanted in {None, tool.name}), None)


def chat_says(text: str, request: JSON) -> JSON:
    return chat_body(text, model=request.get("model", "gpt-judge"))


def chat_schema(request: JSON) -> JSON | None:
    wanted: JSON = request.get("response_format") or {}
    schema: JSON | None = None
    match wanted.get("type"):
        case "json_schema":
            schema = wanted["json_schema"]["schema"]
        case "json_object":
            schema = wanted.get("schema", VERDICT)
    return schema


def chat_tool(request: JSON) -> Tool | None:
    tools = (tool["function"] for tool in request.get("tools", ()))
    offered = (Tool(tool["name"], tool.get("parameters", {})) for tool in tools)
    match request.get("tool_choice"):
        case "none":
            return None
        case {"function": {"name": name}}:
            return chosen(offered, name)
        case _:
            return chosen(offered, None)


def chat_fills(request: JSON, truth: bool) -> JSON:
    if (schema := chat_schema(request)) is not None:
        return chat_says(json.dumps(fill(schema, truth=truth)), request)
    if tool := chat_tool(request):
        call = tool_call(tool.name, fill(tool.schema, truth=truth))
        return chat_body(
            tool_calls=[call], finish_reason="tool_calls", model=request.get("model", "gpt-judge")
        )
    return chat_says(TEXT, request)


def message_says(text: str, request: JSON) -> JSON:
    return message_body(text, model=request.get("model", "claude-judge"))


def message_tool(request: JSON) -> Tool | None:
    offered = (Tool(tool["name"], tool["input_schema"]) for tool in request.get("tools", ()))
    match request.get("tool_choice"):
        case {"type": "none"}:
            return None
        case {"type": "tool", "name": name}:
            return chosen(offered, name)
        case _:
            return chosen(offered, None)


def message_fills(request: JSON, truth: bool) -> JSON:
    match request.get("output_config"):
        case {"format": {"type": "json_schema", "schema": schema}}:
            return message_says(json.dumps(fill(schema, truth=truth)), request)
    if tool := message_tool(request):
        use = tool_use(tool.name, fill(tool.schema, truth=truth))
        return message_body([use], stop_reason="tool_use", model=request.get("model", "claude-judge"))
    return message_says(TEXT, request)


def embeddings_say(text: str, request: JSON) -> JSON:
    raise TypeError(f"an embeddings endpoint cannot answer with the text {text!r}: script None or a body")


def embeddings_fill(request: JSON, truth: bool) -> JSON:
    wanted = request["input"]
    many = isinstance(wanted, list) and not all(isinstance(token, int) for token in wanted)
    texts = [part if isinstance(part, str) else json.dumps(part) for part in (wanted if many else [wanted])]
    vectors = [embedding(text, request.get("dimensions", 32)) for text in texts]
    return embeddings_body(vectors, as_base64=request.get("encoding_format") == "base64")


ENDPOINTS = (
    Endpoint("/chat/completions", chat_says, chat_fills),
    Endpoint("/messages", message_says, message_fills),
    Endpoint("/embeddings", embeddings_say, embeddings_fill),
)
