#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What planning a collective takes: one rank's program, choosing, and simulating.

    bench/overhead/planning.py            64 ranks and 1,024, every operation
    bench/overhead/planning.py --json --short     whatever the machine's speed

Per operation the slowest candidate; of 1,024 ranks on as many hosts also what runs by a profile's
predictions, what the job shares at its start and what each rank holds. Exit code 1 where 64 or
1,024 ranks take 5 ms or more, the first call of a class on 1,024 ranks 5 ms, a choice that is known
1 us, simulating 4,032 messages of 64 ranks 50 ms, planning several multicasts on 256 ranks 1 s, on
1,024 ranks 2 s; where 1,024 ranks share 100 kB or more, or one
holds 10 MB.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from built import built

MOST = {"64": 5e-3, "1024": 5e-3}
MOST_CACHED = 1e-6
MOST_SIMULATED = 50e-3
MOST_FIRST = 5e-3
MOST_MULTICASTS = {"64": 1.0, "256": 1.0, "1024": 2.0}
MOST_SHARED = 100_000
MOST_HELD = 10_000_000


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--short", action="store_true", help="judge no times, only sizes")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    found = json.loads(
        subprocess.run(
            [built("planning"), *([] if given.short else ["--multicasts"])],
            stdout=subprocess.PIPE,
            check=True,
        ).stdout
    )
    late = [
        f"{operation} on {ranks} ranks"
        for ranks, most in MOST.items()
        for operation, (seconds, _) in found[ranks].items()
        if seconds >= most
    ]
    start = found["start_1024"]
    late += [
        f"the first {operation} on 1,024 ranks"
        for operation, (seconds, _) in start["first"].items()
        if seconds >= MOST_FIRST
    ]
    if found["cached"] >= MOST_CACHED:
        late.append("a known choice")
    if found["simulate"] >= MOST_SIMULATED:
        late.append("simulating")
    late += [
        f"multicasts on {ranks} ranks"
        for ranks, seconds in found.get("multicasts", {}).items()
        if seconds >= MOST_MULTICASTS[ranks]
    ]
    if given.short:
        late = []
    if start["shared"] >= MOST_SHARED:
        late.append("what 1,024 ranks share")
    if start["most_held"] >= MOST_HELD:
        late.append("what each of 1,024 ranks holds")
    if given.json:
        print(json.dumps(found | {"late": late}))
        return 1 if late else 0
    for ranks in MOST:
        for operation, (seconds, choice) in found[ranks].items():
            print(f"{ranks:>5} ranks  {operation:22}{1e3 * seconds:8.3f} ms  {choice}")
    for operation, (seconds, choice) in start["first"].items():
        print(f"first of 1024  {operation:22}{1e3 * seconds:8.3f} ms  {choice}")
    print(
        f"1,024 ranks share {start['shared'] / 1e3:.1f} kB; each holds "
        f"{start['held_at_start'] / 1e6:.2f} MB, {start['held_with_programs'] / 1e6:.2f} with "
        f"programs of every operation and size, {start['held_with_network'] / 1e6:.2f} with the "
        f"network; {start['most_held'] / 1e6:.2f} at most; session {1e3 * start['session_s']:.1f} "
        f"ms, network {1e3 * start['network_s']:.1f} ms"
    )
    print(
        f"choosing {1e6 * found['choose']:.2f} us, when it is known {1e9 * found['cached']:.1f} ns"
    )
    print(f"simulating 64 ranks, 4,032 messages {1e3 * found['simulate']:.1f} ms")
    for ranks, seconds in found.get("multicasts", {}).items():
        print(f"planning several multicasts on {ranks} ranks {seconds:.2f} s at most")
    for what in late:
        print(f"too much: {what}")
    return 1 if late else 0


if __name__ == "__main__":
    sys.exit(main())
