"""Code is taken out of Markdown as a CommonMark parser would, and out of whatever shape an app answers in."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage
from markdown_it import MarkdownIt

from judgekit.core.flow import Flow
from judgekit.errors import ConfigError, PromptError, WrongClientError
from judgekit.evaluators.code_extraction import CodeBlock, code_blocks, extract_code, extractor
from judgekit.models.drive import adrive, drive

FENCE = "```"


@pytest.mark.parametrize(
    "fenced",
    [
        "```python\nx = 1\n```",
        "```\nx = 1\n```",
        "```python \nx = 1\n``` \t",
        "``` python\nx = 1\n```",
        '```python title="a.py" {1,2}\nx = 1\n```',
        "```c++\nx = 1\n```",
        "```{.python}\nx = 1\n```",
        "```python:src/a.py\nx = 1\n```",
        "```python\r\nx = 1\r\n```\r\n",
        "   ```python\n   x = 1\n   ```",
        "1. First:\n\n   ```python\n   x = 1\n   ```\n2. Then.",
        "- Deep:\n\n        ```python\n        x = 1\n        ```",
        "- ```python\n  x = 1\n  ```",
        "~~~python\nx = 1\n~~~",
        "~~~ python `a`\nx = 1\n~~~~",
        "````python\nx = 1\n````",
        "```python\nx = 1\n`````",
        "```python\nx = 1",
        "```python\nx = 1\n",
    ],
)
def test_w16_common_fences_are_code(fenced: str) -> None:
    assert extract_code(f"Sure!\n\n{fenced}") == "x = 1\n"
    assert extract_code(fenced) == "x = 1\n"


@pytest.mark.parametrize(
    "language", ["JSON", "Bash", "sh", "powershell", "text", "Output", "console", "TERMINAL", "zsh", "txt"]
)
def test_w16_commands_output_and_data_are_left_out_in_any_case(language: str) -> None:
    answer = f"```{language} x\npip install it\n```\n\n```python\nx = 1\n```"
    assert extract_code(answer) == "x = 1\n"
    assert extract_code(f"```{language}\npip install it\n```") is None


def test_w16_a_longer_fence_holds_a_shorter_one() -> None:
    inner = 'def f():\n    """\n    ```\n    example\n    ```\n    """\n'
    assert extract_code(f"````python\n{inner}```\n````") == f"{inner}```\n"
    assert extract_code(f"{FENCE}python\n{inner}{FENCE}") == inner


def test_w16_a_block_of_markdown_is_looked_into() -> None:
    page = "# Use\n\n```bash\npip install it\n```\n\n```python\nx = 1\n```\n"
    assert extract_code(f"````markdown\n{page}````") == "x = 1\n"
    assert extract_code(f"```md\n{page}```") == "x = 1\n"
    assert list(code_blocks("```markdown\n# Only text\n```")) == [CodeBlock("markdown", "# Only text\n")]


def test_blocks_are_joined_as_openevals_joins_them() -> None:
    assert extract_code("```python\na = 1\n\n```\nThen:\n```\nb = 2\n```") == "a = 1\n\n\nb = 2\n"


def test_other_languages_can_be_left_out() -> None:
    answer = "```sql\nselect 1\n```\n```json\n{}\n```"
    assert extract_code(answer) == "select 1\n"
    assert extract_code(answer, leave_out={"sql"}) == "{}\n"


@pytest.mark.parametrize("text", ["", "No code here.", "Use `x = 1` inline.", "```\n\n```", "```", "``x``"])
def test_no_block_is_none(text: str) -> None:
    assert extract_code(text) is None


def test_the_text_of_a_block_keeps_its_characters() -> None:
    code = "x = '\u2028\x0c'\n\tif 1:\n  \t  y\n"
    assert extract_code(f"```python\n{code}```") == code


LINES = st.sampled_from(
    [
        "```",
        "```python",
        "````",
        "~~~",
        "~~~ js",
        " ```",
        "   ~~~~",
        "```  ",
        "``` a`b",
        "x = 1",
        "   y",
        "",
        "``",
    ]
)


@given(st.lists(LINES, max_size=12))
def test_blocks_are_those_of_a_commonmark_parser(lines: list[str]) -> None:
    text = "".join(f"{line}\n" for line in lines)
    expected = [
        ((token.info.split() or [""])[0], token.content)
        for token in MarkdownIt("commonmark").parse(text)
        if token.type == "fence"
    ]
    assert [(block.language, block.text) for block in code_blocks(text)] == expected


Extract = Callable[..., Any]


@pytest.fixture(params=["sync", "async"])
def extract(request: pytest.FixtureRequest) -> Extract:
    """Extraction with a strategy or a function, through either driver."""

    def run(outputs: Any, strategy: Any = "none", function: Any = None) -> Any:
        flow: Flow[str | None] = extractor(strategy, function, lambda: pytest.fail("no model"))(outputs)
        return drive(flow) if request.param == "sync" else asyncio.run(adrive(flow))

    return run


@pytest.mark.parametrize(
    "outputs",
    [
        "x = 1",
        {"role": "assistant", "content": "x = 1"},
        {"messages": [{"role": "user", "content": "Code!"}, {"role": "assistant", "content": "x = 1"}]},
        [AIMessage("No."), AIMessage([{"type": "text", "text": "x = 1"}])],
    ],
)
def test_outputs_are_text_or_the_last_message(extract: Extract, outputs: Any) -> None:
    assert extract(outputs) == "x = 1"
    assert extract(outputs, "markdown_code_blocks") is None


@pytest.mark.parametrize("outputs", [None, [], {"code": "x = 1"}, 5])
def test_outputs_without_a_text_are_an_error(extract: Extract, outputs: Any) -> None:
    with pytest.raises(PromptError, match="outputs"):
        extract(outputs)


def test_a_function_gets_the_outputs_as_they_are(extract: Extract) -> None:
    assert extract({"code": "x = 1"}, function=lambda outputs: outputs["code"]) == "x = 1"
    assert extract({"code": "x = 1"}, function=lambda _: None) is None
    with pytest.raises(PromptError, match="returned a int"):
        extract("x", function=lambda _: 5)


def test_an_async_function_is_awaited_by_an_async_evaluator_only() -> None:
    async def function(outputs: str) -> str:
        return await asyncio.sleep(0, outputs.upper())

    find = extractor("none", function, lambda: pytest.fail("no model"))
    assert asyncio.run(adrive(find("x"))) == "X"
    with pytest.raises(WrongClientError):
        drive(find("x"))


def test_a_function_and_a_strategy_exclude_each_other() -> None:
    with pytest.raises(ConfigError, match="not both"):
        extractor("markdown_code_blocks", str, lambda: pytest.fail("no model"))


def test_an_unknown_strategy_is_an_error() -> None:
    with pytest.raises(ConfigError, match="markdown_code_blocks"):
        extractor("markdown", None, lambda: pytest.fail("no model"))  # type: ignore[arg-type]
