# SPDX-License-Identifier: BSD-3-Clause
"""What `eco bench` found: one value per operation and size, with the ratios drawn from it."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

from eco.errors import EcoError, ExitCode
from eco.structure import geometric_mean

NATIVE, AGAIN, ECO = "native", "native-again", "eco"
LEAST_NOISE = 0.03  # of two runs of the same; less is luck


@dataclass(frozen=True)
class Working:
    """A call that does not block, with work as long as it takes by itself before its wait."""

    total: float
    overlap: float  # share of the call's time that the work hides


@dataclass(frozen=True)
class Timing:
    """One pattern's times: the slowest rank's, roots in turn."""

    pattern: str
    choice: str
    median: float
    minimum: float
    mean: float
    deviation: float
    quarter: float
    three_quarters: float
    samples: tuple[float, ...]
    predicted: float | None = None  # median over the roots, if ECO knows the schedule
    with_tests: Working | None = None  # MPI_Test every 100 µs meanwhile
    without_calls: Working | None = None

    @property
    def spread(self) -> float:
        """Half the distance between the quartiles, relative to the median."""
        return (self.three_quarters - self.quarter) / 2 / self.median


@dataclass(frozen=True)
class Comparison:
    """All patterns on one operation and size."""

    operation: str
    bytes: int
    layout: str
    ranks: int
    timings: tuple[Timing, ...]
    hosts: tuple[int, ...] = ()  # per rank, of the profile's; empty: not said
    bound: float | None = None  # seconds that no schedule can beat, median over the roots
    bound_by_messages: float | None = None  # the same without IP multicast
    form: str = "blocking"  # or nonblocking, persistent

    @property
    def name(self) -> str:
        """As MPI's function, without its prefix."""
        before, after = {"nonblocking": ("i", ""), "persistent": ("", "_init")}.get(
            self.form, ("", "")
        )
        return f"{before}{self.operation}{after}"

    def timing(self, pattern: str) -> Timing | None:
        return next((each for each in self.timings if each.pattern == pattern), None)

    @property
    def reference(self) -> Timing:
        """What the others are held against: native, or the first pattern."""
        return self.timing(NATIVE) or self.timings[0]

    def ratio(self, pattern: str) -> float | None:
        """How many times faster than the reference."""
        found = self.timing(pattern)
        return self.reference.median / found.median if found else None

    def times_bound(self, pattern: str) -> float | None:
        """How much longer than the bound."""
        found = self.timing(pattern)
        return found.median / self.bound if found and self.bound else None

    @property
    def noise(self) -> float:
        """How far two runs of the native collective differ here."""
        again = self.ratio(AGAIN)
        return max(LEAST_NOISE, abs(math.log(again)) if again else 0.0)


def read(event: dict[str, Any]) -> Comparison:
    """A result that the probe reported."""
    try:
        return Comparison(
            operation=str(event["operation"]),
            bytes=int(event["bytes"]),
            layout=str(event.get("layout", "near")),
            ranks=int(event.get("ranks", 0)),
            timings=tuple(_timing(each) for each in event["patterns"]),
            hosts=tuple(int(host) for host in event.get("hosts", ())),
            form=str(event.get("form", "blocking")),
        )
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise EcoError(
            f"the probe reported a result that cannot be read ({error!r})", ExitCode.LAUNCH
        ) from None


def _timing(each: dict[str, Any]) -> Timing:
    median = float(each["median"])
    if not (math.isfinite(median) and median > 0):
        raise ValueError(f"a median of {median}")
    return Timing(
        pattern=str(each["pattern"]),
        choice=str(each.get("choice", each["pattern"])),
        median=median,
        minimum=float(each.get("minimum", median)),
        mean=float(each.get("mean", median)),
        deviation=float(each.get("deviation", 0.0)),
        quarter=float(each.get("q1", median)),
        three_quarters=float(each.get("q3", median)),
        samples=tuple(float(sample) for sample in each.get("samples", ())),
        with_tests=_working(each.get("work_with_tests")),
        without_calls=_working(each.get("work_without_calls")),
    )


def _working(found: dict[str, Any] | None) -> Working | None:
    return Working(float(found["total"]), float(found["overlap"])) if found else None


def patterns(comparisons: list[Comparison]) -> list[str]:
    """All patterns, in the order asked for."""
    return list(dict.fromkeys(each.pattern for one in comparisons for each in one.timings))


def mean_ratio(comparisons: list[Comparison], pattern: str) -> float | None:
    """Geometric mean over operations and sizes."""
    return geometric_mean([ratio for one in comparisons if (ratio := one.ratio(pattern))])


def document(comparisons: list[Comparison], command: list[str]) -> dict[str, Any]:
    """What `eco bench --json` prints."""
    names = patterns(comparisons)
    return {
        "command": command,
        "results": [_result(one) for one in comparisons],
        "geometric_mean": {name: mean_ratio(comparisons, name) for name in names},
    }


def _result(one: Comparison) -> dict[str, Any]:
    return {
        "operation": one.operation,
        "form": one.form,
        "bytes": one.bytes,
        "layout": one.layout,
        "ranks": one.ranks,
        "hosts": list(one.hosts),
        "noise": one.noise,
        "bound": one.bound,
        "bound_by_messages": one.bound_by_messages,
        "patterns": [
            {
                "pattern": each.pattern,
                "choice": each.choice,
                "ratio": one.ratio(each.pattern),
                "times_bound": one.times_bound(each.pattern),
                "predicted": each.predicted,
                "median": each.median,
                "minimum": each.minimum,
                "mean": each.mean,
                "deviation": each.deviation,
                "q1": each.quarter,
                "q3": each.three_quarters,
                "samples": list(each.samples),
                **({"work_with_tests": asdict(each.with_tests)} if each.with_tests else {}),
                **(
                    {"work_without_calls": asdict(each.without_calls)} if each.without_calls else {}
                ),
            }
            for each in one.timings
        ],
    }
