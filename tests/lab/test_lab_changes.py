# SPDX-License-Identifier: BSD-3-Clause
"""What changes while a program runs: links, networks, slow hosts, background traffic."""

import json
import statistics
import sys
from pathlib import Path
from typing import Any

import pytest
from eco.errors import EcoError
from eco.lab.change import plan
from eco.lab.load import load
from eco.lab.wiring import difference, wire
from lab_harness import HERE, lab, needs_quiet_lab

BUSES = load("three-segments")
SITES = load("two-sites")
TWO = """
networks:
  a: {kind: bus, rate: 10mbit, hosts: [n0, x-1]}
  b: {kind: switch, rate: 100mbit, hosts: [n1, x-2]}
links:
  - {between: [a, b]}
"""


@pytest.fixture
def two(tmp_path: Path) -> Path:
    path = tmp_path / "two.yaml"
    path.write_text(TWO)
    return path


def flow(scenario: Path, seconds: float, *words: str) -> tuple[dict[int, Any], str]:
    """What flow.py's two ranks say, and standard error."""
    program = [sys.executable, HERE / "flow.py", str(seconds)]
    mpi = ["--mpi", "openmpi", "--native", "--np", "2"]
    done = lab("run", scenario, *mpi, *words, "--", *program)
    assert done.returncode == 0, done.stderr
    ranks = [json.loads(line) for line in done.stdout.splitlines()]
    return {said["rank"]: said for said in ranks}, done.stderr


def test_later_states() -> None:
    changes = plan(
        SITES,
        ["2s network east rate=10mbit", "0.5s link east-west delay=1s loss=1% burst=2"],
        ["n3-n0:5mbit"],
    )
    assert [change.at for change in changes] == [0, 0.5, 2]
    stream, link, network = changes
    assert stream.stream is not None
    assert stream.stream.rate == 5e6
    assert (
        link.said
        == "link west-east: delay 1000 ms (was 20 ms), loss 1 % (was 0 %), burst 2 (was 1)"
    )
    assert network.network.links[0].loss == 0.01
    assert [n.rate for n in network.network.networks] == [100e6, 10e6]


def test_a_change_keeps_all_interfaces() -> None:
    (change,) = plan(BUSES, ["1s link a-b-c rate=2mbit"], [])
    steps = difference(wire(BUSES, [change.network]), wire(change.network, [change.network]))
    # Both ends of each bus's way into the bridge, and nothing else.
    assert len(steps.shaping) == 6
    assert all(line.startswith("qdisc replace dev ") for line in steps.shaping)
    assert not steps.relays
    assert not any(steps.host_shaping)
    (router,) = plan(SITES, ["1s link east-west multicast=no"], [])
    assert router.said == "link west-east: multicast no (was yes)"
    steps = difference(wire(SITES, [router.network]), wire(router.network, [router.network]))
    assert len(steps.routers) == 2
    assert all(line.endswith("mcast_flood off") for line in steps.routers)
    assert not steps.shaping
    (slower,) = plan(SITES, ["1s network west rate=10mbit"], [])
    before, after = (wire(state, [slower.network]) for state in (SITES, slower.network))
    assert before.links == after.links
    steps = difference(before, after)
    # Frames take their time on a slow wire, so its hosts have relays from the beginning.
    assert [pair.rate_to_right for pair in steps.relays] == [10e6] * 5
    assert [bool(lines) for lines in steps.host_shaping] == [True] * 4 + [False] * 4


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("5 link a-b-c rate=2mbit", "'5' is not a time (write it as 500ms, 5s or 2min)"),
        ("5s link a-x rate=2mbit", "three-segments has no link 'a-x'; its links are a-b-c"),
        ("5s link a-b-c rate=2", "'2' is not a rate"),
        ("5s link a-b-c speed=2mbit", "what can be set of a link, once each: back=, burst=, "),
        ("5s link a-b-c back=2mbit", "link a-b-c has no rate; back= needs one beside it"),
        ("5s link a-b-c rate=1mbit rate=2mbit", "'rate=2mbit': what can be set of a link, once"),
        ("5s link a-b-c multicast=maybe", "'maybe' must be yes or no"),
        ("5s network d rate=2mbit", "no network 'd'; its networks are a, b, c"),
        ("5s host n8 slow=2", "no host 'n8'; its hosts are n0, n1, n2, n3, n4, n5, n6, n7"),
        ("5s host n7 slow=0.5", "slow=0.5: must be a number of 1 (full speed) to 1000"),
        ("5s traffic n0-n8 rate=1mbit", "no host 'n8'"),
        ("5s traffic n0-n0 rate=1mbit", "must go from one host to another"),
        ("5s router a rate=1mbit", "'router' must be one of 'link A-B rate=2mbit'"),
        ("5s link", "must be a time and one of 'link A-B rate=2mbit'"),
        ("25h link a-b-c rate=2mbit", "'25h' is not a time"),
        ("2000min link a-b-c rate=2mbit", "'2000min' is later than a day"),
    ],
)
def test_complaints(text: str, said: str) -> None:
    with pytest.raises(EcoError) as caught:
        plan(BUSES, [text], [])
    assert said in caught.value.message
    assert text in caught.value.message
    assert int(caught.value.code) == 2


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("n0-n1", "must name two hosts and a rate, as n0-n1:5mbit"),
        ("n0:5mbit", "'n0' must name two hosts, as n0-n1"),
        ("n0-n1:5", "'5' is not a rate"),
        ("n0-n9:5mbit", "no host 'n9'"),
    ],
)
def test_complaints_about_traffic(text: str, said: str) -> None:
    with pytest.raises(EcoError) as caught:
        plan(BUSES, [], [text])
    assert said in caught.value.message


