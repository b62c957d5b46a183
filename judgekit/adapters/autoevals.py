"""autoevals and Braintrust: judges as scorers, and their scorers as judgekit's evaluators."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from judgekit.adapters.borrowing import Borrowed
from judgekit.adapters.translating import facts, imported, only, translated, waited_for
from judgekit.errors import ConfigError
from judgekit.evaluators.base import AsyncEvaluator, Evaluator
from judgekit.runner.records import Score

__all__ = ["autoevals_scorer", "from_autoevals"]


def autoevals_scorer(judge: Any) -> Any:
    """A judge as an `autoevals.Scorer`, which is also what the `scores` of `braintrust.Eval` take.

    Args:
        judge: an evaluator by the contract of `judgekit.evaluator` with one score, from 0 to 1 or true or false.

    Returns:
        A scorer: `scorer(output, expected, input=...)`, and `eval_async` the same, awaited. It gives a `Score` with the
        judge's key and number; its metadata holds the judge's and the `comment`. A judgement that failed raises, and
        Braintrust counts it among the errors of the row.

    Raises:
        ConfigError: it is no evaluator; when called, its score is no number from 0 to 1.
        MissingDependencyError: autoevals is not installed.
    """
    package = imported("autoevals.score", "autoevals")
    base: Any = package.Scorer

    def write(scores: tuple[Score, ...]) -> Any:
        score = only(scores, "autoevals")
        return package.Score(name=score.key, score=_share(score), metadata=facts(score))

    made = translated(judge, write)
    asked, awaited = waited_for(judge, made), AsyncEvaluator(made)

    class Judge(base):  # type: ignore[misc]  # the class is known only where autoevals is installed
        def _name(self) -> str:
            return made.key

        def _run_eval_sync(self, output: Any, expected: Any = None, **others: Any) -> Any:
            return asked(**_item(output, expected, others))

        def _run_eval_async(self, output: Any, expected: Any = None, **others: Any) -> Any:
            return awaited(**_item(output, expected, others))

    return Judge()


def from_autoevals(scorer: Any, *, name: str | None = None, **settings: Any) -> Evaluator:
    """A scorer of autoevals, or one in Braintrust's form, as an evaluator.

    Args:
        scorer: an instance, `Levenshtein()` say.
        name: the evaluator's name, by default the scorer's.
        **settings: further keywords for every call.

    Returns:
        An evaluator that calls it with `output`, `expected` and, where there are inputs, `input`; its keywords beside
        `inputs`, `outputs` and `reference_outputs` are handed on, `metadata` among them. A scorer that skips an example gives no score, and so
        raises a `ParseError`.
    """
    called = name or str(scorer._name())  # noqa: SLF001  # autoevals has no public name for the name

    def arguments(item: Mapping[str, Any]) -> dict[str, Any]:
        given = {"input": item["inputs"], **{key: item[key] for key in item if key not in _OWN}, **settings}
        known = {key: value for key, value in given.items() if value is not None}
        return {"output": item["outputs"], "expected": item["reference_outputs"], **known}

    return Evaluator(
        Borrowed(
            called,
            lambda item: scorer.eval(**arguments(item)),
            lambda item: scorer.eval_async(**arguments(item)),
            lambda found: {"key": called, "score": found.score, "metadata": found.metadata or None},
        )
    )


_OWN = ("inputs", "outputs", "reference_outputs", "attachments")


def _item(output: Any, expected: Any, others: Mapping[str, Any]) -> dict[str, Any]:
    extra = {name: value for name, value in others.items() if name != "input"}
    return {**extra, "inputs": others.get("input"), "outputs": output, "reference_outputs": expected}


def _share(score: Score) -> float:
    number = score.number
    if number is None or not 0 <= number <= 1:
        raise ConfigError(
            f"autoevals takes numbers from 0 to 1, and {score.key} is {score.score!r}: map the judge's choices to such "
            "numbers (choices={'good': 1.0, 'bad': 0.0}), or let its scale end at 1."
        )
    return number
