"""Rows for pages: a shop's answers with three scores, some failures, and one row that attacks the page."""

from __future__ import annotations

import random
from typing import Any

from judgekit.core.exchange import Usage
from judgekit.runner.records import Exchange, Failure, RowResult, Score
from judgekit.runner.results import Results

__all__ = ["HOSTILE", "experiment", "row"]

HOSTILE = (
    "</script><script>alert(1)</script><img src='http://evil.invalid/x' onerror='alert(2)'><!-- ]]> "
    "\u2028 \ud800 \x00 \u202egnp.exe {{7*7}} \"'&amp;"
)

_FACTS = {
    "model": "openai:small",
    "prompt": {"name": "correctness", "version": "3", "hash": "sha256:5f1c99aa00bb"},
}


def row(index: int, *, passes: bool = True, note: float = 3.0, text: str = "", **fields: Any) -> RowResult:
    """Row `row-INDEX`, judged true or false, with a number and a label; odd rows are in German."""
    said = text or f"Answer number {index}: within thirty days."
    scores = (
        Score(
            "correctness",
            passes,
            "It names the deadline." if passes else "It names no deadline.",
            _FACTS,
            "judge",
        ),
        Score("helpfulness", note, None, None, "helper"),
        Score("tone", "curt" if note < 3 else "friendly", None, None, "toner"),
    )
    asked = [
        {"role": "system", "content": "Grade the answer."},
        {"role": "user", "content": f"<outputs>{said}</outputs>"},
    ]
    exchange = Exchange("judge", "openai:small", asked, '{"score": true}', None, 0.5, Usage(40, 5))
    defaults: dict[str, Any] = {
        "inputs": {"question": f"Question {index}"},
        "outputs": said,
        "reference_outputs": "Thirty days.",
        "metadata": {"language": "de" if index % 2 else "en"},
        "scores": scores,
        "seconds": {"target": 0.5, "judge": 0.25},
        "usage": Usage(40, 5),
        "cost": 0.001,
        "exchanges": (exchange,),
    }
    return RowResult(index, f"row-{index}", **{**defaults, **fields})


def experiment(name: str, rows: int, *, seed: int = 0, text_size: int = 0, **metadata: Any) -> Results:
    """An experiment: row 3 is hostile in all its texts, and the judge failed on row 5."""
    drawn = random.Random(seed)
    made = []
    for index in range(rows):
        filler = "".join(drawn.choices("abcdefghij ", k=text_size))
        made.append(row(index, passes=drawn.random() < 0.7, note=float(drawn.randint(1, 5)), text=filler))
    if rows > 5:
        made[3] = _hostile()
        failure = Failure("rate_limited", "The provider said to slow down.", "judge", 4, "half an ans")
        made[5] = row(5, scores=made[5].scores[1:], failures=(failure,), cost=None)
    return Results(name=name, metadata=metadata, rows=made)


def _hostile() -> RowResult:
    scores = (
        Score("correctness", False, HOSTILE, {HOSTILE: HOSTILE}, "judge"),
        Score("helpfulness", 1.0, None, None, "helper"),
        Score("tone", HOSTILE, None, None, "toner"),
    )
    asked = [{"role": HOSTILE, "content": [{"type": "text", "text": HOSTILE}]}]
    return row(
        3,
        inputs={HOSTILE: [HOSTILE]},
        text=HOSTILE,
        scores=scores,
        metadata={"language": HOSTILE, HOSTILE: HOSTILE},
        exchanges=(Exchange(HOSTILE, HOSTILE, asked, HOSTILE),),
    )
