"""The deprecated functions warn at their caller and judge as they did."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from judgekit.evaluators import trajectory_deprecated as deprecated

USER = {"role": "user", "content": "hi"}


def agent(*calls: tuple[str, str]) -> list[dict[str, Any]]:
    made = [{"function": {"name": name, "arguments": arguments}} for name, arguments in calls]
    return [USER, {"role": "assistant", "content": "", "tool_calls": made}]


def item(outputs: Any, reference_outputs: Any, **options: Any) -> dict[str, Any]:
    return {"outputs": outputs, "reference_outputs": reference_outputs, **options}


ONE, OTHERWISE, TWO = agent(("f", "{}")), agent(("f", '{"a": 1}')), agent(("f", "{}"), ("g", "{}"))


@pytest.mark.parametrize(
    ("name", "given", "score"),
    [
        ("trajectory_strict_match", item(ONE, OTHERWISE), False),
        ("trajectory_strict_match", item(ONE, OTHERWISE, tool_call_args_exact_match=False), True),
        ("trajectory_unordered_match", item(ONE, OTHERWISE), True),
        ("trajectory_unordered_match", item(ONE, TWO), False),
        ("trajectory_subset", item(OTHERWISE, TWO), True),
        ("trajectory_subset", item(TWO, ONE), False),
        ("trajectory_superset", item(TWO, OTHERWISE), True),
        ("trajectory_superset", item(ONE, TWO), False),
    ],
)
@pytest.mark.parametrize("suffix", ["", "_async"])
def test_a_deprecated_function_warns_and_judges(
    name: str, given: dict[str, Any], score: bool, suffix: str
) -> None:
    function = getattr(deprecated, name + suffix)
    with pytest.warns(
        DeprecationWarning, match=r"trajectory_match_evaluator\(trajectory_match_mode="
    ) as caught:
        result = function(**given)
    assert caught[0].filename == __file__
    result = asyncio.run(result) if suffix else result
    assert (result["key"], result["score"]) == (name, score)
