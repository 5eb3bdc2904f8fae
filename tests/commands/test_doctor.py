# SPDX-License-Identifier: BSD-3-Clause
"""`eco doctor`: what it concludes from what hosts told and what was measured."""

import json
from pathlib import Path
from typing import Any

import pytest
from commands_harness import DONE, Outcome, complaint, document, eco, launcher, progress, rails
from eco.errors import EcoError, ExitCode
from eco.launch_size import ranks_named
from eco.launcher import Launcher

HOSTS = [f"n{host}" for host in range(8)]


@pytest.fixture(autouse=True)
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.delenv("ECO_LIBMPI", raising=False)
    monkeypatch.setattr("secrets.token_hex", lambda _: "mark")
    folder = tmp_path / "data" / "eco" / "profiles"
    folder.mkdir(parents=True)
    return folder


def nic(name: str, address: str, **more: Any) -> dict[str, Any]:
    usual = {"prefix": 24, "bridge": False, "down": False, "mtu": 1500, "megabits": 10000}
    return usual | {"name": name, "address": address} | more


def told(**changes: dict[str, Any]) -> list[dict[str, Any]]:
    """What eight sound hosts say, with changes to some of them."""
    return [
        {
            "host": host,
            "rank": number,
            "ranks": len(HOSTS),
            "build": "eco-build 1",
            "mpi": "Open MPI v5.0.11",
            "environment": {"ECO_DOCTOR": "mark"},
            "interfaces": [nic("eth0", f"10.9.0.{number + 1}")],
            "kernel": "6.1",
            "clock": "tsc",
            "governor": "performance",
            "tcp": {"sent": 1000, "sent_again": 0},
        }
        | changes.get(host, {})
        for number, host in enumerate(HOSTS)
    ]


def lines(kind: str, *each: dict[str, Any]) -> str:
    """What ranks print of their hosts."""
    return "".join(f"@eco-host {json.dumps({kind: about})}\n" for about in each)


def said(*events: dict[str, Any]) -> str:
    """What rank 0 prints of events."""
    return "".join(f"@eco {json.dumps(event)}\n" for event in events)


def way(source: int, target: int, **changes: Any) -> dict[str, Any]:
    """All that was sent from one host to another came."""
    usual = {"network": "10.9.0.0/24", "sent": 300, "arrived": 300}
    usual |= {"full_bytes": 1500, "full_sent": 6, "full_arrived": 6}
    return usual | {"from": HOSTS[source], "to": HOSTS[target]} | changes


def counted(**changes: dict[str, int]) -> list[dict[str, Any]]:
    """TCP's counters when measuring has ended."""
    usual = {"sent": 3000, "sent_again": 0, "had_already": 0}
    return [{"host": host, "tcp": usual | changes.get(host, {})} for host in HOSTS]


def doctor(
    folder: Path,
    before: list[dict[str, Any]] | None = None,
    after: list[dict[str, Any]] | None = None,
    profile: dict[str, Any] | None = None,
    *words: str | Path,
    ways: tuple[dict[str, Any], ...] = (),
    times: list[dict[str, Any]] | None = None,
) -> Outcome:
    events = [
        progress(0.1),
        {"event": "profile", "profile": profile or document()},
        {"event": "collectives", "collectives": times or []},
        DONE,
    ]
    text = lines("facts", *(before or told())) + lines("link", *ways)
    text += said(*events) + lines("counters", *(after or counted()))
    start = launcher(folder / "bin", text, version="mpirun (Open MPI) 5.0.11")
    return eco("doctor", "--json", *words, "--", start.path)


def checks(result: Outcome) -> list[str]:
    """Names of all findings beside that no profile is stored."""
    found = [each["check"] for each in json.loads(result.stdout)["findings"]]
    return [check for check in found if check != "no-profile"]


def only(result: Outcome) -> dict[str, Any]:
    """The one finding beside that no profile is stored."""
    assert not result.stderr.count("eco: "), result.stderr
    found = [f for f in json.loads(result.stdout)["findings"] if f["check"] != "no-profile"]
    assert len(found) == 1, found
    assert isinstance(found[0], dict)
    for word in (found[0]["what"], found[0]["do"]):
        assert word in found[0]["sentence"]
    return found[0]


