#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What learning at run time costs and wins: one program, natively, with ECO as the profile says
(off), with ECO learning (on), and with ECO as a tuned profile says (tuned), in turn.

    bench/learning/learning.py three-segments.json three-segments
    bench/learning/learning.py F.json three-segments --calls bcast+scan:16,bcast+scan:1024
    bench/learning/learning.py F.json three-segments --tuned T.json --count 2000 --settled 1000
    bench/learning/learning.py F.json three-segments --at "3s network a rate=2mbit" --changed 3 \
        --calls bcast:16000 --count 300 --choice native --choice tree:inner=star
    bench/learning/learning.py F.json three-segments --calls iallgather:16000 --work 0.5

For each operation and size: the whole time of all calls, and the mean of the last calls (after
--settled of them) without the longest quarter; of all of these where ranks run ahead, so that most
calls take no time. Operations joined by + run in one job. Of learning also the share of the job's
whole time that rank 0 was in exchanges of times, its waiting for other ranks among it: while
choices were compared, and later. With --tuned the last lines have its time over that of learning:
the mean over all rows, and of the sum of all.
With --changed also the mean of the calls of mode on from the 50th after that moment on, over that
of the best mode with a fixed choice (--choice). What was learned is forgotten before each run,
unless --keep.
"""

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from built import ECO, built

USUAL = "bcast:16,bcast:16000,allreduce:16,allreduce:16000,allgather:1024,alltoall:1024,gather:4000"
MODES = ("native", "off", "on")
EXCHANGES = re.compile(r"eco: learning: \d+ exchanges while choices were (\w+), ([\d.]+) s")
SHORT = {"calls": "bcast:16", "count": 20, "settled": 10}


def _run(given: argparse.Namespace, mode: str, program: Path, call: str) -> list[dict[str, Any]]:
    """One result for each operation of the job."""
    operations, _, size = call.partition(":")
    words = [ECO, "lab", "run", given.scenario, "--mpi", given.mpi, "--scale", given.scale]
    profile = given.tuned if mode == "tuned" else given.profile
    words += ["--native"] if mode == "native" else ["--topology", profile]
    for change in given.at:
        moment, _, what = change.partition(" ")
        words += ["--at", moment, what]
    for stream in given.traffic:
        words += ["--traffic", stream]
    words += ["--", program, operations.replace("+", ","), size]
    words += [given.count, given.type, given.work]
    if not given.keep:
        given.profile.with_name(given.profile.name + ".learned").unlink(missing_ok=True)
    done = subprocess.run(
        [str(word) for word in words],
        capture_output=True,
        text=True,
        env=dict(os.environ, ECO_LEARN="on" if mode == "on" else "off", ECO_VERBOSE="2")
        | ({"ECO_CHOICE": mode} if mode in given.choice else {}),
    )
    if done.returncode != 0:
        sys.exit(done.stderr + f"learning.py: exit code {done.returncode}")
    results = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    whole = sum(result["total"] for result in results)
    exchanges = {what: float(took) / whole for what, took in EXCHANGES.findall(done.stderr)}
    return [result | {"exchanges": exchanges} for result in results]


def _late(calls: list[float]) -> float:
    """Their mean without the longest quarter, which something else may have disturbed; where ranks
    run ahead, and the calls end in bursts, of all."""
    kept = sorted(calls)[: len(calls) - len(calls) // 4]
    without, mean = statistics.mean(kept), statistics.mean(calls)
    return without if without > mean / 2 else mean


# After a network changed, the fastest choice must run after so many calls.
RECOVERY = 50


def _recovered(calls: list[float], changed: float) -> list[float]:
    """Those from the 50th on that begin later than that moment, in seconds of the job. The job is
    half a second older than its first call, about; earlier calls would favour nobody."""
    began = 0.0
    for number, call in enumerate(calls):
        if began > changed - 0.5:
            return calls[number + RECOVERY :]
        began += call
    return []


def _row(runs: dict[str, list[dict[str, Any]]], settled: int, changed: float = 0) -> dict[str, Any]:
    """runs: of one operation and size, by mode."""
    row: dict[str, Any] = {}
    for mode, found in runs.items():
        row["call"] = f"{found[0]['operation']}:{found[0]['bytes']}"
        row[mode] = {
            "total": statistics.median(each["total"] for each in found),
            "late": statistics.median(_late(each["calls"][settled:]) for each in found),
        }
        if changed:
            late = [_recovered(each["calls"], changed) for each in found]
            if not all(late):
                sys.exit(f"learning.py: no calls {RECOVERY} calls after the change; more --count?")
            row[mode]["recovered"] = statistics.median(map(_late, late))
        if mode == "on":
            for what in ("compared", "checked"):
                row[mode][what] = statistics.median(
                    each["exchanges"].get(what, 0.0) for each in found
                )
    return row


def _text(row: dict[str, Any], modes: list[str]) -> str:
    text = "  ".join(
        f"{mode} {row[mode]['total']:7.2f} s, late {1e3 * row[mode]['late']:8.3f} ms"
        for mode in modes
    )
    fixed = [
        row[mode]["recovered"]
        for mode in modes
        if mode not in (*MODES, "tuned") and "recovered" in row[mode]
    ]
    if "on" in modes and "recovered" in row["on"] and fixed:
        times = row["on"]["recovered"] / min(fixed)
        text += f"  after the change {times:.2f} × the best fixed choice"
    if "on" in modes:
        text += f"  exchanges {row['on']['compared']:.2%}, {row['on']['checked']:.2%}"
    return f"{row['call']:18} {text}"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("profile", type=Path)
    parser.add_argument("scenario")
    parser.add_argument("--mpi", default="openmpi", choices=("openmpi", "mpich"))
    parser.add_argument("--calls", default=USUAL, help="OPERATION:BYTES, …")
    parser.add_argument("--count", type=int, default=200, help="calls in a run")
    parser.add_argument("--settled", type=int, default=60, help="calls that the mean leaves out")
    parser.add_argument("--type", default="int", choices=("int", "double"), help="of reductions")
    parser.add_argument(
        "--work", type=float, default=0, metavar="S", help="before the wait of non-blocking calls"
    )
    parser.add_argument("--modes", help=f"default: {','.join(MODES)}, and tuned with --tuned")
    parser.add_argument(
        "--choice", action="append", default=[], help="one more mode: this choice in all calls"
    )
    parser.add_argument(
        "--changed", type=float, default=0, metavar="S", help="when the network of --at changed"
    )
    parser.add_argument("--tuned", type=Path, metavar="FILE", help="a tuned profile")
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--scale", default="1")
    parser.add_argument("--at", action="append", default=[], help='"3s network a rate=2mbit"')
    parser.add_argument("--traffic", action="append", default=[])
    parser.add_argument("--keep", action="store_true", help="what earlier runs learned")
    parser.add_argument("--short", action="store_true", help="one call, 20 times")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    if given.short:
        vars(given).update(SHORT)
    usual = [*MODES, *(["tuned"] if given.tuned else [])]
    modes = [*(given.modes.split(",") if given.modes else usual), *given.choice]
    if "tuned" in modes and not given.tuned:
        parser.error("the mode tuned needs --tuned FILE")
    program = built(f"repeat-{given.mpi}")
    rows = []
    for call in given.calls.split(","):
        jobs: dict[str, list[list[dict[str, Any]]]] = {mode: [] for mode in modes}
        for _ in range(given.repeats):
            for mode in modes:
                jobs[mode].append(_run(given, mode, program, call))
        for place in range(call.count("+") + 1):
            runs = {mode: [job[place] for job in jobs[mode]] for mode in modes}
            rows.append(_row(runs, given.settled, given.changed))
            if not given.json:
                print(_text(rows[-1], modes), flush=True)
    if "on" in modes and "tuned" in modes and not given.json:
        for figure in ("late", "total"):
            ratios = [row["tuned"][figure] / row["on"][figure] for row in rows]
            whole = [sum(row[mode][figure] for row in rows) for mode in ("tuned", "on")]
            print(
                f"tuned over on, {figure}: {statistics.geometric_mean(ratios):.3f}, "
                f"of all together {whole[0] / whole[1]:.3f}"
            )
    if given.json:
        print(json.dumps(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
