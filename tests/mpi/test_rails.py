"""Collectives over several cards at once, by libfabric, in an unmodified program."""

import re
from typing import Any

import pytest
from mpi_harness import OPENMPI5, Mpi, built, each, lab, same_results

pytestmark = pytest.mark.lab
SECTIONS = "barrier,bcast,gather,scatter,allgather,alltoall,vectors,reduce,allreduce,types,mixed"


@pytest.mark.parametrize(
    ("choice", "operations"),
    [
        ("tree:inner=star,on=ranks,rails=2", ["bcast", "gather", "scatter", "gatherv", "reduce"]),
        ("tree:inner=binomial2,segments=4,ports=2,rails=2", ["bcast", "gather", "allreduce"]),
        ("direct:window=2,rails=2", ["alltoall", "alltoallv"]),
        ("index:ports=2,rails=2", ["alltoall"]),
    ],
)
@each
def test_bit_for_bit(mpi: Mpi, choice: str, operations: list[str]) -> None:
    """What the choice cannot do runs natively; both must end with the same bytes."""
    program = built(mpi, "conformance")
    words = [program, "--light", "--sections", SECTIONS]
    native = lab(mpi, *words, eco=False, scenario="two-rails", scale=1)
    eco = lab(mpi, *words, eco=True, choice=choice, scenario="two-rails", scale=1)
    same_results(native, eco, operations)
    assert all("rails=2" in what for name in operations for what in eco.used[name])


@each
def test_ranks_that_share_hosts(mpi: Mpi) -> None:
    """Their messages to each other go where MPI sends them; the rails are not alike."""
    program = built(mpi, "conformance")
    words = [program, "--light", "--sections", SECTIONS]
    choice = "tree:top=star,inner=binomial,segments=3,rails=2"
    hosts: dict[str, Any] = {
        "hosts": 3,
        "per_host": 2,
        "order": "random:1",
        "scenario": "unequal-rails",
    }
    # Open MPI 5's han gathers wrongly where types have a lower bound and hosts several ranks.
    hosts["environment"] = {"OMPI_MCA_coll": "^han"}
    native = lab(mpi, *words, eco=False, scale=1, **hosts)
    eco = lab(mpi, *words, eco=True, choice=choice, scale=1, **hosts)
    same_results(native, eco, ["bcast", "gather", "allreduce", "allgather"])


def test_without_a_card_the_library_runs() -> None:
    program = built(OPENMPI5, "conformance")
    run = lab(
        OPENMPI5,
        *(program, "--light", "--sections", "bcast,gather"),
        eco=True,
        choice="tree:inner=star,on=ranks,rails=2",
        scenario="two-rails",
        scale=1,
        environment={"FI_PROVIDER": "none"},
    )
    assert run.code == 0, run.err
    assert "all ok" in run.out
    assert run.err.count("libfabric finds no card that it can use") == 1
    assert not run.planned("gather")


@pytest.mark.parametrize("handler", ["fatal", "return"])
@each
def test_a_card_that_goes_down_ends_the_job(mpi: Mpi, handler: str) -> None:
    """Whatever the program's error handler, since other ranks wait for what will not come."""
    run = lab(
        mpi,
        *(built(mpi, "rail_down"), "eth1", handler),
        eco=True,
        choice="tree:inner=star,on=ranks,rails=2",
        scenario="two-rails",
        scale=1,
        seconds=60,
    )
    assert run.code != 0
    assert "under way" in run.out
    assert "wrong data" not in run.out
    assert "came to the end" not in run.out
    assert re.search(r"eco: rank \d on n\d: rail eth1 \(10\.10\.0\.0/16\): .*; the job ends", run.err)
