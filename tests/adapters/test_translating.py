"""What all adapters share."""

from __future__ import annotations

from typing import Any

import pytest

import judgekit
from judgekit.adapters.translating import imported, translated, waited_for
from judgekit.errors import MissingDependencyError


def test_a_package_that_is_missing_is_named_with_its_install_command() -> None:
    with pytest.raises(MissingDependencyError, match="pip install no-such-runner"):
        imported("no_such_runner.metrics", "no-such-runner")


def test_a_judge_gets_what_was_given_beside_the_three() -> None:
    @judgekit.evaluator
    def seen(inputs: Any, context: Any, metadata: Any) -> str:
        return f"{inputs} {context} {metadata['level']}"

    asked = waited_for(seen, translated(seen, lambda scores: scores[0].score))
    assert asked(inputs="2+2", outputs="4", context="sums", metadata={"level": 1}) == "2+2 sums 1"


def test_an_async_function_can_be_waited_for() -> None:
    async def later(outputs: Any) -> bool:
        return bool(outputs)

    assert waited_for(later, translated(later, lambda scores: scores[0].score))(outputs="4") is True
