#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""MPI_Neighbor_allgather on random sparse graphs over the lab, natively and with ECO in turn.

    bench/sparse.py --topology campus.json                   campus-20, Open MPI, 65,536 bytes
    bench/sparse.py --topology campus.json --mpi mpich --degrees 4,8 --seeds 1,2,3 --json

The profile must have a measured model (`eco measure`). Each graph is run --rounds times natively
and with ECO, one after the other (examples/sparse.c); per graph the median of the medians counts.
"""

import argparse
import json
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

from built import ECO, PROJECT

SHORT = {"degrees": "4", "seeds": "1", "rounds": 1, "steps": 1, "bytes": 1024}


def _program(mpi: str) -> Path:
    build = PROJECT / "build" / "examples" / mpi
    compiler = PROJECT / ".deps" / mpi / "bin" / "mpicc"
    words = ["make", "-s", "-C", str(PROJECT / "examples"), f"MPICC={compiler}", f"BUILD={build}"]
    subprocess.run([*words, str(build / "sparse")], check=True)
    return build / "sparse"


def _run(given: argparse.Namespace, program: Path, degree: int, seed: int, eco: bool) -> Any:
    words = [ECO, "lab", "run", given.scenario, "--mpi", given.mpi, "--order", given.order]
    words += ["--np", given.ranks] if given.ranks else []
    words += ["--topology", given.topology] if eco else ["--native"]
    words += ["--", program, "--json", "--bytes", given.bytes, "--degree", degree, "--seed", seed]
    words += ["--steps", given.steps, *(["--uneven"] if given.uneven else [])]
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True)
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode or not lines:
        sys.exit(f"sparse.py: a run failed (code {done.returncode}): {done.stderr.strip()[-500:]}")
    return json.loads(lines[-1])


def graph(given: argparse.Namespace, program: Path, degree: int, seed: int) -> dict[str, Any]:
    times: dict[bool, list[dict[str, float]]] = {False: [], True: []}
    for _ in range(given.rounds):
        for eco in (False, True):
            times[eco].append(_run(given, program, degree, seed, eco))
    native, eco_s = (
        statistics.median(one["median_s"] for one in times[eco]) for eco in (False, True)
    )
    return {
        "degree": degree,
        "seed": seed,
        "native_s": native,
        "eco_s": eco_s,
        "first_eco_s": statistics.median(one["first_s"] for one in times[True]),
        "gain": native / eco_s,
    }


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--topology", required=True, metavar="PROFILE")
    parser.add_argument("--scenario", default="campus-20")
    parser.add_argument("--mpi", choices=("openmpi", "mpich"), default="openmpi")
    parser.add_argument("--ranks", type=int, help="one on each host")
    parser.add_argument("--order", default="block", help="block, round-robin or random:SEED")
    parser.add_argument("--bytes", type=int, default=65536)
    parser.add_argument("--degrees", default="4,8")
    parser.add_argument("--seeds", default="1,2")
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--uneven", action="store_true", help="MPI_Neighbor_allgatherv")
    parser.add_argument("--short", action="store_true", help="one graph, each once")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    if given.short:
        vars(given).update(SHORT)
    program = _program(given.mpi)
    found = []
    for degree in map(int, given.degrees.split(",")):
        for seed in map(int, given.seeds.split(",")):
            one = graph(given, program, degree, seed)
            found.append(one)
            if not given.json:
                print(
                    f"{given.mpi}, degree {degree}, seed {seed}: native {one['native_s']:.3f} s, "
                    f"ECO {one['eco_s']:.3f} s, {one['gain']:.2f} times faster",
                    flush=True,
                )
    if given.json:
        print(json.dumps(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
