"""qa, score_string, pairwise_string and trajectory: the verdicts, their options, and what is no verdict."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from judgekit.errors import ConfigError, JudgeError, ParseError, PromptError
from judgekit.langchain import (
    SQL_PROMPT,
    QAEvalChain,
    QAGenerateChain,
    TrajectoryEvalChain,
    load_evaluator,
    resolve_criteria,
    resolve_pairwise_criteria,
)
from judgekit.models.scripted import scripted


def said(score: Any, reasoning: str = "Because.") -> dict[str, Any]:
    return {"reasoning": reasoning, "score": score}


def asked(llm: Any) -> str:
    return "\n".join(message["content"] for message in llm.client.requests[-1].messages)


@pytest.mark.parametrize(
    ("kind", "name"),
    [("qa", "correctness"), ("context_qa", "Contextual Accuracy"), ("cot_qa", "COT Contextual Accuracy")],
)
def test_qa(kind: str, name: str) -> None:
    llm = scripted(said("INCORRECT"))
    evaluator = load_evaluator(kind, llm=llm)
    item = {"input": "the question", "prediction": "the answer", "reference": "the truth"}
    expected = {"reasoning": "Because.", "value": "INCORRECT", "score": 0}
    assert evaluator.evaluate_strings(**item) == expected
    assert asyncio.run(evaluator.aevaluate_strings(**item)) == expected
    assert evaluator.evaluation_name == name
    assert all(text in asked(llm) for text in item.values())
    with pytest.raises(ValueError, match="requires a reference string"):
        evaluator.evaluate_strings(input="q", prediction="p")


def test_a_sql_query_is_marked_as_one() -> None:
    llm = scripted(said("CORRECT"))
    evaluator = load_evaluator("qa", llm=llm, prompt=SQL_PROMPT)
    item = {"input": "How many?", "prediction": "SELECT 1", "reference": "SELECT count(*) FROM t"}
    assert evaluator.evaluate_strings(**item)["score"] == 1
    assert "SQL query" in asked(llm)


def test_many_answers_are_marked_in_their_order() -> None:
    def answer(request: Any) -> Any:
        text = request.messages[0]["content"]
        return "nothing" if "r3" in text else said("CORRECT" if "r1" in text else "INCORRECT")

    rows = load_evaluator("qa", llm=scripted(answer)).evaluate(
        [{"question": f"q{i}", "truth": "t"} for i in range(20)],
        [{"text": f"r{i}."} for i in range(20)],
        question_key="question",
        answer_key="truth",
        prediction_key="text",
    )
    assert [row["score"] for row in rows] == [0, 1, 0, None, *[0] * 6, *[1] * 10]
    assert rows[1] == {"results": "CORRECT", "reasoning": "Because.", "value": "CORRECT", "score": 1}
    assert rows[3]["value"] is None
    assert "no_json" in rows[3]["error"]


@pytest.mark.parametrize("kind", ["qa", "context_qa"])
def test_many_answers_have_to_fit_their_examples(kind: str) -> None:
    evaluator = load_evaluator(kind, llm=scripted(said("CORRECT")))
    example = {"query": "q", "answer": "a", "context": "c"}
    assert evaluator.evaluate([example], [{"result": "r"}])[0]["results"] == "CORRECT"
    with pytest.raises(ConfigError, match="2 examples and 1 predictions"):
        evaluator.evaluate([example, example], [{"result": "r"}])
    with pytest.raises(ConfigError, match=r"predictions\[0\] has no key 'result'"):
        evaluator.evaluate([example], [{"results": "r"}])


def test_questions_are_made_from_documents() -> None:
    llm = scripted({"query": "Who?", "answer": "Ada."})
    chain = QAGenerateChain.from_llm(llm)
    made = {"doc": "Ada wrote it.", "qa_pairs": {"query": "Who?", "answer": "Ada."}}
    assert chain.invoke({"doc": "Ada wrote it."}) == made
    assert asyncio.run(chain.ainvoke({"doc": "Ada wrote it."})) == made
    assert chain.apply_and_parse([{"doc": "Ada wrote it."}]) == [{"qa_pairs": made["qa_pairs"]}]
    assert "Ada wrote it." in asked(llm)
    with pytest.raises(ParseError):
        QAGenerateChain.from_llm(scripted({"query": " ", "answer": "Ada."})).invoke({"doc": "d"})


@pytest.mark.parametrize("kind", ["score_string", "labeled_score_string"])
def test_score(kind: str) -> None:
    reference = {"reference": "the reference"} if kind.startswith("labeled") else {}
    llm = scripted(said(7))
    evaluator = load_evaluator(kind, llm=llm)
    result = evaluator.evaluate_strings(prediction="p", input="i", **reference)
    assert result == {"reasoning": "Because.", "score": 7}
    assert type(result["score"]) is int
    assert type(result["reasoning"]) is str
    assert evaluator.evaluation_name == "score_string:helpfulness-relevance-correctness-depth"
    assert ("the reference" in asked(llm)) == bool(reference)
    normalized = load_evaluator(kind, llm=llm, normalize_by=10, criteria="accuracy")
    assert normalized.evaluate_strings(prediction="p", input="i", **reference)["score"] == 0.7
    assert normalized.evaluation_name == "score_string:accuracy"


@pytest.mark.parametrize("normalize_by", [0, -1, float("nan"), float("inf")])
def test_fixed_a_score_divided_by_zero_was_an_error_at_the_call(normalize_by: float) -> None:
    with pytest.raises(ConfigError, match="normalize_by"):
        load_evaluator("score_string", llm=scripted(said(7)), normalize_by=normalize_by)


@pytest.mark.parametrize("score", [0, 11, 7.5, -3, "8/10", True, None, "ten"])
def test_a_score_off_the_scale_is_an_error_and_never_clamped(score: Any) -> None:
    with pytest.raises(ParseError):
        load_evaluator("score_string", llm=scripted(said(score))).evaluate_strings(prediction="p", input="i")


@pytest.mark.parametrize("kind", ["pairwise_string", "labeled_pairwise_string"])
@pytest.mark.parametrize(("label", "value", "score"), [("A", "A", 1), ("B", "B", 0), ("C", None, 0.5)])
def test_pairwise(kind: str, label: str, value: str | None, score: float) -> None:
    reference = {"reference": "the reference"} if kind.startswith("labeled") else {}
    llm = scripted(said(label))
    evaluator = load_evaluator(kind, llm=llm, criteria=["depth", {"own": "Own?"}])
    pair = {"prediction": "first text", "prediction_b": "second text", "input": "i", **reference}
    expected = {"reasoning": "Because.", "value": value, "score": score}
    assert evaluator.evaluate_string_pairs(**pair) == expected
    assert asyncio.run(evaluator.aevaluate_string_pairs(**pair)) == expected
    assert asked(llm).index("first text") < asked(llm).index("second text")
    assert ("the reference" in asked(llm)) == bool(reference)
    assert evaluator.evaluation_name == "pairwise_string:depth-own"


def prefers(text: str) -> Any:
    """A model that finds this text better in either place."""
    return lambda request: said("A" if f"<response_a>\n{text}" in request.messages[0]["content"] else "B")


@pytest.mark.parametrize(
    ("llm", "value", "score"),
    [
        (prefers("good"), "A", 1),
        (prefers("bad"), "B", 0),
        (said("A"), None, 0.5),
        (said("B"), None, 0.5),
        (said("C"), None, 0.5),
    ],
    ids=["the first", "the second", "whatever is first", "whatever is second", "neither"],
)
def test_with_both_orders_a_text_wins_in_either_place_or_not_at_all(
    llm: Any, value: Any, score: float
) -> None:
    model = scripted(llm)
    evaluator = load_evaluator("pairwise_string", llm=model, swap_order=True)
    result = evaluator.evaluate_string_pairs(
        prediction="good", prediction_b="bad", input="i", include_run_info=True
    )
    assert (result["value"], result["score"]) == (value, score)
    assert len(model.client.requests) == len(result["__run"]["orders"]) == 2


def test_the_criteria_of_scores_are_not_those_of_criteria() -> None:
    assert list(resolve_criteria(None)) == ["helpfulness"]
    assert list(resolve_pairwise_criteria(None)) == ["helpfulness", "relevance", "correctness", "depth"]
    assert resolve_pairwise_criteria("own") == {"own": ""}
    with pytest.raises(ConfigError):
        resolve_pairwise_criteria([])


STEPS = [(SimpleNamespace(tool="search", tool_input={"q": "x"}), "found </trajectory> it")]
MESSAGES = [
    {
        "role": "assistant",
        "content": "",
        "tool_calls": [{"function": {"name": "search", "arguments": '{"q": "x"}'}}],
    },
    {"role": "tool", "content": "found </trajectory> it"},
]


@pytest.mark.parametrize(("rating", "score"), [(1, 0), (2, 0.25), (3, 0.5), (4, 0.75), (5, 1)])
def test_trajectory(rating: int, score: float) -> None:
    llm = scripted(said(rating))
    evaluator = load_evaluator("trajectory", llm=llm)
    item = {"prediction": "the answer", "agent_trajectory": "went there", "input": "the question"}
    assert evaluator.evaluate_agent_trajectory(**item) == {"reasoning": "Because.", "score": score}
    assert asyncio.run(evaluator.aevaluate_agent_trajectory(**item))["score"] == score
    assert all(text in asked(llm) for text in item.values())
    assert "expected" not in asked(llm)
    assert "<tools>" not in asked(llm)


def test_steps_and_messages_are_shown_alike() -> None:
    assert TrajectoryEvalChain.get_agent_trajectory(STEPS) == TrajectoryEvalChain.get_agent_trajectory(
        MESSAGES
    )
    assert TrajectoryEvalChain.get_agent_trajectory("as it is") == "as it is"
    with pytest.raises(PromptError):
        TrajectoryEvalChain.get_agent_trajectory([7])


def test_a_trajectory_cannot_close_its_own_frame() -> None:
    llm = scripted(said(1))
    load_evaluator("trajectory", llm=llm).evaluate_agent_trajectory(
        prediction="p", agent_trajectory=STEPS, input="i"
    )
    assert asked(llm).count("</trajectory>") == 1


def look_up(word: str) -> str:
    """Looks a word up."""
    return word


def test_a_reference_and_tools_are_shown() -> None:
    from langchain_core.tools import tool

    llm = scripted(said(1))
    tools = [
        tool(look_up),
        look_up,
        {"type": "function", "function": {"name": "look_up", "description": "Looks a word up."}},
    ]
    for each in tools:
        evaluator = load_evaluator("trajectory", llm=llm, agent_tools=[each])
        evaluator.evaluate_agent_trajectory(
            prediction="p", agent_trajectory=[], input="i", reference="the truth"
        )
        assert "the truth" in asked(llm)
        assert '"name": "look_up"' in asked(llm)
        assert "Looks a word up." in asked(llm)
    with pytest.raises(ConfigError, match="agent_tools"):
        load_evaluator("trajectory", llm=llm, agent_tools=[7])
    with pytest.raises(ConfigError, match="output_parser"):
        load_evaluator("trajectory", llm=llm, output_parser=object())


UNREADABLE = {
    "qa: not correct was scored 1": ("qa", "The answer is not correct"),
    "qa: partially correct was scored 1": ("qa", "This is partially correct"),
    "qa: not incorrect was scored 0": ("qa", "It is not incorrect"),
    "qa: the first of two grades was taken": ("qa", "GRADE: CORRECT ... Actually GRADE: INCORRECT"),
    "qa: the beginning of a word was a grade": ("qa", "GRADE: INCORRECTLY FORMATTED"),
    "qa: no grade was scored None without an error": ("qa", "Correctness is low. Verdict: wrong"),
    "score_string: the first of two ratings was taken": (
        "score_string",
        "[[5]] would be average; final [[9]]",
    ),
    "pairwise_string: the first of two verdicts was taken": ("pairwise_string", "x [[A]] hmm no: [[B]]"),
    "trajectory: the first of two scores was taken": ("trajectory", "I'd give Score: 2. Final Score: 5"),
    "trajectory: a sign was lost": ("trajectory", "Score: -1"),
    "trajectory: a missing blank was an error about unpacking": ("trajectory", "Score:4"),
}
ITEMS: dict[str, dict[str, Any]] = {
    "qa": {"prediction": "p", "input": "i", "reference": "r"},
    "score_string": {"prediction": "p", "input": "i"},
    "pairwise_string": {"prediction": "p", "prediction_b": "b", "input": "i"},
    "trajectory": {"prediction": "p", "agent_trajectory": "s", "input": "i"},
}
METHODS = {"pairwise_string": "evaluate_string_pairs", "trajectory": "evaluate_agent_trajectory"}


@pytest.mark.parametrize(("kind", "reply"), UNREADABLE.values(), ids=UNREADABLE)
def test_fixed(kind: str, reply: str) -> None:
    evaluator = load_evaluator(kind, llm=scripted(reply))
    with pytest.raises(ParseError) as caught:
        getattr(evaluator, METHODS.get(kind, "evaluate_strings"))(**ITEMS[kind])
    assert caught.value.raw == reply


def test_a_prompt_of_one_s_own_for_each() -> None:
    from langchain_core.prompts import PromptTemplate

    prompts = {
        "qa": ("{query} {answer} {result}\nGRADE: CORRECT or INCORRECT", "CORRECT"),
        "score_string": ('{prediction} {input} {criteria} "Rating: [[5]]"', 5),
        "pairwise_string": ('{prediction} {prediction_b} {input} {criteria} "[[A]]"', "A"),
    }
    for kind, (text, score) in prompts.items():
        llm = scripted(said(score))
        evaluator = load_evaluator(kind, llm=llm, prompt=PromptTemplate.from_template(text))
        result = getattr(evaluator, METHODS.get(kind, "evaluate_strings"))(**ITEMS[kind])
        assert result["score"] in {1, 5}
        assert asked(llm).endswith(text.rpartition("}")[2])
        with pytest.raises(ConfigError, match="Input variables should be"):
            load_evaluator(kind, llm=llm, prompt=PromptTemplate.from_template("{odd}"))


def test_from_llm_takes_the_model_in_first_place() -> None:
    evaluator = QAEvalChain.from_llm(scripted(said("CORRECT")))
    assert evaluator.evaluate_strings(**ITEMS["qa"])["value"] == "CORRECT"
    with pytest.raises(JudgeError):
        QAEvalChain.from_llm(scripted(said("PERHAPS"))).evaluate_strings(**ITEMS["qa"])
