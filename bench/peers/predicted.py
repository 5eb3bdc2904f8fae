#!/usr/bin/env python3
"""Predicted times beside measured ones, over operations and sizes.

    bench/peers/predicted.py three-segments.json -- eco lab run three-segments --native --
    bench/peers/predicted.py grid-3.json --operations bcast,reduce --sizes 16,65536 --json -- …

Per operation the best by prediction at each size and the textbook's patterns, timed by `eco bench`
on the network that the profile is of. Exit code 1 where the median error is 20 % or more.
"""

import argparse
import json
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).resolve().parents[2]
ECO = PROJECT / "build" / "release" / "bin" / "eco"
MOST = 0.2
OPERATIONS = "bcast,barrier,scatter,gather,allgather,alltoall,reduce,allreduce,scan,reduce_scatter"
TEXTBOOK = ("binomial", "ring")
KEYS = ("operation", "bytes", "choice", "predicted", "measured", "bound")


def _patterns(profile: Path, operation: str, sizes: list[int], best: int) -> list[str]:
    """The quickest by prediction at each size, without the library's own parts."""
    found: dict[str, None] = {}
    for size in sizes:
        words = [ECO, "plan", profile, operation, "--bytes", size, "--json"]
        run = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, text=True)
        if run.returncode != 0:
            sys.exit(run.returncode)
        candidates = json.loads(run.stdout)["candidates"]
        own = [one["choice"] for one in candidates if not one["textbook"]]
        found |= dict.fromkeys(own[:best])
        found |= {one["choice"]: None for one in candidates if one["choice"] in TEXTBOOK}
    return list(found)


def _measure(
    profile: Path, operation: str, given: argparse.Namespace, patterns: list[str]
) -> list[dict[str, Any]]:
    words = [ECO, "bench", "--json", "--topology", profile, "--operations", operation]
    words += ["--sizes", given.sizes, "--repeats", given.repeats, "--order", given.order]
    words += ["--patterns", ",".join(patterns), "--", *given.launcher]
    run = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, text=True)
    if run.returncode != 0:
        sys.exit(run.returncode)
    rows = []
    for result in json.loads(run.stdout)["results"]:
        for each in result["patterns"]:
            if each["predicted"] is None:
                continue
            figures = (operation, result["bytes"], each["choice"], each["predicted"],
                       each["median"], result["bound"])  # fmt: skip
            rows.append(dict(zip(KEYS, figures, strict=True)))
    return rows


def _off(row: dict[str, Any]) -> float:
    return float(row["predicted"] / row["measured"] - 1)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("profile", type=Path)
    parser.add_argument("--operations", default=OPERATIONS)
    parser.add_argument("--sizes", default="16,1024,16000")
    parser.add_argument("--repeats", type=int, default=16)
    parser.add_argument("--order", default="near")
    parser.add_argument("--best", type=int, default=2, help="by prediction, of each size")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("launcher", nargs="+")
    given = parser.parse_args()
    sizes = [int(size) for size in given.sizes.split(",")]
    rows: list[dict[str, Any]] = []
    for operation in given.operations.split(","):
        patterns = _patterns(given.profile, operation, sizes, given.best)
        rows += _measure(given.profile, operation, given, patterns)
    if not rows:
        sys.exit("predicted.py: nothing was timed that ECO can predict")
    median = statistics.median(abs(_off(row)) for row in rows)
    by_size = {
        size: statistics.median(found)
        for size in sizes
        if (found := [abs(_off(row)) for row in rows if row["bytes"] == size])
    }
    if given.json:
        print(json.dumps({"median": median, "by_size": by_size, "rows": rows}))
    else:
        for row in rows:
            print(
                f"{row['operation']:15}{row['bytes']:8} {1e3 * row['measured']:9.2f} ms, "
                f"predicted {1e3 * row['predicted']:9.2f} {_off(row):+5.0%}  {row['choice']}"
            )
        print(f"{len(rows)} times: median error {median:.0%}; by size "
              + ", ".join(f"{size} B {error:.0%}" for size, error in by_size.items()))  # fmt: skip
    return 1 if median >= MOST else 0


if __name__ == "__main__":
    sys.exit(main())
