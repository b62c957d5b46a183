"""Data files that ship with judgekit: in the package when installed, in the repository when run from a checkout."""

from __future__ import annotations

from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

__all__ = ["data_folder"]


def data_folder(source: str, packaged: str, *, root: Path | None = None) -> Traversable:
    """Where a folder of data files is.

    A source checkout's own folder wins over a copy left in the package by a build. Without the project file beside
    it, a folder of that name belongs to somebody else.

    Args:
        source: the folder's path in the repository.
        packaged: its name in the installed package.
        root: the directory that holds the package; found from this file by default.
    """
    base = Path(__file__).parent.parent if root is None else root
    if (base / "pyproject.toml").is_file() and (base / source).is_dir():
        return base / source
    return files("judgekit") / packaged
