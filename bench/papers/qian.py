#!/usr/bin/env python3
"""Runs the experiments of Qian and Afsahi, "Efficient RDMA-based Multi-port Collectives on
Multi-rail QsNet-II Clusters" (2006), Figs. 1 to 7, again over the lab's hosts with two cards.

    bench/papers/qian.py                             all figures on two-rails, as tables
    bench/papers/qian.py --figure 6 --mpi mpich      gather over size, beside MPICH
    bench/papers/qian.py --scenario unequal-rails --figure 6 --sizes 65536,1048576 --json
    bench/papers/qian.py --figure 5,6,7 --processes 4,6,8 --plot scale.svg

Figures 1 to 3 are two hosts: one way (a message and its answer in turn), and both ways at once.
Figures 4 to 7 are collectives: on one rail and on two, over size, over number of processes. Native
is the MPI library's own with both interfaces given to it, interleaved with ECO in one job; for Open
MPI its eager limits can be set as usual, by OMPI_MCA_btl_tcp_eager_limit.
"""

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from lab_figures import ECO, OUT, add_options, eco, show

STAR = "tree:inner=star,{rails}on=ranks"
TREE = "tree:inner=binomial2,ports=2,{rails}on=ranks"
DIRECT = "direct:window=2{comma}{rails}"
# Of each figure: its title, the operation, planners by the paper's names, hosts where fixed.
FIGURES: dict[int, tuple[str, str, dict[str, str], int | None]] = {
    1: ("one way", "bcast", {"put": STAR}, 2),
    2: ("both ways", "alltoall", {"put": DIRECT}, 2),
    4: ("broadcast", "bcast", {"tree": TREE, "star": STAR}, None),
    5: ("scatter", "scatter", {"BSRW": TREE, "SSRW": STAR}, None),
    6: ("gather", "gather", {"BGRW": TREE, "direct": STAR}, None),
    7: ("all-to-all", "alltoall", {"DARW": DIRECT, "index": "index:ports=2{comma}{rails}"}, None),
}


def _launcher(hosts: int, given: argparse.Namespace) -> list[str]:
    words = [str(ECO), "lab", "run", given.scenario, "--mpi", given.mpi, "--native"]
    return [*words, "--hosts", str(hosts), "--"]


def _profile(hosts: int, given: argparse.Namespace) -> Path:
    OUT.mkdir(parents=True, exist_ok=True)
    path = OUT / f"{Path(given.scenario).stem}-{hosts}-{given.mpi}-rails.json"
    if given.again or not path.exists():
        print(f"measuring {given.scenario}, {hosts} hosts…", file=sys.stderr)
        words = ["measure", "--json", "--no-tune", "--again", "-o", path]
        eco(*words, "--", *_launcher(hosts, given))
    return path


def _named(planners: dict[str, str]) -> dict[str, str]:
    """Each planner on one rail and on two, in ECO's words."""
    found = {}
    for name, form in planners.items():
        for rails in (1, 2):
            text = form.format(rails=f"rails={rails},", comma=",").rstrip(",")
            found[f"{name} {rails}"] = text
    return found


def bench(number: int, hosts: int, given: argparse.Namespace) -> dict[str, Any]:
    """Medians in seconds by size and planner; the rate of both rails."""
    title, operation, planners, own_hosts = FIGURES[number]
    hosts = own_hosts or hosts
    path = _profile(hosts, given)
    rails = json.loads(path.read_text()).get("rails") or {"rails": []}
    rates = [max(max(row) for row in rail["bandwidth"]) for rail in rails["rails"]]
    names = _named(planners)
    print(f"figure {number}, {title}, {hosts} hosts…", file=sys.stderr)
    words = ["bench", "--json", "--topology", path, "--operations", operation]
    words += ["--sizes", given.sizes, "--patterns", ",".join(["native", *names.values()])]
    words += ["--repeats", str(given.repeats)] if given.repeats else []
    found = json.loads(eco(*words, "--", *_launcher(hosts, given)))
    back = {text: name for name, text in names.items()} | {"native": "native"}
    return {
        "figure": number,
        "title": title,
        "hosts": hosts,
        "rates": rates,
        "sizes": {
            row["bytes"]: {back[each["pattern"]]: each["median"] for each in row["patterns"]}
            for row in found["results"]
        },
    }


def text(found: dict[str, Any], given: argparse.Namespace) -> str:
    names = list(next(iter(found["sizes"].values())))
    rates = " + ".join(f"{8e-6 * rate:.1f}" for rate in found["rates"])
    lines = [
        f"\nFigure {found['figure']}: {found['title']}, {found['hosts']} hosts, {given.mpi}; rails "
        f"of {rates} Mbit/s; ms",
        f"{'bytes':>9}" + "".join(f"{name:>12}" for name in names) + f"{'gain':>8}{'rails':>8}",
    ]
    for size, row in found["sizes"].items():
        two = min(value for name, value in row.items() if name.endswith(" 2"))
        one = min(value for name, value in row.items() if name.endswith(" 1"))
        cells = "".join(f"{row[name] * 1e3:>12.2f}" for name in names)
        lines.append(f"{size:>9}{cells}{row['native'] / two:>7.2f}×{one / two:>7.2f}×")
    return "\n".join(lines)


def draw(axes: Any, found: dict[str, Any]) -> None:
    sizes = list(found["sizes"])
    for name in found["sizes"][sizes[0]]:
        axes.plot(sizes, [found["sizes"][s][name] * 1e3 for s in sizes], label=name)
    axes.set(title=f"Figure {found['figure']}: {found['title']}, {found['hosts']} hosts")
    axes.set(xlabel="bytes", xscale="log", yscale="log", ylabel="ms")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--figure", default="1,2,4,5,6,7")
    parser.add_argument("--mpi", choices=("openmpi", "mpich"), default="openmpi")
    parser.add_argument("--scenario", default="two-rails")
    parser.add_argument("--processes", default="4", help="hosts, one rank on each")
    parser.add_argument("--sizes", default="1024,16384,65536,1048576")
    add_options(parser)
    given = parser.parse_args()
    os.environ.pop("ECO_CHOICE", None)
    try:
        numbers = [int(word) for word in given.figure.split(",")]
        processes = [int(word) for word in given.processes.split(",")]
        if not set(numbers) <= set(FIGURES) or min(processes) < 2:
            raise ValueError
    except ValueError:
        parser.error("--figure takes some of 1,2,4,5,6,7; --processes numbers from 2")
    figures = (
        bench(number, hosts, given)
        for number in numbers
        for hosts in (processes[:1] if FIGURES[number][3] else processes)
    )
    show(figures, given, text, draw)
    return 0


if __name__ == "__main__":
    sys.exit(main())
