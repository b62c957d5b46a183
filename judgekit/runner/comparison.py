"""Two runs over the same examples: what became better, what worse, and what the data cannot tell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

from judgekit.core.characters import shortened
from judgekit.runner.tables import bounded, shortly, text_table
from judgekit.runner.tally import Kind

if TYPE_CHECKING:
    from judgekit.stats.compare import Comparison

__all__ = ["NOT_ENOUGH", "Change", "KeyComparison", "RunComparison", "Verdict"]

Verdict = Literal["better", "worse", "no change", "not enough data to tell", "labels differ"]

NOT_ENOUGH: Verdict = "not enough data to tell"
_LISTED = 10  # changes of a key that `str` shows
_WIDEST = 200  # characters of one


@dataclass(frozen=True)
class Change:
    """An example whose score differs: `before` in the other run, `after` in this one, with the judges' comments.

    Scores are means over repetitions; a label is the most frequent one.
    """

    id: str
    before: bool | float | str
    after: bool | float | str
    comment_before: str | None = None
    comment_after: str | None = None

    @property
    def size(self) -> float:
        """By how much the score went up; 0.0 for labels."""
        if isinstance(self.before, str) or isinstance(self.after, str):
            return 0.0
        return float(self.after) - float(self.before)

    @property
    def is_flip(self) -> bool:
        """Whether most repetitions said true before and false after, or the other way round."""
        if isinstance(self.before, str) or isinstance(self.after, str):
            return False
        return min(self.before, self.after) < 0.5 < max(self.before, self.after)

    def __str__(self) -> str:
        told = f"{self.id}: {_shown(self.before)} -> {_shown(self.after)}"
        return told if not self.comment_after else f"{told}  {self.comment_after}"


@dataclass(frozen=True)
class KeyComparison:
    """One key in both runs, over the examples that have a score in both.

    Attributes:
        key: the key.
        kind: what its scores are, in both runs.
        n: how many examples have one in both.
        missing: how many examples of both runs lack one on either side.
        mean: the mean, or the pass rate, in this run; None for labels.
        other_mean: the same in the other run.
        difference: `mean` minus `other_mean`, paired, with its interval and p-value; None for labels.
        p_adjusted: the p-value, adjusted for the number of keys (Holm 1979).
        verdict: "better" or "worse" only where the interval leaves out 0 and the adjusted p-value agrees; "no change"
            where all scores are equal. Labels have no better side: they differ or they do not.
        needed: how many examples would find a difference as large as the one seen, 4 times in 5, where these do not tell.
        changes: the examples whose scores differ, the largest difference first.
    """

    key: str
    kind: Kind
    n: int
    missing: int
    mean: float | None = None
    other_mean: float | None = None
    difference: Comparison | None = None
    p_adjusted: float | None = None
    verdict: Verdict = NOT_ENOUGH
    needed: int | None = None
    changes: tuple[Change, ...] = ()

    @property
    def flips(self) -> tuple[Change, ...]:
        """For truth values, the examples that went from true to false, and those from false to true."""
        return tuple(change for change in self.changes if change.is_flip) if self.kind == "bool" else ()

    @property
    def explanation(self) -> str:
        """The verdict as a sentence."""
        if self.verdict == NOT_ENOUGH:
            return f"{self.key}: {_why_not(self)}"
        if self.kind == "label":
            return f"{self.key}: {len(self.changes)} of {self.n} labels differ"
        return f"{self.key}: {self.verdict}"


def _why_not(found: KeyComparison) -> str:
    if not found.n or found.difference is None:
        return f"{NOT_ENOUGH}: no example has a score in both"
    seen, detectable = found.difference.value, found.difference.detectable
    facts = [f"{NOT_ENOUGH} from {found.n} examples"]
    if found.needed is not None:
        facts.append(
            f"about {found.needed:,} would find a difference as large as the one seen ({shortly(seen)})"
        )
    if detectable is not None:
        facts.append(f"these find one of {shortly(detectable)} 4 times in 5")
    return "; ".join(facts)


@dataclass(frozen=True)
class RunComparison:
    """This run against another one. `comparison["key"]` is the `KeyComparison`; `str()` is a table and what changed.

    Attributes:
        name, other_name: the two runs.
        both: how many examples are in both.
        only_here, only_there: ids of the examples that the other run does not have, and that this one does not.
        keys: key -> its comparison, for the keys of both runs.
        keys_here, keys_there: keys that only one run has.
        warnings: what makes the comparison doubtful.
    """

    name: str
    other_name: str
    both: int
    only_here: tuple[str, ...]
    only_there: tuple[str, ...]
    keys: Mapping[str, KeyComparison]
    keys_here: tuple[str, ...] = ()
    keys_there: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    def __getitem__(self, key: str) -> KeyComparison:
        if key not in self.keys:
            raise KeyError(f"{key!r}; the keys of both runs are {', '.join(map(repr, self.keys)) or 'none'}")
        return self.keys[key]

    def to_dict(self) -> dict[str, Any]:
        """The fields as JSON values."""
        return asdict(self)

    def __str__(self) -> str:
        here, there = (
            f"{len(ids)} only in {run}"
            for ids, run in ((self.only_here, self.name), (self.only_there, self.other_name))
        )
        lines = [
            f"{self.name} against {self.other_name}: {self.both} examples in both, {here}, {there}",
            *(f"Warning: {warning}" for warning in self.warnings),
        ]
        if self.keys:
            head = [
                "key",
                f"before: {self.other_name}",
                f"after: {self.name}",
                "difference",
                "p",
                "p adjusted",
                "verdict",
            ]
            lines += ["", text_table([head, *map(_cells, self.keys.values())]), ""]
        lines += [each.explanation for each in self.keys.values() if each.verdict == NOT_ENOUGH]
        for each in self.keys.values():
            lines += _listed(each)
        for run, keys in ((self.name, self.keys_here), (self.other_name, self.keys_there)):
            lines += [f"Only in {run}: {', '.join(keys)}"] if keys else []
        return "\n".join(lines)


def _cells(found: KeyComparison) -> list[str]:
    off = found.difference
    told = "" if off is None else f"{shortly(off.value)} {bounded(off.interval)}".rstrip()
    p = None if off is None else off.p_value
    means = [shortly(found.other_mean), shortly(found.mean)]
    return [found.key, *means, told, shortly(p), shortly(found.p_adjusted), found.verdict]


def _listed(found: KeyComparison) -> Iterator[str]:
    listed = found.flips or found.changes
    if not listed:
        return
    told = f"{len(found.changes)} of {found.n} changed"
    if found.flips:
        lost = sum(change.size < 0 for change in found.flips)
        told = f"{told}, {lost} from true to false and {len(found.flips) - lost} from false to true"
    yield f"{found.key}: {told}"
    yield from (f"  {shortened(str(change), _WIDEST)}" for change in listed[:_LISTED])
    if len(listed) > _LISTED:
        yield f"  ... and {len(listed) - _LISTED} more"


def _shown(value: bool | float | str) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else shortly(value)
