"""The parts of a record that are compared, and how: each key by equality, by a function, or by a criterion."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, NamedTuple

from judgekit.core.equality import EXACT, MISSING, Difference, Tolerance, as_data, difference, token
from judgekit.errors import ConfigError
from judgekit.evaluators.paths import Steps, lookup, parse_path, without
from judgekit.evaluators.string_distance import similarity

__all__ = ["WHOLE", "Comparator", "Fields", "Mark", "Rules", "name_of", "read_rules"]

Comparator = Callable[[Any, Any], float]
"""Takes the output's value and the reference's, and returns a bool or a number from 0 to 1."""

Fields = Mapping[Any, Any]
"""The values of a record by the token of their key, or by their dotted path."""

WHOLE: Final = ("whole",)
"""The name of a value as a whole: an item that is no record, or a record without fields. It is written `$`."""

_NAMES: Mapping[Hashable, str] = {WHOLE: "$", (bool, True): "true", (bool, False): "false", None: "null"}


class Mark(NamedTuple):
    """The score of one field, from 0 to 1, and what is wrong where it is not 1."""

    score: float
    comment: object = None


_RIGHT = Mark(1.0)
_TEXT = frozenset({str})
_SIMPLE = frozenset({str, int, bool})  # compared at once: they are most of what is compared


def name_of(field: Hashable) -> str:
    """What results and comments call a field."""
    return field if isinstance(field, str) else _NAMES.get(field) or str(field)


@dataclass(frozen=True)
class Rules:
    """How records are compared.

    Names are keys as they stand in a record; a name that is none there is read as a dotted path. `$` is an item that is no
    record.

    Attributes:
        special: the function or the criterion (a text) for the names that are not compared by equality.
        exclude: names that are not compared.
        tolerance: for numbers that are compared by equality.
    """

    special: Mapping[Any, Comparator | str]
    exclude: tuple[Any, ...] = ()
    tolerance: Tolerance = EXACT

    def fields(self, value: Any) -> Fields:
        """The fields of an item. A nested one is taken out of the value that it is in; what is left of that is a field too,
        unless nothing is."""
        if type(value) is dict and self._takes_all and _TEXT.issuperset(map(type, value)):
            return value
        record = as_data(value)
        return self._selected(record) if isinstance(record, Mapping) else {WHOLE: record}

    @property
    def exact(self) -> bool:
        """Whether all fields are equal or not, with nothing between and no tolerance."""
        return not self.tolerance and not any(map(callable, self.special.values()))

    def criterion(self, name: Hashable) -> str | None:
        """The criterion that decides a field, or None."""
        rule = self.by_token.get(name)
        return rule if isinstance(rule, str) else None

    def mark(self, name: Hashable, got: Any, expected: Any) -> Mark | None:
        """The mark of a field; None when its criterion has to be asked about.

        Either value may be `MISSING`. What is there on one side alone is wrong without asking, and so is a null on one side
        of a criterion.
        """
        if got is MISSING or expected is MISSING:
            return _wrong(got, expected)
        rule = self.by_token.get(name) if self.by_token else None
        if rule is None:
            if type(got) is type(expected) and type(got) in _SIMPLE and not self.tolerance:
                return _RIGHT if got == expected else _wrong(got, expected)
            found = difference(got, expected, self.tolerance)
            return _RIGHT if found is None else Mark(0.0, found)
        if isinstance(rule, str):
            return _wrong(got, expected) if (got is None) is not (expected is None) else None
        score = _checked(rule(got, expected), name)
        return _RIGHT if score == 1 else Mark(score, f"{score:.4g}: {Difference('', got, expected)}")

    @cached_property
    def by_token(self) -> Mapping[Hashable, Comparator | str]:
        """`special` by the names that `fields` gives."""
        found = {token(name): rule for name, rule in self.special.items()}
        return {**found, WHOLE: found["$"]} if "$" in found else found

    @cached_property
    def _takes_all(self) -> bool:
        return not self._excluded and not self._paths

    @cached_property
    def _excluded(self) -> frozenset[Hashable]:
        return frozenset(map(token, self.exclude))

    @cached_property
    def _paths(self) -> Mapping[str, Steps]:
        names = (name for name in (*self.special, *self.exclude) if isinstance(name, str))
        parsed = {name: parse_path(name) for name in names}
        return {name: steps for name, steps in parsed.items() if steps is not None and len(steps) > 1}

    def _selected(self, record: Mapping[Any, Any]) -> Fields:
        nested = {name: steps for name, steps in self._paths.items() if name not in record}
        found: dict[Hashable, Any] = {}
        for key, value in record.items():
            name = token(key)
            if name in self._excluded:
                continue
            within = [steps[1:] for steps in nested.values() if steps[0] == key]
            left = without(value, within) if within else value
            if left is value or left:
                found[name] = left
        for name, steps in nested.items():
            if name not in self._excluded and (inner := lookup(record, steps)) is not MISSING:
                found[name] = inner
        return found


def read_rules(
    rubric: Mapping[Any, str] | None,
    comparators: Mapping[Any, Comparator | str] | None,
    exclude: Iterable[Any] | None,
    tolerance: Tolerance,
) -> Rules:
    """Rules from what a factory was given.

    Raises:
        ConfigError: a criterion that is no text, a comparator that is neither a sync function nor the name of a metric, a
            name with two rules, or one text where a list of names is needed.
    """
    criteria, functions = _mapping("rubric", rubric), _mapping("comparators", comparators)
    for name, criterion in criteria.items():
        if not isinstance(criterion, str) or not criterion.strip():
            raise ConfigError(f"rubric[{name!r}] is {criterion!r}: give the criterion as a text.")
    if isinstance(exclude, str):
        raise ConfigError(f"exclude_keys is the text {exclude!r}: give a list, [{exclude!r}].")
    excluded = tuple({token(name): name for name in exclude or ()}.values())
    names = [name_of(token(name)) for name in (*criteria, *functions, *excluded)]
    for name in names:
        if names.count(name) > 1:
            raise ConfigError(
                f"{name!r} stands in more than one of rubric, comparators and exclude_keys; leave it in one."
            )
    special = {**criteria, **{name: _comparator(name, rule) for name, rule in functions.items()}}
    return Rules(special, excluded, tolerance)


def _mapping(parameter: str, given: Any) -> dict[Any, Any]:
    if given is not None and not isinstance(given, Mapping):
        raise ConfigError(f"{parameter} is {given!r}: give a dict with one entry for each key.")
    return dict(given or {})


def _comparator(name: Any, rule: Any) -> Comparator:
    if isinstance(rule, str):
        return similarity(rule)
    if not callable(rule) or inspect.iscoroutinefunction(rule):
        raise ConfigError(
            f"comparators[{name!r}] is {rule!r}: give a plain function (output's value, reference's value), or the name of "
            "a string metric such as 'levenshtein'."
        )
    made: Comparator = rule
    return made


def _checked(score: Any, name: Hashable) -> float:
    try:
        number = float(score)
    except (TypeError, ValueError):
        number = math.nan
    if not 0 <= number <= 1:
        raise ConfigError(
            f"The comparator of {name_of(name)!r} returned {score!r}: a comparator returns a bool or a number from 0 to 1."
        )
    return number


def _wrong(got: Any, expected: Any) -> Mark:
    return Mark(0.0, Difference("", got, expected))
