"""Trajectories in one form: whatever an agent framework gives, as new messages in OpenAI's shape.

A tool call keeps its arguments as the JSON text that the model wrote, malformed or not: what to think of it is for
those who read them. Anthropic's `tool_use` blocks become tool calls, its `tool_result` blocks become tool messages.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from judgekit.core.foreign import comes_from
from judgekit.core.plain import to_plain, to_text
from judgekit.errors import PromptError

__all__ = ["text_of", "trajectory_messages"]

_ROLES = {role: role for role in ("system", "developer", "user", "assistant", "tool")} | {
    "ai": "assistant",
    "function": "tool",
    "human": "user",
    "model": "assistant",
}
_CALL_BLOCKS = frozenset({"function_call", "mcp_tool_use", "server_tool_use", "tool_call", "tool_use"})
_TEXT_BLOCKS = frozenset({"input_text", "output_text", "text"})
_ACCEPTED = "OpenAI, LangChain or Anthropic messages, a list of them, or {'messages': [...]}"


def trajectory_messages(
    value: Any, *, name: str = "outputs", text_role: str | None = None
) -> list[dict[str, Any]]:
    """Return a trajectory as new messages with `role` and `content`, and `id`, `name`, `tool_calls` and `tool_call_id`
    where they have them.

    Args:
        value: OpenAI messages, LangChain messages (objects, or the dicts that they are dumped to), Anthropic messages,
            the SDKs' own message objects; one of them, a list, `{"messages": [...]}`, or None for no messages.
        name: what error messages call the value.
        text_role: the role of a bare text; None refuses bare texts.

    Raises:
        PromptError: something in it is no message.
    """
    return [
        message
        for place, item in _items(value, name)
        for message in _read(_as_mapping(item, place, text_role), place)
    ]


def text_of(content: Any) -> str:
    """The text of a message's `content`; blocks that are no text stand as their type in brackets."""
    if not isinstance(content, list):
        return "" if content is None else to_text(content)
    return "\n".join(_block_text(block) for block in content)


def _items(value: Any, name: str) -> list[tuple[str, Any]]:
    if value is None:
        return []
    if isinstance(value, Mapping) and "role" not in value and "messages" in value:
        return _items(value["messages"], f"{name}.messages")
    if isinstance(value, Sequence) and not isinstance(value, str | bytes) and not _is_pair(value):
        return [(f"{name}[{i}]", item) for i, item in enumerate(value)]
    return [(name, value)]


def _is_pair(value: Any) -> bool:
    """LangChain's short form of a message, `("user", "Hello")`."""
    return isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], str) and value[0] in _ROLES


def _as_mapping(item: Any, name: str, text_role: str | None) -> dict[str, Any]:
    if isinstance(item, str):
        if text_role is None:
            raise PromptError(f"`{name}` is a text, not a message; pass {_ACCEPTED}.")
        return {"role": text_role, "content": item}
    if _is_pair(item):
        return {"role": item[0], "content": item[1]}
    plain = to_plain(
        _langchain(item) if comes_from(item, "langchain_core", "BaseMessage") else item, name=name
    )
    if not isinstance(plain, dict):
        raise PromptError(f"`{name}` is a {type(item).__name__}, not a message; pass {_ACCEPTED}.")
    return _unwrapped(plain)


def _langchain(message: Any) -> dict[str, Any]:
    """A LangChain message's own fields; its conversion to OpenAI's shape would drop the calls that it calls invalid."""
    kind = message.type.removesuffix("MessageChunk").lower()
    extra = message.additional_kwargs
    return {
        "role": message.role if kind == "chat" else kind,
        "content": message.content,
        "id": message.id,
        "name": message.name,
        "tool_calls": getattr(message, "tool_calls", None),
        "invalid_tool_calls": getattr(message, "invalid_tool_calls", None),
        "tool_call_id": getattr(message, "tool_call_id", None),
        "function_call": extra.get("function_call"),
    }


