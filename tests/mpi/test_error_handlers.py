# SPDX-License-Identifier: BSD-3-Clause
"""What a program's error handlers get is what they get natively."""

import pytest
from mpi_harness import Mpi, built, each, lab, natively


@pytest.mark.lab
@each
def test_a_communicator_without_one(mpi: Mpi) -> None:
    native = natively(mpi, built(mpi, "unset_handler"), hosts=3)
    run = lab(mpi, built(mpi, "unset_handler"), eco=True, hosts=3, choice="eco")
    assert run.code == native.code, run.text
    assert run.out == native.out
