"""Whoever can judge in judgekit can judge here: LangChain's models, the official clients, a name."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from judgekit.errors import ConfigError, WrongClientError
from judgekit.langchain import DEFAULT_MODEL, load_evaluator, load_evaluators

if TYPE_CHECKING:
    from tests.support.provider import Provider

SUM = {"prediction": "It is four.", "input": "What's 2+2?"}
VERDICT = '{"reasoning": "Short.", "score": "Y"}'
EXPECTED = {"reasoning": "Short.", "value": "Y", "score": 1}


def test_a_fake_chat_model_of_langchain() -> None:
    from langchain_core.language_models.fake_chat_models import FakeListChatModel

    evaluator = load_evaluator("criteria", criteria="conciseness", llm=FakeListChatModel(responses=[VERDICT]))
    assert evaluator.evaluate_strings(**SUM) == EXPECTED
    assert asyncio.run(evaluator.aevaluate_strings(**SUM)) == EXPECTED


def test_langchain_s_openai_chat_model(provider: Provider) -> None:
    from langchain_openai import ChatOpenAI

    provider.reply(VERDICT)
    options: dict[str, Any] = provider.openai_options
    evaluator = load_evaluator(
        "criteria", criteria="conciseness", llm=ChatOpenAI(model="gpt-judge", **options)
    )
    assert evaluator.evaluate_strings(**SUM) == EXPECTED


def test_the_openai_client(provider: Provider) -> None:
    import openai

    provider.reply(VERDICT)
    with openai.OpenAI(**provider.openai_options) as client:
        evaluator = load_evaluator("criteria", criteria="conciseness", llm=client, model="gpt-judge")
        assert evaluator.evaluate_strings(**SUM) == EXPECTED
    sent = provider.last.json
    assert sent["model"] == "gpt-judge"
    score = sent["response_format"]["json_schema"]["schema"]["properties"]["score"]
    assert score["enum"] == ["Y", "N"]


def test_an_async_client_is_awaited_or_refused(provider: Provider) -> None:
    import openai

    provider.reply(VERDICT)

    async def judge() -> None:
        async with openai.AsyncOpenAI(**provider.openai_options) as client:
            evaluator = load_evaluator("criteria", llm=client, model="gpt-judge")
            with pytest.raises(WrongClientError, match="aevaluate_strings"):
                evaluator.evaluate_strings(**SUM)
            assert await evaluator.aevaluate_strings(**SUM) == EXPECTED

    asyncio.run(judge())


def test_without_a_model_the_default_is_asked(provider: Provider, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "test")
    monkeypatch.setenv("OPENAI_BASE_URL", f"{provider.url}/v1")
    provider.reply(VERDICT)
    assert load_evaluator("criteria", criteria="conciseness").evaluate_strings(**SUM) == EXPECTED
    assert f"openai:{provider.last.json['model']}" == DEFAULT_MODEL


def test_without_a_model_or_a_key_nothing_is_made() -> None:
    with pytest.raises(ConfigError, match="OPENAI_API_KEY"):
        load_evaluator("criteria", criteria="conciseness")
    with pytest.raises(ConfigError, match="without a model"):
        load_evaluator("criteria", llm=_Client())


class _Client:
    """The shape of an OpenAI client."""

    class chat:  # noqa: N801
        class completions:  # noqa: N801
            @staticmethod
            def create(**_: Any) -> Any:
                raise AssertionError("nothing is asked")


def test_an_unknown_type_is_an_error_with_the_types() -> None:
    with pytest.raises(ValueError, match=r"Unknown evaluator type: criterion\nValid types are: .*'criteria'"):
        load_evaluator("criterion")


def test_several_at_once_each_with_its_settings() -> None:
    from judgekit.models.scripted import scripted

    llm = scripted(VERDICT)
    kinds = ["criteria", "labeled_criteria", "string_distance", "exact_match"]
    config: Any = {"labeled_criteria": {"criteria": "correctness"}}
    loaded = load_evaluators(kinds, llm=llm, criteria="conciseness", ignore_case=True, config=config)
    assert [each.evaluation_name for each in loaded] == [
        "conciseness", "correctness", "jaro_winkler_distance", "exact_match",
    ]  # fmt: skip
    assert loaded[3].ignore_case
    with pytest.raises(ConfigError, match="did you mean 'criteria'"):
        load_evaluators(kinds, llm=llm, criteriaa="conciseness")


def test_a_dataset_is_read_where_datasets_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys
    from types import ModuleType

    from judgekit.errors import MissingDependencyError
    from judgekit.langchain import load_dataset

    double = ModuleType("datasets")
    double.load_dataset = lambda uri: {"train": [{"uri": uri}]}  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "datasets", double)
    assert load_dataset("llm-math") == [{"uri": "LangChainDatasets/llm-math"}]
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(MissingDependencyError, match="pip install datasets"):
        load_dataset("llm-math")
