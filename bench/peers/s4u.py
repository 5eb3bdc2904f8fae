#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The simulator beside SimGrid's S4U on random networks and schedules.

    bench/peers/s4u.py                        300 draws of up to 12 hosts
    bench/peers/s4u.py --draws 50 --hosts 32 --seed 1000 --json

Needs SimGrid (Debian: libsimgrid-dev). Exit code 1 where a schedule differs by 5 % or more.
"""

import argparse
import json
import statistics
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from built import built_with_simgrid

MOST = 0.05  # difference that needs an explanation


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--draws", type=int, default=300)
    parser.add_argument("--hosts", type=int, default=12, help="most hosts of a network")
    parser.add_argument("--seed", type=int, default=1, help="the first; draws count on from it")
    parser.add_argument("--short", action="store_true", help="20 draws")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if options.short:
        options.draws = 20
    if options.draws < 1 or options.hosts < 2 or options.seed < 0:
        parser.error("takes one draw or more, two hosts or more, a seed from 0")
    words = [built_with_simgrid("schedules"), options.seed, options.draws, options.hosts]
    run = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, text=True)
    if run.returncode != 0:
        return 1
    keys = ("seed", "hosts", "operation", "choice", "bytes", "ordered", "eco", "simgrid", "off")
    draws = [dict(zip(keys, line.split(), strict=True)) for line in run.stdout.splitlines()]
    off = sorted(abs(float(draw["off"])) for draw in draws)
    far = [draw for draw in draws if abs(float(draw["off"])) >= MOST]
    if options.json:
        print(json.dumps({"draws": len(draws), "median": statistics.median(off), "most": off[-1],
                          "far": far}))  # fmt: skip
    else:
        print(f"{len(draws)} schedules: median difference {statistics.median(off):.1e}, "
              f"most {off[-1]:.1e}")  # fmt: skip
        for draw in far:
            print("  " + " ".join(f"{key}={value}" for key, value in draw.items()))
    return 1 if far else 0


if __name__ == "__main__":
    sys.exit(main())
