# SPDX-License-Identifier: BSD-3-Clause
"""Persistent collectives: started again and again, and what their requests are to other functions
of the library. What they share with non-blocking ones: test_twins.py."""

import pytest
from mpi_harness import (
    MPICH5,
    OPENMPI4,
    OPENMPI5,
    OURS,
    Mpi,
    built,
    here,
    lab,
    same_results,
    with_one,
)
from test_conformance import SPREAD
from test_twins import PERSISTENT


@pytest.mark.lab
@with_one(MPICH5, OPENMPI5)
def test_restarts(mpi: Mpi) -> None:
    """Every collective with new input at each start, of plain and of derived datatypes."""
    program = built(mpi, "persistent")
    native = here(mpi, 5, program, "restarts", 6)
    eco = lab(mpi, program, "restarts", 6, eco=True, ranks=5, order=SPREAD, scale=100)
    same_results(native, eco, PERSISTENT.taken)


@pytest.mark.lab
@pytest.mark.either
@pytest.mark.parametrize("what", ["handles", "active", "freed", "many"])
@pytest.mark.parametrize("mpi", [*OURS, OPENMPI4], ids=lambda mpi: mpi.name)
def test_rules(mpi: Mpi, what: str) -> None:
    words = [built(mpi, "persistent"), what, 200]
    run = lab(mpi, *words, eco=True, ranks=5, order=SPREAD, scale=100)
    assert run.code == 0, run.text
    assert "all ok" in run.out
    assert run.planned("bcast_init") or run.planned("allreduce_init"), run.err
