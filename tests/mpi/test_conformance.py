# SPDX-License-Identifier: BSD-3-Clause
"""The conformance program: every blocking collective, natively and with ECO, bit for bit."""

import subprocess
from typing import Any

import pytest
from mpi_harness import (
    DATA,
    DEBIANS,
    MPICH5,
    OPENMPI5,
    OURS,
    STANDARD,
    Mpi,
    Run,
    built,
    each,
    each_debian,
    either,
    every,
    here,
    lab,
    natively,
    same_results,
    with_one,
)

OPERATIONS = [
    "barrier",
    "bcast",
    "gather",
    "scatter",
    "allgather",
    "alltoall",
    "gatherv",
    "scatterv",
    "allgatherv",
    "alltoallv",
    "alltoallw",
    "neighbor_allgather",
    "neighbor_allgatherv",
    "reduce",
    "allreduce",
    "scan",
    "exscan",
    "reduce_scatter",
    "reduce_scatter_block",
]
# Ranks in an order where neighbours are on different segments.
SPREAD = "random:1"


@every
def test_native(mpi: Mpi) -> None:
    """The program is right: it passes if there is no ECO."""
    run = here(mpi, 3, built(mpi, "conformance"), "--light")
    assert run.code == 0, run.err
    assert "all ok" in run.out


@pytest.mark.lab
@either
def test_all_ranks(mpi: Mpi) -> None:
    program = built(mpi, "conformance")
    native = lab(mpi, program, "--light", eco=False, scale=100)
    eco = lab(mpi, program, "--light", eco=True, scale=100, environment={"ECO_REORDER": "on"})
    same_results(native, eco, OPERATIONS)


@pytest.mark.lab
def test_the_standards_interface() -> None:
    """A program of MPI-5's own handles, by the object that is compiled with them."""
    program = built(STANDARD, "conformance")
    libraries = subprocess.run(["readelf", "-d", program], capture_output=True, text=True).stdout
    assert "libmpi_abi.so" in libraries
    native = lab(STANDARD, program, "--light", eco=False, ranks=5, order=SPREAD, scale=100)
    eco = lab(
        STANDARD,
        program,
        "--light",
        eco=True,
        ranks=5,
        order=SPREAD,
        scale=100,
        environment={"ECO_REORDER": "on"},
    )
    same_results(native, eco, OPERATIONS)


@pytest.mark.lab
@each
def test_threads(mpi: Mpi) -> None:
    program = built(mpi, "conformance")
    options = ["--threads", "--sections", "threads,barrier"]
    native = lab(mpi, program, *options, eco=False, ranks=4, order=SPREAD, scale=100)
    eco = lab(mpi, program, *options, eco=True, ranks=4, order=SPREAD, scale=100)
    same_results(native, eco, ["bcast", "allreduce"])


@pytest.mark.lab
@each_debian
def test_other_versions(mpi: Mpi) -> None:
    """The same object serves the previous major version of the library."""
    program = built(mpi, "conformance")
    options = [
        "--light",
        "--sections",
        "bcast,allgather,allreduce,user_operators,types,errors,mixed",
    ]
    native = lab(mpi, program, *options, eco=False, ranks=5, order=SPREAD, scale=100)
    eco = lab(mpi, program, *options, eco=True, ranks=5, order=SPREAD, scale=100)
    same_results(native, eco, ["bcast", "allgather", "allreduce"])


@pytest.mark.lab
@pytest.mark.long
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("ranks", [1, 2, 3, 4, 5, 7, 13])
@each
def test_ranks(mpi: Mpi, ranks: int) -> None:
    program = built(mpi, "conformance")
    native = lab(mpi, program, eco=False, ranks=ranks, order=SPREAD, scale=100, seconds=500)
    eco = lab(mpi, program, eco=True, ranks=ranks, order=SPREAD, scale=100, seconds=500)
    same_results(native, eco, OPERATIONS if ranks > 1 else [])


@pytest.mark.lab
@pytest.mark.long
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("per_host", [6, 8])
@each
def test_more_ranks_than_processors(mpi: Mpi, per_host: int) -> None:
    """48 and 64 ranks on eight hosts, in no order."""
    program = built(mpi, "conformance")
    options = ["--light", "--patience", "500", "--sections", "bcast,allreduce,alltoall"]

    def run(eco: bool) -> Run:
        return lab(
            mpi,
            *(program, *options),
            eco=eco,
            ranks=8 * per_host,
            per_host=per_host,
            order=SPREAD,
            scale=100,
            seconds=500,
            # The gather of Open MPI's own two levels crashes with types of a low bound.
            environment={"OMPI_MCA_coll": "^han"},
        )

    native, eco = run(False), run(True)
    same_results(native, eco, ["bcast", "allreduce", "alltoall"])


# Textbook patterns and plans that ECO might not choose here by itself.
CHOICES = [
    "k2",
    "star",
    "chain",
    "binomial",
    "ring",
    "butterfly",
    "direct:window=2",
    "exchange:inner=k2",
]
CHOICES += ["tree:top=chain,inner=chain,segments=4", "tree:top=star,inner=binomial"]
CHOICES += ["tree:inner=chain,segments=4,on=ring"]
CHOICES += ["tree:inner=disjoint,segments=5,on=ranks", "circulant", "circulant:segments=5,ports=1"]
CHOICES += ["exchange:inner=star,carriers=2", "exchange:inner=star,segments=3,carriers=3"]
CHOICES += ["tree:top=relay,inner=chain,segments=5,rotate=groups,straight=40"]
CHOICES += ["tree:top=relay,inner=star,segments=3,rotate=all,straight=50"]
# Operations that a plan must really have done.
CARRIED = ["gather", "gatherv", "scatter", "scatterv", "alltoall"]


