"""The command line: `judgekit judge`, `run`, `compare`, `report`, `show`, `ls`, `prompts`, `demo`. It translates and holds
no logic."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from judgekit._version import __version__
from judgekit.cli.judge import add_demo, add_judge
from judgekit.cli.library import add_prompts
from judgekit.cli.runs import add_runs
from judgekit.errors import JudgekitError

__all__ = ["main"]

_USAGE = 2


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command.

    Args:
        argv: the words after `judgekit`; those of the process by default.

    Returns:
        The exit status: 0 when all went well, 1 when a row failed or a threshold was missed, 2 when the command itself was wrong.
    """
    options = _parser().parse_args(argv)
    try:
        return int(options.run(options))
    except JudgekitError as error:
        print(f"judgekit: {error}", file=sys.stderr)  # noqa: T201  # a command's error goes to the terminal
        return _USAGE
    except KeyboardInterrupt:
        print("judgekit: interrupted; the rows that were finished are kept", file=sys.stderr)  # noqa: T201
        return 130
    except BrokenPipeError:  # `judgekit ... | head`
        sys.stderr.close()
        return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="judgekit", description="Judge the outputs of LLM applications with LLMs."
    )
    parser.add_argument("--version", action="version", version=f"judgekit {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for add in (add_judge, add_runs, add_prompts, add_demo):
        add(commands)
    return parser
