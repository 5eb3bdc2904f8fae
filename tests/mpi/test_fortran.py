# SPDX-License-Identifier: BSD-3-Clause
"""Fortran's three interfaces, with the system's own MPI packages."""

import pytest
from mpi_harness import OPENMPI4, Mpi, built, each_debian, here, lab, same_results

INTERFACES = ["mpif.h", "mpi", "mpi_f08"]


@pytest.mark.parametrize("interface", INTERFACES)
@each_debian
def test_native(mpi: Mpi, interface: str) -> None:
    run = here(mpi, 3, built(mpi, f"fortran-{interface}"))
    assert run.code == 0, run.text
    assert "all ok" in run.out


@pytest.mark.lab
@pytest.mark.either
@pytest.mark.parametrize("interface", INTERFACES)
@each_debian
def test_with_eco(mpi: Mpi, interface: str) -> None:
    program = built(mpi, f"fortran-{interface}")
    native = here(mpi, 4, program)
    eco = lab(mpi, program, eco=True, ranks=4, order="random:1")
    operations = ["bcast", "gather", "allgather", "alltoall", "allreduce", "reduce", "scan"]
    if mpi is OPENMPI4:  # MPICH 4.0 has nothing that moves calls on while it waits
        operations += ["ibcast", "iallreduce", "iallgather", "ibarrier"]
        operations += ["bcast_init", "allreduce_init", "allgather_init", "barrier_init"]
    same_results(native, eco, operations)
