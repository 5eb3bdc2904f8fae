# SPDX-License-Identifier: BSD-3-Clause
"""`eco doctor` on real hosts of the lab, sound and broken on purpose."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from eco.lab.mpi import PROJECT, dependencies
from eco.lab.profile import own_command
from lab_harness import HERE, needs_lab

pytestmark = needs_lab
ECO = PROJECT / "build/release/bin/eco"
BIN = ECO.parent
# A machine that does something else meanwhile really has slow hosts and late acknowledgements.
TIMED = {"slow-host", "asymmetric-link", "rank-order", "losses"}


def doctor(
    scenario: str | Path,
    *faults: str,
    mpi: str = "openmpi",
    words: tuple[str, ...] = (),
    options: tuple[str, ...] = (),
) -> tuple[int, dict[str, Any]]:
    """The exit code, and the findings by their check."""
    broken = [str(HERE / "fault.sh"), *faults, "--"] if faults else []
    launcher = [
        *own_command(),
        "lab",
        "run",
        scenario,
        "--native",
        "--mpi",
        mpi,
        *words,
        "--",
        *broken,
    ]
    done = subprocess.run(
        [str(word) for word in [ECO, "doctor", "--json", *options, "--", *launcher]],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert "Traceback" not in done.stderr, done.stderr
    assert done.stdout, done.stderr
    report = json.loads(done.stdout)
    assert report["exit_code"] == done.returncode
    return done.returncode, {each["check"]: each for each in report["findings"]}


@pytest.mark.parametrize("mpi", ["openmpi", "mpich"])
def test_nothing_on_a_sound_network(mpi: str) -> None:
    code, found = doctor("switched-8", mpi=mpi, words=("--hosts", "4"))
    assert set(found) <= TIMED
    assert code == (10 if found else 0)


@pytest.mark.parametrize("mpi", ["openmpi", "mpich"])
def test_what_hosts_say(mpi: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Several faults at once, each found where it is."""
    probe = (BIN / f"eco-probe-{mpi}").read_bytes()
    build = probe.index(b"eco-build ")
    end = probe.index(b"\0", build)
    other = tmp_path / "probe"
    other.write_bytes(probe[: end - 1] + (b"0" if probe[end - 1] != 48 else b"1") + probe[end:])
    other.chmod(0o755)
    monkeypatch.setenv("ECO_TEST_OTHER_PROBE", str(other))
    faults = ["n1:mtu", "n2:bridge", "all:any-interface", "n3:environment", "n3:build"]
    code, found = doctor("switched-8", *faults, mpi=mpi, words=("--hosts", "4"))
    assert code == 11
    where = {check: each["where"] for check, each in found.items()}
    assert where["mtu"] == ["n1"]
    assert where["interface"] == ["n2"]
    assert where["environment"] == ["n3"]
    assert where["other-build"] == ["n3"]
    assert set(where) - TIMED == {"mtu", "interface", "environment", "other-build"}
    line = {"openmpi": "--mca btl_tcp_if_include 10.", "mpich": "-iface eth0"}[mpi]
    assert line in found["interface"]["do"]


def test_launcher_of_another_library(monkeypatch: pytest.MonkeyPatch) -> None:
    library = dependencies() / "openmpi" / "lib" / "libmpi.so.40"
    monkeypatch.setenv("ECO_TEST_OPENMPI", str(library))
    code, found = doctor("switched-8", "all:alone", mpi="mpich", words=("--hosts", "2"))
    assert code == 11
    assert list(found) == ["not-one-job"]
    assert found["not-one-job"]["where"] == ["n0", "n1"]


def test_one_host() -> None:
    code, found = doctor("switched-8", words=("--hosts", "1", "--ranks-per-host", "2"))
    assert code == 11
    assert list(found) == ["one-host"]
