"""A run against a provider that fails in every way: each row ends as a score or a typed failure, and nothing is paid twice."""

from __future__ import annotations

import signal
import subprocess
import sys
import textwrap
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import judgekit
from tests.support.answers import never
from tests.support.faults import openai_error, rate_limited
from tests.support.provider import Provider

ROOT = Path(__file__).resolve().parents[2]
CODES = {"rate_limited", "provider_error", "deadline", "no_json", "missing_field", "invalid_score"}


class Faulty:
    """Answers requests by their number: of 100, 10 are 429, 5 are 500, 2 make no sense and 1 is never answered."""

    def __init__(self) -> None:
        self._count = 0
        self._lock = threading.Lock()

    def __call__(self, request: Any) -> Any:
        with self._lock:
            number = self._count
            self._count += 1
        place = number * 37 % 100  # spread, and each of the hundred once
        if place < 10:
            return rate_limited(retry_after=0)
        if place < 15:
            return openai_error(500, "The server had an error")
        if place < 17:
            return '{"verdict": "perhaps'
        if place == 17:
            return never()
        return '{"reasoning": "ok", "score": true}'


def asked_of(request: Any) -> str:
    return str(request.json["messages"][0]["content"])


def judge(provider: Provider, **settings: Any) -> Any:
    model = judgekit.connect("openai:gpt-judge", base_url=f"{provider.url}/v1", api_key="test", **settings)
    return judgekit.create_async_llm_as_judge(
        prompt="Is this right? {outputs}", judge=model, feedback_key="right"
    )


def test_every_row_ends_as_a_score_or_a_typed_failure(tmp_path: Path) -> None:
    rows = [{"id": str(number), "outputs": f"answer {number}"} for number in range(300)]
    with Provider() as provider:
        provider.reply(Faulty())
        settings: dict[str, Any] = {"store": tmp_path / "runs.db", "experiment": "e", "progress": False}
        evaluator = judge(provider, timeout=1.0, retries=2)
        found = judgekit.evaluate(None, rows, evaluator, max_concurrency=32, **settings)
        assert [row.id for row in found] == [str(number) for number in range(300)]
        for row in found:
            assert len(row.scores) + len(row.failures) == 1
            assert {failure.code for failure in row.failures} <= CODES
        scored = {row.id for row in found if row.scores}
        assert len(scored) > 280
        assert provider.peak <= 32
        provider.reset()
        provider.reply('{"reasoning": "ok", "score": true}')
        again = judgekit.evaluate(None, rows, evaluator, max_concurrency=32, **settings)
        assert all(row.scores for row in again)
        assert {asked_of(request).rpartition(" ")[2] for request in provider.requests}.isdisjoint(scored)


CHILD = """
    import sys
    import judgekit

    url, store = sys.argv[1:]
    model = judgekit.connect("openai:gpt-judge", base_url=url, api_key="test")
    right = judgekit.create_async_llm_as_judge(prompt="Is this right? {outputs}", judge=model, feedback_key="right")
    rows = [{"id": str(number), "inputs": number} for number in range(120)]
    found = judgekit.evaluate(
        lambda inputs: f"answer {inputs}", rows, right, max_concurrency=8, store=store, experiment="e", progress=False
    )
    print(sum(bool(row.scores) for row in found), len(found))
"""


def start(provider: Provider, store: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", textwrap.dedent(CHILD), f"{provider.url}/v1", str(store)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def test_a_killed_run_goes_on_and_asks_nothing_again_that_was_answered(tmp_path: Path) -> None:
    store = tmp_path / "runs.db"
    with Provider() as provider:
        provider.reply('{"reasoning": "ok", "score": true}')
        for target in (20, 55, 90):
            child = start(provider, store)
            provider.wait_for(target)
            child.send_signal(signal.SIGKILL)
            child.communicate()
        child = start(provider, store)
        told, _ = child.communicate(timeout=120)
        assert child.returncode == 0
        assert told.split() == ["120", "120"]
        counts = Counter(map(asked_of, provider.requests))
        assert len(counts) == 120
        # only what was on its way when the process was killed, 8 at most each time, is asked again
        assert sum(counts.values()) - 120 <= 3 * 8
    found = judgekit.load("e", store=store)
    assert [row.outputs for row in found] == [f"answer {number}" for number in range(120)]


def test_two_processes_share_a_store(tmp_path: Path) -> None:
    store = tmp_path / "runs.db"
    program = textwrap.dedent(CHILD).replace(
        'experiment="e"', "experiment=sys.argv[0] + str(__import__('os').getpid())"
    )
    with Provider() as provider:
        provider.reply('{"reasoning": "ok", "score": true}')
        command = [sys.executable, "-c", program, f"{provider.url}/v1", str(store)]
        children = [subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) for _ in range(2)]
        told = [child.communicate(timeout=120)[0].split() for child in children]
        assert told == [["120", "120"], ["120", "120"]]
    from judgekit.runs import RunStore

    with RunStore(store) as both:
        assert [info.rows for info in both.runs()] == [120, 120]
        assert len(both.answers) == 120
