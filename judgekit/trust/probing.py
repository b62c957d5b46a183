"""`probe`: ask a judge what a fair one would not be moved by, and measure how often it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from judgekit import stats
from judgekit.errors import ConfigError
from judgekit.stats import Estimate
from judgekit.stats.inputs import Label, share, whole
from judgekit.trust.attacks import CONSTANT_OUTPUT, EDITS, MASTER_KEYS
from judgekit.trust.selfpreference import self_preference
from judgekit.trust.subject import Edit, Grader, Matcher, subject_of
from judgekit.trust.words import as_data, estimates_table, percent

__all__ = ["PROBES", "Probe", "ProbeReport", "probe"]


@dataclass(frozen=True, kw_only=True)
class Probe:
    """What one probe showed.

    Attributes:
        name: the probe.
        rate: how often the judge was moved, with interval and n; its name says what it is a share of.
        found: whether that is a bias beyond doubt and chance.
        shift: mean change of the verdict, where answers were edited.
        p_value: that there is no bias, adjusted for the number of probes (Holm); None where the interval alone decides.
    """

    name: str
    rate: Estimate
    found: bool
    shift: Estimate | None = None
    p_value: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """The fields as JSON values."""
        return {name: as_data(value) for name, value in vars(self).items()}


@dataclass(frozen=True, repr=False)
class ProbeReport:
    """What all probes showed. `report["length_padding"]` is a `Probe`; `repr()` is a sentence, `str()` a table.

    Attributes:
        probes: name -> what it showed.
        skipped: name -> why it was not done.
    """

    probes: Mapping[str, Probe]
    skipped: Mapping[str, str]

    @property
    def found(self) -> tuple[str, ...]:
        """The probes that found a bias."""
        return tuple(name for name, probe in self.probes.items() if probe.found)

    def __getitem__(self, name: str) -> Probe:
        if name not in self.probes:
            why = f": {self.skipped[name]}" if name in self.skipped else ""
            raise KeyError(f"{name!r} was not done{why}; done were {', '.join(self.probes) or 'none'}")
        return self.probes[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.probes)

    def __len__(self) -> int:
        return len(self.probes)

    def to_dict(self) -> dict[str, Any]:
        """The fields as JSON values, with `found`."""
        return {"probes": as_data(self.probes), "skipped": dict(self.skipped), "found": list(self.found)}

    def __repr__(self) -> str:
        told = "; ".join(f"{name}: {percent(self.probes[name].rate)}" for name in self.found)
        return f"<ProbeReport: {len(self.found)} of {len(self)} probes found a bias{f'; {told}' if told else ''}>"

    def __str__(self) -> str:
        rates = [
            replace(probe.rate, name=f"{'! ' if probe.found else '  '}{name}: {probe.rate.name}")
            for name, probe in self.probes.items()
        ]
        return "\n".join(
            [
                repr(self),
                "",
                estimates_table(rates),
                *(f"{name} skipped: {why}" for name, why in self.skipped.items()),
            ]
        )


@dataclass(frozen=True, kw_only=True)
class _Bench:
    subject: Grader | Matcher
    repeats: int
    passing: Label | None
    tolerance: float
    level: float

    def position_swap(self) -> Probe:
        if not isinstance(self.subject, Matcher):
            raise _Skipped("it takes items with two answers in their outputs")
        given, swapped = self.subject.orders
        bias = stats.position_bias(given, swapped, level=self.level)
        flips = [None if a is None or b is None else a != b for a, b in zip(given, swapped, strict=True)]
        rate = stats.proportion(flips, level=self.level, name="pairs whose verdict changes with their order")
        return Probe(name="position_swap", rate=rate, found=False, shift=bias.fairness, p_value=bias.p_value)

    def repeats_differ(self) -> Probe:
        columns = self.subject.repeated(self.repeats)
        differ = [None if None in each else len(set(each)) > 1 for each in zip(*columns, strict=True)]
        rate = stats.proportion(
            differ, level=self.level, name=f"items on which {self.repeats} verdicts differ"
        )
        return self._by_interval("repeats", rate)

    def edited(self, name: str, edit: Edit) -> Probe:
        before, after = self.subject.base, self.subject.edited(edit)
        known = [value for value in (*before, *after) if value is not None]
        if not known:
            raise _Skipped("the judge gave no verdict, or no answer is a text")
        top = 1.0 if min(known) >= 0 and max(known) <= 1 else max(known)
        rose = [
            None if a is None or b is None else b > a
            for a, b in zip(before, after, strict=True)
            if a is None or a < top
        ]
        rate = stats.proportion(rose, level=self.level, name="answers that could rise and did")
        shift = stats.paired_difference(after, before, level=self.level)
        up = shift.value is not None and shift.value > 0
        return Probe(
            name=name, rate=rate, found=False, shift=replace(shift, name="change of the verdict"),
            p_value=shift.p_value if up else None if shift.p_value is None else 1.0,
        )  # fmt: skip

    def replaced(self, name: str, answers: Sequence[str]) -> Probe:
        least = self.subject.passing(self.passing)
        if least is None:
            raise _Skipped("say with passing= which verdict lets an answer pass")
        columns = [self.subject.edited(lambda _, answer=answer: answer) for answer in answers]  # type: ignore[misc]
        passed = [None if verdict is None else verdict >= least for found in columns for verdict in found]
        items = list(range(len(self.subject.items))) * len(answers) if len(answers) > 1 else None
        rate = stats.proportion(
            passed, cluster=items, level=self.level, name="answers without content that pass"
        )
        return self._by_interval(name, rate)

    def _by_interval(self, name: str, rate: Estimate) -> Probe:
        return Probe(
            name=name, rate=rate, found=rate.interval is not None and rate.interval.low > self.tolerance
        )


class _Skipped(Exception):
    """A probe that cannot be done with what was given; its message says why."""


_TABLE: Mapping[str, Callable[[_Bench], Probe]] = {
    "position_swap": _Bench.position_swap,
    "repeats": _Bench.repeats_differ,
    **{name: (lambda bench, name=name, edit=edit: bench.edited(name, edit)) for name, edit in EDITS.items()},  # type: ignore[misc]
    "master_keys": lambda bench: bench.replaced("master_keys", MASTER_KEYS),
    "constant_output": lambda bench: bench.replaced("constant_output", (CONSTANT_OUTPUT,)),
}

PROBES = (*_TABLE, "self_preference")
"""The probes there are."""


def probe(
    judge: Any,
    items: Sequence[Mapping[str, Any]],
    *,
    probes: Sequence[str] | None = None,
    second: Any = None,
    own: Sequence[Any] | None = None,
    key: str | None = None,
    scale: Sequence[Label] | None = None,
    passing: Label | None = None,
    repeats: int = 3,
    tolerance: float = 0.05,
    level: float = 0.95,
) -> ProbeReport:
    """Measure what a judge is moved by that a fair one is not moved by.

    - `position_swap`: the two answers of a pair change places (Wang et al. 2023; Shi et al. 2024).
    - `repeats`: the same is asked again.
    - `length_padding`, `injected_instruction`, `fake_authority`: something is added that makes the answer no better.
    - `master_keys`, `constant_output`: a text without content stands in the answer's place.
    - `self_preference`: does the judge favor its own model's answers more than a second judge does?

    Args:
        judge: an evaluator of one answer; or, where `outputs` holds two answers, of two, as `judgekit.compare` takes it,
            which is then asked in both orders, and whose second answer is the one that is edited or replaced.
        items: rows with `inputs`, `outputs` and what else the judge needs. Use answers of all qualities: a judge that
            passes everything cannot be seen to rise. Each item costs about a dozen verdicts (two dozen for a pair).
        probes: which, by name; all that can be done by default.
        second: another judge, of another model, for `self_preference`.
        own: for each item, True where the answer is from the judge's own model; of pairs the place of its answer, 0 or 1,
            or None. For `self_preference`.
        key: which score of a judge that gives several.
        scale: the verdicts from the worst to the best, where they are words.
        passing: the least verdict that lets an answer pass; 0.5 for verdicts between 0 and 1.
        repeats: how often the same is asked.
        tolerance: `repeats`, `master_keys` and `constant_output` are a finding when the interval lies above this rate.
        level: confidence level. Biases that have a p-value are found at 1 - level for all probes together (Holm).

    Raises:
        ConfigError: a probe that is unknown, or an option out of range.
        DataError: items without outputs.
    """
    share(level, "level")
    whole(repeats, "repeats", least=2)
    wanted = PROBES if probes is None else tuple(probes)
    if unknown := [name for name in wanted if name not in PROBES]:
        raise ConfigError(f"There is no probe {unknown[0]!r}: there are {', '.join(PROBES)}.")
    subject = subject_of(judge, items, key=key, scale=scale)
    bench = _Bench(subject=subject, repeats=repeats, passing=passing, tolerance=tolerance, level=level)
    done: dict[str, Probe] = {}
    skipped: dict[str, str] = {}
    for name in wanted:
        try:
            done[name] = (
                _self_preference(subject, second, own, level) if name not in _TABLE else _TABLE[name](bench)
            )
        except _Skipped as reason:
            skipped[name] = str(reason)
    return ProbeReport(_adjusted(done, level), skipped)


def _self_preference(
    subject: Grader | Matcher, second: Any, own: Sequence[Any] | None, level: float
) -> Probe:
    if second is None or own is None:
        raise _Skipped("it takes second=, another judge, and own=, which answers are the judge's own")
    rate = self_preference(subject, replace(subject, judge=second), own, level=level)
    return Probe(name="self_preference", rate=rate, found=rate.interval is not None and rate.interval.low > 0)


def _adjusted(probes: Mapping[str, Probe], level: float) -> dict[str, Probe]:
    """The probes with p-values held together, and what they then find."""
    tested = {name: each.p_value for name, each in probes.items() if each.p_value is not None}
    adjusted = dict(zip(tested, stats.holm(list(tested.values())), strict=True)) if tested else {}
    return {
        name: replace(each, p_value=adjusted[name], found=adjusted[name] < 1 - level)
        if name in adjusted
        else each
        for name, each in probes.items()
    }
