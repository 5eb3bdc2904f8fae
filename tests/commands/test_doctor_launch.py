# SPDX-License-Identifier: BSD-3-Clause
"""`eco doctor`: launches that fail, hang, or do not make one job of their processes; bad input."""

import json
from pathlib import Path
from typing import Any

import pytest
from commands_harness import DONE, complaint, document, eco, launcher
from doctor_harness import HOSTS, checks, doctor, lines, nic, only, said, told, way
from eco.errors import EcoError, ExitCode
from eco.launch_size import ranks_named
from eco.launcher import Launcher
from eco.probe import TakeHost

pytestmark = pytest.mark.usefixtures("doctor_store")


def where_asked(words: str, then: Path, otherwise: Path) -> Path:
    """A launcher that is another one where the probe is given these words."""
    start = then.parent / "where-asked"
    start.write_text(
        f'#!/bin/sh\ncase "$*" in *"{words}"*) exec {then} "$@";; esac\nexec {otherwise} "$@"\n'
    )
    start.chmod(0o755)
    return start


def test_a_profile_that_is_damaged_stops_nothing_but_is_said_if_named(
    tmp_path: Path, doctor_store: Path
) -> None:
    (doctor_store / "kept.json").write_text("{")
    assert doctor(tmp_path).returncode == 0
    result = doctor(tmp_path, None, None, None, "--topology", doctor_store / "kept.json")
    assert result.returncode == 3
    assert "kept.json" in complaint(result)


def test_what_was_told_before_measuring_failed(tmp_path: Path) -> None:
    error = said({"event": "error", "message": "no way to n4", "code": 4})
    facts = lines("facts", *told(n4={"interfaces": [nic("eth0", "10.9.0.5", mtu=9000)]}))
    start = launcher(tmp_path / "bin", facts + error, code=4)
    result = eco("doctor", "--", start.path)
    assert result.returncode == 11
    first, second = result.stdout.splitlines()
    assert "no way to n4" in first
    assert second.startswith("error: n4: the MTU in 10.9.0.0/24 is 9000, but 1500 on most hosts")


def test_nothing_more_is_heard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As where long messages do not get through: the launcher is ended, and what is known said."""
    monkeypatch.setattr("eco.doctor.cli._patience", lambda ranks: 2 if ranks else 60)
    text = lines("facts", *told()) + lines("link", way(0, 1, full_arrived=0))
    start = launcher(tmp_path / "bin", text, pause=60)
    result = eco("doctor", "--json", "--", start.path)
    assert result.returncode == 11
    assert checks(result) == ["not-measured", "path-mtu"]
    assert "the probe printed nothing" in json.loads(result.stdout)["findings"][0]["what"]


def test_once_more_in_one_network(tmp_path: Path) -> None:
    """If the library may use several; what it then can is the line to paste."""
    hosts = {
        host: {"interfaces": [nic("eth0", f"10.9.0.{n + 1}"), nic("eth1", f"10.77.0.{n + 1}")]}
        for n, host in enumerate(HOSTS)
    }
    facts = lines("facts", *told(**hosts))
    failed = launcher(tmp_path / "bad", facts, code=1, version="mpirun (Open MPI) 5.0.11")
    island = way(0, 1, network="10.77.0.0/24", sent=20, arrived=0, full_sent=0, connects=False)
    events = said({"event": "profile", "profile": document()}, DONE)
    sound = launcher(tmp_path / "good", facts + lines("link", way(0, 1), island) + events)
    start = where_asked("--interfaces 10.9.0.0/24", sound.path, failed.path)
    result = eco("doctor", "--json", "--", start)
    assert (checks(result), result.returncode) == (["several-networks", "unreachable"], 11)
    assert "--mca btl_tcp_if_include 10.9.0.0/24" in json.loads(result.stdout)["findings"][0]["do"]
    one = launcher(tmp_path / "one", lines("facts", *told()), code=1)
    assert checks(eco("doctor", "--json", "--", one.path)) == ["not-measured"]


# What MPICH 5.0 prints where it takes a NIC that joins only some of the hosts.
NOT_JOINED = """\
Abort(678577167) on node 4: Fatal error in internal_Init: Other MPI error, error stack:
internal_Init(70)...........................: MPI_Init(argc=(nil), argv=(nil)) failed
MPIDI_OFI_send_lightweight(108).............: OFI call tinjectdata failed (default nic=eth1: \
Network is unreachable)
"""


def test_what_was_told_before_mpi_init_failed(tmp_path: Path) -> None:
    """Once more by the NIC that joins all; the setting that was tried is none of the user's."""
    sites = {
        host: {
            "mpi": "MPICH Version: 5.0.2",
            "interfaces": [
                nic("eth0", f"10.9.0.{n + 1}"),
                nic("eth1", f"10.{10 + n % 2}.0.{n + 1}"),
            ],
        }
        for n, host in enumerate(HOSTS)
    }
    hosts = told(**sites)
    start = [{key: each[key] for key in each if key not in ("rank", "ranks")} for each in hosts]
    failed = launcher(tmp_path / "bad", lines("start", *start), code=15, error=NOT_JOINED)
    tried = {"ECO_DOCTOR": "mark", "FI_TCP_IFACE": "eth0"}
    facts = lines("facts", *({**each, "environment": tried} for each in hosts))
    island = way(0, 2, network="10.10.0.0/24", sent=20, arrived=0, full_sent=0, connects=False)
    events = said({"event": "profile", "profile": document()}, DONE)
    text = lines("start", *start) + facts + lines("link", way(0, 1), island) + events
    sound = launcher(tmp_path / "good", text)
    by_setting = where_asked("--interfaces 10.9.0.0/24", sound.path, failed.path)
    result = eco("doctor", "--json", "--", by_setting)
    assert (checks(result), result.returncode) == (["several-networks", "unreachable"], 11)
    (found,) = json.loads(result.stdout)["findings"][:1]
    assert found["where"] == HOSTS
    assert "set FI_TCP_IFACE=eth0" in found["do"]
    # Where there is nothing else to try: what is known, and the library's own words.
    for each in start:
        each["interfaces"] = [
            each["interfaces"][0] | {"mtu": 1400 if each["host"] == "n3" else 1500}
        ]
    failed = launcher(tmp_path / "one", lines("start", *start), code=15, error=NOT_JOINED)
    result = eco("doctor", "--json", "--", failed.path)
    assert (checks(result), result.returncode) == (["not-measured", "mtu"], 11)
    assert "Network is unreachable" in json.loads(result.stdout)["findings"][0]["what"]


