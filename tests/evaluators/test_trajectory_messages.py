"""Every framework's messages become the same ones, and nothing that the model wrote is lost on the way."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from langchain_core.load import dumpd
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    ChatMessage,
    FunctionMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
    message_to_dict,
)

from judgekit.errors import PromptError
from judgekit.evaluators.trajectory_messages import text_of, trajectory_messages

OPENAI: list[dict[str, Any]] = [
    {"role": "user", "content": "Weather?"},
    {
        "role": "assistant",
        "content": "Looking.",
        "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": '{"city": "Oslo"}'}}
        ],
    },
    {"role": "tool", "content": "-3", "tool_call_id": "c1"},
    {"role": "assistant", "content": "Cold."},
]

LANGCHAIN = [
    HumanMessage("Weather?"),
    AIMessage("Looking.", tool_calls=[{"name": "weather", "args": {"city": "Oslo"}, "id": "c1"}]),
    ToolMessage("-3", tool_call_id="c1"),
    AIMessage([{"type": "text", "text": "Cold."}]),
]

ANTHROPIC: list[dict[str, Any]] = [
    {"role": "user", "content": [{"type": "text", "text": "Weather?"}]},
    {
        "role": "assistant",
        "content": [
            {"type": "text", "text": "Looking."},
            {"type": "tool_use", "id": "c1", "name": "weather", "input": {"city": "Oslo"}},
        ],
    },
    {
        "role": "user",
        "content": [
            {"type": "tool_result", "tool_use_id": "c1", "content": [{"type": "text", "text": "-3"}]},
        ],
    },
    {"role": "assistant", "content": [{"type": "text", "text": "Cold."}]},
]

FORMS: dict[str, Any] = {
    "openai": OPENAI,
    "in a dict": {"messages": OPENAI, "thread": 3},
    "langchain": LANGCHAIN,
    "langchain in a tuple": tuple(LANGCHAIN),
    "langchain dumped": [message.model_dump() for message in LANGCHAIN],
    "langchain to_dict": [message_to_dict(message) for message in LANGCHAIN],
    "langchain serialized": [dumpd(message) for message in LANGCHAIN],
    "langchain short": [
        {"role": "human", "content": "Weather?"},
        {
            "role": "ai",
            "content": "Looking.",
            "tool_calls": [{"name": "weather", "args": {"city": "Oslo"}, "id": "c1"}],
        },
        {"type": "tool", "content": "-3", "tool_call_id": "c1"},
        ("ai", "Cold."),
    ],
    "anthropic": ANTHROPIC,
}


@pytest.mark.parametrize("form", FORMS)
def test_all_forms_are_one(form: str) -> None:
    before = copy.deepcopy(FORMS[form])
    assert trajectory_messages(FORMS[form]) == OPENAI
    assert FORMS[form] == before


def test_the_sdks_own_objects_are_messages() -> None:
    from anthropic.types import Message
    from openai.types.chat import ChatCompletionMessage

    openai = ChatCompletionMessage.model_validate(OPENAI[1])
    anthropic = Message.model_validate(
        {
            **ANTHROPIC[1],
            "id": "msg_1",
            "type": "message",
            "model": "m",
            "stop_reason": "tool_use",
            "stop_sequence": None,
            "usage": {"input_tokens": 1, "output_tokens": 1},
        }
    )
    assert trajectory_messages(openai) == [OPENAI[1]]
    assert trajectory_messages([anthropic]) == [{**OPENAI[1], "id": "msg_1"}]


@pytest.mark.parametrize("nothing", [None, [], {"messages": []}, {"messages": None}])
def test_nothing_is_no_messages(nothing: Any) -> None:
    assert trajectory_messages(nothing) == []


def test_a_tool_result_and_a_question_in_one_anthropic_message_are_two() -> None:
    both = {
        "role": "user",
        "content": [
            {"type": "tool_result", "tool_use_id": "c1", "content": "-3"},
            {"type": "tool_result", "tool_use_id": "c2"},
            {"type": "text", "text": "And tomorrow?"},
        ],
    }
    assert trajectory_messages(both) == [
        {"role": "tool", "content": "-3", "tool_call_id": "c1"},
        {"role": "tool", "content": "", "tool_call_id": "c2"},
        {"role": "user", "content": "And tomorrow?"},
    ]


def test_a_call_that_langchain_has_in_two_places_is_one() -> None:
    message = AIMessage(
        [{"type": "tool_use", "id": "c1", "name": "weather", "input": {"city": "Oslo"}}],
        tool_calls=[{"name": "weather", "args": {"city": "Oslo"}, "id": "c1"}],
    )
    (read,) = trajectory_messages(message)
    assert [made["id"] for made in read["tool_calls"]] == ["c1"]
    assert read["content"] == ""


def test_w26_a_call_that_langchain_calls_invalid_is_kept_as_it_was_written() -> None:
    message = AIMessage(
        "",
        invalid_tool_calls=[
            {
                "name": "weather",
                "args": '{"city": "Os',
                "id": "c1",
                "error": "cut",
                "type": "invalid_tool_call",
            }
        ],
    )
    for form in (message, message.model_dump()):
        (read,) = trajectory_messages(form)
        assert read["tool_calls"][0]["function"] == {"name": "weather", "arguments": '{"city": "Os'}


def test_calls_of_other_shapes() -> None:
    calls = [
        {"name": "a", "input": {"x": 1}},
        {"function": {"name": "b", "arguments": None}},
        {"type": "custom", "id": "c3", "custom": {"name": "c", "input": "free text"}},
        {"function": {}},
    ]
    (read,) = trajectory_messages({"role": "assistant", "content": None, "tool_calls": calls})
    made = [(call["function"]["name"], call["function"]["arguments"]) for call in read["tool_calls"]]
    assert made == [("a", '{"x": 1}'), ("b", ""), ("c", "free text"), ("", "")]
    (legacy,) = trajectory_messages(
        {"role": "assistant", "content": None, "function_call": {"name": "a", "arguments": "{}"}}
    )
    assert legacy["tool_calls"][0]["function"] == {"name": "a", "arguments": "{}"}


def test_roles_and_facts_of_langchain_messages() -> None:
    messages = [
        SystemMessage("s", id="1"),
        AIMessageChunk(content="a", id="2"),
        FunctionMessage(content="f", name="weather"),
        ChatMessage(content="c", role="user"),
    ]
    assert trajectory_messages(messages) == [
        {"role": "system", "content": "s", "id": "1"},
        {"role": "assistant", "content": "a", "id": "2"},
        {"role": "tool", "content": "f", "name": "weather"},
        {"role": "user", "content": "c"},
    ]


def test_content_that_is_not_only_text_stays_in_blocks() -> None:
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}
    (read,) = trajectory_messages({"role": "user", "content": [{"type": "text", "text": "See:"}, image]})
    assert read["content"] == [{"type": "text", "text": "See:"}, image]
    assert text_of(read["content"]) == "See:\n[image_url]"


@pytest.mark.parametrize(
    ("content", "text"), [(None, ""), ("a", "a"), (["a", {"type": "text", "text": "b"}], "a\nb")]
)
def test_the_text_of_content(content: Any, text: str) -> None:
    assert text_of(content) == text


def test_a_refusal_is_what_was_said() -> None:
    (read,) = trajectory_messages({"role": "assistant", "content": None, "refusal": "I will not."})
    assert read["content"] == "I will not."


@pytest.mark.parametrize(
    ("wrong", "where"),
    [
        ("just text", "outputs"),
        ([{"role": "user", "content": "x"}, 7], r"outputs\[1\]"),
        ([{"role": "narrator", "content": "x"}], "narrator"),
        ({"messages": [{"content": "x"}]}, r"outputs\.messages\[0\]"),
        ({"answer": 42}, "no message"),
        ([{"role": "assistant", "content": "", "tool_calls": "f()"}], "tool_calls"),
        ([{"role": "assistant", "content": "", "tool_calls": ["f()"]}], "must be an object"),
        ([json], "outputs"),
    ],
)
def test_what_is_no_message_is_named(wrong: Any, where: str) -> None:
    with pytest.raises(PromptError, match=where):
        trajectory_messages(wrong)


def test_a_bare_text_is_a_message_where_a_role_is_given() -> None:
    assert trajectory_messages(["a", "b"], text_role="user") == [
        {"role": "user", "content": "a"},
        {"role": "user", "content": "b"},
    ]
