# SPDX-License-Identifier: BSD-3-Clause
"""How well a report estimates: what native would have taken, against runs that were native.

bench/report.py SCENARIO PROFILE [--runs N] [--short] [--json] -- PROGRAM…

Runs the program in the lab in turn with ECO and without, each with a report, and compares the
reports' estimates with what the other runs' collectives took.
"""

import argparse
import json
import os
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))

from eco import lab


def _run(options: argparse.Namespace, words: list[str], file: Path, off: bool) -> Any:
    settings = {**os.environ, "ECO_REPORT": str(file), "ECO_LEARN": options.learn}
    if off:
        settings["ECO_DISABLE"] = "1"
    done = lab.run(
        options.scenario,
        words,
        options=lab.Options(topology=options.profile, mpi=options.mpi),
        timeout=600,
        env=settings,
    )
    if done.returncode != 0:
        sys.exit(f"the program ended with {done.returncode}\n{done.stderr[-2000:]}")
    return json.loads(file.read_text())


def _both(document: Any) -> tuple[float, float]:
    """Seconds in collectives: as they ran, and as the report estimates; calls of which nothing is
    known as they ran."""
    rows = [row for row in document["calls"] if row["form"] == "blocking"]
    other = sum(row["time"] if row["estimate"] is None else row["estimate"] for row in rows)
    return document["time"], other


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scenario")
    parser.add_argument("profile")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--mpi", default="openmpi")
    parser.add_argument("--learn", default="off")
    parser.add_argument("--short", action="store_true", help="one run each way")
    parser.add_argument("--json", action="store_true")
    own = sys.argv[1:]
    place = own.index("--") if "--" in own else len(own)
    options, words = parser.parse_args(own[:place]), own[place + 1 :]
    if not words:
        parser.error("name the program after --")
    if options.short:
        options.runs = 1
    eco, native = [], []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(options.runs):
            eco.append(_both(_run(options, words, Path(folder) / "eco.json", off=False)))
            native.append(_both(_run(options, words, Path(folder) / "off.json", off=True)))
            if not options.json:
                print(
                    f"ECO {eco[-1][0]:.2f} s, native estimated {eco[-1][1]:.2f} s; "
                    f"native {native[-1][0]:.2f} s, ECO estimated {native[-1][1]:.2f} s",
                    flush=True,
                )
    took_eco, said_native = (statistics.median(each) for each in zip(*eco, strict=True))
    took_native, said_eco = (statistics.median(each) for each in zip(*native, strict=True))
    if options.json:
        found = {
            "native_s": {"estimated": said_native, "took": took_native},
            "eco_s": {"estimated": said_eco, "took": took_eco},
        }
        print(json.dumps(found))
        return
    print(
        f"native: estimated {said_native:.2f} s, took {took_native:.2f} s: "
        f"{100 * (said_native / took_native - 1):+.0f} %"
    )
    print(
        f"ECO: estimated {said_eco:.2f} s, took {took_eco:.2f} s: "
        f"{100 * (said_eco / took_eco - 1):+.0f} %"
    )
    saved, said = took_native - took_eco, said_native - took_eco
    print(f"saved: estimated {said:.2f} s, is {saved:.2f} s: {100 * (said / saved - 1):+.0f} %")


if __name__ == "__main__":
    main()
