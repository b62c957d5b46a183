"""A JSON output beside its reference, field by field: what is marked by rule, and what a criterion has to be asked about."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from judgekit.core.equality import MISSING, as_data, shown
from judgekit.errors import PromptError
from judgekit.evaluators.json_fields import WHOLE, Fields, Rules, name_of
from judgekit.evaluators.json_pairing import pair_items
from judgekit.evaluators.json_reading import read_json
from judgekit.evaluators.json_scores import Cell, Pair

__all__ = ["Question", "compare"]


class Question(NamedTuple):
    """A field that a criterion decides. `item`, `place` and `name` are as in a `Cell`.

    Attributes:
        key: what the question is called among all: the name, and for items of a list `_` and the item's number.
        criterion: what the model is asked.
        got: the output's value.
        expected: the reference's.
    """

    item: int
    place: Pair | None
    name: str
    key: str
    criterion: str
    got: Any
    expected: Any


_NOTHING: Fields = {}


def compare(outputs: Any, reference: Any, rules: Rules, mode: str) -> list[Cell | Question]:
    """Compare two records, or two lists.

    Args:
        outputs: a mapping, a list, or the JSON text of one.
        reference: the same; both must be mappings, or both lists.
        rules: how fields are compared, and which.
        mode: how the items of lists are paired, see `pair_items`.

    Returns:
        At least one cell or question, in the order of the pairs and in each of the reference's fields. A name that neither
        side has makes none.

    Raises:
        PromptError: one of them is none of these, they are not of one kind, or all that they have is excluded.
    """
    got, expected = _read(outputs, "outputs"), _read(reference, "reference_outputs")
    if isinstance(got, Mapping) is not isinstance(expected, Mapping):
        raise PromptError(
            f"json_match: outputs is {_kind(got)} and reference_outputs is {_kind(expected)}: compare two objects, or two "
            "lists."
        )
    if not isinstance(got, Mapping):
        return list(_lists(got, expected, rules, mode))
    left, right = rules.fields(got), rules.fields(expected)
    if not left and not right and (got or expected):
        raise PromptError("json_match: exclude_keys leaves nothing to compare here; exclude fewer keys.")
    return list(_pair(0, None, left, right, rules))


def _lists(got: Sequence[Any], expected: Sequence[Any], rules: Rules, mode: str) -> Iterator[Cell | Question]:
    left, right = [rules.fields(item) for item in got], [rules.fields(item) for item in expected]
    pairs = pair_items(left, right, rules, mode)
    for number, (i, j) in enumerate(pairs):
        one = None if i is None else left[i]
        other = None if j is None else right[j]
        yield from _pair(number, (i, j), one, other, rules)
    if not pairs:  # two empty lists, or nothing that a superset had to have
        yield Cell(0, None, name_of(WHOLE), 1.0, "the reference is empty" if got else None)


def _pair(
    number: int, place: Pair | None, got: Fields | None, expected: Fields | None, rules: Rules
) -> Iterator[Cell | Question]:
    """The cells of two items, one of which may be None: it has no partner."""
    left, right = got or _NOTHING, expected or _NOTHING
    if not left and not right:
        yield _bare(number, place, got, expected)
    mark = rules.mark
    for field in right if left.keys() <= right.keys() else {**right, **left}:
        mine, other = left.get(field, MISSING), right.get(field, MISSING)
        found = mark(field, mine, other)
        name = field if type(field) is str else name_of(field)
        if found is not None:
            yield Cell(number, place, name, found.score, found.comment)
        else:
            key = name if place is None else f"{name}_{number}"
            yield Question(number, place, name, key, rules.criterion(field) or "", mine, other)


def _bare(number: int, place: Pair | None, got: Fields | None, expected: Fields | None) -> Cell:
    """The cell of two items without fields, or of one that has no partner."""
    if got is not None and expected is not None:
        return Cell(number, place, name_of(WHOLE), 1.0)
    side = "missing, expected" if got is None else "not in the reference, got"
    return Cell(number, place, name_of(WHOLE), 0.0, f"{side} an item without fields")


def _read(value: Any, name: str) -> Any:
    """The value as a mapping or a list."""
    data = as_data(value)
    if isinstance(data, str):
        try:
            data = read_json(data)
        except ValueError as error:
            raise PromptError(
                f"json_match: {name} is a text that is no JSON ({error}): give an object, a list, or the JSON text of one."
            ) from error
    if not isinstance(data, Mapping | list | tuple):
        raise PromptError(
            f"json_match: {name} is {shown(data)}: give an object (a dict), a list, or the JSON text of one; for single values "
            "use exact_match."
        )
    return data


def _kind(data: Any) -> str:
    return "an object" if isinstance(data, Mapping) else "a list"
