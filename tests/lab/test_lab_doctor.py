# SPDX-License-Identifier: BSD-3-Clause
"""`eco doctor` on real hosts of the lab, sound and broken on purpose (doctor_breaks.py)."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from doctor_breaks import BREAKS, FAR_APART, FOUR, OF_THE_LIBRARY, SOUND, Break, apart
from eco.lab.mpi import PROJECT, dependencies
from eco.lab.profile import own_command
from eco.line_code import EventReader
from lab_harness import HERE, needs_quiet_lab, other_build

pytestmark = needs_quiet_lab
ECO = PROJECT / "build/release/bin/eco"
LIBRARIES = ("openmpi", "mpich")


def doctor(
    scenario: str | Path,
    *faults: str,
    mpi: str = "openmpi",
    words: tuple[str, ...] = (),
    options: tuple[str | Path, ...] = (),
) -> tuple[int, dict[str, Any]]:
    """The exit code, and the findings by their check."""
    broken = [str(HERE / "fault.sh"), *faults, "--"] if faults else []
    lab = [*own_command(), "lab", "run", str(scenario), "--native", "--mpi", mpi, *words, "--"]
    done = subprocess.run(
        [str(word) for word in [ECO, "doctor", "--json", *options, "--", *lab, *broken]],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert "Traceback" not in done.stderr, done.stderr
    assert done.stdout, done.stderr
    report = json.loads(done.stdout)
    assert report["exit_code"] == done.returncode
    for each in report["findings"]:
        assert each["where"] and each["what"] and each["sure"] and each["do"], each
    return done.returncode, {each["check"]: each for each in report["findings"]}


def written(network: str, folder: Path) -> str | Path:
    """A scenario's name, or a file with its text."""
    if "\n" not in network:
        return network
    path = folder / "network.yaml"
    path.write_text(network)
    return path


