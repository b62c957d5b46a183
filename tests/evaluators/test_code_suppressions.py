"""Judged code cannot tell its checker to look away, and is otherwise left as it is."""

from __future__ import annotations

import ast

import pytest

from judgekit.evaluators.code_suppressions import without_suppressions


@pytest.mark.parametrize(
    ("code", "cleaned", "count"),
    [
        ("x: int = 'a'  # type: ignore\n", "x: int = 'a'  #\n", 1),
        ("x = y  # noqa # type:ignore[name]\r\ny = 1\r\n", "x = y  #\r\ny = 1\r\n", 1),
        ("# mypy: ignore-errors\nx = 1", "#\nx = 1", 1),
        ("# pyright: basic, reportFoo=false\nx = 1  # pyright: ignore\n", "#\nx = 1  #\n", 2),
        ('"""\n# mypy: ignore-errors\n"""\n', '"""\n# mypy - ignore-errors\n"""\n', 1),
        ("x = [  # type: ignore\n", "x = [  #\n", 1),
        ("def f(:  # type: ignore\n  # mypy: x", "def f(:  #\n  #", 2),
    ],
)
def test_w4_suppressions_are_emptied_where_they_stand(code: str, cleaned: str, count: int) -> None:
    assert without_suppressions(code) == (cleaned, count)


@pytest.mark.parametrize(
    "code",
    [
        "",
        "s = '# type: ignore'\n",
        "x = 1  # a comment about types\n",
        "x = []  # type: list[int]\n",
        's = """\n# pyright: basic\n"""\n',
        "\x0cx = 1  # form feed\n",
    ],
)
def test_other_code_is_not_touched(code: str) -> None:
    ast.parse(code)
    assert without_suppressions(code) == (code, 0)
