"""The OpenAI-shaped chat completion, as OpenAI, Azure, Ollama, vLLM, llama.cpp and many others speak it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from judgekit.core.exchange import Answer, AnswerSchema, Finish, Request, ToolCall, Usage
from judgekit.core.schemas import strict_ready
from judgekit.errors import ModelError
from judgekit.models.base import Call
from judgekit.models.capabilities import Capabilities
from judgekit.models.fields import count, items, pick, text
from judgekit.models.wire import closed, plain, with_instruction

__all__ = ["LADDER", "body_of", "decode", "encoder", "no_answer", "recover"]

LADDER = ("json_schema", "tool", "json_object", "prompt")

_FINISH: Mapping[str, Finish] = {
    "length": "length",
    "max_tokens": "length",
    "content_filter": "content_filter",
    "SAFETY": "content_filter",
    "refusal": "refusal",
}


def encoder(model: str, *, budget_name: str = "max_completion_tokens") -> Any:
    """Make the `encode` of one model.

    Args:
        model: the model's name on the wire.
        budget_name: what the endpoint calls the output budget.
    """

    def encode(request: Request, capabilities: Capabilities) -> Call:
        payload: dict[str, Any] = {"model": model, "messages": list(request.messages)}
        format_ = capabilities.format if request.schema else None
        if request.schema and format_:
            _ask_for(request.schema, format_, payload, capabilities)
        for name, value in {**request.model.params, **request.params}.items():
            wire = budget_name if name == "max_tokens" else name
            wire = capabilities.renamed.get(wire, wire)
            if value is not None and wire not in capabilities.dropped:
                payload[wire] = value
        return Call(payload, format_)

    return encode


def _ask_for(wanted: AnswerSchema, format_: str, payload: dict[str, Any], capabilities: Capabilities) -> None:
    schema = closed(wanted.schema)
    strict = wanted.strict and strict_ready(schema)
    if capabilities.plain_schema:
        schema = plain(schema)
    described = {"description": wanted.description} if wanted.description else {}
    if format_ == "json_schema":
        body = {"name": wanted.name, **described, "strict": strict, "schema": schema}
        payload["response_format"] = {"type": "json_schema", "json_schema": body}
    elif format_ == "tool":
        function = {"name": wanted.name, **described, "parameters": schema}
        payload["tools"] = [{"type": "function", "function": function}]
        payload["tool_choice"] = {"type": "function", "function": {"name": wanted.name}}
    else:
        payload["messages"] = with_instruction(payload["messages"], wanted)
        if format_ == "json_object":
            payload["response_format"] = {"type": "json_object"}


def decode(raw: Any) -> Answer:
    """A chat completion, as an SDK object, a dict, or an HTTP response's body.

    Raises:
        ModelError: it is none: an error body under status 200, a page of HTML, no choices.
    """
    body = body_of(raw)
    choices = items(body, "choices")
    if not choices:
        raise no_answer(body)
    choice = choices[0]
    message = pick(choice, "message")
    shown, refused = _content(pick(message, "content"))
    refusal = text(message, "refusal") or refused
    reason = text(choice, "finish_reason") or "stop"
    finish: Finish = "refusal" if refusal else _FINISH.get(reason, "stop")
    return Answer(
        text=shown,
        calls=_calls(message),
        finish=finish,
        detail=refusal or reason,
        usage=_usage(body),
        model=text(body, "model"),
        request_id=text(body, "_request_id") or text(body, "id"),
        hidden=bool(text(message, "reasoning_content") or text(message, "reasoning")),
    )


def recover(error: Exception) -> Answer | None:
    """The answer that an exception of the client's own parser holds: cut, or emptied by a filter."""
    completion = pick(error, "completion")
    if completion is not None and items(completion, "choices"):
        return decode(completion)
    if type(error).__name__ == "ContentFilterFinishReasonError":
        return Answer(finish="content_filter", detail="content_filter")
    return None


def body_of(raw: Any) -> Any:
    """What was answered: the JSON of an HTTP response, or the client's own object as it is.

    Raises:
        ModelError: the response is no JSON.
    """
    content = getattr(raw, "content", None)
    if isinstance(content, bytes):
        try:
            return json.loads(content)
        except ValueError as error:
            shown = content[:200].decode("utf-8", "replace")
            raise ModelError(
                f"The provider answered with something that is no JSON: {shown!r}", retryable=True
            ) from error
    return raw


def no_answer(body: Any) -> ModelError:
    """The failure that an answer without an answer is."""
    if isinstance(body, str):
        said = f"a page of text instead of a completion: {body[:200]!r}"
    else:
        error = pick(body, "error")
        said = f"an error under status 200: {error!r}" if isinstance(error, (str, Mapping)) else "no choices"
    return ModelError(
        f"The provider answered with {said}.", retryable=True, said=str(pick(body, "error") or "")
    )


def _content(content: Any) -> tuple[str | None, str | None]:
    """The visible text, its parts joined and thinking left out; and a refusal that came as a part."""
    if not isinstance(content, (list, tuple)):
        return (content if isinstance(content, str) else None), None
    texts = [part if isinstance(part, str) else text(part, "text") for part in content if _is_shown(part)]
    refusal = next((text(part, "refusal") for part in content if text(part, "type") == "refusal"), None)
    return "".join(filter(None, texts)), refusal


def _is_shown(part: Any) -> bool:
    return isinstance(part, str) or text(part, "type") in ("text", "output_text", None)


def _calls(message: Any) -> tuple[ToolCall, ...]:
    functions: list[Any] = [pick(call, "function") for call in items(message, "tool_calls")]
    functions.append(pick(message, "function_call"))
    return tuple(
        ToolCall(name, arguments)
        for function in functions
        if (name := text(function, "name")) is not None
        and isinstance(arguments := pick(function, "arguments"), (str, Mapping))
    )


def _usage(body: Any) -> Usage | None:
    usage = pick(body, "usage")
    if not isinstance(pick(usage, "prompt_tokens"), int):
        return None
    return Usage(
        count(usage, "prompt_tokens"),
        count(usage, "completion_tokens"),
        count(usage, "prompt_tokens_details", "cached_tokens"),
        count(usage, "completion_tokens_details", "reasoning_tokens"),
    )
