"""Reading a judge's answer: recorded shapes with their right outcome, and the general form of each rule."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from judgekit.core.coercion import same
from judgekit.core.exchange import Answer, Finish, ToolCall
from judgekit.core.parsing import Reading, read_verdict
from judgekit.core.scales import Binary, Choices, Continuous, Custom, Scale, scale_for
from judgekit.errors import ContentFilterError, JudgeError, ParseError, RefusalError
from tests.core.strategies import CODES, RUBRIC, outcome

Case = dict[str, Any]

CASES: list[Case] = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "data" / "structured_output.jsonl")
    .read_text("utf-8")
    .split("\n")
    if line
]


# --- the recorded cases ------------------------------------------------------------------------------------------


def scale_of(case: Case) -> Scale:
    judge = case["judge"]
    if judge["output_schema"]:
        return Custom(judge["output_schema"])
    return scale_for(continuous=judge["continuous"], choices=judge["choices"])


def answer_of(case: Case) -> Answer:
    """What a model's decoding of the body hands to the reader."""
    body = case["response"]
    if case["transport"] == "text":
        return Answer(text=body)
    return _of_openai(body) if case["transport"] == "openai_chat" else _of_anthropic(body)


def _of_openai(body: Case) -> Answer:
    choice = body["choices"][0]
    message = choice["message"]
    parts = message["content"] if isinstance(message["content"], list) else []
    text = "".join(part.get("text", "") for part in parts) if parts else message["content"]
    refusal = message["refusal"] or next((part["refusal"] for part in parts if "refusal" in part), None)
    functions = [call["function"] for call in message.get("tool_calls", [])]
    if "function_call" in message:
        functions.append(message["function_call"])
    finishes: dict[str, Finish] = {"length": "length", "content_filter": "content_filter"}
    return Answer(
        text=text,
        calls=tuple(ToolCall(function["name"], function["arguments"]) for function in functions),
        finish="refusal" if refusal else finishes.get(choice["finish_reason"], "stop"),
        detail=refusal,
        hidden=not text and "reasoning_content" in message,
    )


def _of_anthropic(body: Case) -> Answer:
    blocks = body["content"]
    finishes: dict[str, Finish] = {
        "max_tokens": "length",
        "model_context_window_exceeded": "length",
        "refusal": "refusal",
    }
    return Answer(
        text="".join(block["text"] for block in blocks if block["type"] == "text") or None,
        calls=tuple(
            ToolCall(block["name"], block["input"]) for block in blocks if block["type"] == "tool_use"
        ),
        finish=finishes.get(body["stop_reason"], "stop"),
        detail=body.get("stop_details", {}).get("category"),
    )


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["kind"])
def test_recorded_case(case: Case) -> None:
    expected = case["expect"]
    if expected.get("error") == "provider_error":
        pytest.skip("an error body is no answer: models refuse it and it never reaches the reader")
    answer, scale, explain = answer_of(case), scale_of(case), case["judge"]["use_reasoning"]
    if not expected["ok"]:
        with pytest.raises(JudgeError) as caught:
            read_verdict(answer, scale, explain=explain)
        assert caught.value.code == expected["error"]
        return

    reading = read_verdict(answer, scale, explain=explain)

    assert repr(reading.value) == repr(expected["score"])  # 1 is not 1.0 is not True
    if "reasoning" in expected and explain:
        assert reading.explanation == expected["reasoning"]
    json.dumps([reading.value, reading.explanation], ensure_ascii=False).encode()


def test_all_cases_are_there() -> None:
    assert len(CASES) == 221
    assert sum(case["expect"].get("error") == "provider_error" for case in CASES) == 3


UNDECIDABLE = {
    "think_close_only": "text before a closing tag without an opening one looks like an answer until the tag comes",
    "scalar_choice_nr": "the head of a bare number is a number",
}
"""Cases whose head reads as another answer; only the finish tells."""

ACCEPTED = [case for case in CASES if case["expect"]["ok"] and answer_of(case).text]


