"""What a model claims as its verdict: the objects that look like one, and what each of them says.

One object may claim twice (a key repeated, `score` beside `final_score`), and an answer may hold several objects.
Claims that disagree are all refused: whichever were taken, first or last, judged text could plant it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from judgekit.core.characters import field_name, is_blank, storable, trimmed
from judgekit.core.coercion import Flaw, same, shown
from judgekit.core.decoding import Members
from judgekit.core.scales import Binary, Choices, Continuous, Custom, Score
from judgekit.core.scanning import NOTHING, Found, whole

__all__ = ["REASONING", "SCORE", "Claim", "Heard", "ObjectShape", "ScoreShape", "Shape", "hear", "verdicts"]

SCORE = "score"
REASONING = "reasoning"
_SCHEMA_WORDS = {
    "$schema",
    "$id",
    "$defs",
    "additionalproperties",
    "description",
    "properties",
    "required",
    "title",
    "type",
}
_MARK = (
    r"""(?:["'“”„‘’＂＇「」『』«»`\\]|\\u[0-9a-f]{4}|&quot;|&#3[49];|&apos;)"""  # escaped, once or more, too
)
_COLON = r"\s*(?:[:：]|\\+u(?:003a|ff1a))"
_VALUE = rf"[ \t]*(?:{_MARK}|[-+.<\[\d]|(?:true|false|null|none|nan|infinity|yes|no)\b|[^{{}}\n]{{0,80}}\}})"
"""What may stand behind a key; in `the fields "reasoning" and "score": ...` a sentence does."""


@dataclass(frozen=True, slots=True)
class Claim:
    """What one object says.

    Attributes:
        said: what is compared between claims: the verdict, or the raw value when it is none.
        score: the verdict, or why it is none.
        explanation: the reasoning given, or None.
        score_first: the score was written before its reasoning.
    """

    said: Any
    score: Score | Flaw
    explanation: str | None = None
    score_first: bool = False


class Shape(Protocol):
    """What an object must look like to be a verdict, and how it is read."""

    @property
    def names(self) -> frozenset[str]:
        """The fields of a verdict, as `field_name` spells them; an object with one of them is no wrapper."""

    @property
    def wanted(self) -> str:
        """The fields of a verdict, in words."""

    @property
    def fragment(self) -> re.Pattern[str]:
        """Finds the key of a verdict in text that could not be read as JSON."""

    def fits(self, members: Sequence[tuple[str, Any]]) -> bool:
        """Whether the object has a field of a verdict, so that it is one, or a broken one."""

    def claim(self, members: Sequence[tuple[str, Any]]) -> Claim: ...

    def bare(self, value: Any, text: str) -> Claim | None:
        """The claim of an answer that is one scalar (`NOTHING` when it is none), if it is one."""


@dataclass(frozen=True)
class ScoreShape:
    """An object with a `score`, and `reasoning` where an explanation is wanted."""

    scale: Binary | Continuous | Choices
    explain: bool

    names = frozenset({SCORE, REASONING})
    fragment = re.compile(
        rf"(?:score[^\n:：{{}}]{{0,40}}?|reasoning\s*){_MARK}+{_COLON}{_VALUE}"
        r"|[{｛]\s*(?:score|reasoning)\s*[:：]"
        r"|\bscore\s*[:：][^{}\n]{0,80}\}",
        re.IGNORECASE,
    )

    @property
    def wanted(self) -> str:
        return 'the fields "reasoning" (a text) and "score"' if self.explain else 'the field "score"'

    def fits(self, members: Sequence[tuple[str, Any]]) -> bool:
        names = [field_name(key) for key, _ in members]
        if SCORE in names or (self.explain and REASONING in names):
            return True
        if REASONING not in names and len(names) != 1:
            return False
        values = (raw for name, (_, raw) in zip(names, members, strict=True) if SCORE in name)
        return any(_members(raw) is None for raw in values)

    def claim(self, members: Sequence[tuple[str, Any]]) -> Claim:
        order: list[str] = []
        found: dict[str, list[Any]] = {SCORE: [], REASONING: []}
        rivals: list[Any] = []
        for key, value in members:
            name = key if key in found else field_name(key)
            if name in found:
                order.append(name)
                found[name].append(value)
            else:
                rivals.extend(_rival_scores(name, value))
        if not found[SCORE]:
            said = self._read(rivals[0])[0] if rivals else NOTHING
            return Claim(said, Flaw("missing_field", 'the field "score" is missing'))
        return self._claim(found[SCORE], rivals, found[REASONING], order[0] == SCORE)

    def bare(self, value: Any, text: str) -> Claim | None:
        if value is NOTHING and isinstance(self.scale, Choices) and self.scale.offers(text):
            value = text
        return None if value is NOTHING else self._claim([value], [], [], False)

    def _claim(self, scores: list[Any], rivals: list[Any], reasons: list[Any], score_first: bool) -> Claim:
        said, score = self._read(scores[0])
        for rival in (*scores[1:], *rivals):
            if not same(said, self._read(rival)[0]):
                disagreement = f"it gives the score twice, as {shown(scores[0])} and as {shown(rival)}"
                return Claim(said, Flaw("ambiguous", disagreement))
        if not self.explain:
            return Claim(said, score)
        if any(not same(reasons[0], other) for other in reasons[1:]):
            return Claim(said, Flaw("ambiguous", "it gives the reasoning twice, in different words"))
        reason = storable(reasons[0]) if reasons and isinstance(reasons[0], str) else ""
        if is_blank(reason):
            return Claim(said, Flaw("missing_field", 'the field "reasoning" (a text) is missing or empty'))
        return Claim(said, score, reason, score_first)

    def _read(self, raw: Any) -> tuple[Any, Score | Flaw]:
        try:
            score = self.scale.read(raw)
        except Flaw as flaw:
            return (raw,), flaw
        return (score.value, score.label), score


@dataclass(frozen=True)
class ObjectShape:
    """An object that the user's own schema describes."""

    scale: Custom

    @property
    def names(self) -> frozenset[str]:
        return self.scale.names

    @property
    def wanted(self) -> str:
        return "the fields " + ", ".join(f'"{name}"' for name in self.scale.properties)

    @property
    def fragment(self) -> re.Pattern[str]:
        names = "|".join(map(re.escape, self.scale.properties)) or "(?!)"
        return re.compile(rf"{_MARK}\s*(?:{names})\s*{_MARK}+{_COLON}{_VALUE}", re.IGNORECASE)

    def fits(self, members: Sequence[tuple[str, Any]]) -> bool:
        return not self.names or any(field_name(key) in self.names for key, _ in members)

    def claim(self, members: Sequence[tuple[str, Any]]) -> Claim:
        try:
            score = self.scale.read(members)
        except Flaw as flaw:
            return Claim((tuple(members),), flaw)
        return Claim(score.value, score)

    def bare(self, value: Any, text: str) -> Claim | None:  # noqa: ARG002  # no scalar is an object
        return None


@dataclass(frozen=True, slots=True)
class Heard:
    """What one text or call says: its claims, what was mended to get at them, and the texts that nobody could read."""

    claims: tuple[Claim, ...]
    repairs: frozenset[str]
    unread: tuple[str, ...]


def hear(found: Found, shape: Shape) -> Heard:
    """Collect the claims of one text."""
    scalar = found.scalar()
    values = [value.value for value in found.values] if scalar is NOTHING else [scalar]
    said = [(value, inner) for value in values for inner in verdicts(value, shape)]
    claims = [shape.claim(inner) for _, inner in said if not isinstance(inner, str)]
    if not claims and not found.values and (claim := shape.bare(scalar, trimmed(found.rest))):
        return Heard((claim,), found.repairs, ())
    repairs = {"wrapper"} if any(inner is not value for value, inner in said) else set[str]()
    unread = [*found.guessed, *(inner for _, inner in said if isinstance(inner, str))]
    if scalar is NOTHING or not claims:
        unread += [found.rest, *(f'"{key}": ""' for key in found.broken)]
    return Heard(tuple(claims), found.repairs | repairs if claims else frozenset(), tuple(unread))


def verdicts(value: Any, shape: Shape) -> Iterator[Sequence[tuple[str, Any]] | str]:
    """The verdict-shaped objects that a value is or wraps, and the texts in it that are no JSON for sure.

    Wrappers are objects with one key, lists (all of whose elements are objects), a text that is JSON (once), and a
    schema whose `properties` hold values in place of schemas. Nothing is searched for in objects of another shape.
    """
    todo: list[tuple[Any, bool]] = [(value, False)]
    while todo:
        value, decoded = todo.pop()
        members = _members(value)
        if members is not None and shape.fits(members):
            yield members
        elif members is not None:
            todo.extend((inner, decoded) for inner in reversed(_wrapped(members, shape)))
        elif isinstance(value, list) and (
            len(value) == 1 or all(_members(item) is not None for item in value)
        ):
            todo.extend((inner, decoded) for inner in reversed(value))
        elif isinstance(value, str):
            inner = None if decoded else whole(value)
            if inner is None:
                yield value
            else:
                yield from inner.guessed
                todo.append((inner.value, True))


def _members(value: Any) -> Sequence[tuple[str, Any]] | None:
    if isinstance(value, Members):
        return value
    return tuple((str(key), inner) for key, inner in value.items()) if isinstance(value, Mapping) else None


def _wrapped(members: Sequence[tuple[str, Any]], shape: Shape) -> list[Any]:
    names = {field_name(key) for key, _ in members}
    if "properties" in names and names <= _SCHEMA_WORDS:
        return [inner for key, inner in members if field_name(key) == "properties" and _is_filled(inner)]
    return [inner for _, inner in members] if len(names) == 1 and not names & shape.names else []


def _is_filled(properties: Any) -> bool:
    """Whether these are values, and not the schemas that stand in `properties` by right."""
    members = _members(properties)
    return members is not None and any(_members(inner) is None for _, inner in members)


def _rival_scores(name: str, value: Any) -> list[Any]:
    """The scores that a field beside the score claims: any `*score*` field, and a whole verdict inside the verdict."""
    if SCORE in name:
        return [value]
    inner = [(field_name(key), raw) for key, raw in _members(value) or ()]
    inside = {key for key, _ in inner}
    if SCORE in inside and (REASONING in inside or name == "properties") and _is_filled(value):
        return [raw for key, raw in inner if key == SCORE]
    return []
