"""Verdicts in every dressing that the reader takes off, and texts that look like them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st

from judgekit.core.characters import is_blank
from judgekit.core.exchange import Answer
from judgekit.core.parsing import read_verdict
from judgekit.core.scales import Binary, Choices, Continuous, Custom, Scale
from judgekit.errors import JudgeError

CODES = {"no_json", "missing_field", "invalid_score", "ambiguous", "truncated", "empty"}
"""Of a `ParseError` that the reader raises."""

PROPERTY = settings(max_examples=150, deadline=None, database=None)

SCALES: tuple[Scale, ...] = (
    Binary(),
    Continuous(),
    Continuous(1.0, 10.0),
    Choices((0, 0.5, 1)),
    Choices((1, 2, 3, 4, 5)),
    Choices(("good", "bad", "not good")),
    Choices(("yes", "no"), {"yes": 1.0, "no": 0.0}),
)

RUBRIC = Custom(
    {
        "type": "object",
        "additionalProperties": False,
        "required": ["reasoning", "score", "winner"],
        "properties": {
            "reasoning": {"type": "string"},
            "score": {"type": "number", "minimum": 0, "maximum": 1},
            "winner": {"enum": ["A", "B"]},
        },
    }
)


def outcome(answer: Answer | str, scale: Scale, *, explain: bool = True) -> Any:
    """The value that is read, or the code of the error."""
    answer = Answer(text=answer) if isinstance(answer, str) else answer
    try:
        return read_verdict(answer, scale, explain=explain).value
    except JudgeError as error:
        return error.code


Spelling = Callable[[str, str], str]

SPELLINGS: dict[str, Spelling] = {
    "plain": lambda reasoning, score: f'{{"reasoning": "{reasoning}", "score": {score}}}',
    "score first": lambda reasoning, score: f'{{"score": {score}, "reasoning": "{reasoning}"}}',
    "pretty": lambda reasoning, score: f'{{\n  "reasoning": "{reasoning}",\n  "score": {score}\n}}',
    "single quotes": lambda reasoning, score: f"{{'reasoning': '{reasoning}', 'score': {score}}}",
    "curly quotes": lambda reasoning, score: f"{{“reasoning”: “{reasoning}”, “score”: {score}}}",
    "full width": lambda reasoning, score: f"｛“reasoning”：“{reasoning}”，“score”：{score}｝",
    "corner brackets": lambda reasoning, score: f"{{「reasoning」：「{reasoning}」，「score」：{score}}}",
    "unquoted keys": lambda reasoning, score: f'{{reasoning: "{reasoning}", score: {score}}}',
    "missing comma": lambda reasoning, score: f'{{"reasoning": "{reasoning}" "score": {score}}}',
    "trailing comma": lambda reasoning, score: f'{{"reasoning": "{reasoning}", "score": {score},}}',
    "comments": lambda reasoning, score: (
        f'{{"reasoning": "{reasoning}", /* 0.7 */ "score": {score} // ok\n}}'
    ),
    "inner quotes": lambda reasoning, score: f'{{"reasoning": "so "{reasoning}" it is", "score": {score}}}',
    "raw newline": lambda reasoning, score: f'{{"reasoning": "a\n{reasoning}", "score": {score}}}',
    "wrong escape": lambda reasoning, score: f'{{"reasoning": "\\alpha {reasoning}", "score": {score}}}',
    "invisible": lambda reasoning, score: f'{{\u200b"reasoning":\u00a0"{reasoning}",\ufeff"score": {score}}}',
    "capitals": lambda reasoning, score: f'{{"Reasoning": "{reasoning}", "SCORE": {score}}}',
    "quoted score": lambda reasoning, score: f'{{"reasoning": "{reasoning}", "score": "{score}"}}',
}
"""How one verdict may be spelled, the score as its JSON text; each has one reading."""

DRESSINGS: dict[str, Callable[[str], str]] = {
    "bare": lambda verdict: verdict,
    "fence": lambda verdict: f"```json\n{verdict}\n```",
    "open fence": lambda verdict: f"```\n{verdict}",
    "tag": lambda verdict: f"<answer>{verdict}</answer>",
    "prose": lambda verdict: f"Having compared both, I decide: {verdict} That is all.",
    "template mark": lambda verdict: f"{verdict}<|im_end|>",
    "harmony": lambda verdict: f"<|channel|>final<|message|>{verdict}<|return|>",
    "wrapper": lambda verdict: f'{{"result": {verdict}}}',
    "two wrappers": lambda verdict: f'{{"output": {{"evaluation": {verdict}}}}}',
    "list": lambda verdict: f"[{verdict}]",
    "properties": lambda verdict: f'{{"type": "object", "properties": {verdict}}}',
    "text": json.dumps,
    "unescaped text": lambda verdict: json.dumps(verdict, ensure_ascii=False),
    "text in a wrapper": lambda verdict: json.dumps({"response": verdict}),
}
"""What may stand around one verdict without being another."""

THINKING: dict[str, Callable[[str], str]] = {
    "think": lambda draft: f"<think>maybe {draft}?</think>\n",
    "thinking": lambda draft: f"<thinking>\n{draft}\n</thinking>",
    "capitals": lambda draft: f"<THINK>{draft}</THINK>",
    "namespace": lambda draft: f"<seed:think>{draft}</seed:think>",
    "nested": lambda draft: f"<think>a <think>b</think> {draft}</think>",
    "brackets": lambda draft: f"[THINK]{draft}[/THINK]",
    "template marks": lambda draft: f"<|START_THINKING|>{draft}<|END_THINKING|>",
    "closing only": lambda draft: f"maybe {draft}?\n</think>\n",
    "closing only, draft open": lambda draft: f"maybe {draft[:-1]}\n</think>\n",
    "harmony": lambda draft: (
        f"<|channel|>analysis<|message|>{draft}<|end|><|start|>assistant<|channel|>final<|message|>"
    ),
    "call of another tool": lambda draft: (
        f"<|channel|>commentary to=functions.search <|constrain|>json<|message|>{draft}<|call|>"
    ),
}
"""What may stand before a verdict and hold a draft of it."""

spellings = st.sampled_from(sorted(SPELLINGS)).map(SPELLINGS.__getitem__)
dressings = st.sampled_from(sorted(DRESSINGS)).map(DRESSINGS.__getitem__)
thinking = st.sampled_from(sorted(THINKING)).map(THINKING.__getitem__)
scales = st.sampled_from((*SCALES, RUBRIC))

scores = st.integers(0, 100).map(lambda hundredths: hundredths / 100)
two_scores = st.tuples(scores, scores).filter(lambda pair: pair[0] != pair[1])


@st.composite
def verdict_texts(draw: st.DrawFn, score: float) -> str:
    """One verdict with this score, spelled and dressed at random."""
    reasoning = draw(st.sampled_from(("Good.", "It is {odd} [here].", "评价", "a, b: c")))
    return draw(dressings)(draw(spellings)(reasoning, json.dumps(score)))


reasonings = (
    st.one_of(
        st.text(),
        st.lists(
            st.sampled_from(
                [
                    '"',
                    "'",
                    "\\",
                    "{",
                    "}",
                    "[",
                    "]",
                    ",",
                    ":",
                    "\n",
                    "```",
                    "</think>",
                    "<think>",
                    '{"score": 1}',
                    '", "score": 0}',
                    "“",
                    "”",
                    "，",
                    "//",
                    "/*",
                    "#",
                    " ",
                    "word",
                    "\u2028",
                    "\x7f",
                    "<|end|>",
                ]
            )
        ).map("".join),
    )
    .map(lambda text: text.replace("\x00", ""))
    .filter(lambda text: not is_blank(text))
)
"""What a judge may write, the reader's own delimiters included."""

