"""Two trajectories compared by their tool calls; where they differ, the first difference in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, Literal

from judgekit.evaluators.trajectory_arguments import ArgumentRules, Call, read_call
from judgekit.evaluators.trajectory_pairing import pair

__all__ = ["MATCH_MODES", "Comparison", "Step", "TrajectoryMatchMode", "compare", "steps_of"]

TrajectoryMatchMode = Literal["strict", "unordered", "subset", "superset"]


@dataclass(frozen=True, slots=True)
class Step:
    """One message of a trajectory: who speaks, and the tools that are called."""

    role: str
    calls: tuple[Call, ...] = ()

    def __str__(self) -> str:
        article = "an" if self.role == "assistant" else "a"
        calling = f" that calls {', '.join(map(str, self.calls))}" if self.calls else ""
        return f"{article} {self.role} message{calling}"


@dataclass(frozen=True, slots=True)
class Comparison:
    """Whether the trajectories match. `comment` is the first difference, or what a match leaves open."""

    matches: bool
    comment: str | None = None


Steps = Sequence[Step]


@dataclass(frozen=True, slots=True)
class _Placed:
    """A call, and the number of its message, counted from 1."""

    call: Call
    message: int


@dataclass(frozen=True, slots=True)
class _Unmet:
    """A call without a match, the call of the same tool that comes closest, and why it is none."""

    placed: _Placed
    rival: _Placed | None
    reason: str

    def told(self, here: str, there: str) -> str:
        head = f"Message {self.placed.message} of the {here} calls {self.placed.call}, the {there} does not"
        if self.rival is None:
            return f"{head}: {self.reason}."
        return f"{head}; closest is {self.rival.call} in message {self.rival.message} ({self.reason})."


def steps_of(messages: Sequence[Mapping[str, Any]]) -> tuple[Step, ...]:
    """The steps of a trajectory as `trajectory_messages` returns it."""
    return tuple(
        Step(
            message["role"],
            tuple(
                read_call(call["function"]["name"], call["function"]["arguments"])
                for call in message.get("tool_calls", ())
            ),
        )
        for message in messages
    )


def compare(mode: str, outputs: Steps, references: Steps, rules: ArgumentRules) -> Comparison:
    """Compare two trajectories.

    An output without any message matches nothing, whatever the reference is: an agent that ran has said something.
    Where one side calls no tool and the mode looks at calls only, a match may compare nothing; the comment says so.

    Args:
        mode: one of `MATCH_MODES`.
        outputs, references: the steps of each.
        rules: how arguments are compared.
    """
    if not outputs:
        return Comparison(
            False, "The output trajectory has no messages, so there is nothing that could match."
        )
    difference = MATCH_MODES[mode](outputs, references, rules)
    if difference is not None:
        return Comparison(False, difference)
    return Comparison(True, None if mode == "strict" else _left_open(mode, outputs, references))


def _strict(outputs: Steps, references: Steps, rules: ArgumentRules) -> str | None:
    for number, (output, reference) in enumerate(zip_longest(outputs, references), start=1):
        if output is None:
            return f"Message {number}: expected {reference}, but the output ends with message {number - 1}."
        if reference is None:
            return f"Message {number}: got {output}, but the reference ends with message {number - 1}."
        problem = _step_difference(output, reference, rules)
        if problem is not None:
            return f"Message {number}: {problem}"
    return None


def _step_difference(output: Step, reference: Step, rules: ArgumentRules) -> str | None:
    if output.role != reference.role or bool(output.calls) != bool(reference.calls):
        return f"expected {reference}, got {output}."
    wanted, offered = _placed([reference]), _placed([output])
    unmet = _unmet(wanted, offered, lambda one, other: rules.difference(other, one))
    if unmet is not None:
        got = unmet.rival.call if unmet.rival else ", ".join(map(str, output.calls))
        return f"expected the call {unmet.placed.call}, got {got}: {unmet.reason}."
    extra = _unmet(offered, wanted, rules.difference)
    return f"got the call {extra.placed.call}, which the reference does not make here." if extra else None


def _superset(outputs: Steps, references: Steps, rules: ArgumentRules) -> str | None:
    unmet = _unmet(_placed(references), _placed(outputs), lambda one, other: rules.difference(other, one))
    return unmet.told("reference", "output") if unmet else None


def _subset(outputs: Steps, references: Steps, rules: ArgumentRules) -> str | None:
    unmet = _unmet(_placed(outputs), _placed(references), rules.difference)
    return unmet.told("output", "reference") if unmet else None


def _unordered(outputs: Steps, references: Steps, rules: ArgumentRules) -> str | None:
    return _superset(outputs, references, rules) or _subset(outputs, references, rules)


MATCH_MODES: Mapping[str, Callable[[Steps, Steps, ArgumentRules], str | None]] = {
    "strict": _strict,
    "unordered": _unordered,
    "subset": _subset,
    "superset": _superset,
}
"""How to find the first difference: `strict` goes message by message, the others take all calls of a trajectory."""


def _placed(steps: Steps) -> list[_Placed]:
    return [_Placed(call, number) for number, step in enumerate(steps, start=1) for call in step.calls]


def _unmet(
    wanted: Sequence[_Placed], offered: Sequence[_Placed], difference: Callable[[Call, Call], str | None]
) -> _Unmet | None:
    """The first wanted call that cannot have a match of its own beside those before it; None if all can."""
    namesakes: dict[str, list[int]] = {}
    for index, other in enumerate(offered):
        namesakes.setdefault(other.call.name, []).append(index)
    candidates = [
        [i for i in namesakes.get(one.call.name, ()) if difference(one.call, offered[i].call) is None]
        for one in wanted
    ]
    partners = pair(candidates)
    if None not in partners:
        return None
    one = wanted[partners.index(None)]
    rivals = namesakes.get(one.call.name, [])
    if not rivals:
        return _Unmet(one, None, f"there is no call of {one.call.name or 'a tool without a name'}")
    if candidates[partners.index(None)]:
        return _Unmet(one, None, "each call that matches it is needed to match another")
    rival = offered[next((i for i in rivals if i not in partners), rivals[0])]
    return _Unmet(one, rival, difference(one.call, rival.call) or "")


def _left_open(mode: str, outputs: Steps, references: Steps) -> str | None:
    """What a match by calls alone has not looked at, when a side makes none."""
    calls, wanted = _placed(outputs), _placed(references)
    if not calls and not wanted:
        return f"Neither trajectory calls a tool, so nothing was compared: {mode!r} does not look at texts."
    if mode == "subset" and not calls:
        return f"The output calls no tool, so it calls none beyond the {len(wanted)} of the reference."
    if mode == "superset" and not wanted:
        return "The reference calls no tool, so the output lacks none; its own calls were not compared."
    return None
