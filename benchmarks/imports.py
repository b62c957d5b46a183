"""Import time and installed size, beside OpenEvals.

python benchmarks/imports.py
"""

from __future__ import annotations

import importlib.metadata
import re
import subprocess
import sys

from _measure import peer

ROUNDS = 7


def _seconds(code: str) -> float:
    program = (
        "import time, sys; start = time.process_time(); exec(sys.argv[1]); print(time.process_time() - start)"
    )
    return min(
        float(
            subprocess.run(
                [sys.executable, "-c", program, code], capture_output=True, text=True, check=True
            ).stdout
        )
        for _ in range(ROUNDS)
    )


def _closure(name: str, seen: set[str]) -> set[str]:
    """The distribution and all that it needs, extras left out."""
    key = re.sub(r"[-_.]+", "-", name).lower()
    if key in seen:
        return seen
    try:
        wanted = importlib.metadata.requires(key) or []
    except importlib.metadata.PackageNotFoundError:
        return seen
    seen.add(key)
    for line in wanted:
        if "extra ==" not in line:
            _closure(re.split(r"[\s<>=!~;\[(]", line, maxsplit=1)[0], seen)
    return seen


def _megabytes(names: set[str]) -> float:
    files = [file for name in names for file in importlib.metadata.files(name) or []]
    return sum(path.stat().st_size for file in files if (path := file.locate()).is_file()) / 1e6  # type: ignore[union-attr]  # a located file is a Path


def main() -> None:
    sides = {"judgekit": "judgekit-llm"}
    if peer("openevals"):
        sides["openevals"] = "openevals"
    times = {module: _seconds(f"import {module}") for module in sides}
    for module, distribution in sides.items():
        needed = _closure(distribution, set())
        print(
            f"import {module:10} {times[module] * 1e3:7.1f} ms of CPU; "
            f"{len(needed)} distributions, {_megabytes(needed):.0f} MB with all that it needs"
        )
    if "openevals" in times:
        print(f"openevals / judgekit: {times['openevals'] / times['judgekit']:.0f} times the import time")


if __name__ == "__main__":
    main()
