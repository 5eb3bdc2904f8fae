# SPDX-License-Identifier: BSD-3-Clause
"""`eco measure` on a network that others use: their traffic is named, and kept out of the structure
and of the rates."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from eco.engine import engine
from eco.lab.profile import own_command
from lab_harness import LAB, needs_quiet_lab
from test_capacity import clusters_of

pytestmark = needs_quiet_lab

long = pytest.mark.long
# What streams measure of a medium that others use for half of its time. Without others' traffic in
# it the rate would be half.
NEAR = 0.25


def _measured(lab: str, mpi: str, path: Path) -> tuple[Any, str]:
    words = [*own_command("eco"), "measure", "--no-tune", "-o", path, "--"]
    words += [*LAB, "run", *lab.split(), "--native", "--mpi", mpi, "--"]
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done.stderr
    return json.loads(path.read_text()), done.stdout + done.stderr


def _subnets(profile: Any) -> set[frozenset[str]]:
    level = profile["levels"][-1]
    return {
        frozenset(h for h, c in zip(profile["hosts"], level, strict=True) if c == cluster)
        for cluster in level
    }


def _media(profile: Any) -> dict[frozenset[str], tuple[str, float]]:
    found = {}
    for medium in profile["model"]["media"]:
        level = profile["levels"][medium["level"]]
        own = frozenset(
            h for h, c in zip(profile["hosts"], level, strict=True) if c == medium["cluster"]
        )
        found[own] = (medium["kind"], 8e-6 * float(engine().on_wire(medium["rate"])))
    return found


def _hosts(first: int, last: int) -> frozenset[str]:
    return frozenset(f"n{host}" for host in range(first, last + 1))


@pytest.mark.parametrize("mpi", ["openmpi", pytest.param("mpich", marks=long)])
def test_on_a_bus(mpi: str, tmp_path: Path) -> None:
    profile, said = _measured("three-segments --traffic n0-n1:5mbit", mpi, tmp_path / "p.json")
    buses = {_hosts(0, 2), _hosts(3, 5), _hosts(6, 7)}
    assert _subnets(profile) == buses, said
    for hosts, (kind, rate) in _media(profile).items():
        if hosts in buses:
            assert kind == "bus", (hosts, rate)
            assert rate == pytest.approx(10, rel=NEAR), hosts
    heard = {profile["hosts"][each["host"]]: each for each in profile["others_traffic"]}
    assert set(heard) == {"n0", "n1"}
    assert 8e-6 * heard["n0"]["sent"] == pytest.approx(5, rel=NEAR)
    assert 8e-6 * heard["n1"]["received"] == pytest.approx(5, rel=NEAR)
    assert "others use this network too: " in said
    assert "n0 sends " in said


@long
@pytest.mark.parametrize("mpi", ["openmpi", "mpich"])
def test_across_buses_and_switches(mpi: str, tmp_path: Path) -> None:
    profile, said = _measured("campus-20 --traffic n0-n19:4mbit", mpi, tmp_path / "p.json")
    buses = {_hosts(0, 3), _hosts(4, 5), _hosts(6, 10)}
    switches = {_hosts(11, 12), _hosts(13, 19)}
    assert _subnets(profile) == buses | switches, said
    kinds = {hosts: kind for hosts, (kind, _) in _media(profile).items()}
    assert all(kinds[hosts] == "bus" for hosts in buses)
    assert all(kinds[hosts] == "switch" for hosts in switches)
    assert {profile["hosts"][each["host"]] for each in profile["others_traffic"]} == {"n0", "n19"}
    assert not profile.get("odd"), profile["odd"]


@long
@pytest.mark.parametrize("mpi", ["openmpi", "mpich"])
@pytest.mark.parametrize("traffic", ["a0-b0:5mbit", "b1-b2:8mbit"])
def test_uplinks(mpi: str, traffic: str, tmp_path: Path) -> None:
    """Traffic through them is added to what ECO's streams get, traffic beside them is not."""
    profile, said = _measured(f"leaf-2x4 --traffic {traffic}", mpi, tmp_path / "p.json")
    found = clusters_of(profile)
    assert set(found) == {frozenset(f"{rack}{host}" for host in range(4)) for rack in "ab"}, said
    for hosts, uplinks in found.items():
        for rate in uplinks:
            assert rate is not None
            assert 1e-6 * rate == pytest.approx(20, rel=0.1), hosts
