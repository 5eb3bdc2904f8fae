# SPDX-License-Identifier: BSD-3-Clause
"""Several messages at once by IP multicast: ECO_Multicast and neighbourhood allgathers, right
whatever is lost."""

from pathlib import Path

import pytest
from mpi_harness import (
    MPICH5,
    OPENMPI5,
    Mpi,
    Run,
    built,
    either,
    lab,
    natively,
    same_results,
    with_one,
)
from test_mcast import FAULTY, PROFILE, sent
from test_multicast_call import right
from test_twins import NONBLOCKING, PERSISTENT, Twins

pytestmark = pytest.mark.lab
CHOICE = "mcast:segments=1"
GATHERS = ("neighbor_allgather", "neighbor_allgatherv")


def went_by_mcast(run: Run, operation: str) -> None:
    assert "mcast" in run.used[operation], run.err
    assert sent(run) > 0


def lossy(folder: Path) -> str:
    scenario = folder / "lossy.yaml"
    scenario.write_text(FAULTY.format(faults="loss: 2%"))
    return str(scenario)


@pytest.mark.parametrize("per_host", [1, 2])
@either
def test_one_call(mpi: Mpi, per_host: int) -> None:
    """Random messages, each to some of the ranks; every byte is looked at."""
    where = {"profile": PROFILE, "per_host": per_host, "hosts": 8 // per_host}
    run = lab(mpi, built(mpi, "multicast"), eco=True, choice=CHOICE, order="random:1", **where)
    right(run)
    went_by_mcast(run, "multicast")


@either
def test_one_call_with_losses(mpi: Mpi, tmp_path: Path) -> None:
    where = {"scenario": lossy(tmp_path), "scale": 1, "profile": PROFILE}
    run = lab(mpi, built(mpi, "multicast"), eco=True, choice=CHOICE, **where)
    right(run)
    went_by_mcast(run, "multicast")


@with_one(OPENMPI5, MPICH5)
def test_neighbours(mpi: Mpi) -> None:
    """On graphs and grids; with own, doubled and missing edges."""
    words = [built(mpi, "conformance"), "--light", "--sections", "neighbours"]
    native = natively(mpi, *words, scale=100)
    eco = lab(mpi, *words, eco=True, choice=CHOICE, profile=PROFILE)
    same_results(native, eco, GATHERS)
    for name in GATHERS:
        went_by_mcast(eco, name)


@with_one(MPICH5, OPENMPI5)
def test_neighbours_with_losses(mpi: Mpi, tmp_path: Path) -> None:
    scenario = lossy(tmp_path)
    words = [built(mpi, "conformance"), "--light", "--sections", "neighbours"]
    native = natively(mpi, *words, scale=100)
    where = {"scenario": scenario, "scale": 1, "profile": PROFILE}
    eco = lab(mpi, *words, eco=True, choice=CHOICE, **where)
    same_results(native, eco, GATHERS)
    for name in GATHERS:
        went_by_mcast(eco, name)


@pytest.mark.parametrize("twins", [NONBLOCKING, PERSISTENT], ids=lambda twins: twins.kind)
@with_one(OPENMPI5, MPICH5)
def test_neighbours_that_do_not_block(mpi: Mpi, twins: Twins) -> None:
    words = ["--light", "--sections", "neighbours"]
    native = natively(mpi, built(mpi, "conformance"), *words, scale=100)
    eco = lab(mpi, built(mpi, twins.program), *words, eco=True, choice=CHOICE, profile=PROFILE)
    same_results(native, eco, [name for name in twins.taken if "neighbor" in name])
    went_by_mcast(eco, twins.of("neighbor_allgather")[0])
