"""What judgekit offers is what it says it offers: `__all__`, the lazy names, docstrings, the tree of errors."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import pytest

import judgekit
from judgekit import errors

ROOT = Path(__file__).resolve().parent.parent

NOT_ON_IMPORT = ("anthropic", "jinja2", "langchain_core", "numpy", "openai", "pydantic", "rich")
"""Packages that `import judgekit` leaves alone; each costs between 20 and 900 ms."""


def public_modules() -> Iterator[str]:
    """Every importable module but the private ones; `__main__` would run the command line."""
    yield "judgekit"
    for found in pkgutil.walk_packages(judgekit.__path__, "judgekit."):
        if not any(part.startswith("_") for part in found.name.split(".")):
            yield found.name


def imported(name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] == "judgekit":
            raise
        pytest.skip(f"{name} needs {error.name}, which is not installed")


def natural(text: str) -> list[tuple[int, str]]:
    return [(int(part), "") if part.isdigit() else (0, part) for part in re.findall(r"\d+|\D+", text)]


def lint_order(name: str) -> tuple[int, list[tuple[int, str]]]:
    """Ruff's order for `__all__`: constants, then classes, then the rest, numbers by value."""
    kind = 0 if len(name) > 1 and name.isupper() else 1 if name[0].isupper() else 2
    return kind, natural(name)


def defined_in(module: ModuleType) -> set[str]:
    """The public functions and classes whose home is this module."""
    return {
        name
        for name, value in vars(module).items()
        if not name.startswith("_")
        and (inspect.isclass(value) or inspect.isfunction(inspect.unwrap(value)))
        and getattr(value, "__module__", None) == module.__name__
    }


@pytest.mark.parametrize("name", sorted(public_modules()))
def test_all_is_the_truth(name: str) -> None:
    module = imported(name)
    names: list[str] = list(getattr(module, "__all__", ()))
    assert [entry for entry in names if not hasattr(module, entry)] == [], "listed, but not there"
    assert names in (sorted(names), sorted(names, key=lint_order)), "not sorted"
    assert len(set(names)) == len(names), "listed twice"
    assert defined_in(module) - set(names) == set(), (
        "public, but not in __all__: list it or give it an underscore"
    )


def typed_names() -> dict[str, str]:
    """Name -> module, as the TYPE_CHECKING block of judgekit/__init__.py tells the type checkers."""
    tree = ast.parse(Path(str(judgekit.__file__)).read_text(encoding="utf-8"))
    blocks = [
        node for node in tree.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    ]
    statements = [node for block in blocks for node in block.body if isinstance(node, ast.ImportFrom)]
    return {
        alias.asname or alias.name: str(node.module)
        for node in statements
        for alias in node.names
        if not node.level
    }


def lazy_names() -> dict[str, str]:
    table: dict[str, str] = vars(judgekit)["_LAZY"]
    return table


def test_the_lazy_table_is_all_that_judgekit_offers() -> None:
    assert set(lazy_names()) == set(judgekit.__all__)


def test_type_checkers_are_told_the_same_as_the_interpreter() -> None:
    assert typed_names() == lazy_names()


def test_dir_shows_the_public_names_and_no_others() -> None:
    assert in_a_fresh_interpreter("import judgekit; print(*dir(judgekit))").split() == sorted(
        judgekit.__all__
    )


@pytest.mark.parametrize("name", sorted(lazy_names()))
def test_a_lazy_name_is_the_object_of_its_module(name: str) -> None:
    assert getattr(judgekit, name) is getattr(imported(lazy_names()[name]), name)


def test_an_unknown_name_is_an_attribute_error() -> None:
    name = "no_such_name"
    with pytest.raises(AttributeError, match=name):
        getattr(judgekit, name)


def in_a_fresh_interpreter(program: str) -> str:
    command = [sys.executable, "-W", "error", "-c", program]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_importing_judgekit_imports_nothing_heavy() -> None:
    program = f"import sys, judgekit; print(*(name for name in {NOT_ON_IMPORT!r} if name in sys.modules))"
    assert in_a_fresh_interpreter(program).split() == []


def has_own_docstring(value: object) -> bool:
    """A docstring that someone wrote: neither inherited nor the signature that `dataclass` puts in its place."""
    if inspect.isclass(value):
        text = vars(value).get("__doc__") or ""
        return bool(text) and not text.startswith(f"{value.__name__}(")
    return bool(inspect.getdoc(value))


@pytest.mark.parametrize("name", sorted(judgekit.__all__))
def test_what_judgekit_offers_is_documented(name: str) -> None:
    value = getattr(judgekit, name)
    if inspect.isclass(value) or inspect.isroutine(value):
        assert has_own_docstring(value), f"judgekit.{name} has no docstring of its own"


class Branch(NamedTuple):
    """One line of the tree that the docstring of judgekit.errors draws."""

    name: str
    bases: tuple[str, ...]
    words: str


def drawn_tree() -> list[Branch]:
    """Each line with its bases: the nearest line above that is one step further left, then those in brackets."""
    branches: list[Branch] = []
    parents: list[str] = []
    for line in (errors.__doc__ or "").splitlines():
        match = re.fullmatch(
            r"( {4}(?:[| ] {3})*(?:\+-- )?)([A-Z]\w+Error)(?: \((.+?)\))?(?: {2,}(.*))?", line
        )
        if match:
            indent, name, others, words = match.groups()
            depth = len(indent) // 4 - 1
            parents[depth:] = [name]
            bases = (
                (*parents[max(depth - 1, 0) : depth], *(others or "").split(", "))
                if depth
                else ("Exception",)
            )
            branches.append(Branch(name, tuple(base for base in bases if base), words or ""))
    return branches


def exceptions() -> dict[str, type[Exception]]:
    own = {name: vars(errors)[name] for name in defined_in(errors)}
    return {name: value for name, value in own.items() if issubclass(value, Exception)}


def test_the_tree_of_errors_is_drawn_as_it_is() -> None:
    drawn = {branch.name: branch.bases for branch in drawn_tree()}
    assert drawn == {
        name: tuple(base.__name__ for base in value.__bases__) for name, value in exceptions().items()
    }


@pytest.mark.parametrize("branch", drawn_tree(), ids=lambda branch: branch.name)
def test_the_tree_names_each_error_s_code(branch: Branch) -> None:
    kind = exceptions()[branch.name]
    if issubclass(kind, errors.JudgeError) and kind is not errors.JudgeError:
        assert kind.code in re.findall(r"\w+", branch.words)
