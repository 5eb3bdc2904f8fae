# SPDX-License-Identifier: BSD-3-Clause
"""Which rates of a scenario the lab tries before it starts a program, and by which streams."""

from pathlib import Path

import pytest
from eco.lab.load import load, shipped_names
from eco.lab.scenario import Scenario

from eco.lab import self_check


def _scenario(path: Path, networks: str) -> Scenario:
    path = path / "net.yaml"
    path.write_text(f"networks:\n{networks}")
    return load(str(path))


@pytest.mark.parametrize(
    ("networks", "fast"),
    [
        ("  a: {kind: switch, rate: 1gbit, hosts: [x, y]}\n", None),
        ("  a: {kind: switch, rate: 1gbit, hosts: [x, y, z]}\n", "a"),
        ("  a: {kind: switch, rate: 100gbit, hosts: [x]}\n", None),
        # A bus carries its rate, however many hosts it has.
        ("  a: {kind: bus, rate: 1gbit, hosts: [x, y, z]}\n", None),
        ("  a: {kind: bus, rate: 3gbit, hosts: [x, y, z]}\n", "a"),
        # Ports of other rates count as they are.
        ("  a: {kind: switch, rate: 2gbit, hosts: [x, y], ports: {x: 1mbit, y: 1mbit}}\n", None),
        ("  a: {kind: switch, rate: 1mbit, hosts: [x, y], ports: {x: 9gbit, y: 9gbit}}\n", "a"),
        # Only first NICs send.
        (
            "  a: {kind: switch, rate: 1mbit, hosts: [x, y]}\n"
            "  b: {kind: switch, rate: 100gbit, hosts: [x, y]}\n",
            None,
        ),
        # All hosts together count.
        (
            "  a: {kind: switch, rate: 1.1gbit, hosts: [x, y]}\n"
            "  b: {kind: switch, rate: 1gbit, hosts: [p, q, r, s]}\n"
            "links: [{between: [a, b]}]\n",
            "b",
        ),
    ],
)
def test_what_is_tried(networks: str, fast: str | None, tmp_path: Path) -> None:
    found = self_check.fast_network(_scenario(tmp_path, networks))
    assert (found and found.name) == fast


def test_no_scenario_of_ours_is_so_fast() -> None:
    assert [name for name in shipped_names() if self_check.fast_network(load(name))] == []


def test_streams_are_as_fast_as_both_ports(tmp_path: Path) -> None:
    network = "  a: {kind: switch, rate: 2gbit, hosts: [x, y, z], ports: {y: 1gbit}}\n"
    scenario = _scenario(tmp_path, network)
    streams = self_check.streams(scenario, scenario.networks[0])
    assert [(s.source, s.target, s.rate) for s in streams] == [
        ("x", "y", 1e9),
        ("y", "z", 1e9),
        ("z", "x", 2e9),
    ]
