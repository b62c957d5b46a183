"""What may be a target, and with what it is called."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from langchain_core.runnables import RunnableLambda

from judgekit.errors import ConfigError
from judgekit.models.drive import drive
from judgekit.runner.records import Example
from judgekit.runner.targets import read_target

EXAMPLE = Example(0, "a", inputs={"q": 1}, metadata={"lang": "de"}, attachments=["x"])


def answer(given: Any) -> Any:
    target = read_target(given)
    assert target is not None
    from judgekit.core.flow import doing

    return drive(doing(target.job(EXAMPLE)))


def with_keywords(*, inputs: Any, metadata: Any) -> Any:
    return [inputs, metadata]


class Application:
    def __call__(self, question: Any) -> Any:
        return ["called", question]

    def method(self, inputs: Any, attachments: Any) -> Any:
        return [inputs, attachments]


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        (lambda inputs: inputs, {"q": 1}),
        (lambda question: question, {"q": 1}),
        (lambda question, metadata: [question, metadata], [{"q": 1}, {"lang": "de"}]),
        (lambda question, temperature=0.5: [question, temperature], [{"q": 1}, 0.5]),
        (lambda *everything: list(everything), [{"q": 1}]),
        (with_keywords, [{"q": 1}, {"lang": "de"}]),
        (
            lambda metadata, inputs, attachments: [inputs, metadata, attachments],
            [{"q": 1}, {"lang": "de"}, ["x"]],
        ),
        (Application(), ["called", {"q": 1}]),
        (Application().method, [{"q": 1}, ["x"]]),
        (partial(lambda model, inputs: [model, inputs], "gpt"), ["gpt", {"q": 1}]),
        (RunnableLambda(lambda inputs: inputs["q"]), 1),
    ],
)
def test_a_target_is_called_by_name_or_with_the_inputs(target: Callable[..., Any], expected: Any) -> None:
    assert answer(target) == expected


def test_none_means_that_the_data_has_outputs() -> None:
    assert read_target(None) is None


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("my_app", "a function of the inputs"),
        (lambda: 1, "takes nothing"),
        (lambda question, history: 1, "takes question, history"),
        (lambda *, question: 1, "takes question"),
    ],
)
def test_another_signature_is_an_error_that_says_what_to_change(target: Any, words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        read_target(target)


async def anything(inputs: Any) -> Any:
    return inputs


@pytest.mark.parametrize(
    ("target", "is_async"),
    [(anything, True), (partial(anything), True), (lambda inputs: 1, False), (RunnableLambda(len), True)],
)
def test_what_is_async_runs_on_a_loop(target: Any, is_async: bool) -> None:
    found = read_target(target)
    assert found is not None
    assert found.is_async is is_async
