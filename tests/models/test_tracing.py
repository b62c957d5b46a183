"""Spans of requests to models: what is in them, and that there are none where nobody traces."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from judgekit.core.asking import Patience, deliver
from judgekit.core.exchange import Answer, AnswerSchema, Request, Usage
from judgekit.core.flow import Flow, asking, together
from judgekit.core.layers import remembered
from judgekit.errors import RateLimitError
from judgekit.models.drive import adrive, drive, layered
from judgekit.models.scripted import scripted
from judgekit.models.tracing import traced

sdk = pytest.importorskip("opentelemetry.sdk.trace")


@pytest.fixture
def exporter() -> Any:
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    return InMemorySpanExporter()


@pytest.fixture
def provider(exporter: Any) -> Any:
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor

    made = sdk.TracerProvider(shutdown_on_exit=False)
    made.add_span_processor(SimpleSpanProcessor(exporter))
    return made


def sync_driven(flow: Flow[Any]) -> Any:
    return drive(flow)


def async_driven(flow: Flow[Any]) -> Any:
    return asyncio.run(adrive(flow))


@pytest.fixture(params=[sync_driven, async_driven])
def driven(request: pytest.FixtureRequest) -> Callable[[Flow[Any]], Any]:
    found: Callable[[Flow[Any]], Any] = request.param
    return found


def question(*lines: Any, name: str = "openai:gpt-x", **settings: Any) -> Request:
    model = scripted(*lines, name=name, **settings)
    return Request(model, ({"role": "user", "content": "secret"},), AnswerSchema("score", {}))


ANSWER = Answer("yes", usage=Usage(7, 3, 2), model="gpt-x-2026", request_id="req_1")


def test_a_request_is_a_span_by_the_conventions(
    exporter: Any, provider: Any, driven: Callable[[Flow[Any]], Any]
) -> None:
    with layered(traced(provider)):
        assert driven(asking(question(ANSWER, params={"temperature": 0.5, "user": "me"}))) == ANSWER
    (span,) = exporter.get_finished_spans()
    assert (span.name, span.kind.name, span.status.is_ok) == ("chat gpt-x", "CLIENT", True)
    assert span.instrumentation_scope.name == "judgekit"
    assert dict(span.attributes) == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "gpt-x",
        "gen_ai.request.temperature": 0.5,
        "gen_ai.output.type": "json",
        "gen_ai.response.model": "gpt-x-2026",
        "gen_ai.response.id": "req_1",
        "gen_ai.response.finish_reasons": ("stop",),
        "gen_ai.usage.input_tokens": 7,
        "gen_ai.usage.output_tokens": 3,
        "gen_ai.usage.cache_read.input_tokens": 2,
    }
    assert "secret" not in span.to_json()


def test_each_retry_has_its_own_span_which_does_not_count_the_wait(exporter: Any, provider: Any) -> None:
    request = question(RateLimitError("slow down", retryable=True, retry_after=0.05), ANSWER)
    with layered(traced(provider)):
        drive(deliver(request, Patience(), []))
    failed, answered = exporter.get_finished_spans()
    assert failed.attributes["error.type"] == "rate_limited"
    assert (failed.status.is_ok, answered.status.is_ok) == (False, True)
    assert answered.start_time - failed.end_time >= 0.05e9


def test_spans_are_children_of_the_callers_span(
    exporter: Any, provider: Any, driven: Callable[[Flow[Any]], Any]
) -> None:
    with layered(traced(provider)), provider.get_tracer("app").start_as_current_span("row") as row:
        driven(together(asking(question(ANSWER)), asking(question(ANSWER))))
    spans = exporter.get_finished_spans()
    assert [span.parent and span.parent.span_id for span in spans] == [row.context.span_id] * 2 + [None]


def test_what_was_remembered_or_not_sent_has_no_span(exporter: Any, provider: Any) -> None:
    cache: dict[str, dict[str, Any]] = {}
    with layered(remembered(cache), traced(provider)):
        drive(asking(question(ANSWER)))
        drive(asking(question(ANSWER)))
        drive(asking(question(ANSWER, name="late")), deadline=-1)
    assert len(exporter.get_finished_spans()) == 1


@pytest.mark.parametrize(
    ("name", "provider_name", "model"),
    [
        ("azure:mine", "azure.ai.openai", "mine"),
        ("mistralai:large", "mistral_ai", "large"),
        ("groq:llama:8b", "groq", "llama:8b"),
        ("scripted", "judgekit", "scripted"),
    ],
)
def test_providers_have_the_names_of_the_conventions(
    exporter: Any, provider: Any, name: str, provider_name: str, model: str
) -> None:
    with layered(traced(provider)):
        drive(asking(question(ANSWER, name=name)))
    (span,) = exporter.get_finished_spans()
    assert span.attributes["gen_ai.provider.name"] == provider_name
    assert span.attributes["gen_ai.request.model"] == model


def test_nothing_is_traced_until_the_process_sets_it_up() -> None:
    script = """
import sys
from judgekit.models.tracing import tracing
assert tracing() == () and "opentelemetry" not in sys.modules
import opentelemetry.trace
assert tracing() == ()
from opentelemetry.sdk.trace import TracerProvider
opentelemetry.trace.set_tracer_provider(TracerProvider())
assert len(tracing()) == 1
"""
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)
