#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What ECO costs beside its messages: collective calls that pass through, calls that it takes, and
`eco exec`.

    bench/overhead/overhead.py                 Open MPI
    bench/overhead/overhead.py --mpi mpich --json

Two ranks of one host, interleaved with native, the least of several runs. A program's own calls
are timed (calls.c): wrapper, lookup and execution. docs/overhead.md says what to make of it.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from built import ECO, PROJECT, built

RUNS, STARTS, ROUND = 5, 200, 10000
# ECO_CHOICE of each; native and by-hand (the same messages, sent by the program) are without ECO.
MODES = {
    "native": "",
    "native-with-eco": "native",
    "by-hand": "",
    "schedule": "tree:inner=star,on=ranks",
}
CALLS = {
    "self": "no bytes, MPI_COMM_SELF",
    "world": "no bytes, two ranks",
    "bcast": "broadcast of 16 bytes",
    "allreduce": "allreduce of 16 bytes",
    "barrier": "barrier",
}


def _environment(choice: str = "native") -> dict[str, str]:
    names = {
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "OMPI_MCA_mpi_yield_when_idle": "1",
        "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
    }
    return os.environ | names | {"ECO_CHOICE": choice, "ECO_VERBOSE": "0", "ECO_LEARN": "off"}


def _launcher(mpi: str) -> list[str | Path]:
    tools = PROJECT / ".deps" / mpi / "bin"
    return [tools / ("mpirun" if mpi == "openmpi" else "mpiexec"), "-n", "2"]


def _calls(mpi: str, profile: Path, mode: str, count: int) -> dict[str, float]:
    front: list[str | Path] = [ECO, "exec"] if MODES[mode] else []
    how = ["by-hand"] if mode == "by-hand" else []
    done = subprocess.run(
        [*_launcher(mpi), *front, built(f"calls-{mpi}"), str(count), *how],
        env=_environment(MODES[mode]) | {"ECO_PROFILE": str(profile)},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    found: dict[str, float] = json.loads(done.stdout)
    return found


def _start(command: list[str | Path], starts: int) -> float:
    """Median seconds of starting and ending the command."""
    taken = []
    for _ in range(starts):
        start = time.perf_counter()
        subprocess.run(command, env=_environment(), check=True)
        taken.append(time.perf_counter() - start)
    return sorted(taken)[starts // 2]


def _profile(mpi: str) -> Path:
    """Of this host alone: all ranks are on it, and ECO knows it."""
    file = PROJECT / "build" / f"overhead-{mpi}.json"
    file.unlink(missing_ok=True)
    subprocess.run(
        [ECO, "measure", "--json", "--no-tune", "-o", file, "--", *_launcher(mpi)],
        env=_environment(),
        stdout=subprocess.DEVNULL,
        check=True,
    )
    return file


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--mpi", choices=("openmpi", "mpich"), default="openmpi")
    parser.add_argument("--short", action="store_true", help="each once: no figures to keep")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    runs, starts, calls = (1, 3, 100) if given.short else (RUNS, STARTS, ROUND)
    profile = _profile(given.mpi)
    samples: dict[str, list[dict[str, float]]] = {mode: [] for mode in MODES}
    for _ in range(runs):
        for mode in MODES:
            samples[mode].append(_calls(given.mpi, profile, mode, calls))
    found = {
        call: {mode: min(one[call] for one in samples[mode]) for mode in MODES} for call in CALLS
    }
    alone: list[str | Path] = [built(f"calls-{given.mpi}"), "0"]
    more = 1e3 * (_start([ECO, "exec", *alone], starts) - _start(alone, starts))
    if given.json:
        print(json.dumps({"mpi": given.mpi, "calls_ns": found, "exec_ms": round(more, 2)}))
        return 0
    print(f"{given.mpi}, two ranks, ns a call" + "".join(f"{mode:>17}" for mode in MODES))
    for call, text in CALLS.items():
        print(f"  {text:32}" + "".join(f"{found[call][mode]:>17.1f}" for mode in MODES))
    print(f"eco exec, start to end of a program linked with MPI: {more:+.2f} ms")
    return 0


if __name__ == "__main__":
    sys.exit(main())