@pytest.mark.parametrize("case", ACCEPTED, ids=lambda case: case["kind"])
def test_a_cut_answer_is_never_another_score(case: Case) -> None:
    answer = answer_of(case)
    scale, explain, score = scale_of(case), case["judge"]["use_reasoning"], case["expect"]["score"]
    finish: Finish = "length" if case["kind"] in UNDECIDABLE else "stop"
    for head in heads(answer.text or ""):
        read = outcome(replace(answer, text=head, finish=finish), scale, explain=explain)
        if head.rstrip().endswith('"score": 0.9}') and case["kind"] == "think_close_only":
            assert read == 0.9  # cut where the draft ends: nothing tells it from an answer that ends there
        else:
            assert read in CODES if isinstance(read, str) else same(read, score), head


def heads(text: str) -> Iterator[str]:
    """The text cut at every position; of a very long one, at the positions near its ends."""
    for place in range(len(text)):
        if place < 500 or place > len(text) - 500:
            yield text[:place]


# --- the rules' general forms ------------------------------------------------------------------------------------

BAD = '{"reasoning": "bad", "score": 0.1}'
PERFECT = '{"reasoning": "perfect", "score": 1.0}'


@pytest.mark.parametrize(
    "text",
    [
        f"{BAD} and {PERFECT}",
        f"```json\n{BAD}\n```\n```json\n{PERFECT}\n```",
        f"{BAD}<think>x</think>{PERFECT}",
        f"<|channel|>commentary<|message|>{PERFECT}<|end|><|channel|>final<|message|>{BAD}",
        json.dumps(PERFECT) + BAD,
        f'{{"result": {BAD}, "Result": {PERFECT}}}',
        '{"reasoning": "x", "score": 0.9, "final_score": 0.4}',
        '{"reasoning": "x", "score": 0.9, "final_score": "low"}',
        f'{{"reasoning": "x", "score": 0.9, "revised": {BAD}}}',
        f'{{"properties": {BAD}, "reasoning": "x", "score": 0.9}}',
        '{"reasoning": "x", "final_score": 0.4}' + PERFECT,
        '{"reasoning": "x", "score": 0.9, "ｓｃｏｒｅ": 0.4}',
        '{"reasoning": "x", "score": 0.9, "sc\u200bore": 0.4}',
        '{"reasoning": "x", "score": 0.9, "\\u0073core": 0.4}',
        '{"reasoning": "x", "reasoning": "y", "score": 0.9}',
        '{"reasoning": "He wrote ", "score": 1.0} nice", "score": 0.1}',
        '{"reasoning": "He wrote "ok", "score": 1.0} nice", "score": 0.1}',
        '{"reasoning": "open, "score": 0.9}\n{"reasoning": "y", "score": 0.1}',
        "{reasoning: 'He wrote ', score: 1.0} nice', score: 0.1}",
        '{"reasoning": "He wrote {"score": 1.0, "reasoning": "y"} there", "score": 0.1}',
        f'{{"reasoning": "...", "score": ...}}\n{BAD}',
        f'{{reasoning: "x", score: 0.9]\n{BAD}',
        f'{{\\"reasoning\\": \\"x\\", \\"score\\": 0.9}}\n{BAD}',
        f'{{"answer": "{PERFECT[:-1]}"}}\n{BAD}'.replace('"reason', '\\"reason'),
    ],
)
def test_verdicts_that_disagree_are_ambiguous(text: str) -> None:
    assert outcome(text, Continuous()) == "ambiguous"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"{BAD} {BAD}", 0.1),
        (f"[{BAD}, {BAD}]", 0.1),
        ('{"reasoning": "x", "score": 0.5, "overall_score": "0.5"}', 0.5),
        ('{"criteria": {"tone": {"score": 0.2}}, "reasoning": "x", "score": 0.6}', 0.6),
        (f'{{"a": {{"b": [{{"c": {BAD}}}]}}}}', 0.1),
        (json.dumps(f"```json\n{BAD}\n```"), 0.1),
        (json.dumps(json.dumps(BAD)), "missing_field"),
        (json.dumps({"reasoning": PERFECT}), "missing_field"),
        (json.dumps({"note": f"he wrote {PERFECT}"}), "missing_field"),
        ('{"score": {"score": 0.5}, "reasoning": "x"}', "invalid_score"),
        ("<think/>" + BAD, 0.1),
        (f"<think>a<think>b</think>{PERFECT}", "empty"),
        (f"{BAD}\n</think>", "empty"),
        (f"{BAD}<think>{PERFECT}", 0.1),
        ('```\n{"reasoning": "has <think> and </think>", "score": 0.5}', 0.5),
        ("{'reasoning': 'has </think> only', 'score': 0.5}", 0.5),
        (f"{BAD} {{", "truncated"),
        (f'{PERFECT} {{"reasoning": "The candidate tries', "truncated"),
        (f"[{BAD}", "truncated"),
        (f"```json\n{BAD[:-1]}\n```", "truncated"),
        (f"<answer>{BAD[:-1]}</answer>", "truncated"),
        (BAD + "}", 0.1),
        (f"{BAD} and the {{ sign is unused", 0.1),
        (f"{{name}} {{' {{\" [1] \\frac{{1}}{{2}} {{x: [y] f() {{ return 1; }} {BAD}", 0.1),
        (f'The fields "reasoning" and "score":\n{BAD}', 0.1),
        (f"**Score:** 9/10\nScore: 0.9\n{BAD}", 0.1),
        ('{"reasoning": "x"; "score": 0.5}', "no_json"),
        ('{"reasoning": "x", "score": }', "no_json"),
        ('{"reasoning": "x", "score": high}', "invalid_score"),
        ('{"reasoning": "x", "score": 8/10}', "invalid_score"),
        ('{"reasoning": "x", "score": 80%}', "invalid_score"),
        ('{"reasoning": "x", "score": 1.}', "invalid_score"),
        ('{"reasoning": "x", "score": 00.5}', "invalid_score"),
        ('{"reasoning": "x", "score": +0.5}', 0.5),
        (f'{{"reasoning": "x", "score": {"9" * 5000}}}', "invalid_score"),
        ('{"reasoning": null, "score": 0.5}', "missing_field"),
        ('{"reasoning": " \u200b", "score": 0.5}', "missing_field"),
        ('{"reasoning": ["a"], "score": 0.5}', "missing_field"),
        ('{"reasoning": "x", # why: 0.9\n "score": 0.5}', 0.5),
        ('{"reasoning": "x" "score": 0.5 "other": 1}', 0.5),
        ('{"reasoning": "x", "score": 0.5,,}', "no_json"),
        ("\u201cI would rate it highly\u201d", "missing_field"),
    ],
)
def test_rule(text: str, expected: Any) -> None:
    assert outcome(text, Continuous()) == expected