_TOKENS = [
    *"{}[]\",:\\'“”「」｛｝，：0159.-+e% \n#/*<>`",
    *(
        '"reasoning"',
        '"score"',
        "reasoning",
        "score",
        "'score'",
        '"Score"',
        '"final_score"',
        "“score”",
        '"winner"',
    ),
    *(
        ": ",
        '": "',
        '", "',
        '"}',
        "{{",
        "[]",
        "{}",
        "null",
        "true",
        "True",
        "NaN",
        "-Infinity",
        "1e999",
        '"A"',
        "x",
    ),
    *(
        "0.5",
        '"0,5"',
        '"80%"',
        '"yes"',
        '"good"',
        "```json\n",
        "```",
        "<think>",
        "</think>",
        "<|channel|>",
        "<|end|>",
    ),
    *(
        "<|channel|>analysis<|message|>",
        "\\u0041",
        "\\ud83d",
        "\ud83d",
        "\x00",
        "\ufeff",
        "\u200b",
        "9" * 400,
        "word",
    ),
    *('{"reasoning": "x", "score": 1}', '{"reasoning": "y", "score": 0.5}', '"properties"', '{"result": '),
]
judge_like_texts = st.lists(st.sampled_from(_TOKENS), max_size=30).map("".join)
"""Texts made of what judges' answers are made of, in any order."""

json_values: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["0.5", "{}"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["reasoning", "score", "Score", "winner", "result", "properties"])
            | st.text(max_size=4),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)
json_objects = st.dictionaries(
    st.text(max_size=6) | st.sampled_from(["score", "reasoning"]), json_values, max_size=4
)
