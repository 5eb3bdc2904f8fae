# SPDX-License-Identifier: BSD-3-Clause
"""Reductions of floating-point numbers have the same bits in every job with the same profile,
whatever jobs learned and whether they can multicast."""

import json
from pathlib import Path

import pytest
from mpi_harness import DATA, Mpi, Run, built, each, either, lab
from tuned_profiles import timed_entry, write_tuning

pytestmark = pytest.mark.lab

LENGTHS = (2, 1000)
# Of learned classes: what LENGTHS are for all operations, and 4,480 B.
CLASSES = (16, 128, 4096, 7168, 8192, 57344, 65536)
# What jobs may have found, with another order of evaluation.
FASTER = ("native", "ring:segments=1", "tree:inner=k2,on=ranks", "ordered:segments=2")


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    """Multicasts, predicts little, and is not sure of any sum: jobs would learn all of them."""
    document = json.loads((DATA / "three-segments-mcast.json").read_text())
    document["tuning"] = []
    path = tmp_path / "net.json"
    path.write_text(json.dumps(document))
    return path


def run_sums(
    mpi: Mpi,
    profile: Path,
    calls: int = 30,
    lengths: tuple[int, ...] = LENGTHS,
    **environment: str,
) -> Run:
    run = lab(
        mpi,
        built(mpi, "sums"),
        calls,
        *lengths,
        eco=True,
        choice="auto",
        environment=environment,
        profile=profile,
    )
    assert run.code == 0, run.text
    return run


def hashes(run: Run, lengths: tuple[int, ...] = LENGTHS) -> list[str]:
    found = [line for line in run.out.splitlines() if line.startswith("sums ")]
    assert len(found) == len(lengths), run.text
    assert "changed" not in run.out, run.out
    return found


def learned(mpi: Mpi, profile: Path, choice: str) -> None:
    """As if earlier jobs had found this choice to be ten times as fast, for all sums."""
    arms = [{"choice": choice, "runs": 90, "mean": 1e-6}]
    classes = [
        {"mpi": mpi.in_profiles, "operation": operation, "layout": "near", "hosts_shared": False}
        | {"ranks": 8, "bytes": size, "best": choice, "arms": arms}
        for operation in ("allreduce", "reduce", "scan", "reduce_scatter_block")
        for size in CLASSES
    ]
    document = {
        "eco_learned": 1,
        "network": json.loads(profile.read_text())["created"],
        "classes": classes,
    }
    profile.with_name(profile.name + ".learned").write_text(json.dumps(document))


@either
def test_whatever_was_learned(mpi: Mpi, profile: Path) -> None:
    first = run_sums(mpi, profile)
    assert first.planned("allreduce"), first.err
    runs = [run_sums(mpi, profile)]
    for choice in FASTER:
        learned(mpi, profile, choice)
        runs.append(run_sums(mpi, profile, calls=8))
    runs.append(run_sums(mpi, profile, calls=8, ECO_LEARN="settled"))
    runs.append(run_sums(mpi, profile, calls=8, ECO_LEARN="off"))
    for run in runs:
        assert hashes(run) == hashes(first), run.err


@each
def test_a_size_between_two_that_were_timed(mpi: Mpi, profile: Path) -> None:
    """The profile's choice is that of the nearest size that was timed. It may be of another order
    for a class of sizes that learns together than for one of them."""
    timed = {1024: "tree:top=star,inner=star,segments=1", 16384: "tree:top=chain,inner=chain"}
    hardly = {"native": 2e-3, "eco": 1.95e-3, "noise": 0.1}
    write_tuning(
        profile,
        [timed_entry(mpi, "allreduce", size, choice, **hardly) for size, choice in timed.items()],
    )
    first = run_sums(mpi, profile, 12, (560,))
    used = first.used["allreduce"]
    assert any(name.startswith("tree:top=chain") for name in used)
    learned(mpi, profile, "tree:top=star,inner=star,segments=2")
    assert hashes(run_sums(mpi, profile, 12, (560,)), (560,)) == hashes(first, (560,)), used


@each
def test_on_request_learning_changes_sums(mpi: Mpi, profile: Path) -> None:
    """Else the test above could not fail."""
    learned(mpi, profile, "native")
    first = run_sums(mpi, profile, calls=8)
    other = run_sums(mpi, profile, calls=8, ECO_LEARN="all")
    assert set(other.used["allreduce"]) >= {"native"}, other.err
    assert [line for line in other.out.splitlines() if line.startswith("sums ")] != hashes(first)


@each
def test_where_a_job_cannot_multicast(mpi: Mpi, profile: Path) -> None:
    choice, times = "mcast:inner=chain,segments=2", {"native": 2e-3, "eco": 1e-3}
    write_tuning(
        profile, [timed_entry(mpi, "allreduce", size, choice, **times) for size in (16, 8000)]
    )
    first = run_sums(mpi, profile, calls=8)
    assert any(used.startswith("mcast") for used in first.used["allreduce"]), first.err
    without = run_sums(mpi, profile, calls=8, ECO_MULTICAST="off")
    assert any(used.startswith("tree") for used in without.used["allreduce"]), without.err
    assert hashes(without) == hashes(first)
