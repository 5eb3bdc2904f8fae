# SPDX-License-Identifier: BSD-3-Clause
"""A job of two programs, of which one names non-blocking collectives, so that it would wait in
MPI_Init for the other (docs/decisions/0016-the-session-begins-with-the-first-collective.md)."""

from pathlib import Path

import pytest
from mpi_harness import Mpi, built, each, lab

pytestmark = pytest.mark.lab
LINE = "in MPI_Init for other ranks; if the job has several programs, set ECO_BEGIN=later"


def by_rank(mpi: Mpi, folder: Path) -> Path:
    """A script, so that no launcher knows of two programs."""
    names, other = built(mpi, "two-programs-names"), built(mpi, "two-programs-other")
    script = folder / "either"
    script.write_text(
        f'#!/bin/sh\n[ "${{OMPI_COMM_WORLD_RANK:-$PMI_RANK}}" = 0 ] && exec {names} "$@"\n'
        f'exec {other} "$@"\n'
    )
    script.chmod(0o755)
    return script


@each
def test_each_waits_for_the_other_in_another_call(mpi: Mpi, tmp_path: Path) -> None:
    later = {"ECO_BEGIN": "later"}
    run = lab(mpi, by_rank(mpi, tmp_path), eco=True, environment=later, seconds=60)
    assert run.code == 0, run.err
    assert "sum 336 of 8 ranks" in run.out
    assert "allreduce" in run.used  # the session begins with it
    assert LINE not in run.err


@pytest.mark.long
@each
def test_a_long_wait_is_explained(mpi: Mpi, tmp_path: Path) -> None:
    run = lab(mpi, by_rank(mpi, tmp_path), "22", eco=True, seconds=100)
    assert run.code == 0, run.err
    assert "sum 336 of 8 ranks" in run.out
    assert run.err.count(LINE) == 1
