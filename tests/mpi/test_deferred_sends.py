# SPDX-License-Identifier: BSD-3-Clause
"""Sends over a long way end after their call: nothing is lost, changed or kept waiting by that."""

import re

import pytest
from mpi_harness import DATA, Mpi, built, each, lab


@pytest.mark.lab
@pytest.mark.alone
@pytest.mark.parametrize("choice", ["eco", "tree:top=star,inner=star,segments=3,rotate=all"])
@each
def test_deferred_sends(mpi: Mpi, choice: str) -> None:
    run = lab(
        mpi,
        built(mpi, "deferred_sends"),
        eco=True,
        ranks=5,
        choice=choice,
        scale=1,
        scenario=str(DATA / "three-levels.yaml"),
        profile=DATA / "three-levels.json",
    )
    assert run.code == 0, run.err
    assert run.planned("bcast") and run.planned("allreduce")
    waited = re.search(r"waited ([0-9.]+) of ([0-9.]+) s", run.out)
    assert waited, run.out
    # What was sent is there long before its sender calls MPI again.
    assert float(waited[1]) < float(waited[2]) / 2
