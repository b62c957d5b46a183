"""Chat messages in OpenAI's shape: from whatever a prompt returned, with a system message, with examples."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from judgekit.core.attachments import attachment_block, attachment_list, user_content
from judgekit.core.delimiters import neutralizer
from judgekit.core.foreign import comes_from, openai_message
from judgekit.core.plain import to_plain, to_text
from judgekit.errors import PromptError

__all__ = [
    "EXAMPLE_TAGS",
    "as_messages",
    "attachment_block",
    "user_content",
    "with_attachments",
    "with_examples",
    "with_system",
]

EXAMPLE_TAGS = frozenset({"example", "input", "output", "reasoning", "score"})
"""The tags that frame few-shot examples; a prompt that is shown with examples guards them too."""

Messages = Sequence[Mapping[str, Any]]

_ROLES = {role: role for role in ("system", "developer", "user", "assistant", "tool", "function")} | {
    "human": "user",
    "ai": "assistant",
}
_SHOWN = {"input": "inputs", "output": "outputs", "reasoning": "reasoning", "score": "score"}
_NEEDED = ("inputs", "outputs", "score")


def with_system(messages: Messages, system: str | None) -> list[dict[str, Any]]:
    """Return the messages after a system message of their own; None adds none.

    `system` is literal: it is never formatted. Messages that begin with a system message keep it, as the second.
    """
    first = [] if system is None else [{"role": "system", "content": system}]
    return [*first, *_copied(messages)]


def with_attachments(messages: Messages, attachments: Any) -> list[dict[str, Any]]:
    """Return the messages with attachments at the end of the last user message; none changes nothing.

    A string prompt places its own (`Prompt.messages`); this is for messages that came without.

    Raises:
        PromptError: no user message, or an attachment that cannot be sent.
    """
    copied = _copied(messages)
    if attachment_list(attachments):
        last = _last_user(copied, "attachments")
        content = last["content"]
        last["content"] = (
            user_content(content, attachments)
            if isinstance(content, str)
            else [*content, *user_content("", attachments)]
        )
    return copied


def with_examples(
    messages: Messages, examples: Sequence[Mapping[str, Any]], *, explain: bool, guard: Iterable[str] = ()
) -> list[dict[str, Any]]:
    """Return the messages with few-shot examples at the end of the last user message.

    Args:
        messages: messages as `as_messages` returns them.
        examples: dicts with `inputs`, `outputs`, `score` and perhaps `reasoning`, see `types.FewShotExample`.
        explain: whether the judge is asked for its reasoning; False leaves out that of the examples.
        guard: names of the prompt's own tags, neutralized in the examples like `EXAMPLE_TAGS`.

    Raises:
        PromptError: no user message, or an example that lacks a key or holds a value with no plain form.
    """
    copied = _copied(messages)
    if not examples:
        return copied
    last = _last_user(copied, "few-shot examples")
    neutral = neutralizer(EXAMPLE_TAGS.union(guard))
    text = "\n".join(
        _example(_parts(example, f"few_shot_examples[{i}]", explain), neutral)
        for i, example in enumerate(examples)
    )
    if isinstance(last["content"], str):
        last["content"] += "\n\n" + text
    else:
        last["content"] = [*last["content"], {"type": "text", "text": text}]
    return copied


def as_messages(value: Any) -> list[dict[str, Any]]:
    """Return what a prompt function or a LangChain prompt gave, as new messages in OpenAI's shape.

    Args:
        value: text (one user message), a message, a list of messages, a dict with `messages`, or a LangChain prompt
            value. A message is a dict with `role` and `content`, a LangChain message, a `(role, text)` pair, or text.

    Raises:
        PromptError: anything else; also the answer of a model, which is what `prompt | model` gives.
    """
    if comes_from(value, "langchain_core", "AIMessage"):
        raise PromptError(
            f"The prompt returned a model's answer ({type(value).__name__}), not messages. "
            "Pass the prompt without the model, and the model as `judge=`."
        )
    if inspect.isawaitable(value):
        raise PromptError(
            "The prompt function is async. Use create_async_llm_as_judge, or a function that is not."
        )
    messages = [_message(item, f"messages[{i}]") for i, item in enumerate(_items(value))]
    if not messages:
        raise PromptError("The prompt returned no messages.")
    return messages


def _items(value: Any) -> Sequence[Any]:
    if comes_from(value, "langchain_core", "PromptValue"):
        return list(value.to_messages())
    if isinstance(value, Mapping) and "messages" in value and "role" not in value:
        return _items(value["messages"])
    return value if isinstance(value, list | tuple) and not _is_pair(value) else [value]


def _is_pair(value: Any) -> bool:
    return isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], str) and value[0] in _ROLES


def _message(item: Any, name: str) -> dict[str, Any]:
    if isinstance(item, str):
        return {"role": "user", "content": item}
    if comes_from(item, "langchain_core", "BaseMessage"):
        return _checked(openai_message(item), name)
    if _is_pair(item):
        return _checked({"role": item[0], "content": item[1]}, name)
    if isinstance(item, Mapping):
        return _checked(item, name)
    raise PromptError(
        f"`{name}` is a {type(item).__name__}, not a message. A prompt gives text, or a list of dicts with `role` "
        "and `content`, of LangChain messages or of (role, text) pairs."
    )


def _checked(item: Mapping[str, Any], name: str) -> dict[str, Any]:
    message: dict[str, Any] = to_plain(item, name=name)
    said = message.get("role") or message.pop("type", None)
    role = _ROLES.get(said) if isinstance(said, str) else None
    if role is None:
        raise PromptError(f"`{name}` has the role {said!r}; roles are {', '.join(_ROLES)}.")
    content = message.get("content")
    calls = role == "assistant" and (message.get("tool_calls") or message.get("function_call"))
    if not isinstance(content, str | list) and not (content is None and calls):
        raise PromptError(f"`{name}.content` must be text or a list of content blocks, not {content!r:.60}.")
    return {**message, "role": role}


def _parts(example: Any, name: str, explain: bool) -> dict[str, str]:
    if not isinstance(example, Mapping):
        raise PromptError(f"`{name}` is a {type(example).__name__}; pass a dict with {', '.join(_NEEDED)}.")
    for key in _NEEDED:
        if key not in example or (key == "score" and example[key] is None):
            close = get_close_matches(key, map(str, example), n=1)
            hint = f"; rename `{close[0]}`" if close and close[0] != key else ""
            raise PromptError(f"`{name}` has no `{key}`{hint}. An example has {', '.join(_NEEDED)}.")
    explained = explain and example.get("reasoning") is not None
    return {
        tag: to_text(example[key], name=f"{name}.{key}")
        for tag, key in _SHOWN.items()
        if key != "reasoning" or explained
    }


def _example(parts: Mapping[str, str], neutral: Callable[[str], str]) -> str:
    lines = [f"<{tag}>{neutral(text)}</{tag}>" for tag, text in parts.items()]
    return "\n".join(["<example>", *lines, "</example>"])


def _last_user(messages: list[dict[str, Any]], what: str) -> dict[str, Any]:
    users = [message for message in messages if message["role"] == "user"]
    if not users:
        raise PromptError(f"The {what} go to the last user message and the prompt has none; add one.")
    return users[-1]


def _copied(messages: Messages) -> list[dict[str, Any]]:
    return [copy.deepcopy(dict(message)) for message in messages]
