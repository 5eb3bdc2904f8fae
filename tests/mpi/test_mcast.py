# SPDX-License-Identifier: BSD-3-Clause
"""Collectives by the network's own multicast, in unmodified programs: right whatever is lost."""

import json
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from mpi_harness import DATA, ECO, OURS, Mpi, Run, built, each, lab, same_results

pytestmark = pytest.mark.lab
PROFILE = DATA / "three-segments-mcast.json"
SECTIONS = "bcast,allgather,vectors,allreduce,types,mixed"


def mcasts(mpi: Mpi, *words: object, choice: str = "mcast:segments=1", **options: Any) -> Run:
    """The program of this folder, with ECO."""
    program = built(mpi, "mcasts")
    options = {"profile": PROFILE, **options}
    return lab(mpi, program, *words, eco=True, choice=choice, **options)


def went_well(run: Run, calls: int) -> None:
    """Every byte was right, and it was multicasts that brought them."""
    assert run.code == 0, run.out + run.err
    assert f"ok {calls} calls" in run.out
    assert all(what.startswith("mcast") for what in run.used["bcast"])
    assert all(what.startswith("mcast") for what in run.used["allgather"])


@pytest.mark.parametrize("choice", ["mcast:segments=1", "mcast:segments=5"])
@each
def test_bit_for_bit(mpi: Mpi, choice: str) -> None:
    """What multicasts cannot do runs natively; both must end with the same bytes."""
    program = built(mpi, "conformance")
    words = [program, "--light", "--sections", SECTIONS]
    native = lab(mpi, *words, eco=False)
    eco = lab(mpi, *words, eco=True, choice=choice, profile=PROFILE)
    same_results(native, eco, ["bcast", "allgather", "allgatherv", "allreduce"])


@each
def test_ranks_that_share_hosts(mpi: Mpi) -> None:
    """Several processes of a host hear the same datagrams."""
    program = built(mpi, "conformance")
    words = [program, "--light", "--sections", "bcast,allgather,allreduce"]
    hosts: dict[str, Any] = {"hosts": 4, "per_host": 2, "order": "random:1"}
    # Open MPI 5's han gathers wrongly where types have a lower bound and hosts several ranks.
    hosts["environment"] = {"OMPI_MCA_coll": "^han"}
    native = lab(mpi, *words, eco=False, **hosts)
    eco = lab(mpi, *words, eco=True, choice="mcast:segments=2", profile=PROFILE, **hosts)
    same_results(native, eco, ["bcast", "allgather", "allreduce"])


@each
def test_threads(mpi: Mpi) -> None:
    """Several threads' multicasts at once share the socket of their process."""
    program = built(mpi, "conformance")
    words = [program, "--threads", "--sections", "threads,barrier"]
    native = lab(mpi, *words, eco=False)
    eco = lab(mpi, *words, eco=True, choice="mcast:segments=1", profile=PROFILE)
    same_results(native, eco, ["bcast", "allreduce"])


@pytest.mark.parametrize("loss", ["1%", "5%"])
@each
def test_losses(mpi: Mpi, loss: str, tmp_path: Path) -> None:
    """Between two segments frames are lost by chance, TCP's as well."""
    scenario = tmp_path / "lossy.yaml"
    scenario.write_text(LOSSY.format(loss=loss))
    went_well(mcasts(mpi, 40, 16000, scenario=str(scenario), scale=1), 40)


# Named and numbered as the profile's hosts.
LOSSY = """
description: two fast segments that lose some of the frames between them
networks:
  a: {{kind: switch, rate: 100mbit, hosts: [n0, n1, n2, n3]}}
  b: {{kind: switch, rate: 100mbit, hosts: [n4, n5, n6, n7]}}
links:
  - {{between: [a, b], loss: {loss}}}
"""


@each
def test_a_stopped_receiver(mpi: Mpi) -> None:
    """Two seconds; what it missed it gets."""
    went_well(mcasts(mpi, 20, 60000, "stops", 3), 20)


@each
def test_a_late_receiver(mpi: Mpi) -> None:
    """More than its socket holds is sent meanwhile."""
    went_well(mcasts(mpi, 4, 400000, "waits", 5), 4)


@pytest.mark.parametrize("mpi", OURS, ids=lambda mpi: mpi.name)
def test_a_rank_that_dies(mpi: Mpi) -> None:
    """The job ends, as natively."""
    start = time.monotonic()
    run = mcasts(mpi, 20, 60000, "dies", 2, seconds=60)
    assert run.code != 0
    assert "ok" not in run.out
    assert time.monotonic() - start < 50


@each
def test_two_jobs_at_once(mpi: Mpi) -> None:
    """On one network, each in a group of its own."""
    with ThreadPoolExecutor() as both:
        runs = list(both.map(lambda _: mcasts(mpi, 12, 16000), range(2)))
    for run in runs:
        went_well(run, 12)


@each
def test_where_a_router_stops_it(mpi: Mpi, tmp_path: Path) -> None:
    """Measured: it reaches each switch's own hosts. Then it is used inside, messages between."""
    scenario = tmp_path / "routed.yaml"
    scenario.write_text(LOSSY.format(loss="0, multicast: no, delay: 2ms"))
    profile = tmp_path / "routed.json"
    launcher = [ECO, "lab", "run", scenario, "--mpi", mpi.family, "--native", "--"]
    words = [ECO, "measure", "--no-tune", "-o", profile, "--", *launcher]
    subprocess.run([*map(str, words)], check=True, stdin=subprocess.DEVNULL, timeout=120)
    areas = json.loads(profile.read_text())["mcast"]["areas"]
    assert sorted((area["level"], area["cluster"]) for area in areas) == [(0, 0), (0, 1)]
    assert all(4e6 < area["rate"] < 12.5e6 for area in areas)
    run = mcasts(mpi, 12, 16000, scenario=str(scenario), scale=1, profile=profile)
    assert run.code == 0, run.out + run.err
    assert "ok 12 calls" in run.out
    assert all(what.startswith("mcast") for what in run.used["bcast"])


@each
def test_switched_off(mpi: Mpi) -> None:
    """Then nothing is multicast, whatever the profile says."""
    run = mcasts(mpi, 4, 16000, choice="auto", environment={"ECO_MULTICAST": "off"})
    assert run.code == 0, run.out + run.err
    assert not any(what.startswith("mcast") for use in run.used.values() for what in use)
