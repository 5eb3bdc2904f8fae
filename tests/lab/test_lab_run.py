# SPDX-License-Identifier: BSD-3-Clause
"""Programs in the lab: where ranks are, what reaches them, what comes back."""

import concurrent.futures
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from eco.errors import ExitCode
from lab_harness import LAB, compiled, lab, needs_lab

from eco import lab as api

pytestmark = needs_lab
BOTH = ["openmpi", "mpich"]


@pytest.fixture(scope="module")
def programs() -> Iterator[dict[str, Path]]:
    # Not in pytest's own folder, which each session of pytest closes to other users as it begins.
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield {family: compiled(family, folder) for family in BOTH}


@pytest.mark.parametrize("family", BOTH)
@pytest.mark.parametrize("order", ["round-robin", "random:3"])
def test_order(programs: dict[str, Path], family: str, order: str) -> None:
    from eco.lab.launch import place
    from eco.lab.load import load

    words = ["--native", "--ranks-per-host", "2", "--hosts", "3", "--order", order]
    done = lab("run", "three-segments", *words, "--", programs[family])
    assert done.returncode == 0, done.stderr
    wanted = place(load("three-segments").with_hosts(3).hosts, 2, None, order).hosts
    assert tuple(done.stdout.splitlines()[0].split()) == wanted


@pytest.mark.parametrize("family", BOTH)
def test_input_and_code(programs: dict[str, Path], family: str) -> None:
    text = "x" * 200_000
    done = lab("run", "three-segments", "--native", "--", programs[family], "7", stdin=text)
    assert done.returncode == 7
    hosts, read = done.stdout.splitlines()
    assert hosts.split() == [f"n{i}" for i in range(8)]
    assert read.split()[0] == "200000"
    assert f"/{family}/" in read.split()[1]


def test_nothing_but_the_program_is_heard(programs: dict[str, Path]) -> None:
    for family in BOTH:
        done = lab("run", "switched-8", "--native", "--np", "3", "--", programs[family])
        assert done.stderr == ""
        assert done.stdout.splitlines()[0].split() == ["n0", "n1", "n2"]


def test_rates_that_the_machine_does_not_carry(programs: dict[str, Path], tmp_path: Path) -> None:
    """Refused where they are the scenario's own; said where faster links were asked for."""
    fast = tmp_path / "fast.yaml"
    fast.write_text("networks:\n  a: {kind: switch, rate: 100gbit, hosts: [x, y]}\n")
    for words in ([], ["--native"]):
        done = lab("run", fast, *words, "--", programs["mpich"])
        assert (done.returncode, done.stdout) == (ExitCode.ENVIRONMENT, "")
        (line,) = done.stderr.splitlines()
        assert line.startswith("eco: this machine carries ")
        assert "network 'a' when 2 send at once, not 100 Gbit/s" in line
    for first in ("", "addresses: ipv6\n"):
        fast.write_text(f"{first}networks:\n  a: {{kind: switch, rate: 1gbit, hosts: [x, y]}}\n")
        done = lab("run", fast, "--native", "--scale", "100", "--", programs["mpich"])
        assert done.returncode == 0, done.stderr
        (line,) = done.stderr.splitlines()
        assert line.startswith("eco: note: this machine carries ")


def test_wrong_mpi(programs: dict[str, Path]) -> None:
    done = lab("run", "three-segments", "--mpi", "mpich", "--native", "--", programs["openmpi"])
    assert done.returncode == 2
    assert "is linked with Open MPI, not with MPICH" in done.stderr


def test_what_a_program_needs_is_unknown(tmp_path: Path) -> None:
    done = lab("run", "three-segments", "--native", "--", "/bin/true", env={"PATH": str(tmp_path)})
    assert done.returncode == 4
    assert done.stderr.count("\n") == 1
    assert "no program 'ldd' on PATH" in done.stderr


