# SPDX-License-Identifier: BSD-3-Clause
"""Collectives that do not block: every one bit for bit as natively, and the rules that they have
among themselves and with the library's own calls."""

from pathlib import Path

import pytest
from mpi_harness import (
    MPICH4,
    OPENMPI4,
    OURS,
    STANDARD,
    Mpi,
    built,
    each,
    each_debian,
    here,
    lab,
    same_results,
)
from test_conformance import OPERATIONS, SPREAD

PROGRAM = "nonblocking-conformance"
# MPI_Ineighbor_allgatherv runs natively until a blocking one has told all sizes.
TAKEN = ["i" + name for name in OPERATIONS if name != "neighbor_allgatherv"]


@pytest.mark.lab
@each
def test_all_operations(mpi: Mpi) -> None:
    """The conformance program, through non-blocking twins waited for in all ways that MPI has."""
    program = built(mpi, PROGRAM)
    native = lab(mpi, program, "--light", eco=False, ranks=5, order=SPREAD)
    eco = lab(mpi, program, "--light", eco=True, ranks=5, order=SPREAD)
    same_results(native, eco, TAKEN)


@pytest.mark.lab
@pytest.mark.long
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("ranks", [1, 2, 3, 7, 13])
@each
def test_ranks(mpi: Mpi, ranks: int) -> None:
    program = built(mpi, PROGRAM)
    native = lab(mpi, program, eco=False, ranks=ranks, order=SPREAD, scale=100, seconds=500)
    eco = lab(mpi, program, eco=True, ranks=ranks, order=SPREAD, scale=100, seconds=500)
    same_results(native, eco, TAKEN if ranks > 1 else [])


SECTIONS = ["--light", "--sections", "barrier,bcast,allgather,allreduce,types,errors,mixed"]


@pytest.mark.lab
@each_debian
def test_other_versions(mpi: Mpi) -> None:
    """Open MPI 4 calls ECO while it waits; MPICH 4.0 does not, so there all is native."""
    program = built(mpi, PROGRAM)
    native = lab(mpi, program, *SECTIONS, eco=False, ranks=5, order=SPREAD)
    eco = lab(mpi, program, *SECTIONS, eco=True, ranks=5, order=SPREAD)
    taken = ["ibarrier", "ibcast", "iallgather", "iallreduce"]
    same_results(native, eco, taken if mpi is OPENMPI4 else [])
    if mpi is MPICH4:
        assert eco.err.count("does not call ECO while it waits") == 1
        assert not any(eco.planned(name) for name in taken)


@pytest.mark.lab
def test_the_standards_interface() -> None:
    """MPICH's library with MPI-5's own handles exports nothing that calls ECO."""
    program = built(STANDARD, PROGRAM)
    native = lab(STANDARD, program, *SECTIONS, eco=False, ranks=4, order=SPREAD)
    eco = lab(STANDARD, program, *SECTIONS, eco=True, ranks=4, order=SPREAD)
    same_results(native, eco, [])
    assert eco.err.count("does not call ECO while it waits") == 1


@pytest.mark.lab
@each
def test_threads(mpi: Mpi) -> None:
    """Two threads with calls under way, which either of them moves on."""
    program = built(mpi, PROGRAM)
    options = ["--threads", "--sections", "threads,barrier,allreduce", "--light"]
    native = lab(mpi, program, *options, eco=False, ranks=4, order=SPREAD)
    eco = lab(mpi, program, *options, eco=True, ranks=4, order=SPREAD)
    taken = ["ibcast", "iallreduce", "iallgather", "iscan"]
    same_results(native, eco, taken if mpi.family == "openmpi" else [])
    if mpi.family == "mpich":
        assert eco.err.count("with MPI_THREAD_MULTIPLE this MPI library") == 1


WINDOWS = ["fence", "lock"]
CALLS = [
    *("recv", "send", "ssend", "probe", "sendrecv", "wait", "waitall", "barrier"),
    *(*WINDOWS, "dup", "file", "bcast", "mprobe"),
]


