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


def measured_in(scenario: Path | str, mpi: Mpi, profile: Path, *faults: str) -> Any:
    """faults: of tests/lab/fault.sh"""
    launcher = [ECO, "lab", "run", scenario, "--mpi", mpi.family, "--native", "--"]
    launcher += [PROJECT / "tests/lab/fault.sh", *faults, "--"] if faults else []
    words = [ECO, "measure", "--no-tune", "-o", profile, "--", *launcher]
    subprocess.run([*map(str, words)], check=True, stdin=subprocess.DEVNULL, timeout=120)
    return json.loads(profile.read_text())


def hosts_of(area: dict[str, int], measured: dict[str, Any]) -> set[str]:
    clusters = measured["levels"][area["level"]]
    of_hosts = zip(measured["hosts"], clusters, strict=True)
    return {host for host, cluster in of_hosts if cluster == area["cluster"]}


@pytest.mark.long
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
    tried = [area for area in areas if area.get("tried", True)]
    assert tried
    assert all(0 < area[end] < 0.01 for area in tried for end in ("send", "receive")), areas
    run = mcasts(mpi, 12, 16000, scenario=str(scenario), scale=1, profile=profile)
    assert run.code == 0, run.text
    assert "ok 12 calls" in run.out
    assert all(what.startswith("mcast") for what in run.used["bcast"])


@pytest.mark.long
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


MIXED = """
description: a switch that copies multicasts to all, and one that snoops
networks:
  a: {kind: switch, rate: 100mbit, hosts: [n0, n1, n2, n3]}
  b: {kind: switch, rate: 100mbit, snooping: yes, hosts: [n4, n5, n6, n7]}
links:
  - {between: [a, b], delay: 2ms}
"""


def copied_to(hosts: set[str], measured: dict[str, Any]) -> set[bool]:
    """What the areas within these say of copies to hosts that have not joined."""
    areas = [area for area in measured["mcast"]["areas"] if area["level"] >= 0]
    inside = [area for area in areas if hosts_of(area, measured) <= hosts]
    return {area["flooded"] for area in inside if "flooded" in area}


@pytest.mark.alone
@with_one(OPENMPI5, MPICH5)
def test_who_else_gets_it(mpi: Mpi, tmp_path: Path) -> None:
    """Measured: one switch copies to hosts that have not joined, the other does not."""
    scenario, profile = tmp_path / "mixed.yaml", tmp_path / "mixed.json"
    scenario.write_text(MIXED)
    measured = measured_in(scenario, mpi, profile)
    widest = measured["mcast"]["areas"][0]
    assert (widest["level"], widest.get("flooded")) == (-1, True), measured["mcast"]
    for first, copies in ((0, True), (4, False)):
        switch = {f"n{n}" for n in range(first, first + 4)}
        assert copied_to(switch, measured) == {copies}, (measured["mcast"], measured["levels"])
    shown = subprocess.run([ECO, "show", profile], capture_output=True, text=True, check=True)
    said = "to all hosts near n0–n3 (no IGMP snooping)"
    assert said in " ".join(shown.stdout.split()), shown.stdout


@pytest.mark.long
@pytest.mark.alone
@pytest.mark.parametrize("snooping", [False, True])
@with_one(OPENMPI5, MPICH5)
def test_who_else_gets_it_by_ipv6(mpi: Mpi, snooping: bool, tmp_path: Path) -> None:
    """As by IPv4."""
    where = by_six(tmp_path, more="snooping: yes, " if snooping else "")
    found = measured_in(where["scenario"], mpi, tmp_path / "found.json")["mcast"]
    assert found["family"] == "ipv6"
    assert found["areas"][0]["level"] == -1
    assert found["areas"][0].get("flooded") is (not snooping), found


SLOW = """
description: two segments and what happens to the frames between them
networks:
  a: {{kind: switch, rate: 10mbit, hosts: [n0, n1, n2, n3]}}
  b: {{kind: switch, rate: 10mbit, hosts: [n4, n5, n6, n7]}}
links:
  - {{between: [a, b], {faults}}}
"""


@pytest.mark.long
@pytest.mark.alone
@pytest.mark.parametrize("faults", ["loss: 1%", "loss: 5%, burst: 20"])
@with_one(OPENMPI5, MPICH5)
def test_losses_do_not_slow_it_down(mpi: Mpi, faults: str, tmp_path: Path) -> None:
    """All hosts are an area, as where nothing is lost, at nearly the wire's rate."""
    scenario = tmp_path / "lossy.yaml"
    scenario.write_text(SLOW.format(faults=faults))
    found = measured_in(scenario, mpi, tmp_path / "lossy.json")["mcast"]
    widest = found["areas"][0]
    assert widest["level"] == -1, found
    assert 0.9 * 1.25e6 * 0.97 < widest["rate"] < 1.3e6, found


@pytest.mark.long
@pytest.mark.alone
@with_one(OPENMPI5, MPICH5)
def test_switches_that_take_less_than_the_nics(mpi: Mpi, tmp_path: Path) -> None:
    """NICs of 9,000 bytes, switches of 1,500: datagrams are as long as these take."""
    scenario = tmp_path / "short.yaml"
    scenario.write_text(SLOW.format(faults="delay: 0ms"))
    found = measured_in(scenario, mpi, tmp_path / "short.json", "all:jumbo")["mcast"]
    assert 1300 < found["payload"] < 1500, found
    assert found["areas"][0]["level"] == -1, found


@pytest.mark.long
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
