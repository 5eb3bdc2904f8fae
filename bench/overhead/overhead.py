#!/usr/bin/env python3
"""What ECO costs where it does nothing: a collective call that passes through, and `eco exec`.

    bench/overhead/overhead.py                 Open MPI
    bench/overhead/overhead.py --mpi mpich --json

Both interleaved with native, minimum of several runs.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).resolve().parents[2]
ECO = PROJECT / "build" / "release" / "bin" / "eco"
RUNS = 5
STARTS = 200


def _environment() -> dict[str, str]:
    names = {
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "OMPI_MCA_mpi_yield_when_idle": "1",
        "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
    }
    return os.environ | names | {"ECO_CHOICE": "native", "ECO_VERBOSE": "0"}


def _calls(mpi: str, profile: Path, with_eco: bool) -> dict[str, float]:
    tools = PROJECT / ".deps" / mpi / "bin"
    program = PROJECT / "build" / f"overhead-{mpi}"
    if not program.exists():
        subprocess.run(
            [tools / "mpicc", "-O2", "-o", program, Path(__file__).with_name("calls.c")], check=True
        )
    launcher: list[str | Path] = [tools / ("mpirun" if mpi == "openmpi" else "mpiexec"), "-n", "2"]
    front: list[str | Path] = [ECO, "exec"] if with_eco else []
    done = subprocess.run(
        [*launcher, *front, program],
        env=_environment() | {"ECO_PROFILE": str(profile)},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    found: dict[str, float] = json.loads(done.stdout)
    return found


def _least(samples: list[dict[str, float]], key: str) -> float:
    return min(sample[key] for sample in samples)


def _start(command: list[str | Path]) -> float:
    """Median seconds of starting and ending the command."""
    taken = []
    for _ in range(STARTS):
        start = time.perf_counter()
        subprocess.run(command, env=_environment(), check=True)
        taken.append(time.perf_counter() - start)
    return sorted(taken)[STARTS // 2]


def _profile(mpi: str) -> Path:
    """Of this host alone: all ranks are on it, and ECO knows it."""
    file = PROJECT / "build" / f"overhead-{mpi}.json"
    tools = PROJECT / ".deps" / mpi / "bin"
    launcher = tools / ("mpirun" if mpi == "openmpi" else "mpiexec")
    subprocess.run(
        [ECO, "measure", "--json", "--no-tune", "-o", file, "--", launcher, "-n", "2"],
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
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    profile = _profile(given.mpi)
    native, eco = [], []
    for _ in range(RUNS):
        native.append(_calls(given.mpi, profile, False))
        eco.append(_calls(given.mpi, profile, True))
    program = PROJECT / "build" / f"overhead-{given.mpi}"
    alone: list[str | Path] = [program, "and end at once"]
    result: dict[str, Any] = {
        "mpi": given.mpi,
        "pass_through_ns": {
            key: round(_least(eco, f"{key}_ns") - _least(native, f"{key}_ns"), 1)
            for key in ("self", "world")
        },
        "native_ns": {key: _least(native, f"{key}_ns") for key in ("self", "world")},
        "exec_ms": round((_start([ECO, "exec", *alone]) - _start(alone)) * 1e3, 2),
    }
    if given.json:
        print(json.dumps(result))
        return 0
    print(f"a collective call that passes through, {given.mpi}:")
    for key, where in (("self", "MPI_COMM_SELF"), ("world", "MPI_COMM_WORLD, 2 ranks")):
        print(
            f"  {where:24} native {result['native_ns'][key]:7.1f} ns   "
            f"with ECO {result['pass_through_ns'][key]:+7.1f} ns"
        )
    print(f"eco exec, start to end of a program linked with MPI: {result['exec_ms']:+.2f} ms")
    return 0


if __name__ == "__main__":
    sys.exit(main())
