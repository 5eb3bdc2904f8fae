# SPDX-License-Identifier: BSD-3-Clause
"""Checks of the MPI library's own collectives against each other: none may take longer than what
does the same and more (performance guidelines after Träff, Gropp and Thakur, and Hunold)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from eco.doctor.finding import Finding, Severity
from eco.errors import EcoError, ExitCode
from eco.quantities import seconds, size

# All runs of a collective must take so much longer than all runs of what does more; and where
# hosts are busy.
_CLEARLY, _VERY_CLEARLY = 1.5, 3.0
# What costs less than this is no reason to do anything.
_LEAST = 1e-3

Times = Mapping[tuple[str, int], Sequence[float]]  # by operation and bytes, seconds of each run
Part = tuple[str, int]


@dataclass(frozen=True)
class _Broken:
    """A collective that takes longer than other calls that do the same and more."""

    call: Part
    instead: tuple[Part, ...]
    took: float
    could: float


def read(event: Mapping[str, Any]) -> Times:
    """From the probe's `collectives` event."""
    try:
        return {
            (str(entry["operation"]), int(entry["bytes"])): [float(s) for s in entry["samples"]]
            for entry in event["collectives"]
        }
    except (KeyError, TypeError, ValueError):
        raise EcoError("the probe reported invalid times of collectives", ExitCode.LAUNCH) from None


def check(times: Times, ranks: int, library: str, busy: bool) -> Iterator[Finding]:
    """Of each operation the worst."""
    worst: dict[str, _Broken] = {}
    for broken in _broken(times, ranks, _VERY_CLEARLY if busy else _CLEARLY):
        operation = broken.call[0]
        known = worst.get(operation)
        if known is None or broken.took / broken.could > known.took / known.could:
            worst[operation] = broken
    for operation, broken in worst.items():
        instead = " and then ".join(_named(part) for part in broken.instead)
        if len(set(broken.instead)) == 1 and len(broken.instead) > 1:
            instead = f"{len(broken.instead)} times {_named(broken.instead[0])}"
        yield Finding(
            "guidelines",
            Severity.WARNING,
            (_mpi(operation),),
            f"{_named(broken.call)} takes longer than {instead}, which does the same or more",
            "measured",
            f"{seconds(broken.took)} instead of {seconds(broken.could)}: "
            f"{broken.took / broken.could:.1f} times as long",
            f"run programs with ECO (eco measure), or {_setting(operation, library)}",
        )


def _broken(times: Times, ranks: int, clearly: float) -> Iterator[_Broken]:
    for call in times:
        for instead in _alternatives(call, times, ranks):
            if any(part not in times for part in instead):
                continue
            took = min(times[call])
            could = sum(max(times[part]) for part in instead)
            if took > clearly * could and took - could > _LEAST:
                yield _Broken(call, instead, took, could)


def _alternatives(call: Part, times: Times, ranks: int) -> Iterator[tuple[Part, ...]]:
    operation, length = call
    if operation == "gather":
        yield (("allgather", length),)
    elif operation == "reduce":
        yield (("allreduce", length),)
    elif operation == "scatter":
        yield (("bcast", length * ranks),)
    elif operation == "allreduce":
        yield ("reduce", length), ("bcast", length)
    elif operation == "allgather":
        yield ("gather", length), ("bcast", length * ranks)
    for other in times:
        if other[0] != operation or other == call:
            continue
        if other[1] > length:
            yield (other,)
        elif length % other[1] == 0:  # in parts, one after the other
            yield (other,) * (length // other[1])


def _mpi(operation: str) -> str:
    return f"MPI_{operation.capitalize()}"


def _named(part: Part) -> str:
    return f"{_mpi(part[0])} of {size(part[1])}"


def _setting(operation: str, library: str) -> str:
    if library.startswith("Open MPI"):
        return (
            "try other algorithms of the library: --mca coll_tuned_use_dynamic_rules 1 "
            f"--mca coll_tuned_{operation}_algorithm N (ompi_info --all lists them)"
        )
    return f"try other algorithms of the library: MPIR_CVAR_{operation.upper()}_INTRA_ALGORITHM"
