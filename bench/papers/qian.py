#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the experiments of Qian and Afsahi, "Efficient RDMA-based Multi-port Collectives on
Multi-rail QsNet-II Clusters" (2006), Figs. 1 to 7, again over the lab's hosts with two cards.

    bench/papers/qian.py                             all figures on two-rails, as tables
    bench/papers/qian.py --figure 6 --mpi mpich      gather over size, beside MPICH
    bench/papers/qian.py --scenario unequal-rails --figure 6 --sizes 65536,1048576 --json
    bench/papers/qian.py --figure 5,6,7 --processes 4,6,8 --plot scale.svg
    bench/papers/qian.py --figure 6 --sizes 65536 --tuned    beside Open MPI at its best
    bench/papers/qian.py --figure 7 --processes 8 --scale 0.25    where this machine's processors
                                                     do not limit what eight hosts can carry

Figures 1 to 3 are messages between two hosts: one way (several under way, the last one answered),
there and back, both ways at once; Mbit/s in each direction. The paper has one figure for each of
its layers and all three kinds of traffic in it; here it is one for each kind. Figures 4 to 7 are
collectives: on one rail and on two, over size, over number of processes. Native is the MPI
library's own with both interfaces given to it, interleaved with ECO in one job. --tuned has it run
in jobs of its own too, with other eager limits (Open MPI), and the best of these is a column; gain
is over the better of both.
"""

import argparse
import itertools
import json
import math
import os
import statistics
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from built import built
from lab_figures import ECO, OUT, add_options, eco, probe, show

STAR = "tree:inner=star,{rails}on=ranks"
TREE = "tree:inner=binomial2,ports=2,{rails}on=ranks"
DIRECT = "direct:window=2{comma}{rails}"
WIDE = "direct:window=4{comma}{rails}"  # twice as many under way
# Of messages between two hosts: the figure's title, and pair.cpp's name for this traffic.
PAIRS = {
    1: ("one way", "one-way"),
    2: ("there and back", "there-and-back"),
    3: ("both ways", "both-ways"),
}
# Of collectives: the figure's title, the operation, planners by the paper's names.
COLLECTIVES: dict[int, tuple[str, str, dict[str, str]]] = {
    4: ("broadcast", "bcast", {"tree": TREE, "star": STAR}),
    5: ("scatter", "scatter", {"BSRW": TREE, "SSRW": STAR}),
    6: ("gather", "gather", {"BGRW": TREE, "direct": STAR}),
    7: (
        "all-to-all",
        "alltoall",
        {"DARW": DIRECT, "DARW wide": WIDE, "index": "index:ports=2{comma}{rails}"},
    ),
}
# Of Open MPI's TCP. Up to the limit a message goes over one card, from there on over both.
EAGER_LIMITS = (1024, 8192, 32768, 262144)
LIMIT_NAMES = ("OMPI_MCA_btl_tcp_eager_limit", "OMPI_MCA_btl_tcp_rndv_eager_limit")
SHORT = {"figure": "1,4", "processes": "2", "sizes": "65536", "repeats": 2}
MEASURED: set[Path] = set()  # in this run
PAIR_SIZES = "1024,16384,65536,1048576,4194304"
SIZES = "1024,16384,65536,1048576"


def _launcher(hosts: int, given: argparse.Namespace) -> list[str]:
    words = [str(ECO), "lab", "run", given.scenario, "--mpi", given.mpi, "--native"]
    return [*words, "--scale", str(given.scale), "--hosts", str(hosts), "--"]


def _profile(hosts: int, given: argparse.Namespace) -> Path:
    OUT.mkdir(parents=True, exist_ok=True)
    speed = "" if given.scale == 1 else f"-x{given.scale:g}"
    path = OUT / f"{Path(given.scenario).stem}-{hosts}-{given.mpi}{speed}-rails.json"
    if (given.again and path not in MEASURED) or not path.exists():
        print(f"measuring {given.scenario}, {hosts} hosts…", file=sys.stderr)
        words = ["measure", "--json", "--no-tune", "--again", "-o", path]
        eco(*words, "--", *_launcher(hosts, given))
        MEASURED.add(path)
    return path


def _named(planners: dict[str, str]) -> dict[str, str]:
    """Each planner on one rail and on two, in ECO's words."""
    found = {}
    for name, form in planners.items():
        for rails in (1, 2):
            text = form.format(rails=f"rails={rails},", comma=",").rstrip(",")
            found[f"{name} {rails}"] = text
    return found


