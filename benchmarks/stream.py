"""A million rows from a JSONL file through one instant evaluator, kept in the store: the rate, and the memory on the way.

python benchmarks/stream.py [--rows 1000000]
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from pathlib import Path

import judgekit
from judgekit.runner.records import RowResult


def exact(outputs: str, reference_outputs: str) -> bool:
    return outputs == reference_outputs


def _megabytes() -> float:
    """What the process holds now, in MB; 0 where the system does not say."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        return 0.0
    return pages * resource.getpagesize() / 1e6


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=1_000_000)
    rows = parser.parse_args().rows
    tenth = max(1, rows // 10)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "rows.jsonl"
        with file.open("w", encoding="utf-8") as out:
            for number in range(rows):
                out.write(
                    f'{{"id": "{number}", "outputs": "answer {number}", "reference_outputs": "answer {number}"}}\n'
                )
        started, done = time.perf_counter(), 0

        def tell(_: RowResult) -> None:
            nonlocal started, done
            done += 1
            if done % tenth == 0:
                now = time.perf_counter()
                print(
                    f"{done:>9,} rows: {tenth / (now - started):8,.0f} rows/s, {_megabytes():.0f} MB",
                    flush=True,
                )
                started = now

        found = judgekit.evaluate(None, file, exact, store=Path(folder) / "runs.db", progress=tell)
        begun = time.perf_counter()
        print(found.summary())
        print(f"summary in {time.perf_counter() - begun:.1f} s, {_megabytes():.0f} MB")
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3:.0f} MB")


if __name__ == "__main__":
    main()
