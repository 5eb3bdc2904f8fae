# SPDX-License-Identifier: BSD-3-Clause
"""What a program's error handlers get is what they get natively."""

import pytest
from mpi_harness import Mpi, built, each, lab, natively


# "uncommitted": a type that was not committed.
@pytest.mark.lab
@pytest.mark.parametrize("program", ["unset_handler", "uncommitted"])
@each
def test_as_natively(mpi: Mpi, program: str) -> None:
    native = natively(mpi, built(mpi, program), hosts=3)
    run = lab(mpi, built(mpi, program), eco=True, hosts=3, choice="eco")
    assert run.code == native.code, run.text
    assert run.out == native.out
    assert run.planned("bcast" if program == "uncommitted" else "barrier")
