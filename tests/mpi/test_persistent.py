# SPDX-License-Identifier: BSD-3-Clause
"""Persistent collectives: every one bit for bit as natively, started again and again, and what
their requests are to the library's other functions."""

from pathlib import Path

import pytest
from mpi_harness import (
    MPICH4,
    OPENMPI4,
    OURS,
    Mpi,
    built,
    each,
    each_debian,
    here,
    lab,
    same_results,
)
from test_conformance import OPERATIONS, SPREAD
from test_nonblocking import CALLS, SECTIONS, WINDOWS

PROGRAM = "persistent-conformance"
TAKEN = [name + "_init" for name in OPERATIONS]


@pytest.mark.lab
@each
def test_all_operations(mpi: Mpi) -> None:
    """The conformance program, through persistent twins waited for in all ways that MPI has."""
    program = built(mpi, PROGRAM)
    native = lab(mpi, program, "--light", eco=False, ranks=5, order=SPREAD)
    eco = lab(mpi, program, "--light", eco=True, ranks=5, order=SPREAD)
    same_results(native, eco, TAKEN)


@pytest.mark.lab
@each_debian
def test_other_versions(mpi: Mpi) -> None:
    """Open MPI 4 has them as extensions; MPICH 4.0 does not call ECO while it waits."""
    program = built(mpi, PROGRAM)
    native = lab(mpi, program, *SECTIONS, eco=False, ranks=5, order=SPREAD)
    eco = lab(mpi, program, *SECTIONS, eco=True, ranks=5, order=SPREAD)
    taken = ["barrier_init", "bcast_init", "allgather_init", "allreduce_init"]
    same_results(native, eco, taken if mpi is OPENMPI4 else [])
    if mpi is MPICH4:
        assert not any(eco.planned(name) for name in taken)


@pytest.mark.lab
@each
def test_restarts(mpi: Mpi) -> None:
    """Every collective with new input at each start, of plain and of derived datatypes."""
    program = built(mpi, "persistent")
    native = here(mpi, 5, program, "restarts", 6)
    eco = lab(mpi, program, "restarts", 6, eco=True, ranks=5, order=SPREAD, scale=100)
    same_results(native, eco, TAKEN)


@pytest.mark.lab
@pytest.mark.parametrize("what", ["handles", "active", "freed", "many"])
@pytest.mark.parametrize("mpi", [*OURS, OPENMPI4], ids=lambda mpi: mpi.name)
def test_rules(mpi: Mpi, what: str) -> None:
    words = [built(mpi, "persistent"), what, 200]
    run = lab(mpi, *words, eco=True, ranks=5, order=SPREAD, scale=100)
    assert run.code == 0, run.out + run.err
    assert "all ok" in run.out
    assert run.planned("bcast_init") or run.planned("allreduce_init"), run.err


@pytest.mark.lab
@pytest.mark.parametrize("mpi", OURS, ids=lambda mpi: mpi.name)
def test_progress(mpi: Mpi, tmp_path: Path) -> None:
    """A rank that sits in any of the library's calls passes on what a collective asks of it."""
    words = ["persistent-progress", 1, ",".join(CALLS), tmp_path]
    program = built(mpi, "nonblocking")
    run = lab(mpi, program, *words, eco=True, ranks=5, order=SPREAD, scale=10)
    assert run.code == 0, run.out + run.err
    assert run.out.count("passed on in") == len(CALLS)
    assert len(WINDOWS) < len(CALLS)
    for name in ("bcast", "allreduce", "reduce", "allgather", "barrier", "scan", "alltoall"):
        assert run.planned(name + "_init"), run.err


@pytest.mark.lab
@each
def test_device_memory(mpi: Mpi) -> None:
    """On some ranks: nobody but its driver touches it, whenever the call is over."""
    driver = built(mpi, "fake/libcuda.so.1")
    words = [built(mpi, "persistent-devices"), driver]
    run = lab(mpi, *words, eco=True, ranks=4, order=SPREAD, scale=100)
    assert run.code == 0, run.out + run.err
    assert "all ok" in run.out
    without = ["barrier_init", "neighbor_allgatherv_init"]
    missed = [name for name in TAKEN if name not in without and not run.planned(name)]
    assert not missed, run.err