def test_sound_hosts_without_a_profile(tmp_path: Path) -> None:
    result = doctor(tmp_path)
    assert result.returncode == 0
    (found,) = json.loads(result.stdout)["findings"]
    assert (found["check"], found["severity"]) == ("no-profile", "note")


def test_sound_hosts_with_theirs(tmp_path: Path, store: Path) -> None:
    (store / "kept.json").write_text(json.dumps(document()))
    result = doctor(tmp_path)
    assert result.returncode == 0
    assert json.loads(result.stdout) == {"hosts": HOSTS, "findings": [], "exit_code": 0}


def test_a_profile_without_some_hosts(tmp_path: Path) -> None:
    known = tmp_path / "known.json"
    known.write_text(json.dumps(document([0, 0, 0, 1, 1, 1])))
    result = doctor(tmp_path, None, None, None, "--topology", known)
    assert result.returncode == 11
    assert (only(result)["check"], only(result)["where"]) == ("other-hosts", ["n6", "n7"])


def test_a_network_that_has_changed(tmp_path: Path, store: Path) -> None:
    (store / "kept.json").write_text(json.dumps(document()))
    result = doctor(tmp_path, profile=document(across=1.2e-3))
    assert result.returncode == 10
    found = only(result)
    assert found["check"] == "changed"
    assert "21 of 28 pairs" in found["what"]
    assert "2.00 times as long" in found["cost"]


def test_a_profile_that_is_damaged_stops_nothing_but_is_said_if_named(
    tmp_path: Path, store: Path
) -> None:
    (store / "kept.json").write_text("{")
    assert doctor(tmp_path).returncode == 0
    result = doctor(tmp_path, None, None, None, "--topology", store / "kept.json")
    assert result.returncode == 3
    assert "kept.json" in complaint(result)


@pytest.mark.parametrize(
    ("change", "check", "code"),
    [
        ({"build": "eco-build 2"}, "other-build", 11),
        ({"mpi": "Open MPI v5.0.1"}, "other-mpi-library", 11),
        ({"interfaces": [nic("eth0", "10.9.0.4", mtu=9000)]}, "mtu", 11),
        ({"clock": "hpet"}, "slow-clock", 10),
        ({"governor": "powersave"}, "governor", 10),
        ({"interfaces": [nic("eth0", "10.9.0.4", megabits=100)]}, "link-speed", 10),
        ({"environment": {}}, "environment", 0),
        ({"interfaces": [nic("eth0", "10.9.0.4"), nic("virbr0", "192.168.122.1", bridge=True)]},
         "interface", 10),
    ],
)  # fmt: skip
def test_a_host_that_differs(tmp_path: Path, change: dict[str, Any], check: str, code: int) -> None:
    result = doctor(tmp_path, told(n3=change))
    assert (only(result)["check"], only(result)["where"]) == (check, ["n3"])
    assert result.returncode == code


def test_one_address_on_several_hosts(tmp_path: Path) -> None:
    """As docker0 has; and not if the library is told to leave it alone."""
    docker = nic("docker0", "172.17.0.1", bridge=True)
    hosts = {
        host: {"interfaces": [nic("eth0", f"10.9.0.{n + 1}"), docker]}
        for n, host in enumerate(HOSTS)
    }
    found = only(doctor(tmp_path, told(**hosts)))
    assert (found["check"], found["severity"], found["where"]) == ("interface", "error", HOSTS)
    assert "--mca btl_tcp_if_include 10.9.0.0/24" in found["do"]
    for setting in ("if_include", "eth0"), ("if_include", "10.9.0.0/16"), ("if_exclude", "docker0"):
        name, value = setting
        environment = {"ECO_DOCTOR": "mark", f"OMPI_MCA_btl_tcp_{name}": value}
        told_so = {host: told | {"environment": environment} for host, told in hosts.items()}
        result = doctor(tmp_path, told(**told_so))
        assert [f["check"] for f in json.loads(result.stdout)["findings"]] == ["no-profile"]


