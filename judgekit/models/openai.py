"""The OpenAI-shaped chat completion, as OpenAI, Azure, Ollama, vLLM, llama.cpp and many others speak it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from judgekit.core.exchange import Answer, AnswerSchema, Finish, Request, ToolCall, Usage
from judgekit.core.schemas import strict_ready
from judgekit.errors import ModelError
from judgekit.models.call import Call
from judgekit.models.capabilities import Capabilities
from judgekit.models.failures import failure_under_200
from judgekit.models.fields import count, getter, items, pick, string, text
from judgekit.models.wire import closed, for_each_schema, with_instruction, without

__all__ = ["LADDER", "Encoder", "body_of", "decode", "no_answer", "recover", "request_id"]

LADDER = ("json_schema", "tool", "json_object", "prompt")

_FINISH: Mapping[str, Finish] = {
    "length": "length",
    "max_tokens": "length",
    "content_filter": "content_filter",
    "SAFETY": "content_filter",
    "refusal": "refusal",
}


@dataclass(frozen=True, slots=True)
class Encoder:
    """The `encode` of one model.

    Attributes:
        model: the model's name on the wire.
        budget: what the endpoint calls the output budget.
    """

    model: str
    budget: str = "max_completion_tokens"

    def __call__(self, request: Request, capabilities: Capabilities) -> Call:
        schema = request.schema
        format_ = keywords = None
        messages: Any = request.messages
        asking: Mapping[str, Any] = {}
        if schema is not None:
            format_, keywords = capabilities.format, capabilities.keywords
            if format_ in ("json_object", "prompt"):
                messages = with_instruction(messages, schema)
            asking = _asking_for(schema, format_, keywords)
        payload = {"model": self.model, "messages": list(messages), **asking}
        for name, value in {**request.model.params, **request.params}.items():
            wire = self.budget if name == "max_tokens" else name
            wire = capabilities.renamed.get(wire, wire)
            if value is not None and wire not in capabilities.dropped:
                payload[wire] = value
        return Call(payload, format_, keywords or frozenset())


@for_each_schema
def _asking_for(wanted: AnswerSchema, format_: str, keywords: frozenset[str]) -> Mapping[str, Any]:
    schema = without(closed(wanted.schema), keywords)
    described = {"description": wanted.description} if wanted.description else {}
    match format_:
        case "json_schema":
            strict = wanted.strict and strict_ready(schema)
            body = {"name": wanted.name, **described, "strict": strict, "schema": schema}
            return {"response_format": {"type": "json_schema", "json_schema": body}}
        case "tool":
            function = {"name": wanted.name, **described, "parameters": schema}
            return {
                "tools": [{"type": "function", "function": function}],
                "tool_choice": {"type": "function", "function": {"name": wanted.name}},
            }
        case "json_object":
            return {"response_format": {"type": "json_object"}}
    return {}


def decode(raw: Any) -> Answer:
    """A chat completion, as an SDK object, a dict, or an HTTP response's body.

    Raises:
        ModelError: it is none: an error body under status 200, a page of HTML, no choices.
    """
    body = body_of(raw)
    of_body = getter(body)
    choices = items(of_body(body, "choices"))
    if not choices:
        raise no_answer(body)
    choice = choices[0]
    message = pick(choice, "message")
    get = getter(message)
    shown, refused = _content(get(message, "content"))
    refusal = string(get(message, "refusal")) or refused
    reason = text(choice, "finish_reason") or "stop"
    return Answer(
        text=shown,
        calls=_calls(get(message, "tool_calls"), get(message, "function_call")),
        finish="refusal" if refusal else _FINISH.get(reason, "stop"),
        detail=refusal or reason,
        usage=_usage(of_body(body, "usage")),
        model=string(of_body(body, "model")),
        request_id=request_id(raw, body, "x-request-id"),
        hidden=not shown and bool(text(message, "reasoning_content") or text(message, "reasoning")),
    )


def recover(error: Exception) -> Answer | None:
    """The answer that an exception holds: cut or filtered, from a client that parses; no JSON, from a server that does."""
    completion = pick(error, "completion")
    if completion is not None and items(pick(completion, "choices")):
        return decode(completion)
    if type(error).__name__ == "ContentFilterFinishReasonError":
        return Answer(finish="content_filter", detail="content_filter")
    generated = text(error, "body", "failed_generation")
    return None if generated is None else Answer(generated, request_id=text(error, "request_id"))


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
            raise failure_under_200(f"something that is no JSON: {shown!r}") from error
    return raw


def request_id(raw: Any, body: Any, header: str) -> str | None:
    """The provider's id of the request: from a header of the response, or where the client keeps it; else the answer's."""
    if raw is not body:
        return raw.headers.get(header) or text(body, "id")
    return text(body, "_request_id") or text(body, "id")


def no_answer(body: Any) -> ModelError:
    """The failure that an answer without an answer is."""
    if isinstance(body, str):
        return failure_under_200(f"a page of text instead of a completion: {body[:200]!r}")
    error = pick(body, "error")
    if isinstance(error, (str, Mapping)):
        said = f"an error under status 200: {error!r}"
        return failure_under_200(said, code=pick(error, "code"), text=str(error))
    return failure_under_200("no choices")


def _content(content: Any) -> tuple[str | None, str | None]:
    """The visible text, its parts joined and thinking left out; and a refusal that came as a part."""
    if isinstance(content, str):
        return content, None
    if not isinstance(content, (list, tuple)):
        return None, None
    texts = [part if isinstance(part, str) else text(part, "text") for part in content if _is_shown(part)]
    refusal = next((text(part, "refusal") for part in content if text(part, "type") == "refusal"), None)
    return "".join(filter(None, texts)), refusal


def _is_shown(part: Any) -> bool:
    return isinstance(part, str) or text(part, "type") in ("text", "output_text", None)


def _calls(calls: Any, legacy: Any) -> tuple[ToolCall, ...]:
    if not calls and legacy is None:
        return ()
    return tuple(
        ToolCall(name, arguments)
        for function in (*(pick(call, "function") for call in items(calls)), legacy)
        if (name := text(function, "name")) is not None
        and isinstance(arguments := pick(function, "arguments"), (str, Mapping))
    )


def _usage(usage: Any) -> Usage | None:
    get = getter(usage)
    if not isinstance(get(usage, "prompt_tokens"), int):
        return None
    asked, said = get(usage, "prompt_tokens_details"), get(usage, "completion_tokens_details")
    return Usage(
        count(get(usage, "prompt_tokens")),
        count(get(usage, "completion_tokens")),
        0 if asked is None else count(asked, "cached_tokens"),
        0 if said is None else count(said, "reasoning_tokens"),
    )
