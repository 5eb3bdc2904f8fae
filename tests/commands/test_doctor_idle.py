# SPDX-License-Identifier: BSD-3-Clause
"""`eco doctor`: connections that begin slowly again after a rest."""

import json
from pathlib import Path
from typing import Any

import pytest
from commands_harness import document, model
from doctor_harness import HOSTS, checks, doctor, nic, only, told
from eco.zipped import zipped

pytestmark = pytest.mark.usefixtures("doctor_store")


def sites(delay: float, rate: float) -> dict[str, Any]:
    """A profile of five hosts and, `delay` away and over links of `rate` bytes/s, three others."""
    apart = document([0, 0, 0, 0, 0, 1, 1, 1])
    for size, times in zipped(apart["parameters"]["sizes"], apart["minimum"]):
        for a in range(5):
            for b in range(5, 8):
                times[a][b] = times[b][a] = delay + size / rate
    return apart


RESTS = {"slow_start_after_idle": True, "congestion_control": "cubic"}


def test_connections_that_begin_slowly_again(tmp_path: Path) -> None:
    """Between sites far apart; at both ends, for either sends."""
    hosts = told(**{host: RESTS for host in HOSTS if host != "n6"})
    found = only(doctor(tmp_path, hosts, profile=sites(20e-3, 2.5e6)))
    assert (found["check"], found["severity"]) == ("idle-connections", "warning")
    assert found["where"] == [host for host in HOSTS if host != "n6"]
    # 10 segments of 1,448 bytes, then 20 and 40: waits of 34.2, 28.4 and 16.8 ms.
    assert "14.5 kB per round trip" in found["what"]
    assert "can have 100 kB under way (40.0 ms, 20.0 Mbit/s)" in found["what"]
    assert "a message of 256 kB takes 202 ms there instead of 122 ms" in found["cost"]
    assert "sysctl -w net.ipv4.tcp_slow_start_after_idle=0" in found["do"]
    one = told(n6=RESTS)
    assert only(doctor(tmp_path, one, profile=sites(20e-3, 2.5e6)))["where"] == ["n6"]
    each_alone = sites(20e-3, 2.5e6) | {"levels": [[0] * 8]}  # each host at a site of its own
    for times in each_alone["minimum"]:
        for a, row in enumerate(times):
            row[:] = [0.0 if a == b else times[0][7] for b in range(8)]
    assert "idle-connections" in checks(doctor(tmp_path, hosts, profile=each_alone))


def test_pairs_that_were_timed_badly_are_not_far_apart(tmp_path: Path) -> None:
    """Their shortest messages took long, so the rate seems high."""
    hosts = told(**dict.fromkeys(HOSTS, RESTS))
    profile = sites(10e-3, 2.5e6)
    least, most = profile["minimum"][0], profile["minimum"][-1]
    for a in range(4):
        for b in range(5, 8):
            least[a][b] = least[b][a] = most[a][b] - 1e-3
    assert checks(doctor(tmp_path, hosts, profile=profile)) == []
    uplinks = model([0, 0, 0, 0, 0, 1, 1, 1])
    for medium in uplinks["media"]:
        medium["uplink"] = 6e5
    slow = sites(20e-3, 2.5e6) | {"model": uplinks}
    assert checks(doctor(tmp_path, hosts, profile=slow)) == []


@pytest.mark.parametrize(
    ("facts", "delay", "rate"),
    [
        ({}, 20e-3, 2.5e6),  # not told
        (RESTS | {"slow_start_after_idle": False}, 20e-3, 2.5e6),
        (RESTS | {"congestion_control": "bbr"}, 20e-3, 2.5e6),
        (RESTS, 20e-3, 6e5),  # the first window fills two thirds of it
        (RESTS, 4e-3, 2.5e6),
        (RESTS, 30e-6, 1.2e9),  # fast, and near each other
        (RESTS | {"interfaces": [nic("eth0", "10.9.0.1", mtu=9000)]}, 20e-3, 2.5e6),
    ],
)
def test_connections_whose_rest_costs_little(
    tmp_path: Path, facts: dict[str, Any], delay: float, rate: float
) -> None:
    hosts = {host: dict(facts) for host in HOSTS}
    for number, each in enumerate(hosts.values()):
        if "interfaces" in each:
            each["interfaces"] = [each["interfaces"][0] | {"address": f"10.9.0.{number + 1}"}]
    assert checks(doctor(tmp_path, told(**hosts), profile=sites(delay, rate))) == []


STORAGE = nic("eth1", "10.8.0.9", mtu=9000)


@pytest.mark.parametrize("shared", [True, False])
def test_a_fast_network_for_storage_does_not_join_the_sites(tmp_path: Path, shared: bool) -> None:
    """Its NICs take longer packets than those that the sites' connections use; or where routers
    are between, nobody knows which are used."""
    hosts = {}
    for number, host in enumerate(HOSTS):
        site = 0 if number < 5 or shared else 1
        used = nic("eth0", f"10.9.{site}.{number + 1}")
        storage = STORAGE | {"address": f"10.8.{int(number >= 5)}.{number + 1}"}
        hosts[host] = RESTS | {"interfaces": [used, storage]}
    result = doctor(tmp_path, told(**hosts), profile=sites(20e-3, 2.5e6))
    (found,) = [
        each for each in json.loads(result.stdout)["findings"]
        if each["check"] == "idle-connections"
    ]  # fmt: skip
    assert "14.5 kB per round trip" in found["what"]