def _rates(profile: Path) -> list[float]:
    """What each rail carries, the median over the pairs."""
    rails = json.loads(profile.read_text()).get("rails") or {"rails": []}
    return [
        statistics.median(rate for row in rail["bandwidth"] for rate in row if rate > 0)
        for rail in rails["rails"]
    ]


def _run_pairs(path: Path, names: Iterable[str], given: argparse.Namespace) -> list[dict[str, Any]]:
    words = [*_launcher(2, given), str(built(f"pair-{given.mpi}")), "--profile", "-"]
    words += ["--sizes", given.sizes or PAIR_SIZES, "--patterns", ",".join(names)]
    words += ["--repeats", str(given.repeats)] if given.repeats else []
    return [event for event in probe(words, path) if event["event"] == "result"]


def _run_collective(
    path: Path, operation: str, patterns: list[str], hosts: int, given: argparse.Namespace
) -> list[dict[str, Any]]:
    words = ["bench", "--json", "--topology", path, "--operations", operation]
    words += ["--sizes", given.sizes or SIZES, "--patterns", ",".join(patterns)]
    words += ["--repeats", str(given.repeats)] if given.repeats else []
    results = json.loads(eco(*words, "--", *_launcher(hosts, given)))["results"]
    return [dict(row) for row in results]


def _tuned(
    run: Callable[[], list[dict[str, Any]]], given: argparse.Namespace
) -> dict[tuple[str, int], float]:
    """The best native median over the eager limits, by traffic and size."""
    best: dict[tuple[str, int], float] = {}
    for limit in EAGER_LIMITS if given.tuned else ():
        print(f"native, eager limit {limit}…", file=sys.stderr)
        for name in LIMIT_NAMES:
            os.environ[name] = str(limit)
        for row in run():
            key = (row.get("traffic", ""), row["bytes"])
            best[key] = min(best.get(key, math.inf), row["patterns"][0]["median"])
        for name in LIMIT_NAMES:
            del os.environ[name]
    return best


def _row(
    row: dict[str, Any], names: dict[str, str], tuned: dict[tuple[str, int], float]
) -> dict[str, float]:
    found = {names[each["pattern"]]: each["median"] for each in row["patterns"]}
    best = tuned.get((row.get("traffic", ""), row["bytes"]))
    return found if best is None else found | {"tuned": best}


