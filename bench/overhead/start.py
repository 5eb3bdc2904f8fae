#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What starting takes in the lab, natively and with ECO, interleaved.

    bench/overhead/start.py                                   three-segments, Open MPI
    bench/overhead/start.py --profile cluster.json            measured by yourself
    bench/overhead/start.py --profile cluster.json --mpi mpich --scenario two-sites --runs 20

The slowest rank's time from the call of MPI_Init to its end, and to the end of the first and third
barrier after it: what is not spent in MPI_Init may be spent there. Medians, and the median of the
differences between neighbouring runs. With ECO barriers are native, so that they differ in
starting only. Exit code 1 where MPI_Init takes 20 ms more.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from built import ECO, THREE_SEGMENTS, built

MOST = 20.0
WHAT = {
    "init": "MPI_Init",
    "first": "and the first barrier",
    "third": "and two more",
}


def run(given: argparse.Namespace, program: Path, with_eco: bool) -> dict[str, float]:
    how = ["--topology", str(given.profile)] if with_eco else ["--native"]
    words = [ECO, "lab", "run", given.scenario, "--mpi", given.mpi, *how, "--", program]
    environment = os.environ | {"ECO_CHOICE": given.choice}
    done = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True, env=environment)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--profile", type=Path, default=THREE_SEGMENTS)
    parser.add_argument("--mpi", choices=("openmpi", "mpich"), default="openmpi")
    parser.add_argument("--scenario", default="three-segments")
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--choice", default="native", help="ECO_CHOICE")
    parser.add_argument("--short", action="store_true", help="one pair of runs, judged by nothing")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    if given.short:
        given.runs = 1
    program = built(f"start-{given.mpi}")
    native, eco = [], []
    for turn in range(given.runs):
        # Whoever goes first in a pair meets a colder machine.
        for with_eco in (turn % 2 == 0, turn % 2 == 1):
            (eco if with_eco else native).append(run(given, program, with_eco))
    result = {
        key: {
            "native": statistics.median(each[key] for each in native),
            "eco": statistics.median(each[key] for each in eco),
            "more": statistics.median(b[key] - a[key] for a, b in zip(native, eco, strict=True)),
        }
        for key in WHAT
    }
    late = result["init"]["more"] > MOST and not given.short
    if given.json:
        print(json.dumps(result | {"late": late}))
        return int(late)
    print(f"{given.scenario}, {given.mpi}, {given.runs} pairs of runs, ms")
    for key, text in WHAT.items():
        one = result[key]
        print(
            f"  {text:24} native {one['native']:7.1f}   with ECO {one['eco']:7.1f}   "
            f"{one['more']:+7.1f}"
        )
    return int(late)


if __name__ == "__main__":
    sys.exit(main())