@pytest.mark.lab
@pytest.mark.parametrize("mpi", [*OURS, OPENMPI4], ids=lambda mpi: mpi.name)
def test_progress(mpi: Mpi, tmp_path: Path) -> None:
    """A rank that sits in any of the library's calls passes on what a collective asks of it."""
    program = built(mpi, "nonblocking")
    # Open MPI 4 makes no windows on the lab's network.
    calls = CALLS if mpi is not OPENMPI4 else [call for call in CALLS if call not in WINDOWS]
    words = [program, "progress", 2, ",".join(calls), tmp_path]
    run = lab(mpi, *words, eco=True, ranks=5, order=SPREAD)
    assert run.code == 0, run.out + run.err
    assert "all ok" in run.out
    assert run.out.count("passed on in") == len(calls)
    for name in ("bcast", "allreduce", "reduce", "allgather", "barrier", "scan", "alltoall"):
        assert run.planned("i" + name), run.err


@pytest.mark.lab
@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.parametrize("ranks", [2, 3, 8])
@each
def test_progress_for_long(mpi: Mpi, ranks: int, tmp_path: Path) -> None:
    words = ["progress", 100, "all", tmp_path, 800]
    program = built(mpi, "nonblocking")
    run = lab(mpi, program, *words, eco=True, ranks=ranks, order=SPREAD, scale=100, seconds=800)
    assert run.code == 0, run.out + run.err
    assert run.out.count("passed on in") == 14


@pytest.mark.lab
@pytest.mark.parametrize("what", ["freed", "handles", "order"])
@pytest.mark.parametrize("mpi", [*OURS, OPENMPI4], ids=lambda mpi: mpi.name)
def test_rules(mpi: Mpi, what: str) -> None:
    """What is freed while a call needs it, arrays of all kinds of requests, many calls at once."""
    run = lab(mpi, built(mpi, "nonblocking"), what, 500, eco=True, ranks=5, order=SPREAD)
    assert run.code == 0, run.out + run.err
    assert "all ok" in run.out
    assert run.planned("ibcast"), run.err


@pytest.mark.lab
@pytest.mark.parametrize("seed", [1, 2])
@each
def test_random(mpi: Mpi, seed: int) -> None:
    """Calls that block and that do not on several communicators, waited for in any order."""
    program = built(mpi, "nonblocking")
    native = here(mpi, 5, program, "random", 800, seed)
    eco = lab(mpi, program, "random", 800, seed, eco=True, ranks=5, order=SPREAD, scale=100)
    same_results(native, eco, ["i" + name for name in OPERATIONS if "neighbor" not in name])


@pytest.mark.lab
@pytest.mark.long
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("ranks", [2, 3, 4, 7, 8])
@each
def test_random_for_long(mpi: Mpi, ranks: int) -> None:
    program = built(mpi, "nonblocking")
    words = ["random", 20000, ranks, "-", 1000]
    native = here(mpi, ranks, program, *words, seconds=500)
    where = {"ranks": ranks, "order": SPREAD, "scale": 100}
    eco = lab(mpi, program, *words, eco=True, seconds=1000, **where)
    same_results(native, eco, ["ibcast"])


@pytest.mark.lab
@each
def test_device_memory(mpi: Mpi) -> None:
    """On some ranks: nobody but its driver touches it, whenever the call is over."""
    driver = built(mpi, "fake/libcuda.so.1")
    words = [built(mpi, "nonblocking-devices"), driver]
    run = lab(mpi, *words, eco=True, ranks=4, order=SPREAD, scale=100)
    assert run.code == 0, run.out + run.err
    assert "all ok" in run.out
    missed = [name for name in TAKEN if name != "ibarrier" and not run.planned(name)]
    assert not missed, run.err


@pytest.mark.lab
@each
def test_turned_off(mpi: Mpi) -> None:
    words = [built(mpi, "nonblocking"), "order", 50]
    run = lab(mpi, *words, eco=True, ranks=4, environment={"ECO_NONBLOCKING": "off"})
    assert run.code == 0, run.out + run.err
    assert not run.planned("ibcast")
    assert run.planned("barrier")
