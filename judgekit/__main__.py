"""`python -m judgekit` is the command `judgekit`."""

from __future__ import annotations

import sys

from judgekit.cli import main

__all__: list[str] = []

if __name__ == "__main__":
    sys.exit(main())
