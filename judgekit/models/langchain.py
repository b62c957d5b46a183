"""LangChain chat models, and runnables that wrap one, as judges.

A chat model is asked through `with_structured_output(..., include_raw=True)`, so each provider package picks its own
best way; the raw message is then read like any other answer, because the parsers behind that call accept cut,
incomplete and conflicting answers.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from judgekit.core.exchange import Answer, AnswerSchema, Finish, Request, ToolCall, Usage
from judgekit.errors import ConfigError, ModelError
from judgekit.models.call import Call
from judgekit.models.capabilities import Capabilities
from judgekit.models.fields import count, items, pick, text
from judgekit.models.openai import recover as recover_openai
from judgekit.models.runnables import configured, is_chat_model, leaves, rebuilt
from judgekit.models.wire import with_instruction

__all__ = ["LADDER", "Chat", "decode", "encode", "recover"]

LADDER = ("structured", "prompt")

_FINISH: Mapping[str, Finish] = {
    "length": "length",
    "max_tokens": "length",
    "MAX_TOKENS": "length",
    "model_context_window_exceeded": "length",
    "content_filter": "content_filter",
    "BLOCKLIST": "content_filter",
    "PROHIBITED_CONTENT": "content_filter",
    "SAFETY": "content_filter",
    "refusal": "refusal",
}


def encode(request: Request, capabilities: Capabilities) -> Call:
    """Messages in OpenAI's dicts, content blocks in LangChain's own, and the schema beside them."""
    format_ = capabilities.format if request.schema else None
    messages: Sequence[Mapping[str, Any]] = request.messages
    if request.schema and format_ == "prompt":
        messages = with_instruction(messages, request.schema)
    payload = {
        "messages": [_normal(message) for message in messages],
        "schema": request.schema if format_ == "structured" else None,
        "params": {**request.model.params, **request.params},
    }
    return Call(payload, format_)


def _normal(message: Mapping[str, Any]) -> dict[str, Any]:
    content = message.get("content")
    if not isinstance(content, (list, tuple)):
        return dict(message)
    from langchain_core.messages import HumanMessage

    return {**message, "content": HumanMessage(content=list(content)).content_blocks}


@dataclass(frozen=True)
class Chat:
    """Calls one LangChain judge.

    Attributes:
        judge: a chat model, or a runnable around one.
        kwargs: passed on to `with_structured_output`.
    """

    judge: Any
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    _made: dict[str, tuple[AnswerSchema | None, Any]] = field(default_factory=dict, repr=False, compare=False)

    def check(self, params: Mapping[str, Any]) -> None:
        """Refuse parameters that could not be sent.

        Raises:
            ConfigError: a model that answers here has no such setting.
        """
        for leaf in leaves(self.judge):
            _, rest = configured(leaf, params)
            if rest and (not is_chat_model(leaf) or hasattr(type(leaf), "model_fields")):
                raise ConfigError(
                    f"{type(leaf).__name__} has no setting {', '.join(sorted(rest))}: set it where the model is made."
                )

    def call(self, call: Call) -> Any:
        return self._asked(call.payload).invoke(call.payload["messages"])

    async def acall(self, call: Call) -> Any:
        return await self._asked(call.payload).ainvoke(call.payload["messages"])

    def _asked(self, payload: Mapping[str, Any]) -> Any:
        """The judge as it is asked with this schema and these parameters; made once for a judge that asks again."""
        schema, params = payload["schema"], payload["params"]
        key = f"{id(schema)} {sorted(params.items())!r}"
        found = self._made.get(key)
        if found is None or found[0] is not schema:
            if len(self._made) >= _KEPT:
                self._made.clear()
            self._made[key] = found = (schema, rebuilt(self.judge, self._change(schema, params)))
        return found[1]

    def _change(self, schema: AnswerSchema | None, params: Mapping[str, Any]) -> Any:
        def change(leaf: Any, bound: Mapping[str, Any]) -> Any:
            if not is_chat_model(leaf):
                return leaf.bind(**bound) if bound else leaf
            model, rest = configured(leaf, {**bound, **params})
            rest = {
                name: value for name, value in rest.items() if name != "max_tokens"
            }  # it has no budget to raise
            if schema is None:
                return model.bind(**rest) if rest else model
            asking = {**rest, **self.kwargs, "include_raw": True}
            return model.with_structured_output(_titled(schema), **asking)

        return change


_KEPT = 16


def _titled(wanted: AnswerSchema) -> dict[str, Any]:
    """The schema under the name that the answer's tool call will have."""
    description = wanted.description or "The verdict on the judged output, with its explanation."
    return {"description": description, **wanted.schema, "title": wanted.name}