def eco_family(choice: str) -> str:
    """How the choice begins when ECO writes it: such trees are over contiguous ranks."""
    return "tree" if choice in ("k2", "star", "chain", "binomial") else choice.partition(":")[0]


@pytest.mark.lab
@pytest.mark.long
@pytest.mark.timeout(600)
@pytest.mark.parametrize("choice", CHOICES)
@each
def test_choices(mpi: Mpi, choice: str) -> None:
    """One plan for all operations; those that it cannot do are done otherwise."""
    program = built(mpi, "conformance")
    native = natively(mpi, program, "--light", ranks=5, order=SPREAD, scale=100)
    eco = lab(mpi, program, "--light", eco=True, choice=choice, ranks=5, order=SPREAD, scale=100)
    same_results(native, eco, [])
    family = eco_family(choice)
    planned = {what for plans in eco.used.values() for what in plans}
    assert any(what.startswith(family) for what in planned), planned
    assert "straight" not in choice or any("straight" in what for what in planned), planned
    for operation in CARRIED if "carriers" in choice else []:
        assert choice in eco.used[operation], f"{operation} used {eco.used[operation]}"


@pytest.mark.lab
@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    ("choice", "operations"),
    [
        pytest.param(
            "tree:top=balanced,inner=native,segments=2",
            ["barrier", "bcast", "reduce", "allreduce"],
            marks=pytest.mark.long,
        ),
        ("exchange:inner=native", ["barrier", "allreduce"]),
    ],
)
@with_one(OPENMPI5, MPICH5)
def test_native_inside(mpi: Mpi, choice: str, operations: list[str]) -> None:
    """Hosts of three, three and one rank, in no order; the library does what is inside them."""
    words = [built(mpi, "conformance"), "--light"]
    where: dict[str, Any] = {"ranks": 7, "hosts": 3, "per_host": 3, "order": SPREAD}
    # The gather of Open MPI's own two levels crashes with types of a low bound.
    where["environment"] = {"OMPI_MCA_coll": "^han"}
    native = natively(mpi, *words, **where)
    eco = lab(mpi, *words, eco=True, choice=choice, **where)
    same_results(native, eco, operations)
    for operation in operations:
        used = eco.used[operation]
        assert any("inner=native" in what for what in used), f"{operation} used {used}"


@pytest.mark.lab
@either
def test_innermost_groups_alone(mpi: Mpi) -> None:
    """Machines of two sites as if side by side."""
    words = [built(mpi, "conformance"), "--light", "--sections", "bcast,reduce,allreduce"]
    scenario, profile = str(DATA / "three-levels.yaml"), DATA / "three-levels.json"
    choice = "tree:top=balanced,inner=chain,segments=3,on=groups"
    native = natively(mpi, *words, scenario=scenario)
    eco = lab(mpi, *words, eco=True, choice=choice, scenario=scenario, profile=profile)
    same_results(native, eco, [])
    for operation in ["bcast", "reduce", "allreduce"]:
        assert choice in eco.used[operation], f"{operation} used {eco.used[operation]}"


@pytest.mark.either
@pytest.mark.lab
@pytest.mark.parametrize("choice", ["star", "exchange:inner=star,segments=2,carriers=2"])
@pytest.mark.parametrize(
    "mpi",
    [*OURS, *(pytest.param(mpi, marks=pytest.mark.long) for mpi in DEBIANS)],
    ids=lambda mpi: mpi.name,
)
def test_rooms(mpi: Mpi, choice: str) -> None:
    """Blocks shorter than their places, as natively; longer ones, if native libraries hang."""
    program = built(mpi, "conformance")
    options = ["--light", "--sections"]
    where: dict[str, Any] = {"ranks": 5, "order": SPREAD, "scale": 100}
    native = natively(mpi, program, *options, "rooms", **where)
    eco = lab(mpi, program, *options, "rooms", eco=True, choice=choice, **where)
    same_results(native, eco, ["gatherv", "scatterv"])
    longer = lab(mpi, program, *options, "long_blocks", eco=True, choice=choice, **where)
    assert longer.code == 0, longer.text
    assert "all ok" in longer.out
    assert longer.planned("gatherv")
    assert longer.planned("scatterv")


@pytest.mark.lab
@pytest.mark.long
@pytest.mark.timeout(1200)
@each
def test_many_communicators(mpi: Mpi) -> None:
    """More than there are contexts: what ECO makes for a communicator goes with it."""
    program = built(mpi, "conformance")
    options = ["--sections", "communicators", "--communicators", "2500", "--patience", "900"]
    eco = lab(mpi, program, *options, eco=True, ranks=4, order=SPREAD, scale=100, seconds=900)
    assert eco.code == 0, eco.text
    assert "all ok" in eco.out
    assert eco.planned("bcast")
