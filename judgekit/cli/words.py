"""How words of a command are read."""

from __future__ import annotations

import argparse

__all__ = ["positive"]


def positive(text: str) -> int:
    number = int(text) if text.isdigit() else 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text!r} should be a whole number of at least 1")
    return number