def test_eco_stands_before_the_program(programs: dict[str, Path], tmp_path: Path) -> None:
    stub = tmp_path / "eco-stub"
    stub.write_text('#!/bin/sh\necho "$1 $2 $3 $4" >&2\nshift 4\nexec "$@"\n')
    stub.chmod(0o755)
    profile = tmp_path / "net.json"
    profile.write_text("{}")
    env = {"ECO_LAUNCHER": str(stub), "ECO_BIN": ""}
    words = ["--np", "2", "--topology", profile, "--", programs["openmpi"]]
    done = lab("run", "three-segments", *words, env=env)
    assert done.returncode == 0
    assert done.stderr.splitlines() == [f"exec --profile {profile} --"] * 2
    missing = lab("run", "three-segments", "--topology", "none.json", "--", programs["openmpi"])
    assert missing.returncode == 3


def test_a_network_is_measured_once_and_briefly(programs: dict[str, Path], tmp_path: Path) -> None:
    words = ["run", "switched-8", "--hosts", "2", "--", programs["openmpi"]]
    env = {"XDG_CACHE_HOME": str(tmp_path)}
    with concurrent.futures.ThreadPoolExecutor() as pool:
        both = list(pool.map(lambda _: lab(*words, env=env), range(2)))
    assert [done.returncode for done in both] == [0, 0], both
    said = [done.stderr for done in both if done.stderr]
    assert len(said) == 1
    assert said[0].startswith(
        "eco: measuring switched-8 once, briefly (eco measure --no-tune --budget 20)"
    )
    (kept,) = tmp_path.rglob("*.json")
    assert str(kept) in said[0]
    profile = json.loads(kept.read_text())
    assert not profile["tuning"]
    assert lab(*words, env=env).stderr == ""


def test_two_at_once(programs: dict[str, Path]) -> None:
    def one(scenario: str) -> list[str]:
        options = api.Options(native=True, np=4)
        done = api.run(scenario, [str(programs["openmpi"])], options=options, timeout=60)
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()[0].split()

    with concurrent.futures.ThreadPoolExecutor() as pool:
        first, second = pool.map(one, ["three-segments", "switched-8"])
    assert first == second == ["n0", "n1", "n2", "n3"]


@pytest.mark.skipif(os.geteuid() != 0, reason="not root: every other test is already unprivileged")
def test_ordinary_user(programs: dict[str, Path]) -> None:
    if shutil.which("setpriv") is None:
        pytest.skip("setpriv is missing")
    cache = programs[BOTH[0]].parent / "cache"
    cache.mkdir()
    cache.chmod(0o777)
    become = ("setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups")
    env = {"XDG_CACHE_HOME": str(cache), "HOME": str(cache)}
    if lab("list", before=become, env=env).returncode != 0:
        pytest.skip(f"another user cannot read {LAB[0]} or the project")
    for family in BOTH:
        words = ["--native", "--np", "4", "--", programs[family]]
        done = lab("run", "two-sites", *words, before=become, env=env, stdin="abc")
        assert done.returncode == 0, done.stderr
        assert done.stdout.splitlines()[1].split()[0] == "3"


def test_shell(programs: dict[str, Path], tmp_path: Path) -> None:
    """Its launchers take a program of either family or of none, and the user's own hosts."""
    script, hosts = tmp_path / "shell", tmp_path / "hosts"
    hosts.write_text("n3\nn5\n")
    script.write_text(
        "#!/bin/sh\n"
        'hostname; wc -l <"$ECO_LAB_HOSTFILE"\n'
        f"mpirun {programs['openmpi']} </dev/null | head -1\n"
        f"mpiexec -n 2 {programs['mpich']} 5 </dev/null; echo $?\n"
        f"mpirun -n 2 --hostfile {hosts} {programs['openmpi']} </dev/null | head -1\n"
        f"mpiexec -n 2 -f {hosts} {programs['mpich']} </dev/null | head -1\n"
        "mpirun -n 2 hostname </dev/null | sort | xargs\n"
        "mpirun\nexit 9\n"
    )
    script.chmod(0o755)
    done = lab("shell", "three-segments", "--native", env={"SHELL": str(script)})
    lines = [line.strip() for line in done.stdout.splitlines()]
    assert lines[:3] == ["n0", "8", " ".join(f"n{i}" for i in range(8))]
    assert lines[3] == "n0 n1"
    assert lines[5:] == ["5", "n3 n5", "n3 n5", "n0 n1"]
    assert "no program given" in done.stderr
    assert done.returncode == 9
