"""Simulated users: fixed replies, and a model that plays one."""

from __future__ import annotations

import copy
import uuid
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from typing import Any

from judgekit.core.asking import judged
from judgekit.core.exchange import Answer, Request
from judgekit.core.flow import Flow, through
from judgekit.core.layers import remembered
from judgekit.errors import ConfigError, ContentFilterError, ParseError, RefusalError
from judgekit.evaluators.trajectory_messages import text_of, trajectory_messages
from judgekit.models.base import Model
from judgekit.models.connect import require_model
from judgekit.models.drive import adrive, drive
from judgekit.simulators.conversation import Message

__all__ = [
    "AsyncSimulatedUser",
    "SimulatedUser",
    "create_async_llm_simulated_user",
    "create_llm_simulated_user",
    "is_internal",
]

_OPENING = (
    "Begin the conversation as your instructions describe. Write only what you would say, and nothing else."
)


@dataclass(frozen=True)
class SimulatedUser:
    """A model that plays the user of an app; call it with the conversation so far."""

    system: str
    model: Model
    fixed_responses: tuple[Any, ...] = ()

    def __call__(self, trajectory: Sequence[Any], *, turn_counter: int, **_: Any) -> Any:
        """The user's next message.

        Args:
            trajectory: the messages so far; none at the beginning.
            turn_counter: how many turns are over, from 0.

        Raises:
            JudgeError: the model gave no message.
        """
        return drive(self.flow(trajectory, turn_counter), deadline=self.model.deadline)

    def flow(self, trajectory: Sequence[Any], turn_counter: int) -> Flow[Message]:
        """A fixed response as long as there are any, then what the model says."""
        if turn_counter < len(self.fixed_responses):
            return _said(copy.deepcopy(self.fixed_responses[turn_counter]))
        asking = judged(Request(self.model, self.messages(trajectory)), _read, self.model.patience)
        if self.model.cache is not None:
            asking = through(asking, remembered(self.model.cache))
        return _said((yield from asking).reading)

    def messages(self, trajectory: Sequence[Any]) -> tuple[Message, ...]:
        """The conversation from the user's side: the app speaks as `user` and the model answers as `assistant`.

        Tool calls, their results and system messages are left out. The opening instruction always comes first, since
        many models refuse a conversation that the assistant begins.
        """
        spoken = [
            {"role": _FLIPPED[message["role"]], "content": text_of(message["content"])}
            for message in trajectory_messages(trajectory, name="trajectory")
            if not is_internal(message)
        ]
        return ({"role": "system", "content": self.system}, {"role": "user", "content": _OPENING}, *spoken)


class AsyncSimulatedUser(SimulatedUser):
    """As `SimulatedUser`, awaited."""

    def __call__(self, trajectory: Sequence[Any], *, turn_counter: int, **_: Any) -> Awaitable[Any]:
        return adrive(self.flow(trajectory, turn_counter), deadline=self.model.deadline)


_FLIPPED = {"assistant": "user", "user": "assistant"}


def is_internal(message: Message) -> bool:
    """Whether a message is between an app and its tools, so that its user never sees it."""
    return message.get("role") not in _FLIPPED or bool(
        message["role"] == "assistant" and message.get("tool_calls")
    )


def create_llm_simulated_user(
    *,
    system: str,
    model: str | None = None,
    client: Any = None,
    fixed_responses: Sequence[str | Message] | None = None,
) -> SimulatedUser:
    """Build a simulated user for `run_multiturn_simulation`.

    Args:
        system: who the user is and what they want.
        model: `"provider:model"`, or with a client the name to ask it for.
        client: anything that `judge=` may be: an OpenAI-shaped or Anthropic client, a LangChain chat model, or a `Model`
            from `judgekit.connect`.
        fixed_responses: the user's first messages, texts or messages; the model speaks when they are used up.

    Returns:
        A function `(trajectory, *, turn_counter, thread_id=None)` that returns the user's next message.

    Raises:
        ConfigError: no model, or no system text.
    """
    user = SimulatedUser(*_parts(system, model, client, fixed_responses))
    user.model.sync()
    return user


def create_async_llm_simulated_user(
    *,
    system: str,
    model: str | None = None,
    client: Any = None,
    fixed_responses: Sequence[str | Message] | None = None,
) -> AsyncSimulatedUser:
    """Build an async simulated user: as `create_llm_simulated_user`, awaited."""
    return AsyncSimulatedUser(*_parts(system, model, client, fixed_responses))


def _parts(
    system: str, model: str | None, client: Any, fixed: Sequence[str | Message] | None
) -> tuple[str, Model, tuple[Any, ...]]:
    if not system or not system.strip():
        raise ConfigError(
            "A simulated user needs `system`: a text that says who the user is and what they want."
        )
    if isinstance(fixed, str):
        raise ConfigError("`fixed_responses` is a text; give a list of texts or messages.")
    return system, require_model(client, model), tuple(fixed or ())


def _said(response: Any) -> Message:
    message = {"role": "user", "content": response} if isinstance(response, str) else response
    return (
        {**message, "id": str(uuid.uuid4())}
        if isinstance(message, dict) and not message.get("id")
        else message
    )


def _read(answer: Answer) -> str:
    if answer.finish == "refusal":
        raise RefusalError("The model refused to play the user: reword `system`.", raw=answer.text)
    if answer.finish == "content_filter":
        raise ContentFilterError(
            "The provider's filter removed the simulated user's message.", raw=answer.text
        )
    if answer.finish == "length":
        raise ParseError("The simulated user's message was cut off: raise max_tokens.", code="truncated")
    if not answer.text or not answer.text.strip():
        raise ParseError("The simulated user said nothing.", code="empty")
    return answer.text
