# SPDX-License-Identifier: BSD-3-Clause
"""For UCC: the string that says which algorithm its layer over UCX takes for which sizes.

UCC is not timed. What counts are the times of the same algorithms in Open MPI or MPICH
(`eco tune --native-algorithms`), among those that UCC has too.
"""

from collections.abc import Mapping, Sequence

from eco.errors import EcoError, ExitCode
from eco.export import timed
from eco.export.document import Document, comments
from eco.export.network import Network
from eco.profile import AlgorithmTimes, Profile
from eco.zipped import zipped

# UCC's name, and the same algorithm in Open MPI and MPICH.
_SAME: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "allgather": {
        "ring": ("ring",),
        "neighbor": ("neighbor",),
        "bruck": ("bruck", "brucks"),
        "knomial": ("recursive_doubling",),
        "linear": ("linear",),
    },
    "allreduce": {
        "knomial": ("recursive_doubling",),
        "sra_knomial": ("rabenseifner", "reduce_scatter_allgather"),
        "ring": ("ring",),
    },
    "alltoall": {"pairwise": ("pairwise",), "bruck": ("modified_bruck", "brucks")},
    "bcast": {
        "knomial": ("binomial", "knomial"),
        "sag_knomial": ("scatter_allgather", "scatter_recursive_doubling_allgather"),
    },
    "reduce": {"knomial": ("binomial",), "srg": ("rabenseifner", "reduce_scatter_gather")},
}


def tune(network: Network) -> Document:
    """One variable: `UCC_TL_UCP_TUNE`, tokens `operation:sizes:memory:[ranks]:@algorithm`."""
    use = ". FILE; mpirun --mca coll_ucc_enable 1 … (with UCC's layer over UCX, TL/UCP)"
    cannot = (
        "UCC's own times: these are the times of the same algorithms in the MPI library",
        "the network or the hosts: a token is for an operation, sizes and a number of ranks",
        "ECO's algorithms, and lengths of segments",
        "UCC's other layers (CL/HIER, SHARP, NCCL): this is for TL/UCP",
    )
    tokens: list[str] = []
    for (operation, ranks), found in timed.by_call(_entries(network.profile)).items():
        if operation in _SAME:
            tokens += _tokens(operation, ranks, found)
    if not tokens:
        raise EcoError(
            f"{network.profile.origin} has times of no algorithm that UCC has too",
            ExitCode.BAD_INPUT,
        )
    text = comments(network.profile, use, cannot)
    return Document(f"{text}export UCC_TL_UCP_TUNE='{'#'.join(tokens)}'\n", cannot, use)


def _entries(profile: Profile) -> tuple[AlgorithmTimes, ...]:
    """Of the library that was timed last; if none was, the message asks for Open MPI's."""
    if not profile.native_algorithms:
        return timed.of_library(profile, "openmpi")
    return timed.of_library(profile, profile.native_algorithms[-1].mpi.split(" ")[0])


def _tokens(operation: str, ranks: int, found: Sequence[AlgorithmTimes]) -> list[str]:
    ranges: list[tuple[int, str]] = []
    for least, entry in timed.from_sizes(found):
        best = _fastest(operation, entry)
        if best and (not ranges or ranges[-1][1] != best):
            ranges.append((least, best))
    ends = [str(least) for least, _ in ranges[1:]] + ["inf"]
    return [
        f"{operation}:{least}-{end}:host:[{ranks}-{ranks}]:@{best}"
        for (least, best), end in zipped(ranges, ends)
    ]


def _fastest(operation: str, entry: AlgorithmTimes) -> str:
    """UCC's name of the fastest that it has; empty: fewer than two of these were timed."""
    times = {
        name: min(entry.times[one] for one in same if one in entry.times)
        for name, same in _SAME[operation].items()
        if any(one in entry.times for one in same)
    }
    return min(times, key=lambda name: times[name]) if len(times) > 1 else ""
