# SPDX-License-Identifier: BSD-3-Clause
"""Scenario files: what is read, and one sentence for each fault."""

import json
from pathlib import Path

import pytest
from eco.errors import EcoError, ExitCode
from eco.lab.change import plan
from eco.lab.draw import tree
from eco.lab.launch import place
from eco.lab.load import load, shipped_names
from eco.lab.mpi import PROJECT
from eco.lab.wiring import common_addresses, wire
from lab_harness import lab

from eco.lab import units

GOOD = """
networks:
  a: {kind: bus, rate: 10mbit, hosts: [n0, n1]}
  b: {kind: switch, rate: 1gbit, hosts: [n2]}
links:
  - {between: [a, b], rate: 20mbit, delay: 5ms, loss: 1%}
"""


def write(folder: Path, text: str) -> str:
    path = folder / "net.yaml"
    path.write_text(text)
    return str(path)


def test_what_is_read(tmp_path: Path) -> None:
    scenario = load(write(tmp_path, GOOD))
    assert scenario.hosts == ("n0", "n1", "n2")
    assert [n.rate for n in scenario.networks] == [1e7, 1e9]
    assert scenario.links[0].delay == 0.005
    assert scenario.links[0].loss == 0.01
    assert scenario.links[0].half.loss == pytest.approx(0.005, rel=0.01)
    assert scenario.scaled(10).networks[0].rate == 1e8
    assert scenario.scaled(10).links[0].rate == 2e8


def test_a_name_is_what_is_written(tmp_path: Path) -> None:
    """Not the truth, number, date or nothing that YAML takes it for."""
    names = ["no", "se", "on", "null", "08", "1e3", "0x1f", "2026-01-01"]
    first, second = ", ".join(names[:5]), ", ".join(names[5:])
    text = f"networks:\n  no: {{kind: switch, rate: 1gbit, hosts: [{first}]}}\n"
    text += f"  1e3: {{kind: bus, rate: 10mbit, hosts: [{second}]}}\n"
    text += "links:\n  - {between: [no, 1e3], multicast: NO}\ndefault_hosts: 3\n"
    scenario = load(write(tmp_path, text))
    assert scenario.hosts == tuple(names)
    assert [network.name for network in scenario.networks] == ["no", "1e3"]
    assert (scenario.links[0].multicast, scenario.default_hosts) == (False, 3)


def test_a_file_from_windows(tmp_path: Path) -> None:
    path = tmp_path / "net.yaml"
    for marked in (b"\xef\xbb\xbf" + GOOD.encode(), GOOD.encode("utf-16")):
        path.write_bytes(marked.replace(b"\n", b"\r\n") if marked[0] == 0xEF else marked)
        assert load(str(path)).hosts == ("n0", "n1", "n2")


def test_words_of_yaml_that_mean_yes_or_no(tmp_path: Path) -> None:
    for word in ("yes", "True", "on"):
        text = GOOD.replace("rate: 1gbit", f"rate: 1gbit, snooping: {word}")
        assert load(write(tmp_path, text)).networks[1].snooping
    merged = GOOD.replace("  b: {", "  b: {<<: {hosts: [n9]}, ").replace(", hosts: [n2]", "")
    assert load(write(tmp_path, merged)).hosts == ("n0", "n1", "n9")


def test_those_of_the_benches() -> None:
    files = (PROJECT / "bench/networks").glob("*.yaml")
    hosts = {path.stem: len(load(str(path)).hosts) for path in files}
    assert hosts == {"four-subnets": 10, "slower-first": 4, "three-sites": 14}


def test_a_link_with_another_rate_back(tmp_path: Path) -> None:
    text = GOOD.replace("rate: 20mbit", "rate: 20mbit, back: 4mbit")
    scenario = load(write(tmp_path, text))
    link = scenario.links[0]
    assert link.rates(0) == (2e7, 4e6)
    assert link.rates(1) == (4e6, 2e7)
    assert scenario.scaled(10).links[0].back == 4e7
    assert "20 Mbit/s from a, 4 Mbit/s back" in tree(scenario)


def test_a_frame_that_is_cut_through_is_delayed_once(tmp_path: Path) -> None:
    text = GOOD.replace("kind: bus", "kind: switch").replace("1gbit", "20mbit")
    through = text.replace("rate: 20mbit, hosts", "rate: 20mbit, forwarding: cut-through, hosts")
    delays = []
    for each in (text, through):
        relays = wire(load(write(tmp_path, each.replace(", delay: 5ms, loss: 1%", "")))).relays
        delays.append(
            sorted((bool(pair.rate_to_right), bool(pair.rate_to_left)) for pair in relays)
        )
    # Three hosts and the two ends of the link; the last host's switch and end cut through.
    assert delays == [[(True, True)] * 5, [(True, False)] + [(True, True)] * 3]


