# SPDX-License-Identifier: BSD-3-Clause
"""What ECO takes of memory, and elements that are longer than an int counts."""

import os

import pytest
from mpi_harness import OURS, Mpi, built, each, lab, with_one

MIB = 1 << 20


@pytest.mark.lab
@with_one(*OURS)
def test_what_takes_too_much_memory_is_native(mpi: Mpi) -> None:
    """A leader would hold 45 blocks of six ranks: of 1 MiB it may, of 6 MiB not."""
    sizes = [MIB, 6 * MIB]
    choice = "exchange:inner=star"
    run = lab(mpi, built(mpi, "long_blocks"), *sizes, eco=True, ranks=6, choice=choice)
    assert run.code == 0, run.text
    assert "all ok" in run.out
    assert run.times_of("alltoall", choice) == 1, run.err
    assert run.times_of("alltoall", "native") == 1, run.err


@pytest.mark.lab
@pytest.mark.long
@pytest.mark.skipif(
    os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGESIZE") < 8 << 30, reason="takes 5 GB"
)
@pytest.mark.parametrize("operation", ["alltoallv", "alltoallw", "gatherv"])
@each
def test_an_element_longer_than_an_int_counts(mpi: Mpi, operation: str) -> None:
    choice = "star" if operation == "gatherv" else "direct"
    words = [built(mpi, "big_elements"), operation]
    run = lab(mpi, *words, eco=True, ranks=2, hosts=1, per_host=2, choice=choice, seconds=280)
    assert run.code == 0, run.text
    assert "all ok" in run.out
    assert run.planned(operation), run.err
