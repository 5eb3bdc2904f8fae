# SPDX-License-Identifier: BSD-3-Clause
"""Whether reductions of floating-point numbers have the same bits in every job of one program with
one profile, while the jobs learn and others use the network in every second one.

bench/learning/same_bits.py SCENARIO PROFILE [--jobs N] [--calls N] [--doubles N,…] [--short]

Prints for each length how many results of each operation there were: 1 is right.
"""

import argparse
import json
import os
import shutil
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from built import built

from eco import lab

TRAFFIC = "0s traffic n0-n1 rate=5mbit"


def _job(options: argparse.Namespace, profile: Path, traffic: bool) -> list[str]:
    done = lab.run(
        options.scenario,
        [str(built(f"sums-{options.mpi}")), str(options.calls), *options.doubles.split(",")],
        options=lab.Options(
            topology=str(profile),
            mpi=options.mpi,
            scale=options.scale,
            at=(options.traffic,) if traffic else (),
        ),
        timeout=600,
        # A profile of slower links is another network's.
        env={**os.environ, **({"ECO_NETWORK_CHECK": "off"} if options.scale != 1 else {})},
    )
    lines = [line for line in done.stdout.splitlines() if line.startswith("sums ")]
    if done.returncode != 0 or not lines:
        sys.exit(f"a job ended with {done.returncode}\n{done.stderr[-2000:]}")
    if said := [line for line in done.stderr.splitlines() if "eco:" in line]:
        print("\n".join(said), file=sys.stderr)
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scenario")
    parser.add_argument("profile", type=Path)
    parser.add_argument("--jobs", type=int, default=20)
    parser.add_argument("--calls", type=int, default=40)
    parser.add_argument("--doubles", default="2,1000,100000")
    parser.add_argument("--scale", type=float, default=1)
    parser.add_argument("--mpi", default="openmpi")
    parser.add_argument("--traffic", default=TRAFFIC, help="in every second job (eco lab run --at)")
    parser.add_argument("--short", action="store_true", help="four short jobs on fast links")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if options.short:
        options.jobs, options.calls, options.doubles, options.scale = 4, 20, "2,1000", 100
    results: dict[str, dict[str, set[str]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        profile = Path(shutil.copy(options.profile, folder))
        for job in range(options.jobs):
            for line in _job(options, profile, traffic=job % 2 == 1):
                if "changed" in line:
                    sys.exit(f"job {job}: {line}")
                head, _, tail = line.partition(": ")
                words = tail.split()
                of_length = results.setdefault(head.removeprefix("sums "), {})
                for operation, bits in zip(words[::2], words[1::2], strict=True):
                    of_length.setdefault(operation, set()).add(bits)
            if not options.json:
                print(f"job {job + 1} of {options.jobs}", file=sys.stderr)
    counts = {
        length: {operation: len(found) for operation, found in of_length.items()}
        for length, of_length in results.items()
    }
    if options.json:
        print(json.dumps(counts))
        return
    for length, of_length in counts.items():
        print(f"{length} doubles: {of_length}")


if __name__ == "__main__":
    main()
