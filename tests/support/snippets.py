"""Runs a page of documentation from top to bottom, as a reader would who typed in every block.

What a page may hold:

- ```` ```python ````: executed; all blocks of a page share one name space. `await` may stand at the top level.
- ```` ```python no-run ````: only parsed; its first line is a comment that says why it is not run.
- ```` ```python needs=package ````: executed where the package is installed, elsewhere only parsed.
- ```` ```text output ````, directly after a Python block: what that block prints.
- ```` ```console ````: each `$ judgekit ...` (or `$ python ...`, `$ pytest ...`) is run by the shell in the page's
  directory and must succeed; lines below it are what it prints, on standard output or error. Pipes, redirections
  and lines that go on after a backslash work. Other commands (`$ pip install ...`) are left alone.
- any language with `title="name"`: written to a file of that name in the page's directory, and not run.

`...` in expected output stands for any text, also of several lines, except after `--help`, which is compared
letter by letter, 80 columns wide.

By hand: `python -m tests.support.snippets docs/judges.md` (with a provider in the environment).
"""

from __future__ import annotations

import ast
import asyncio
import difflib
import inspect
import os
import re
import shlex
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass
from importlib.util import find_spec
from io import StringIO
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from tests.support.network import SETTINGS

__all__ = ["Block", "PageError", "blocks", "commands", "environment", "run_page"]

ROOT = Path(__file__).resolve().parent.parent.parent

RUN = {
    "judgekit": "-m judgekit",
    "pytest": "-m pytest -p no:cacheprovider -p judgekit.pytest_plugin",
    "python": "",
}
"""The commands of a console block that are run, and what this interpreter is given for each."""

ANY_OF_THEM = re.compile(rf"(?:^|[|;&] *)(?:\w+=\S* +)*(?:{'|'.join(RUN)}) ")

UNSEEN: dict[str, tuple[re.Pattern[str], str]] = {
    **dict.fromkeys(("py", "python3", "pycon"), (re.compile(""), "write ```python")),
    **dict.fromkeys(
        ("", "bash", "sh", "shell", "text"),
        (re.compile(r"^(?:\$ )?judgekit ", re.MULTILINE), "write ```console, and `$ judgekit ...`"),
    ),
}
"""Languages in which code (what the pattern finds) would go by without being run, and what to write instead."""

FENCE = re.compile(r"(?P<indent> *)(?P<ticks>`{3,}|~{3,}) *(?P<info>[^`]*)")


class PageError(AssertionError):
    """A block that is written wrong, fails, or prints something else; the message begins with page:line."""


@dataclass(frozen=True)
class Block:
    """A fenced block: `line` is that of its first line of text, `info` the words after the language."""

    page: str
    line: int
    language: str
    info: tuple[str, ...]
    text: str
    gap: str = ""  # what stands between the block before and this one

    def error(self, message: str) -> PageError:
        return PageError(f"{self.page}:{self.line}: {message}")

    @property
    def title(self) -> str | None:
        titles = [word.removeprefix("title=") for word in self.info if word.startswith("title=")]
        return titles[0] if titles else None


def blocks(page: str, text: str) -> Iterator[Block]:
    """The fenced blocks of a page, in order; a block inside a list item loses the item's indentation."""
    lines = iter(enumerate(text.splitlines(), start=1))
    gap: list[str] = []
    for number, line in lines:
        opening = FENCE.fullmatch(line.rstrip())
        if not opening:
            gap.append(line)
            continue
        body: list[str] = []
        for _, inner in lines:
            if inner.strip().startswith(opening["ticks"]) and not inner.strip().strip(opening["ticks"][0]):
                break
            body.append(inner.removeprefix(opening["indent"]))
        else:
            raise PageError(f"{page}:{number}: the block is not closed")
        language, *info = shlex.split(opening["info"]) or [""]
        content = "".join(f"{row}\n" for row in body)
        yield Block(page, number + 1, language, tuple(info), content, "\n".join(gap).strip())
        gap = []


def commands(block: Block) -> Iterator[tuple[str, str]]:
    """The commands of a console block, each with the output shown below it."""
    command: str | None = None
    output: list[str] = []
    for line in block.text.splitlines():
        if command is not None and command.endswith("\\"):
            command += "\n" + line.removeprefix("> ")
        elif line.startswith("$ "):
            if command is not None:
                yield command, "\n".join(output)
            command, output = line.removeprefix("$ "), []
        elif command is None:
            raise block.error("a console block begins with a command: `$ ...`")
        else:
            output.append(line)
    if command is not None:
        yield command, "\n".join(output)


def matches(expected: str, printed: str, *, exact: bool = False) -> bool:
    """Whether the output is as shown, but for spaces at line ends and blank lines around it."""
    wanted, got = tidy(expected), tidy(printed)
    if exact:
        return wanted == got
    pattern = ".*".join(re.escape(part) for part in wanted.split("..."))
    return re.fullmatch(pattern, got, re.DOTALL) is not None


def tidy(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.splitlines()).strip("\n")


def difference(expected: str, printed: str) -> str:
    rows = difflib.unified_diff(
        tidy(expected).splitlines(), tidy(printed).splitlines(), "as shown", "as printed", lineterm=""
    )
    return "\n".join(rows)