def _unwrapped(plain: dict[str, Any]) -> dict[str, Any]:
    """A message from LangChain's two ways to store one: `{"type", "data"}` and `{"lc", "id", "kwargs"}`."""
    if isinstance(plain.get("data"), dict) and "role" not in plain:
        return {"type": plain.get("type"), **plain["data"]}
    if "lc" in plain and isinstance(plain.get("kwargs"), dict):
        kind = str((plain.get("id") or [""])[-1]).removesuffix("Chunk").removesuffix("Message").lower()
        return {"type": kind, **plain["kwargs"]}
    return plain


def _read(plain: dict[str, Any], name: str) -> list[dict[str, Any]]:
    """One message as one or more: Anthropic puts the results of tools into a user message."""
    said = plain.get("role") or plain.get("type")
    role = _ROLES.get(said) if isinstance(said, str) else None
    if role is None:
        raise PromptError(
            f"`{name}` has the role {said!r}, so it is no message; pass {_ACCEPTED}. Roles are {', '.join(_ROLES)}."
        )
    blocks = plain.get("content")
    if blocks is None:
        blocks = plain.get("refusal") or ""
    if not isinstance(blocks, list):
        return [_message(role, plain, to_text(blocks), _calls(plain, [], name))]
    results = [block for block in blocks if _type(block) == "tool_result"]
    calls = [block for block in blocks if _type(block) in _CALL_BLOCKS]
    rest = [block for block in blocks if block not in results and block not in calls]
    messages = [_result(block) for block in results]
    if rest or not results:
        messages.append(_message(role, plain, _content(rest), _calls(plain, calls, name)))
    return messages


def _message(role: str, plain: dict[str, Any], content: Any, calls: list[dict[str, Any]]) -> dict[str, Any]:
    kept = {key: plain[key] for key in ("id", "name", "tool_call_id") if plain.get(key) is not None}
    message = {"role": role, "content": content, **kept}
    return {**message, "tool_calls": calls} if calls else message


def _result(block: dict[str, Any]) -> dict[str, Any]:
    content = block.get("content")
    return {
        "role": "tool",
        "content": _content(content)
        if isinstance(content, list)
        else to_text("" if content is None else content),
        "tool_call_id": block.get("tool_use_id"),
    }


def _content(blocks: list[Any]) -> Any:
    """Text when there is nothing but text, otherwise the blocks."""
    if all(isinstance(block, str) or _type(block) in _TEXT_BLOCKS for block in blocks):
        return "\n".join(_block_text(block) for block in blocks)
    return blocks


def _block_text(block: Any) -> str:
    if isinstance(block, str):
        return block
    if _type(block) in _TEXT_BLOCKS:
        return to_text(block.get("text") or "")
    return f"[{_type(block) or 'block'}]"


def _type(block: Any) -> str:
    found = block.get("type") if isinstance(block, dict) else None
    return found if isinstance(found, str) else ""


def _calls(plain: dict[str, Any], blocks: list[Any], name: str) -> list[dict[str, Any]]:
    """The calls in the fields of a message and in its content, where LangChain has the same ones again."""
    given: list[Any] = []
    for key in ("tool_calls", "invalid_tool_calls"):
        found = plain.get(key) or []
        if not isinstance(found, list):
            raise PromptError(f"`{name}.{key}` is a {type(found).__name__}; it must be a list of tool calls.")
        given += found
    if plain.get("function_call") and not given:
        given = [plain["function_call"]]
    calls = [_call(raw, name) for raw in given]
    known = {call["id"] for call in calls}
    return calls + [
        call for call in (_call(raw, name) for raw in blocks) if call["id"] not in known or not call["id"]
    ]


def _call(raw: Any, name: str) -> dict[str, Any]:
    if not isinstance(raw, dict):
        raise PromptError(f"`{name}` has a tool call that is a {type(raw).__name__}; it must be an object.")
    inner = next((raw[key] for key in ("function", "custom") if isinstance(raw.get(key), dict)), raw)
    given = next((inner[key] for key in ("arguments", "args", "input") if inner.get(key) is not None), "")
    return {
        "id": raw.get("id") or raw.get("call_id") or "",
        "type": "function",
        "function": {
            "name": to_text(inner.get("name") or ""),
            "arguments": given if isinstance(given, str) else json.dumps(given, ensure_ascii=False),
        },
    }