def pairs(numbers: list[int], given: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Figures 1 to 3, which one run gives: seconds per message by size and means."""
    if not numbers:
        return
    path = _profile(2, given)
    names = {"native": "native", "rails-1": "put 1", "rails-2": "put 2"}
    print("figures 1 to 3, 2 hosts…", file=sys.stderr)
    found = _run_pairs(path, names, given)
    tuned = _tuned(lambda: _run_pairs(path, ["native"], given), given)
    for number in numbers:
        title, traffic = PAIRS[number]
        yield {
            "figure": number,
            "title": title,
            "hosts": 2,
            "rates": _rates(path),
            "sizes": {
                row["bytes"]: _row(row, names, tuned) for row in found if row["traffic"] == traffic
            },
        }


def collective(number: int, hosts: int, given: argparse.Namespace) -> dict[str, Any]:
    """Medians in seconds by size and planner; the rate of each rail."""
    title, operation, planners = COLLECTIVES[number]
    path = _profile(hosts, given)
    names = _named(planners)
    print(f"figure {number}, {title}, {hosts} hosts…", file=sys.stderr)
    found = _run_collective(path, operation, ["native", *names.values()], hosts, given)
    tuned = _tuned(lambda: _run_collective(path, operation, ["native"], hosts, given), given)
    back = {text: name for name, text in names.items()} | {"native": "native"}
    return {
        "figure": number,
        "title": title,
        "hosts": hosts,
        "rates": _rates(path),
        "sizes": {row["bytes"]: _row(row, back, tuned) for row in found},
    }


def text(found: dict[str, Any], given: argparse.Namespace) -> str:
    names = list(next(iter(found["sizes"].values())))
    rates = " + ".join(f"{8e-6 * rate:.1f}" for rate in found["rates"])
    unit = "Mbit/s" if found["figure"] in PAIRS else "ms"
    lines = [
        f"\nFigure {found['figure']}: {found['title']}, {found['hosts']} hosts, {given.mpi}; rails "
        f"of {rates} Mbit/s; {unit}",
        f"{'bytes':>9}" + "".join(f"{name:>12}" for name in names) + f"{'gain':>8}{'rails':>8}",
    ]
    for size, row in found["sizes"].items():
        two = min(value for name, value in row.items() if name.endswith(" 2"))
        one = min(value for name, value in row.items() if name.endswith(" 1"))
        rival = min(row["native"], row.get("tuned", math.inf))
        cells = "".join(f"{shown(found, size, row[name]):>12.2f}" for name in names)
        lines.append(f"{size:>9}{cells}{rival / two:>7.2f}×{one / two:>7.2f}×")
    return "\n".join(lines)


def shown(found: dict[str, Any], size: int, seconds: float) -> float:
    """Mbit/s for messages between two hosts, milliseconds for collectives."""
    return 8e-6 * size / seconds if found["figure"] in PAIRS else 1e3 * seconds


def draw(axes: Any, found: dict[str, Any]) -> None:
    sizes = list(found["sizes"])
    for name in found["sizes"][sizes[0]]:
        axes.plot(sizes, [shown(found, s, found["sizes"][s][name]) for s in sizes], label=name)
    axes.set(title=f"Figure {found['figure']}: {found['title']}, {found['hosts']} hosts")
    if found["figure"] in PAIRS:
        axes.set(xlabel="bytes", xscale="log", ylabel="Mbit/s")
    else:
        axes.set(xlabel="bytes", xscale="log", yscale="log", ylabel="ms")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--figure", default="1,2,3,4,5,6,7")
    parser.add_argument("--mpi", choices=("openmpi", "mpich"), default="openmpi")
    parser.add_argument("--scenario", default="two-rails")
    parser.add_argument("--processes", default="4", help="hosts, one rank on each")
    parser.add_argument("--sizes", help="bytes of a message or block")
    parser.add_argument("--scale", type=float, default=1, help="multiplies the cards' rates")
    parser.add_argument("--tuned", action="store_true", help="native with other eager limits too")
    add_options(parser)
    given = parser.parse_args()
    if given.short:
        vars(given).update(SHORT)
    os.environ.pop("ECO_CHOICE", None)
    try:
        numbers = [int(word) for word in given.figure.split(",")]
        processes = [int(word) for word in given.processes.split(",")]
        if not set(numbers) <= {*PAIRS, *COLLECTIVES} or min(processes) < 2:
            raise ValueError
    except ValueError:
        parser.error("--figure takes some of 1 to 7; --processes numbers from 2")
    if given.tuned and given.mpi != "openmpi":
        parser.error("--tuned sets Open MPI's eager limits; leave it out with MPICH")
    figures = itertools.chain(
        pairs([number for number in numbers if number in PAIRS], given),
        (
            collective(number, hosts, given)
            for number in numbers
            if number in COLLECTIVES
            for hosts in processes
        ),
    )
    show(figures, given, text, draw)
    return 0


if __name__ == "__main__":
    sys.exit(main())
