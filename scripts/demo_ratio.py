# SPDX-License-Identifier: BSD-3-Clause
"""demo_ratio.py [--sentence] NATIVE ECO: two files of the example's JSON lines -> medians and
their ratio, as a table or as one sentence."""

import json
import statistics
import sys
from pathlib import Path


def runs(file: str) -> list[dict[str, float]]:
    return [json.loads(line) for line in Path(file).read_text().splitlines()]


def median(lines: list[dict[str, float]], key: str) -> float:
    return statistics.median(line[key] for line in lines)


native, eco = (runs(file) for file in sys.argv[-2:])
# Sums are added in another order, so the last digits may differ; the physics may not.
if abs(native[0]["energy"] - eco[0]["energy"]) > 1e-8 * abs(native[0]["energy"]):
    sys.exit(f"eco: the energies differ: {native[0]['energy']} natively, {eco[0]['energy']}")
if sys.argv[1] == "--sentence":
    before, after = median(native, "total_s"), median(eco, "total_s")
    gained = f"in {after:.1f} s instead of {before:.1f} s: {before / after:.2f} times as fast"
    print(f"Gained: the same program, unmodified, {gained} with ECO.")
    sys.exit()
print(f"molecular dynamics, {native[0]['atoms']} atoms, {native[0]['ranks']} ranks, medians:")
for key, name in (("communication_s", "communication"), ("total_s", "whole program")):
    before, after = median(native, key), median(eco, key)
    print(f"  {name:14} native {before:6.2f} s   ECO {after:6.2f} s   ratio {before / after:.2f}x")
