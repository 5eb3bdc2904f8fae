# SPDX-License-Identifier: BSD-3-Clause
"""The emulated wires keep their rates and delays; plain sockets, no MPI."""

import statistics
from pathlib import Path
from typing import Any

import pytest
from lab_harness import needs_quiet_lab, wires

pytestmark = needs_quiet_lab
# TCP's goodput of a wire's rate is 95 %; a busy test machine takes a little more.
GOODPUT = 0.95
TRIES = 3


def full(
    wanted: dict[tuple[int, ...], float], scenario: str | Path, scale: float = 1, **request: Any
) -> list[float]:
    """The flows' rates; `wanted` gives the rate of the wire that some of them share.

    More than its rate is an error in any try. Less is one only if no try reaches it: a machine
    whose processors are taken away sends a wire's frames late.
    """
    for _ in range(TRIES):
        rates: list[float] = wires(scenario, scale, **request)
        shares = [
            sum(rates[flow] for flow in flows) / (rate * GOODPUT) for flows, rate in wanted.items()
        ]
        assert max(shares) <= 1.05, shares
        if min(shares) >= 0.8:
            return rates
    raise AssertionError(f"a wire was never full; shares of its goodput at last: {shares}")


def at_once(scenario: str, pairs: list[list[str]], wanted: float, most: float) -> None:
    """3,000 bytes from and to each of `pairs` take as long as so many of them in turn: never less,
    and no more in one try, of a machine that is not busy."""
    one = 3000 * 8 / 10e6
    for _ in range(TRIES):
        taken = wires(scenario, salvo=pairs, bytes=3000)
        assert taken >= wanted * one
        if taken < most * one:
            return
    raise AssertionError(f"took {taken} s at last")


def test_a_bus_is_shared_and_others_are_not_disturbed() -> None:
    flows = [["n0", "n1"], ["n2", "n1"], ["n3", "n4"]]
    one, two, _ = full({(0, 1): 10e6, (2,): 10e6}, "three-segments", flows=flows, seconds=2)
    assert 0.5 < one / two < 2


def test_a_flow_between_buses_pays_on_both() -> None:
    flows = [["n0", "n3"], ["n1", "n2"], ["n4", "n5"]]
    full({(0, 1): 10e6, (0, 2): 10e6}, "three-segments", flows=flows, seconds=2)


def test_switch_ports_are_their_own_and_limited_each_way() -> None:
    """Two flows to one host, two from one host, and one of two others, all at once."""
    flows = [["n0", "n1"], ["n2", "n1"], ["n3", "n4"], ["n3", "n5"], ["n6", "n7"]]
    full({(0, 1): 10e6, (2, 3): 10e6, (4,): 10e6}, "switched-8", flows=flows, seconds=2.5)


def test_a_quiet_host_sends_to_one_after_the_other() -> None:
    # The bucket lets two full frames pass at once.
    at_once("switched-8", [["n0", f"n{n}"] for n in range(1, 8)], 5, 14)


def test_quiet_stations_share_their_bus() -> None:
    at_once("three-segments", [["n0", "n1"], ["n1", "n2"], ["n2", "n0"]], 2, 6)


def test_wide_area() -> None:
    trips = wires("two-sites", echo=["n0", "n4"], times=10)
    assert 0.040 <= statistics.median(trips) < 0.050
    assert statistics.median(wires("two-sites", echo=["n0", "n1"], times=10)) < 0.003
    full({(0,): 20e6}, "two-sites", flows=[["n0", "n4"]], seconds=3)


def test_a_link_with_another_rate_back(tmp_path: Path) -> None:
    path = tmp_path / "uneven.yaml"
    path.write_text(
        "networks:\n"
        "  a: {kind: switch, rate: 100mbit, hosts: [x]}\n"
        "  b: {kind: switch, rate: 100mbit, hosts: [y]}\n"
        "links:\n"
        "  - {between: [a, b], rate: 20mbit, back: 4mbit}\n"
    )
    # One after the other: TCP's acknowledgements wait where the other flow's data does.
    # Long enough that what had queued before the clock began weighs little.
    full({(0,): 20e6}, path, flows=[["x", "y"]], seconds=6)
    full({(0,): 4e6}, path, flows=[["y", "x"]], seconds=3)