@pytest.mark.parametrize("mpi", LIBRARIES)
def test_what_hosts_say(mpi: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Several faults at once, each found where it is, and nothing else."""
    monkeypatch.setenv("ECO_TEST_OTHER_PROBE", str(other_build(mpi, tmp_path)))
    faults = ["n1:mtu", "n2:bridge", "all:any-interface", "n3:environment", "n3:build", "n0:clock"]
    code, found = doctor(written(FOUR, tmp_path), *faults, mpi=mpi)
    assert code == 11
    assert {check: each["where"] for check, each in found.items()} == {
        "mtu": ["n1"],
        "interface": ["n2"],
        "environment": ["n3"],
        "other-build": ["n3"],
        "not-measured": ["n0", "n1", "n2", "n3"],
        "slow-clock": ["n0"],
    }
    line = {"openmpi": "--mca btl_tcp_if_include 10.", "mpich": "-iface eth0"}[mpi]
    assert line in found["interface"]["do"]
    assert "n3 has another build of ECO" in found["not-measured"]["sentence"]


@pytest.mark.long
def test_hosts_whose_network_has_no_ipv4(tmp_path: Path) -> None:
    """Their facts, and what packets do there, are found by IPv6."""
    code, found = doctor(written(apart("loss: 4%") + "addresses: ipv6\n", tmp_path), "n1:mtu")
    assert code == 11
    assert found["mtu"]["where"] == ["n1"]
    assert re.search(r"the MTU in fd[0-9a-f:]+/\d+ is", found["mtu"]["what"])
    assert found["losses"]["where"] == ["n3"]


@pytest.mark.parametrize("lost", [True, pytest.param(False, marks=pytest.mark.long)])
def test_collectives_are_timed_where_nothing_is_lost(lost: bool, tmp_path: Path) -> None:
    scenario = written(apart("loss: 1.5%" if lost else "delay: 1ms"), tmp_path)
    lab = [*own_command(), "lab", "run", str(scenario), "--native", "--mpi", "openmpi", "--"]
    probe = [str(ECO), "probe", "measure", "--no-tune", "--facts", "--collectives"]
    done = subprocess.run([*lab, *probe], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    reader = EventReader()
    events = [event for line in done.stdout.splitlines() for event in reader.take(line) or []]
    assert any(event["event"] == "collectives" for event in events) != lost


def test_launcher_of_another_library(monkeypatch: pytest.MonkeyPatch) -> None:
    library = dependencies() / "openmpi" / "lib" / "libmpi.so.40"
    monkeypatch.setenv("ECO_TEST_OPENMPI", str(library))
    code, found = doctor("switched-8", "all:alone", mpi="mpich", words=("--hosts", "2"))
    assert code == 11
    assert list(found) == ["not-one-job"]
    assert found["not-one-job"]["where"] == ["n0", "n1"]


@pytest.mark.long
@pytest.mark.parametrize(
    ("broken", "mpi"),
    [
        pytest.param(broken, mpi, id=f"{broken.name.replace(' ', '-')}-{mpi}")
        for broken in BREAKS
        for mpi in LIBRARIES
        if broken.library in ("", mpi)
    ],
)
def test_each_break(broken: Break, mpi: str, tmp_path: Path) -> None:
    """It is found where it is, and nothing else but what follows from it."""
    network = written(broken.network, tmp_path)
    code, found = doctor(network, *broken.faults, mpi=mpi, words=broken.words)
    finding = found.get(broken.check) or found.get(broken.instead)
    assert finding, found
    assert (tuple(finding["where"]), finding["severity"]) == (broken.where, broken.severity)
    assert broken.says in finding["sentence"]
    beside = (*broken.beside, *OF_THE_LIBRARY.get((broken.network, mpi), ()))
    assert set(found) <= {broken.check, *beside}
    codes = {"note": 0, "warning": 10, "error": 11}
    assert code == max(codes[each["severity"]] for each in found.values())


@pytest.mark.long
def test_connections_that_begin_slowly_again() -> None:
    """Where both hosts may do so, one is told not to."""
    code, found = doctor("two-sites", "n0:no-slow-restart", words=("--hosts", "2"))
    assert (code, list(found)) == (10, ["idle-connections"])
    assert found["idle-connections"]["where"] == ["n4"]


@pytest.mark.long
def test_one_host() -> None:
    code, found = doctor("switched-8", words=("--hosts", "1", "--ranks-per-host", "2"))
    assert code == 11
    assert list(found) == ["one-host"]


@pytest.mark.long
@pytest.mark.parametrize("mpi", LIBRARIES)
@pytest.mark.parametrize("network", SOUND)
def test_nothing_on_a_sound_network(network: str, mpi: str) -> None:
    faults = ("all:no-slow-restart",) if network in FAR_APART else ()
    assert doctor(network, *faults, mpi=mpi) == (0, {})


@pytest.mark.long
@pytest.mark.parametrize("mpi", LIBRARIES)
def test_nothing_where_routers_are_between_hosts(mpi: str, tmp_path: Path) -> None:
    assert doctor(written(FOUR, tmp_path), "all:routed", mpi=mpi) == (0, {})


@pytest.mark.long
@pytest.mark.parametrize("mpi", LIBRARIES)
def test_a_profile_that_fits_no_more(mpi: str, tmp_path: Path) -> None:
    """Of fewer hosts; of a faster network; and the right one, which is not complained of."""
    lab = [*own_command(), "lab", "run", str(written(FOUR, tmp_path)), "--native", "--mpi", mpi]
    for name, more in (("same", []), ("fewer", ["--hosts", "3"]), ("faster", ["--scale", "4"])):
        measure = [*own_command(), "measure", "--no-tune", "-o", str(tmp_path / f"{name}.json")]
        subprocess.run([*measure, "--", *lab, *more, "--"], check=True, capture_output=True)
    network = written(FOUR, tmp_path)
    for name, check, code in (
        ("same", None, 0),
        ("fewer", "other-hosts", 11),
        ("faster", "changed", 10),
    ):
        options = ("--topology", tmp_path / f"{name}.json")
        got, found = doctor(network, mpi=mpi, options=options)
        assert (got, list(found)) == (code, [check] if check else [])
