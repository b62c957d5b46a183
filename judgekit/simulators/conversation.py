"""A simulated conversation as a list of messages: what of a reply is new, and how it is added. No message is lost.

An app may answer with its new messages or with its whole history. A message that stands alone is new, whatever its id;
in a list, what stands before and with the message that was answered is history.
"""

from __future__ import annotations

import copy
import uuid
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from judgekit.errors import ConfigError, PromptError
from judgekit.evaluators.trajectory_messages import trajectory_messages

__all__ = ["Message", "Speaker", "extended", "new_messages"]

Message = dict[str, Any]
Speaker = Literal["app", "user"]

_ROLE: Mapping[Speaker, str] = {"app": "assistant", "user": "user"}


def new_messages(reply: Any, trajectory: Sequence[Message], *, by: Speaker) -> list[Message]:
    """Return the messages of a reply that are not in the trajectory yet.

    Args:
        reply: a text, a message, a list of these, or `{"messages": [...]}`; OpenAI, LangChain and Anthropic messages.
        trajectory: the conversation so far, which ends with the message that is answered.
        by: who answers; a bare text gets that one's role.

    Raises:
        ConfigError: the reply is None, or no message.
    """
    if reply is None:
        raise ConfigError(f"The {by} returned None: return a text, a message, or {{'messages': [...]}}.")
    try:
        messages = trajectory_messages(reply, name=f"the {by}'s reply", text_role=_ROLE[by])
    except PromptError as error:
        raise ConfigError(f"The {by} returned what is no reply. {error}") from error
    return messages[_known(messages, trajectory) :] if _is_list(reply) else messages


def extended(trajectory: Sequence[Message], messages: Sequence[Message]) -> list[Message]:
    """Return the trajectory with messages added; each has an id, and one whose id is taken gets another."""
    taken = {message["id"] for message in trajectory}
    added = []
    for message in messages:
        given = message.get("id")
        identity = given if given is not None and given not in taken else str(uuid.uuid4())
        taken.add(identity)
        added.append({**copy.deepcopy(message), "id": identity})
    return [*trajectory, *added]


def _is_list(reply: Any) -> bool:
    return (isinstance(reply, Mapping) and "role" not in reply and "messages" in reply) or isinstance(
        reply, list
    )


def _known(messages: Sequence[Message], trajectory: Sequence[Message]) -> int:
    """How many messages of a list are history."""
    if not trajectory:
        return 0
    answered = trajectory[-1]
    for same in (_same_id, _same_content):
        for index in range(len(messages) - 1, -1, -1):
            if messages[index]["role"] == answered["role"] and same(messages[index], answered):
                return index + 1
    return _own_history(messages, trajectory)


def _same_id(one: Message, other: Message) -> bool:
    return one.get("id") is not None and one["id"] == other.get("id")


def _same_content(one: Message, other: Message) -> bool:
    return all(one.get(key) == other.get(key) for key in ("content", "tool_calls", "tool_call_id"))


def _own_history(messages: Sequence[Message], trajectory: Sequence[Message]) -> int:
    """The length of the list's beginning when that is all that the app said before, known by ids of which none repeats."""
    said = [message["id"] for message in trajectory if message["role"] != "user"]
    ids = [message.get("id") for message in messages]
    repeats = None in ids or len(set(ids)) < len(ids)
    return len(said) if not repeats and len(ids) > len(said) and ids[: len(said)] == said else 0
