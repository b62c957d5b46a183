"""Judgements per second through HTTP, beside the bare official client, in one run against a loopback server.

python benchmarks/throughput.py
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import openai
from _measure import peer

from judgekit import connect, create_async_llm_as_judge

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from tests.support.fixed_server import spawned

LEVELS = (1, 16, 64, 256)
ROUNDS = 3
PROMPT = "Is this answer right?\n<question>{inputs}</question>\n<answer>{outputs}</answer>"
ITEM = {"inputs": "What is 2+2?", "outputs": "4"}
Call = Callable[[], Awaitable[Any]]


async def _rate(call: Call, concurrency: int) -> tuple[float, float]:
    """Calls per second, and CPU milliseconds per call in this process."""
    calls = 200 if concurrency == 1 else max(600, 4 * concurrency)
    left = iter(range(calls))

    async def work() -> None:
        for _ in left:
            await call()

    await asyncio.gather(
        *(call() for _ in range(min(concurrency, 32)))
    )  # connections are open before the clock starts
    wall, cpu = time.perf_counter(), time.process_time()
    await asyncio.gather(*(work() for _ in range(concurrency)))
    return calls / (time.perf_counter() - wall), (time.process_time() - cpu) / calls * 1e3


def _bare(client: Any, schema: dict[str, Any]) -> Call:
    message = {"role": "user", "content": PROMPT.format(**ITEM)}

    async def call() -> Any:
        return await client.chat.completions.create(model="m", messages=[message], response_format=schema)

    return call


def _judge(create: Any, **who: Any) -> Call:
    judge = create(prompt=PROMPT, **who)
    return lambda: judge(**ITEM)


async def _sides(url: str, concurrency: int) -> dict[str, tuple[float, float]]:
    base, key = f"{url}/v1", "none"
    model = connect("openai:m", base_url=base, api_key=key)
    schema = {
        "type": "json_schema",
        "json_schema": {
            "name": "score",
            "strict": True,
            "schema": create_async_llm_as_judge(prompt=PROMPT, judge=model).evaluation.schema.schema,
        },
    }
    async with openai.AsyncOpenAI(base_url=base, api_key=key) as client:
        sides = {
            "bare client": _bare(client, schema),
            "judgekit, your client": _judge(create_async_llm_as_judge, judge=client, model="m"),
            "judgekit, its own": _judge(create_async_llm_as_judge, judge=model),
        }
        if OPENEVALS:
            sides["openevals, your client"] = _judge(
                OPENEVALS.create_async_llm_as_judge, judge=client, model="m"
            )
        best: dict[str, tuple[float, float]] = {}
        for _ in range(ROUNDS):
            for name, call in sides.items():
                best[name] = max(best.get(name, (0.0, 0.0)), await _rate(call, concurrency))
        return best


OPENEVALS = peer("openevals.llm")


def main() -> None:
    with spawned() as url:
        for concurrency in LEVELS:
            found = asyncio.run(_sides(url, concurrency))
            bare = found["bare client"][0]
            print(f"concurrency {concurrency}")
            for name, (rate, cpu) in found.items():
                print(
                    f"  {name:24} {rate:7.0f} /s   {cpu:5.2f} ms CPU   {rate / bare:4.2f} of the bare client"
                )


if __name__ == "__main__":
    main()
