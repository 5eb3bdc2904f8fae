# SPDX-License-Identifier: BSD-3-Clause
"""Programs that give unlike lengths in one call: whatever happens, nobody waits forever."""

import re

import pytest
from mpi_harness import MPICH5, OPENMPI5, Mpi, Run, built, lab, with_one

SENTENCE = re.compile(
    r"eco: rank \d+: MPI_(\w+) with (\d+) B waits for messages that nobody will send: rank \d+ "
    r"sent \d+ B for this call by another schedule"
)


def _run(mpi: Mpi, *how: object) -> Run:
    return lab(mpi, built(mpi, "mismatch"), *how, eco=True, hosts=4, seconds=60)


@pytest.mark.lab
@pytest.mark.parametrize(
    ("form", "name"),
    [
        ("blocking", "Bcast"),
        pytest.param("nonblocking", "Ibcast", marks=pytest.mark.long),
        pytest.param("persistent", "Bcast_init", marks=pytest.mark.long),
    ],
)
@with_one(MPICH5, OPENMPI5)
def test_by_other_schedules(mpi: Mpi, form: str, name: str) -> None:
    """The rank that nobody sends to says so once, and its call fails."""
    run = _run(mpi, "bcast", 20, 5000, form, "return")
    assert run.code == 0, run.text
    assert SENTENCE.findall(run.err) == [(name, "20000")], run.text
    assert "rank 1 failed" in run.err, run.text
    assert "3 others have ended" in run.out, run.text


@pytest.mark.lab
@with_one(MPICH5, OPENMPI5)
def test_by_other_schedules_with_the_default_handler(mpi: Mpi) -> None:
    run = _run(mpi, "bcast", 20, 5000, "blocking", "abort")
    assert run.code != 0, run.text
    assert SENTENCE.search(run.err), run.text


@pytest.mark.lab
@with_one(MPICH5, OPENMPI5)
def test_truncated_with_the_default_handler(mpi: Mpi) -> None:
    """MPICH ends the rank alone that calls an error handler, and its launcher waits for others."""
    run = _run(mpi, "allreduce", 20, 5000, "blocking", "abort")
    assert run.code != 0, run.text
    assert "truncated" in run.err.lower() or SENTENCE.search(run.err), run.text


@pytest.mark.lab
@with_one(OPENMPI5, MPICH5)
def test_by_the_same_schedule(mpi: Mpi) -> None:
    """As natively: less fills a part of the buffer, more is an error where there is no room."""
    run = _run(mpi, "bcast", 1088, 1142, "blocking", "return")
    assert run.code == 0 and run.err.count("ended well") == 4, run.text
    run = _run(mpi, "bcast", 1142, 1088, "blocking", "return")
    assert run.code == 0 and "rank 1 failed" in run.err, run.text


@pytest.mark.lab
@pytest.mark.parametrize("operation", [pytest.param("bcast", marks=pytest.mark.long), "allreduce"])
@with_one(OPENMPI5, MPICH5)
def test_a_rank_that_is_late(mpi: Mpi, operation: str) -> None:
    """Longer than others wait before they look."""
    run = _run(mpi, operation, 5000, 5000, "blocking", "abort", 8)
    assert run.code == 0 and run.err.count("ended well") == 4, run.text
    assert "nobody will send" not in run.err, run.text
