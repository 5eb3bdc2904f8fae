# SPDX-License-Identifier: BSD-3-Clause
"""Collectives that do not block: the rules that they have among themselves and with the library's
own calls. What they share with persistent ones: test_twins.py."""

import json
from pathlib import Path
from typing import Any

import pytest
from mpi_harness import (
    DATA,
    MPICH5,
    OPENMPI4,
    OPENMPI5,
    OURS,
    STANDARD,
    Mpi,
    built,
    either,
    here,
    lab,
    same_results,
    with_one,
)
from test_conformance import OPERATIONS, SPREAD
from test_twins import NONBLOCKING, SECTIONS


@pytest.mark.lab
@pytest.mark.long
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("ranks", [1, 2, 3, 7, 13])
@either
def test_ranks(mpi: Mpi, ranks: int) -> None:
    """The results are those of the blocking calls: Open MPI's own MPI_Ialltoallv in place sends
    from a buffer that it fills again meanwhile, where a pair of ranks has nothing to exchange."""
    program, blocking = built(mpi, NONBLOCKING.program), built(mpi, "conformance")
    native = lab(mpi, blocking, eco=False, ranks=ranks, order=SPREAD, scale=100, seconds=500)
    eco = lab(mpi, program, eco=True, ranks=ranks, order=SPREAD, scale=100, seconds=500)
    same_results(native, eco, NONBLOCKING.taken if ranks > 1 else [])


@pytest.mark.lab
def test_the_standards_interface() -> None:
    """MPICH's library with MPI-5's own handles exports nothing that calls ECO."""
    program = built(STANDARD, NONBLOCKING.program)
    native = lab(STANDARD, program, *SECTIONS, eco=False, ranks=4, order=SPREAD)
    eco = lab(STANDARD, program, *SECTIONS, eco=True, ranks=4, order=SPREAD)
    same_results(native, eco, [])
    assert eco.err.count("does not call ECO while it waits") == 1


@pytest.mark.lab
@either
def test_threads(mpi: Mpi) -> None:
    """Two threads with calls under way, which either of them moves on."""
    program = built(mpi, NONBLOCKING.program)
    options = ["--threads", "--sections", "threads,barrier,allreduce", "--light"]
    native = lab(mpi, program, *options, eco=False, ranks=4, order=SPREAD)
    eco = lab(mpi, program, *options, eco=True, ranks=4, order=SPREAD)
    taken = ["ibcast", "iallreduce", "iallgather", "iscan"]
    same_results(native, eco, taken if mpi.family == "openmpi" else [])
    if mpi.family == "mpich":
        assert eco.err.count("with MPI_THREAD_MULTIPLE this MPI library") == 1


@pytest.mark.lab
@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.parametrize("ranks", [2, 3, 8])
@either
def test_progress_for_long(mpi: Mpi, ranks: int, tmp_path: Path) -> None:
    words = ["nonblocking", 100, "all", tmp_path, 800]
    program = built(mpi, "progress")
    run = lab(mpi, program, *words, eco=True, ranks=ranks, order=SPREAD, scale=100, seconds=800)
    assert run.code == 0, run.text
    assert run.out.count("passed on in") == 14


@pytest.mark.lab
@pytest.mark.either
@pytest.mark.parametrize("what", ["freed", "handles", "order"])
@pytest.mark.parametrize("mpi", [*OURS, OPENMPI4], ids=lambda mpi: mpi.name)
def test_rules(mpi: Mpi, what: str) -> None:
    """What is freed while a call needs it, arrays of all kinds of requests, many calls at once."""
    run = lab(mpi, built(mpi, "nonblocking"), what, 500, eco=True, ranks=5, order=SPREAD)
    assert run.code == 0, run.text
    assert "all ok" in run.out
    assert run.planned("ibcast"), run.err


@pytest.mark.lab
@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.long)])
@with_one(OPENMPI5, MPICH5)
def test_random(mpi: Mpi, seed: int) -> None:
    """Calls that block and that do not on several communicators, waited for in any order."""
    program = built(mpi, "nonblocking")
    native = here(mpi, 5, program, "random", 800, seed)
    eco = lab(mpi, program, "random", 800, seed, eco=True, ranks=5, order=SPREAD, scale=100)
    same_results(native, eco, ["i" + name for name in OPERATIONS if "neighbor" not in name])


@pytest.mark.lab
@pytest.mark.long
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("ranks", [2, 3, 4, 7, 8])
@either
def test_random_for_long(mpi: Mpi, ranks: int) -> None:
    program = built(mpi, "nonblocking")
    words = ["random", 20000, ranks, 1000]
    native = here(mpi, ranks, program, *words, seconds=500)
    where = {"ranks": ranks, "order": SPREAD, "scale": 100}
    eco = lab(mpi, program, *words, eco=True, seconds=1000, **where)
    same_results(native, eco, ["ibcast"])


