"""Rows as a DataFrame, JSON lines, CSV, and as a test report that CI systems read (JUnit XML)."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from judgekit.core.characters import storable
from judgekit.errors import ConfigError, MissingDependencyError
from judgekit.runner.records import Failure, RowResult, Score
from judgekit.runner.tally import close_names, key_names

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["cell_text", "data_frame", "to_csv", "to_jsonl", "to_junit", "to_pandas"]


def data_frame(lines: Iterable[Mapping[str, Any]], columns: list[str] | None = None) -> pd.DataFrame:
    """A DataFrame of lines, in the order of the columns.

    Raises:
        MissingDependencyError: pandas is not installed.
    """
    try:
        import pandas as pd
    except ImportError as error:
        raise MissingDependencyError("A DataFrame needs pandas: pip install 'judgekit-llm[data]'") from error
    held = [{_held(name): _held(value) for name, value in line.items()} for line in lines]
    return pd.DataFrame(held, columns=None if columns is None else [_held(name) for name in columns])


def _held(value: Any) -> Any:
    """Text as Arrow can hold it, and every other value as it is."""
    return storable(value) if isinstance(value, str) else value


def to_jsonl(rows: Iterable[RowResult], path: str | Path) -> Path:
    """Write one JSON object a line, as `RowResult.from_dict` reads it; returns the path."""
    file = _ready(path)
    with file.open("wb") as out:
        out.writelines(_json_line(row.to_dict()) for row in rows)
    return file


def _json_line(record: Mapping[str, Any]) -> bytes:
    try:
        text = json.dumps(record, ensure_ascii=False, default=str).encode()
    except UnicodeEncodeError:  # half a surrogate pair has no UTF-8, and is kept as an escape
        text = json.dumps(record, default=str).encode()
    return text + b"\n"


def to_pandas(rows: Sequence[RowResult]) -> pd.DataFrame:
    """One line an example and repetition; the columns are those of `to_csv`, the values as they are.

    Raises:
        MissingDependencyError: pandas is not installed.
    """
    shape = _Shape.of(rows)
    return data_frame(map(shape.cells, rows), shape.columns)


def to_csv(rows: Sequence[RowResult], path: str | Path) -> Path:
    """Write one line an example and repetition; returns the path.

    Columns: `id`, `repetition`, `inputs`, `outputs`, `reference_outputs` and `metadata` (mappings as `inputs.NAME`, one
    level deep, what is deeper as JSON), `feedback.KEY`, `comment.KEY`, `error`, `failures`, `seconds.NAME` and `cost`.
    Text that a spreadsheet would take for a formula gets an apostrophe in front.
    """
    file, shape = _ready(path), _Shape.of(rows)
    with file.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(map(cell_text, shape.columns))
        for row in rows:
            cells = shape.cells(row)
            writer.writerow([cell_text(cells.get(column)) for column in shape.columns])
    return file


_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def cell_text(value: Any) -> str:
    """A value as a cell that no spreadsheet computes: text, `true`, a number, or JSON; nothing for None."""
    if value is None:
        return ""
    if not isinstance(value, str):
        return storable(json.dumps(value, ensure_ascii=False, default=str))
    text = storable(value)
    return f"'{text}" if text.startswith(_FORMULA) else text


_VALUES = ("inputs", "outputs", "reference_outputs", "metadata")


@dataclass(frozen=True)
class _Shape:
    """The columns that some rows need; read off all of them before the first is written."""

    names: Mapping[tuple[str, str], str]
    columns: list[str]

    @classmethod
    def of(cls, rows: Iterable[RowResult]) -> _Shape:
        parts: dict[str, dict[str, None]] = {part: {} for part in (*_VALUES, "seconds")}
        places: dict[tuple[str, str], None] = {}
        for row in rows:
            for part, found in parts.items():
                found.update(dict.fromkeys(_flat(part, getattr(row, part))))
            places.update(dict.fromkeys((score.source, score.key) for score in row.scores))
        names = key_names(places)
        return cls(
            names,
            [
                *("id", "repetition"),
                *(column for part in _VALUES for column in parts[part]),
                *(f"{kind}.{name}" for name in names.values() for kind in ("feedback", "comment")),
                *("error", "failures"),
                *parts["seconds"],
                "cost",
            ],
        )

    def cells(self, row: RowResult) -> dict[str, Any]:
        found: dict[str, Any] = {"id": row.id, "repetition": row.repetition}
        for part in (*_VALUES, "seconds"):
            found.update(_flat(part, getattr(row, part)))
        for score in row.scores:
            name = self.names[score.source, score.key]
            found[f"feedback.{name}"] = score.score
            found[f"comment.{name}"] = score.comment
        found["error"] = None if row.error is None else f"{row.error.code}: {row.error.message}"
        found["failures"] = "; ".join(f"{each.source}: {each.code}" for each in row.failures) or None
        found["cost"] = row.cost
        return found


def _flat(name: str, value: Any) -> dict[str, Any]:
    """One level of a mapping as `NAME.KEY`; another value under the name itself."""
    if isinstance(value, Mapping):
        return {f"{name}.{key}": inner for key, inner in value.items()}
    return {} if value is None else {name: value}


def to_junit(
    rows: Sequence[RowResult], path: str | Path, *, name: str, thresholds: Mapping[str, float] | None = None
) -> Path:
    """Write a test report: one test case a row and key.

    Args:
        rows: read twice, once to count.
        path: where to.
        name: of the test suite.
        thresholds: key -> the least score that passes. Without one `False` fails, and numbers and labels pass.

    Returns:
        The path. A score below its threshold is a failure; an evaluator or a target that failed is an error.

    Raises:
        ConfigError: a threshold for a key that no row has, or for one whose scores are labels.
    """
    places = dict.fromkeys((score.source, score.key) for row in rows for score in row.scores)
    cases = _Cases(name, key_names(places), thresholds or {})
    unknown = next((key for key in cases.thresholds if key not in cases.names.values()), None)
    if unknown is not None:
        raise ConfigError(f"No row has a score {unknown!r}.{close_names(unknown, cases.names.values())}")
    counts = Counter(kind for row in rows for kind, _ in cases.of(row))
    total = f'tests="{counts.total()}" failures="{counts["failure"]}" errors="{counts["error"]}"'
    file = _ready(path)
    with file.open("w", encoding="utf-8") as out:
        out.write(f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites {total}>\n')
        out.write(f"<testsuite name={_quoted(name)} {total}>\n")
        out.writelines(text for row in rows for _, text in cases.of(row))
        out.write("</testsuite>\n</testsuites>\n")
    return file


@dataclass(frozen=True)
class _Cases:
    suite: str
    names: Mapping[tuple[str, str], str]
    thresholds: Mapping[str, float]

    def of(self, row: RowResult) -> Iterator[tuple[str, str]]:
        """Each test case as how it ended (passed, failure, error) and its XML."""
        if row.error is not None:
            yield "error", self._case(row, "target", "target", _problem("error", row.error))
        for score in row.scores:
            name = self.names[score.source, score.key]
            complaint = self._complaint(name, score)
            inner = "" if complaint is None else _element("failure", complaint, score.comment or "")
            yield "failure" if inner else "passed", self._case(row, name, score.source, inner)
        for failure in row.failures:
            keys = [name for (source, _), name in self.names.items() if source == failure.source]
            for name in keys or [failure.source]:
                yield "error", self._case(row, name, failure.source, _problem("error", failure))

    def _complaint(self, name: str, score: Score) -> str | None:
        least = self.thresholds.get(name)
        if least is None:
            return "it is false" if score.score is False else None
        if score.number is None:
            raise ConfigError(
                f"{name!r} gives labels ({score.score!r}), which no threshold of {least:g} can be held to."
            )
        return f"{score.number:g} is below {least:g}" if score.number < least else None

    def _case(self, row: RowResult, key: str, source: str, inner: str) -> str:
        place = row.id if not row.repetition else f"{row.id}, repetition {row.repetition}"
        seconds = row.seconds.get(source)
        time = "" if seconds is None else f' time="{seconds:.6f}"'
        attributes = f"classname={_quoted(f'{self.suite}.{key}')} name={_quoted(f'{key}[{place}]')}{time}"
        return f"<testcase {attributes}>{inner}</testcase>\n"


def _problem(tag: str, failure: Failure) -> str:
    return _element(tag, failure.code, failure.message)


def _element(tag: str, message: str, text: str) -> str:
    return f"<{tag} message={_quoted(message)}>{_escaped(text)}</{tag}>"


_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def _escaped(text: str) -> str:
    return escape(_NOT_XML.sub("\ufffd", text))


def _quoted(text: str) -> str:
    return f'"{_escaped(text)}"'


def _ready(path: str | Path) -> Path:
    file = Path(path)
    file.parent.mkdir(parents=True, exist_ok=True)
    return file
