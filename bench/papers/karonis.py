#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the experiments of Karonis et al., "Exploiting Hierarchy in Parallel Computer Networks to
Optimize Collective Operation Performance" (2000), Figs. 7 to 9, again over the lab.

    bench/papers/karonis.py                        all three, as tables
    bench/papers/karonis.py --figure 9 --mpi mpich --plot figure-9.svg
    bench/papers/karonis.py --order round-robin --sizes 1024,65536 --json

Broadcasts from every root in turn. Native is the MPI library's own, multilevel is ECO's tree along
all levels, MagPIe's two clusterings are the same tree along one level only: machines, or sites.
The paper printed curves, no figures; what carries over is their order: multilevel below both of
MagPIe's, these below the library's binomial tree.
"""

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from lab_figures import ECO, OUT, PROJECT, add_options, eco, show

SHIPPED = PROJECT / "python" / "eco" / "lab" / "scenarios"
SHORT = "tree:top=star,inner=binomial,segments=1"
SHORT_RUN = {"figure": "8", "sizes": "1024", "repeats": 2, "ranks_per_host": 1}
# From the size on where TCP would wait for a round trip: pieces on connections of their own.
LONG_BYTES = 14000
FIGURES = {
    7: "across the wide area: SDSC-SP, ANL-SP, ANL-O2K",
    8: "across the local area: ANL-SP, ANL-O2K",
    9: "both, and MagPIe's two clusterings",
}


def _scenario(figure: int) -> Path:
    """The shipped grid, or its one site of two machines."""
    text = (SHIPPED / "grid-3.yaml").read_text()
    if figure == 8:
        text = "".join(line for line in text.splitlines(True) if "sdsc" not in line)
    path = OUT / ("grid-3.yaml" if figure != 8 else "anl.yaml")
    OUT.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def _launcher(scenario: Path, given: argparse.Namespace) -> list[str]:
    words = [str(ECO), "lab", "run", str(scenario), "--mpi", given.mpi, "--native"]
    words += ["--ranks-per-host", str(given.ranks_per_host), "--order", given.order]
    return [*words, "--"]


def _profile(scenario: Path, given: argparse.Namespace) -> dict[str, Any]:
    path = OUT / f"{scenario.stem}-{given.mpi}-levels.json"
    if given.again or not path.exists():
        print(f"measuring {scenario.stem}…", file=sys.stderr)
        once = [str(ECO), "lab", "run", str(scenario), "--mpi", given.mpi, "--native", "--"]
        eco("measure", "--json", "--no-tune", "--again", "-o", path, "--", *once)
    found: dict[str, Any] = json.loads(path.read_text())
    return found


def _along(profile: dict[str, Any], kept: list[int]) -> dict[str, Any]:
    """The profile as if only these of its levels had been found."""
    found = profile | {"levels": [profile["levels"][level] for level in kept]}
    if model := profile.get("model"):
        media = [
            m | {"level": kept.index(m["level"])} for m in model["media"] if m["level"] in kept
        ]
        found["model"] = model | {"media": media}
    return found


def _bench(
    profile: dict[str, Any], scenario: Path, given: argparse.Namespace
) -> dict[int, dict[str, float]]:
    """Medians by size: native, and the trees along the profile's levels, interleaved in one job."""
    sizes = [int(word) for word in given.sizes.split(",")]
    pieces = {size: -(-size // LONG_BYTES) for size in sizes if size >= LONG_BYTES}
    long = {
        size: f"tree:top=star,inner=star,segments={count},rotate=all"
        for size, count in pieces.items()
    }
    with tempfile.NamedTemporaryFile("w", suffix=".json", dir=OUT) as file:
        json.dump(profile, file)
        file.flush()
        words = ["bench", "--json", "--topology", file.name, "--operations", "bcast"]
        words += ["--sizes", given.sizes, "--patterns", ",".join(["native", SHORT, *long.values()])]
        words += ["--repeats", str(given.repeats)] if given.repeats else []
        found = json.loads(eco(*words, "--", *_launcher(scenario, given)))
    return {
        row["bytes"]: {
            "native" if each["pattern"] == "native" else "tree": each["median"]
            for each in row["patterns"]
            if each["pattern"] in ("native", long.get(row["bytes"], SHORT))
        }
        for row in found["results"]
    }


def figure(number: int, given: argparse.Namespace) -> dict[str, Any]:
    scenario = _scenario(number)
    profile = _profile(scenario, given)
    levels = list(range(len(profile["levels"])))
    trees = {"multilevel": levels}
    if number == 9 and len(levels) > 1:
        trees |= {"MagPIe-machine": levels[-1:], "MagPIe-site": levels[:1]}
    rows: dict[int, dict[str, float]] = {}
    for name, chosen in trees.items():
        print(f"figure {number}, {name}…", file=sys.stderr)
        for size, medians in _bench(_along(profile, chosen), scenario, given).items():
            row = rows.setdefault(size, {"native": medians["native"]})
            # Each tree is held against the native runs of its own job.
            row[name] = medians["native"] / medians["tree"]
    return {"figure": number, "levels": len(levels), "sizes": rows}


def text(found: dict[str, Any], given: argparse.Namespace) -> str:
    names = list(next(iter(found["sizes"].values())))[1:]
    lines = [
        f"\nFigure {found['figure']}: {FIGURES[found['figure']]}; {given.mpi}, ranks "
        f"{given.order}, {given.ranks_per_host} a host",
        f"{'bytes':>8}{'native':>12}" + "".join(f"{name:>18}" for name in names),
    ]
    for size, row in found["sizes"].items():
        cells = "".join(f"{row[name]:>17.2f}×" for name in names)
        lines.append(f"{size:>8}{row['native'] * 1e3:>9.1f} ms{cells}")
    return "\n".join(lines)


def draw(axes: Any, found: dict[str, Any]) -> None:
    sizes = list(found["sizes"])
    names = list(found["sizes"][sizes[0]])[1:]
    axes.plot(sizes, [found["sizes"][s]["native"] * 1e3 for s in sizes], label="native")
    for name in names:
        times = [found["sizes"][s]["native"] / found["sizes"][s][name] * 1e3 for s in sizes]
        axes.plot(sizes, times, label=name)
    axes.set(title=f"Figure {found['figure']}", xlabel="bytes", xscale="log")
    axes.set_ylabel("ms for one broadcast")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--figure", default="7,8,9")
    parser.add_argument("--mpi", choices=("openmpi", "mpich"), default="openmpi")
    parser.add_argument("--order", default="block", help="block, round-robin or random:SEED")
    parser.add_argument("--ranks-per-host", type=int, default=4)
    parser.add_argument("--sizes", default="1024,16384,65536")
    add_options(parser)
    given = parser.parse_args()
    if given.short:
        vars(given).update(SHORT_RUN)
    os.environ.pop("ECO_CHOICE", None)
    try:
        numbers = [int(word) for word in given.figure.split(",")]
        if not set(numbers) <= set(FIGURES):
            raise ValueError
    except ValueError:
        parser.error(f"--figure {given.figure}: takes some of 7,8,9")
    show((figure(number, given) for number in numbers), given, text, draw)
    return 0


if __name__ == "__main__":
    sys.exit(main())
