# SPDX-License-Identifier: BSD-3-Clause
"""A profile of another network whose hosts have the same names: programs notice it in their first
calls, and the library runs the others. A right profile stays in use, also with others' traffic."""

import json
from pathlib import Path

import pytest
from mpi_harness import DATA, MPICH5, OPENMPI5, Mpi, Run, built, either, lab, with_one
from tuned_profiles import timed_entry, write_tuning

pytestmark = [pytest.mark.lab, pytest.mark.alone]

ROUNDS = 8
TREE = "tree:top=star,inner=star,segments=1"


def scaled(folder: Path, factor: float) -> Path:
    """A profile of a network whose messages take `factor` times as long: of 1 with a model, as
    `eco measure` writes it. Without one a message of a byte is taken to fill a frame: twice as
    long as it is."""
    name = "three-segments-model.json" if factor == 1 else "three-segments-measured.json"
    document = json.loads((DATA / name).read_text())
    document["minimum"] = [
        [[factor * time for time in row] for row in matrix] for matrix in document["minimum"]
    ]
    path = folder / "net.json"
    path.write_text(json.dumps(document))
    return path


def run_sums(
    mpi: Mpi, factor: float, folder: Path, at: tuple[str, ...] = (), **settings: str
) -> Run:
    """As if a tree had been timed to be the best for sums, with a profile that is `scaled`."""
    path = scaled(folder, factor)
    times = {"native": 2e-2, "eco": 1e-2}
    write_tuning(path, [timed_entry(mpi, "allreduce", size, TREE, **times) for size in (16, 16000)])
    run = lab(
        mpi,
        built(mpi, "in_parts"),
        ROUNDS,
        eco=True,
        choice="auto",
        environment={"ECO_NETWORK_CHECK": "on", **settings},
        profile=path,
        scale=1,
        at=at,
    )
    assert run.code == 0, run.text
    return run


def said(run: Run) -> int:
    return run.err.count("so it is of another network")


@either
@pytest.mark.parametrize("factor", [10, 0.1], ids=["faster", "slower"])
def test_another_network(mpi: Mpi, factor: float, tmp_path: Path) -> None:
    """It is noticed before the first sum, in one line, however many communicators there are, and is
    not taken back. What is slower shows before the first long sum."""
    report = tmp_path / "report.json"
    run = run_sums(mpi, factor, tmp_path, ECO_REPORT=str(report))
    assert said(run) == 1, run.err
    assert run.times_of("allreduce", TREE) == (0 if factor > 1 else 1), run.err
    assert run.times("allreduce") == 6 * ROUNDS
    found = json.loads(report.read_text())
    assert found["other_network"] is True
    assert {row["basis"] for row in found["calls"]} <= {"ran", "timed here", "not known"}


@either
def test_where_the_library_runs_and_all_else_would_be_learned(mpi: Mpi, tmp_path: Path) -> None:
    """It is noticed within 50 calls, before learning tries anything."""
    path = scaled(tmp_path, 10)
    unknown = {"native": 2e-3, "eco": 2e-3, "predicted": True}
    write_tuning(path, [timed_entry(mpi, "allreduce", 16, "native", **unknown)])
    where = {"choice": "auto", "profile": path, "scale": 1}
    words = [built(mpi, "learns"), 50, "short"]
    run = lab(mpi, *words, eco=True, environment={"ECO_NETWORK_CHECK": "on"}, **where)
    assert run.code == 0 and "all ok" in run.out, run.text
    assert said(run) == 1, run.err
    assert run.times_of("allreduce", "native") == 50, run.err


@either
def test_it_is_not_checked_where_that_is_asked_for(mpi: Mpi, tmp_path: Path) -> None:
    run = run_sums(mpi, 10, tmp_path, ECO_NETWORK_CHECK="off")
    assert said(run) == 0
    assert run.times_of("allreduce", TREE) == 6 * ROUNDS, run.err


@with_one(OPENMPI5, MPICH5)
@pytest.mark.parametrize(
    "at", [(), ("0s traffic n0-n3 rate=8mbit",)], ids=["quiet", "with traffic"]
)
def test_the_same_network(mpi: Mpi, at: tuple[str, ...], tmp_path: Path) -> None:
    run = run_sums(mpi, 1, tmp_path, at)
    assert said(run) == 0, run.err
    # On a part of the hosts other trees are predicted to be faster.
    assert run.times("allreduce") == 6 * ROUNDS
    assert run.times_of("allreduce", TREE) == 2 * ROUNDS, run.err
    assert run.times_of("allreduce", "native") == 0, run.err