def test_ports_of_other_rates_and_what_is_to_be_found(tmp_path: Path) -> None:
    ports = GOOD.replace("rate: 1gbit,", "rate: 1gbit, ports: {n2: 2mbit},")
    scenario = load(write(tmp_path, ports + "truth: [{hosts: [n0, n1], uplink: 5mbit}]\n"))
    assert scenario.networks[1].rate_of("n2") == 2e6
    assert scenario.scaled(10).networks[1].rate_of("n2") == 2e7
    assert scenario.truth is not None
    assert [(each.hosts, each.uplink) for each in scenario.truth] == [(("n0", "n1"), 5e6)]
    assert "n2 2 Mbit/s" in tree(scenario)
    assert load(write(tmp_path, GOOD)).truth is None
    assert load(write(tmp_path, GOOD + "truth: []\n")).truth == ()


def test_slow_hosts(tmp_path: Path) -> None:
    scenario = load(write(tmp_path, GOOD + "slow: {n1: 3, n2: 1.5}\n"))
    assert scenario.slow == (("n1", 3.0), ("n2", 1.5))
    assert "n1  10.9.0.2, 3 times slower" in tree(scenario)
    assert scenario.with_hosts(1).slow == ()
    changes = plan(scenario, ["0s host n1 slow=1"], [])
    assert [(each.at, each.slow) for each in changes] == [
        (0, ("n1", 3)),
        (0, ("n2", 1.5)),
        (0, ("n1", 1)),
    ]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("kind: bus", "knd: bus", "unknown key 'knd' in network 'a'; did you mean 'kind'?"),
        ("networks:", "netwroks:", "unknown key 'netwroks' in the file; did you mean 'networks'?"),
        ("between:", "betwen:", "unknown key 'betwen' in link 1; did you mean 'between'?"),
        ("hosts: [n2]", "hosts: [n1]", "two hosts are named 'n1', or one has two NICs"),
        ("hosts: [n2]", "hosts: [n2, n2]", "network 'b': two hosts are named 'n2'"),
        ("links:", "default_hosts: 4\nlinks:", "default_hosts must be a number from 1 to 3"),
        ("between: [a, b]", "between: [a, c]", "link 1: unknown network 'c'"),
        ("between: [a, b]", "between: [a]", "link 1: 'between' must list two or more networks"),
        ("between: [a, b]", "between: [a, a]", "link 1: a network is listed twice"),
        ("rate: 10mbit", "rate: fast", "network 'a': rate: 'fast' is not a rate"),
        ("rate: 10mbit", "rate: 10", "network 'a': rate: '10' is not a rate"),
        ("rate: 10mbit", "rate: 1bit", "network 'a': rate: '1bit' is outside 10kbit to 100gbit"),
        ("rate: 10mbit, ", "", "network 'a' has no 'rate'"),
        ("rate: 10mbit,", "rate: 10mbit, snooping: yes,", "network 'a': a bus has no 'snooping'"),
        ("rate: 1gbit,", "rate: 1gbit, snooping: 5,", "network 'b': snooping: '5' is not a time"),
        ("rate: 1gbit,", "rate: 1gbit, snooping: 1ms,", "snooping: '1ms' is less than 0.1s"),
        ("rate: 10mbit,", "rate: 10mbit, ports: {n0: 1mbit},", "a bus has neither 'forwarding'"),
        ("rate: 1gbit,", "rate: 1gbit, multicast: {loss: 2%},", "multicast: a switch has none"),
        (
            "rate: 10mbit,",
            "rate: 10mbit, multicast: {rate: 4mbit},",
            "multiple of the multicasts' rate",
        ),
        (
            "rate: 10mbit,",
            "rate: 10mbit, multicast: {rate: 20mbit},",
            "multiple of the multicasts' rate",
        ),
        ("rate: 10mbit,", "rate: 10mbit, multicast: {rate: 100kbit},", "20 times that at most"),
        ("rate: 10mbit,", "rate: 10mbit, multicast: {lost: 2%},", "unknown key 'lost'"),
        (
            "rate: 1gbit,",
            "rate: 1gbit, ports: {n0: 1mbit},",
            "network 'b': ports: there is no host 'n0'",
        ),
        ("rate: 1gbit,", "rate: 1gbit, ports: {n2: 1},", "ports: n2: '1' is not a rate"),
        ("rate: 1gbit,", "rate: 1gbit, ports: n2,", "network 'b': ports must name hosts, each"),
        ("links:", "slow: {n9: 3}\nlinks:", "slow: there is no host 'n9'"),
        ("links:", "slow: {n0: 0.5}\nlinks:", "slow: n0: slow=0.5: must be a number of 1"),
        ("links:", "slow: {n0: 1_0}\nlinks:", "slow: n0: slow=1_0: must be a number of 1"),
        ("links:", "slow: [n0]\nlinks:", "slow must name hosts, each with a value"),
        ("rate: 1gbit,", "rate: 1gbit, forwarding: fast,", "forwarding 'fast' must be"),
        ("links:", "truth: {n0: 1}\nlinks:", "'truth' must be a list of entries"),
        ("links:", "truth: [{hosts: [n9]}]\nlinks:", "truth 1: there is no host 'n9'"),
        ("links:", "truth: [{hosts: [n0], uplink: 1}]\nlinks:", "truth 1: uplink: '1' is not"),
        ("kind: bus", "kind: ring", "network 'a': kind 'ring' must be 'bus' or 'switch'"),
        ("rate: 20mbit", "back: 2mbit", "link 1: 'back' needs a 'rate'"),
        ("rate: 20mbit", "rate: 20mbit, back: 0", "link 1: back: '0' is not a rate"),
        ("delay: 5ms", "delay: 5", "link 1: delay: '5' is not a time"),
        ("loss: 1%", "members: 3", "link 1: members '3' must be 2 or 4"),
        ("rate: 20mbit", "members: 2", "link 1: 'members' needs a 'rate' and IPv4"),
        ("loss: 1%", "burst: 0", "link 1: burst: '0' is not a whole number from 1 to 1000"),
        ("loss: 1%", "burst: 2.5", "link 1: burst: '2.5' is not a whole number from 1 to 1000"),
        ("loss: 1%", "reorder: 2", "link 1: reorder: '2' is outside 0 to 1"),
        ("loss: 1%", "duplicate: many", "link 1: duplicate: 'many' is not a loss"),
        ("loss: 1%", "loss: 100%", "link 1: loss: '100%' is outside 0 to 1"),
        ("hosts: [n2]", "hosts: [n_2]", "network 'b': 'n_2' is not a host name"),
        ("hosts: [n2]", "hosts: 3", "network 'b': hosts must be a list"),
        ("[n0, n1]}", "[n0, n1", "not valid YAML"),
        ("rate: 10mbit", "rate: {{rate}}", "not valid YAML: a key must be a word"),
        ("kind: bus", "kind: 2024-13-45", "kind '2024-13-45' must be 'bus' or 'switch'"),
        ("hosts: [n2]", "hosts: " + "[" * 3000, "not valid YAML"),
    ],
)
def test_faults(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert old in GOOD
    with pytest.raises(EcoError) as caught:
        load(write(tmp_path, GOOD.replace(old, new, 1)))
    assert said in caught.value.message
    assert "net.yaml" in caught.value.message
    assert caught.value.code == ExitCode.BAD_INPUT


def test_networks_must_be_joined_by_a_tree(tmp_path: Path) -> None:
    with pytest.raises(EcoError, match="network 'b' is joined to no other"):
        load(write(tmp_path, GOOD.split("links:")[0]))
    with pytest.raises(EcoError, match="closes a loop"):
        load(write(tmp_path, GOOD + "  - {between: [b, a]}\n"))


def test_hosts_with_two_cards(tmp_path: Path) -> None:
    scenario = load("unequal-rails")
    assert scenario.default_hosts == 4
    assert scenario.hosts == tuple(f"n{i}" for i in range(8))
    assert scenario.cards("n3") == (0, 1)
    assert scenario.interfaces == ("eth0", "eth1")
    fewer = scenario.with_hosts(3)
    assert [n.hosts for n in fewer.networks] == [("n0", "n1", "n2")] * 2
    assert load("rails-and-sites").domains == (0, 0, 1, 2)
    assert scenario.common_card is None  # both do
    sites = load("rails-and-sites")
    assert sites.interfaces == ("eth0",)  # no second card reaches the other site
    assert sites.common_card == 0
    assert common_addresses(sites) == tuple(f"10.9.0.{n}" for n in range(1, 9))
    lines = wire(fewer).host_links[1]
    assert "address add 10.9.0.2/16 dev eth0" in lines
    assert "address add 10.10.0.2/16 dev eth1" in lines
    # A host that lacks a card is a neighbour only if it has one.
    second = "  c: {kind: switch, rate: 10mbit, hosts: [n0, n2]}\n"
    some = load(write(tmp_path, GOOD.replace("links:", second + "links:")))
    assert (some.interfaces, some.common_card) == (("eth0", "eth1"), 0)
    lame = wire(some)
    assert [" ".join(lines).count("dev eth1 nud") for lines in lame.host_links] == [1, 0, 1]
    alone = GOOD.replace("links:", second.replace("n0, n2", "n0, n9") + "links:")
    with pytest.raises(EcoError, match="network 'c' is joined to no other"):
        load(write(tmp_path, alone))


def test_hosts_without_ipv4(tmp_path: Path) -> None:
    scenario = load(write(tmp_path, GOOD + "addresses: ipv6\n"))
    assert scenario.ipv6
    assert common_addresses(scenario)[1] == "fd00:ec0:0:9::2"
    lines = wire(scenario).host_links[1]
    # The one of IPv4 starts programs.
    assert [line.split()[2] for line in lines if line.startswith("address add")] == [
        "fd00:ec0:0:9::2/64",
        "10.8.0.2/16",
    ]
    assert "link set mgmt0 up multicast off" in lines
    assert not load(write(tmp_path, GOOD)).ipv6
    with pytest.raises(EcoError, match="'ipx' must be ipv4 or ipv6"):
        load(write(tmp_path, GOOD + "addresses: ipx\n"))


def test_no_such_scenario() -> None:
    with pytest.raises(EcoError, match="did you mean 'three-segments'"):
        load("three-segment")


@pytest.mark.parametrize("text", ["", "5", "networks: {}", "networks: {a: {kind: bus}}", "\0"])
def test_rubbish(tmp_path: Path, text: str) -> None:
    with pytest.raises(EcoError):
        load(write(tmp_path, text))


def test_shipped() -> None:
    assert {"three-segments", "switched-8", "campus-20", "two-sites"} <= set(shipped_names())
    assert len(load("racks-64").hosts) == 64
    assert len(load("racks-128").hosts) == 128
    for name in shipped_names():
        scenario = load(name)
        drawn = tree(scenario)
        assert all(host in drawn for host in scenario.hosts)
        assert wire(scenario).links


def test_fewer_hosts_are_spread() -> None:
    campus = load("campus-20")
    kept = [len(n.hosts) for n in campus.with_hosts(10).networks]
    assert sum(kept) == 10
    assert kept == [2, 1, 3, 1, 3]
    assert all(len(n.hosts) == 1 for n in campus.with_hosts(5).networks)
    with pytest.raises(ValueError, match="1 to 20 hosts"):
        campus.with_hosts(21)


def test_units() -> None:
    assert units.parse_rate("1.5 Gbit/s") == 1.5e9
    assert units.parse_delay("250us") == 250e-6
    assert units.parse_loss(0.5) == 0.5
    assert units.show_rate(1e7) == "10 Mbit/s"


def test_orders() -> None:
    hosts = ["x", "y", "z"]
    assert place(hosts, 2, None, "block").hosts == ("x", "x", "y", "y", "z", "z")
    assert place(hosts, 2, None, "round-robin").hosts == ("x", "y", "z", "x", "y", "z")
    shuffled = place(hosts, 2, None, "random:7").hosts
    assert shuffled == place(hosts, 2, None, "random:7").hosts
    assert sorted(shuffled) == ["x", "x", "y", "y", "z", "z"]
    assert place(hosts, 1, 5, "round-robin").hosts == ("x", "y", "z", "x", "y")
    for bad in ("random", "random:x", "blok", "block:1"):
        with pytest.raises(EcoError, match="--order"):
            place(hosts, 1, None, bad)


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["run", "three-segments", "--mpi", "lam", "--", "x"], 2, "--mpi 'lam'"),
        (["run", "three-segments", "--scale", "0", "--", "x"], 2, "--scale 0"),
        (["run", "three-segments", "--scale", "1e9", "--", "x"], 2, "--scale 1e+09"),
        (["run", "three-segments", "--hosts", "9", "--", "x"], 2, "1 to 8 hosts"),
        (["run", "three-segments", "--native", "--", "no-such-program"], 127, "no program"),
        (["run", "three-segments", "--native", "--", "/bin/true"], 4, "not an MPI program"),
        (["show", "nowhere"], 3, "no scenario 'nowhere'"),
    ],
)
def test_one_sentence(words: list[str], code: int, said: str) -> None:
    done = lab(*words)
    assert done.returncode == code
    assert said in done.stderr
    assert done.stderr.startswith("eco: ")
    assert done.stderr.count("\n") == 1


def test_list_and_show() -> None:
    assert "three-segments" in lab("list").stdout
    assert {s["name"] for s in json.loads(lab("list", "--json").stdout)} == set(shipped_names())
    assert json.loads(lab("show", "two-sites", "--json").stdout)["links"][0]["delay"] == 0.02
    assert "20 ms each way" in lab("show", "two-sites").stdout


def test_the_basic_rate_of_a_wifi_cell_stays(tmp_path: Path) -> None:
    text = GOOD.replace("rate: 10mbit,", "rate: 12mbit, multicast: {rate: 4mbit, loss: 2%},")
    cell = load(write(tmp_path, text)).networks[0]
    assert cell.multicast is not None
    assert (cell.multicast.times, cell.multicast.loss) == (3, 0.02)
    slower, slowest = cell.with_rate(8e6).multicast, cell.with_rate(1e6).multicast
    assert slower is not None and slowest is not None
    assert (slower.times, slowest.times) == (2, 1)