@pytest.mark.lab
@pytest.mark.long
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("ranks", [2, 3, 4, 7, 8])
@either
def test_sequences(mpi: Mpi, ranks: int) -> None:
    """10,000 in all, each on communicators of its own."""
    program = built(mpi, "nonblocking")
    words = ["sequences", 1000, 1000 * ranks, 1000]
    native = here(mpi, ranks, program, *words, seconds=500)
    where = {"ranks": ranks, "order": SPREAD, "scale": 100}
    eco = lab(mpi, program, *words, eco=True, seconds=1000, **where)
    assert len(native.results) == 21
    same_results(native, eco, ["ibcast", "iallreduce", "bcast_init"])


def timed(operation: str, size: int, choice: str, **times: float) -> dict[str, Any]:
    entry = {"operation": operation, "bytes": size, "choice": choice, **times}
    return {"layout": "near", "noise": 0.1, "ranks_per_host": 1, "predicted": False, **entry}


@pytest.mark.lab
@either
def test_what_blocking_calls_alone_can_run(mpi: Mpi, tmp_path: Path) -> None:
    """Where blocking calls leave a part to the library, others run without that."""
    profile = json.loads((DATA / "three-segments-mcast.json").read_text())
    sizes = {"barrier": 0, "reduce": 12000}
    choices = {
        "bcast": "mcast:segments=1",
        "allreduce": "mcast:segments=4",
        "reduce": "tree:top=star,inner=native,segments=2",
        "barrier": "exchange:inner=native",
    }
    tuning = [timed(name, 16, "native", native=0.002, eco=0.003) for name in choices]
    for name, choice in choices.items():
        tuning.append(timed(name, sizes.get(name, 16384), choice, native=0.09, eco=0.05))
    profile["tuning"] = [{**entry, "mpi": f"{mpi.family} 9.9"} for entry in tuning]
    file = tmp_path / "profile.json"
    file.write_text(json.dumps(profile))
    words = [built(mpi, "progress"), "nonblocking", 1, "recv", tmp_path, 100]
    run = lab(mpi, *words, eco=True, choice="auto", order="block", scale=10, profile=file)
    assert run.code == 0, run.text
    for name, choice in choices.items():
        assert run.planned("i" + name), run.err
        assert not any("native" in how for how in run.used["i" + name]), run.err
        if choice.startswith("mcast"):
            assert all(how.startswith("mcast") for how in run.used["i" + name]), run.err


@pytest.mark.lab
@either
def test_choices_of_their_own(mpi: Mpi, tmp_path: Path) -> None:
    """The profile's entries for calls that do not block are for these and persistent ones alone."""
    profile = json.loads((DATA / "three-segments-mcast.json").read_text())
    tree, other = "tree:top=star,inner=star,segments=1", "tree:top=binomial,inner=star,segments=1"
    choices = {"bcast": "native", "ibcast": tree, "reduce": tree, "ireduce": other}
    choices |= {"allreduce": "exchange:inner=star,segments=1", "iallreduce": "native"}
    profile["tuning"] = [
        {**timed(name, size, choice, native=0.09, eco=0.05), "mpi": f"{mpi.family} 9.9"}
        for name, choice in choices.items()
        for size in (16, 1024, 16384)
    ]
    file = tmp_path / "profile.json"
    file.write_text(json.dumps(profile))
    words: list[object] = [built(mpi, "progress"), "nonblocking", 1, "recv", tmp_path, 100]
    where: dict[str, Any] = {"choice": "auto", "order": "block", "scale": 10, "profile": file}
    run = lab(mpi, *words, eco=True, **where)
    assert run.code == 0, run.text
    assert {*run.used["ibcast"]} == {tree}
    assert all(how.startswith("tree:top=binomial") for how in run.used["ireduce"]), run.err
    assert not run.planned("iallreduce")
    words[1] = "persistent"
    run = lab(mpi, *words, eco=True, **where)
    assert run.code == 0, run.text
    assert {*run.used["bcast_init"]} == {tree}
    assert not run.planned("allreduce_init")


@pytest.mark.lab
@either
def test_turned_off(mpi: Mpi) -> None:
    words = [built(mpi, "nonblocking"), "order", 50]
    run = lab(mpi, *words, eco=True, ranks=4, environment={"ECO_NONBLOCKING": "off"})
    assert run.code == 0, run.text
    assert not run.planned("ibcast")
    assert run.planned("barrier")
