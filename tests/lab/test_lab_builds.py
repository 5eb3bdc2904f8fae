# SPDX-License-Identifier: BSD-3-Clause
"""A host that has another build of ECO: nothing is measured, and one sentence says which host."""

import subprocess
from pathlib import Path

import pytest
from eco.lab.mpi import PROJECT
from eco.lab.profile import own_command
from lab_harness import HERE, needs_lab, other_build

pytestmark = needs_lab
SWITCH = "networks:\n  a: {kind: switch, rate: 100mbit, hosts: [n0, n1, n2, n3]}\n"
PROFILE = PROJECT / "tests/data/switched-8-measured.json"


@pytest.mark.parametrize("mpi", ["openmpi", "mpich"])
@pytest.mark.parametrize("verb", ["measure", "bench"])
def test_another_build_on_two_hosts(
    mpi: str, verb: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    network, out = tmp_path / "network.yaml", tmp_path / "net.json"
    network.write_text(SWITCH)
    monkeypatch.setenv("ECO_TEST_OTHER_PROBE", str(other_build(mpi, tmp_path)))
    words = {"measure": ["-o", out], "bench": ["--topology", PROFILE]}[verb]
    lab = [*own_command(), "lab", "run", network, "--native", "--mpi", mpi, "--"]
    broken = [HERE / "fault.sh", "n1:build", "n3:build", "--"]
    done = subprocess.run(
        list(map(str, [*own_command(), verb, *words, "--", *lab, *broken])),
        capture_output=True,
        text=True,
        timeout=100,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 4, done.stdout + done.stderr
    said = [line for line in done.stderr.splitlines() if "another build" in line]
    assert said == [
        "eco: n1, n3 have another build of ECO than rank 0 on n0; install the same ECO on all "
        "hosts, or once in a folder that all of them see"
    ], done.stderr
    assert not list(tmp_path.glob("net.json*"))
