"""A rank that dies inside a collective ends the job, as it does natively: no hang, no success."""

import time

import pytest
from mpi_harness import Mpi, built, each, lab


@pytest.mark.lab
@pytest.mark.parametrize("how", ["exit", "abort", "kill", "segfault"])
@each
def test_job_ends(mpi: Mpi, how: str) -> None:
    program = built(mpi, "dies")
    took = []
    for eco in (False, True):
        start = time.monotonic()
        run = lab(mpi, program, how, "2", eco=eco, ranks=4, order="random:1", seconds=60)
        took.append(time.monotonic() - start)
        assert run.code != 0
        assert "under way" in run.out
        assert "came to the end" not in run.out
    native, with_eco = took
    assert with_eco < native + 10
