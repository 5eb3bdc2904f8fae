"""What programs can ask about the network: eco.h, eco.f90, eco_topology.py, MPI_Comm_split_type."""

import pytest
from mpi_harness import OPENMPI4, PROJECT, Mpi, built, each, here, lab

# Ranks in order on segments of three, three and two; host and rank are one.
CLUSTERS = ["0: 0/0 0/0", "2: 0/0 2/2", "3: 1/3 3/3", "7: 2/6 7/7"]


@each
def test_without_eco(mpi: Mpi) -> None:
    run = here(mpi, 3, built(mpi, "levels"))
    assert run.code == 0, run.err
    assert run.out.splitlines() == ["0: 0/0", "1: 0/0", "2: 0/0", "all ok"]


@pytest.mark.lab
@each
def test_c(mpi: Mpi) -> None:
    run = lab(mpi, built(mpi, "levels"), "split", eco=True)
    assert run.code == 0, run.out + run.err
    lines = run.out.splitlines()
    assert "all ok" in lines
    for line in CLUSTERS:
        assert line in lines


@pytest.mark.lab
def test_fortran() -> None:
    run = lab(OPENMPI4, built(OPENMPI4, "levels-fortran"), eco=True)
    assert run.code == 0, run.out + run.err
    assert "level 0: 2/6" in run.out
    assert "level 1: 7/7" in run.out


@pytest.mark.lab
@each
def test_python(mpi: Mpi) -> None:
    script = PROJECT / "tests/mpi/levels.py"
    run = lab(mpi, mpi.python, script, PROJECT / "include", eco=True)
    assert run.code == 0, run.out + run.err
    assert "7 [2, 7]" in run.out
    assert "nearest [1, 2]" in run.out
