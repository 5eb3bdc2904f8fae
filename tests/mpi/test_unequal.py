# SPDX-License-Identifier: BSD-3-Clause
"""Pairs of ranks with short and long messages in one call, of which only the long wait."""

import pytest
from mpi_harness import Mpi, built, either, lab


@pytest.mark.lab
@pytest.mark.parametrize("choice", ["direct:window=1", "direct:window=4"])
@either
def test_unequal_pairs(mpi: Mpi, choice: str) -> None:
    run = lab(mpi, built(mpi, "unequal"), eco=True, ranks=8, choice=choice, scale=100, seconds=100)
    assert run.code == 0, run.err
    assert run.planned("alltoallv") and run.planned("alltoallw")
    assert "checked " in run.out
