# SPDX-License-Identifier: BSD-3-Clause
"""Every collective through its non-blocking and its persistent twin: bit for bit as natively."""

from dataclasses import dataclass
from pathlib import Path

import pytest
from mpi_harness import (
    MPICH4,
    MPICH5,
    OPENMPI4,
    OPENMPI5,
    OURS,
    Mpi,
    built,
    either,
    lab,
    natively,
    same_results,
    with_one,
)
from test_conformance import OPERATIONS, SPREAD


@dataclass(frozen=True)
class Twins:
    """One kind of twins, whose programs are named after it."""

    kind: str
    before: str
    after: str
    not_taken: frozenset[str] = frozenset()

    @property
    def program(self) -> str:
        return f"{self.kind}-conformance"

    def of(self, *operations: str) -> list[str]:
        """Their names in what ECO says."""
        return [f"{self.before}{name}{self.after}" for name in operations]

    @property
    def taken(self) -> list[str]:
        return self.of(*(name for name in OPERATIONS if name not in self.not_taken))


# MPI_Ineighbor_allgatherv runs natively until a blocking one has told all sizes.
NONBLOCKING = Twins("nonblocking", "i", "", frozenset({"neighbor_allgatherv"}))
PERSISTENT = Twins("persistent", "", "_init")
both = pytest.mark.parametrize("twins", [NONBLOCKING, PERSISTENT], ids=lambda twins: twins.kind)
SECTIONS = ["--light", "--sections", "barrier,bcast,allgather,allreduce,types,errors,mixed"]


@pytest.mark.lab
@both
@with_one(OPENMPI5, MPICH5)
def test_all_operations(mpi: Mpi, twins: Twins) -> None:
    """Waited for in all ways that MPI has; the results are those of the blocking calls."""
    program = built(mpi, twins.program)
    words = [built(mpi, "conformance"), "--light"]
    native = natively(mpi, *words, ranks=5, order=SPREAD, scale=100)
    eco = lab(mpi, program, "--light", eco=True, ranks=5, order=SPREAD, scale=100)
    same_results(native, eco, twins.taken)


@pytest.mark.lab
@both
@with_one(MPICH4, OPENMPI4)
def test_other_versions(mpi: Mpi, twins: Twins) -> None:
    """Open MPI 4 calls ECO while it waits; MPICH 4.0 does not, so there all is native."""
    program = built(mpi, twins.program)
    native = natively(mpi, built(mpi, "conformance"), *SECTIONS, ranks=5, order=SPREAD)
    eco = lab(mpi, program, *SECTIONS, eco=True, ranks=5, order=SPREAD, scale=100)
    taken = twins.of("barrier", "bcast", "allgather", "allreduce")
    same_results(native, eco, taken if mpi is OPENMPI4 else [])
    if mpi is MPICH4:
        assert not any(eco.planned(name) for name in taken)
        if twins is NONBLOCKING:
            assert eco.err.count("does not call ECO while it waits") == 1


WINDOWS = ["fence", "lock"]
CALLS = [
    *("recv", "send", "ssend", "probe", "sendrecv", "wait", "waitall", "barrier"),
    *(*WINDOWS, "dup", "file", "bcast", "mprobe"),
]
PROGRESS = [(NONBLOCKING, mpi) for mpi in [*OURS, OPENMPI4]] + [(PERSISTENT, mpi) for mpi in OURS]


@pytest.mark.lab
@pytest.mark.parametrize(
    ("twins", "mpi"), PROGRESS, ids=lambda of: of.kind if isinstance(of, Twins) else of.name
)
def test_progress(mpi: Mpi, twins: Twins, tmp_path: Path) -> None:
    """A rank that sits in any of the library's calls passes on what a collective asks of it."""
    # Open MPI 4 makes no windows on the lab's network.
    calls = CALLS if mpi is not OPENMPI4 else [call for call in CALLS if call not in WINDOWS]
    rounds = 2 if twins is NONBLOCKING else 1
    words = [twins.kind, rounds, ",".join(calls), tmp_path, 100]
    run = lab(mpi, built(mpi, "progress"), *words, eco=True, ranks=5, order=SPREAD, scale=100)
    assert run.code == 0, run.text
    assert "all ok" in run.out
    assert run.out.count("passed on in") == len(calls)
    names = ("bcast", "allreduce", "reduce", "allgather", "barrier", "scan", "alltoall")
    for name in twins.of(*names):
        assert run.planned(name), run.err


@pytest.mark.lab
@both
@either
def test_device_memory(mpi: Mpi, twins: Twins) -> None:
    """On some ranks: nobody but its driver touches it, whenever the call is over."""
    driver = built(mpi, "fake/libcuda.so.1")
    words = [built(mpi, f"{twins.kind}-devices"), driver]
    run = lab(mpi, *words, eco=True, ranks=4, order=SPREAD, scale=100)
    assert run.code == 0, run.text
    assert "all ok" in run.out
    without = twins.of("barrier", "neighbor_allgatherv")
    missed = [name for name in twins.taken if name not in without and not run.planned(name)]
    assert not missed, run.err
