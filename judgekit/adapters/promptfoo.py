"""promptfoo: judges as Python assertions (`type: python`, `value: file://judge.py`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from judgekit.adapters.translating import facts, only, translated, waited_for
from judgekit.errors import ConfigError
from judgekit.runner.records import Score

__all__ = ["promptfoo_assert"]


def promptfoo_assert(
    judge: Any, *, inputs: str = "input", reference_outputs: str = "expected", threshold: float = 0.5
) -> Callable[[Any, Mapping[str, Any]], dict[str, Any]]:
    """A judge as the `get_assert` of a Python assertion file.

    Args:
        judge: an evaluator by the contract of `judgekit.evaluator` with one score that is a number, true or false. The
            test's variables are its further keywords.
        inputs: the test variable that is what the application was given; all variables together where there is none of
            that name.
        reference_outputs: the test variable that is what is right.
        threshold: the least score that passes.

    Returns:
        A function `get_assert(output, context)`. It raises when a judgement failed, which promptfoo shows as an error of
        the assertion; promptfoo has no score-less form for that, and counts the test as not passed.

    Raises:
        ConfigError: it is no evaluator; when called, its score is a label.
    """

    def write(scores: tuple[Score, ...]) -> dict[str, Any]:
        score = only(scores, "promptfoo")
        if score.number is None:
            raise ConfigError(
                f"promptfoo takes numbers, and {score.key} is {score.score!r}: map the judge's choices to numbers."
            )
        return {
            "pass": score.number >= threshold,
            "score": score.number,
            "reason": score.comment or f"{score.key} is {score.score}",
            "namedScores": {score.key: score.number},
            "metadata": facts(score),
        }

    asked = waited_for(judge, translated(judge, write))

    def get_assert(output: Any, context: Mapping[str, Any]) -> Any:
        given = dict(context.get("vars") or {})
        reference = given.pop(reference_outputs, None)
        question = given.pop(inputs) if inputs in given else dict(context.get("vars") or {})
        extra = {name: value for name, value in given.items() if name not in ("inputs", "outputs")}
        return asked(**extra, inputs=question, outputs=output, reference_outputs=reference)

    return get_assert