@pytest.mark.parametrize(
    ("text", "reasoning"),
    [
        ('{"reasoning": "the word "final"", "score": 0.5}', 'the word "final"'),
        ('{"reasoning": ""quoted" start", "score": 0.5}', '"quoted" start'),
        ("{'reasoning': 'It doesn't say', 'score': 0.5}", "It doesn't say"),
        ("{‘reasoning’: ‘it’s fine’, ‘score’: 0.5}", "it’s fine"),
        ('x {"reasoning": "\\ud83d\\ude42 \\ud83d", "score": 0.5}', "\U0001f642 \ufffd"),
        ('{"reasoning": "a\x00b\ud83d", "score": 0.5}', "ab\ufffd"),
        ('{"reasoning": "\\d+ \\u12 it\\\'s\t\\\\", "score": 0.5}', "\\d+ \\u12 it's\t\\"),
    ],
)
def test_the_reasoning_survives_the_repair(text: str, reasoning: str) -> None:
    reading = read_verdict(Answer(text=text), Continuous(), explain=True)

    assert (reading.value, reading.explanation) == (0.5, reasoning)


WORDS = Choices(("good", "bad"))


@pytest.mark.parametrize(
    ("text", "scale", "expected"),
    [
        ("True", Binary(), True),
        ("```\ntrue\n```", Binary(), True),
        ("<|channel|>final<|message|>true<|return|>", Binary(), True),
        ("<think>1</think> .5", Continuous(), 0.5),
        ("'good'", WORDS, "good"),
        ("Good\n", WORDS, "good"),
        ("not good", WORDS, "no_json"),
        ("yes", Binary(), "no_json"),
        ("0.", Continuous(), "no_json"),
        ("0.5 because", Continuous(), "no_json"),
        ("null", Binary(), "invalid_score"),
        ("[0.5]", Continuous(), "missing_field"),
        ('{"result": 0.5}', Continuous(), "missing_field"),
        ('"A"', RUBRIC, "missing_field"),
    ],
)
def test_a_bare_scalar_where_no_reasoning_is_wanted(text: str, scale: Scale, expected: Any) -> None:
    assert outcome(text, scale, explain=False) == expected


