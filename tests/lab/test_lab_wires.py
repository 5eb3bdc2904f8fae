"""The emulated wires keep their rates and delays; plain sockets, no MPI."""

import statistics
from pathlib import Path

import pytest
from lab_harness import needs_lab, wires

pytestmark = needs_lab
# TCP's goodput of a wire's rate is 95 %; a busy test machine takes a little more.
GOODPUT = 0.95


def near(value: float, wanted: float) -> bool:
    return 0.8 * wanted <= value <= 1.05 * wanted


def test_a_bus_is_shared_and_others_are_not_disturbed() -> None:
    one, two, other = wires(
        "three-segments", flows=[["n0", "n1"], ["n2", "n1"], ["n3", "n4"]], seconds=2
    )
    assert near(one + two, 10e6 * GOODPUT)
    assert 0.5 < one / two < 2
    assert near(other, 10e6 * GOODPUT)


def test_a_flow_between_buses_pays_on_both() -> None:
    crossing, first, second = wires(
        "three-segments", flows=[["n0", "n3"], ["n1", "n2"], ["n4", "n5"]], seconds=2
    )
    assert near(crossing + first, 10e6 * GOODPUT)
    assert near(crossing + second, 10e6 * GOODPUT)


def test_switch_ports_are_their_own() -> None:
    disjoint = wires("switched-8", flows=[["n0", "n1"], ["n2", "n3"]], seconds=1.5)
    assert all(near(rate, 10e6 * GOODPUT) for rate in disjoint)


@pytest.mark.parametrize("flows", [[["n0", "n1"], ["n2", "n1"]], [["n0", "n1"], ["n0", "n2"]]])
def test_switch_ports_are_limited_each_way(flows: list[list[str]]) -> None:
    rates = wires("switched-8", flows=flows, seconds=2.5)
    assert near(sum(rates), 10e6 * GOODPUT)


def test_a_quiet_host_sends_to_one_after_the_other() -> None:
    pairs = [["n0", f"n{n}"] for n in range(1, 8)]
    taken = wires("switched-8", salvo=pairs, bytes=3000)
    # The bucket lets two full frames pass at once.
    assert 5 * 3000 * 8 / 10e6 <= taken < 14 * 3000 * 8 / 10e6


def test_quiet_stations_share_their_bus() -> None:
    pairs = [["n0", "n1"], ["n1", "n2"], ["n2", "n0"]]
    taken = wires("three-segments", salvo=pairs, bytes=3000)
    assert 2 * 3000 * 8 / 10e6 <= taken < 6 * 3000 * 8 / 10e6


def test_wide_area() -> None:
    trips = wires("two-sites", echo=["n0", "n4"], times=10)
    assert 0.040 <= statistics.median(trips) < 0.050
    assert statistics.median(wires("two-sites", echo=["n0", "n1"], times=10)) < 0.003
    (rate,) = wires("two-sites", flows=[["n0", "n4"]], seconds=3)
    assert near(rate, 20e6 * GOODPUT)


def test_scaled_rates() -> None:
    (rate,) = wires("three-segments", scale=10, flows=[["n0", "n3"]], seconds=1)
    assert near(rate, 100e6 * GOODPUT)


def test_no_frame_is_lost_or_doubled() -> None:
    assert wires("three-segments", frames=["n0", "n3"], times=100) == 100


def test_loss(tmp_path: Path) -> None:
    path = tmp_path / "lossy.yaml"
    path.write_text(
        "networks:\n"
        "  a: {kind: switch, rate: 100mbit, hosts: [x]}\n"
        "  b: {kind: switch, rate: 100mbit, hosts: [y]}\n"
        "links:\n"
        "  - {between: [a, b], loss: 30%}\n"
    )
    assert 90 <= wires(path, frames=["x", "y"], times=200) <= 190


def test_two_cards_are_two_wires(tmp_path: Path) -> None:
    path = tmp_path / "rails.yaml"
    path.write_text(
        "networks:\n"
        "  a: {kind: switch, rate: 20mbit, hosts: [x, y]}\n"
        "  b: {kind: switch, rate: 5mbit, hosts: [x, y]}\n"
    )
    fast, slow = wires(path, flows=[["x", "y", 0], ["x", "y", 1]], seconds=1.5)
    assert near(fast, 20e6 * GOODPUT)
    assert near(slow, 5e6 * GOODPUT)
