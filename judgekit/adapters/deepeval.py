"""DeepEval: judges as metrics, and its metrics as judgekit's evaluators."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from judgekit.adapters.borrowing import Borrowed
from judgekit.adapters.translating import imported, only, translated, waited_for
from judgekit.errors import ConfigError
from judgekit.evaluators.base import AsyncEvaluator, Evaluator
from judgekit.runner.records import Score

__all__ = ["deepeval_metric", "from_deepeval"]

_PACKAGE = "deepeval"


def deepeval_metric(judge: Any, *, threshold: float = 0.5) -> Any:
    """A judge as a metric of DeepEval, for `assert_test`, `evaluate` and `metric.measure`.

    Args:
        judge: an evaluator by the contract of `judgekit.evaluator` with one score that is a number, true or false. It gets
            a test case's input, actual output and expected output, and as keywords its `context`, `retrieval_context`
            and `tools_called`.
        threshold: the least score that succeeds.

    Returns:
        A `BaseMetric` with the judge's key as its name, the comment as its `reason` and the metadata as its
        `score_breakdown`. A judgement that failed raises, with the metric's `error` set and its score None; with
        `ErrorConfig(ignore_errors=True)` DeepEval goes on with the other test cases.

    Raises:
        ConfigError: it is no evaluator; when measured, its score is a label.
        MissingDependencyError: DeepEval is not installed.
    """
    base: Any = imported("deepeval.metrics", _PACKAGE).BaseMetric

    class Judge(base):  # type: ignore[misc]  # the class is known only where DeepEval is installed
        # DeepEval makes a new metric for each test case, of the attributes that are called as the parameters are.
        def __init__(self, judge: Any, threshold: float = 0.5, async_mode: bool = True) -> None:
            self.judge, self.threshold, self.async_mode = judge, threshold, async_mode
            self._made = translated(judge, self._take, self._fail)

        def measure(self, test_case: Any, *_: Any, **__: Any) -> Any:
            return waited_for(self.judge, self._made)(**_item(test_case))

        def a_measure(self, test_case: Any, *_: Any, **__: Any) -> Any:
            return AsyncEvaluator(self._made)(**_item(test_case))

        def is_successful(self) -> bool:
            return bool(self.success)

        @property
        def __name__(self) -> str:
            return self._made.key

        def _take(self, scores: tuple[Score, ...]) -> float:
            score = only(scores, "DeepEval")
            if score.number is None:
                raise ConfigError(
                    f"DeepEval takes numbers, and {score.key} is {score.score!r}: map the judge's choices to numbers."
                )
            self._keep(score.number, score.comment, score.number >= self.threshold, None)
            self.score_breakdown = None if score.metadata is None else dict(score.metadata)
            return score.number

        def _fail(self, error: Exception) -> None:
            self._keep(None, None, False, str(error))
            raise error

        def _keep(self, *facts: Any) -> None:
            self.score, self.reason, self.success, self.error = facts

    return Judge(judge, threshold)


def from_deepeval(metric: Any, *, name: str | None = None) -> Evaluator:
    """A metric of DeepEval as an evaluator.

    Args:
        metric: an instance, `ExactMatchMetric()` say. It is copied for each example, as it keeps its score in itself.
        name: the evaluator's name, by default the metric's.

    Returns:
        An evaluator that makes a test case of `inputs`, `outputs` and `reference_outputs`, and of the keywords `context`,
        `retrieval_context`, `tools_called` and `expected_tools`. Its score is the metric's number, its comment the reason.

    Raises:
        MissingDependencyError: DeepEval is not installed.
    """
    case = imported("deepeval.test_case", _PACKAGE).LLMTestCase
    called = name or str(metric.__name__)

    def measured(item: Mapping[str, Any]) -> Any:
        mine = copy.copy(metric)
        mine.measure(case(**_case(item)), _show_indicator=False)
        return mine

    def read(mine: Any) -> dict[str, Any]:
        extra = {"threshold": mine.threshold, "success": mine.success, "breakdown": mine.score_breakdown}
        return {"key": called, "score": mine.score, "comment": mine.reason, "metadata": extra}

    return Evaluator(Borrowed(called, measured, None, read))


_EXTRAS = ("context", "retrieval_context", "tools_called", "expected_tools")
_PARTS = {"inputs": "input", "outputs": "actual_output", "reference_outputs": "expected_output"}


def _item(test_case: Any) -> dict[str, Any]:
    extra = {name: getattr(test_case, name, None) for name in _EXTRAS}
    given = {name: getattr(test_case, part) for name, part in _PARTS.items()}
    return {**{name: value for name, value in extra.items() if value is not None}, **given}


def _case(item: Mapping[str, Any]) -> dict[str, Any]:
    given = {part: item[name] for name, part in _PARTS.items() if item[name] is not None}
    return {**given, **{name: item[name] for name in _EXTRAS if item.get(name) is not None}}
