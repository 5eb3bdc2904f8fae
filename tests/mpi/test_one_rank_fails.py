# SPDX-License-Identifier: BSD-3-Clause
"""A function of the MPI library fails on one rank alone while ECO begins (decision 0020).

Either all ranks fall back to native, or the job ends and says why. Nobody waits forever."""

from pathlib import Path

import pytest
from mpi_harness import ECO, MPICH5, OPENMPI5, Mpi, Run, built, either, here, with_one


def _run(mpi: Mpi, profile: Path, fails: str, choice: str = "eco") -> Run:
    settings = [f"ECO_CHOICE={choice}", "ECO_VERBOSE=2", f"ECO_TEST_FAILS={fails}"]
    settings.append(f"LD_PRELOAD={built(mpi, 'libmpi_fails.so')}")
    program = [built(mpi, "mismatch"), "allreduce", 100, 100, "blocking", "abort"]
    return here(mpi, 4, "env", *settings, ECO, "exec", "--profile", profile, *program, seconds=60)


@either
@pytest.mark.parametrize("fails", ["Comm_group 1", "Comm_create_keyval 1"])
def test_before_the_ranks_agree(mpi: Mpi, profile: Path, fails: str) -> None:
    run = _run(mpi, profile, fails)
    assert run.code == 0, run.text
    assert run.err.count("ended well") == 4, run.text
    assert run.err.count("rank 1 on") == 1, run.text
    assert f"cannot begin: MPI_{fails.split()[0]} failed" in run.err, run.text
    assert not run.planned("allreduce")


@either
@pytest.mark.parametrize("fails", ["Comm_create 1"])
def test_a_communicator_of_its_own(mpi: Mpi, profile: Path, fails: str) -> None:
    run = _run(mpi, profile, fails)
    assert run.code == 0, run.text
    assert run.err.count("ended well") == 4, run.text
    assert "more communicators" in run.err, run.text


@either
def test_the_librarys_part_of_a_schedule(mpi: Mpi, profile: Path) -> None:
    run = _run(mpi, profile, "Comm_split 1", "tree:inner=native")
    assert run.code == 0, run.text
    assert not run.planned("allreduce"), run.text
    assert run.err.count("ended well") == 4, run.text


@either
@pytest.mark.parametrize("fails", ["Gather 1", "Bcast 1"])
def test_while_the_ranks_agree(mpi: Mpi, profile: Path, fails: str) -> None:
    run = _run(mpi, profile, fails)
    assert run.code != 0, run.text
    assert "while ECO begins or ends; the job ends" in run.err, run.text
    assert "eco: rank 1: " in run.err, run.text


@with_one(MPICH5, OPENMPI5)
@pytest.mark.parametrize(
    "fails", ["Comm_group 2", "Comm_group 3", "Group_translate_ranks 1", "Allreduce 1"]
)
def test_on_the_way_to_the_first_schedule(mpi: Mpi, profile: Path, fails: str) -> None:
    """The error goes to the program's handler, here the one that ends the job."""
    run = _run(mpi, profile, fails)
    assert run.code != 0, run.text
    assert "egmentation" not in run.text, run.text  # it ends, it does not crash
    assert "rank 1 ended well" not in run.err, run.text