def test_scaled_rates() -> None:
    full({(0,): 100e6}, "three-segments", scale=10, flows=[["n0", "n3"]], seconds=1)


def test_two_cards_are_two_wires(tmp_path: Path) -> None:
    path = tmp_path / "rails.yaml"
    path.write_text(
        "networks:\n"
        "  a: {kind: switch, rate: 20mbit, hosts: [x, y]}\n"
        "  b: {kind: switch, rate: 5mbit, hosts: [x, y]}\n"
    )
    flows = [["x", "y", 0], ["x", "y", 1]]
    full({(0,): 20e6, (1,): 5e6}, path, flows=flows, seconds=1.5)


TWO_SWITCHES = """
description: two switches
networks:
  a: {{kind: switch, rate: 100mbit{snooping}, hosts: [n0, n1, n2]}}
  b: {{kind: switch, rate: 100mbit{snooping}, hosts: [n3, n4, n5]}}
links:
  - {{between: [a, b]}}
"""


def heard(folder: Path, snooping: str, times: int, **request: Any) -> dict[str, list[int]]:
    """Of so many multicasts of n0, which n1 and n4 listen to, those that come to each host."""
    scenario = folder / "two.yaml"
    scenario.write_text(TWO_SWITCHES.format(snooping=snooping))
    arrived: dict[str, list[int]] = wires(
        scenario, groups="n0", members=["n1", "n4"], times=times, **request
    )
    return arrived


def test_a_switch_copies_multicasts_to_all(tmp_path: Path) -> None:
    arrived = heard(tmp_path, "", 5)
    assert all(numbers == [0, 1, 2, 3, 4] for numbers in arrived.values()), arrived


def test_a_switch_that_snoops_copies_them_to_who_listens(tmp_path: Path) -> None:
    arrived = heard(tmp_path, ", snooping: yes", 5)
    assert arrived["n1"] == arrived["n4"] == [0, 1, 2, 3, 4], arrived
    assert arrived["n2"] == arrived["n3"] == arrived["n5"] == [], arrived


def test_a_switch_without_a_querier_forgets(tmp_path: Path) -> None:
    """Until the hosts say again that they listen."""
    arrived = heard(tmp_path, ", snooping: 2s", 60, again=4.5)
    for host in ("n1", "n4"):
        numbers = set(arrived[host])
        assert set(range(5)) <= numbers, arrived
        assert not numbers & set(range(35, 44)), arrived
        assert set(range(50, 60)) <= numbers, arrived
    assert arrived["n2"] == arrived["n3"] == arrived["n5"] == [], arrived


WIFI = """
networks:
  a: {kind: bus, rate: 12mbit, multicast: {rate: 4mbit, loss: 20%}, hosts: [n0, n1, n2]}
  b: {kind: switch, rate: 12mbit, hosts: [n3]}
links:
  - {between: [a, b]}
"""


def test_a_wifi_cell_carries_multicasts_at_its_basic_rate_and_loses_some(tmp_path: Path) -> None:
    scenario = tmp_path / "wifi.yaml"
    scenario.write_text(WIFI)
    full({(0,): 12e6}, scenario, flows=[["n0", "n1"]], seconds=1)
    # More than the queue of the access point takes: it is full until the end.
    heard = wires(scenario, multicasts="n0", times=280, bytes=1400)
    (carried, seconds), others = heard["n3"], [heard[host][0] for host in ("n1", "n2")]
    assert carried * (1400 + 66) * 8 / seconds == pytest.approx(4e6, rel=0.25), heard
    assert all(0.6 * carried <= count <= 0.95 * carried for count in others), heard
    # From a switch, as many as the queue takes.
    heard = wires(scenario, multicasts="n3", times=25, bytes=1400)
    assert 25 <= heard["n1"][0] + heard["n2"][0] < 50, heard
