"""500 judgements against a loopback provider that answers in 50 ms and fails as providers do: how long, and what came of them.

python benchmarks/faults.py [--rows 500] [--concurrency 16]

Of the requests 10 % are told to slow down (429 with `Retry-After`), 5 % fail (500), 2 % are answered with what is no verdict
and 1 % are never answered. The ideal time is that of all requests and of the waits that they were told or had to wait, at the
full concurrency.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import judgekit

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # the loopback provider is the tests'
from tests.support.answers import Reply, never
from tests.support.bodies import chat_body, error_body
from tests.support.provider import Provider

LATENCY = 0.05  # seconds
RETRY_AFTER = 0.2  # seconds
UNANSWERED = 1.0  # seconds that a request is waited for


class Faults:
    """Answers by the number of the request; every kind of fault is spread evenly."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self._number = 0
        self._lock = threading.Lock()

    def __call__(self, _: Any) -> Any:
        with self._lock:
            place = self._number * 37 % 100
            self._number += 1
            kind, answer = next((kind, answer) for limit, kind, answer in _KINDS if place < limit)
            self.counts[kind] += 1
        return answer()


def _late(body: Any, status: int = 200, **headers: str) -> Reply:
    return Reply(
        body, status, {name.replace("_", "-"): value for name, value in headers.items()}, after=LATENCY
    )


_KINDS = (
    (
        10,
        "429",
        lambda: _late(error_body("Rate limit reached", type="requests"), 429, retry_after=str(RETRY_AFTER)),
    ),
    (15, "500", lambda: _late(error_body("The server had an error", type="server_error"), 500)),
    (17, "no verdict", lambda: _late(chat_body('{"verdict": "perhaps'))),
    (18, "never", never),
    (100, "verdict", lambda: _late(chat_body('{"reasoning": "ok", "score": true}'))),
)


def serve(pipe: Any) -> None:
    """The provider, in a process of its own: it shall not take the interpreter from who is measured."""
    faults = Faults()
    with Provider() as provider:
        provider.reply('{"reasoning": "ok", "score": true}')
        pipe.send(provider.url)
        pipe.recv()
        provider.reply(faults)
        pipe.send("ready")
        pipe.recv()
    pipe.send(faults.counts)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=500)
    parser.add_argument("--concurrency", type=int, default=16)
    options = parser.parse_args()
    rows = [{"id": str(number), "outputs": f"answer {number}"} for number in range(options.rows)]
    context = multiprocessing.get_context("spawn")
    pipe, far = context.Pipe()
    provider = context.Process(target=serve, args=(far,), daemon=True)
    provider.start()
    url = pipe.recv()
    model = judgekit.connect(
        "openai:gpt-judge", base_url=f"{url}/v1", api_key="test", timeout=UNANSWERED, retries=4
    )
    judge = judgekit.create_async_llm_as_judge(prompt="Is this right? {outputs}", judge=model)
    judgekit.evaluate(None, rows[:1], judge, store=None, progress=False)  # what is imported once is left out
    pipe.send("start")
    pipe.recv()
    with tempfile.TemporaryDirectory() as folder:
        settings: dict[str, Any] = {"store": Path(folder) / "runs.db", "experiment": "e", "progress": False}
        started = time.perf_counter()
        found = judgekit.evaluate(None, rows, judge, max_concurrency=options.concurrency, **settings)
        seconds = time.perf_counter() - started
    pipe.send("stop")
    counts = pipe.recv()
    asked = sum(counts.values())
    waits = LATENCY * (asked - counts["never"]) + RETRY_AFTER * counts["429"] + UNANSWERED * counts["never"]
    ideal = waits / options.concurrency
    ended = Counter(row.failures[0].code if row.failures else "score" for row in found)
    print(f"{options.rows} rows, {asked} requests: {dict(counts)}")
    print(f"ended as {dict(ended)}")
    print(
        f"{seconds:.2f} s, {seconds / ideal:.2f} times the ideal {ideal:.2f} s at concurrency {options.concurrency}"
    )


if __name__ == "__main__":
    main()
