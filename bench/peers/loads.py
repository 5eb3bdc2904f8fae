#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Whether some schedule loads the busiest link no more than it must, by simulation.

    bench/peers/loads.py cluster.json --sizes 16000,256000   # a measured network
    bench/peers/loads.py --drawn 60                          # networks drawn at random

For each operation: the least load of the busiest link of any candidate, and the least time, both
over the lower bound without multicast. Where the load is near 1 and the time is not, latency is
what is missing, and no other division of the bytes among the links would help.
"""

import argparse
import json
import random
import statistics
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))

from eco.engine import engine

from eco import profile as profiles

OPERATIONS = "bcast,reduce,allreduce,allgather,reduce_scatter"
RATES = (10, 10, 20, 50, 100)  # Mbit/s
BYTES_OF_MEGABIT = 0.118e6  # that arrive, of each Mbit
OVERHEAD, INSIDE, BETWEEN = 40e-6, 50e-6, 300e-6  # seconds
SIZES = (1, 1024, 16384)


def drawn_profile(draw: random.Random) -> dict[str, Any]:
    """Two to five subnets of one to five hosts, on buses and switches, some with uplinks."""
    levels: list[int] = []
    media: list[dict[str, Any]] = []
    while len(levels) < 4:
        levels, media = [], []
        for cluster in range(draw.randint(2, 5)):
            size, kind = draw.randint(1, 5), draw.choice(["bus", "bus", "switch"])
            up = draw.choice([None, None, 10, 20]) if kind == "switch" else None
            rate = draw.choice(RATES) * BYTES_OF_MEGABIT
            uplink = up and up * BYTES_OF_MEGABIT
            levels += [cluster] * size
            media.append(
                {"level": 0, "cluster": cluster, "kind": kind, "rate": rate, "uplink": uplink}
            )
    numbers = range(len(levels))

    def cost(a: int, b: int) -> tuple[float, float]:
        ends = [media[levels[a]], media[levels[b]]]
        if levels[a] == levels[b]:
            return INSIDE, 1 / ends[0]["rate"]
        return BETWEEN, 1 / min(each["uplink"] or each["rate"] for each in ends)

    def table(value: Any) -> list[list[float]]:
        return [[0.0 if a == b else value(*cost(a, b)) for b in numbers] for a in numbers]

    calls = [[OVERHEAD, 0.0] for _ in numbers]
    return {
        "eco_profile": 1,
        "created": "2026-01-01T00:00:00Z",
        "mpi": {"family": "openmpi", "version": "Open MPI v5.0.11"},
        "hosts": [f"n{number}" for number in numbers],
        "parameters": {
            "sizes": list(SIZES),
            "round_trips": 5,
            "repeats": 3,
            "partition_bytes": 1024,
            "tolerance": 0.2,
        },
        "minimum": [table(lambda f, b, m=m: f + 2 * OVERHEAD + m * b) for m in SIZES],
        "spread": [table(lambda _, __: 0.0) for _ in SIZES],
        "tuning": [],
        "levels": [levels],
        "ring": list(numbers),
        "model": {
            "send": calls,
            "receive": calls,
            "error": 0.0,
            "media": [each for each in media if levels.count(each["cluster"]) > 1],
            "transfer": {
                "fixed": table(lambda fixed, _: fixed),
                "per_byte": table(lambda _, per_byte: per_byte),
            },
        },
    }


def networks(given: argparse.Namespace) -> Iterator[tuple[str, Any]]:
    for path in given.profile:
        yield path.name, profiles.read_both(path)[1]
    for seed in range(given.drawn):
        text = json.dumps(drawn_profile(random.Random(seed)))
        yield f"drawn {seed}", engine().parse_profile(text.encode(), f"drawn {seed}")


def compare(profile: Any, operation: str, size: int, root: int) -> tuple[float, float] | None:
    """The least load and the least time over the bound; None: nothing to simulate."""
    hosts = list(range(len(profile.hosts)))
    call = engine().build_network(profile), hosts, engine().build_hierarchy(profile, hosts)
    bound = engine().bound(*call, operation, root, size, False)[0]
    loads, times = [], []
    for choice in engine().forecast(*call, operation, root, size, 40):
        if "mcast" in choice:
            continue
        run = json.loads(engine().simulate(*call, operation, root, size, choice))
        loads.append(max(link["share"] for link in run["links"]) * run["time"])
        times.append(run["time"])
    return (min(loads) / bound, min(times) / bound) if times else None


def row(given: argparse.Namespace, operation: str, size: int) -> dict[str, Any]:
    found = {}
    for name, profile in networks(given):
        root = random.Random(name).randrange(len(profile.hosts))
        ratios = compare(profile, operation, size, root)
        if ratios:
            found[name] = ratios
    if not found:
        sys.exit(f"{operation} of {size} bytes: there is no network, or nothing to simulate")
    times = [time for _, time in found.values()]
    worst = max(found, key=lambda name: found[name][0])
    return {
        "operation": operation,
        "bytes": size,
        "networks": len(found),
        "median_time": statistics.median(times),
        "most_time": max(times),
        "more": sum(load > 1.05 for load, _ in found.values()),
        "most_load": found[worst][0],
        "worst": worst,
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("profile", nargs="*", type=Path)
    parser.add_argument("--drawn", type=int, default=0, help="so many networks")
    parser.add_argument("--operations", default=OPERATIONS)
    parser.add_argument("--sizes", default="256000")
    parser.add_argument("--short", action="store_true", help="two networks, one operation")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    if given.short:
        given.drawn, given.operations = 2, "reduce_scatter"
    rows = []
    for operation in given.operations.split(","):
        for size in map(int, given.sizes.split(",")):
            rows.append(row(given, operation, size))
            if not given.json:
                print(
                    "{operation} {bytes}: {networks} networks; time over bound {median_time:.2f} "
                    "in the median, {most_time:.2f} at most; least load over 1.05 in {more}, "
                    "{most_load:.2f} at most ({worst})".format(**rows[-1]),
                    flush=True,
                )
    if given.json:
        json.dump({"rows": rows}, sys.stdout)


if __name__ == "__main__":
    main()
