# SPDX-License-Identifier: BSD-3-Clause
"""Programs of non-blocking calls that learn while they run: a choice of the profile that is bad is
replaced, in this job or in the next one, and no initiating call waits for other ranks."""

import json
from pathlib import Path

import pytest
from mpi_harness import MPICH5, OPENMPI5, PROFILE, Mpi, Run, built, either, lab, with_one

pytestmark = pytest.mark.lab

BAD = {
    "ibcast": (16000, "tree:top=star,inner=star,segments=40,on=ranks"),
    "iallreduce": (16, "ring"),
}


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    """Names choices for non-blocking calls that are far from the best."""
    document = json.loads(PROFILE.read_text())
    document["tuning"] = [
        {"mpi": mpi, "operation": operation, "layout": "near", "bytes": size, "choice": choice}
        | {"native": 2.0, "eco": 1.0, "spread": 0.0, "ranks_per_host": 1, "predicted": False}
        for mpi in ("openmpi 5.0.11", "mpich 5.0.2")
        for operation, (size, choice) in BAD.items()
    ]
    path = tmp_path / "net.json"
    path.write_text(json.dumps(document))
    return path


def beside(profile: Path) -> Path:
    return profile.with_name(profile.name + ".learned")


def learn(
    mpi: Mpi, profile: Path, calls: int, how: str, mode: str = "on", program: Path | None = None
) -> Run:
    run = lab(
        mpi,
        program or built(mpi, "learns_nonblocking"),
        *(calls, how),
        eco=True,
        choice="auto",
        environment={"ECO_LEARN": mode},
        profile=profile,
        scale=10,  # where choices differ by more than a busy machine's noise
    )
    assert run.code == 0, run.text
    assert "all ok" in run.out
    return run


def arms(profile: Path, operation: str) -> set[str]:
    """The choices that were timed of integers' sums or of broadcasts."""
    classes = json.loads(beside(profile).read_text())["classes"]
    (found,) = [one for one in classes if one["operation"] == operation and one["bytes"] != 512]
    assert found["best"] == min(found["arms"], key=lambda arm: arm["mean"])["choice"]
    assert all(arm["runs"] >= 4 and arm["mean"] > 0 for arm in found["arms"])
    return {arm["choice"] for arm in found["arms"]}


@pytest.mark.alone
@either
def test_compares_where_ranks_meet(mpi: Mpi, profile: Path) -> None:
    """Barriers between the calls let all choices be timed, in this job."""
    run = learn(mpi, profile, 300, "meets")
    for operation in BAD:
        assert len(run.used[operation]) >= 3, run.err
        assert len(arms(profile, operation)) >= 2
    classes = {one["operation"] for one in json.loads(beside(profile).read_text())["classes"]}
    assert classes == {"ibcast", "iallreduce"}


@pytest.mark.long
@with_one(OPENMPI5, MPICH5)
def test_the_next_job_knows_what_one_without_blocking_calls_timed(mpi: Mpi, profile: Path) -> None:
    learn(mpi, profile, 260, "never")
    timed = arms(profile, "ibcast")
    assert "native" in timed
    assert len(timed) >= 2
    classes = json.loads(beside(profile).read_text())["classes"]
    (best,) = {
        one["best"].partition(",segments")[0] for one in classes if one["operation"] == "ibcast"
    }
    before = beside(profile).read_text()
    run = learn(mpi, profile, 20, "never", "settled")
    (used,) = run.used["ibcast"]
    assert used.startswith(best), (best, run.err)
    assert beside(profile).read_text() == before
    # Another program, whose work beside its calls is another, begins with the profile's.
    other = profile.with_name("other")
    other.symlink_to(built(mpi, "learns_nonblocking"))
    run = learn(mpi, profile, 20, "never", "settled", other)
    assert set(run.used["ibcast"]) == {BAD["ibcast"][1].replace("top=star,", "")}, run.err


@either
def test_off_neither_uses_nor_keeps(mpi: Mpi, profile: Path) -> None:
    run = learn(mpi, profile, 40, "meets", "off")
    assert all(len(run.used[operation]) <= 2 for operation in BAD)
    assert not beside(profile).exists()


@either
def test_initiating_calls_wait_for_nobody(mpi: Mpi, profile: Path) -> None:
    """Rank 0 starts twelve calls before any other rank may start its first one."""
    profile.write_text(PROFILE.read_text())
    run = learn(mpi, profile, 240, "ahead")
    assert len(run.used["iallreduce"]) > 2, run.err


@either
def test_a_rank_that_is_many_messages_ahead(mpi: Mpi) -> None:
    """More messages than MPICH's libfabric keeps lie before the one that the others wait for."""
    run = lab(
        mpi,
        built(mpi, "learns_nonblocking"),
        *(4, "ahead"),
        eco=True,
        choice="tree:top=star,inner=star,segments=40,on=ranks",
        environment={"ECO_LEARN": "off"},
        scale=10,
        seconds=60,
    )
    assert run.code == 0, run.text
    assert "all ok" in run.out
