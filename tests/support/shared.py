"""Data sets that are kept beside the checkout, not in it; a test that needs one is skipped where it is absent."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

__all__ = ["shared_data"]

VARIABLE = "JUDGEKIT_SHARED"


def shared_data(name: str) -> Path:
    """The folder or file `data/<name>` of the shared folder.

    The shared folder is the one that the environment variable JUDGEKIT_SHARED names, or else the nearest
    `shared` beside this file or one of its parents. Skips the test when `name` is not there.
    """
    named = os.environ.get(VARIABLE)
    roots = [Path(named)] if named else [parent / "shared" for parent in Path(__file__).resolve().parents]
    for root in roots:
        if (found := root / "data" / name).exists():
            return found
    pytest.skip(f"no shared data set {name!r}: set {VARIABLE} to the folder that holds data/{name}")
