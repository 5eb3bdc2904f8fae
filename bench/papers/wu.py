#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the experiments of Wu, Yeh and Liu, "Scheduling Multiple Multicast for Heterogeneous Network
of Workstations With Non-blocking Message-Passing", §5, again in their model.

    bench/papers/wu.py                                     everything, 1,000 draws
    bench/papers/wu.py --draws 50 --experiment multiple --reading two --plot wu.svg
    bench/papers/wu.py --experiment similar --json

broadcast: one source, every rank in turn, over the number of ranks (§5.1). multiple: 64 ranks,
small, large and mixed messages, 155 Mbit/s and 1 Gbit/s (§5.2, Figs. 3 and 4). similar: planning
from the schedule of a pattern that differs a little (§6, future work). What the text leaves open
is read in several ways (--reading); --readings compares them.

Needs the Python commands: make build. Builds wu_engine.
"""

import argparse
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PROJECT / "python"))  # ahead of this folder, where eco.py is another
os.environ.setdefault("ECO_BIN", str(PROJECT / "build/release/bin/eco"))
VENV = PROJECT / ".venv"
if Path(sys.prefix) != VENV:  # the packages of the Python commands are there
    try:
        os.execv(VENV / "bin/python", [str(VENV / "bin/python"), *sys.argv])
    except OSError:
        sys.exit("wu.py: the project's Python is missing; run 'make build' first")

from eco.progress import progress  # noqa: E402
from wu_tables import report  # noqa: E402
from wu_tables.experiments import EXPERIMENTS, READINGS, Case, cases, measure  # noqa: E402


def main() -> None:
    given = _arguments()
    chosen = [
        case
        for reading in (list(READINGS) if given.readings else [given.reading])
        for name in given.experiment or EXPERIMENTS
        for case in cases(name, reading)
        if _wanted(case, given)
    ]
    results = []
    started = time.monotonic()
    with progress("wu", quiet=given.quiet) as (show, _):
        total = sum(case.weight for case in chosen)
        passed = 0.0
        for case in chosen:
            tick = _ticker(show, started, passed, case, total)
            results.append(measure(case, given.draws, given.seed, tick))
            passed += case.weight
    if given.json:
        print(json.dumps(results))
    else:
        print(report.text(results, given.draws, given.seed))
    if given.plot:
        report.draw(results, given.plot)
        print(f"wrote {given.plot}", file=sys.stderr)


def _wanted(case: Case, given: argparse.Namespace) -> bool:
    return (not given.lengths or case.lengths in given.lengths) and (
        not given.rate or case.rate in given.rate
    )


def _ticker(
    show: Callable[[dict[str, Any]], None], started: float, passed: float, case: Case, total: float
) -> Callable[[float], None]:
    def tick(share: float) -> None:
        done = (passed + share * case.weight) / total
        spent = time.monotonic() - started
        left = spent * (1 - done) / done if done > 0 else 0.0
        show({"event": "progress", "done": done, "left": left, "what": case.title})

    return tick


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--experiment", action="append", choices=EXPERIMENTS)
    parser.add_argument("--draws", type=_count, default=1000, help="random patterns of each case")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--reading", choices=READINGS, default=next(iter(READINGS)))
    parser.add_argument("--readings", action="store_true", help="all readings, one after the other")
    parser.add_argument("--lengths", action="append", choices=("small", "large", "mixed"))
    parser.add_argument("--rate", action="append", type=float, help="155e6, 1e9")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="FILE.svg, .png or .pdf")
    parser.add_argument("--quiet", action="store_true", help="no progress")
    return parser.parse_args()


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no number above 0")
    return int(text)


if __name__ == "__main__":
    main()
