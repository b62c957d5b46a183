"""What holds of the reader whatever the model writes, and how long it takes."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgekit.core.decoding import Decoded, strict
from judgekit.core.exchange import Answer, ToolCall
from judgekit.core.parsing import read_verdict
from judgekit.core.repairing import Decoder
from judgekit.core.scales import Continuous, Custom, Scale
from tests.core import strategies as gen
from tests.core.strategies import CODES, outcome

PLAIN = '{"reasoning": "Names the capital.", "score": 0.1}'


@gen.PROPERTY
@given(st.data(), gen.scores)
def test_one_verdict_is_read_in_every_dressing(data: st.DataObject, score: float) -> None:
    text = data.draw(gen.verdict_texts(score))

    assert outcome(text, Continuous()) == score


@gen.PROPERTY
@given(st.data(), gen.two_scores, st.sampled_from(["text", "text and call", "calls"]))
def test_two_verdicts_are_never_one(data: st.DataObject, pair: tuple[float, float], channels: str) -> None:
    one, other = (data.draw(gen.verdict_texts(score)) for score in pair)
    between = data.draw(st.sampled_from(["", "\n", "\n\nNote: ", " but the submission says "]))
    answer = {
        "text": Answer(text=one + between + other),
        "text and call": Answer(text=one, calls=(ToolCall("score", other),)),
        "calls": Answer(calls=(ToolCall("score", one), ToolCall("score", other))),
    }[channels]

    assert outcome(answer, Continuous()) in CODES


@gen.PROPERTY
@given(
    gen.two_scores,
    gen.spellings,
    st.sampled_from(['"%s"', '"so "%s" it is"', '"%s", "x": "', '"", %s nice"']),
)
def test_a_planted_verdict_never_wins(
    pair: tuple[float, float], spelled: gen.Spelling, reasoning: str
) -> None:
    planted = spelled("perfect", json.dumps(pair[0]))
    text = f'{{"reasoning": {reasoning % planted}, "score": {json.dumps(pair[1])}}}'

    assert outcome(text, Continuous()) in {*CODES, pair[1]}


@gen.PROPERTY
@given(st.data(), gen.two_scores, gen.thinking)
def test_a_draft_in_thinking_never_counts(
    data: st.DataObject, pair: tuple[float, float], thought: Callable[[str], str]
) -> None:
    draft = data.draw(gen.spellings)("draft", json.dumps(pair[0]))

    assert outcome(thought(draft) + data.draw(gen.verdict_texts(pair[1])), Continuous()) == pair[1]


@gen.PROPERTY
@given(gen.judge_like_texts, gen.scales, st.booleans())
def test_any_text_is_a_value_on_the_scale_or_a_parse_error(text: str, scale: Scale, explain: bool) -> None:
    check(Answer(text=text), scale, explain)


@gen.PROPERTY
@given(gen.json_objects, gen.scales, st.booleans())
def test_any_arguments_are_a_value_on_the_scale_or_a_parse_error(
    arguments: dict[str, Any], scale: Scale, explain: bool
) -> None:
    check(Answer(calls=(ToolCall("score", arguments),)), scale, explain)
    check(Answer(text=json.dumps(arguments)), scale, explain)


def check(answer: Answer, scale: Scale, explain: bool) -> None:
    if outcome(answer, scale, explain=explain) in CODES:  # anything but a `JudgeError` is raised through
        return
    reading = read_verdict(answer, scale, explain=explain)
    if isinstance(scale, Custom):
        assert reading.value["winner"] in ("A", "B")
        assert 0 <= reading.value["score"] <= 1
    else:
        said = reading.value if reading.label is None else reading.label
        assert repr(scale.read(said).value) == repr(reading.value)
        assert (reading.explanation is not None) == explain
    json.dumps([reading.value, reading.explanation], ensure_ascii=False, allow_nan=False).encode()


@gen.PROPERTY
@given(gen.reasonings, st.sampled_from(sorted(set(gen.DRESSINGS) - {"open fence"})), st.booleans())
def test_the_reasoning_comes_back_as_it_was_written(reasoning: str, dressing: str, ascii_only: bool) -> None:
    verdict = json.dumps({"reasoning": reasoning, "score": 0.5}, ensure_ascii=ascii_only)
    for before in ("", "<think>a draft</think>"):
        reading = read_verdict(
            Answer(text=before + gen.DRESSINGS[dressing](verdict)), Continuous(), explain=True
        )
        assert reading.explanation == reasoning


@gen.PROPERTY
@given(gen.json_objects, st.booleans(), st.sampled_from([None, 2]))
def test_json_is_read_as_the_standard_library_reads_it(
    value: dict[str, Any], ascii_only: bool, indent: int | None
) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    decoded = Decoder(text).decode(0)

    assert isinstance(decoded, Decoded)
    assert (repr(decoded.value), decoded.repairs) == (repr(strict(text)[0]), frozenset())


HUNDRED_KB = 100_000
HOSTILE = [
    "{",
    "[",
    '"',
    '{"',
    "{'",
    "{“",
    '{"a":',
    '{"a":[',
    "[{",
    '{"a":"',
    '{"a":"",',
    '{"a":1,/*',
    "{/*",
    "\\",
]
HOSTILE += [
    '" ',
    '",',
    '",/*',
    '",#',
    "<think>",
    "</think>",
    "<|channel|>",
    "```",
    '{"score":1}',
    "{} ",
    "[1,",
    "< ",
]


@pytest.mark.parametrize("piece", HOSTILE)
@pytest.mark.parametrize("start", ["", 'x {"reasoning": "'], ids=["alone", "in a text"])
def test_hostile_repetition_is_refused_in_linear_time(piece: str, start: str) -> None:
    began = time.process_time()

    assert outcome(start + piece * (HUNDRED_KB // len(piece)), Continuous()) in CODES
    assert time.process_time() - began < 20  # s; well under 1 on an idle machine, hours if it were quadratic


@pytest.mark.parametrize("prefix", ["", "Here it is: "])
def test_depth_and_length_are_no_limit(prefix: str) -> None:
    deep = '{"a":' * 50_000 + PLAIN + "}" * 50_000
    long = json.dumps({"reasoning": 'word "and" word ' * 60_000, "score": 0.5})

    assert outcome(prefix + deep, Continuous()) == 0.1
    assert outcome(prefix + long, Continuous()) == 0.5


def test_the_plain_answer_costs_little_more_than_decoding_it() -> None:
    answer, scale = Answer(text=PLAIN), Continuous()

    def cost(call: Callable[[], Any]) -> float:
        began = time.process_time()
        for _ in range(500):
            call()
        return time.process_time() - began

    decoding = min(cost(lambda: json.loads(PLAIN)) for _ in range(15))
    reading = min(cost(lambda: read_verdict(answer, scale, explain=True)) for _ in range(15))

    assert reading < 10 * decoding  # about 3 times: 5 microseconds where decoding takes 2
