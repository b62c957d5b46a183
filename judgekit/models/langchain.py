"""LangChain chat models, and runnables that wrap one, as judges.

A chat model is asked through `with_structured_output(..., include_raw=True)`, so each provider package picks its own
best way; the raw message is then read like any other answer, because the parsers behind that call accept cut,
incomplete and conflicting answers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from judgekit.core.exchange import Answer, AnswerSchema, Finish, Request, ToolCall, Usage
from judgekit.errors import ModelError
from judgekit.models.base import Call
from judgekit.models.capabilities import Capabilities
from judgekit.models.fields import count, items, pick, text
from judgekit.models.openai import recover as recover_openai
from judgekit.models.wire import with_instruction

__all__ = [
    "LADDER",
    "Chat",
    "decode",
    "encode",
    "is_chat_model",
    "is_runnable",
    "model_name",
    "recover",
    "structured",
]

LADDER = ("structured", "prompt")

_FINISH: Mapping[str, Finish] = {
    "length": "length",
    "max_tokens": "length",
    "MAX_TOKENS": "length",
    "model_context_window_exceeded": "length",
    "content_filter": "content_filter",
    "SAFETY": "content_filter",
    "refusal": "refusal",
}


def is_chat_model(judge: Any) -> bool:
    """Whether it answers messages and can be asked for structured output: `BaseChatModel` or a double of one."""
    return callable(getattr(judge, "with_structured_output", None)) and callable(
        getattr(judge, "invoke", None)
    )


def is_runnable(judge: Any) -> bool:
    """Whether it is a LangChain runnable, by the methods that all of them have."""
    return callable(getattr(judge, "invoke", None)) and callable(getattr(judge, "ainvoke", None))


def encode(request: Request, capabilities: Capabilities) -> Call:
    """Messages in OpenAI's dicts, content blocks in LangChain's own, and the schema beside them."""
    format_ = capabilities.format if request.schema else None
    messages: Sequence[Mapping[str, Any]] = request.messages
    if request.schema and format_ == "prompt":
        messages = with_instruction(messages, request.schema)
    wanted = request.schema if format_ == "structured" else None
    params = {**request.model.params, **request.params}
    return Call(
        {"messages": [_normal(message) for message in messages], "schema": wanted, "params": params}, format_
    )


def _normal(message: Mapping[str, Any]) -> dict[str, Any]:
    content = message.get("content")
    if not isinstance(content, (list, tuple)):
        return dict(message)
    from langchain_core.messages import HumanMessage

    return {**message, "content": HumanMessage(content=list(content)).content_blocks}


@dataclass(frozen=True)
class Chat:
    """Calls one LangChain judge. What `with_structured_output` returned is kept for the schema it was made for."""

    judge: Any
    kwargs: Mapping[str, Any]
    _last: list[tuple[AnswerSchema, Any]] = field(default_factory=list)

    def call(self, call: Call) -> Any:
        return self._target(call).invoke(call.payload["messages"])

    async def acall(self, call: Call) -> Any:
        return await self._target(call).ainvoke(call.payload["messages"])

    def _target(self, call: Call) -> Any:
        schema: AnswerSchema | None = call.payload["schema"]
        params = call.payload["params"]
        if schema is None:
            return _configured(self.judge, params)
        if params:
            return structured(_configured(self.judge, params), _titled(schema), self.kwargs)
        kept = list(self._last)
        if not kept or kept[0][0] is not schema:
            kept = [(schema, structured(self.judge, _titled(schema), self.kwargs))]
            self._last[:] = kept
        return kept[0][1]


def _titled(wanted: AnswerSchema) -> dict[str, Any]:
    description = wanted.description or "The verdict on the judged output, with its explanation."
    return {"title": wanted.name, "description": description, **wanted.schema}


def _configured(judge: Any, params: Mapping[str, Any]) -> Any:
    """The judge with parameters set for this call; a runnable binds them, so the caller's object stays as it is."""
    given = {name: value for name, value in params.items() if value is not None}
    if not given:
        return judge
    copied = _copied(judge, given)
    return copied if copied is not None else judge.bind(**given)


def _copied(judge: Any, given: Mapping[str, Any]) -> Any | None:
    """A chat model with other settings: only those that the model has, the others cannot be sent."""
    fields = getattr(type(judge), "model_fields", None)
    if not isinstance(fields, Mapping) or not is_chat_model(judge):
        return None
    known = {name: value for name, value in given.items() if name in fields}
    return judge.model_copy(update=known)


