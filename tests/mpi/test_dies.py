# SPDX-License-Identifier: BSD-3-Clause
"""A rank that dies inside a collective ends the job, as it does natively: no hang, no success."""

import time

import pytest
from mpi_harness import MPICH5, OURS, Mpi, built, lab


def die(mpi: Mpi, how: str, eco: bool) -> float:
    """The seconds until the job ended."""
    start = time.monotonic()
    run = lab(mpi, built(mpi, "dies"), how, "2", eco=eco, ranks=4, order="random:1", seconds=30)
    assert run.code != 0
    assert "under way" in run.out
    assert "came to the end" not in run.out
    return time.monotonic() - start


ENDS = [(mpi, how) for mpi in OURS for how in ("exit", "abort", "kill", "segfault")]
# MPICH's launcher natively waits forever if one of several hosts' ranks just exits.
ENDS.remove((MPICH5, "exit"))


@pytest.mark.lab
@pytest.mark.either
@pytest.mark.parametrize(("mpi", "how"), ENDS, ids=lambda part: getattr(part, "name", part))
def test_job_ends(mpi: Mpi, how: str) -> None:
    native = die(mpi, how, eco=False)
    assert die(mpi, how, eco=True) < native + 10
