"""A span for every request to a model, by OpenTelemetry's semantic conventions for generative AI.

The names are those of https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans/. Neither messages nor answers are put
into spans: the conventions leave that to whoever asks for it, and judged text may be private.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Generator, Mapping
from typing import Any

from judgekit._version import __version__
from judgekit.core.asking import NotSent
from judgekit.core.exchange import Answer, Request
from judgekit.core.flow import Layer, Outcomes, Round
from judgekit.errors import JudgeError

__all__ = ["traced", "tracing"]


def tracing() -> tuple[Layer, ...]:
    """The layer that traces, for the drivers; none where the process has set up no tracing.

    It is looked up for every judgement, so that tracing may be set up at any time; without OpenTelemetry in the process
    that is one look into a dict, and nothing is imported.
    """
    api: Any = sys.modules.get("opentelemetry.trace")
    if api is None or isinstance(api.get_tracer_provider(), api.ProxyTracerProvider):
        return ()
    return (traced(),)


def traced(provider: Any = None) -> Layer:
    """A layer that makes a span of every request that is really sent: retries and repairs each have their own.

    It stands last, next to the driver: what a cache answers is no request. Requests of one round are sent side by
    side and their spans end together, when the round does; a span begins after the delay of a retry. Spans are made
    when the answer is there, as children of the caller's span.

    Args:
        provider: an OpenTelemetry tracer provider; by default the process's own.
    """
    from opentelemetry import trace

    tracer = trace.get_tracer("judgekit", __version__, provider)

    def layer(effects: Round) -> Generator[Round, Outcomes, Outcomes]:
        began = time.time_ns()
        outcomes = yield effects
        ended = time.time_ns()
        for effect, outcome in zip(effects, outcomes, strict=True):
            if isinstance(effect, Request) and not isinstance(outcome, NotSent):
                start = min(ended, began + int(effect.delay * 1e9))
                _tell(tracer, effect, outcome, (start, ended))
        return outcomes

    return layer


def _tell(tracer: Any, request: Request, outcome: Answer | JudgeError, times: tuple[int, int]) -> None:
    from opentelemetry.trace import SpanKind, StatusCode

    provider, model = _named(request.model.name)
    known = {**_asked(request), **(_answered(outcome) if isinstance(outcome, Answer) else {})}
    span = tracer.start_span(
        f"chat {model}",
        kind=SpanKind.CLIENT,
        start_time=times[0],
        attributes={
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": provider,
            "gen_ai.request.model": model,
            **{name: value for name, value in known.items() if value is not None},
        },
    )
    if not isinstance(outcome, Answer):
        span.set_attribute("error.type", outcome.code)
        span.set_status(StatusCode.ERROR, outcome.message)
    span.end(times[1])


def _named(name: str) -> tuple[str, str]:
    """The provider, by the name that the conventions have for it, and the model."""
    provider, colon, model = name.partition(":")
    return (_PROVIDERS.get(provider, provider), model) if colon else ("judgekit", name)


def _asked(request: Request) -> dict[str, Any]:
    params = {**request.model.params, **request.params}
    found = {f"gen_ai.request.{name}": params.get(name) for name in _NUMBERS}
    plain = {name: value for name, value in found.items() if isinstance(value, int | float)}
    return {**plain, "gen_ai.output.type": None if request.schema is None else "json"}


def _answered(answer: Answer) -> dict[str, Any]:
    usage = answer.usage
    found = {
        "gen_ai.response.model": answer.model,
        "gen_ai.response.id": answer.request_id,
        "gen_ai.response.finish_reasons": (answer.finish,),
    }
    if usage is None:
        return found
    return {
        **found,
        "gen_ai.usage.input_tokens": usage.input_tokens,
        "gen_ai.usage.output_tokens": usage.output_tokens,
        "gen_ai.usage.cache_read.input_tokens": usage.cached_tokens or None,
    }


_NUMBERS = ("temperature", "max_tokens", "seed", "top_p")

_PROVIDERS: Mapping[str, str] = {
    "azure": "azure.ai.openai",
    "azure_openai": "azure.ai.openai",
    "bedrock": "aws.bedrock",
    "bedrock_converse": "aws.bedrock",
    "google_genai": "gcp.gemini",
    "google_vertexai": "gcp.vertex_ai",
    "mistralai": "mistral_ai",
    "xai": "x_ai",
}
"""judgekit's or LangChain's name of a provider -> that of the conventions, where they differ."""
