"""Which item of one list is compared with which of another."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from itertools import zip_longest
from typing import Any, NamedTuple

from judgekit.core.equality import token
from judgekit.evaluators.assignment import assign
from judgekit.evaluators.json_fields import Fields, Rules
from judgekit.evaluators.json_scores import Pair

__all__ = ["MATCH_MODES", "pair_items"]

MATCH_MODES = ("same_elements", "superset", "subset", "ordered")

_STEPS = 1_000_000  # a score between 0 and 1 in whole numbers, so that totals are exact
_UNGRADED = (str, bool, type(None))  # a tolerance says nothing of these

_TOKENS = frozenset({str, int})
_NUMBERS = frozenset({int, float})

_Grade = Callable[[Hashable, Any, Any], float]


def pair_items(outputs: Sequence[Fields], reference: Sequence[Fields], rules: Rules, mode: str) -> list[Pair]:
    """Pair the items of two lists so that as many fields as possible are equal.

    Fields that a criterion decides do not count. When every item finds an equal one, these are the pairs. Otherwise the
    greedy pairing is kept, unless another has more equal fields: it goes through the list in order and takes the best
    partner left, the first of equal ones. Of those with the most equal fields one with few unequal ones is taken.

    Args:
        outputs: the fields of the items.
        reference: those of the reference.
        rules: how fields are compared.
        mode: `ordered` pairs by position. In the others leftover items stay without a partner, and are in the result:
            of both lists in `same_elements`, of the reference in `superset`, of the outputs in `subset`. An output without
            items leaves over all of the reference in every mode.

    Returns:
        The pairs; in `superset` in the order of the reference, otherwise in that of the outputs, leftovers of the other
        list last.
    """
    if mode == "ordered" or not outputs:
        return list(zip_longest(range(len(outputs)), range(len(reference))))
    if mode == "superset":
        partners = _Matching(reference, outputs, rules, flipped=True, free_right=True).partners()
        return [(right, left) for left, right in enumerate(partners)]
    free = mode == "subset"
    partners = _Matching(outputs, reference, rules, flipped=False, free_right=free).partners()
    left_over = [] if free else sorted(set(range(len(reference))) - set(partners))
    return [*enumerate(partners), *((None, index) for index in left_over)]


class _Profile(NamedTuple):
    """What is looked at when an item's partner is sought.

    Attributes:
        exact: names with the tokens of their values, for fields that are equal or not.
        graded: the values of the other fields, which are compared one by one.
        names: of all fields.
    """

    exact: frozenset[tuple[Hashable, Hashable]]
    graded: Fields
    names: frozenset[Hashable]


class _Matching:
    """The search for a partner for each item on the left. Where `free_right`, items on the right may be left over."""

    def __init__(
        self,
        left: Sequence[Fields],
        right: Sequence[Fields],
        rules: Rules,
        *,
        flipped: bool,
        free_right: bool,
    ) -> None:
        self.left = left
        self.right = right
        self.rules = rules
        self.flipped = flipped
        self.free_right = free_right

    def partners(self) -> list[int | None]:
        """The index on the right for each item on the left; None where it has no partner."""
        found = self._equal_items()
        if None not in found or not self.right:
            return found
        left, right = list(map(self._profile, self.left)), list(map(self._profile, self.right))
        equal = _equal_fields(left, right, self._grade)
        greedy = _greedy(equal, len(right))
        total = _total(equal, greedy)
        bests = sorted((max(row.values(), default=0) for row in equal), reverse=True)
        if total == sum(bests[: len(right)]):  # nothing is above this bound
            return greedy
        _assign_rest(found, equal, left, right, self.free_right)
        return found if _total(equal, found) > total else greedy

    def _equal_items(self) -> list[int | None]:
        """Partners that are equal, those first that are equal also in what criteria decide.

        An optimal pairing can begin with these, since for sets |A & B| + |B & C| <= |B| + |A & C|; where equality has a
        tolerance or degrees that does not hold, and nobody has a partner yet.
        """
        found: list[int | None] = [None] * len(self.left)
        if self.rules.exact:
            self._pair_equal(found, _identity)
            if self.rules.special:
                self._pair_equal(
                    found, lambda item: _identity({name: self._compared(name, item) for name in item})
                )
        return found

    def _pair_equal(self, found: list[int | None], identity: Callable[[Fields], Hashable]) -> None:
        taken = set(found)
        waiting: dict[Hashable, list[int]] = {}
        for index in reversed(range(len(self.right))):
            if index not in taken:
                waiting.setdefault(identity(self.right[index]), []).append(index)
        for index, item in enumerate(self.left):
            if found[index] is None and (equal := waiting.get(identity(item))):
                found[index] = equal.pop()

    def _profile(self, item: Fields) -> _Profile:
        criterion = self.rules.criterion
        ruled = {name: item[name] for name in item if criterion(name) is None} if self.rules.special else item
        if self.rules.exact:
            return _Profile(_identity(ruled), {}, frozenset(item))
        graded = {name: value for name, value in ruled.items() if self._is_graded(name, value)}
        exact = {name: value for name, value in ruled.items() if name not in graded}
        return _Profile(_identity(exact), graded, frozenset(item))

    def _is_graded(self, name: Hashable, value: Any) -> bool:
        """Whether a field can be equal to several that are not equal to one another."""
        rule = self.rules.by_token.get(name)
        return callable(rule) or (bool(self.rules.tolerance) and not isinstance(value, _UNGRADED))

    def _compared(self, name: Hashable, item: Fields) -> Any:
        return item[name] if self.rules.criterion(name) is None else None

    def _grade(self, name: Hashable, left: Any, right: Any) -> float:
        rules = self.rules
        if type(left) in _NUMBERS and type(right) in _NUMBERS and name not in rules.by_token:
            return 1.0 if rules.tolerance.covers(left, right) else 0.0
        mark = rules.mark(name, right, left) if self.flipped else rules.mark(name, left, right)
        return 0.0 if mark is None else mark.score


def _identity(item: Fields) -> frozenset[tuple[Hashable, Hashable]]:
    """What items share that are equal in all fields. A text or an int is its own token."""
    return frozenset(
        [(name, value if type(value) in _TOKENS else token(value)) for name, value in item.items()]
    )


def _equal_fields(left: Sequence[_Profile], right: Sequence[_Profile], grade: _Grade) -> list[dict[int, int]]:
    """For each item on the left those on the right that it has equal fields with, and how many, in `_STEPS` for each."""
    holders: dict[Hashable, list[int]] = {}
    for index, item in enumerate(right):
        for entry in item.exact:
            holders.setdefault(entry, []).append(index)
    table = []
    for item in left:
        row: dict[int, int] = {}
        for entry in item.exact:
            for index in holders.get(entry, ()):
                row[index] = row.get(index, 0) + _STEPS
        for name, value in item.graded.items():
            for index, other in enumerate(right):
                if name in other.graded and (score := grade(name, value, other.graded[name])):
                    row[index] = row.get(index, 0) + round(score * _STEPS)
        table.append(row)
    return table


def _assign_rest(
    found: list[int | None],
    equal: Sequence[Mapping[int, int]],
    left: Sequence[_Profile],
    right: Sequence[_Profile],
    free_right: bool,
) -> None:
    """Give the rows without a partner the best ones of the columns left."""
    taken = set(found)
    rows = [row for row, partner in enumerate(found) if partner is None]
    columns = [column for column in range(len(right)) if column not in taken]
    if not columns:
        return
    most = 1 + sum(len(item.names) for item in (*left, *right))  # more than all unequal fields together
    sizes = [len(right[column].names) if free_right else 0 for column in columns]
    shared: dict[frozenset[Hashable], list[int]] = {}
    for names in {left[row].names for row in rows}:
        shared[names] = [
            len(names & right[column].names) - size for column, size in zip(columns, sizes, strict=True)
        ]
    weights = [
        [
            equal[row].get(column, 0) * most + common
            for column, common in zip(columns, shared[left[row].names], strict=True)
        ]
        for row in rows
    ]
    if len(rows) <= len(columns):
        pairs = list(enumerate(assign(weights)))
    else:
        pairs = [(row, column) for column, row in enumerate(assign(list(zip(*weights, strict=True))))]
    for row, column in pairs:
        found[rows[row]] = columns[column]


def _greedy(equal: Sequence[Mapping[int, int]], columns: int) -> list[int | None]:
    """For each row, in order, the best column left, the first of equal ones."""
    available = dict.fromkeys(range(columns))
    found: list[int | None] = []
    for row in equal:
        fitting = [(-count, column) for column, count in row.items() if count and column in available]
        best = min(fitting)[1] if fitting else next(iter(available), None)
        found.append(best)
        if best is not None:
            del available[best]
    return found


def _total(equal: Sequence[Mapping[int, int]], found: Sequence[int | None]) -> int:
    return sum(row.get(column, 0) for row, column in zip(equal, found, strict=True) if column is not None)
