"""README.md and docs/ do what they say: each page is run, block by block, in an interpreter of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import traceback
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.provider import Provider
from tests.support.snippets import Block, PageError, blocks, commands, environment, run_page

ROOT = Path(__file__).resolve().parent.parent

PAGES_REQUIRED = True
"""Whether the README and at least one page of docs/ must be there."""

README = ROOT / "README.md"
DOCS = sorted((ROOT / "docs").glob("*.md"))
PAGES = [page for page in (README, *DOCS) if page.exists()]


def run(page: Path, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-W", "error", "-m", "tests.support.snippets", str(page)]
    return subprocess.run(command, env=env, capture_output=True, text=True, timeout=300, check=False)


def test_the_pages_are_there() -> None:
    if not PAGES_REQUIRED and not (README.exists() and DOCS):
        pytest.skip("README.md and docs/ are not both written yet")
    assert README.exists()
    assert DOCS


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_does_what_it_says(page: Path, provider: Provider, tmp_path: Path) -> None:
    done = run(page, environment(provider.url, tmp_path))
    assert done.returncode == 0, f"{page.name}\n{done.stdout}{done.stderr}"


# What follows tests the runner itself, on pages made up here.


@pytest.fixture
def outcome(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], int | str]:
    """What the runner says of a page with this text: how many blocks ran, or why one did not."""
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])  # put back after the page
    monkeypatch.chdir(tmp_path)

    def outcome(text: str) -> int | str:
        page = tmp_path / "page.md"
        page.write_text(text, encoding="utf-8")
        try:
            return run_page(page, tmp_path)
        except Exception:  # noqa: BLE001  # a page may raise anything
            return traceback.format_exc()

    return outcome


RIGHT = {
    "one name space for all blocks": """\
```python
x = 20
```
```python
assert x == 20 and __name__ == "__main__"
```
""",
    "await at the top level, on one event loop": """\
```python
import asyncio
gate = asyncio.Event()
loop = await asyncio.sleep(0, asyncio.get_running_loop())
```
```python
gate.set()
await gate.wait()
assert asyncio.get_running_loop() is loop
```
""",
    "output with a wildcard": """\
```python
print("score", 0.25)
print("took 17 ms")
```

```text output
score 0.25
took ... ms
```
```python
x = 1
```
""",
    "no-run with its reason": """\
```python no-run
# needs a key of a real account
raise SystemExit(1)
```
```python
x = 1
```
```python
y = x
```
""",
    "a file for the commands, and commands with pipes": """\
1. In a list:

   ```json title="rows.jsonl"
   {"inputs": 1}
   ```

   ```console
   $ python -c "import pathlib; print(pathlib.Path('rows.jsonl').read_text())" | \\
   >   sed s/1/2/
   {"inputs": 2}
   $ MARK=3 python -c "import os; print(os.environ['MARK'])" > mark.txt
   ```
""",
    "commands of others are left alone": """\
```console
$ false
$ pip install no-such-thing
```
```python
x = 1
```
```python
y = 2
```
""",
}

WRONG = {
    "no-run needs its reason": "```python no-run\nx = 1\n```\n",
    "page.md:2: ['norun'] means nothing": "```python norun\nx = 1\n```\n",
    "SyntaxError": "```python no-run\n# not even Python\nx = = 1\n```\n",
    'page.md", line 3, in <module>': "Text.\n```python\n1 / 0\n```\n",
    "page.md:5: the block above prints something else": "```python\nprint(1)\n```\n```text output\n2\n```\n",
    "stands directly after the Python block": "```python\nprint(1)\n```\nText.\n```text output\n1\n```\n",
    "write ```python": "```pycon\n>>> 1 + 1\n```\n",
    "write ```console": "```bash\njudgekit demo\n```\n",
    "ended with status 3": "```console\n$ python -c 'raise SystemExit(3)'\n```\n",
    "+2": "```console\n$ python -c 'print(2)'\n1\n```\n",
    "+--help and more": "```console\n$ python -c 'print(\"--help and more\")'\n--help and ...\n```\n",
    "UserWarning": "```python\nimport warnings\nwarnings.warn('careful')\n```\n",
    "the block is not closed": "```python\nx = 1\n",
}


@pytest.mark.parametrize("text", RIGHT.values(), ids=RIGHT)
def test_a_right_page_passes(text: str, outcome: Callable[[str], int | str]) -> None:
    assert outcome(text) == 2


@pytest.mark.parametrize(("complaint", "text"), WRONG.items(), ids=WRONG)
def test_a_wrong_page_fails_and_says_why(
    complaint: str, text: str, outcome: Callable[[str], int | str]
) -> None:
    assert complaint in str(outcome(text))


def test_a_wrong_page_ends_its_interpreter_with_an_error(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```python\nprint(1)\n```\n```text output\n2\n```\n", encoding="utf-8")
    done = run(page, environment("http://127.0.0.1:9", tmp_path))
    assert done.returncode == 1
    assert "page.md:5: the block above prints something else" in done.stderr


def test_fences_inside_a_longer_fence_are_text() -> None:
    (block,) = blocks("page.md", "````markdown\n```python\nx\n```\n````\n")
    assert (block.language, block.text) == ("markdown", "```python\nx\n```\n")


def test_a_console_block_begins_with_a_command() -> None:
    with pytest.raises(PageError, match=r"page\.md:7"):
        list(commands(Block("page.md", 7, "console", (), "judgekit demo\n")))


def test_a_page_sees_no_key_of_the_person_who_runs_the_tests(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("OPENAI_API_KEY", "MISTRAL_API_KEY", "LANGSMITH_PROJECT", "https_proxy"):
        monkeypatch.setenv(name, "private")
    env = environment("http://127.0.0.1:9", tmp_path)
    assert "private" not in env.values()
    assert env["PATH"] == os.environ["PATH"]
