#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Predicted times beside measured ones, over operations and sizes.

    bench/peers/predicted.py three-segments.json -- eco lab run three-segments --native --
    bench/peers/predicted.py grid-3.json --keep measured.json -- eco lab run grid-3 --native --
    bench/peers/predicted.py --from measured.json --worst 10

Per operation the best by prediction at each size and the topology-unaware baselines, timed by
`eco bench` on the network that the profile is of. --keep stores the times and the profile; --from
predicts stored ones again, so that a change of the model can be judged without measuring again.
Exit code 1 where the median error is above 5 % or the 90th percentile above 15 %.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).resolve().parents[2]
PYTHON = PROJECT / ".venv/bin/python"
if Path(sys.prefix) != PYTHON.parents[1] and PYTHON.exists():
    os.execv(PYTHON, [str(PYTHON), *sys.argv])
sys.path.insert(0, str(PROJECT / "python"))

from eco.engine import engine, errors  # noqa: E402
from eco.modelled import Modelled  # noqa: E402
from eco.prediction import Call  # noqa: E402

from eco import comparison  # noqa: E402

ECO = PROJECT / "build" / "release" / "bin" / "eco"
MOST_MEDIAN, MOST_NINTH = 0.05, 0.15
OPERATIONS = "bcast,barrier,scatter,gather,allgather,alltoall,reduce,allreduce,scan,reduce_scatter"
BASELINES = ("binomial", "ring")
NEAR = 1.05
SHORT = {"operations": "bcast", "sizes": "16", "repeats": 3}
Row = dict[str, Any]


def _patterns(given: argparse.Namespace, operation: str, size: int) -> tuple[list[str], float]:
    """The quickest by prediction, without the library's own parts, and the baselines; the
    predicted seconds of one round of them all."""
    candidates = Call(given.profile, operation, size, 0).candidates
    own = [one for one in candidates if not one.baseline and one.choice not in BASELINES]
    baselines = [one for one in candidates if one.choice in BASELINES]
    taken = own[: given.best] + own[given.best :: 4][:1] + baselines
    return [one.choice for one in taken], sum(one.time for one in taken)


def measure(given: argparse.Namespace, operation: str) -> list[Row]:
    """Results as the probe reports them: short sizes in one run with all their patterns, each long
    one in its own with fewer repeats; a size whose three rounds would take too long is left out."""
    short: dict[int, list[str]] = {}
    runs: list[tuple[list[int], list[str], int]] = []
    # A barrier has no size, but `eco bench` takes none below 1.
    for size in map(int, ("1" if operation == "barrier" else given.sizes).split(",")):
        patterns, once = _patterns(given, operation, size)
        repeats = min(given.repeats, int(given.seconds / once))
        if repeats == given.repeats:
            short[size] = patterns
        elif repeats >= 3:
            runs.append(([size], patterns, repeats))
    if short:
        patterns = list(dict.fromkeys(each for listed in short.values() for each in listed))
        runs.insert(0, (list(short), patterns, given.repeats))
    found: list[Row] = []
    for sizes, patterns, repeats in runs:
        words: list[Any] = [ECO, "bench", "--json", "--topology", given.profile]
        words += ["--operations", operation, "--sizes", ",".join(map(str, sizes))]
        words += ["--repeats", repeats, "--order", given.order]
        words += ["--patterns", ",".join(patterns), "--", *given.launcher]
        run = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, text=True)
        if run.returncode != 0:
            sys.exit(run.returncode)
        found += json.loads(run.stdout)["results"]
    return found


def predict(measured: Row) -> list[Row]:
    """One row for each schedule that was timed and that ECO can predict."""
    with errors():
        model = Modelled(engine().parse_profile(json.dumps(measured["profile"]).encode(), "stored"))
    rows = []
    for result in measured["results"]:
        one = model.beside(comparison.read(result))
        for each in one.timings:
            if each.predicted is None:
                continue
            half = len(each.samples) // 2
            again = 0.0
            if half >= 2:
                first, second = each.samples[:half], each.samples[half:]
                again = abs(statistics.median(first) / statistics.median(second) - 1)
            size = 0 if one.operation == "barrier" else one.bytes
            rows.append(
                {
                    "network": measured["network"], "operation": one.operation,
                    "bytes": size, "choice": each.choice, "predicted": each.predicted,
                    "measured": each.median, "bound": one.bound, "again": again,
                }
            )  # fmt: skip
    return rows


def error(row: Row) -> float:
    return float(row["predicted"] / row["measured"] - 1)


def _quantile(figures: list[float], part: float) -> float:
    ordered = sorted(figures)
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))]


