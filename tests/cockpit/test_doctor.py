# SPDX-License-Identifier: BSD-3-Clause
"""`eco doctor`: what it concludes from what hosts told and what was measured."""

import json
from pathlib import Path
from typing import Any

import pytest
from cockpit_harness import DONE, Outcome, complaint, document, eco, launcher, progress, rails

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


def doctor(
    folder: Path,
    before: list[dict[str, Any]] | None = None,
    after: list[dict[str, Any]] | None = None,
    profile: dict[str, Any] | None = None,
    *words: str | Path,
) -> Outcome:
    before = before or told()
    events: list[dict[str, Any]] = [progress(0.1), {"event": "facts", "ranks": before}]
    events += [{"event": "facts", "ranks": after or before}]
    events += [{"event": "profile", "profile": profile or document()}, DONE]
    start = launcher(folder / "bin", events, version="mpirun (Open MPI) 5.0.11")
    return eco("doctor", "--json", *words, "--", start.path)


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
    assert "2.0 times as long" in found["cost"]


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


def test_losses(tmp_path: Path) -> None:
    after = told(
        n2={"tcp": {"sent": 3000, "sent_again": 40}}, n5={"tcp": {"sent": 3000, "sent_again": 2}}
    )
    found = only(doctor(tmp_path, told(), after))
    assert (found["check"], found["where"]) == ("losses", ["n2"])
    assert "2 %" in found["what"]


def test_odd_hosts_and_links(tmp_path: Path) -> None:
    for odd, check in (
        ({"hosts": [2], "what": "slow", "factor": 3.0}, "slow-host"),
        ({"hosts": [2, 6], "what": "asymmetric", "factor": 3.0}, "asymmetric-link"),
    ):
        result = doctor(tmp_path, profile=document() | {"odd": [odd]})
        assert result.returncode == 10
        assert only(result)["check"] == check
        assert "3.0 times" in only(result)["cost"]


def test_order_of_ranks(tmp_path: Path) -> None:
    """Every second rank at another end of a slow link."""
    profile = document([0, 1, 0, 1, 0, 1, 0, 1], across=3e-3) | {"ring": [0, 2, 4, 6, 1, 3, 5, 7]}
    result = doctor(tmp_path, profile=profile)
    assert result.returncode == 10
    assert only(result)["check"] == "rank-order"


def test_what_was_told_before_measuring_failed(tmp_path: Path) -> None:
    error = {"event": "error", "message": "no way to n4", "code": 4}
    ranks = told(n4={"interfaces": [nic("eth0", "10.9.0.5", mtu=9000)]})
    start = launcher(tmp_path / "bin", [{"event": "facts", "ranks": ranks}, error], code=4)
    result = eco("doctor", "--", start.path)
    assert result.returncode == 11
    first, second = result.stdout.splitlines()
    assert "no way to n4" in first
    assert second.startswith("error: n4: the MTU in 10.9.0.0/24 is 9000, but 1500 on most hosts")


def test_bad_input(tmp_path: Path) -> None:
    assert eco("doctor").returncode == 2
    start = launcher(tmp_path / "bin", [{"event": "facts", "ranks": [{"host": 1}]}, DONE])
    result = eco("doctor", "--", start.path)
    assert result.returncode == 4
    assert "invalid facts" in complaint(result)
    start = launcher(tmp_path / "bin", [{"event": "error", "message": "not here", "code": 4}])
    result = eco("doctor", "--", start.path)
    assert (result.returncode, complaint(result)) == (4, "eco: not here")
