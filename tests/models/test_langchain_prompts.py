"""Prompts that are no strings: LangChain's templates and chains, and functions."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

import judgekit
from judgekit.core.exchange import Request
from judgekit.errors import ConfigError, MissingVariableError, PromptError, WrongClientError
from judgekit.models.scripted import scripted

GOOD = '{"reasoning": "Because.", "score": true}'
ITEM = {"inputs": {"question": "2+2?"}, "outputs": "4 {not a variable}", "reference_outputs": "4"}
Messages = list[dict[str, Any]]


def sync_messages(prompt: Any, item: dict[str, Any] | None = None, **settings: Any) -> Messages:
    """What the model is asked when the judge is called with the item."""
    model = scripted(settings.pop("answer", GOOD))
    judgekit.create_llm_as_judge(prompt=prompt, judge=model, **settings)(**(ITEM if item is None else item))
    return asked(model)


def async_messages(prompt: Any, item: dict[str, Any] | None = None, **settings: Any) -> Messages:
    model = scripted(settings.pop("answer", GOOD))
    judge = judgekit.create_async_llm_as_judge(prompt=prompt, judge=model, **settings)
    asyncio.run(judge(**(ITEM if item is None else item)))
    return asked(model)


def asked(model: judgekit.Model) -> Messages:
    requests: list[Request] = model.client.requests
    return [dict(message) for message in requests[0].messages]


Asking = Callable[..., Messages]


@pytest.fixture(params=[sync_messages, async_messages], ids=["sync", "async"])
def messages_of(request: pytest.FixtureRequest) -> Asking:
    chosen: Asking = request.param
    return chosen


def test_a_chat_prompt_template(messages_of: Asking) -> None:
    from langchain_core.prompts import ChatPromptTemplate

    prompt = ChatPromptTemplate([("system", "Be strict."), ("human", "Q: {inputs}\nA: {outputs}")])
    assert messages_of(prompt) == [
        {"role": "system", "content": "Be strict."},
        {"role": "user", "content": 'Q: {"question": "2+2?"}\nA: 4 {not a variable}'},
    ]


def test_a_prompt_template(messages_of: Asking) -> None:
    from langchain_core.prompts import PromptTemplate

    prompt = PromptTemplate.from_template("Grade {outputs} by {rubric}")
    assert messages_of(prompt, {**ITEM, "rubric": ["right", "short"]}) == [
        {"role": "user", "content": 'Grade 4 {not a variable} by ["right", "short"]'}
    ]


def test_partial_variables_need_not_be_given(messages_of: Asking) -> None:
    from langchain_core.prompts import ChatPromptTemplate

    prompt = ChatPromptTemplate([("human", "{rubric}: {outputs}")]).partial(rubric="Short?")
    assert messages_of(prompt)[0]["content"] == "Short?: 4 {not a variable}"
    assert messages_of(prompt, {**ITEM, "rubric": "Right?"})[0]["content"] == "Right?: 4 {not a variable}"


def test_a_placeholder_takes_messages(messages_of: Asking) -> None:
    from langchain_core.messages import AIMessage, HumanMessage
    from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder

    prompt: Any = ChatPromptTemplate([MessagesPlaceholder("outputs"), ("human", "Was that polite?")])
    for conversation in (
        [HumanMessage("Hi"), AIMessage("Go away")],
        [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Go away"}],
    ):
        assert messages_of(prompt, {"outputs": conversation}) == [
            {"role": "user", "content": "Hi"},
            {"role": "assistant", "content": "Go away"},
            {"role": "user", "content": "Was that polite?"},
        ]


def test_an_optional_placeholder_may_be_left_out(messages_of: Asking) -> None:
    from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder

    prompt = ChatPromptTemplate([MessagesPlaceholder("history", optional=True), ("human", "{outputs}")])
    assert len(messages_of(prompt)) == 1


def test_a_chain_that_ends_in_messages(messages_of: Asking) -> None:
    from langchain_core.prompts import ChatPromptTemplate
    from langchain_core.runnables import RunnableLambda

    def shout(value: Any) -> Any:
        return [(message.type, message.content.upper()) for message in value.to_messages()]

    chain = ChatPromptTemplate([("human", "grade {outputs}")]) | RunnableLambda(shout)
    assert messages_of(chain, {"outputs": "x"}) == [{"role": "user", "content": "GRADE X"}]
    with pytest.raises(MissingVariableError, match="outputs"):
        messages_of(chain, {"inputs": "x"})


def test_a_runnable_function(messages_of: Asking) -> None:
    from langchain_core.runnables import RunnableLambda

    def prompt(values: dict[str, Any]) -> str:
        return f"{sorted(values)}: {values['outputs']}"

    expected = "['inputs', 'outputs', 'reference_outputs']: 4 {not a variable}"
    assert messages_of(RunnableLambda(prompt))[0]["content"] == expected


def test_a_chain_that_asks_a_model_is_told_apart(messages_of: Asking) -> None:
    from langchain_core.language_models import FakeListChatModel
    from langchain_core.prompts import ChatPromptTemplate

    chain = ChatPromptTemplate([("human", "{outputs}")]) | FakeListChatModel(responses=["True"])
    with pytest.raises(PromptError, match="model as `judge=`"):
        messages_of(chain)


@pytest.mark.parametrize("item", [{"inputs": "x"}, {"inputs": "x", "outputs": None}])
def test_a_missing_variable_is_named_before_anything_is_asked(
    messages_of: Asking, item: dict[str, Any]
) -> None:
    from langchain_core.prompts import ChatPromptTemplate

    prompt = ChatPromptTemplate([("human", "{inputs} {outputs} {context}")])
    with pytest.raises(MissingVariableError, match="needs context, outputs") as caught:
        messages_of(prompt, item)
    assert isinstance(caught.value, KeyError)
    assert "given: inputs" in str(caught.value)


SCHEMA = {
    "title": "Grade",
    "type": "object",
    "properties": {"grade": {"type": "integer"}},
    "required": ["grade"],
}


@pytest.mark.filterwarnings("ignore:The class `StructuredPrompt` is in beta")
def test_a_structured_prompt_brings_its_schema(messages_of: Asking) -> None:
    from langchain_core.prompts.structured import StructuredPrompt

    prompt = StructuredPrompt([("human", "{outputs}")], SCHEMA)
    judge = judgekit.create_llm_as_judge(prompt=prompt, judge=scripted('{"grade": 3}'))
    assert judge(outputs="x") == {"grade": 3}
    assert judge.evaluation.schema.name == "Grade"
    assert messages_of(prompt, {"outputs": "x"}, answer='{"grade": 3}') == [{"role": "user", "content": "x"}]
    with pytest.raises(ConfigError, match="brings its own schema"):
        judgekit.create_llm_as_judge(prompt=prompt, judge=scripted(GOOD), output_schema=SCHEMA)


# --- functions --------------------------------------------------------------------------------------------


def test_a_function_is_called_with_what_it_names_and_the_values_as_they_are(messages_of: Asking) -> None:
    seen: list[Any] = []

    def prompt(outputs: Any, inputs: Any, rubric: str = "none") -> Any:
        seen.append((inputs, outputs, rubric))
        return f"Grade {outputs}"

    item = {**ITEM, "ignored": 1}
    assert messages_of(prompt, item) == [{"role": "user", "content": "Grade 4 {not a variable}"}]
    assert seen == [(ITEM["inputs"], ITEM["outputs"], "none")]
    assert seen[0][0] is ITEM["inputs"]


def test_a_function_may_take_all(messages_of: Asking) -> None:
    seen: list[Any] = []

    def prompt(**values: Any) -> Any:
        seen.append(values)
        return [{"role": "user", "content": "Grade."}]

    messages_of(prompt, {**ITEM, "rubric": "r"})
    assert seen == [{**ITEM, "rubric": "r"}]


@pytest.mark.parametrize(
    "made",
    [
        "Grade.",
        [{"role": "user", "content": "Grade."}],
        {"role": "user", "content": "Grade."},
        {"messages": [("user", "Grade.")]},
        [("human", "Grade.")],
    ],
)
def test_what_a_function_may_return(messages_of: Asking, made: Any) -> None:
    assert messages_of(lambda outputs: made) == [{"role": "user", "content": "Grade."}]


def test_a_function_that_lacks_a_value_says_which(messages_of: Asking) -> None:
    def prompt(outputs: Any, *, context: Any) -> str:
        return "never"

    with pytest.raises(MissingVariableError, match="prompt function prompt needs context"):
        messages_of(prompt)


def test_an_async_function() -> None:
    async def prompt(outputs: str) -> str:
        await asyncio.sleep(0)
        return f"Grade {outputs}"

    assert async_messages(prompt)[0]["content"] == "Grade 4 {not a variable}"
    with pytest.raises(WrongClientError, match="create_async"):
        sync_messages(prompt)


def test_an_object_that_can_be_called(messages_of: Asking) -> None:
    class Rubric:
        def __call__(self, *, outputs: Any, **_: Any) -> Any:
            return f"Grade {outputs}"

    assert messages_of(Rubric(), {"outputs": "x"})[0]["content"] == "Grade x"
    judge = judgekit.create_llm_as_judge(prompt=Rubric(), judge=scripted(GOOD))
    assert judge(outputs="x")["metadata"]["prompt"] == {"name": "Rubric", "version": None, "hash": None}


IMAGE = "https://example.com/cat.png"
BLOCK = {"type": "image_url", "image_url": {"url": IMAGE}}


def test_attachments_are_added_where_nobody_places_them(messages_of: Asking) -> None:
    from langchain_core.prompts import ChatPromptTemplate

    item = {"outputs": "x", "attachments": IMAGE}
    expected = [{"role": "user", "content": [{"type": "text", "text": "Grade x"}, BLOCK]}]
    template = ChatPromptTemplate([("human", "Grade {outputs}")])
    for prompt in (
        template,
        lambda outputs: f"Grade {outputs}",
        lambda **values: f"Grade {values['outputs']}",
    ):
        assert messages_of(prompt, item) == expected


def test_a_function_that_names_attachments_places_them_itself(messages_of: Asking) -> None:
    def prompt(outputs: str, attachments: Any) -> Any:
        return [{"role": "user", "content": [{"type": "text", "text": f"{attachments} {outputs}"}]}]

    assert messages_of(prompt, {"outputs": "x", "attachments": IMAGE})[0]["content"] == [
        {"type": "text", "text": f"{IMAGE} x"}
    ]
    assert "None x" in str(messages_of(prompt, {"outputs": "x"}))


def test_a_function_s_error_is_its_own(messages_of: Asking) -> None:
    def prompt(outputs: str) -> str:
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        messages_of(prompt)


def test_every_kind_of_prompt_takes_a_system_message_and_examples(messages_of: Asking) -> None:
    from langchain_core.prompts import ChatPromptTemplate, PromptTemplate

    examples: list[Any] = [{"inputs": ["q"], "outputs": {"a": 1}, "score": False, "reasoning": "Wrong."}]
    kinds: list[Any] = [
        "Grade {outputs}",
        judgekit.Prompt("Grade {outputs}"),
        PromptTemplate.from_template("Grade {outputs}"),
        ChatPromptTemplate([("human", "Grade {outputs}")]),
        lambda outputs: f"Grade {outputs}",
    ]
    for prompt in kinds:
        system, user = messages_of(prompt, {"outputs": "x"}, system="{literal}", few_shot_examples=examples)
        assert system == {"role": "system", "content": "{literal}"}
        assert user["content"].startswith(
            'Grade x\n\n<example>\n<input>["q"]</input>\n<output>{"a": 1}</output>'
        )
        assert "<reasoning>Wrong.</reasoning>\n<score>false</score>" in user["content"]


@pytest.mark.parametrize("prompt", [42, None, ["a"], object()])
def test_what_is_no_prompt_is_told_what_is(prompt: Any) -> None:
    with pytest.raises(ConfigError, match="prompt is"):
        judgekit.create_llm_as_judge(prompt=prompt, judge=scripted(GOOD))
