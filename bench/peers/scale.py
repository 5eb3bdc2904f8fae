#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""ECO beside SMPI's selectors (ompi, mpich, mvapich2, impi) on simulated grids, 32 ranks and up.

    bench/peers/scale.py                               two sites of two clusters of 8 hosts
    bench/peers/scale.py --grid uneven --sizes 1024,1048576
    bench/peers/scale.py --grid wide --json            1,024 ranks; takes long
    bench/peers/scale.py --choices 'direct;ring'       only these, one line each
    bench/peers/scale.py --short                       two operations, seconds

The same engine as in the preload objects, linked with SimGrid's SMPI (Debian: libsimgrid-dev).
Simulated time, so the same figures on every machine. Ratios are against the best of the four
selectors, "bound" is what no schedule can beat (grids.py).
"""

import argparse
import json
import math
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from built import PROJECT, built_with_simgrid
from grids import Grid

BUILD = PROJECT / "build" / "peers"
SELECTORS = ("ompi", "mpich", "mvapich2", "impi")
GRIDS = {
    "two-sites": Grid("two-sites", ((8, 8), (8, 8))),
    "uneven": Grid("uneven", ((10, 10), (9,), (3,))),
    "wide": Grid("wide", (tuple([64] * 8), tuple([64] * 8))),
}
OPERATIONS = (
    "bcast,reduce,allreduce,barrier,scatter,gather,allgather,alltoall,scan,exscan,reduce_scatter,"
    "reduce_scatter_block,scatterv,gatherv,allgatherv,alltoallv,alltoallw"
)
# As measured times: no modelled protocol overheads, no computing.
MODEL = (
    "smpi/simulate-computation:no",
    "smpi/lat-factor:0:1",
    "smpi/bw-factor:0:1",
    "network/crosstraffic:0",
    "network/TCP-gamma:0",
    "network/weight-S:0",
    "smpi/host-speed:10Gf",
    # MPI_Test and what is made of it (MPI_Waitsome) cost nothing, as MPI_Wait does.
    "smpi/test:0",
)
SHORT = {"operations": "bcast,scatter", "sizes": "1024", "roots": 1}


def run(grid: Grid, seed: int | None, words: list[str], selector: str) -> list[dict[str, object]]:
    folder = BUILD / f"{grid.name}-{'order' if seed is None else seed}"
    grid.write(folder, seed)
    command = ["smpirun", "-np", str(len(grid.hosts)), "-platform", folder / "platform.xml"]
    command += ["-hostfile", folder / "hosts", *(f"--cfg={setting}" for setting in MODEL)]
    command += [f"--cfg=smpi/coll-selector:{selector}", "--log=root.thresh:error"]
    done = subprocess.run(
        [*command, built_with_simgrid("collectives"), folder / "profile.json", *words],
        stdout=subprocess.PIPE,
        text=True,
    )
    if done.returncode != 0:
        sys.exit(f"scale.py: smpirun failed with exit code {done.returncode}")
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def bound_of(grid: Grid, seed: int | None, row: dict, roots: int) -> float:
    return grid.bound(row["operation"], row["bytes"], seed, roots)


def try_choices(grid: Grid, seed: int | None, given: argparse.Namespace) -> list[dict]:
    """One row per operation, size and choice, with times of the bound."""
    words = [given.choices, given.operations, given.sizes, str(given.roots)]
    rows = run(grid, seed, words, "ompi")
    return [
        {**row, "times_bound": row["seconds"] / bound_of(grid, seed, row, given.roots)}
        for row in rows
    ]


def _key(found: dict) -> tuple[str, int]:
    """A barrier has no size, and counts once."""
    return found["operation"], 0 if found["operation"] == "barrier" else found["bytes"]


def measure(grid: Grid, seed: int | None, operations: str, sizes: str, roots: int) -> list[dict]:
    """One row per operation and size: the selectors' seconds, ECO's best, and the bound."""
    rows: dict[tuple[str, int], dict] = {}
    for selector in SELECTORS:
        print(f"{grid.name}, {selector}…", file=sys.stderr)
        for found in run(grid, seed, ["native", operations, sizes, str(roots)], selector):
            key = _key(found)
            row = rows.setdefault(key, {"operation": key[0], "bytes": key[1], "selectors": {}})
            row["selectors"][selector] = found["seconds"]
    print(f"{grid.name}, ECO…", file=sys.stderr)
    for found in run(grid, seed, ["eco", operations, sizes, str(roots)], "ompi"):
        row = rows[_key(found)]
        if found["seconds"] < row.get("eco", math.inf):
            row["eco"], row["choice"] = found["seconds"], found["choice"]
    for row in rows.values():
        row["bound"] = bound_of(grid, seed, row, roots)
        row["best"] = min(row["selectors"], key=row["selectors"].get)
        row["ratio"] = row["selectors"][row["best"]] / row["eco"]
    return list(rows.values())


def mean(values: list[float]) -> float:
    return math.exp(sum(map(math.log, values)) / len(values))


def table(title: str, rows: list[dict]) -> str:
    lines = [title, f"{'operation':20}{'bytes':>10}{'best selector':>22}{'ECO':>12}{'ratio':>8}"]
    lines[1] += f"{'× bound':>9}  ECO used"
    for row in rows:
        native = f"{row['selectors'][row['best']] * 1e3:.2f} ms {row['best']:>9}"
        lines.append(
            f"{row['operation']:20}{row['bytes']:>10}{native:>22}{row['eco'] * 1e3:>9.2f} ms"
            f"{row['ratio']:>8.2f}{row['eco'] / row['bound']:>9.2f}  {row['choice']}"
        )
    least = min(rows, key=lambda row: row["ratio"])
    lines.append(
        f"geometric mean of {len(rows)} ratios: {mean([row['ratio'] for row in rows]):.2f}; least "
        f"{least['ratio']:.2f} ({least['operation']}, {least['bytes']} bytes)"
    )
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--grid", choices=sorted(GRIDS), default="two-sites")
    parser.add_argument("--operations", default=OPERATIONS)
    parser.add_argument("--sizes", default="1024,65536,1048576")
    parser.add_argument("--roots", type=int, default=3, help="how many, evenly spread")
    parser.add_argument("--seed", type=int, default=1, help="of the shuffled placement")
    parser.add_argument("--choices", help="of ECO, by semicolons, instead of all beside selectors")
    parser.add_argument("--short", action="store_true", help="a first look, in seconds")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    if given.short:
        vars(given).update(SHORT)
    grid = GRIDS[given.grid]
    results = {}
    for title, seed in (("in order", None), ("shuffled", given.seed)):
        if given.choices:
            results[title] = try_choices(grid, seed, given)
            if not given.json:
                print(title)
                for row in results[title]:
                    print(
                        f"  {row['operation']:12}{row['bytes']:>9}{row['seconds'] * 1e3:>10.2f} ms"
                        f"{row['times_bound']:>6.2f} × bound  {row['choice']}"
                    )
            continue
        rows = measure(grid, seed, given.operations, given.sizes, given.roots)
        results[title] = rows
        if not given.json:
            print(table(f"\n{grid.name}, {len(grid.hosts)} ranks, {title}", rows))
    if given.json:
        print(json.dumps({"grid": grid.name, "ranks": len(grid.hosts), "results": results}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