def decode(raw: Any) -> Answer:
    """What LangChain returned: `{"raw", "parsed", "parsing_error"}`, a message, or an object already parsed.

    Raises:
        ModelError: it is none of these.
    """
    if isinstance(raw, Mapping) and "raw" in raw and "parsed" in raw:
        message = raw["raw"]
        return _from_message(message) if message is not None else _from_object(raw["parsed"])
    if isinstance(raw, str):
        return Answer(raw)
    if _is_message(raw):
        return _from_message(raw)
    return _from_object(raw)


def _is_message(raw: Any) -> bool:
    if isinstance(raw, Mapping):
        return "role" in raw and "content" in raw
    return text(raw, "type") == "ai" or isinstance(getattr(raw, "response_metadata", None), Mapping)


def _from_object(parsed: Any) -> Answer:
    dump = getattr(parsed, "model_dump", None)
    given = parsed if isinstance(parsed, Mapping) else dump(mode="json") if callable(dump) else None
    if isinstance(given, Mapping):
        return Answer(json.dumps(dict(given), ensure_ascii=False, default=str))
    if parsed is None:
        return Answer()
    raise ModelError(f"The LangChain judge returned {type(parsed).__name__}, not a message.")


def _from_message(message: Any) -> Answer:
    metadata = pick(message, "response_metadata") or {}
    reason = next((r for key in ("finish_reason", "stop_reason") if (r := text(metadata, key))), "stop")
    extra = pick(message, "additional_kwargs") or {}
    refusal = text(extra, "refusal")
    return Answer(
        text=_visible(pick(message, "content")),
        calls=_calls(message),
        finish="refusal" if refusal else _FINISH.get(reason, "stop"),
        detail=refusal or text(metadata, "stop_details", "category") or reason,
        usage=_usage(pick(message, "usage_metadata")),
        model=text(metadata, "model_name") or text(metadata, "model"),
        request_id=text(metadata, "request_id") or text(metadata, "id"),
        hidden=bool(text(extra, "reasoning_content")),
    )


def _usage(usage: Any) -> Usage | None:
    if not isinstance(usage, Mapping):
        return None
    return Usage(
        count(usage, "input_tokens"),
        count(usage, "output_tokens"),
        count(usage, "input_token_details", "cache_read"),
        count(usage, "output_token_details", "reasoning"),
    )


def _visible(content: Any) -> str | None:
    if isinstance(content, str):
        return content
    parts = [
        part if isinstance(part, str) else text(part, "text") for part in items(content) if _is_shown(part)
    ]
    return "".join(filter(None, parts)) if parts else None


def _is_shown(part: Any) -> bool:
    return isinstance(part, str) or text(part, "type") in ("text", "output_text")


def _calls(message: Any) -> tuple[ToolCall, ...]:
    """Calls that LangChain could parse and calls that it could not: both are what the model said."""
    return tuple(
        ToolCall(text(call, "name") or "", arguments)
        for key in ("tool_calls", "invalid_tool_calls")
        for call in items(pick(message, key))
        if isinstance(arguments := pick(call, "args"), (str, Mapping))
    )


def recover(error: Exception) -> Answer | None:
    """The answer that a LangChain exception holds: the parsers behind a chat model raise instead of returning it."""
    names = {cls.__name__ for cls in type(error).__mro__}
    if names & {"OpenAIRefusalError", "ModelRefusalError"}:
        return Answer(finish="refusal", detail=str(error))
    if "OutputParserException" in names:
        return Answer(text(error, "llm_output") or str(error))
    return recover_openai(error)