def summary(rows: list[Row]) -> Row:
    """Of the errors without their signs; `again`: how far the halves of the samples of one
    schedule are apart; `chosen`: share of calls whose best by prediction was timed within 5 % of
    the best that was timed."""
    errors = [abs(error(row)) for row in rows]
    calls: dict[Any, list[Row]] = {}
    for row in rows:
        calls.setdefault((row["network"], row["operation"], row["bytes"]), []).append(row)
    chosen = [
        min(call, key=lambda row: row["predicted"])["measured"]
        <= NEAR * min(row["measured"] for row in call)
        for call in calls.values()
        if len(call) > 1
    ]
    return {
        "schedules": len(rows),
        "median": statistics.median(errors),
        "ninth": _quantile(errors, 0.9),
        "signed": statistics.median(error(row) for row in rows),
        "again": statistics.median(row["again"] for row in rows),
        "chosen": sum(chosen) / len(chosen) if chosen else None,
    }


def _line(name: str, rows: list[Row]) -> str:
    found = summary(rows)
    chosen = "" if found["chosen"] is None else f", best chosen {found['chosen']:.0%}"
    return (
        f"{name:24}{found['schedules']:5} schedules: median error {found['median']:4.0%} "
        f"(signed {found['signed']:+4.0%}), 90 % within {found['ninth']:4.0%}; "
        f"halves apart {found['again']:.0%}{chosen}"
    )


def _group(rows: list[Row], key: Callable[[Row], Any]) -> dict[Any, list[Row]]:
    groups: dict[Any, list[Row]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return groups


def report(rows: list[Row], given: argparse.Namespace) -> None:
    shown = sorted(rows, key=lambda row: -abs(error(row)))[: given.worst] if given.worst else rows
    for row in [] if given.brief else shown:
        print(
            f"{row['network']:15}{row['operation']:15}{row['bytes']:8} "
            f"{1e3 * row['measured']:9.2f} ms, predicted {1e3 * row['predicted']:9.2f} "
            f"{error(row):+5.0%}  {row['choice']}"
        )
    for key in ("network", "operation", "bytes"):
        for name, group in sorted(_group(rows, lambda row, key=key: row[key]).items()):
            print(_line(f"{name} B" if key == "bytes" else str(name), group))
    for (network, size), group in sorted(
        _group(rows, lambda row: (row["network"], row["bytes"])).items()
    ):
        print(_line(f"{network} {size}", group))
    print(_line("all", rows))


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("profile", type=Path, nargs="?")
    parser.add_argument("--from", dest="stored", type=Path, nargs="+", metavar="FILE")
    parser.add_argument("--keep", type=Path, metavar="FILE", help="of --from")
    parser.add_argument("--operations", default=OPERATIONS)
    parser.add_argument("--sizes", default="16,1024,16000")
    parser.add_argument("--repeats", type=int, default=16)
    parser.add_argument("--seconds", type=float, default=20.0, help="of one operation and size")
    parser.add_argument("--order", default="near")
    parser.add_argument("--best", type=int, default=2, help="by prediction, of each size")
    parser.add_argument("--worst", type=int, default=0, help="show only so many, by their error")
    parser.add_argument("--short", action="store_true", help="one call, judged by nothing")
    parser.add_argument("--brief", action="store_true", help="only the sums")
    parser.add_argument("--json", action="store_true")
    words = sys.argv[1:]
    border = words.index("--") if "--" in words else len(words)
    given = parser.parse_args(words[:border])
    given.launcher = words[border + 1 :]
    if given.short:
        vars(given).update(SHORT)
    if given.stored:
        measured = [json.loads(file.read_text()) for file in given.stored]
    else:
        if not given.profile or not given.launcher:
            parser.error("needs --from, or a profile and a launcher after --")
        results = [
            result for each in given.operations.split(",") for result in measure(given, each)
        ]
        profile = json.loads(given.profile.read_text())
        measured = [{"network": given.profile.stem, "profile": profile, "results": results}]
        if given.keep:
            given.keep.write_text(json.dumps(measured[0]))
    rows = [row for each in measured for row in predict(each)]
    if not rows:
        sys.exit("predicted.py: nothing was timed that ECO can predict")
    found = summary(rows)
    if given.json:
        by_size = {size: summary(each) for size, each in _group(rows, lambda r: r["bytes"]).items()}
        print(json.dumps({**found, "by_size": by_size, "rows": rows}))
    else:
        report(rows, given)
    off = found["median"] > MOST_MEDIAN or found["ninth"] > MOST_NINTH
    return 1 if off and not given.short else 0


if __name__ == "__main__":
    sys.exit(main())
