#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every collective over one card and over all of them, beside the library, on the lab's hosts.

    bench/rails.py                                   two-rails, 4 hosts, Open MPI, 16 KiB to 1 MiB
    bench/rails.py --scenario rails-and-sites --hosts 8 --mpi mpich --operations bcast,gather

Per operation and size the best few by prediction over all cards (`eco plan`), each over one card as
well: the better of each kind counts. × bound: over what no schedule can beat with all cards.
"""

import argparse
import json
import re
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent / "papers"))

from lab_figures import ECO, OUT, eco

SHORT = {"hosts": 2, "operations": "gather", "sizes": "65536", "best": 1, "repeats": 2}
OPERATIONS = "bcast,scatter,gather,allgather,alltoall,reduce,allreduce,scan,reduce_scatter"


def _launcher(given: argparse.Namespace) -> list[str]:
    words = [str(ECO), "lab", "run", given.scenario, "--mpi", given.mpi, "--native"]
    return [*words, *(["--hosts", str(given.hosts)] if given.hosts else []), "--"]


def _choices(profile: Path, operation: str, size: int, best: int) -> list[str]:
    """The best over all cards, and each of them over one."""
    text = eco("plan", profile, operation, "--bytes", size, "--json")
    found = [one["choice"] for one in json.loads(text)["candidates"] if "rails=" in one["choice"]]
    return [choice for several in found[:best] for choice in (several, _on_one_card(several))]


def _on_one_card(choice: str) -> str:
    return re.sub(r"rails=\d+", "rails=1", choice)


def row(profile: Path, operation: str, size: int, given: argparse.Namespace) -> dict[str, Any]:
    """Seconds of the library's, of the best over one card and of the best over all."""
    patterns = ["native", *_choices(profile, operation, size, given.best)]
    words: list[object] = ["bench", "--json", "--topology", profile, "--operations", operation]
    words += ["--sizes", size, "--repeats", given.repeats]
    words += ["--patterns", ",".join(dict.fromkeys(patterns)), "--", *_launcher(given)]
    [found] = json.loads(eco(*words))["results"]
    native, *others = found["patterns"]
    one = min((p for p in others if "rails=1" in p["choice"]), key=lambda p: p["median"])
    several = min((p for p in others if "rails=1" not in p["choice"]), key=lambda p: p["median"])
    return {
        "operation": operation,
        "bytes": size,
        "native": native["median"],
        "one": one["median"],
        "all": several["median"],
        "choice": several["choice"],
        "bound": found["bound"],
    }


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--scenario", default="two-rails")
    parser.add_argument("--hosts", type=int, help="of the scenario's, one rank on each")
    parser.add_argument("--mpi", choices=("openmpi", "mpich"), default="openmpi")
    parser.add_argument("--operations", default=OPERATIONS)
    parser.add_argument("--sizes", default="16384,65536,1048576")
    parser.add_argument("--best", type=int, default=6, help="so many by prediction are timed")
    parser.add_argument("--repeats", type=int, default=8)
    parser.add_argument("--again", action="store_true", help="measure the network again")
    parser.add_argument("--short", action="store_true", help="one operation on two hosts")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    if given.short:
        vars(given).update(SHORT)
    OUT.mkdir(parents=True, exist_ok=True)
    stem = f"{Path(given.scenario).stem}-{given.hosts or 'all'}-{given.mpi}"
    profile = OUT / f"{stem}-every-rails.json"
    if given.again or not profile.exists():
        print(f"measuring {given.scenario}…", file=sys.stderr)
        eco("measure", "--no-tune", "--again", "--json", "-o", profile, "--", *_launcher(given))
    rows = []
    if not given.json:
        print(f"{'':15}{'bytes':>9}{'native':>10}{'one card':>10}{'all':>10} ms"
              f"{'native/all':>12}{'one/all':>9}{'× bound':>9}")  # fmt: skip
    for operation in given.operations.split(","):
        for size in map(int, given.sizes.split(",")):
            found = row(profile, operation, size, given)
            rows.append(found)
            if not given.json:
                times = "".join(f"{1e3 * found[key]:>10.2f}" for key in ("native", "one", "all"))
                print(f"{operation:15}{size:>9}{times}   {found['native'] / found['all']:>12.2f}"
                      f"{found['one'] / found['all']:>9.2f}{found['all'] / found['bound']:>9.2f}"
                      f"  {found['choice']}", flush=True)  # fmt: skip
    if given.json:
        print(json.dumps(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
