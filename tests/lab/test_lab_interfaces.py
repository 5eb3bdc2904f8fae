# SPDX-License-Identifier: BSD-3-Clause
"""Hosts with twelve more networks that join nobody: virtual functions, bridges of containers."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from doctor_breaks import FOUR
from eco.lab.mpi import PROJECT
from eco.lab.profile import own_command
from lab_harness import HERE, needs_lab

pytestmark = needs_lab
ECO = PROJECT / "build/release/bin/eco"
KINDS, LIBRARIES = ("vf", "same"), ("openmpi", "mpich")
JOINS = "10.9.0.0/16"


def measure(
    folder: Path, mpi: str, faults: list[str], *options: str
) -> tuple[int, str, dict[str, Any]]:
    """The exit code, what was said, and the profile."""
    scenario = folder / "network.yaml"
    scenario.write_text(FOUR)
    lab = [*own_command(), "lab", "run", scenario, "--native", "--scale", "100", "--mpi", mpi, "--"]
    words = [ECO, "measure", "--no-tune", "--no-multicast", *options, "-o", folder / "p.json"]
    done = subprocess.run(
        [str(word) for word in [*words, "--", *lab, HERE / "fault.sh", *faults, "--"]],
        capture_output=True,
        text=True,
        timeout=150,
    )
    assert "Traceback" not in done.stderr, done.stderr
    written = folder / "p.json"
    return done.returncode, done.stderr, json.loads(written.read_text()) if written.exists() else {}


@pytest.mark.parametrize("kind", KINDS)
def test_a_library_that_uses_what_joins(kind: str, tmp_path: Path) -> None:
    """The lab tells Open MPI so. ECO's own messages over several NICs leave the others out."""
    code, said, profile = measure(tmp_path, "openmpi", [f"all:{kind}"])
    assert code == 0, said
    assert "interfaces" not in profile
    why = {each["why"] for each in profile["rails"]["left_out"] if each["card"] == "vf1"}
    network = "10.200.1.0/24" if kind == "vf" else "10.201.1.0/24"
    assert why == {f"hosts do not connect by {network}"}


@pytest.mark.parametrize(
    ("kind", "mpi"),
    [
        ("vf", "openmpi"),
        pytest.param("same", "mpich", marks=pytest.mark.long),
        pytest.param("vf", "mpich", marks=pytest.mark.long),
        pytest.param("same", "openmpi", marks=pytest.mark.long),
    ],
)
def test_a_library_that_may_use_what_does_not_join(mpi: str, kind: str, tmp_path: Path) -> None:
    """Ends with the line that keeps the library from it, or measures if that works; measures with
    what joins if that is agreed to."""
    faults = [f"all:{kind}", "all:any-interface"]
    code, said, _ = measure(tmp_path, mpi, faults)
    assert code in (0, 4), said
    line = {"openmpi": f"--mca btl_tcp_if_include {JOINS}", "mpich": "FI_TCP_IFACE=eth0"}[mpi]
    assert line in said
    assert "--interfaces auto" in said
    assert {"vf": "cannot connect to", "same": "the same address"}[kind] in said
    code, said, profile = measure(tmp_path, mpi, faults, "--interfaces", "auto", "--again")
    assert code == 0, said
    assert line in said
    assert profile["interfaces"] == [JOINS]


@pytest.mark.parametrize("mpi", LIBRARIES)
def test_interfaces_named_by_hand(mpi: str, tmp_path: Path) -> None:
    faults = ["all:vf", "all:any-interface"]
    code, said, profile = measure(tmp_path, mpi, faults, "--interfaces", "eth0")
    assert code == 0, said
    assert profile["interfaces"] == ["eth0"]
    code, said, _ = measure(tmp_path, mpi, faults, "--interfaces", "eth9", "--again")
    assert code == 4
    assert "--interfaces eth9: this host has no such interface that is up" in said
