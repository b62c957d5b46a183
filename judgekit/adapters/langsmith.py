"""LangSmith: judges in `langsmith.evaluate`, `aevaluate` and `evaluate_comparative`.

A judge can be passed to the first two as it is, and a plain function can be a summary evaluator. LangSmith reads the source of an evaluator to know under which key a failure
belongs, and a judge has no source of its own: its failure is then a row without a result, which `aevaluate` does not even log.
`langsmith_evaluator` gives failures the form that LangSmith gives its own, and passes on labels and attachments as well.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from judgekit.adapters.translating import Translated, in_its_way, translated, waited_for
from judgekit.core.flow import Flow
from judgekit.evaluators.base import Evaluator
from judgekit.runner.preferences import read_ranked
from judgekit.runner.records import Score

__all__ = ["langsmith_comparative_evaluator", "langsmith_evaluator", "langsmith_summary_evaluator"]


def langsmith_evaluator(judge: Any) -> Evaluator:
    """A judge for the `evaluators` of `langsmith.evaluate` and `aevaluate`.

    Args:
        judge: an evaluator by the contract of `judgekit.evaluator`, sync or async; what it gives is what this one is.

    Returns:
        An evaluator of LangSmith's `inputs`, `outputs`, `reference_outputs` and `attachments`. Numbers and truth values are
        a result's `score`, labels its `value`. A judgement that failed is a result with neither, whose `extra` has
        `error: True` and whose `comment` says why.

    Raises:
        ConfigError: it is no evaluator.
    """
    made = translated(judge, _results, lambda error: _failed(made.key, error))
    return in_its_way(judge, _Attached(made.scorer, made.write, made.fail))


def langsmith_summary_evaluator(judge: Any) -> Callable[..., dict[str, Any]]:
    """An evaluator of a whole experiment, for the `summary_evaluators` of `langsmith.evaluate` and `aevaluate`.

    Args:
        judge: an evaluator to which `inputs`, `outputs` and `reference_outputs` are lists, one entry a row; sync or async.

    Returns:
        A summary evaluator. A failure has the form that `langsmith_evaluator` gives it: one that raises is logged and dropped.

    Raises:
        ConfigError: it is no evaluator.
    """
    made = translated(judge, _results, lambda error: _failed(made.key, error))
    asked = waited_for(judge, made)

    def summarize(inputs: list[Any], outputs: list[Any], reference_outputs: list[Any]) -> dict[str, Any]:
        found: dict[str, Any] = asked(inputs=inputs, outputs=outputs, reference_outputs=reference_outputs)
        return found

    summarize.__name__ = made.name
    return summarize


def langsmith_comparative_evaluator(judge: Any) -> Callable[..., dict[str, Any]]:
    """A judge that says which of several answers is best, for the `evaluators` of `langsmith.evaluate_comparative`.

    Args:
        judge: an evaluator to which `outputs` is a list, one answer a run, and whose score is the winner's letter, "A",
            "B", ..., or "tie".

    Returns:
        A comparative evaluator: the winner's score is 1.0, that of the others 0.0, and 0.5 in a tie. A judgement that failed
        scores none of the runs, and its comment says why: raising would end the whole comparison.

    Raises:
        ConfigError: it is no evaluator.
    """
    made = translated(judge, _verdict, lambda error: error)
    asked = waited_for(judge, made)

    def compare(runs: Any, example: Any) -> dict[str, Any]:
        found = asked(
            inputs=example.inputs,
            outputs=[run.outputs for run in runs],
            reference_outputs=example.outputs,
        )
        try:
            if isinstance(found, Exception):
                raise found
            (ranked,) = read_ranked(found, [str(run.id) for run in runs], made.key)
        except Exception as error:  # noqa: BLE001  # whatever it is, the other examples are judged
            return {"key": made.key, "scores": {run.id: None for run in runs}, "comment": repr(error)}
        scores = {run.id: score for run, score in zip(runs, ranked.scores, strict=True)}
        return {"key": ranked.key, "scores": scores, "comment": ranked.comment}

    compare.__name__ = made.name
    return compare


class _Attached(Translated):
    """As the judge, with LangSmith's attachments in judgekit's form."""

    def flow(self, item: Mapping[str, Any]) -> Flow[Any]:
        return super().flow({**item, "attachments": _attachments(item["attachments"])})


def _attachments(given: Any) -> Any:
    """A list of what LangSmith hands over by name, each with an open `reader`; None where there is nothing."""
    if not isinstance(given, Mapping):
        return given
    return [
        {"name": name, "mime_type": found["mime_type"], "data": found["reader"].read()}
        for name, found in given.items()
    ] or None


def _results(scores: tuple[Score, ...]) -> dict[str, Any]:
    results = [_result(score) for score in scores]
    return results[0] if len(results) == 1 else {"results": results}


def _result(score: Score) -> dict[str, Any]:
    return {
        "key": score.key,
        "value" if isinstance(score.score, str) else "score": score.score,
        "comment": score.comment,
        "metadata": None if score.metadata is None else dict(score.metadata),
    }


def _failed(key: str, error: Exception) -> dict[str, Any]:
    return {"key": key, "score": None, "comment": repr(error), "extra": {"error": True}}


def _verdict(scores: tuple[Score, ...]) -> dict[str, Any]:
    (score,) = scores
    return {"key": score.key, "score": score.score, "comment": score.comment}
