"""The prompt library, as a person is shown it: a table, one prompt's text, a page of documentation."""

from __future__ import annotations

from itertools import groupby

from judgekit import prompts
from judgekit.core.templates import Prompt
from judgekit.report.terminal import console

__all__ = ["prompt_page", "show_prompt", "show_prompts"]


def show_prompts() -> int:
    """The prompt library as a table."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("name", "scale", "true or 1 means"):
        table.add_column(name, no_wrap=name == "name")
    for name in prompts.names():
        prompt = prompts.load(name)
        table.add_row(name, prompt.scale or "", prompt.true_means or "")
    console().print(table)
    return 0


def show_prompt(name: str) -> int:
    """One prompt: what it is, and its text as it stands."""
    prompt = prompts.load(name)
    facts = {
        "version": prompt.version,
        "hash": prompt.hash,
        "question": prompt.description,
        "true or 1 means": prompt.true_means,
        "variables": ", ".join(f"{v} (optional)" if v in prompt.optional else v for v in prompt.variables),
        "scale": prompt.scale,
        "source": prompt.source,
    }
    out = console()
    out.print(f"{prompt.name}: {prompt.title}", markup=False)
    for key, value in facts.items():
        if value:
            out.print(f"{key}: {value}", markup=False, soft_wrap=True)
    out.print()
    out.print(str(prompt), markup=False, soft_wrap=True)
    return 0


def prompt_page() -> str:
    """The library as Markdown, one table a category, made from the front matter of the prompts."""
    found = sorted(
        (prompts.load(name) for name in prompts.names()),
        key=lambda prompt: (prompt.category or "", prompt.name or ""),
    )
    parts = [_HEAD]
    for category, group in groupby(found, key=lambda prompt: prompt.category):
        parts.append(
            f"\n## {(category or 'other').capitalize()}\n\n| name | asks | true or 1 means | variables | scale | version |\n|---|---|---|---|---|---|\n"
        )
        parts.extend(_line(prompt) for prompt in group)
    return "".join(parts)


_HEAD = """# The prompt library

Made by `judgekit prompts list --markdown` from the front matter of the files in `prompts/`; do not edit it by hand.

Each prompt is a constant of `judgekit.prompts` (`correctness` is `CORRECTNESS_PROMPT`) and a name for `--prompt`. Variables in
brackets are optional. A prompt asks on any scale: `continuous` and `choices` work with all of them, except where the
scale is `custom`: those bring an output schema (`judgekit.prompts.output_schema(name)`).
"""


def _line(prompt: Prompt) -> str:
    variables = ", ".join(f"[{name}]" if name in prompt.optional else name for name in prompt.variables)
    cells = (
        f"`{prompt.name}`",
        prompt.description,
        prompt.true_means,
        variables,
        prompt.scale,
        prompt.version,
    )
    return "| " + " | ".join(" ".join((cell or "").split()).replace("|", "\\|") for cell in cells) + " |\n"
