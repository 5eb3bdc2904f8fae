# SPDX-License-Identifier: BSD-3-Clause
"""Process topologies with reorder, on ranks whose neighbours are on other segments."""

import pytest
from mpi_harness import Mpi, built, each, here, lab


@each
def test_native(mpi: Mpi) -> None:
    run = here(mpi, 8, built(mpi, "topologies"))
    assert run.code == 0, run.err
    assert "all ok" in run.out


@pytest.mark.lab
@each
def test_placed(mpi: Mpi) -> None:
    run = lab(mpi, built(mpi, "topologies"), eco=True, order="random:1")
    assert run.code == 0, run.text
    assert "all ok" in run.out
    for function in (
        "Cart_create",
        "Graph_create",
        "Dist_graph_create",
        "Dist_graph_create_adjacent",
    ):
        assert f"MPI_{function} placed 8 ranks" in run.err
