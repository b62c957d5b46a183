"""Each deterministic evaluator beside OpenEvals': CPU per call and peak memory, in one run.

python benchmarks/evaluators.py

OpenEvals' Levenshtein distance keeps a matrix of all pairs of characters. At 10,000 characters that is 10^8 Python
integers, so its figures there are those at 1,000 times the number of cells, and are marked as such.
"""

from __future__ import annotations

import random
import resource
import sys
import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from _measure import cpu_per_call, in_turn, peer

from judgekit import create_trajectory_match_evaluator, exact_match, levenshtein_distance

GOAL = 5.0  # times less CPU than OpenEvals
ROUNDS = 5
Evaluate = Callable[..., Any]


@dataclass(frozen=True)
class Case:
    """One evaluator on one item; `calls` a round. `scaled` is by how much OpenEvals' figures on `smaller` are raised."""

    name: str
    ours: Evaluate
    theirs: Evaluate | None
    outputs: Any
    reference: Any
    calls: int
    smaller: tuple[Any, Any] | None = None
    scaled: float = 1.0

    @property
    def sides(self) -> dict[str, tuple[Callable[[], Any], float]]:
        """Each side's call, and the factor on its figures."""
        outputs, reference = self.smaller or (self.outputs, self.reference)
        found: dict[str, tuple[Callable[[], Any], float]] = {
            "judgekit": (partial(self.ours, outputs=self.outputs, reference_outputs=self.reference), 1.0)
        }
        if self.theirs is not None:
            theirs = partial(self.theirs, outputs=outputs, reference_outputs=reference)
            found["openevals"] = (theirs, self.scaled)
        return found


def main() -> None:
    _resident()
    print("CPU microseconds per call (best of rounds taken in turn), and peak of Python's memory in KiB")
    for case in _cases():
        sides = case.sides
        rounds = {name: partial(cpu_per_call, call, case.calls) for name, (call, _) in sides.items()}
        cpu = {name: best * sides[name][1] for name, best in in_turn(rounds, ROUNDS).items()}
        peak = {name: _peak(call) * factor for name, (call, factor) in sides.items()}
        print(f"{case.name:32} {_figures('judgekit', cpu, peak)}", end="")
        if case.theirs is not None:
            ratio = cpu["openevals"] / cpu["judgekit"]
            below = "" if ratio >= GOAL else f"  below the goal of {GOAL:g}"
            print(f"   {_figures('openevals', cpu, peak)}   x{ratio:,.1f}{below}", end="")
        print(
            "  (openevals extrapolated)" if case.smaller and case.theirs else _disagreement(sides), flush=True
        )


def _figures(side: str, cpu: dict[str, float], peak: dict[str, float]) -> str:
    return f"{side} {cpu[side]:10,.1f} us {peak[side] / 1024:10,.1f} KiB"


def _disagreement(sides: dict[str, tuple[Callable[[], Any], float]]) -> str:
    found = [_scores(call()) for call, _ in sides.values()]
    return "" if all(scores == found[0] for scores in found) else f"  scores differ: {found}"


def _scores(result: Any) -> list[float]:
    return [round(float(one["score"]), 9) for one in (result if isinstance(result, list) else [result])]


def _peak(call: Callable[[], Any]) -> int:
    """Bytes that Python's allocator held at most during one call, above what it held before."""
    call()
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def _resident() -> None:
    """What the compiled distance takes is not Python's: how far the process grows is shown before all else."""
    unit = 1024 if sys.platform == "darwin" else 1
    for size in (10_000, 100_000):
        outputs, reference = _texts(size)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        levenshtein_distance(outputs=outputs, reference_outputs=reference)
        grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / unit
        print(f"judgekit's levenshtein at {size:,} characters: the process grows by {grown:,.0f} KiB")


def _cases() -> Iterator[Case]:
    for module, make in (
        ("openevals.string.levenshtein", _levenshtein),
        ("openevals.exact", _exact),
        ("openevals.json.match", _json),
        ("openevals.trajectory.match", _trajectory),
    ):
        yield from make(peer(module))


def _levenshtein(theirs: Any) -> Iterator[Case]:
    distance = theirs and theirs.levenshtein_distance
    for size, calls in ((20, 500), (1_000, 1)):
        yield Case(f"levenshtein, {size:,} characters", levenshtein_distance, distance, *_texts(size), calls)
    scaled = (10_000 / 1_000) ** 2
    yield Case(
        "levenshtein, 10,000 characters",
        levenshtein_distance,
        distance,
        *_texts(10_000),
        1,
        _texts(1_000),
        scaled,
    )


def _exact(theirs: Any) -> Iterator[Case]:
    match = theirs and theirs.exact_match
    yield Case("exact match, a short text", exact_match, match, "Paris", "Paris", 500)
    yield Case("exact match, 3 keys", exact_match, match, _record(1), _record(1), 500)
    records = [_record(number) for number in range(200)]
    yield Case("exact match, 200 records", exact_match, match, records, [*records], 20)


def _json(theirs: Any) -> Iterator[Case]:
    try:
        from judgekit.judges.json_match import create_json_match_evaluator
    except ImportError as error:
        print(f"JSON match is left out: {error}")
        return
    ours = create_json_match_evaluator(aggregator="average")
    match = theirs and theirs.create_json_match_evaluator(aggregator="average")
    yield Case("JSON match, 3 keys", ours, match, _record(1), {**_record(1), "city": "Rome"}, 300)
    records = [_record(number) for number in range(200)]
    changed = [{**one, "city": "Rome"} if one["id"] % 10 == 0 else one for one in records]
    random.Random(0).shuffle(changed)  # noqa: S311  # no secret: the same order every time
    yield Case("JSON match, 200 records", ours, match, changed, records, 1)


def _trajectory(theirs: Any) -> Iterator[Case]:
    messages = _messages()
    for mode in ("strict", "unordered", "superset"):
        ours = create_trajectory_match_evaluator(trajectory_match_mode=mode)
        match = theirs and theirs.create_trajectory_match_evaluator(trajectory_match_mode=mode)
        yield Case(f"trajectory match, {mode}", ours, match, messages, _messages(), 200)


def _texts(size: int) -> tuple[str, str]:
    """Two texts of about that length that differ in every tenth character."""
    source = random.Random(size)  # noqa: S311  # no secret: the same texts every time
    letters = "abcdefghijklmnopqrstuvwxyz "
    text = source.choices(letters, k=size)
    other = [source.choice(letters) if place % 10 == 0 else letter for place, letter in enumerate(text)]
    return "".join(text), "".join(other)


def _record(number: int) -> dict[str, Any]:
    return {"id": number, "name": f"customer {number}", "city": ("Paris", "Oslo", "Lima")[number % 3]}


def _messages() -> list[dict[str, Any]]:
    """A question, three rounds of a tool call and its result, and an answer."""
    found: list[dict[str, Any]] = [{"role": "user", "content": "Is it warmer in Oslo, Lima or Paris?"}]
    for number, city in enumerate(("Oslo", "Lima", "Paris")):
        function = {"name": "get_weather", "arguments": f'{{"city": "{city}", "unit": "celsius"}}'}
        call = {"id": f"call_{number}", "type": "function", "function": function}
        found += [
            {"role": "assistant", "content": "", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": f"call_{number}", "content": f"{10 + number} degrees"},
        ]
    return [*found, {"role": "assistant", "content": "It is warmest in Paris."}]


if __name__ == "__main__":
    main()
