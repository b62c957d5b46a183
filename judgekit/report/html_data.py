"""The rows as the page carries them: JSON that no text in it can break out of, bounded in size."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from judgekit.runner.records import Exchange, Failure, RowResult, Score
from judgekit.runner.tally import Tally, key_names

__all__ = ["Bounds", "PageRows", "embedded", "joined"]

_SAFEST_INTEGER = 2**53  # beyond it JavaScript rounds
_UNSAFE = re.compile("[<>&\u2028\u2029\ud800-\udfff\ufffe\uffff]")
_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode


@dataclass(frozen=True)
class Bounds:
    """How much a page carries; what is over is left out, and the page says so.

    Attributes:
        rows: how many rows, of either experiment.
        row_bytes: how large the rows may be together, without rendered prompts, for either experiment.
        prompt_bytes: how large the rendered prompts may be together, for either experiment.
    """

    rows: int = 50_000
    row_bytes: int = 64_000_000
    prompt_bytes: int = 6_000_000


def embedded(value: Any) -> str:
    """`value` as JSON for a script element: markup, line separators and halves of surrogates are written as escapes."""
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", _encode(value))


@dataclass
class PageRows:
    """One experiment's rows, read once: what the page carries of them, and what it needs to know of all of them.

    Attributes:
        bounds: how much is carried.
        carried: the rows as JSON texts.
        with_prompts: how many of them carry the rendered prompts too.
        total: how many rows there are.
        failed: how many of them have a failure.
        tally: the scores of all of them.
        judges: evaluator -> the models and prompts that its scores say they are from.
        facets: metadata column -> how often it has each value, while these are few.
    """

    bounds: Bounds
    carried: list[str] = field(default_factory=list)
    with_prompts: int = 0
    total: int = 0
    failed: int = 0
    tally: Tally = field(default_factory=Tally)
    judges: dict[str, dict[tuple[str, ...], None]] = field(default_factory=dict)
    facets: dict[str, Counter[str]] = field(default_factory=dict)
    _row_bytes: int = 0
    _prompt_bytes: int = 0

    @classmethod
    def of(cls, rows: Iterable[RowResult], bounds: Bounds) -> PageRows:
        made = cls(bounds)
        for row in rows:
            made._add(row)
        return made

    @property
    def left_out(self) -> int:
        """How many rows the page does not carry."""
        return self.total - len(self.carried)

    def columns(self) -> dict[tuple[str, str], str]:
        """(evaluator, key) -> what the score is called, in the order of `RowResult.scores` on the page."""
        return key_names(self.tally.columns)

    def _add(self, row: RowResult) -> None:
        self.total += 1
        self.failed += row.failed
        self.tally.add(row)
        for score in row.scores:
            self.judges.setdefault(score.source, {})[_identity(score)] = None
        for column, value in row.metadata.items():
            counts = self.facets.setdefault(column, Counter())
            if len(counts) <= _FEW:
                counts[value if isinstance(value, str) else json.dumps(value, default=str)] += 1
        if len(self.carried) == self.total - 1:  # no row was left out yet
            self._carry(row)

    def _carry(self, row: RowResult) -> None:
        record = _record(row, list(self.tally.columns))
        size = self._add_prompts(record, row) if len(self.carried) == self.with_prompts else 0
        text = embedded(record)
        row_bytes = self._row_bytes + len(text.encode()) - size
        if len(self.carried) < self.bounds.rows and row_bytes <= self.bounds.row_bytes:
            self._row_bytes = row_bytes
            self._prompt_bytes += size
            self.with_prompts += bool(size)
            self.carried.append(text)

    def _add_prompts(self, record: dict[str, Any], row: RowResult) -> int:
        """Put the rendered prompts into a record where they fit; returns their size, 0 where they do not."""
        prompts = [[_shown(message) for message in each.messages] for each in row.exchanges]
        size = len(embedded(prompts).encode())
        if self._prompt_bytes + size > self.bounds.prompt_bytes:
            return 0
        for exchange, messages in zip(record["exchanges"], prompts, strict=True):
            exchange["messages"] = messages
        return size


_FEW = 12
"""How many values a metadata column may have to be one that slices."""


def _identity(score: Score) -> tuple[str, ...]:
    facts = score.metadata or {}
    prompt = facts.get("prompt")
    named = prompt if isinstance(prompt, Mapping) else {"name": prompt}
    return tuple(
        "" if value is None else str(value)
        for value in (facts.get("model"), named.get("name"), named.get("version"), named.get("hash"))
    )


def _record(row: RowResult, places: list[tuple[str, str]]) -> dict[str, Any]:
    return {
        "id": row.id,
        "repetition": row.repetition,
        "inputs": _shown(row.inputs),
        "outputs": _shown(row.outputs),
        "reference": _shown(row.reference_outputs),
        "metadata": _shown(row.metadata),
        "scores": [
            [
                places.index((score.source, score.key)),
                _shown(score.score),
                score.comment,
                _shown(score.metadata),
            ]
            for score in row.scores
        ],
        "failures": [_failure(failure) for failure in row.failures],
        "error": None if row.error is None else _failure(row.error),
        "seconds": _shown(row.seconds),
        "tokens": None if row.usage is None else row.usage.to_dict(),
        "cost": row.cost,
        "exchanges": [_exchange(exchange) for exchange in row.exchanges],
    }


def _failure(failure: Failure) -> dict[str, Any]:
    return {name: value for name, value in failure.to_dict().items() if value and name != "usage"}


def _exchange(exchange: Exchange) -> dict[str, Any]:
    facts = ("source", "model", "answer", "error", "seconds", "remembered")
    found = {name: getattr(exchange, name) for name in facts if getattr(exchange, name)}
    return found if exchange.usage is None else {**found, "tokens": exchange.usage.to_dict()}


def _shown(value: Any) -> Any:
    """The value as JSON that a browser reads without changing a digit."""
    if value is None or isinstance(value, (str, bool)):
        return value
    if isinstance(value, int):
        return value if abs(value) <= _SAFEST_INTEGER else str(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, Mapping):
        return {str(name): _shown(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_shown(each) for each in value]
    return str(value)


def joined(texts: Iterable[str]) -> Iterator[str]:
    """JSON texts as one JSON array, in pieces."""
    yield "["
    for place, text in enumerate(texts):
        yield text if not place else f",\n{text}"
    yield "]"
