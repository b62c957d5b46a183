"""What comparative evaluators return, in all the forms that people return it in, as scores for each experiment."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from string import ascii_uppercase
from typing import Any, NamedTuple

from judgekit.core.equality import as_data, shown
from judgekit.errors import ParseError, PromptError

__all__ = ["Preference", "Ranked", "read_ranked"]


@dataclass(frozen=True)
class Preference:
    """One verdict over all experiments.

    Attributes:
        id, repetition: of the example.
        key: the key.
        scores: one an experiment, the mean over the orders that were asked.
        orders: the scores of each order that was asked; one, or two with `swap=True`.
        comment: why, in the first order.
    """

    id: str
    repetition: int
    key: str
    scores: tuple[float, ...]
    orders: tuple[tuple[float, ...], ...]
    comment: str | None = None

    @property
    def winner(self) -> int | None:
        """The place of the experiment that alone is best, or None for a tie."""
        best = max(self.scores)
        return self.scores.index(best) if self.scores.count(best) == 1 else None


class Ranked(NamedTuple):
    """The scores of one key, one an answer, in the order in which the answers were shown."""

    key: str
    scores: tuple[float, ...]
    comment: str | None = None


def read_ranked(returned: Any, names: Sequence[str], key: str) -> list[Ranked]:
    """Read what a comparative evaluator returned.

    Args:
        returned: see `judgekit.compare`.
        names: the experiments, in the order in which their answers were shown.
        key: the evaluator's name; the key of a result that brings none.

    Raises:
        ParseError: there is not one score for each experiment in it; `code` is `invalid_score`.
    """
    data = _data(returned, key)
    if isinstance(data, Mapping) and set(data) == {"results"}:
        data = _data(data["results"], key)
    parts = [_data(part, key) for part in data] if isinstance(data, list | tuple) else []
    if (judged := _judged(parts[0] if parts else data, names)) is not None:
        return [judged]
    if not parts or not all(isinstance(part, Mapping) for part in parts):
        return [_ranked(data, names, key)]
    if all("scores" in part for part in parts):
        return [_ranked(part, names, key) for part in parts]
    keys = {str(part.get("key") or key) for part in parts}
    if len(keys) > 1:
        return [_ranked(part, names, key) for part in parts]
    comments = [str(part["comment"]) for part in parts if part.get("comment")]
    scores = _scores([part.get("score") for part in parts], names, key)
    return [Ranked(keys.pop(), scores, "\n".join(comments) or None)]


def _judged(data: Any, names: Sequence[str]) -> Ranked | None:
    """What judgekit's pairwise judge says: its metadata has the scores of all answers, in their order."""
    metadata = data.get("metadata") if isinstance(data, Mapping) else None
    scores = metadata.get("scores") if isinstance(metadata, Mapping) else None
    if not isinstance(scores, Mapping) or len(scores) != len(names):
        return None
    key = str(data["key"]).partition(":")[0]  # of three answers and more each has a result, KEY:NAME
    return Ranked(key, tuple(map(float, scores.values())), data.get("comment"))


def _ranked(data: Any, names: Sequence[str], key: str) -> Ranked:
    if not isinstance(data, Mapping):
        return Ranked(key, _scores(data, names, key))
    given = next((data[name] for name in ("scores", "score", "value") if data.get(name) is not None), None)
    comment = next((data[name] for name in ("comment", "reasoning") if data.get(name) is not None), None)
    if isinstance(comment, Mapping):
        comment = "\n".join(f"{name}: {said}" for name, said in comment.items())
    return Ranked(
        str(data.get("key") or key), _scores(given, names, key), None if comment is None else str(comment)
    )


def _scores(given: Any, names: Sequence[str], key: str) -> tuple[float, ...]:
    if isinstance(given, str):
        return _won(given, names, key)
    if isinstance(given, Mapping):
        by_name = {str(name): score for name, score in given.items()}
        given = [by_name.get(name) for name in names]
    found = _data(given, key)
    if not isinstance(found, list | tuple) or len(found) != len(names):
        raise _no_score(key, found, names)
    scores = [_data(score, key) for score in found]
    if not all(isinstance(score, int | float) and math.isfinite(score) for score in scores):
        raise _no_score(key, found, names)
    return tuple(map(float, scores))


def _won(given: str, names: Sequence[str], key: str) -> tuple[float, ...]:
    said = given.strip().upper()
    if said == "TIE":
        return (0.5,) * len(names)
    letters = ascii_uppercase[: len(names)]
    if len(said) != 1 or said not in letters:
        raise _no_score(key, given, names)
    return tuple(float(letter == said) for letter in letters)


def _data(value: Any, key: str) -> Any:
    try:
        return as_data(value)
    except PromptError:
        raise ParseError(
            f"{key}() returned {type(value).__name__}, which holds no scores.", code="invalid_score"
        ) from None


def _no_score(key: str, found: Any, names: Sequence[str]) -> ParseError:
    return ParseError(
        f"{key}() returned {shown(found)}: return {len(names)} scores, one for each experiment in order, by themselves or "
        'as {"key": ..., "scores": [...]}; or the winner\'s letter, "A", "B", ..., or "tie".',
        code="invalid_score",
    )
