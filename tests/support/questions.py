"""One question, put to a model by each of the real clients."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from anthropic import Anthropic
    from openai import OpenAI

__all__ = ["QUESTION", "ask", "ask_claude", "content"]

QUESTION: list[Any] = [{"role": "user", "content": "Is 2 + 2 = 4?"}]


def ask(client: OpenAI, **params: Any) -> Any:
    return client.chat.completions.create(model="gpt-x", messages=QUESTION, **params)


def ask_claude(client: Anthropic, **params: Any) -> Any:
    return client.messages.create(model="claude-x", max_tokens=100, messages=QUESTION, **params)


def content(completion: Any) -> Any:
    """What the JSON in a chat completion's text says."""
    return json.loads(completion.choices[0].message.content)
