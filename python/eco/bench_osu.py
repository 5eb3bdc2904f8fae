# SPDX-License-Identifier: BSD-3-Clause
"""`eco bench --style osu`: a table for each operation and pattern, in the columns of the OSU
micro-benchmarks' full output, so that what reads theirs reads these."""

import math
from collections.abc import Sequence

from eco import comparison
from eco.comparison import Comparison, Timing

SIZES = ",".join(str(2**power) for power in range(21))
_BLOCKING = ("Avg Latency(us)", "Min Latency(us)", "Max Latency(us)", "P99 Latency(us)")
_NOT_BLOCKING = ("Overall(us)", "Compute(us)", "Pure Comm.(us)", "Overlap(%)")


def tables(found: list[Comparison]) -> str:
    """A row for each size. OSU averages each rank's times; here a call takes what its slowest rank
    takes, with each rank as root in turn, and the columns are of these calls. Of calls that do not
    block medians, with work as long as the call during which MPI is not called, as OSU does it."""
    text = []
    for operation in dict.fromkeys(one.operation for one in found):
        rows = [one for one in found if one.operation == operation]
        for pattern in comparison.patterns(rows):
            columns = _BLOCKING if rows[0].form == "blocking" else _NOT_BLOCKING
            text += [
                f"# ECO MPI_{rows[0].name.capitalize()} Latency Test: {pattern}, {rows[0].ranks} "
                "ranks, slowest rank of each call",
                f"{'# Size':<10}"
                + "".join(f"{name:>18}" for name in columns)
                + f"{'Iterations':>14}",
            ]
            text += [
                _row(one, timing) for one in rows if (timing := one.timing(pattern)) is not None
            ]
            text.append("")
    return "\n".join(text)


def _row(one: Comparison, timing: Timing) -> str:
    samples = timing.samples or (timing.median,)
    latencies = (timing.mean, timing.minimum, max(samples), percentile(samples, 99))
    values = [value * 1e6 for value in latencies]
    if working := timing.without_calls:
        pure = timing.median * 1e6
        values = [working.total * 1e6, pure, pure, working.overlap * 100]
    times = "".join(f"{value:>18.2f}" for value in values)
    size = 0 if one.operation == "barrier" else one.bytes
    return f"{size:<10}{times}{len(samples):>14}"


def percentile(samples: Sequence[float], part: int) -> float:
    """The least sample that so many percent do not exceed."""
    ordered = sorted(samples)
    return ordered[math.ceil(part / 100 * len(ordered)) - 1]
