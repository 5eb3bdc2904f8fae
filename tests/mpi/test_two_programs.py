# SPDX-License-Identifier: BSD-3-Clause
"""A job of two programs, of which one names non-blocking collectives, so that it would wait in
MPI_Init for the other (docs/decisions/0016-the-session-begins-with-the-first-collective.md)."""

from pathlib import Path

import pytest
from mpi_harness import Mpi, Run, built, either, lab

pytestmark = pytest.mark.lab
LINE = "in MPI_Init for other ranks; if the job has several programs, set ECO_BEGIN=later"
LATER = {"ECO_BEGIN": "later"}
NAMES, OTHER = "two-programs-names", "two-programs-other"


def goes_well(
    mpi: Mpi, folder: Path, programs: tuple[str, str], *words: str, begin: dict[str, str]
) -> Run:
    """Rank 0's program and that of the others, started by a script, so that no launcher knows of
    two."""
    first, others = (built(mpi, program) for program in programs)
    script = folder / "either"
    script.write_text(
        f'#!/bin/sh\n[ "${{OMPI_COMM_WORLD_RANK:-$PMI_RANK}}" = 0 ] && '
        f'exec {first} "$@"\nexec {others} "$@"\n'
    )
    script.chmod(0o755)
    run = lab(mpi, script, *words, eco=True, environment=begin, seconds=100)
    assert run.code == 0, run.err
    assert "sum 336 of 8 ranks" in run.out
    return run


@either
def test_each_waits_for_the_other_in_another_call(mpi: Mpi, tmp_path: Path) -> None:
    run = goes_well(mpi, tmp_path, (NAMES, OTHER), "wait", begin=LATER)
    assert "allreduce" in run.used  # the session begins with it
    assert LINE not in run.err


@either
def test_non_blocking_calls_before_the_session_and_after_it(mpi: Mpi, tmp_path: Path) -> None:
    """Ranks must agree whether their communicator is prepared for these."""
    goes_well(mpi, tmp_path, (OTHER, NAMES), "group", begin=LATER)


@pytest.mark.long
@either
def test_a_long_wait_is_explained(mpi: Mpi, tmp_path: Path) -> None:
    run = goes_well(mpi, tmp_path, (NAMES, OTHER), "late", "22", begin={})
    assert run.err.count(LINE) == 1
