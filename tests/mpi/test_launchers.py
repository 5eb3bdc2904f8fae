# SPDX-License-Identifier: BSD-3-Clause
"""The probe's lines through what launchers write around lines by their own options."""

import shutil
from typing import Any

import pytest
from eco.line_code import EventReader
from mpi_harness import ECO, MPICH5, OPENMPI4, OPENMPI5, Mpi, Run, each, here

OPTIONS = [
    (OPENMPI5, "--output", "tag"),
    (OPENMPI5, "--output", "tag-detailed,timestamp"),
    (OPENMPI5, "--output", "xml"),
    (OPENMPI4, "--tag-output"),
    (OPENMPI4, "--timestamp-output"),
    (OPENMPI4, "-xml"),
    (MPICH5, "-prepend-rank"),
    (MPICH5, "-prepend-pattern", "[%r on %h]: "),
]


def events_of(run: Run) -> list[dict[str, Any]]:
    reader = EventReader()
    events = [event for line in run.out.splitlines() for event in reader.take(line) or []]
    assert reader.damage() is None
    return events


@pytest.mark.parametrize(
    ("mpi", "options"),
    [(mpi, options) for mpi, *options in OPTIONS],
    ids=[f"{mpi.name} {' '.join(options)}" for mpi, *options in OPTIONS],
)
def test_lines_arrive(mpi: Mpi, options: list[str]) -> None:
    if shutil.which(mpi.launcher) is None:
        pytest.skip(f"{mpi.launcher} is not installed")
    probe = [ECO, "probe", "--mpi", mpi.family, "measure", "--no-tune", "--facts"]
    run = here(mpi, 4, *probe, options=options)
    assert run.code == 0, run.text
    assert not any(line.startswith("@eco.") for line in run.out.splitlines()), run.out[:500]
    events = events_of(run)
    assert {"profile", "done"} <= {event["event"] for event in events}
    assert sorted(event["facts"]["rank"] for event in events if "facts" in event) == [0, 1, 2, 3]


@each
def test_standard_input_that_does_not_arrive(mpi: Mpi) -> None:
    """As from `podman run` without -i: the profile that is handed over."""
    run = here(mpi, 2, ECO, "probe", "--mpi", mpi.family, "measure", "--no-tune", "--profile", "-")
    assert run.code != 0
    said = str(events_of(run))
    assert "no standard input" in said and "need -i" in said
