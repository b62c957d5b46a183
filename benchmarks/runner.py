"""1,000 examples through an instant target and one instant evaluator: examples a second and CPU an example, beside peers.

python benchmarks/runner.py [--examples 1000] [--rounds 5]

Every run is a process of its own, and the runners take turns, so that a slow spell of the machine meets them all.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib.util
import json
import logging
import os
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from typing import Any

Row = tuple[str, str, str]


def _judgekit(rows: list[Row], store: str | None) -> Callable[[], int]:
    from judgekit import evaluate

    data = [{"id": question, "inputs": answer, "reference_outputs": gold} for question, answer, gold in rows]

    def exact(outputs: str, reference_outputs: str) -> bool:
        return outputs == reference_outputs

    def run() -> int:
        found = evaluate(lambda inputs: inputs, data, exact, store=store, progress=False)
        return sum(row.scores[0].score is True for row in found)

    return run


def judgekit_memory(rows: list[Row]) -> Callable[[], int]:
    return _judgekit(rows, None)


def judgekit_store(rows: list[Row]) -> Callable[[], int]:
    return _judgekit(rows, os.path.join(tempfile.mkdtemp(), "runs.db"))  # noqa: PTH118


def pydantic_evals(rows: list[Row]) -> Callable[[], int]:
    from dataclasses import dataclass

    from pydantic_evals import Case, Dataset
    from pydantic_evals.evaluators import Evaluator, EvaluatorContext

    @dataclass
    class Exact(Evaluator[Any, Any, Any]):
        def evaluate(self, ctx: EvaluatorContext[Any, Any, Any]) -> float:
            return float(ctx.output == ctx.expected_output)

    cases = [Case(name=name, inputs=answer, expected_output=gold) for name, answer, gold in rows]
    dataset: Any = Dataset(name="rows", cases=cases, evaluators=[Exact()])

    async def task(inputs: str) -> str:
        return inputs

    def run() -> int:
        report = asyncio.run(dataset.evaluate(task, progress=False))
        return sum(case.scores["Exact"].value == 1 for case in report.cases)

    return run


def langsmith(rows: list[Row]) -> Callable[[], int]:
    import datetime as dt
    import uuid

    from langsmith import Client, evaluate, schemas

    now = dt.datetime.now(dt.UTC)
    dataset = uuid.uuid4()
    data = [
        schemas.Example(
            id=uuid.uuid4(),
            dataset_id=dataset,
            inputs={"answer": answer},
            outputs={"answer": gold},
            created_at=now,
        )
        for _, answer, gold in rows
    ]
    client = Client(api_key="none", api_url="http://127.0.0.1:9", info={}, auto_batch_tracing=False)

    def exact(outputs: dict[str, str], reference_outputs: dict[str, str]) -> dict[str, Any]:
        return {"key": "exact", "score": outputs["answer"] == reference_outputs["answer"]}

    def run() -> int:
        found = evaluate(
            lambda inputs: inputs, data=data, evaluators=[exact], upload_results=False, client=client
        )
        return sum(row["evaluation_results"]["results"][0].score is True for row in found)

    return run


def langfuse(rows: list[Row]) -> Callable[[], int]:
    from langfuse import Evaluation, Langfuse

    client = Langfuse(
        public_key="none",
        secret_key="none",  # noqa: S106  # nothing listens there
        base_url="http://127.0.0.1:9",
        tracing_enabled=False,
    )
    data: Any = [{"input": answer, "expected_output": gold} for _, answer, gold in rows]

    async def task(*, item: Any, **_: Any) -> str:
        return str(item["input"])

    async def exact(*, output: Any, expected_output: Any, **_: Any) -> Any:
        return Evaluation(name="exact", value=float(output == expected_output))

    def run() -> int:
        found = client.run_experiment(name="rows", data=data, task=task, evaluators=[exact])
        return sum(item.evaluations[0].value == 1 for item in found.item_results)

    return run


RUNNERS: dict[str, tuple[Callable[[list[Row]], Callable[[], int]], str]] = {
    "judgekit": (judgekit_memory, "judgekit"),
    "judgekit, store": (judgekit_store, "judgekit"),
    "langfuse": (langfuse, "langfuse"),
    "pydantic-evals": (pydantic_evals, "pydantic_evals"),
    "langsmith": (langsmith, "langsmith"),
}


def measured(name: str, examples: int) -> dict[str, float]:
    """One run in this process; what the runner's own imports and data cost is left out."""
    rows = [(f"q{number}", f"answer {number}", f"answer {number}") for number in range(examples)]
    run = RUNNERS[name][0](rows)
    wall, cpu = time.perf_counter(), time.process_time()
    right = run()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    assert right == examples, f"{name} scored {right} of {examples}"
    return {"rate": examples / wall, "cpu": cpu / examples * 1e3}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--examples", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        warnings.filterwarnings("ignore")
        logging.disable(logging.CRITICAL)
        print(json.dumps(measured(options.one, options.examples)), file=sys.__stdout__)
        return
    there = {name: found for name, found in RUNNERS.items() if importlib.util.find_spec(found[1])}
    for name in RUNNERS.keys() - there.keys():
        print(f"{name} is left out: it is not installed (make bench installs it)")
    best: dict[str, dict[str, float]] = {name: {"rate": 0.0, "cpu": float("inf")} for name in there}
    environment = {**os.environ, "LANGSMITH_TRACING": "false", "DO_NOT_TRACK": "true"}
    for _ in range(options.rounds):
        for name in there:
            command = [sys.executable, __file__, "--one", name, "--examples", str(options.examples)]
            told = subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout
            found = json.loads(told.splitlines()[-1])
            best[name] = {
                "rate": max(best[name]["rate"], found["rate"]),
                "cpu": min(best[name]["cpu"], found["cpu"]),
            }
    print(f"{options.examples} examples, best of {options.rounds} rounds")
    own = best["judgekit"]
    for name, found in best.items():
        print(
            f"{name:16} {found['rate']:8,.0f} examples/s  {found['cpu']:.3f} ms CPU an example  "
            f"judgekit is {own['rate'] / found['rate']:.1f} times as fast"
        )


if __name__ == "__main__":
    main()
