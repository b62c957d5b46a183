"""Many rows at once: the async judge, bounded, and one bad row sinks nothing."""

import asyncio

from judgekit import connect, create_async_llm_as_judge
from judgekit.errors import JudgeError
from judgekit.prompts import CORRECTNESS_PROMPT

ROWS = [
    {"inputs": f"What is {n} + {n}?", "outputs": str(2 * n), "reference_outputs": str(2 * n)}
    for n in range(20)
]

judge = create_async_llm_as_judge(
    prompt=CORRECTNESS_PROMPT,
    judge=connect("openai:gpt-5.4-mini", deadline=60),
)


async def main() -> None:
    limit = asyncio.Semaphore(8)

    async def one(row: dict[str, str]) -> bool | None:
        async with limit:
            try:
                return (await judge(**row))["score"]
            except JudgeError as error:
                print("no verdict:", error)
                return None

    scores = await asyncio.gather(*(one(row) for row in ROWS))
    known = [score for score in scores if score is not None]
    print(f"{sum(known)} of {len(known)} right, {len(ROWS) - len(known)} without a verdict")


asyncio.run(main())
