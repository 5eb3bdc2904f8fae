# SPDX-License-Identifier: BSD-3-Clause
"""What programs can ask about the network: eco.h, eco.f90, eco_topology.py, MPI_Comm_split_type."""

import os

import pytest
from mpi_harness import HERE, OPENMPI4, PROJECT, Mpi, Run, built, either, here, lab

# Ranks in order on segments of three, three and two; host and rank are one.
CLUSTERS = ["0: 0/0 0/0", "2: 0/0 2/2", "3: 1/3 3/3", "7: 2/6 7/7"]


@either
def test_without_eco(mpi: Mpi) -> None:
    run = here(mpi, 3, built(mpi, "levels"))
    assert run.code == 0, run.err
    assert run.out.splitlines() == ["0: 0/0", "1: 0/0", "2: 0/0", "all ok"]


@pytest.mark.lab
@either
def test_c(mpi: Mpi) -> None:
    run = lab(mpi, built(mpi, "levels"), "split", eco=True)
    assert run.code == 0, run.text
    lines = run.out.splitlines()
    assert "all ok" in lines
    for line in CLUSTERS:
        assert line in lines


def bound(mpi: Mpi, machine: str, processors: str) -> Run:
    """Two hosts of four ranks, each rank bound to the next of the processors.

    hwloc sees `machine`, for MPI's ranks only: launchers would map by it.
    """
    if not {0, 1} <= os.sched_getaffinity(0):
        pytest.skip("needs processors 0 and 1 to bind ranks to")
    words = [HERE / "bound.sh", machine, processors, built(mpi, "levels"), "split"]
    return lab(mpi, *words, eco=True, hosts=2, per_host=4, environment={"ECO_VERBOSE": "2"})


@pytest.mark.lab
@either
def test_levels_inside(mpi: Mpi) -> None:
    """Packages that ranks are bound to are a level; numbering between them scatters nothing."""
    run = bound(mpi, "package:2 core:1 pu:1", "0 1 0 1")
    assert run.code == 0, run.text
    lines = run.out.splitlines()
    assert "all ok" in lines, run.text
    for line in ["0: 0/0 0/0 0/0", "2: 0/0 0/0 2/2", "3: 0/0 1/1 3/3", "7: 1/4 3/5 7/7"]:
        assert line in lines, run.out
    assert "8 ranks [(0 2) (1 3)] [(4 6) (5 7)]: " in run.err


@pytest.mark.lab
@either
def test_depths_inside_differ(mpi: Mpi) -> None:
    """A rank that may run on two NUMA nodes has no level below their package."""
    run = bound(mpi, "package:2 numa:2 core:1 pu:1", "0 1 0-1 0")
    assert run.code == 0, run.text
    assert "all ok" in run.out, run.text
    assert "8 ranks [(0 3) 1 2] [(4 7) 5 6]: " in run.err
    for line in ["0: 0/0 0/0 0/0", "1: 0/0 1/1", "2: 0/0 2/2"]:
        assert line in run.out.splitlines(), run.out


@pytest.mark.lab
@either
def test_unbound(mpi: Mpi) -> None:
    run = bound(mpi, "package:2 core:1 pu:1", "0-1 0-1 0-1 0-1")
    assert run.code == 0, run.text
    assert "8 ranks [0 1 2 3] [4 5 6 7]: " in run.err


@pytest.mark.lab
def test_fortran() -> None:
    run = lab(OPENMPI4, built(OPENMPI4, "levels-fortran"), eco=True)
    assert run.code == 0, run.text
    assert "level 0: 2/6" in run.out
    assert "level 1: 7/7" in run.out


@pytest.mark.lab
@either
def test_python(mpi: Mpi) -> None:
    script = PROJECT / "tests/mpi/levels.py"
    run = lab(mpi, mpi.python, script, PROJECT / "include", eco=True)
    assert run.code == 0, run.text
    assert "7 [2, 7]" in run.out
    assert "nearest [1, 2]" in run.out
