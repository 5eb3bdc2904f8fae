# SPDX-License-Identifier: BSD-3-Clause
"""`eco doctor`: what it concludes from what hosts told and what was measured."""

import json
from pathlib import Path
from typing import Any

import pytest
from commands_harness import DONE, complaint, document, eco, launcher, model, rails
from doctor_harness import HOSTS, checks, counted, doctor, nic, only, timed_again, told, way

pytestmark = pytest.mark.usefixtures("doctor_store")


def test_sound_hosts_without_a_profile(tmp_path: Path) -> None:
    result = doctor(tmp_path)
    assert result.returncode == 0
    (found,) = json.loads(result.stdout)["findings"]
    assert (found["check"], found["severity"]) == ("no-profile", "note")


def test_sound_hosts_with_theirs(tmp_path: Path, doctor_store: Path) -> None:
    (doctor_store / "kept.json").write_text(json.dumps(document()))
    result = doctor(tmp_path)
    assert result.returncode == 0
    assert json.loads(result.stdout) == {"hosts": HOSTS, "findings": [], "exit_code": 0}


def test_a_profile_without_some_hosts(tmp_path: Path) -> None:
    known = tmp_path / "known.json"
    known.write_text(json.dumps(document([0, 0, 0, 1, 1, 1])))
    result = doctor(tmp_path, None, None, None, "--topology", known)
    assert result.returncode == 11
    assert (only(result)["check"], only(result)["where"]) == ("other-hosts", ["n6", "n7"])


def test_a_network_that_has_changed(tmp_path: Path, doctor_store: Path) -> None:
    (doctor_store / "kept.json").write_text(json.dumps(document()))
    result = doctor(tmp_path, profile=document(across=1.2e-3))
    assert result.returncode == 10
    found = only(result)
    assert found["check"] == "changed"
    assert "21 of 28 pairs" in found["what"]
    assert "2.00 times as long" in found["cost"]


def racks(uplink: float | None) -> dict[str, Any]:
    """Two racks of four, of which the first has an uplink."""
    halves = [0, 0, 0, 0, 1, 1, 1, 1]
    found = document(halves)
    found["model"] = model(halves)
    for medium, own in zip(found["model"]["media"], (uplink, None), strict=True):
        medium.update(kind="switch", uplink=own, found_by="capacity")
    return found


@pytest.mark.parametrize(
    ("before", "now", "said"),
    [
        (2e6, 1.9e6, None),
        (None, None, None),
        (2e6, 1e6, "each way: 17.1 Mbit/s in the profile, now 8.54 Mbit/s"),
        (2e6, None, "each way: 17.1 Mbit/s in the profile, now nothing that hosts share"),
        (None, 2e6, "each way: nothing that hosts share in the profile, now 17.1 Mbit/s"),
    ],
)
def test_an_uplink_that_has_changed(
    tmp_path: Path, doctor_store: Path, before: float | None, now: float | None, said: str | None
) -> None:
    (doctor_store / "kept.json").write_text(json.dumps(racks(before)))
    result = doctor(tmp_path, profile=racks(now))
    assert result.returncode == (10 if said else 0), result.stdout
    if said:
        found = only(result)
        assert (found["check"], found["where"]) == ("uplink", HOSTS[:4])
        assert said in found["what"]


@pytest.mark.parametrize(("now", "code"), [(1.9e6, 0), (1e6, 10)])
def test_uplinks_alone(tmp_path: Path, now: float, code: int) -> None:
    known = tmp_path / "known.json"
    known.write_text(json.dumps(racks(2e6)))
    carried = {"hosts": [0, 1, 2, 3], "out": now, "in": 1.9e6}
    start = launcher(tmp_path, [{"event": "uplinks", "uplinks": [carried]}, DONE])
    words = ("doctor", "--uplinks", "--topology", known)
    result = eco(*words, "--json", "--", start.path)
    assert result.returncode == code, result.stderr
    report = json.loads(result.stdout)
    assert [each["hosts"] for each in report["uplinks"]] == [HOSTS[:4]]
    assert report["uplinks"][0]["now"]["out"] < report["uplinks"][0]["profile"]["out"]
    assert [each["check"] for each in report["findings"]] == (["uplink"] if code else [])
    assert start.options == ["uplinks", "--profile", "-"]
    said = eco(*words, "--", start.path)
    assert "n0–n3: uplink " in said.stdout and "(profile: 17.1 Mbit/s)" in said.stdout
    assert ("warning: " in said.stdout) == (code > 0)


