# SPDX-License-Identifier: BSD-3-Clause
"""Networks that do not join the hosts: which these are, and `--interfaces`."""

import ipaddress
import json
from pathlib import Path
from typing import Any

import pytest
from commands_harness import DONE, complaint, document, eco, launcher
from doctor_harness import HOSTS, checks, lines, nic, said, told
from eco.doctor import facts
from eco.reach import Reach
from test_doctor_launch import where_asked

from eco import contact, reach

pytestmark = pytest.mark.usefixtures("doctor_store")
EIGHT = "10.9.0.0/24"
MPICH = "MPICH Version: 5.0.2"


def many(mpi: str = "Open MPI v5.0.11", **environment: str) -> list[dict[str, Any]]:
    """Hosts with three interfaces: one that joins them, one that does not, one address for all."""
    return [
        each
        | {
            "mpi": mpi,
            "environment": {"ECO_DOCTOR": "mark", **environment},
            "interfaces": [
                nic("vf1", f"10.200.1.{n + 1}"),
                nic("eth0", f"10.9.0.{n + 1}"),
                nic("br0", "172.17.0.1"),
            ],
        }
        for n, each in enumerate(told())
    ]


FAILED = {"from": "n0", "to": "n1", "network": "10.200.1.0/24"}
FAILED |= {"own": "10.200.1.1", "theirs": "10.200.1.2"}
TWICE = [{"host": host, "network": "172.17.0.0/24", "address": "172.17.0.1"} for host in HOSTS]
FOUND = {"failed": [FAILED], "twice": TWICE}


def hosts(told_by: list[dict[str, Any]]) -> list[facts.Host]:
    return facts.once(facts.read(each) for each in told_by)


def test_what_does_not_join_and_what_keeps_the_library_from_it() -> None:
    found = reach.advice(hosts(many()), reach.read(FOUND), False)
    assert found
    assert found.line == f"add to mpirun: --mca btl_tcp_if_include {EIGHT}"
    assert found.names == EIGHT
    assert "10.200.1.0/24 (vf1) does not join the hosts that have addresses there" in found.what
    assert "n0 (10.200.1.1) cannot connect to n1 (10.200.1.2)" in found.what
    assert "172.17.0.0/24 (br0) joins no hosts: several of them have the same" in found.what
    of_mpich = reach.advice(hosts(many(MPICH)), reach.read(FOUND), False)
    assert of_mpich
    assert "FI_TCP_IFACE=eth0" in of_mpich.line


@pytest.mark.parametrize(
    ("mpi", "setting"),
    [
        ("Open MPI v5.0.11", {"OMPI_MCA_btl_tcp_if_include": "eth0"}),
        (MPICH, {"FI_TCP_IFACE": "eth0"}),
    ],
)
def test_no_advice_where_the_library_uses_what_joins(mpi: str, setting: dict[str, str]) -> None:
    assert reach.advice(hosts(many(mpi, **setting)), reach.read(FOUND), True) is None


def test_no_advice_where_nothing_is_wrong_or_nothing_joins() -> None:
    assert reach.advice(hosts(many()), Reach(), False) is None
    # Two networks join all hosts, so both may be used.
    two = reach.advice(hosts(many()), reach.read({"twice": TWICE}), False)
    assert two
    assert two.names == f"10.200.1.0/24,{EIGHT}"
    everywhere = [*({**FAILED, "network": each} for each in ("10.200.1.0/24", EIGHT))]
    assert reach.advice(hosts(many()), reach.read({"failed": everywhere}), True) is None


def test_a_network_of_some_hosts_is_named_only_if_messages_failed() -> None:
    some = many()
    for each in some[4:]:
        each["interfaces"] = each["interfaces"][1:2]
    for each in some[:4]:
        each["interfaces"] = each["interfaces"][:2]
    assert reach.advice(hosts(some), Reach(), False) is None
    found = reach.advice(hosts(some), Reach(), True)
    assert found
    assert "10.200.1.0/24 (vf1) joins not all hosts" in found.what


def starts(told_by: list[dict[str, Any]]) -> str:
    return lines("start", *({k: each[k] for k in each if k != "ranks"} for each in told_by))


def network_of(folder: Path, mpi: str = "Open MPI v5.0.11", hang: float = 60) -> Path:
    """A launcher with which no message gets through but in the network that joins."""
    begun = starts(many(mpi))
    contact_made = {"event": "contact", "hosts": HOSTS}
    works = (
        begun
        + lines("facts", *many(mpi))
        + said(contact_made, {"event": "profile", "profile": document()}, DONE)
    )
    sound = launcher(folder / "sound", works)
    tried = launcher(folder / "tried", lines("reach", {"host": "n0", **FOUND}))
    stuck = launcher(folder / "stuck", begun, pause=hang, code=0 if hang else 15)
    asked = where_asked(f"--interfaces {EIGHT}", sound.path, stuck.path)
    return where_asked("probe --mpi openmpi reach", tried.path, asked)


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contact, "_HURRIED", contact._Silence(0.5, 0, 1))


@pytest.mark.parametrize("hang", [60, 0])
def test_measure_says_which_networks_do_not_join(tmp_path: Path, hang: float) -> None:
    """Where MPI_Init hangs, and where it fails."""
    start = network_of(tmp_path, hang=hang)
    result = eco("measure", "-o", tmp_path / "p.json", "--mpi", "openmpi", "--", start)
    assert result.returncode == 4
    words = complaint(result)
    assert "n0 (10.200.1.1) cannot connect to n1 (10.200.1.2)" in words
    assert f"--mca btl_tcp_if_include {EIGHT}" in words
    assert "--interfaces auto" in words
    assert not (tmp_path / "p.json").exists()


