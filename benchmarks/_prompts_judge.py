"""A local judge that computes the part which prompts share once: verdicts from probabilities, with the prefix cache on.

judgekit's own engine computes each prompt anew, so that the same question gets the same answer to the last bit. Here
hundreds of prompts begin with the same rubric, and what follows it is short; a probability may then differ in its
second decimal from the one computed anew, for every prompt alike.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from judgekit.core.exchange import Answer, Request
from judgekit.models.base import Call, Model
from judgekit.models.local_server import Chat, Setup, shared
from judgekit.models.readout import Token, allowed, asking, masses, verdict

__all__ = ["sharing_prefix"]

CONTEXT = 4096
_ONE_TOKEN = {
    "cache_prompt": True,
    "temperature": 0,
    "max_tokens": 1,
    "logprobs": True,
    "top_logprobs": 500,
    "grammar": "root ::= [ -~]+",
}


def sharing_prefix(path: str, threads: int) -> Model:
    """A GGUF file as a judge; `threads` compute."""
    server = shared(Setup(Path(path).resolve(), CONTEXT, threads))

    def call(wish: Call) -> Answer:
        with server.turn() as chat:
            return _read_out(chat, wish.payload["request"])

    return Model(
        f"local:{Path(path).name}", lambda request, _: Call({"request": request}), lambda answer: answer, call
    )


def _read_out(chat: Chat, request: Request) -> Answer:
    assert request.schema is not None
    asked = asking(request.messages, request.schema)

    def look(written: str) -> list[Token]:
        begun = [*asked, {"role": "assistant", "content": written}]
        completion: Any = chat({**_ONE_TOKEN, "messages": begun})
        likeliest = completion["choices"][0]["logprobs"]["content"][0]["top_logprobs"]
        return [Token(bytes(token["bytes"]), math.exp(token["logprob"])) for token in likeliest]

    text, probabilities, mass = verdict(masses(allowed(request.schema), look))
    return Answer(text, detail=f"mass={mass:.3g}", probabilities=probabilities, explains=False)