def test_uplinks_of_a_profile_without_any(tmp_path: Path) -> None:
    known = tmp_path / "known.json"
    known.write_text(json.dumps(racks(None)))
    start = launcher(tmp_path, [DONE])
    result = eco("doctor", "--uplinks", "--topology", known, "--", start.path)
    assert result.returncode == 3
    assert "no uplink that streams" in complaint(result)


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


def test_rails_that_are_no_networks_of_ip(tmp_path: Path) -> None:
    """As over verbs: no setting names them, and they end no check."""
    unequal = rails()
    for rail in unequal["rails"]:
        rail["network"] = f"IB-0xfe80000000000000 {rail['cards'][0]}"
    assert checks(doctor(tmp_path, profile=document() | {"rails": unequal})) == []


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
    assert "messages of 65,536 B" in found["cost"]
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
    assert "MPI_Reduce of 1,024 B and then MPI_Bcast of 1,024 B" in found["what"]
    assert "62.0 ms instead of 27.0 ms: 2.3 times" in found["cost"]
    assert "coll_tuned_allreduce_algorithm" in found["do"]
    busy = {host: {"load": 9.0, "processors": 2} for host in HOSTS}
    times = [*slow, took("allreduce", 1024, 0.062, 0.09)]
    assert checks(doctor(tmp_path, told(**busy), times=times)) == []
    lossy = counted(n2={"sent_again": 90})  # which may hit any run of any collective
    assert checks(doctor(tmp_path, None, lossy, times=times)) == ["losses"]
    for broken, instead in (
        (took("gather", 1024, 0.08), "MPI_Allgather of 1,024 B"),
        (took("bcast", 64, 0.1), "MPI_Bcast of 1,024 B"),
        (took("bcast", 16384, 0.4), "16 times MPI_Bcast of 1,024 B"),
        (took("allgather", 2048, 0.2), "2 times MPI_Allgather of 1,024 B"),
    ):
        known = [(each["operation"], each["bytes"]) for each in (broken,)]
        rest = [each for each in sound if (each["operation"], each["bytes"]) not in known]
        assert instead in only(doctor(tmp_path, times=[*rest, broken]))["what"]


def test_a_host_with_a_slow_link(tmp_path: Path) -> None:
    """Alone in its subnet; by its rate, or by what short messages take."""
    alone = [0, 0, 0, 0, 0, 0, 0, 1]
    slow = document(alone)
    for check, figures, factors in (
        ("slow-link", (3e-4, 4e-2), {"long": 4.0}),
        ("slow-host", (3e-3, 1.6e-2), {"short": 10.0}),
    ):
        for size, times in enumerate((figures[0], figures[0], figures[1])):
            for host in range(7):
                rows = slow["minimum"][size]
                rows[7][host] = rows[host][7] = times
        found = only(doctor(tmp_path, profile=slow, again=(timed_again("n7", **factors),)))
        assert (found["check"], found["where"]) == (check, ["n7"])
        once_off = timed_again("n7", **factors, odd=1, beside=1)
        assert checks(doctor(tmp_path, profile=slow, again=(once_off,))) == [check]
        # What a busy machine does to one look it does not do to the second.
        for unsure in (
            (),
            (timed_again("n7"),),
            (timed_again("n7", **factors, odd=2),),
            (timed_again("n7", **factors, beside=2),),
            (timed_again("n6", **factors),),
        ):
            assert checks(doctor(tmp_path, profile=slow, again=unsure)) == []


def test_an_asymmetric_link(tmp_path: Path) -> None:
    odd = {"hosts": [2, 6], "what": "asymmetric", "factor": 3.0}
    result = doctor(tmp_path, profile=document() | {"odd": [odd]})
    assert result.returncode == 10
    assert (only(result)["check"], only(result)["where"]) == ("asymmetric-link", ["n2", "n6"])
    assert "3.0 times" in only(result)["cost"]


