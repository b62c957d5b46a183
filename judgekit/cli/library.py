"""`judgekit prompts`."""

from __future__ import annotations

import argparse
import sys
from typing import Any

__all__ = ["add_prompts"]


def add_prompts(commands: Any) -> None:
    prompts = commands.add_parser("prompts", help="list the shipped prompts, or show one")
    actions = prompts.add_subparsers(required=True, metavar="ACTION")
    listing = actions.add_parser("list", help="name, scale and question of each prompt")
    listing.add_argument("--markdown", action="store_true", help="as a page of documentation")
    listing.set_defaults(run=_list_prompts)
    show = actions.add_parser("show", help="a prompt's text")
    show.add_argument("name", metavar="NAME")
    show.set_defaults(run=_show_prompt)


def _list_prompts(options: argparse.Namespace) -> int:
    from judgekit.report.library import prompt_page, show_prompts

    if options.markdown:
        sys.stdout.write(prompt_page())
        return 0
    return show_prompts()


def _show_prompt(options: argparse.Namespace) -> int:
    from judgekit.report.library import show_prompt

    return show_prompt(options.name)
