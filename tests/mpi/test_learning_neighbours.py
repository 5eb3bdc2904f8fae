# SPDX-License-Identifier: BSD-3-Clause
"""Neighbourhood allgathers learn whether ECO's schedule or the library's is faster: right results
whichever runs, what was found is kept and used, and a schedule that becomes slower ends."""

import json
from pathlib import Path

import pytest
from mpi_harness import DATA, MPICH5, OPENMPI5, Mpi, Run, built, either, lab, natively, with_one

pytestmark = [pytest.mark.lab, pytest.mark.alone]
GATHERS = ("neighbor_allgather", "neighbor_allgatherv", "ineighbor_allgather")
CALLS = 100


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    """Three buses that multicast, with a model: without one nothing is planned."""
    table = [[0.0] * 8] * 8
    model = {
        "send": [[7e-6, 1e-10]] * 8,
        "receive": [[7e-6, 1e-10]] * 8,
        "transfer": {"fixed": table, "per_byte": table},
        "error": 0.05,
        "media": [
            {"level": 0, "cluster": bus, "kind": "bus", "rate": 1.17e6, "uplink": None}
            for bus in range(3)
        ],
    }
    whole = json.loads((DATA / "three-segments-mcast.json").read_text())
    path = tmp_path / "net.json"
    path.write_text(json.dumps(whole | {"model": model}))
    return path


def got(run: Run) -> str:
    assert run.code == 0, run.text
    assert "all ok" in run.out
    return next(line for line in run.out.splitlines() if line.startswith("got "))


def learn(mpi: Mpi, profile: Path, mode: str, count: int = 1000, at: tuple[str, ...] = ()) -> Run:
    words = [built(mpi, "learns_neighbours"), CALLS, count]
    settings = {"choice": "auto", "environment": {"ECO_LEARN": mode}}
    return lab(mpi, *words, eco=True, profile=profile, scale=10, at=at, **settings)


def fastest(profile: Path) -> dict[str, str]:
    """Of each operation; what was learned has times of both choices, of one graph."""
    classes = json.loads(profile.with_name("net.json.learned").read_text())["classes"]
    ours = [one for one in classes if one["operation"] in GATHERS]
    assert len({one["graph"] for one in ours}) == 1
    for one in ours:
        assert len(one["arms"]) == 2 and "native" in {arm["choice"] for arm in one["arms"]}, one
    return {
        one["operation"]: min(one["arms"], key=lambda arm: arm["mean"])["choice"] for one in ours
    }


@with_one(OPENMPI5, MPICH5)
def test_both_are_compared_and_the_faster_is_kept(mpi: Mpi, profile: Path) -> None:
    native = got(natively(mpi, built(mpi, "learns_neighbours"), CALLS, 1000, scale=100))
    first = learn(mpi, profile, "on")
    assert got(first) == native
    found = fastest(profile)
    assert set(found) == set(GATHERS)
    for gather in GATHERS:
        assert set(first.used[gather]) == {"mcast", "native"}, first.err
    settled = learn(mpi, profile, "settled")
    assert got(settled) == native
    assert {gather: settled.used[gather] for gather in GATHERS} == {
        gather: [choice] for gather, choice in found.items()
    }
    off = learn(mpi, profile, "off")  # what is predicted to be faster
    assert len(off.used["neighbor_allgather"]) == 1 and off.planned("neighbor_allgather"), off.err


@pytest.mark.parametrize(
    ("count", "change"),
    [
        pytest.param(  # ECO's schedule then sends all that again
            1000, "100ms link a-b-c multicast=no", marks=pytest.mark.long
        ),
        (4, "0ms link a-b-c delay=5ms"),  # it passes on over two crossings what took one
    ],
    ids=["long", "short"],
)
@with_one(MPICH5, OPENMPI5)
def test_a_schedule_that_a_link_made_slower_ends(
    mpi: Mpi, profile: Path, count: int, change: str
) -> None:
    words = [built(mpi, "learns_neighbours"), CALLS, count]
    run = learn(mpi, profile, "on", count, at=(change,))
    assert got(run) == got(natively(mpi, *words, scale=100))
    found = fastest(profile)
    for gather in GATHERS[:2]:
        # Not kept if the library was left to run before enough calls were compared.
        assert found.get(gather, "native") == "native", run.err
        assert run.times_of(gather, "native") >= CALLS - 50, run.err


@either
def test_parts_that_give_different_sizes(mpi: Mpi, profile: Path) -> None:
    """Edges join two halves within themselves alone, of which one gives 4,000 bytes and the other
    16: ranks of both must agree when they learn."""
    words = [built(mpi, "learns_in_parts"), 60]
    run = lab(
        mpi,
        *words,
        eco=True,
        profile=profile,
        scale=10,
        choice="auto",
        environment={"ECO_LEARN": "on"},
    )
    assert got(run) == got(natively(mpi, *words, scale=100))