def test_auto_measures_with_what_joins(tmp_path: Path) -> None:
    start = network_of(tmp_path)
    words = ("--json", "--interfaces", "auto", "--mpi", "openmpi", "--", start)
    result = eco("measure", "-o", tmp_path / "p.json", *words)
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout)["interfaces"] == [EIGHT]
    assert f"--mca btl_tcp_if_include {EIGHT}" in result.stderr


def test_networks_that_show_in_the_second_launch_alone(tmp_path: Path) -> None:
    """As where the ranks of the first one had not all started when it was ended."""
    begun = starts([each | {"interfaces": each["interfaces"][:2]} for each in many()])
    contact_made = {"event": "contact", "hosts": HOSTS}
    late = begun + said(contact_made, {"event": "networks", "failed": [FAILED], "twice": []})
    works = begun + said(contact_made, {"event": "profile", "profile": document()}, DONE)
    sound = launcher(tmp_path / "sound", works)
    second = launcher(tmp_path / "second", late, pause=60)
    first = launcher(tmp_path / "first", begun, pause=60)
    tried = launcher(tmp_path / "tried", lines("reach", {"host": "n0"}))
    in_turn = tmp_path / "in-turn"
    in_turn.write_text(
        f'#!/bin/sh\nmkdir {tmp_path}/begun 2>/dev/null && exec {first.path} "$@"\n'
        f'exec {second.path} "$@"\n'
    )
    in_turn.chmod(0o755)
    asked = where_asked(f"--interfaces {EIGHT}", sound.path, in_turn)
    start = where_asked("probe --mpi openmpi reach", tried.path, asked)
    words = ("--json", "--interfaces", "auto", "--mpi", "openmpi", "--", start)
    result = eco("measure", "-o", tmp_path / "p.json", *words)
    assert result.returncode == 0, result.stderr
    assert f"--mca btl_tcp_if_include {EIGHT}" in result.stderr


def test_a_cut_in_a_network_that_the_library_does_not_use_explains_nothing() -> None:
    found = reach.read(FOUND)
    assert reach.missing(hosts(many()), found, "n0", "n1")
    chosen = many(OMPI_MCA_btl_tcp_if_include="eth0")
    assert reach.missing(hosts(chosen), found, "n0", "n1") is None


def test_the_doctor_tries_addresses_where_no_message_gets_through(tmp_path: Path) -> None:
    result = eco("doctor", "--json", "--mpi", "openmpi", "--", network_of(tmp_path))
    assert {"several-networks", "unreachable", "interface"} == set(checks(result))
    findings = {each["check"]: each for each in json.loads(result.stdout)["findings"]}
    assert "10.200.1.0/24 from n0 to n1" in findings["unreachable"]["what"]
    assert EIGHT in findings["several-networks"]["do"]


def waiting(seconds: float, *found: dict[str, Any], told_by: list[dict[str, Any]]) -> str:
    stuck = {"event": "waiting", "ranks": [0, 3], "seconds": seconds}
    return starts(told_by) + said({"event": "contact", "hosts": HOSTS}, *found, stuck)


def test_two_hosts_that_exchange_no_message(tmp_path: Path) -> None:
    """Ends if their addresses do not connect, or after a time that no message takes."""
    cut: dict[str, Any] = {"event": "networks", "twice": []}
    cut["failed"] = [
        FAILED | {"to": "n3", "network": EIGHT, "own": "10.9.0.1", "theirs": "10.9.0.4"}
    ]
    text = waiting(10, cut, told_by=told())
    start = launcher(tmp_path / "cut", text, pause=60)
    result = eco("measure", "-o", tmp_path / "p.json", "--", start.path)
    assert result.returncode == 4
    assert "n0 and n3 have exchanged no message for 10 s" in complaint(result)
    assert "n0 (10.9.0.1) cannot connect to n3 (10.9.0.4)" in complaint(result)
    more = said({"event": "profile", "profile": document()}, DONE)
    start = launcher(tmp_path / "slow", waiting(10, told_by=told()) + more)
    result = eco("measure", "-o", tmp_path / "p.json", "--", start.path)
    assert result.returncode == 0
    assert "n0 and n3 have exchanged no message for 10 s; their addresses connect" in result.stderr
    start = launcher(tmp_path / "never", waiting(160, told_by=told()), pause=60)
    assert eco("measure", "-o", tmp_path / "q.json", "--", start.path).returncode == 4


def test_interfaces_that_are_named_reach_the_probe(tmp_path: Path) -> None:
    text = said({"event": "profile", "profile": document()}, DONE)
    start = launcher(tmp_path / "bin", text)
    words = ("--interfaces", "eth0, 10.9.0.0/16", "--", start.path)
    result = eco("measure", "--json", "-o", tmp_path / "p.json", *words)
    assert result.returncode == 0, result.stderr
    assert start.options[-2:] == ["--interfaces", "eth0,10.9.0.0/16"]
    for wrong in ("eth0,,eth1", "", "--mca"):
        result = eco("measure", "--interfaces", wrong, "--", start.path)
        assert result.returncode == 2
    known = document() | {"interfaces": ["eth0"]}
    (tmp_path / "known.json").write_text(json.dumps(known))
    shown = eco("show", tmp_path / "known.json", "--json")
    assert shown.returncode == 0
    (tmp_path / "wrong.json").write_text(json.dumps(known | {"interfaces": [3]}))
    assert eco("show", tmp_path / "wrong.json").returncode == 3


def test_networks_of_both_families_are_read() -> None:
    six = FAILED | {"network": "fd00::/64", "own": "fd00::1", "theirs": "fd00::2"}
    (cut,) = reach.read({"failed": [six]}).cuts
    assert cut.network == ipaddress.ip_network("fd00::/64")
