# SPDX-License-Identifier: BSD-3-Clause
"""The collective algorithms that MPI libraries have themselves, and the settings that choose them.

A `Run` is one start of the probe with one algorithm for each of some operations. Names and numbers
are the libraries' own: of Open MPI's `tuned` component in 4.1 to 6, of MPICH 4.0 and 5.0.
"""

from collections.abc import Mapping
from dataclasses import dataclass

SEGMENT = 4096  # bytes; shorter messages are not cut
# Of the component `tuned`: numbers, as rules files have them. Those for two ranks are left out.
OPEN_MPI: Mapping[str, Mapping[str, int]] = {
    "allgather": {
        "linear": 1,
        "bruck": 2,
        "recursive_doubling": 3,
        "ring": 4,
        "neighbor": 5,
    },
    "allgatherv": {"default": 1, "bruck": 2, "ring": 3, "neighbor": 4},
    "allreduce": {
        "basic_linear": 1,
        "nonoverlapping": 2,
        "recursive_doubling": 3,
        "ring": 4,
        "segmented_ring": 5,
        "rabenseifner": 6,
    },
    "alltoall": {"linear": 1, "pairwise": 2, "modified_bruck": 3, "linear_sync": 4},
    "barrier": {"linear": 1, "double_ring": 2, "recursive_doubling": 3, "bruck": 4, "tree": 6},
    "bcast": {
        "basic_linear": 1,
        "chain": 2,
        "pipeline": 3,
        "split_binary_tree": 4,
        "binary_tree": 5,
        "binomial": 6,
        "knomial": 7,
        "scatter_allgather": 8,
        "scatter_allgather_ring": 9,
    },
    "exscan": {"linear": 1, "recursive_doubling": 2},
    "gather": {"basic_linear": 1, "binomial": 2, "linear_sync": 3},
    "reduce": {
        "linear": 1,
        "chain": 2,
        "pipeline": 3,
        "binary": 4,
        "binomial": 5,
        "in-order_binary": 6,
        "rabenseifner": 7,
    },
    "reduce_scatter": {"non-overlapping": 1, "recursive_halving": 2, "ring": 3, "butterfly": 4},
    "reduce_scatter_block": {
        "basic_linear": 1,
        "recursive_doubling": 2,
        "recursive_halving": 3,
        "butterfly": 4,
    },
    "scan": {"linear": 1, "recursive_doubling": 2},
    "scatter": {"basic_linear": 1, "binomial": 2, "linear_nb": 3},
}
_SEGMENTED: Mapping[str, tuple[int, ...]] = {
    "allreduce": (5,),
    "bcast": (2, 3, 4, 5, 6),
    "reduce": (2, 3, 4, 5, 6),
}
# In the order of their runs: what only MPICH 5 has comes last, as MPICH 4 would not start with it.
_MPICH: Mapping[str, tuple[str, ...]] = {
    "allgather": ("brucks", "recursive_doubling", "ring"),
    "allgatherv": ("brucks", "recursive_doubling", "ring"),
    "allreduce": ("recursive_doubling", "reduce_scatter_allgather", "smp"),
    "alltoall": ("brucks", "pairwise", "scattered"),
    "bcast": (
        "binomial",
        "scatter_recursive_doubling_allgather",
        "scatter_ring_allgather",
        "smp",
    ),
    "reduce": ("binomial", "reduce_scatter_gather", "smp"),
    "reduce_scatter": ("pairwise", "recursive_doubling", "recursive_halving"),
    "reduce_scatter_block": ("pairwise", "recursive_doubling", "recursive_halving"),
    "scan": ("recursive_doubling", "smp"),
}
_MPICH_5: Mapping[str, tuple[str, ...]] = {
    "allgather": ("recexch_doubling", "recexch_halving"),
    "allreduce": ("tree", "ring", "recexch"),
    "barrier": ("k_dissemination", "recexch"),
    "bcast": ("pipelined_tree", "tree"),
}


@dataclass(frozen=True)
class Run:
    """One start of the probe."""

    algorithms: Mapping[str, str]  # by operation; a segment's length follows "/"
    settings: Mapping[str, str]  # environment variables
    longer_than: int = 0  # only messages above this

    def only(self, operations: set[str]) -> "Run":
        """The same, of fewer operations."""
        left = {
            name: algorithm for name, algorithm in self.algorithms.items() if name in operations
        }
        return Run(left, self.settings, self.longer_than)


def runs(library: str) -> list[Run]:
    """All that are to be timed; library: as in a profile's choices, `openmpi 5.0.11`."""
    family, _, version = library.partition(" ")
    if family == "openmpi":
        return [*_numbered(), *_segmented()]
    if family == "mpich":
        newer = [] if version.startswith(("3.", "4.0")) else _named(_MPICH_5)
        return [*_named(_MPICH), *newer]
    return []


def operations(library: str) -> list[str]:
    """Those with algorithms to choose from."""
    found: dict[str, None] = {}
    for run in runs(library):
        found |= dict.fromkeys(run.algorithms)
    return sorted(found)


def number(operation: str, algorithm: str) -> tuple[int, int]:
    """Open MPI's number of an algorithm, and the length of its segments; 0: whole messages."""
    name, _, segment = algorithm.partition("/")
    return OPEN_MPI[operation][name], int(segment or 0)


def of_open_mpi(operation: str, number: int, segment: int = 0) -> dict[str, str]:
    """The variables that make Open MPI use it."""
    name = f"OMPI_MCA_coll_tuned_{operation}_algorithm"
    return {name: str(number)} | ({f"{name}_segmentsize": str(segment)} if segment else {})


# Collectives by levels of the machine would take the calls otherwise.
OPEN_MPI_ALONE = {"OMPI_MCA_coll_han_priority": "0", "OMPI_MCA_coll_tuned_use_dynamic_rules": "1"}


def of_mpich(operation: str, algorithm: str) -> dict[str, str]:
    """The variable that makes MPICH use it."""
    return {f"MPIR_CVAR_{operation.upper()}_INTRA_ALGORITHM": algorithm}


def _numbered() -> list[Run]:
    found = []
    for count in range(1, 1 + max(max(of.values()) for of in OPEN_MPI.values())):
        algorithms, settings = {}, dict(OPEN_MPI_ALONE)
        for operation, numbers in OPEN_MPI.items():
            for name, own in numbers.items():
                if own == count:
                    algorithms[operation] = name
                    settings |= of_open_mpi(operation, own)
        found.append(Run(algorithms, settings))
    return found


def _segmented() -> list[Run]:
    found = []
    for place in range(max(len(of) for of in _SEGMENTED.values())):
        algorithms, settings = {}, dict(OPEN_MPI_ALONE)
        for operation, numbers in _SEGMENTED.items():
            if place >= len(numbers):
                continue
            names = {own: name for name, own in OPEN_MPI[operation].items()}
            algorithms[operation] = f"{names[numbers[place]]}/{SEGMENT}"
            settings |= of_open_mpi(operation, numbers[place], SEGMENT)
        found.append(Run(algorithms, settings, longer_than=SEGMENT))
    return found


def _named(table: Mapping[str, tuple[str, ...]]) -> list[Run]:
    found = []
    for place in range(max(len(of) for of in table.values())):
        algorithms = {name: of[place] for name, of in table.items() if place < len(of)}
        settings: dict[str, str] = {}
        for operation, algorithm in algorithms.items():
            settings |= of_mpich(operation, algorithm)
        found.append(Run(algorithms, settings))
    return found
