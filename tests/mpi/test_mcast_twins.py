# SPDX-License-Identifier: BSD-3-Clause
"""Non-blocking and persistent collectives by IP multicast: moved on by the library,
right whatever is lost, and in the order of calls."""

from pathlib import Path

import pytest
from mpi_harness import (
    MPICH5,
    OPENMPI5,
    Mpi,
    Run,
    built,
    either,
    here,
    lab,
    natively,
    same_results,
    with_one,
)
from test_mcast import FAULTY, PROFILE
from test_twins import CALLS, NONBLOCKING, PERSISTENT, Twins

pytestmark = pytest.mark.lab
both = pytest.mark.parametrize(
    "twins",
    [NONBLOCKING, pytest.param(PERSISTENT, marks=pytest.mark.long)],
    ids=lambda twins: twins.kind,
)


def mcasts(mpi: Mpi, program: str, *words: object, choice: str = "mcast:segments=1") -> Run:
    """A program of this folder, with ECO."""
    return lab(mpi, built(mpi, program), *words, eco=True, choice=choice, profile=PROFILE)


def all_multicast(run: Run, twins: Twins, *operations: str) -> None:
    for name in twins.of(*operations):
        assert run.used[name], run.err
        assert all(what.startswith("mcast") for what in run.used[name]), run.err


@both
@with_one(MPICH5, OPENMPI5)
def test_bit_for_bit(mpi: Mpi, twins: Twins) -> None:
    """As blocking calls of the library itself."""
    words = ["--light", "--sections", "bcast,allgather,allreduce"]
    native = natively(mpi, built(mpi, "conformance"), *words, scale=100)
    choice = "mcast:segments=1" if twins is NONBLOCKING else "mcast:segments=5"
    eco = mcasts(mpi, twins.program, *words, choice=choice)
    same_results(native, eco, twins.of("bcast", "allgather", "allreduce"))


FAULTS = [
    "loss: 5%",
    pytest.param("loss: 5%, burst: 20", marks=pytest.mark.long),
    pytest.param("loss: 1%, reorder: 5%, duplicate: 10%", marks=pytest.mark.long),
]


@pytest.mark.parametrize("faults", FAULTS)
@both
@with_one(OPENMPI5, MPICH5)
def test_faults(mpi: Mpi, twins: Twins, faults: str, tmp_path: Path) -> None:
    """Between two segments, of TCP's frames as well."""
    scenario = tmp_path / "faulty.yaml"
    scenario.write_text(FAULTY.format(faults=faults))
    program = built(mpi, f"{twins.kind}-mcasts")
    where = {"scenario": str(scenario), "scale": 1, "profile": PROFILE}
    run = lab(mpi, program, 8, 16000, eco=True, choice="mcast:segments=1", **where)
    assert run.code == 0, run.text
    assert "ok 8 calls" in run.out
    all_multicast(run, twins, "bcast", "allgather")


@both
@either
def test_a_root_that_leaves(mpi: Mpi, twins: Twins, tmp_path: Path) -> None:
    """Waits for its own call only, before one rank has made it."""
    scenario = tmp_path / "faulty.yaml"
    scenario.write_text(FAULTY.format(faults="loss: 1%"))
    modes = ["sends", "receives", "frees", "many", "ends"]
    program = built(mpi, f"{twins.kind}-leaves")
    where = {"scenario": str(scenario), "scale": 1, "profile": PROFILE, "seconds": 60}
    run = lab(mpi, program, 16000, 6, *modes, eco=True, choice="mcast:segments=1", **where)
    assert run.code == 0, run.text
    assert run.results == [f"ok {mode}" for mode in modes]
    all_multicast(run, twins, "bcast")


@both
@either
def test_progress(mpi: Mpi, twins: Twins, tmp_path: Path) -> None:
    """A rank that sits in any of the library's calls multicasts what others wait for."""
    words = [twins.kind, 1, "all", tmp_path, 100]
    run = mcasts(mpi, "progress", *words)
    assert run.code == 0, run.text
    assert run.out.count("passed on in") == len(CALLS)
    all_multicast(run, twins, "bcast", "allreduce", "allgather")


@either
def test_many_under_way(mpi: Mpi) -> None:
    """They run one after the other, in the order of calls, however they are waited for."""
    run = mcasts(mpi, "nonblocking", "order", 100)
    assert run.code == 0, run.text
    assert "all ok" in run.out
    all_multicast(run, NONBLOCKING, "bcast")


@either
def test_many_persistent_ones(mpi: Mpi) -> None:
    """Started in other orders by each rank."""
    run = mcasts(mpi, "persistent", "many", 40)
    assert run.code == 0, run.text
    assert "all ok" in run.out
    assert any(
        what.startswith("mcast") for name in run.used for what in run.used[name] if "_init" in name
    )


@pytest.mark.parametrize("rounds", [100, pytest.param(3000, marks=pytest.mark.long)])
@either
def test_random(mpi: Mpi, rounds: int) -> None:
    """Beside blocking ones, which wait for them, and persistent ones, which do not."""
    native = here(mpi, 8, built(mpi, "nonblocking"), "random", rounds, 3)
    eco = mcasts(mpi, "nonblocking", "random", rounds, 3)
    same_results(native, eco, NONBLOCKING.of("bcast") + PERSISTENT.of("bcast"))