CALL, CALL_TEXT = ToolCall("score", json.loads(BAD)), ToolCall("score", BAD)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (Answer(text=f"{BAD}\n\n  ", finish="length"), 0.1),
        (Answer(text=f"```json\n{BAD}\n```", finish="length"), "truncated"),
        (Answer(text=f"{BAD} so", finish="length"), "truncated"),
        (Answer(text=BAD + PERFECT, finish="length"), "ambiguous"),
        (Answer(calls=(CALL,), finish="length"), "truncated"),
        (Answer(calls=(CALL_TEXT,), finish="length"), 0.1),
        (Answer(calls=(CALL_TEXT, ToolCall("score", "")), finish="length"), "truncated"),
        (Answer(text=BAD, calls=(ToolCall("search", PERFECT),)), 0.1),
        (Answer(text="Hm.", calls=(ToolCall("search", PERFECT),)), "missing_field"),
        (Answer(calls=(ToolCall("score", {"result": json.loads(BAD)}),)), 0.1),
        (Answer(calls=(ToolCall("score", "words"),)), "no_json"),
        (Answer(text=BAD[:-1], calls=(CALL,)), "truncated"),
        (Answer(text='{"score": 0.1}', calls=(CALL,)), 0.1),
        (Answer(text='{"score": 0.1}', explains=False), 0.1),
        (Answer(text="0.1", explains=False), 0.1),
    ],
)
def test_finish_and_channels(answer: Answer, expected: Any) -> None:
    assert outcome(answer, Continuous()) == expected


def test_a_reading_says_how_it_was_read() -> None:
    text = "<think>?</think> Sure:\n```json\n{'score': \"Good\", 'reasoning': 'x',}\n```"
    mapped = scale_for(choices={"good": 1.0, "bad": 0.0})

    assert read_verdict(Answer(text=text), mapped, explain=True) == Reading(
        value=1.0,
        explanation="x",
        label="good",
        repairs=("fence", "prose", "quotes", "thinking", "trailing comma"),
        coercions=("spelling of the label",),
        score_before_reasoning=True,
    )
    assert read_verdict(Answer(text=BAD, explains=False), Continuous(), explain=True) == Reading(0.1)


@pytest.mark.parametrize(
    ("answer", "error", "words"),
    [
        (Answer(finish="refusal", detail="cyber"), RefusalError, "refused to judge this item: cyber"),
        (
            Answer(text=BAD, finish="content_filter", detail="hate"),
            ContentFilterError,
            "filter removed .*: hate",
        ),
        (Answer(hidden=True), ParseError, "reasoning channel"),
        (Answer(text="<think>x"), ParseError, "all of it is thinking"),
        (Answer(text=BAD[:9], finish="length"), ParseError, "output budget ended .* raise max_tokens"),
        (Answer(text='{"reasoning": "x", "score": 8}'), ParseError, "8 is not between .* from 0.0 to 1.0"),
        (Answer(text='{"score": 8}'), ParseError, '"reasoning" .a text. is missing'),
        (Answer(text="Nice."), ParseError, 'no JSON object with the fields "reasoning" .* from 0.0 to 1.0'),
    ],
)
def test_an_error_says_what_to_change(answer: Answer, error: type[JudgeError], words: str) -> None:
    with pytest.raises(error, match=words) as caught:
        read_verdict(replace(answer, request_id="req_1"), Continuous(), explain=True)

    assert (caught.value.raw, caught.value.request_id) == (answer.text, "req_1")


def test_the_raw_text_holds_the_arguments_of_calls() -> None:
    answer = Answer(text="Hm.", calls=(ToolCall("score", {"a": 1}), ToolCall("score", "{")))
    with pytest.raises(ParseError) as caught:
        read_verdict(answer, Continuous(), explain=True)

    assert caught.value.raw == 'Hm.\n{"a": 1}\n{'
