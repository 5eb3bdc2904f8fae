# SPDX-License-Identifier: BSD-3-Clause
"""What `eco measure` finds of IP multicast, and a program that uses it."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from mpi_harness import ECO, MPICH5, OPENMPI5, PROJECT, Mpi, with_one
from test_mcast import FAULTY, by_six, mcasts, sent, went_well

pytestmark = pytest.mark.lab


def measured_in(scenario: Path | str, mpi: Mpi, profile: Path) -> Any:
    launcher = [ECO, "lab", "run", scenario, "--mpi", mpi.family, "--native", "--"]
    words = [ECO, "measure", "--no-tune", "-o", profile, "--", *launcher]
    subprocess.run([*map(str, words)], check=True, stdin=subprocess.DEVNULL, timeout=120)
    return json.loads(profile.read_text())


def hosts_of(area: dict[str, int], measured: dict[str, Any]) -> set[str]:
    clusters = measured["levels"][area["level"]]
    of_hosts = zip(measured["hosts"], clusters, strict=True)
    return {host for host, cluster in of_hosts if cluster == area["cluster"]}


@pytest.mark.alone
@with_one(OPENMPI5, MPICH5)
def test_where_a_router_stops_it(mpi: Mpi, tmp_path: Path) -> None:
    """Measured: it reaches each switch's own hosts. Then it is used inside, messages between."""
    scenario = tmp_path / "routed.yaml"
    scenario.write_text(FAULTY.format(faults="multicast: no, delay: 2ms"))
    profile = tmp_path / "routed.json"
    measured = measured_in(scenario, mpi, profile)
    areas = measured["mcast"]["areas"]
    reached = [hosts_of(area, measured) for area in areas]
    switches = [{f"n{n}" for n in numbers} for numbers in (range(4), range(4, 8))]
    assert all(switch in reached for switch in switches), (reached, measured["levels"])
    # Times may show a part of a switch as a level of its own.
    assert all(any(hosts <= switch for switch in switches) for hosts in reached), reached
    assert all(4e6 < area["rate"] < 12.5e6 for area in areas)
    run = mcasts(mpi, 12, 16000, scenario=str(scenario), scale=1, profile=profile)
    assert run.code == 0, run.out + run.err
    assert "ok 12 calls" in run.out
    assert all(what.startswith("mcast") for what in run.used["bcast"])


@pytest.mark.alone
@with_one(OPENMPI5, MPICH5)
def test_the_faster_nic(mpi: Mpi, tmp_path: Path) -> None:
    """Multicasts reach all hosts by both: they go over the faster one."""
    scenario, profile = PROJECT / "bench/networks/slower-first.yaml", tmp_path / "two.json"
    measured = measured_in(scenario, mpi, profile)
    rails = sorted(measured["rails"]["rails"], key=lambda rail: float(rail["bandwidth"][0][1]))
    assert measured["mcast"]["interfaces"] == rails[-1]["cards"], measured["mcast"]
    assert measured["mcast"]["areas"]
    assert all(area["rate"] > 3e6 for area in measured["mcast"]["areas"]), measured["mcast"]
    run = mcasts(mpi, 12, 16000, scenario=str(scenario), scale=1, profile=profile)
    went_well(run, 12)


@pytest.mark.alone
@with_one(OPENMPI5, MPICH5)
def test_ipv6_is_found(mpi: Mpi, tmp_path: Path) -> None:
    """Measured: hosts without IPv4 reach each other by IPv6, which a program then uses."""
    where = by_six(tmp_path)
    profile = tmp_path / "found.json"
    found = measured_in(where["scenario"], mpi, profile)["mcast"]
    assert found["family"] == "ipv6"
    assert found["payload"] == 1400
    assert found["areas"][0]["level"] == -1
    run = mcasts(mpi, 12, 16000, **{**where, "profile": profile})
    went_well(run, 12)
    assert sent(run) > 0
