"""`local:...`: a GGUF model in this process, as a `Model`."""

from __future__ import annotations

from typing import Any

from judgekit.core.exchange import Answer, Request
from judgekit.errors import ConfigError
from judgekit.models.base import Call, Model
from judgekit.models.capabilities import Capabilities
from judgekit.models.local import LocalEngine
from judgekit.models.weights import resolve_weights

__all__ = ["local_model"]

_READOUTS = (None, "text", "logprobs")


def local_model(spec: str, *, readout: str | None = None) -> Model:
    """A model of the embedded engine.

    Args:
        spec: `"smollm2"`, a path to a `.gguf` file, or `"OWNER/REPO/FILE.gguf"`.
        readout: None or `"text"` generates the answer under a grammar; `"logprobs"` takes the verdict from the
            probabilities of the allowed values, which is faster and, on small models, better.

    Raises:
        ConfigError: no such weights, or an unknown readout.
        MissingDependencyError: the engine or the weights are not installed.
    """
    if readout not in _READOUTS:
        raise ConfigError(f"readout is {readout!r}: it is 'logprobs' or 'text'.")
    engine = LocalEngine(resolve_weights(spec))

    def call(call: Call) -> Answer:
        return _ask(engine, call.payload["request"], readout)

    return Model(f"local:{spec}", _encode, _same, call, client=engine)


def _encode(request: Request, _: Capabilities) -> Call:
    return Call({"request": request})


def _ask(engine: LocalEngine, request: Request, readout: str | None) -> Answer:
    params: dict[str, Any] = {**request.model.params, **request.params}
    if readout == "logprobs" and request.schema is not None:
        return engine.read_out(request.messages, request.schema, params)
    return engine.generate(request.messages, request.schema, params)


def _same(answer: Answer) -> Answer:
    return answer