def test_hosts_of_an_interface_are_in_the_order_of_ranks(tmp_path: Path) -> None:
    docker = nic("docker0", "172.17.0.1", bridge=True)
    hosts = [
        each | {"host": f"n{n + 7}", "interfaces": [*each["interfaces"], docker]}
        for n, each in enumerate(told())
    ]
    assert only(doctor(tmp_path, hosts[::-1]))["where"] == [each["host"] for each in hosts]


def test_a_slow_card_beside_a_fast_one(tmp_path: Path) -> None:
    hosts = {
        host: {"interfaces": [nic("eth0", f"10.9.0.{n + 1}"), nic("eth1", f"10.10.0.{n + 1}")]}
        for n, host in enumerate(HOSTS)
    }
    for host in hosts.values():
        for each in host["interfaces"]:
            each["prefix"] = 16
    found = only(doctor(tmp_path, told(**hosts), profile=document() | {"rails": rails()}))
    assert found["check"] == "slow-interface"
    assert "4.0 times as long" in found["cost"]
    assert "--mca btl_tcp_if_include 10.9.0.0/16" in found["do"]


def test_segments_that_are_lost(tmp_path: Path) -> None:
    """Not those that TCP sent again in vain, as where a processor is busy."""
    after = counted(n2={"sent_again": 40}, n5={"sent_again": 90, "had_already": 88})
    found = only(doctor(tmp_path, None, after))
    assert (found["check"], found["where"]) == ("losses", ["n2"])
    assert "2 %" in found["what"]


def test_packets_that_are_lost(tmp_path: Path) -> None:
    """At a host if wherever it sends to or hears from; on the way if others do not lose any."""
    some = {"arrived": 290}
    ways = (way(0, 1), way(1, 0), way(1, 2, **some), way(2, 1), way(2, 3), way(3, 2, **some))
    result = doctor(
        tmp_path, ways=(*ways, way(3, 0), way(0, 3)), after=counted(n0={"sent_again": 90})
    )
    found = only(result)
    assert (found["check"], found["where"], result.returncode) == ("losses", ["n2"], 10)
    assert "3.3 %" in found["what"]
    assert "messages of 64 KiB" in found["cost"]
    ways = (
        way(0, 1),
        way(1, 2, **some),
        way(2, 1, **some),
        way(2, 3),
        way(3, 0),
        way(0, 3, arrived=299),
    )
    assert only(doctor(tmp_path, ways=ways))["where"] == ["n1–n2"]


def test_packets_that_are_too_long(tmp_path: Path) -> None:
    ways = (way(0, 1), way(1, 2, full_arrived=0), way(2, 3, full_arrived=1))
    result = doctor(tmp_path, ways=ways)
    assert result.returncode == 11
    assert (only(result)["check"], only(result)["where"]) == ("path-mtu", ["n1", "n2"])
    assert "1500 B" in only(result)["what"]


def test_hosts_that_routers_are_between(tmp_path: Path) -> None:
    """They share no network: lengths are looked at, and no setting names a network of all."""
    hosts = {host: {"interfaces": [nic("eth0", f"10.{n}.0.1")]} for n, host in enumerate(HOSTS)}
    routed = {"network": "0.0.0.0/0"}
    sound = (way(0, 1, **routed), way(1, 2, **routed))
    assert checks(doctor(tmp_path, told(**hosts), ways=sound)) == []
    short = way(2, 3, **routed, full_arrived=0)
    result = doctor(tmp_path, told(**hosts), ways=(*sound, short))
    assert (only(result)["check"], only(result)["where"]) == ("path-mtu", ["n2", "n3"])
    cut = {"sent": 20, "arrived": 0, "full_sent": 0, "connects": False}
    island = way(1, 2, **cut, network="10.77.0.0/24")
    for host in ("n1", "n2"):
        hosts[host]["interfaces"].append(nic("eth1", f"10.77.0.{host[1]}"))
    found = only(doctor(tmp_path, told(**hosts), ways=(*sound, island)))
    assert found["check"] == "unreachable"
    assert "0.0.0.0" not in found["do"]


