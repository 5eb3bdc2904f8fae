#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What learning at run time costs and wins: one program, natively, with ECO as the profile says,
and with ECO learning, in turn.

    bench/learning/learning.py three-segments.json three-segments
    bench/learning/learning.py F.json three-segments --at "3s network a rate=2mbit"

For each operation and size: the whole time of all calls, and the median of the last calls (after
--settled of them). What was learned is forgotten before each run, unless --keep.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from built import ECO, built

USUAL = "bcast:16,bcast:16000,allreduce:16,allreduce:16000,allgather:1024,alltoall:1024,gather:4000"
MODES = ("native", "off", "on")
SHORT = {"calls": "bcast:16", "count": 20, "settled": 10}


def _run(given: argparse.Namespace, mode: str, program: Path, call: str) -> dict[str, Any]:
    operation, _, size = call.partition(":")
    words = [ECO, "lab", "run", given.scenario, "--mpi", given.mpi, "--scale", given.scale]
    words += ["--native"] if mode == "native" else ["--topology", given.profile]
    for change in given.at:
        moment, _, what = change.partition(" ")
        words += ["--at", moment, what]
    for stream in given.traffic:
        words += ["--traffic", stream]
    words += ["--", program, operation, size, given.count, given.type]
    if not given.keep:
        given.profile.with_name(given.profile.name + ".learned").unlink(missing_ok=True)
    done = subprocess.run(
        [str(word) for word in words],
        stdout=subprocess.PIPE,
        text=True,
        env=dict(os.environ, ECO_LEARN="off" if mode == "native" else mode),
    )
    if done.returncode != 0:
        sys.exit(done.returncode)
    result: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return result


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("profile", type=Path)
    parser.add_argument("scenario")
    parser.add_argument("--mpi", default="openmpi", choices=("openmpi", "mpich"))
    parser.add_argument("--calls", default=USUAL, help="OPERATION:BYTES, …")
    parser.add_argument("--count", type=int, default=200, help="calls in a run")
    parser.add_argument("--settled", type=int, default=60, help="calls that the median leaves out")
    parser.add_argument("--type", default="int", choices=("int", "double"), help="of reductions")
    parser.add_argument("--modes", default=",".join(MODES))
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--scale", default="1")
    parser.add_argument("--at", action="append", default=[], help='"3s network a rate=2mbit"')
    parser.add_argument("--traffic", action="append", default=[])
    parser.add_argument("--keep", action="store_true", help="what earlier runs learned")
    parser.add_argument("--short", action="store_true", help="one call, 20 times")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    if given.short:
        vars(given).update(SHORT)
    modes = given.modes.split(",")
    program = built(f"repeat-{given.mpi}")
    rows = []
    for call in given.calls.split(","):
        runs: dict[str, list[dict[str, Any]]] = {mode: [] for mode in modes}
        for _ in range(given.repeats):
            for mode in modes:
                runs[mode].append(_run(given, mode, program, call))
        row: dict[str, Any] = {"call": call}
        for mode, found in runs.items():
            late = [time for each in found for time in each["calls"][given.settled :]]
            total = statistics.median(each["total"] for each in found)
            row[mode] = {"total": total, "late": statistics.median(late)}
        rows.append(row)
        if not given.json:
            text = "  ".join(
                f"{mode} {row[mode]['total']:7.2f} s, late {1e3 * row[mode]['late']:8.2f} ms"
                for mode in modes
            )
            print(f"{call:18} {text}", flush=True)
    if given.json:
        print(json.dumps(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
