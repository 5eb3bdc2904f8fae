# SPDX-License-Identifier: BSD-3-Clause
"""Several multicasts at once: ECO_Multicast of eco.h, eco.f90 and eco_topology.py."""

import pytest
from mpi_harness import HERE, OPENMPI4, PROJECT, Mpi, Run, built, either, here, lab


def right(run: Run) -> None:
    assert run.code == 0, run.text
    assert "all ok" in run.out, run.text


def says_why(run: Run) -> None:
    for words in (
        "message 0: its source, -1, is not a rank of the communicator",
        "message 0: rank 0 is its source and a destination",
        "message 0: destination 1 is named twice",
        "message 0: -1 bytes to 1 ranks; give 0 or more of both",
        "a count of -1 messages; give 0 or more",
    ):
        assert words in run.err


@either
def test_without_eco(mpi: Mpi) -> None:
    run = here(mpi, 4, built(mpi, "multicast"))
    right(run)
    says_why(run)


@pytest.mark.lab
@pytest.mark.parametrize("choice", ["eco", "auto", "native"])
@either
def test_c(mpi: Mpi, choice: str) -> None:
    run = lab(mpi, built(mpi, "multicast"), eco=True, choice=choice, order="random:1")
    right(run)
    says_why(run)
    assert run.planned("multicast") == (choice != "native"), run.err


def test_fortran_without_eco() -> None:
    right(here(OPENMPI4, 3, built(OPENMPI4, "multicast-fortran")))


@pytest.mark.lab
def test_fortran() -> None:
    run = lab(OPENMPI4, built(OPENMPI4, "multicast-fortran"), eco=True)
    right(run)
    assert run.planned("multicast"), run.err


@either
def test_python_without_eco(mpi: Mpi) -> None:
    right(here(mpi, 3, mpi.python, HERE / "multicast.py", PROJECT / "include"))


@pytest.mark.lab
@either
def test_python(mpi: Mpi) -> None:
    run = lab(mpi, mpi.python, HERE / "multicast.py", PROJECT / "include", eco=True)
    right(run)
    assert run.planned("multicast"), run.err