def test_networks_that_join_nothing(tmp_path: Path) -> None:
    """But not if the library is told to leave them alone; nor if UDP alone is stopped."""
    hosts = {
        host: {"interfaces": [nic("eth0", f"10.9.0.{n + 1}"), nic("eth1", f"10.77.0.{n + 1}")]}
        for n, host in enumerate(HOSTS)
    }
    island = {"network": "10.77.0.0/24", "sent": 20, "arrived": 0, "full_sent": 0}
    ways = (way(0, 1), way(0, 1, **island, connects=False), way(1, 0, **island, connects=False))
    result = doctor(tmp_path, told(**hosts), ways=ways)
    found = only(result)
    assert (found["check"], found["where"], result.returncode) == ("unreachable", ["n0", "n1"], 11)
    assert "--mca btl_tcp_if_include 10.9.0.0/24" in found["do"]
    for host in hosts.values():
        host["environment"] = {"ECO_DOCTOR": "mark", "OMPI_MCA_btl_tcp_if_include": "eth0"}  # type: ignore[assignment]
    assert checks(doctor(tmp_path, told(**hosts), ways=ways)) == []
    result = doctor(tmp_path, ways=(way(0, 1, sent=20, arrived=0, full_sent=0, connects=True),))
    assert (only(result)["check"], result.returncode) == ("udp", 0)
    # What gets through the other way round joins them.
    silent = way(1, 0, sent=20, arrived=0, full_sent=0, connects=False)
    result = doctor(tmp_path, ways=(way(0, 1), silent))
    assert (only(result)["check"], result.returncode) == ("udp", 0)


def took(operation: str, size: int, *samples: float) -> dict[str, Any]:
    return {"operation": operation, "bytes": size, "samples": samples}


def test_collectives_that_contradict_themselves(tmp_path: Path) -> None:
    """Only if it is clear: all runs of the one against all of the other, and worth a word."""
    sound = [
        took("reduce", 1024, 0.010, 0.012),
        took("bcast", 1024, 0.010, 0.015),
        took("allreduce", 1024, 0.030, 0.040),
        took("gather", 1024, 0.050),
        took("allgather", 1024, 0.045),
        took("bcast", 64, 0.002),
        took("bcast", 16384, 0.2),
    ]
    assert checks(doctor(tmp_path, times=sound)) == []
    slow = [each for each in sound if each["operation"] != "allreduce"]
    result = doctor(tmp_path, times=[*slow, took("allreduce", 1024, 0.062, 0.09)])
    found = only(result)
    assert (found["check"], found["where"], result.returncode) == (
        "guidelines",
        ["MPI_Allreduce"],
        10,
    )
    assert "MPI_Reduce of 1 KiB and then MPI_Bcast of 1 KiB" in found["what"]
    assert "62.0 ms instead of 27.0 ms: 2.3 times" in found["cost"]
    assert "coll_tuned_allreduce_algorithm" in found["do"]
    busy = {host: {"load": 9.0, "processors": 2} for host in HOSTS}
    times = [*slow, took("allreduce", 1024, 0.062, 0.09)]
    assert checks(doctor(tmp_path, told(**busy), times=times)) == []
    lossy = counted(n2={"sent_again": 90})  # which may hit any run of any collective
    assert checks(doctor(tmp_path, None, lossy, times=times)) == ["losses"]
    for broken, instead in (
        (took("gather", 1024, 0.08), "MPI_Allgather of 1 KiB"),
        (took("bcast", 64, 0.1), "MPI_Bcast of 1 KiB"),
        (took("bcast", 16384, 0.4), "16 times MPI_Bcast of 1 KiB"),
        (took("allgather", 2048, 0.2), "2 times MPI_Allgather of 1 KiB"),
    ):
        known = [(each["operation"], each["bytes"]) for each in (broken,)]
        rest = [each for each in sound if (each["operation"], each["bytes"]) not in known]
        assert instead in only(doctor(tmp_path, times=[*rest, broken]))["what"]


def test_a_host_with_a_slow_link(tmp_path: Path) -> None:
    """Alone in its subnet; by its rate, or by what short messages take."""
    alone = [0, 0, 0, 0, 0, 0, 0, 1]
    slow = document(alone)
    for name, check, figures in (
        ("rate", "slow-link", (3e-4, 4e-2)),
        ("time", "slow-host", (3e-3, 1.6e-2)),
    ):
        for size, times in enumerate((figures[0], figures[0], figures[1])):
            for host in range(7):
                rows = slow["minimum"][size]
                rows[7][host] = rows[host][7] = times
        found = only(doctor(tmp_path, profile=slow))
        assert (found["check"], found["where"]) == (check, ["n7"]), name


