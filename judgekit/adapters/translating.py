"""What all adapters share: a judge whose scores are written in another runner's terms."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from judgekit.core.flow import Flow
from judgekit.errors import ConfigError, MissingDependencyError
from judgekit.evaluators.base import AsyncEvaluator, Evaluator
from judgekit.evaluators.function import is_async
from judgekit.models.clients import PORTAL
from judgekit.runner.records import Example, Score
from judgekit.runner.scorers import Scorer, read_scorers

__all__ = ["Translated", "facts", "imported", "in_its_way", "only", "translated", "waited_for"]

Write = Callable[[tuple[Score, ...]], Any]


@dataclass(frozen=True)
class Translated:
    """A judge as an evaluation that gives another runner's scores.

    Attributes:
        scorer: the judge.
        write: what to make of its scores.
        fail: what to make of an exception; None lets it through, which is right wherever the runner records it.
    """

    scorer: Scorer
    write: Write = field(repr=False)
    fail: Callable[[Exception], Any] | None = field(default=None, repr=False)

    @property
    def name(self) -> str:
        return self.scorer.name

    @property
    def key(self) -> str:
        """What its scores are called, as far as that is known before there are any."""
        return str(getattr(self.scorer.evaluation, "feedback_key", self.scorer.name))

    @property
    def deadline(self) -> float | None:
        return self.scorer.evaluation.deadline

    def flow(self, item: Mapping[str, Any]) -> Flow[Any]:
        try:
            return self.write((yield from self.scorer.flow(_example(item), item["outputs"])))
        except Exception as error:
            if self.fail is None:
                raise
            return self.fail(error)


def translated(judge: Any, write: Write, fail: Callable[[Exception], Any] | None = None) -> Translated:
    """One judge, read as `judgekit.evaluate` reads its evaluators.

    Raises:
        ConfigError: it is no evaluator, or several.
    """
    if isinstance(judge, Sequence):
        raise ConfigError(f"One judge at a time: adapt each of the {len(judge)} on its own.")
    (scorer,) = read_scorers(judge)
    return Translated(scorer, write, fail)


def in_its_way(judge: Any, made: Translated) -> Evaluator:
    """The callable that is async where the judge is, for runners that take both kinds."""
    return (AsyncEvaluator if _is_awaited(judge) else Evaluator)(made)


def waited_for(judge: Any, made: Translated) -> Callable[..., Any]:
    """The callable that is always sync, for runners that take no other; an async judge runs on judgekit's own loop."""
    if not _is_awaited(judge):
        return Evaluator(made)
    awaited = AsyncEvaluator(made)
    return lambda **item: PORTAL.call(awaited(**item))


def facts(score: Score) -> dict[str, Any]:
    """The comment and the metadata of a score in one mapping, for runners that keep only the latter."""
    comment = {} if score.comment is None else {"comment": score.comment}
    return {**comment, **(score.metadata or {})}


def only(scores: tuple[Score, ...], runner: str) -> Score:
    """The score of a judge that gives one, for runners with room for one.

    Raises:
        ConfigError: there are several.
    """
    if len(scores) != 1:
        keys = ", ".join(score.key for score in scores)
        raise ConfigError(
            f"{runner} takes one score from a scorer, and this evaluator gives {keys}: adapt one evaluator for each."
        )
    return scores[0]


def imported(module: str, package: str) -> Any:
    """A module of another project.

    Raises:
        MissingDependencyError: it is not installed.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise MissingDependencyError(
            f"{module} cannot be imported ({error}): install it with `pip install {package}`."
        ) from error


def _is_awaited(judge: Any) -> bool:
    return isinstance(judge, AsyncEvaluator) or is_async(judge)


def _example(item: Mapping[str, Any]) -> Example:
    extra = {name: value for name, value in item.items() if name not in _FIELDS}
    found = {name: item[name] for name in _FIELDS if item.get(name) is not None}
    return Example(index=0, id="0", extra=extra, **found)


_FIELDS = ("inputs", "outputs", "reference_outputs", "attachments", "metadata")
