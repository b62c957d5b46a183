"""CPU per judgement with a client that answers at once: judgekit, OpenEvals and the bare call, in one run.

python benchmarks/overhead.py
"""

from __future__ import annotations

import json
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from _measure import acpu_per_call, cpu_per_call, in_turn, peer

from judgekit import create_async_llm_as_judge, create_llm_as_judge

CALLS = 500
PROMPT = "Is this answer right?\n<question>{inputs}</question>\n<answer>{outputs}</answer>\n<reference>{reference_outputs}</reference>"
ITEM: dict[str, Any] = {"inputs": "What is 2+2?", "outputs": {"answer": "4"}, "reference_outputs": "four"}
TEXT = json.dumps({"reasoning": "Four is 4. Thus, the score should be: true.", "score": True})


def _completion() -> Any:
    message = SimpleNamespace(content=TEXT, refusal=None, tool_calls=None)
    choice = SimpleNamespace(message=message, finish_reason="stop")
    usage = SimpleNamespace(prompt_tokens=100, completion_tokens=20)
    return SimpleNamespace(id="c1", model="m", choices=[choice], usage=usage)


COMPLETION = _completion()


def _client(create: Callable[..., Any]) -> Any:
    return SimpleNamespace(chat=SimpleNamespace(completions=SimpleNamespace(create=create)))


def _create(**_: Any) -> Any:
    return COMPLETION


async def _acreate(**_: Any) -> Any:
    return COMPLETION


def _bare() -> Any:
    messages = [{"role": "user", "content": PROMPT.format(**{k: json.dumps(v) for k, v in ITEM.items()})}]
    return json.loads(_create(messages=messages, model="m").choices[0].message.content)


async def _abare() -> Any:
    messages = [{"role": "user", "content": PROMPT.format(**{k: json.dumps(v) for k, v in ITEM.items()})}]
    return json.loads((await _acreate(messages=messages, model="m")).choices[0].message.content)


def main() -> None:
    sides: dict[str, tuple[Callable[[], Any], Callable[[], Any]]] = {
        "bare call": (_bare, _abare),
        "judgekit": _pair(create_llm_as_judge, create_async_llm_as_judge),
    }
    if openevals := peer("openevals.llm"):
        sides["openevals"] = _pair(openevals.create_llm_as_judge, openevals.create_async_llm_as_judge)
    sync = in_turn({name: lambda call=call: cpu_per_call(call, CALLS) for name, (call, _) in sides.items()})
    awaited = in_turn(
        {name: lambda call=call: acpu_per_call(call, CALLS) for name, (_, call) in sides.items()}
    )
    print("CPU microseconds per judgement (best of rounds taken in turn), and above the bare call")
    for name in sides:
        print(
            f"{name:10}  sync {sync[name]:6.1f} (+{sync[name] - sync['bare call']:6.1f})   "
            f"async {awaited[name]:6.1f} (+{awaited[name] - awaited['bare call']:6.1f})"
        )
    if "openevals" in sides:
        above = [
            times[name] - times["bare call"]
            for times in (sync, awaited)
            for name in ("judgekit", "openevals")
        ]
        print(
            f"openevals / judgekit above the bare call: sync {above[1] / above[0]:.1f}, async {above[3] / above[2]:.1f}"
        )


def _pair(create: Any, acreate: Any) -> tuple[Callable[[], Any], Callable[[], Any]]:
    judge = create(prompt=PROMPT, judge=_client(_create), model="m")
    ajudge = acreate(prompt=PROMPT, judge=_client(_acreate), model="m")
    return lambda: judge(**ITEM), lambda: ajudge(**ITEM)


if __name__ == "__main__":
    main()