def test_an_asymmetric_link(tmp_path: Path) -> None:
    odd = {"hosts": [2, 6], "what": "asymmetric", "factor": 3.0}
    result = doctor(tmp_path, profile=document() | {"odd": [odd]})
    assert result.returncode == 10
    assert (only(result)["check"], only(result)["where"]) == ("asymmetric-link", ["n2", "n6"])
    assert "3.0 times" in only(result)["cost"]


def test_a_busy_host(tmp_path: Path) -> None:
    """By its load only where not all are busy."""
    quiet = {"processor_share": 0.9, "load": 0.5, "processors": 4}
    for change, is_told in (({"processor_share": 0.2}, True), ({"load": 3.5}, False)):
        hosts = dict.fromkeys(HOSTS, quiet) | {"n6": quiet | change}
        result = doctor(tmp_path, told(**hosts))
        assert (only(result)["check"], only(result)["where"]) == ("busy-host", ["n6"])
        assert result.returncode == 10
        busy = {host: told | {"processors": 2, "load": 12.0} for host, told in hosts.items()}
        assert checks(doctor(tmp_path, told(**busy))) == (["busy-host"] if is_told else [])
    hosts = dict.fromkeys(HOSTS, quiet) | {"n6": quiet | {"processor_share": 0.3}}
    assert checks(doctor(tmp_path, told(**hosts))) == []
    hosts["n6"] = quiet | {"processor_share": 0.1}
    for other, named in ((6, ["busy-host"]), (5, ["asymmetric-link", "busy-host"])):
        odd = {"hosts": [2, other], "what": "asymmetric", "factor": 3.0}
        result = doctor(tmp_path, told(**hosts), None, document() | {"odd": [odd]})
        assert sorted(checks(result)) == named, "a link to a busy host says nothing of itself"


def test_order_of_ranks(tmp_path: Path) -> None:
    """Every second rank at another end of a slow link."""
    profile = document([0, 1, 0, 1, 0, 1, 0, 1], across=3e-3) | {"ring": [0, 2, 4, 6, 1, 3, 5, 7]}
    result = doctor(tmp_path, profile=profile)
    assert result.returncode == 10
    assert only(result)["check"] == "rank-order"


def test_no_order_is_better_in_one_subnet(tmp_path: Path) -> None:
    """Though some pairs were slower when they were timed, and the ring leaves them out."""
    profile = document([0] * 8) | {"ring": [0, 2, 1, 3, 5, 4, 6, 7]}
    for a, b in ((0, 1), (2, 3), (3, 4), (5, 6), (7, 0)):
        profile["minimum"][1][a][b] = profile["minimum"][1][b][a] = 2e-2
    assert checks(doctor(tmp_path, profile=profile)) == []


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
    monkeypatch.setattr("eco.doctor.cli._patience", lambda _: 0.3)
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
    start = tmp_path / "mpirun"
    start.write_text(
        f'#!/bin/sh\n[ "$OMPI_MCA_btl_tcp_if_include" = 10.9.0.0/24 ] && exec {sound.path} "$@"\n'
        f'exec {failed.path} "$@"\n'
    )
    start.chmod(0o755)
    result = eco("doctor", "--json", "--", start)
    assert (checks(result), result.returncode) == (["several-networks", "unreachable"], 11)
    assert "--mca btl_tcp_if_include 10.9.0.0/24" in json.loads(result.stdout)["findings"][0]["do"]
    one = launcher(tmp_path / "one", lines("facts", *told()), code=1)
    assert checks(eco("doctor", "--json", "--", one.path)) == ["not-measured"]


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
    text = lines("facts", *told()) + '@eco-host {"facts": {"host@eco-host {"link": 3}\n'
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

    def run(*given: Any, **_: Any) -> None:
        pass_on, patience = given[5], given[6]
        asked.append(patience())
        pass_on(lines("facts", told()[0] | {"ranks": 64}).rstrip())
        asked.append(patience())
        pass_on(lines("facts", told()[1] | {"ranks": 10**6}).rstrip())
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
