# SPDX-License-Identifier: BSD-3-Clause
"""Programs that learn while they run: right results, the same bits if that is promised, a file
that is never lost or broken."""

import json
import shutil
from pathlib import Path

import pytest
from mpi_harness import DATA, PROFILE, Mpi, Run, built, either, lab
from tuned_profiles import timed_entry, write_tuning

pytestmark = pytest.mark.lab


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    """A copy, since what is learned is kept beside it."""
    return Path(shutil.copy(PROFILE, tmp_path / "net.json"))


def beside(profile: Path) -> Path:
    return profile.with_name(profile.name + ".learned")


def learn(mpi: Mpi, profile: Path, mode: str, calls: int = 60) -> Run:
    run = lab(
        mpi,
        built(mpi, "learns"),
        calls,
        eco=True,
        choice="auto",
        environment={"ECO_LEARN": mode},
        profile=profile,
        scale=10,  # where choices differ by more than a busy machine's noise
    )
    assert run.code == 0, run.text
    assert "all ok" in run.out
    return run


def sums(run: Run) -> str:
    return next(line for line in run.out.splitlines() if line.startswith("sums "))


def choices(run: Run, operation: str) -> set[str]:
    return set(run.used.get(operation, []))


@pytest.mark.alone
@either
def test_learns_and_goes_on_with_it(mpi: Mpi, profile: Path) -> None:
    first = learn(mpi, profile, "on")
    assert len(choices(first, "bcast")) > 1, first.err
    classes = json.loads(beside(profile).read_text())["classes"]
    operations = {each["operation"] for each in classes}
    assert "bcast" in operations
    assert "allreduce" not in operations, "sums of doubles keep their order of evaluation"
    for each_class in classes:
        assert each_class["best"] in [arm["choice"] for arm in each_class["arms"]]
        assert all(arm["runs"] > 0 and arm["mean"] > 0 for arm in each_class["arms"])

    # What is known is not tried again; nothing is written.
    before = beside(profile).read_text()
    second, third = (learn(mpi, profile, "settled") for _ in range(2))
    (best,) = {
        one["best"].partition(",segments")[0] for one in classes if one["operation"] == "bcast"
    }
    (used,) = choices(second, "bcast")
    assert used.startswith(best), (best, second.err)
    assert choices(second, "bcast") == choices(third, "bcast")
    assert sums(second) == sums(third)
    assert beside(profile).read_text() == before


@either
def test_off_neither_uses_nor_keeps(mpi: Mpi, profile: Path) -> None:
    run = learn(mpi, profile, "off", calls=20)
    assert len(choices(run, "bcast")) == 1
    assert not beside(profile).exists()


@pytest.mark.alone
@either
def test_all_ranks_agree_whatever_a_sum_is_of(mpi: Mpi, profile: Path) -> None:
    """With `all` the order of sums may change within the job: the program here would notice."""
    run = lab(
        mpi,
        built(mpi, "learns"),
        60,
        eco=True,
        choice="auto",
        environment={"ECO_LEARN": "all"},
        profile=profile,
        scale=10,  # where choices differ by more than a busy machine's noise
    )
    assert "wrong bcast" not in run.out
    assert "wrong allreduce" not in run.out
    assert "wrong leftmost" not in run.out
    assert len(choices(run, "allreduce")) > 1, run.err


@pytest.mark.parametrize("text", ["precious", '{"eco_learned": 99}'])
@either
def test_a_file_that_is_not_ours_is_left_alone(mpi: Mpi, profile: Path, text: str) -> None:
    beside(profile).write_text(text)
    run = learn(mpi, profile, "on", calls=40)
    assert beside(profile).read_text() == text
    assert "eco learn --forget" in run.err


@either
def test_a_file_that_cannot_be_written(mpi: Mpi, profile: Path) -> None:
    """That something is learned must not depend on times: what was timed is checked in any case."""
    write_tuning(profile, [timed_entry(mpi, "bcast", 16384, "chain", native=0.2, eco=0.1)])
    beside(profile).mkdir()
    run = learn(mpi, profile, "on", calls=40)
    assert "what was learned is not stored" in run.err


@pytest.mark.alone
@either
def test_what_is_unsure_gives_way_to_the_library_soon(mpi: Mpi, profile: Path) -> None:
    """A chain through hosts in random order, which was timed as hardly faster; then each crossing
    takes 3 ms. An exchange takes as long as a call, and a trial of all would come late."""
    hardly = {"native": 0.00102, "eco": 0.001, "layout": "scattered"}
    write_tuning(profile, [timed_entry(mpi, "allreduce", 16, "chain", **hardly)])
    where = {"order": "random:1", "at": ("0s link a-b-c delay=3ms",)}
    words = [built(mpi, "learns"), 100, "short"]
    run = lab(mpi, *words, eco=True, choice="auto", profile=profile, **where)
    assert "all ok" in run.out, run.text
    assert 50 <= run.times_of("allreduce", "native") < 100, run.err


@pytest.mark.alone
@either
def test_the_multicast_is_tried_where_nothing_was_predicted(mpi: Mpi, tmp_path: Path) -> None:
    """A profile of so short a budget that all is left to the library."""
    path = Path(shutil.copy(DATA / "three-segments-mcast.json", tmp_path / "net.json"))
    unknown = {"native": 0.0, "eco": 0.0, "noise": 0.0, "predicted": True}
    write_tuning(path, [timed_entry(mpi, "bcast", 16384, "native", **unknown)])
    run = learn(mpi, path, "on", calls=200)
    assert any(choice.startswith("mcast") for choice in choices(run, "bcast")), run.err


@either
def test_inside_a_subnet(mpi: Mpi, tmp_path: Path) -> None:
    """Rows and columns of grids: nothing was timed there, and programs find out what is fast."""
    profile = Path(shutil.copy(DATA / "three-segments-mcast.json", tmp_path / "net.json"))
    run = lab(
        mpi, built(mpi, "inside"), 0, 3, 16000, 150,
        eco=True, choice="auto", environment={"ECO_LEARN": "on"}, profile=profile, scale=10,
    )  # fmt: skip
    assert run.code == 0, run.text
    assert "all ok" in run.out
    assert any(choice.startswith("mcast") for choice in choices(run, "bcast")), run.err
    classes = json.loads(beside(profile).read_text())["classes"]
    inside = {one["operation"]: one for one in classes if one.get("structure") == "3"}
    for operation in ("bcast", "allgather"):
        tried = {arm["choice"] for arm in inside[operation]["arms"]}
        assert {"native", "mcast:segments=1"} <= tried, inside
