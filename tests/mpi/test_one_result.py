# SPDX-License-Identifier: BSD-3-Clause
"""All ranks have the same bits of an allreduce, whatever the operator, the schedule, the number."""

from pathlib import Path

import pytest
from mpi_harness import DATA, MPICH5, OPENMPI5, PROFILE, Mpi, Run, built, each, here, lab, with_one

# A family each, with what makes ranks combine the same values each by themselves.
QUICK = ["butterfly", "exchange:inner=star"]
CHOICES = [
    *("butterfly:on=ranks", "ring:segments=2", "circulant", "circulant:segments=3"),
    *("exchange:inner=star,segments=5,split=1", "exchange:inner=k2,segments=6,rotate=all"),
    *("exchange:top=binomial,inner=native,segments=2", "exchange:inner=star,split=1,segments=3"),
    *("tree:top=chain,inner=k2,segments=3", "tree:top=balanced,inner=native,segments=2"),
    "tree:top=relay,inner=star,segments=4,rotate=groups",
]
# Ranks of communicators of 2 to 17 ranks, three on a host.
RANKS, PER_HOST = 17, 3


def _run(mpi: Mpi, eco: bool, choice: str, profile: Path) -> Run:
    return lab(
        mpi,
        built(mpi, "one_result"),
        eco=eco,
        ranks=RANKS,
        per_host=PER_HOST,
        order="random:1",
        choice=choice,
        profile=profile,
    )


def _differences(run: Run) -> set[str]:
    return {line for line in run.out.splitlines() if " differ: " in line}


def _one_result(mpi: Mpi, choice: str, profile: Path = PROFILE) -> None:
    run = _run(mpi, True, choice, profile)
    assert run.planned("allreduce"), run.err
    if "inner=native" in choice and run.code != 0:
        # What the library does alone inside one host: MPICH's ranks differ over TCP.
        known = _differences(_run(mpi, False, choice, profile))
        assert _differences(run) and _differences(run) <= known, run.text
        return
    assert run.code == 0, run.text
    assert "all ok" in run.out, run.text


@pytest.mark.long
@each
def test_native(mpi: Mpi) -> None:
    """The libraries keep it, so a program may count on it."""
    run = here(mpi, 9, built(mpi, "one_result"))
    assert run.code == 0, run.text
    assert "all ok" in run.out


@pytest.mark.lab
@pytest.mark.parametrize("choice", QUICK)
@with_one(OPENMPI5, MPICH5)
def test_schedules_whose_ranks_each_combine(mpi: Mpi, choice: str) -> None:
    _one_result(mpi, choice)


@pytest.mark.lab
@pytest.mark.long
@pytest.mark.parametrize("choice", CHOICES)
@each
def test_every_family(mpi: Mpi, choice: str) -> None:
    _one_result(mpi, choice)


@pytest.mark.lab
@pytest.mark.long
@each
def test_by_multicast(mpi: Mpi) -> None:
    _one_result(mpi, "mcast:segments=3", DATA / "three-segments-mcast.json")
