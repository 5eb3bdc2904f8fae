#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Prints tables of Lowekamp and Beguelin, "ECO: Efficient Collective Operations for Communication
on Heterogeneous Networks" (CMU, 1996) again, ours beside the printed figures, over the lab.

    bench/papers/eco.py                       all of them: Tables 1, 3, 4, 6 and 7
    bench/papers/eco.py --table 3 --mpi mpich
    bench/papers/eco.py --table 4,7 --atoms 4000 --steps 10 --repeats 5 --json
"""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from built import THREE_SEGMENTS
from eco_tables import report
from eco_tables.lab import Failure, Lab, host_facts
from eco_tables.tables import TABLES, Settings

SHORT = {"table": "1,3,4", "repeats": 1, "atoms": 200, "steps": 1}


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--table", default="1,3,4,6,7", help="which, as 3,4 (default: all)")
    parser.add_argument("--mpi", choices=("openmpi", "mpich"), default="openmpi")
    parser.add_argument("--repeats", type=int, help="of each figure (default: 3; in Table 3 more)")
    parser.add_argument("--atoms", type=int, default=4000, help="of the molecular dynamics")
    parser.add_argument("--steps", type=int, default=10, help="of the molecular dynamics")
    parser.add_argument(
        "--short", action="store_true", help="Tables 1, 3 and 4, on a stored profile"
    )
    parser.add_argument("--again", action="store_true", help="measure the networks again")
    parser.add_argument("--json", action="store_true", help="all figures, as JSON")
    found = parser.parse_args()
    if found.short:
        vars(found).update(SHORT)
    try:
        found.tables = [TABLES[int(word)] for word in found.table.split(",")]
    except (KeyError, ValueError):
        parser.error(f"--table {found.table}: takes some of {', '.join(map(str, TABLES))}")
    if found.repeats is not None and found.repeats < 1:
        parser.error("--repeats takes a number above 0")
    return found


def main() -> int:
    given = _arguments()
    settings = Settings(given.atoms, given.steps)
    facts = host_facts(given.mpi)
    results: list[dict[str, Any]] = []
    if not given.json:
        print(report.heading(facts))
    for table in given.tables:
        stored = {"three-segments": THREE_SEGMENTS} if given.short else {}
        lab = Lab(given.mpi, given.repeats, given.again, stored)
        try:
            ours = table.run(lab, settings)
        except Failure as failure:
            print(f"eco.py: Table {table.number}: {failure}", file=sys.stderr)
            return 4
        results.append(report.document(table, ours, lab.commands))
        if not given.json:
            print(report.text(table, ours, lab.commands))
    if given.json:
        print(json.dumps({"host": facts, "tables": results}, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