def test_others_traffic(tmp_path: Path) -> None:
    """Worth knowing; nothing is wrong."""
    heard = [{"host": 2, "sent": 625e3, "received": 0.0}]
    result = doctor(tmp_path, profile=document() | {"others_traffic": heard})
    assert result.returncode == 0
    assert (only(result)["check"], only(result)["where"]) == ("others-traffic", ["n2"])
    assert "n2 sends 5.00 Mbit/s" in only(result)["what"]


def test_a_busy_host(tmp_path: Path) -> None:
    """By its load only where not all are busy."""
    quiet = {"processor_share": 0.9, "load": 0.5, "processors": 4}
    after = counted({"n0": 1.0, "n1": 1.0, "n6": 0.2})
    for change, is_told in (({"processor_share": 0.2}, True), ({"load": 3.5}, False)):
        hosts = dict.fromkeys(HOSTS, quiet) | {"n6": quiet | change}
        result = doctor(tmp_path, told(**hosts), after)
        assert (only(result)["check"], only(result)["where"]) == ("busy-host", ["n6"])
        assert result.returncode == 10
        busy = {host: told | {"processors": 2, "load": 12.0} for host, told in hosts.items()}
        assert checks(doctor(tmp_path, told(**busy), after)) == (["busy-host"] if is_told else [])
    hosts = dict.fromkeys(HOSTS, quiet) | {"n6": quiet | {"processor_share": 0.3}}
    assert checks(doctor(tmp_path, told(**hosts), after)) == []
    hosts["n6"] = quiet | {"processor_share": 0.1}
    for other, named in ((6, ["busy-host"]), (5, ["asymmetric-link", "busy-host"])):
        odd = {"hosts": [2, other], "what": "asymmetric", "factor": 3.0}
        result = doctor(tmp_path, told(**hosts), after, document() | {"odd": [odd]})
        assert sorted(checks(result)) == named, "a link to a busy host says nothing of itself"


def test_hosts_that_share_a_busy_machine(tmp_path: Path) -> None:
    """Little of a processor counts if it is little at the second look too, compared with others
    then; and loads of one machine are read at different moments."""
    quiet = {"processor_share": 0.4, "load": 0.5, "processors": 2, "machine": "a"}
    hosts = dict.fromkeys(HOSTS, quiet) | {"n6": quiet | {"processor_share": 0.05}}
    for again, is_told in (
        ({"n0": 1.0, "n1": 0.9, "n6": 0.1}, True),
        ({"n0": 1.0, "n1": 0.9, "n6": 0.5}, False),
        ({"n0": 0.2, "n1": 0.3, "n6": 0.1}, False),
        ({"n6": 0.1}, False),
        ({}, False),
    ):
        result = doctor(tmp_path, told(**hosts), counted(again))
        assert checks(result) == (["busy-host"] if is_told else [])
    hosts["n6"] = quiet | {"load": 6.0}
    assert checks(doctor(tmp_path, told(**hosts))) == []
    hosts["n6"] = quiet | {"load": 6.0, "machine": "b"}
    assert checks(doctor(tmp_path, told(**hosts))) == ["busy-host"]


def test_order_of_ranks(tmp_path: Path) -> None:
    """Every second rank at another end of a slow link."""
    profile = document([0, 1, 0, 1, 0, 1, 0, 1], across=3e-3) | {"ring": [0, 2, 4, 6, 1, 3, 5, 7]}
    result = doctor(tmp_path, profile=profile, orders={"given": 0.06, "ring": 0.03})
    assert result.returncode == 10
    assert only(result)["check"] == "rank-order"
    assert "2.0 times" in only(result)["cost"]
    for once_more in ({"given": 0.03, "ring": 0.03}, None):  # it was the times that were off
        assert checks(doctor(tmp_path, profile=profile, orders=once_more)) == []


def test_no_order_is_better_in_one_subnet(tmp_path: Path) -> None:
    """Though some pairs were slower when they were timed, and the ring leaves them out."""
    profile = document([0] * 8) | {"ring": [0, 2, 1, 3, 5, 4, 6, 7]}
    for a, b in ((0, 1), (2, 3), (3, 4), (5, 6), (7, 0)):
        profile["minimum"][1][a][b] = profile["minimum"][1][b][a] = 2e-2
    assert checks(doctor(tmp_path, profile=profile)) == []
