# SPDX-License-Identifier: BSD-3-Clause
"""Where a program's first collective is, ECO begins; until then it must not be noticed."""

import pytest
from eco.line_code import EventReader
from mpi_harness import ECO, PROFILE, Mpi, Run, built, either, here, lab


def _run(mpi: Mpi, how: str, choice: str = "eco") -> Run:
    run = lab(mpi, built(mpi, "starts"), how, eco=True, ranks=4, choice=choice, scale=100)
    assert run.code == 0, run.text
    assert "all ok" in run.out
    return run


@pytest.mark.lab
@either
@pytest.mark.parametrize("how", ["nothing", "messages"])
def test_no_collective(mpi: Mpi, how: str) -> None:
    assert "no collective was called" in _run(mpi, how).err


@pytest.mark.lab
@either
def test_late_by_a_second(mpi: Mpi) -> None:
    assert _run(mpi, "late").planned("bcast")


@pytest.mark.lab
@either
@pytest.mark.parametrize("how", ["others-first", "pending"])
def test_collectives_of_a_part_come_first(mpi: Mpi, how: str) -> None:
    """Ranks outside it may wait for its members, in whatever way, before they come to their own."""
    assert _run(mpi, how).planned("bcast")


@pytest.mark.lab
@either
@pytest.mark.parametrize("how", ["dup", "split", "grid"])
def test_no_collective_on_the_world(mpi: Mpi, how: str) -> None:
    assert _run(mpi, how).planned("bcast")


@pytest.mark.lab
@either
def test_threads_race_to_the_first(mpi: Mpi) -> None:
    assert _run(mpi, "threads").planned("allreduce")


@either
def test_a_probe_whose_input_does_not_end(mpi: Mpi) -> None:
    """Open MPI 5's launcher does not always bring the end: what the probe reads ends by itself."""
    held = 'exec "$@" < <(cat "$0"; echo; exec sleep 60 2>/dev/null)'
    words = [
        "probe",
        "bench",
        "--mpi",
        mpi.family,
        "--profile",
        "-",
        "--operations",
        "bcast",
        "--sizes",
        "16",
    ]
    run = here(mpi, 2, "bash", "-c", held, PROFILE, ECO, *words, seconds=50)
    reader = EventReader()
    events = [event for line in run.out.splitlines() for event in reader.take(line) or []]
    (error,) = (event for event in events if event["event"] == "error")
    assert "on hosts of the profile" in error["message"], run.text
