# SPDX-License-Identifier: BSD-3-Clause
"""With Open MPI, ECO splits no communicator where threads of some rank may make others at once."""

import pytest
from mpi_harness import MPICH5, OPENMPI5, Mpi, built, lab


@pytest.mark.lab
@pytest.mark.parametrize(
    ("mpi", "threads"),
    [(OPENMPI5, False), (OPENMPI5, True), (MPICH5, False)],
    ids=["openmpi-one-thread", "openmpi-threads-on-rank-1", "mpich-one-thread"],
)
def test_the_librarys_part_of_a_schedule(mpi: Mpi, threads: bool) -> None:
    run = lab(
        mpi,
        built(mpi, "mismatch"),
        *("allreduce", 100, 100, "blocking", "abort"),
        eco=True,
        hosts=4,
        per_host=2,
        choice="tree:top=balanced,inner=native,segments=2",
        environment={"ECO_TEST_THREADS": "1"} if threads else {},
    )
    assert run.code == 0 and run.err.count("ended well") == 8, run.text
    assert run.planned("allreduce"), run.text
    inside = any("inner=native" in what for what in run.used["allreduce"])
    assert inside == (mpi.family != "openmpi" or not threads), run.text
