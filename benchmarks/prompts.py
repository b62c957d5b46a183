"""Our prompts beside OpenEvals' of the same name: the same judge, the same rows, the labels of humans.

python benchmarks/prompts.py --judge local:PATH.gguf --half choose --rows 100 --answers answers.jsonl

The wording of a prompt is chosen on one half of the rows, figures are reported from the other. Neither side asks for an
explanation. An interrupted run goes on where it was: what stands in the file of answers is not asked again.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from _measure import peer
from _prompts_judge import sharing_prefix
from _prompts_tasks import HALVES, TASKS, Row, Task, data_root, rows_of

from judgekit import connect, create_llm_as_judge, prompts
from judgekit.core.templates import Prompt
from judgekit.errors import JudgeError
from judgekit.models.base import Model
from judgekit.stats import Comparison, Estimate, accuracy, cohen_kappa, paired_difference

LIBRARIES = ("judgekit", "openevals")
CHUNK = 20  # rows before the next prompt's turn: an interrupted run has judged the same rows with each
Key = tuple[str, str, str, str]


@dataclass(frozen=True)
class Side:
    """A prompt and how the table calls it."""

    name: str
    prompt: Prompt


@dataclass
class Answers:
    """Verdicts by judge, task, row and text of the prompt, appended to a JSONL file as they come."""

    path: Path | None
    known: dict[Key, dict[str, Any]] = field(default_factory=dict)
    seconds: float = 0.0
    asked: int = 0

    @classmethod
    def at(cls, path: Path | None) -> Answers:
        lines = path.read_text("utf-8").splitlines() if path is not None and path.exists() else []
        facts = [json.loads(line) for line in lines]
        return cls(path, {(fact["judge"], fact["task"], fact["row"], fact["prompt"]): fact for fact in facts})

    def of(self, judge: Model, task: str, row: Row, prompt: Prompt) -> bool | None:
        """The verdict, or None where there was none; asks only if it is not known."""
        key = (judge.name, task, row.id, prompt.hash)
        if key not in self.known:
            self.known[key] = self._asked(key, judge, row, prompt)
        score: bool | None = self.known[key]["score"]
        return score

    def _asked(self, key: Key, judge: Model, row: Row, prompt: Prompt) -> dict[str, Any]:
        ask = create_llm_as_judge(prompt=prompt, judge=judge, use_reasoning=False)
        started = time.perf_counter()
        said: dict[str, Any]
        try:
            result: Any = ask(**row.item)
            said = {"score": result["score"], "probabilities": result["metadata"].get("probabilities")}
        except JudgeError as error:
            said = {"score": None, "error": str(error)}
        taken = time.perf_counter() - started
        self.seconds, self.asked = self.seconds + taken, self.asked + 1
        fact = {**dict(zip(("judge", "task", "row", "prompt"), key, strict=True)), **said}
        if self.path is not None:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps({**fact, "human": row.human, "seconds": round(taken, 2)}) + "\n")
        return fact


def main(arguments: Sequence[str] | None = None) -> None:
    options = _parser().parse_args(arguments)
    root = data_root(options.data)
    openevals = peer("openevals.prompts")
    if options.judge is None or root is None or openevals is None:
        print("needs --judge, the folder of labelled data (--data) and openevals; see --help")
        return
    judge = _judge(options.judge, options.threads, exact=options.exact)
    answers = Answers.at(options.answers)
    for name in options.tasks:
        task = TASKS[name]
        rows = rows_of(task, root, options.half, options.rows, options.seed)
        sides = [_side(given, task, openevals) for given in options.prompts]
        print(f"{name}, {options.half} half, {len(rows)} rows, {judge.name}", flush=True)
        verdicts = _verdicts(answers, judge, name, rows, sides)
        for line in _report(rows, sides, verdicts):
            print(line, flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    add = parser.add_argument
    add("--judge", help="local:PATH.gguf (verdicts from probabilities), or any model that connect() takes")
    add("--data", help="the folder with the data sets")
    add("--tasks", nargs="+", choices=TASKS, default=list(TASKS))
    add("--half", choices=HALVES, default="report")
    add("--rows", type=int, default=200)
    add("--seed", type=int, default=0, help="of the rows' order")
    add("--prompts", nargs="+", default=LIBRARIES, help="judgekit, openevals, or prompt files to try")
    add(
        "--answers",
        type=Path,
        help="JSONL file of verdicts, read first and appended to; one for each version of judgekit",
    )
    add("--threads", type=int, default=1, help="of a local judge; 1 where other programs compute")
    add("--exact", action="store_true", help="a local judge computes each prompt anew (slow, reproducible)")
    return parser


def _judge(spec: str, threads: int, *, exact: bool) -> Model:
    provider, _, path = spec.partition(":")
    if provider != "local":
        return connect(spec, temperature=0)
    return connect(spec, readout="logprobs") if exact else sharing_prefix(path, threads)


def _side(given: str, task: Task, openevals: Any) -> Side:
    if given not in LIBRARIES:
        return Side(Path(given).stem, prompts.load_file(given))
    found = getattr(prompts if given == "judgekit" else openevals, task.constant)
    return Side(given, found if isinstance(found, Prompt) else Prompt(found, template_format="f-string"))


def _verdicts(
    answers: Answers, judge: Model, task: str, rows: Sequence[Row], sides: Sequence[Side]
) -> dict[str, list[bool | None]]:
    found: dict[str, list[bool | None]] = {side.name: [] for side in sides}
    for start in range(0, len(rows), CHUNK):
        for side in sides:
            answers.seconds, answers.asked = 0.0, 0
            chunk = [answers.of(judge, task, row, side.prompt) for row in rows[start : start + CHUNK]]
            found[side.name] += chunk
            if answers.asked:
                pace = answers.seconds / answers.asked
                print(f"  {side.name}: {len(found[side.name])} rows, {pace:.1f} s a row", flush=True)
    return found


def _report(
    rows: Sequence[Row], sides: Sequence[Side], verdicts: dict[str, list[bool | None]]
) -> Iterator[str]:
    human = [row.human for row in rows]
    group = [row.group for row in rows]
    yield f"  human pass rate {_rate(human)}"
    for side in sides:
        said = verdicts[side.name]
        agreed, kappa = accuracy(said, human, cluster=group), cohen_kappa(said, human, cluster=group)
        lost = f", {agreed.missing} without a verdict" if agreed.missing else ""
        yield f"  {side.name:12} agreement {_shown(agreed)}   kappa {_shown(kappa)}   pass rate {_rate(said)}{lost}"
    first, *others = sides
    for other in others:
        right = [_right(verdicts[side.name], human) for side in (first, other)]
        yield f"  {first.name} - {other.name}: {_judged(paired_difference(*right, cluster=group), first, other)}"


def _right(said: Sequence[bool | None], human: Sequence[bool]) -> list[int | None]:
    return [None if one is None else int(one == label) for one, label in zip(said, human, strict=True)]


def _judged(difference: Comparison, first: Side, other: Side) -> str:
    low, high = (difference.interval.low, difference.interval.high) if difference.interval else (-1.0, 1.0)
    loser = other.name if low > 0 else first.name if high < 0 else None
    p = "" if difference.p_value is None else f", p = {difference.p_value:.3g}"
    return f"agreement {_shown(difference)}{p}: " + (f"{loser} lost" if loser else "no difference shown")


def _shown(found: Estimate) -> str:
    if found.value is None:
        return f"undefined ({found.reason})"
    ends = f" [{found.interval.low:.2f}, {found.interval.high:.2f}]" if found.interval else ""
    return f"{found.value:.2f}{ends}"


def _rate(labels: Sequence[bool | None]) -> str:
    given = [label for label in labels if label is not None]
    return f"{sum(given) / len(given):.2f}" if given else "undefined"


if __name__ == "__main__":
    main()
