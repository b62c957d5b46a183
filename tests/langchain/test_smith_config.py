"""`RunEvalConfig`: LangChain's configurations, and what is refused when one is made."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from judgekit.errors import ConfigError
from judgekit.langchain import EvaluatorType
from judgekit.langchain.smith import EvalConfig, RunEvalConfig, SingleKeyEvalConfig
from tests.langchain.classic import classic

assert classic
smith: Any = pytest.importorskip("langchain_classic.smith")

NESTED = sorted(
    name for name, value in vars(smith.RunEvalConfig).items() if inspect.isclass(value) and name != "Config"
)
FIXED = {"CoTQA": EvaluatorType.COT_QA}  # LangChain's runs context_qa
PAIRS = [kind for kind in EvaluatorType if "pairwise" in kind]


def test_langchain_has_these() -> None:
    assert len(NESTED) == 13


@pytest.mark.parametrize("name", NESTED)
def test_a_configuration_has_langchain_s_fields_and_settings(name: str) -> None:
    theirs, ours = getattr(smith.RunEvalConfig, name), getattr(RunEvalConfig, name)
    assert theirs.model_fields.keys() <= inspect.signature(ours).parameters.keys()
    assert ours().get_kwargs() == theirs().get_kwargs()
    assert ours().evaluator_type == FIXED.get(name, theirs().evaluator_type)
    assert isinstance(ours(), SingleKeyEvalConfig)


def test_the_fields_are_langchain_s() -> None:
    theirs = smith.RunEvalConfig.model_fields
    assert list(inspect.signature(RunEvalConfig).parameters) == list(theirs)
    assert RunEvalConfig().all_evaluators == ()


def test_every_type_of_one_answer_has_a_configuration() -> None:
    made: list[Any] = [value() for value in vars(RunEvalConfig).values() if inspect.isclass(value)]
    assert {each.evaluator_type for each in made} == set(EvaluatorType) - set(PAIRS)


def test_criteria_may_be_positional() -> None:
    assert RunEvalConfig.Criteria("helpfulness") == RunEvalConfig.Criteria(criteria="helpfulness")
    assert RunEvalConfig.LabeledCriteria({"own": "Is it?"}).get_kwargs() == {"criteria": {"own": "Is it?"}}
    assert RunEvalConfig.ScoreString("depth", normalize_by=10).normalize_by == 10


def test_keys_are_no_settings_of_the_evaluator() -> None:
    config = RunEvalConfig.QA(reference_key="a", prediction_key="b", input_key="c", prompt="{query}")
    assert config.get_kwargs() == {"prompt": "{query}"}
    assert (config.keys.reference, config.keys.prediction, config.keys.input) == ("a", "b", "c")


REFUSED: dict[str, Any] = {
    "no evaluator 'exact_mach'. Did you mean 'exact_match'": lambda: RunEvalConfig(evaluators=["exact_mach"]),
    "no evaluator 'qaa'": lambda: EvalConfig(evaluator_type="qaa"),
    "no field 'referense_key' (did you mean 'reference_key'": lambda: RunEvalConfig.QA(referense_key="a"),  # type: ignore[call-arg]
    "no field 'evaluator' (did you mean 'evaluators'": lambda: RunEvalConfig(evaluator=["qa"]),  # type: ignore[call-arg]
    "custom_evaluators is 'qa': give a list": lambda: RunEvalConfig(custom_evaluators="qa"),
    "QA'> is no evaluator": lambda: RunEvalConfig(evaluators=[RunEvalConfig.QA]),
    "3 is no evaluator": lambda: RunEvalConfig(custom_evaluators=[3]),
    "helpfullness": lambda: RunEvalConfig.Criteria("helpfullness"),
    "empty": lambda: RunEvalConfig.LabeledCriteria({}),
}


@pytest.mark.parametrize("message", REFUSED)
def test_what_is_wrong_is_said_when_it_is_written(message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        REFUSED[message]()
    assert message in str(caught.value)


@pytest.mark.parametrize("kind", PAIRS)
def test_a_comparison_of_two_answers_is_refused_and_says_what_to_call(kind: EvaluatorType) -> None:
    with pytest.raises(ConfigError, match=r"judgekit\.compare"):
        RunEvalConfig(evaluators=[kind])
