"""A rank that dies inside a collective ends the job, as it does natively: no hang, no success."""

import time

import pytest
from mpi_harness import Mpi, built, each, lab


def die(mpi: Mpi, how: str, eco: bool) -> float:
    """The seconds until the job ended."""
    start = time.monotonic()
    run = lab(mpi, built(mpi, "dies"), how, "2", eco=eco, ranks=4, order="random:1", seconds=30)
    assert run.code != 0
    assert "under way" in run.out
    assert "came to the end" not in run.out
    return time.monotonic() - start


# MPICH's launcher waits for ever natively where one of several hosts' ranks just exits.
@pytest.mark.lab
@pytest.mark.parametrize("how", ["exit", "abort", "kill", "segfault"])
@each
def test_job_ends(mpi: Mpi, how: str) -> None:
    if mpi.family == "mpich" and how == "exit":
        pytest.skip("hangs natively")
    native = die(mpi, how, eco=False)
    assert die(mpi, how, eco=True) < native + 10
