# SPDX-License-Identifier: BSD-3-Clause
"""A job of two programs, of which one names non-blocking collectives, so that it would wait in
MPI_Init for the other (docs/decisions/0016-the-session-begins-with-the-first-collective.md)."""

from pathlib import Path

import pytest
from mpi_harness import Mpi, built, each, lab

pytestmark = pytest.mark.lab
LINE = "in MPI_Init for other ranks; if the job has several programs, set ECO_BEGIN=later"


LATER = {"ECO_BEGIN": "later"}


def by_rank(mpi: Mpi, folder: Path, first: str, others: str) -> Path:
    """A script, so that no launcher knows of two programs: rank 0's, and that of the others."""
    script = folder / "either"
    script.write_text(
        f'#!/bin/sh\n[ "${{OMPI_COMM_WORLD_RANK:-$PMI_RANK}}" = 0 ] && '
        f'exec {built(mpi, first)} "$@"\nexec {built(mpi, others)} "$@"\n'
    )
    script.chmod(0o755)
    return script


@each
def test_each_waits_for_the_other_in_another_call(mpi: Mpi, tmp_path: Path) -> None:
    script = by_rank(mpi, tmp_path, "two-programs-names", "two-programs-other")
    run = lab(mpi, script, "wait", eco=True, environment=LATER, seconds=60)
    assert run.code == 0, run.err
    assert "sum 336 of 8 ranks" in run.out
    assert "allreduce" in run.used  # the session begins with it
    assert LINE not in run.err


@each
def test_non_blocking_calls_before_the_session_and_after_it(mpi: Mpi, tmp_path: Path) -> None:
    """Ranks must agree whether their communicator is prepared for these."""
    script = by_rank(mpi, tmp_path, "two-programs-other", "two-programs-names")
    run = lab(mpi, script, "group", eco=True, environment=LATER, seconds=60)
    assert run.code == 0, run.err
    assert "sum 336 of 8 ranks" in run.out


@pytest.mark.long
@each
def test_a_long_wait_is_explained(mpi: Mpi, tmp_path: Path) -> None:
    script = by_rank(mpi, tmp_path, "two-programs-names", "two-programs-other")
    run = lab(mpi, script, "late", "22", eco=True, seconds=100)
    assert run.code == 0, run.err
    assert "sum 336 of 8 ranks" in run.out
    assert run.err.count(LINE) == 1
