# SPDX-License-Identifier: BSD-3-Clause
"""Collectives over several cards at once, by libfabric, in an unmodified program."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from mpi_harness import (
    ECO,
    MPICH5,
    OPENMPI5,
    Mpi,
    built,
    either,
    lab,
    natively,
    same_results,
    with_one,
)
from test_twins import CALLS, NONBLOCKING, PERSISTENT, Twins

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
@with_one(OPENMPI5, MPICH5)
def test_bit_for_bit(mpi: Mpi, choice: str, operations: list[str]) -> None:
    """What the choice cannot do runs natively; both must end with the same bytes."""
    program = built(mpi, "conformance")
    words = [program, "--light", "--sections", SECTIONS]
    native = natively(mpi, *words, scenario="two-rails")
    eco = lab(mpi, *words, eco=True, choice=choice, scenario="two-rails", scale=1)
    same_results(native, eco, operations)
    assert all("rails=2" in what for name in operations for what in eco.used[name])


twins_of_calls = pytest.mark.parametrize(
    "twins", [NONBLOCKING, PERSISTENT], ids=lambda twins: twins.kind
)


@twins_of_calls
@with_one(MPICH5, OPENMPI5)
def test_with_a_request(mpi: Mpi, twins: Twins) -> None:
    """Non-blocking and persistent calls, moved on by the library."""
    words = ["--light", "--sections", "bcast,gather,allreduce"]
    native = natively(mpi, built(mpi, "conformance"), *words, scenario="two-rails")
    choice = "tree:inner=binomial2,segments=4,ports=2,rails=2"
    program = built(mpi, twins.program)
    eco = lab(mpi, program, *words, eco=True, choice=choice, scenario="two-rails", scale=1)
    names = twins.of("bcast", "gather", "allreduce")
    same_results(native, eco, names)
    assert all("rails=2" in what for name in names for what in eco.used[name])


@twins_of_calls
@either
def test_progress(mpi: Mpi, twins: Twins, tmp_path: Path) -> None:
    """A rank that sits in any of the library's calls passes on what others wait for."""
    words = [twins.kind, 1, "all", tmp_path, 100]
    choice = "tree:inner=binomial,segments=2,rails=2"
    program = built(mpi, "progress")
    run = lab(mpi, program, *words, eco=True, choice=choice, scenario="two-rails", scale=1)
    assert run.code == 0, run.text
    assert run.out.count("passed on in") == len(CALLS)
    assert all("rails=2" in what for name in twins.of("bcast") for what in run.used[name])


@either
def test_threads(mpi: Mpi) -> None:
    """Several threads' collectives at once share the rails of their process."""
    program = built(mpi, "conformance")
    words = [program, "--threads", "--sections", "threads,barrier"]
    choice = "tree:inner=star,on=ranks,rails=2"
    native = natively(mpi, *words, scenario="two-rails")
    eco = lab(mpi, *words, eco=True, choice=choice, scenario="two-rails", scale=1)
    same_results(native, eco, ["bcast", "allreduce"])
    assert all("rails=2" in what for what in eco.used["bcast"])


@with_one(OPENMPI5, MPICH5)
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
    native = natively(mpi, *words, **hosts)
    eco = lab(mpi, *words, eco=True, choice=choice, scale=1, **hosts)
    same_results(native, eco, ["bcast", "gather", "allreduce", "allgather"])


@pytest.mark.long
@pytest.mark.alone
@with_one(OPENMPI5, MPICH5)
def test_a_program_uses_what_was_measured_and_tuned(mpi: Mpi, tmp_path: Path) -> None:
    """Tuning times choices over rails; which one wins depends on the machine, so it is set here."""
    profile = tmp_path / "two-rails.json"
    launcher = [ECO, "lab", "run", "two-rails", "--mpi", mpi.family, "--native", "--"]
    _eco("measure", "--no-tune", "-o", profile, "--", *launcher)
    rails = json.loads(profile.read_text())["rails"]
    assert [rail["network"] for rail in rails["rails"]] == ["10.9.0.0/16", "10.10.0.0/16"]
    assert 256 <= rails["longest_short"] <= 8192
    # Once more: all hosts are known, and only rank 0 has the whole profile.
    _eco("measure", "--no-tune", "-o", profile, "--", *launcher)
    assert json.loads(profile.read_text())["rails"] == rails
    limits = ["--operations", "gather", "--sizes", "65536", "--per-cell", "0.2"]
    _eco("tune", profile, *limits, "--", *launcher)
    found = json.loads(profile.read_text())
    timed = [entry for entry in found["tuning"] if not entry["predicted"]]
    assert {(entry["operation"], entry["bytes"]) for entry in timed} == {("gather", 65536)}
    chosen = [entry | {"choice": "tree:inner=star,rails=2,on=ranks"} for entry in timed]
    profile.write_text(json.dumps(found | {"tuning": chosen}))
    run = lab(
        mpi,
        *(built(mpi, "conformance"), "--light", "--sections", "gather,bcast"),
        eco=True,
        choice="auto",
        scenario="two-rails",
        scale=1,
        profile=profile,
    )
    assert "all ok" in run.out, run.text
    assert any("rails=2" in what for what in run.used["gather"])
    assert not run.planned("bcast")


