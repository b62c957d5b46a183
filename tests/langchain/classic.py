"""What the tests compare with: langchain-classic, where it is installed."""

from __future__ import annotations

from typing import Any

import pytest

__all__ = ["classic"]

classic: Any = pytest.importorskip("langchain_classic.evaluation")