def test_processes_that_are_alone(tmp_path: Path) -> None:
    alone = [each | {"rank": 0, "ranks": 1} for each in told()]
    assert checks(doctor(tmp_path, alone)) == ["not-one-job"]
    one = [each | {"host": "n0"} for each in told()]
    assert checks(doctor(tmp_path, one)) == ["one-host"]
    # Words of others were lost on their way.
    assert checks(doctor(tmp_path, one[:1])) == []


def test_hosts_that_are_alone_have_one_order(tmp_path: Path) -> None:
    """That of their names, n2 before n10, in whichever order they spoke."""
    names = ["n0", "n1", "n2", "n10", "n11"]
    base = told()[0] | {"rank": 0, "ranks": 1}
    for spoke in (names, names[::-1], sorted(names), [*names[2:], *names[:2]]):
        report = json.loads(doctor(tmp_path, [base | {"host": name} for name in spoke]).stdout)
        assert report["hosts"] == names
        assert [each["where"] for each in report["findings"]] == [names]


def test_lines_that_a_launcher_mixed(tmp_path: Path) -> None:
    """What can be read is used; the rest is no fault of the network."""
    first, second = lines("facts", told()[0]), lines("link", {"from": 3})
    text = lines("facts", *told()) + first[:50] + second + second[:200]
    text += said({"event": "profile", "profile": document()}, DONE)
    start = launcher(tmp_path / "bin", text)
    result = eco("doctor", "--json", "--", start.path)
    assert (checks(result), result.returncode) == ([], 0)
    assert json.loads(result.stdout)["hosts"] == HOSTS


def test_bad_input(tmp_path: Path) -> None:
    assert eco("doctor").returncode == 2
    start = launcher(tmp_path / "bin", said({"event": "profile", "profile": document()}, DONE))
    result = eco("doctor", "--", start.path)
    assert result.returncode == 4
    assert "without a report of its hosts" in complaint(result)
    start = launcher(tmp_path / "bin", [{"event": "error", "message": "not here", "code": 4}])
    result = eco("doctor", "--", start.path)
    assert (result.returncode, complaint(result)) == (4, "eco: not here")


def test_many_ranks_may_be_silent_for_longer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By what the launcher is told, then by what the first rank says; never without an end."""
    asked: list[float] = []

    def run(*given: Any, take_host: TakeHost) -> None:
        patience = given[6]
        asked.append(patience())
        take_host("facts", told()[0] | {"ranks": 64})
        asked.append(patience())
        take_host("facts", told()[1] | {"ranks": 10**6})
        raise EcoError("silent", ExitCode.LAUNCH)

    monkeypatch.setattr("eco.probe.run", run)
    start = launcher(tmp_path / "bin", "", version="mpirun (Open MPI) 5.0.11")
    result = eco("doctor", "--json", "--", start.path, "-n", "8")
    assert only(result)["check"] == "not-measured"
    few, many = asked
    assert few < 35 < 65 < many < 600
    asked.clear()
    monkeypatch.setattr("eco.launch_size.ranks_named", lambda _: 10**6)
    eco("doctor", "--json", "--", start.path)
    assert asked[0] <= 300


@pytest.mark.parametrize(
    ("words", "ranks"),
    [
        ("mpirun -n 8", 8),
        ("mpirun -np 2 env A=1 : -np 3 env A=2", 5),
        ("srun --ntasks=12", 12),
        ("mpirun --hostfile {hosts}", 3),
        ("mpiexec -f {hosts} -n 64", 64),
        ("mpirun -H a,b:2", 2),
        ("mpirun --hostfile missing", None),
        ("mpirun", None),
        ("mpirun -n", None),
        ("eco lab run racks-64 --native --", 64),
        ("eco lab run --hosts 4 switched-8 --ranks-per-host 2 --", 8),
        ("eco lab run switched-8 --np 3 --", 3),
        ("eco lab run nothing --", None),
    ],
)
def test_ranks_that_a_launcher_names(words: str, ranks: int | None, tmp_path: Path) -> None:
    hosts = tmp_path / "hosts"
    hosts.write_text("# ours\nn0 slots=4\nn1\n\nn2\n")
    given = tuple(words.format(hosts=hosts).split())
    assert ranks_named(Launcher(given, given[0] == "eco", None, None)) == ranks
