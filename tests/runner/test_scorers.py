"""What may be an evaluator in a run, and what becomes of what it returns."""

from __future__ import annotations

from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest

import judgekit
from judgekit.errors import ConfigError, ParseError
from judgekit.models.drive import drive
from judgekit.models.scripted import scripted
from judgekit.runner.records import Example, Score
from judgekit.runner.scorers import read_scorers

EXAMPLE = Example(
    0, "a", inputs="q", reference_outputs="yes", metadata={"lang": "de"}, extra={"context": "c"}
)


def scores(evaluator: Any, outputs: Any = "yes", example: Example = EXAMPLE) -> tuple[Score, ...]:
    (scorer,) = read_scorers([evaluator])
    return drive(scorer.flow(example, outputs))


def length(outputs: str) -> int:
    return len(outputs)


class Concise:
    def __call__(self, outputs: str) -> dict[str, Any]:
        return {"score": len(outputs) < 5, "comment": "short"}


def old_signature(run: Any, example: Any) -> dict[str, Any]:
    return {"key": "correct", "score": run.outputs == example.outputs}


def several(outputs: Any, context: str) -> list[dict[str, Any]]:
    return [{"key": "one", "score": True}, {"key": "two", "value": context}]


def test_functions_by_the_contract_of_code_evaluators() -> None:
    assert scores(length) == (Score("length", 3, source="length"),)
    assert scores(Concise()) == (Score("Concise", True, "short", None, "Concise"),)
    assert scores(partial(length)) == (Score("length", 3, source="length"),)
    assert scores(old_signature) == (Score("correct", True, source="old_signature"),)
    assert scores(several) == (Score("one", True, source="several"), Score("two", "c", source="several"))


def test_what_judgekit_makes() -> None:
    judge = judgekit.create_llm_as_judge(
        prompt="{inputs} {outputs}", judge=scripted('{"reasoning": "r", "score": true}'), feedback_key="fit"
    )
    (found,) = scores(judge)
    assert (found.key, found.score, found.comment, found.source) == ("fit", True, "r", "llm_as_fit_judge")
    assert scores(judgekit.exact_match)[0].score is True


class LangChainLike:
    evaluation_name = "containment"
    requires_input = False
    requires_reference = True

    def evaluate_strings(self, **given: Any) -> dict[str, Any]:
        assert set(given) == {"prediction", "reference"}
        return {
            "score": int(given["reference"] in given["prediction"]),
            "value": "Y",
            "reasoning": "it is in it",
        }

    async def aevaluate_strings(self, **given: Any) -> dict[str, Any]:
        return self.evaluate_strings(**given)


def test_a_string_evaluator_gets_the_texts_that_it_wants() -> None:
    (found,) = scores(LangChainLike(), outputs={"output": "oh yes"})
    assert (found.key, found.score, found.comment) == ("containment", 1, "it is in it")


class RunEvaluator:
    name = "by_run"

    def evaluate_run(self, run: Any, example: Any) -> Any:
        return SimpleNamespace(score=1) if run is None else {"score": run.outputs == "yes"}


def test_an_object_with_evaluate_run() -> None:
    assert scores(RunEvaluator())[0] == Score("by_run", True, source="by_run")


def test_the_example_is_the_users_own_object_where_there_was_one() -> None:
    source = SimpleNamespace(outputs="yes", secret="kept")
    example = Example(0, "a", inputs="q", reference_outputs="yes", source=source)

    def peek(example: Any) -> str:
        return str(example.secret)

    assert scores(peek, example=example)[0].score == "kept"


def test_two_of_one_name_are_told_apart() -> None:
    assert [scorer.name for scorer in read_scorers([length, length, Concise()])] == [
        "length",
        "length_2",
        "Concise",
    ]
    assert [scorer.name for scorer in read_scorers(length)] == ["length"]


@pytest.mark.parametrize("wrong", ["exact", 3, dict, object()])
def test_what_is_no_evaluator_is_an_error(wrong: Any) -> None:
    with pytest.raises(ConfigError, match="is no evaluator"):
        read_scorers([wrong])


def test_nothing_is_no_score() -> None:
    def silent(outputs: Any) -> None:
        return None

    with pytest.raises(ParseError):
        scores(silent)


def test_what_waits_for_a_model_is_known() -> None:
    async def slow(outputs: Any) -> bool:
        return True

    judge = judgekit.create_llm_as_judge(prompt="{outputs}", judge=scripted("{}"))
    assert [scorer.waits for scorer in read_scorers([length, judgekit.exact_match, slow, judge])] == [
        False,
        False,
        True,
        True,
    ]


def test_a_fingerprint_says_that_a_judge_is_another_one() -> None:
    def print_of(**settings: Any) -> str:
        judge = judgekit.create_llm_as_judge(**{"prompt": "{outputs}", "judge": scripted("{}"), **settings})
        return read_scorers(judge)[0].fingerprint

    assert print_of() == print_of()
    changed = [print_of(prompt="{outputs}?"), print_of(system="s"), print_of(continuous=True)]
    assert len({print_of(), *changed}) == 4
