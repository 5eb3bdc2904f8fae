# SPDX-License-Identifier: BSD-3-Clause
"""Whether the seconds that a report says are saved are saved.

bench/saved.py SCENARIO [--profile FILE] [--took REGEX] [--runs N] [--short] [--json] -- PROGRAM…

Runs the program in the lab in turn with ECO and natively, and compares the saving that the reports
claim with the difference of the runs. Without --profile it is the one that `eco lab run` makes by
itself, which is not tuned. --took: what the program prints of its own time, as `total ([0-9.]+) s`
of md; without it, natively the calls are counted too (ECO_DISABLE=1), and the time is that from
MPI_Init to MPI_Finalize without ECO's start.
"""

import argparse
import json
import os
import re
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))

from eco import lab


def _run(
    options: argparse.Namespace, words: list[str], report: Path | None, *, native: bool
) -> tuple[str, Any]:
    """What the program printed, and its report."""
    settings = {**os.environ, "ECO_LEARN": options.learn}
    if report is not None:
        settings["ECO_REPORT"] = str(report)
    if native and report is not None:
        settings["ECO_DISABLE"] = "1"
    chosen = lab.Options(
        topology=options.profile, mpi=options.mpi, native=native and report is None
    )
    done = lab.run(options.scenario, words, options=chosen, timeout=1200, env=settings)
    if done.returncode != 0:
        sys.exit(f"the program ended with {done.returncode}\n{done.stderr[-2000:]}")
    return done.stdout, json.loads(report.read_text()) if report else None


def _took(options: argparse.Namespace, text: str, report: Any) -> float:
    if options.took is None:
        # With ECO its start is a part of what it costs; natively there is none.
        return float(report["whole"] - (0 if report["with_eco"] else report["start"]))
    found = re.findall(options.took, text)
    if not found:
        sys.exit(f"the program printed nothing that matches {options.took}")
    return float(found[-1])


def _verdict(claimed: float, true: float, native: float) -> bool:
    """Within 20 % of what is saved, or 2 % of the run, and never more than the run."""
    return abs(claimed - true) <= max(0.2 * abs(true), 0.02 * native) and claimed <= native


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scenario")
    parser.add_argument("--profile", default=None)
    parser.add_argument("--took", default=None, metavar="REGEX")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--mpi", default="openmpi")
    parser.add_argument("--learn", default="on")
    parser.add_argument("--short", action="store_true", help="one run each way")
    parser.add_argument("--json", action="store_true")
    own = sys.argv[1:]
    place = own.index("--") if "--" in own else len(own)
    options, words = parser.parse_args(own[:place]), own[place + 1 :]
    if not words:
        parser.error("name the program after --")
    if options.short:
        options.runs = 1
    eco, native, claimed, unknown = [], [], [], []
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / name for name in ("eco.json", "native.json")]
        for _ in range(options.runs):
            text, report = _run(options, words, files[0], native=False)
            eco.append(_took(options, text, report))
            claimed.append([report["saved"], report["saved_least"], report["saved_most"]])
            unknown.append(report["unknown"])
            counted = files[1] if options.took is None else None
            native.append(_took(options, *_run(options, words, counted, native=True)))
            if not options.json:
                likely, least, most = claimed[-1]
                print(
                    f"ECO {eco[-1]:.2f} s, native {native[-1]:.2f} s; claimed {likely:.2f} s "
                    f"({least:.2f} to {most:.2f}), not known of {unknown[-1]:.2f} s",
                    flush=True,
                )
    whole, true = statistics.median(native), statistics.median(native) - statistics.median(eco)
    likely, least, most = (statistics.median(each) for each in zip(*claimed, strict=True))
    found = {
        "native_s": whole,
        "eco_s": statistics.median(eco),
        "saved_s": true,
        "claimed_s": {"likely": likely, "least": least, "most": most},
        "unknown_s": statistics.median(unknown),
        "within": _verdict(likely, true, whole),
    }
    if options.json:
        print(json.dumps(found))
        return
    ratio = f"{likely / true:.2f}" if true else "-"
    print(
        f"saved {true:.2f} s of {whole:.2f} s; claimed {likely:.2f} s ({least:.2f} to {most:.2f}): "
        f"{ratio} of what is saved, {100 * (likely - true) / whole:+.1f} % of the native run; "
        f"{'within' if found['within'] else 'NOT WITHIN'} 20 % or 2 %"
    )


if __name__ == "__main__":
    main()