def structured(judge: Any, schema: dict[str, Any], kwargs: Mapping[str, Any]) -> Any:
    """The judge, asked for the schema; wrappers (`with_retry`, `with_fallbacks`) are rebuilt around what they wrap."""
    name = type(judge).__name__
    if name == "RunnableRetry":
        return judge.model_copy(update={"bound": structured(judge.bound, schema, kwargs)})
    if name == "RunnableWithFallbacks":
        inner = structured(judge.runnable, schema, kwargs)
        others = [structured(other, schema, kwargs) for other in judge.fallbacks]
        return judge.model_copy(update={"runnable": inner, "fallbacks": others})
    if name == "RunnableBinding" and is_chat_model(judge.bound):
        return judge.bound.with_structured_output(schema, **{**kwargs, **judge.kwargs, "include_raw": True})
    if is_chat_model(judge):
        return judge.with_structured_output(schema, **{**kwargs, "include_raw": True})
    raise ModelError(
        f"{name} has no with_structured_output", said="structured output not supported", retryable=False
    )


def decode(raw: Any) -> Answer:
    """What LangChain returned: `{"raw", "parsed", "parsing_error"}`, a message, or an object already parsed.

    Raises:
        ModelError: it is none of these.
    """
    if isinstance(raw, Mapping) and "raw" in raw and "parsed" in raw:
        message = raw["raw"]
        return _from_message(message) if message is not None else _from_object(raw["parsed"])
    if text(raw, "type") == "ai" or isinstance(pick(raw, "response_metadata"), Mapping):
        return _from_message(raw)
    if isinstance(raw, str):
        return Answer(raw)
    return _from_object(raw)


def _from_object(parsed: Any) -> Answer:
    dump = getattr(parsed, "model_dump", None)
    given = parsed if isinstance(parsed, Mapping) else dump(mode="json") if callable(dump) else None
    if isinstance(given, Mapping):
        return Answer(calls=(ToolCall("score", given),))
    if parsed is None:
        return Answer()
    raise ModelError(f"The LangChain judge returned {type(parsed).__name__}, not a message.", retryable=False)


def _from_message(message: Any) -> Answer:
    metadata = pick(message, "response_metadata") or {}
    reason = next((r for key in ("finish_reason", "stop_reason") if (r := text(metadata, key))), "stop")
    extra = pick(message, "additional_kwargs") or {}
    refusal = text(extra, "refusal")
    usage = pick(message, "usage_metadata")
    return Answer(
        text=_visible(pick(message, "content")),
        calls=_calls(message),
        finish="refusal" if refusal else _FINISH.get(reason, "stop"),
        detail=refusal or text(metadata, "stop_details", "category") or reason,
        usage=Usage(
            count(usage, "input_tokens"),
            count(usage, "output_tokens"),
            count(usage, "input_token_details", "cache_read"),
            count(usage, "output_token_details", "reasoning"),
        )
        if isinstance(usage, Mapping)
        else None,
        model=text(metadata, "model_name") or text(metadata, "model"),
        request_id=text(message, "id"),
        hidden=bool(text(extra, "reasoning_content")),
    )


def _visible(content: Any) -> str | None:
    if isinstance(content, str):
        return content
    parts = [
        part if isinstance(part, str) else text(part, "text") or ""
        for part in items(content)
        if _is_shown(part)
    ]
    return "".join(parts) if parts else None


def _is_shown(part: Any) -> bool:
    return isinstance(part, str) or text(part, "type") in ("text", "output_text")


def _calls(message: Any) -> tuple[ToolCall, ...]:
    """Calls that LangChain could parse and calls that it could not: both are what the model said."""
    found = [
        ToolCall(text(call, "name") or "score", arguments)
        for key in ("tool_calls", "invalid_tool_calls")
        for call in items(message, key)
        if isinstance(arguments := pick(call, "args"), (str, Mapping))
    ]
    return tuple(found)


def recover(error: Exception) -> Answer | None:
    """The answer that a LangChain exception holds: the parsers behind a chat model raise instead of returning it."""
    names = {cls.__name__ for cls in type(error).__mro__}
    if names & {"OpenAIRefusalError", "ModelRefusalError"}:
        return Answer(finish="refusal", detail=str(error))
    if "OutputParserException" in names:
        return Answer(text(error, "llm_output") or str(error))
    return recover_openai(error)


def model_name(judge: Any) -> str:
    """What to call the judge in results: its model's name where it tells one, else its class."""
    for attribute in ("model_name", "model", "model_id"):
        if found := text(judge, attribute):
            return found
    for attribute in ("bound", "runnable"):
        inner = pick(judge, attribute)
        if inner is not None and is_runnable(inner) and inner is not judge:
            return model_name(inner)
    return type(judge).__name__
