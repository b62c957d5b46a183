"""`judgekit judge` and `judgekit demo`."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from judgekit.cli.words import positive

__all__ = ["add_demo", "add_judge"]


def add_judge(commands: Any) -> None:
    judge = commands.add_parser(
        "judge",
        help="judge the rows of a file",
        description="Judge every row of DATA (.jsonl, .json, .csv, .tsv, .parquet). Exit status 1 when a row failed, 2 "
        "when the command itself was wrong.",
    )
    judge.add_argument("data", metavar="DATA", help="the file of rows")
    judge.set_defaults(run=_judge)
    what = judge.add_argument_group("what is asked")
    what.add_argument(
        "--prompt",
        default="correctness",
        metavar="NAME_OR_FILE",
        help="a shipped prompt or a file of your own (default: correctness)",
    )
    what.add_argument("--system", metavar="TEXT", help="a system message")
    scale = what.add_mutually_exclusive_group()
    scale.add_argument(
        "--continuous", action="store_true", help="a score from 0.0 to 1.0 instead of true or false"
    )
    scale.add_argument("--choices", nargs="+", metavar="VALUE", help="the allowed scores: numbers or labels")
    what.add_argument("--no-reasoning", action="store_true", help="ask for the score alone")
    what.add_argument(
        "--key", default="score", metavar="NAME", help="what the feedback is called (default: score)"
    )
    columns = judge.add_argument_group("which columns")
    for name, argument in (("inputs", "inputs"), ("outputs", "outputs"), ("reference", "reference_outputs")):
        columns.add_argument(
            f"--{name}", metavar="COLUMN", help=f"the column that holds `{argument}` (default: {argument})"
        )
    columns.add_argument(
        "--var",
        action="append",
        default=[],
        type=_pair,
        metavar="NAME=COLUMN",
        help="the column of another variable of the prompt",
    )
    columns.add_argument("--label", metavar="COLUMN", help="a column of human verdicts to compare with")
    columns.add_argument("--limit", type=positive, metavar="N", help="only the first N rows")
    who = judge.add_argument_group("who is asked")
    who.add_argument(
        "--model",
        metavar="PROVIDER:NAME",
        help="the model (default: embedded:match, where rows have a reference)",
    )
    who.add_argument("--base-url", metavar="URL", help="where an OpenAI-shaped server listens")
    who.add_argument("--temperature", type=float, metavar="T")
    who.add_argument("--seed", type=int, metavar="N")
    who.add_argument("--max-tokens", type=positive, metavar="N", help="the output budget of one answer")
    who.add_argument(
        "--price",
        nargs=2,
        type=float,
        metavar=("IN", "OUT"),
        help="dollars for a million tokens, to show the cost",
    )
    who.add_argument("--readout", choices=["text", "logprobs"], help="how a local model's verdict is taken")
    how = judge.add_argument_group("how")
    how.add_argument(
        "-o", "--output", metavar="OUT.jsonl", help="write a line for each row as it is finished"
    )
    how.add_argument(
        "--concurrency",
        type=positive,
        default=8,
        metavar="N",
        help="rows under way at the same time (default: 8)",
    )
    how.add_argument("--timeout", type=float, metavar="SECONDS", help="for one request")
    how.add_argument(
        "--deadline", type=float, metavar="SECONDS", help="for one row, retries and repairs together"
    )
    how.add_argument(
        "--retries", type=int, metavar="N", help="how often a failed request is sent again (default: 2)"
    )
    how.add_argument("--cache", metavar="FILE", help="remember answers in an SQLite file")
    how.add_argument("--record", metavar="FILE", help="append every raw answer, for recorded:FILE")


def add_demo(commands: Any) -> None:
    demo = commands.add_parser("demo", help="judge the shipped sample with three judges, no key needed")
    demo.add_argument("--limit", type=positive, metavar="N", help="only the first N rows")
    demo.set_defaults(run=_demo)


def _judge(options: argparse.Namespace) -> int:
    from judgekit.report.judging import judge_file

    columns = {"inputs": options.inputs, "outputs": options.outputs, "reference_outputs": options.reference}
    return judge_file(
        options.data,
        prompt=options.prompt,
        columns={**{name: column for name, column in columns.items() if column}, **dict(options.var)},
        label=options.label,
        limit=options.limit,
        output=options.output,
        concurrency=options.concurrency,
        record=options.record,
        scale={"continuous": options.continuous, "choices": _choices(options.choices)},
        judge={
            "feedback_key": options.key,
            "system": options.system,
            "use_reasoning": not options.no_reasoning,
        },
        model=options.model,
        price=None if options.price is None else (options.price[0], options.price[1]),
        settings={
            name: getattr(options, name)
            for name in (
                "base_url",
                "temperature",
                "seed",
                "max_tokens",
                "readout",
                "timeout",
                "deadline",
                "retries",
                "cache",
            )
            if getattr(options, name) is not None
        },
    )


def _demo(options: argparse.Namespace) -> int:
    from judgekit.report.demo import demo

    return demo(limit=options.limit)


def _choices(words: Sequence[str] | None) -> list[float | str] | None:
    """Numbers when all of them are numbers, else labels."""
    if words is None:
        return None
    try:
        return [int(word) if word.lstrip("+-").isdigit() else float(word) for word in words]
    except ValueError:
        return list(words)


def _pair(text: str) -> tuple[str, str]:
    name, equals, column = text.partition("=")
    if not (name and equals and column):
        raise argparse.ArgumentTypeError(f"{text!r} should be NAME=COLUMN")
    return name, column
