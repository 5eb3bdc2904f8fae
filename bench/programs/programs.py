#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Debian's own MPI programs, unmodified, in the lab: natively and with ECO in turn.

    bench/programs/programs.py                                 # all of them on three-segments
    bench/programs/programs.py --networks magpie,campus-20 --programs cp2k,lammps --repeats 3
    bench/programs/programs.py --programs hpcc --scale 10      # links ten times as fast

A network that has no profile in --profiles is measured first, as users do it: `eco measure`, one
minute, with the library that the programs use (Debian's Open MPI 4.1). The time is what a program
reports of itself, or its loop; --json has the wall time of the whole command too, start of the lab
included. Of HPCC the rate of each part is compared too. Results must agree: floating-point sums may
be made in another order, so to within the program's own digits. A program that is not installed is
named, with its package.
"""

import argparse
import json
import math
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from built import ECO
from known import PROGRAMS, Program

HERE = Path(__file__).resolve().parent
LIBRARY = Path(f"/usr/lib/{os.uname().machine}-linux-gnu/libmpi.so.40")
WAYS = ("native", "eco")


def _environment(program: Program | None = None) -> dict[str, str]:
    own = program.environment if program else {}
    return dict(os.environ, OMP_NUM_THREADS="1", ECO_LAB_LIBRARY=str(LIBRARY), **own)


def _measure(network: str, scale: str, profile: Path) -> None:
    print(f"measuring {network}: about a minute", file=sys.stderr)
    lab = [ECO, "lab", "run", network, "--mpi", "openmpi", "--scale", scale, "--native", "--"]
    words = [ECO, "measure", "-o", profile, "--", *lab]
    done = subprocess.run(list(map(str, words)), env=_environment(), stdout=subprocess.DEVNULL)
    if done.returncode != 0:
        sys.exit(f"{network} could not be measured: exit code {done.returncode}")


def _prepare(program: Program, folder: Path) -> None:
    """Its inputs, in a folder of its own."""
    for name in program.inputs:
        shutil.copy(HERE / "inputs" / name, folder)
    for words in program.prepare:
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{program.name}: {' '.join(words)}: {done.stderr[-500:]}")


def _run(
    program: Program, lab: tuple[str, str], way: str, profile: Path, folder: Path, short: bool
) -> dict[str, Any]:
    """lab: the network and its scale."""
    network, scale = lab
    words = [ECO, "lab", "run", network, "--mpi", "openmpi", "--scale", scale]
    words += ["--native"] if way == "native" else ["--topology", profile]
    words += ["--", *program.words, *(program.short if short else ())]
    if program.log:
        (folder / program.log).unlink(missing_ok=True)  # some programs append to it
    began = time.monotonic()
    done = subprocess.run(
        list(map(str, words)), cwd=folder, env=_environment(program), capture_output=True, text=True
    )
    wall = time.monotonic() - began
    if done.returncode != 0:
        sys.exit(f"{program.name} on {network}, {way}: {done.stdout[-500:]}{done.stderr[-1500:]}")
    text = done.stdout + ((folder / program.log).read_text() if program.log else "")
    took = program.time.findall(text) if program.time else [wall]
    rates = {
        part: float(value)
        for part, name in program.rates.items()
        for value in re.findall(rf"^{name}=(\S+)", text, re.M)
    }
    results = [float(value) for found in program.result.findall(text) for value in found.split()]
    if not took or not results or len(rates) < len(program.rates):
        sys.exit(f"{program.name} on {network}, {way}: no time or result in {text[-1500:]}")
    return {"took": float(took[-1]), "wall": wall, "results": results, "rates": rates}


def agree(one: list[float], two: list[float], digits: int) -> bool:
    """To within `digits` decimal digits of the larger."""
    return len(one) == len(two) and all(
        math.isclose(a, b, rel_tol=10.0**-digits, abs_tol=1e-12)
        for a, b in zip(one, two, strict=True)
    )


def _compare(given: argparse.Namespace, program: Program, network: str) -> dict[str, Any]:
    faster = "" if given.scale == "1" else f"-{given.scale}"
    profile = given.profiles / f"{network}{faster}.json"
    if not profile.exists():
        given.profiles.mkdir(parents=True, exist_ok=True)
        _measure(network, given.scale, profile)
    runs: dict[str, list[dict[str, Any]]] = {way: [] for way in WAYS}
    lab = (network, given.scale)
    with tempfile.TemporaryDirectory(prefix="eco-programs-") as folder:
        _prepare(program, Path(folder))
        for _ in range(given.repeats):
            for way in WAYS:
                run = _run(program, lab, way, profile, Path(folder), given.short)
                runs[way].append(run)
    first = runs["native"][0]["results"]
    row: dict[str, Any] = {"program": program.name, "network": network}
    for way in WAYS:
        row[way] = statistics.median(run["took"] for run in runs[way])
        row[f"{way}_wall"] = statistics.median(run["wall"] for run in runs[way])
    row["ratio"] = row["native"] / row["eco"]
    row["parts"] = {
        part: statistics.median(run["rates"][part] for run in runs["eco"])
        / statistics.median(run["rates"][part] for run in runs["native"])
        for part in program.rates
    }
    row["same"] = all(
        agree(run["results"], first, program.digits) for way in WAYS for run in runs[way]
    )
    return row


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--networks", default="three-segments", help="scenarios of the lab")
    parser.add_argument("--programs", default=",".join(PROGRAMS), help="some of the usual")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--profiles", type=Path, default=Path("build/programs"), help="a folder")
    parser.add_argument("--scale", default="1", help="links so many times as fast")
    parser.add_argument("--short", action="store_true", help="one short run each")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    if not LIBRARY.exists():
        sys.exit(f"{LIBRARY} is missing: apt install openmpi-bin")
    given.repeats = 1 if given.short else given.repeats
    rows: list[dict[str, Any]] = []
    missing: list[str] = []
    for name in given.programs.split(","):
        program = PROGRAMS[name]
        if not program.installed:
            missing.append(name)
            print(f"{name} is missing: apt install {program.package}", file=sys.stderr)
            continue
        for network in given.networks.split(","):
            row = _compare(given, program, network)
            rows.append(row)
            if not given.json:
                print(
                    f"{name:14}{network:16} native {row['native']:7.2f} s   ECO {row['eco']:7.2f} s"
                    f"   {row['ratio']:5.2f}×   {'same results' if row['same'] else 'DIFFERENT'}",
                    flush=True,
                )
                for part, ratio in row["parts"].items():
                    print(f"{'':14}{part:55}{ratio:5.2f}×", flush=True)
    if given.json:
        print(json.dumps({"rows": rows, "missing": missing}))
    return 0 if all(row["same"] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