@pytest.mark.long
def test_cards_that_join_some_hosts(tmp_path: Path) -> None:
    """MPICH gets the NIC that joins all, ECO also those that join a site."""
    profile = tmp_path / "sites.json"
    launcher = [ECO, "lab", "run", "rails-and-sites", "--hosts", "4", "--mpi", "mpich"]
    _eco("measure", "--no-tune", "-o", profile, "--", *launcher, "--native", "--")
    assert {
        rail["network"]: rail["cards"] for rail in json.loads(profile.read_text())["rails"]["rails"]
    } == {
        "10.9.0.0/16": ["eth0"] * 4,
        "10.10.0.0/16": ["eth1", "eth1", None, None],
        "10.11.0.0/16": [None, None, "eth1", "eth1"],
    }


@with_one(MPICH5, OPENMPI5)
def test_what_has_left_arrives(mpi: Mpi, tmp_path: Path) -> None:
    """Though its sender has nothing more to do, and its socket was full."""
    profile = tmp_path / "two-rails.json"
    launcher = [ECO, "lab", "run", "two-rails", "--mpi", mpi.family, "--native", "--"]
    _eco("measure", "--no-tune", "-o", profile, "--", *launcher)
    pairs = json.loads(profile.read_text()) | {"levels": [[0, 1, 0, 1]]}
    profile.write_text(json.dumps(pairs))
    choice = "exchange:inner=star,segments=5,carriers=2,rails=2"
    limits = ["--operations", "gather,scatter", "--sizes", "65536", "--repeats", "20"]
    _eco(
        *("bench", "--topology", profile, *limits, "--patterns", f"native,{choice}", "--"),
        *launcher,
    )


def _eco(*words: object) -> None:
    done = subprocess.run([*map(str, (ECO, *words))], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("provider", "left_out"),
    [
        ("tcp;ofi_rxm", ("eth0", "over tcp;ofi_rxm, others in 10.9.0.0/16 over tcp")),
        pytest.param(
            "none",
            ("every card", "libfabric finds no NIC that it can use"),
            marks=pytest.mark.long,
        ),
    ],
)
def test_a_host_with_another_provider(
    tmp_path: Path, provider: str, left_out: tuple[str, str]
) -> None:
    """Has no rails: two providers do not understand each other. Without, MPI would be timed."""
    odd = tmp_path / "odd.sh"
    odd.write_text(f"""#!/bin/sh
[ "$(hostname)" = n1 ] && export FI_PROVIDER='{provider}'
exec "$@"
""")
    odd.chmod(0o755)
    profile = tmp_path / "two-rails.json"
    launcher = [ECO, "lab", "run", "two-rails", "--hosts", "3", "--mpi", "openmpi", "--native"]
    _eco("measure", "--no-tune", "-o", profile, "--", *launcher, "--", odd)
    found = json.loads(profile.read_text())["rails"]
    assert {rail["network"]: rail["cards"] for rail in found["rails"]} == {
        "10.9.0.0/16": ["eth0", None, "eth0"],
        "10.10.0.0/16": ["eth1", None, "eth1"],
    }
    card, why = left_out
    assert {"host": "n1", "card": card, "why": why} in found["left_out"]


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
    assert run.err.count("libfabric finds no NIC that it can use") == 1
    assert not run.planned("gather")


@either
def test_a_users_setting_stays(mpi: Mpi) -> None:
    """Rails over the tcp provider cannot do with it, so there are none."""
    name = "FI_TCP_STAGING_SBUF_SIZE"
    program = built(mpi, "conformance")
    words = [program, "--light", "--sections", "bcast,gather"]
    run = lab(
        mpi,
        *("/bin/sh", "-c", f'echo "set ${name}"; exec "$@"', "sh", *words),
        eco=True,
        choice="tree:inner=star,on=ranks,rails=2",
        scenario="two-rails",
        scale=1,
        environment={name: "4096"},
    )
    assert run.code == 0, run.err
    assert "all ok" in run.out
    assert "set 4096" in run.out
    assert run.err.count(f"{name} is 4096") == 1
    assert not run.planned("gather")


@pytest.mark.parametrize("handler", ["fatal", "return"])
@with_one(OPENMPI5, MPICH5)
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
    assert re.search(
        r"eco: rank \d on n\d: rail eth1 \(10\.10\.0\.0/16\): .*; the job ends", run.err
    )
