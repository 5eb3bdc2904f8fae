# SPDX-License-Identifier: BSD-3-Clause
"""What `eco tune --native-algorithms` timed, in the order in which exporters need it."""

import math
from collections.abc import Iterator, Sequence

from eco.errors import EcoError, ExitCode
from eco.profile import AlgorithmTimes, Profile

# Open MPI's and UCC's sizes are those of all blocks together here, else of one rank's message as
# ECO's are.
_ALL_BLOCKS = ("allgather", "alltoall")


def of_library(profile: Profile, family: str) -> tuple[AlgorithmTimes, ...]:
    """Of the library of this family that was timed last; fails if none was."""
    found = [one for one in profile.native_algorithms if one.mpi.split(" ")[0] == family]
    if not found:
        shown = {"openmpi": "Open MPI", "mpich": "MPICH"}[family]
        raise EcoError(
            f"{profile.origin} has no times of {shown}'s algorithms; run `eco tune "
            f"{profile.origin} --native-algorithms -- mpirun …` with {shown} first",
            ExitCode.BAD_INPUT,
        )
    # Of several numbers of ranks on a host, what was timed last.
    calls = {
        (one.operation, one.ranks, one.bytes): one for one in found if one.mpi == found[-1].mpi
    }
    return tuple(calls.values())


def by_call(
    entries: Sequence[AlgorithmTimes],
) -> dict[tuple[str, int], list[AlgorithmTimes]]:
    """By operation and number of ranks, both ascending, in the order of sizes."""
    found: dict[tuple[str, int], list[AlgorithmTimes]] = {}
    key = lambda one: (one.operation, one.ranks, one.bytes)  # noqa: E731
    for entry in sorted(entries, key=key):
        found.setdefault((entry.operation, entry.ranks), []).append(entry)
    return found


def from_sizes(found: Sequence[AlgorithmTimes]) -> Iterator[tuple[int, AlgorithmTimes]]:
    """Each with the size from which on it counts, as these libraries count sizes: the (geometric)
    middle between two timed ones."""
    before = 0
    for entry in found:
        blocks = entry.ranks if entry.operation in _ALL_BLOCKS else 1
        yield blocks * math.isqrt(before * entry.bytes), entry
        before = entry.bytes
