"""A judge's verdicts as one column, wherever they come from: recorded, read from raw replies, or asked for now."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from judgekit.errors import ConfigError, DataError
from judgekit.runner.evaluating import evaluate
from judgekit.runner.records import RowResult
from judgekit.runner.results import Results
from judgekit.stats.inputs import Column, Label

__all__ = ["Reading", "Verdicts", "column", "key_of", "read_texts", "verdicts_of"]

Reading = Mapping[Any, str]
"""Verdict -> the regular expression that finds it in a reply."""

NOT_RECORDED = "no_verdict"


@dataclass(frozen=True)
class Verdicts:
    """One verdict an item.

    Attributes:
        values: the verdicts, None where the judge gave none.
        failures: why there is none -> how often.
    """

    values: tuple[Label | None, ...]
    failures: Mapping[str, int]

    def __len__(self) -> int:
        return len(self.values)

    @property
    def unparsed(self) -> int:
        """How many items have no verdict."""
        return sum(value is None for value in self.values)


def column(values: Column) -> list[Any]:
    """The values as a list of plain ones, None where one is missing: NaN, and pandas' NA and NaT."""
    return [_plain(value) for value in values]


def _plain(value: Any) -> Any:
    if type(value).__module__.partition(".")[0] == "numpy" and hasattr(value, "item"):
        value = value.item()
    if type(value).__name__ in ("NAType", "NaTType") or (isinstance(value, float) and math.isnan(value)):
        return None
    return value


def verdicts_of(
    judge: Any,
    *,
    items: Iterable[Any] | None = None,
    key: str | None = None,
    reading: Reading | None = None,
) -> Verdicts:
    """The verdicts of a judge.

    Args:
        judge: a column of verdicts, None where there is none; a column of raw replies, with `reading`; the `Results` of
            a run; or an evaluator, which is run on `items` now.
        items: rows for the evaluator, as `judgekit.evaluate` takes them, their `outputs` among them.
        key: which score of the run, where it has several.
        reading: verdict -> pattern; see `read_texts`.

    Raises:
        ConfigError: an evaluator without `items`, or `items` without one; a key that the run does not have.
        DataError: a run with repetitions.
    """
    if isinstance(judge, Results):
        return _recorded(judge, key)
    if callable(judge):
        if items is None:
            raise ConfigError(
                "An evaluator needs items= to judge: rows with inputs and outputs, one a label."
            )
        return _recorded(evaluate(None, items, judge, store=None, progress=False), key)
    if items is not None:
        raise ConfigError("items= are rows for an evaluator to judge; recorded verdicts need none.")
    if reading is not None:
        return read_texts(judge, reading)
    values = tuple(column(judge))
    unparsed = sum(value is None for value in values)
    return Verdicts(values, {NOT_RECORDED: unparsed} if unparsed else {})


def read_texts(texts: Column, reading: Reading) -> Verdicts:
    """Read raw replies: the verdict whose pattern alone is found in the text.

    Args:
        texts: the replies, one an item; None where none came.
        reading: verdict -> regular expression, searched for anywhere in the reply; `(?i)` ignores case, `^` is the
            beginning. A text in which none or several are found holds no verdict.

    Returns:
        The verdicts; `failures` counts `unmatched`, `ambiguous` and `no_verdict` (no reply).

    Raises:
        ConfigError: fewer than two patterns, or one that is no regular expression.
        DataError: a reply that is no text.
    """
    patterns = _compiled(reading)
    values: list[Label | None] = []
    failures: Counter[str] = Counter()
    for row, text in enumerate(column(texts)):
        if text is not None and not isinstance(text, str):
            raise DataError(f"replies[{row}] is {text!r}, not a text: reading= is for raw replies.")
        found = [] if text is None else [verdict for verdict, pattern in patterns if pattern.search(text)]
        values.append(found[0] if len(found) == 1 else None)
        if len(found) != 1:
            failures[NOT_RECORDED if text is None else "ambiguous" if found else "unmatched"] += 1
    return Verdicts(tuple(values), dict(failures))


def _compiled(reading: Reading) -> list[tuple[Label, re.Pattern[str]]]:
    if len(reading) < 2:
        raise ConfigError(f"reading={reading!r} needs a pattern for each verdict, two or more.")
    try:
        return [(verdict, re.compile(pattern)) for verdict, pattern in reading.items()]
    except re.error as error:
        raise ConfigError(
            f"reading= holds {error.pattern!r}, which is no regular expression: {error}"
        ) from None


def _recorded(results: Results, key: str | None) -> Verdicts:
    rows = list(results.rows)
    if any(row.repetition for row in rows):
        raise DataError(
            f"The run {results.name!r} has repetitions, so a label stands for several verdicts: give a run with one."
        )
    name = key_of(rows, key)
    values: list[Label | None] = []
    failures: Counter[str] = Counter()
    for row in rows:
        score = None if name is None else row.score(name)
        values.append(None if score is None else score.score)
        if score is None:
            failure = row.error or next(iter(row.failures), None)
            failures[NOT_RECORDED if failure is None else failure.code] += 1
    return Verdicts(tuple(values), dict(failures))


def key_of(rows: Sequence[RowResult], key: str | None) -> str | None:
    """The key whose scores are meant: the one named, or the only one; None where the rows have no score at all.

    Raises:
        ConfigError: there is no such key, or several and none is named.
    """
    keys = sorted({score.key for row in rows for score in row.scores})
    if key is not None and keys and key not in keys:
        raise ConfigError(f"key={key!r} is none of the run's keys: {', '.join(keys)}.")
    if key is None and len(keys) > 1:
        raise ConfigError(f"The run has the keys {', '.join(keys)}: say which with key=.")
    return key if key is not None else next(iter(keys), None)
