#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks that the files of each folder of src/eco include each other in one direction.

A source and its header are one unit. Units are put in an order in which few includes lead back up.
Fails where a folder has more of these than `ALLOWED`, and names them; also where it has fewer, so
that the limit follows.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1] / "src/eco"
# What is still to be mended.
ALLOWED = {"job": 15}
Edges = dict[str, set[str]]


def edges_of(folder: Path) -> Edges:
    """Of each unit, the units of the same folder that it includes."""
    texts: dict[str, str] = {}
    for file in sorted(folder.iterdir()):
        if file.suffix in (".h", ".cpp") and not file.stem.endswith("_test"):
            texts[file.stem] = texts.get(file.stem, "") + file.read_text(encoding="utf-8")
    include = re.compile(rf'#include "eco/{folder.name}/(\w+)\.h"')
    return {
        unit: {other for other in include.findall(text) if other in texts and other != unit}
        for unit, text in texts.items()
    }


def order_of(edges: Edges) -> list[str]:
    """From what includes to what is included (Eades, Lin and Smyth, 1993: few edges lead back)."""
    left = {unit: set(others) for unit, others in edges.items()}
    first: list[str] = []
    last: list[str] = []

    def take(unit: str) -> None:
        del left[unit]
        for others in left.values():
            others.discard(unit)

    def included_by(unit: str) -> int:
        return sum(unit in others for others in left.values())

    while left:
        ends = [unit for unit in left if not left[unit]]
        starts = [unit for unit in left if included_by(unit) == 0]
        if ends:
            last.append(ends[0])
            take(ends[0])
        elif starts:
            first.append(starts[0])
            take(starts[0])
        else:
            most = max(left, key=lambda unit: (len(left[unit]) - included_by(unit), unit))
            first.append(most)
            take(most)
    return first + last[::-1]


def back_edges(edges: Edges) -> list[tuple[str, str]]:
    """Those that lead from a unit to one that stands before it."""
    place = {unit: at for at, unit in enumerate(order_of(edges))}
    return sorted(
        (unit, other)
        for unit, others in edges.items()
        for other in others
        if place[other] < place[unit]
    )


def main() -> int:
    """1 if any folder has other than what it may have."""
    failed = False
    for folder in sorted(path for path in ROOT.iterdir() if path.is_dir()):
        found, may = back_edges(edges_of(folder)), ALLOWED.get(folder.name, 0)
        if len(found) == may:
            continue
        failed = True
        print(f"src/eco/{folder.name}: {len(found)} includes lead back up, {may} are allowed")
        for unit, other in found:
            print(f"  {unit} includes {other}, which leads back to it")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