def test_the_command_line_complains() -> None:
    done = lab("run", "three-segments", "--native", "--at", "5s", "link x rate=1mbit", "--", "true")
    assert done.returncode == 2
    assert done.stderr.startswith("eco: --at '5s link x rate=1mbit': three-segments has no link")
    assert len(done.stderr.splitlines()) == 1


class TestWithNamespaces:
    pytestmark = needs_quiet_lab

    def test_a_transfer_gets_slower(self, two: Path) -> None:
        ranks, heard = flow(two, 7, "--hosts", "2", "--at", "4s", "link a-b rate=2mbit")
        assert heard == "eco: after 4 s: link a-b: rate 2 Mbit/s (was full speed)\n"
        rates = ranks[0]["rates"]
        assert max(rates[:-4]) > 7
        assert statistics.median(rates[-3:]) < 2.5

    def test_a_bus_gets_slower(self, two: Path) -> None:
        ranks, _ = flow(two, 2, "--at", "0s", "network a rate=1mbit")
        assert statistics.median(ranks[0]["rates"]) < 1.5

    def test_bundled_links_get_slower(self, two: Path) -> None:
        bundle = "between: [a, b], rate: 8mbit, members: 2"
        two.write_text(two.read_text().replace("between: [a, b]", bundle))
        ranks, heard = flow(two, 7, "--hosts", "2", "--at", "4s", "link a-b rate=2mbit")
        assert heard == "eco: after 4 s: link a-b: rate 2 Mbit/s (was 8 Mbit/s)\n"
        rates = ranks[0]["rates"]
        assert 3 < statistics.median(rates[1:6]) < 4.5
        assert statistics.median(rates[-3:]) < 1.3

    def test_traffic_takes_its_share(self, two: Path) -> None:
        alone, _ = flow(two, 2.5)
        beside, heard = flow(two, 2.5, "--traffic", "x-2-n0:4mbit")
        assert heard == "eco: after 0 s: traffic x-2-n0: 4 Mbit/s\n"
        taken = statistics.median(alone[0]["rates"]) - statistics.median(beside[0]["rates"])
        assert 3 < taken < 5

    def test_a_slow_host(self, two: Path) -> None:
        ranks, _ = flow(two, 0.1, "--at", "0s", "host x-1 slow=4")
        assert 0 < ranks[1]["share"] < 0.4

    def test_a_time_after_the_end(self, two: Path) -> None:
        _, heard = flow(two, 0.1, "--at", "1min", "host n1 slow=4")
        assert heard == ""