def environment(provider: str, home: Path) -> dict[str, str]:
    """What a page or an example runs in: the loopback provider, an empty home, no key and no address of anyone.

    `provider` is the origin of the loopback provider, as in `http://127.0.0.1:8080`; `home` is an empty directory.
    """
    clean = {name: value for name, value in os.environ.items() if not SETTINGS.fullmatch(name)}
    return clean | {
        "ANTHROPIC_API_KEY": "sk-ant-loopback",
        "ANTHROPIC_BASE_URL": provider,
        "COLUMNS": "80",
        "DEEPEVAL_TELEMETRY_OPT_OUT": "YES",
        "HOME": str(home),
        "LANGSMITH_TRACING": "false",
        "MLFLOW_DISABLE_TELEMETRY": "true",
        "NO_COLOR": "1",
        "OPENAI_API_KEY": "sk-loopback",
        "OPENAI_BASE_URL": f"{provider}/v1",
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",  # plugins of this environment are no reader's
        "PYTHONPATH": str(ROOT),
        "PYTHONUNBUFFERED": "1",
        "RAGAS_DO_NOT_TRACK": "true",
        "TERM": "dumb",
    }


@dataclass
class Reader:
    """Carries a page's name space and directory from block to block."""

    where: Path
    tools: Path
    loop: asyncio.Runner
    names: dict[str, Any]
    printed: str | None = None  # by the block before, if that was Python
    ran: int = 0

    def read(self, block: Block) -> None:
        before, self.printed = self.printed, None
        pattern, remedy = UNSEEN.get(block.language, (None, ""))
        if pattern and pattern.search(block.text) and "output" not in block.info:
            raise block.error(f"this block would go by without being run: {remedy}")
        if block.title:
            target = self.where / block.title
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(block.text, encoding="utf-8")
        elif block.language == "python":
            self.python(block)
        elif block.language == "console":
            self.console(block)
        elif block.language == "text" and "output" in block.info:
            self.compare(block, None if block.gap else before)

    def python(self, block: Block) -> None:
        needed = [word.removeprefix("needs=") for word in block.info if word.startswith("needs=")]
        if unknown := {word for word in block.info if not word.startswith("needs=")} - {"no-run"}:
            raise block.error(f"{sorted(unknown)} means nothing; a Python block is run, or marked no-run")
        if "no-run" in block.info:
            if not re.match(r"# *\w", block.text):
                raise block.error("no-run needs its reason, as a comment on the block's first line")
            ast.parse(block.text, filename=block.page)
            return
        if any(find_spec(name) is None for name in needed):
            ast.parse(block.text, filename=block.page)
            return
        source = "\n" * (block.line - 1) + block.text  # so that a traceback shows the page's own lines
        code = compile(source, block.page, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
        with redirect_stdout(StringIO()) as printed, warnings.catch_warnings():
            if needed:  # other people's packages warn of their own
                warnings.simplefilter("ignore")
            result = FunctionType(code, self.names)()
            if inspect.iscoroutine(result):
                self.loop.run(result)
        self.printed = printed.getvalue()
        self.ran += 1

    def compare(self, block: Block, printed: str | None) -> None:
        if printed is None:
            raise block.error("an output block stands directly after the Python block that prints it")
        if not matches(block.text, printed):
            raise block.error("the block above prints something else\n" + difference(block.text, printed))

    def console(self, block: Block) -> None:
        for command, shown in commands(block):
            if ANY_OF_THEM.search(f"{command} "):
                self.command(block, command, shown)

    def command(self, block: Block, command: str, shown: str) -> None:
        path = f"{self.tools}{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run(
            ["sh", "-c", command],
            cwd=self.where,
            env={**os.environ, "PATH": path},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=120,
            check=False,
        )
        self.ran += 1
        if done.returncode:
            raise block.error(f"`{command}` ended with status {done.returncode}\n{done.stdout}")
        if shown.strip() and not matches(shown, done.stdout, exact="--help" in command):
            raise block.error(f"`{command}` prints something else\n" + difference(shown, done.stdout))


def install_commands(tools: Path) -> None:
    """Put the commands of `RUN` on the path, so that pipes and redirections in a page work as they are written."""
    tools.mkdir()
    for name, options in RUN.items():
        script = tools / name
        script.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -W error {options} "$@"\n')
        script.chmod(0o755)


def run_page(page: Path, where: Path) -> int:
    """Run every block of a page in the directory `where`; returns how many blocks and commands were run.

    This process becomes the page's: its `__main__` and its working directory.

    Raises:
        PageError: a block is written wrong or its output is not as shown.
        Exception: whatever a Python block raised.
    """
    os.chdir(where)
    sys.modules["__main__"] = main = ModuleType("__main__")
    with tempfile.TemporaryDirectory() as scratch, asyncio.Runner() as loop:
        tools = Path(scratch) / "bin"
        install_commands(tools)
        reader = Reader(where, tools, loop, vars(main))
        for block in blocks(str(page), page.read_text(encoding="utf-8")):
            reader.read(block)
    return reader.ran


if __name__ == "__main__":
    path = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as empty:
        try:
            print(f"{path.name}: {run_page(path, Path(empty))} blocks and commands run")
        except PageError as error:
            sys.exit(str(error))
