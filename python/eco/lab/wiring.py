# SPDX-License-Identifier: BSD-3-Clause
"""The commands that build a scenario: pure text, so that it can be looked at and tested.

The bridges live in the lab's own network namespace, each host in one of its own. A frame pays for
a medium exactly once each time it enters it:

* bus: whatever enters, from a host or from a link, is redirected to the bus's one ifb device. Its
  token bucket is shared evenly among the stations, each with its own queue, as Ethernet does.
* switch: a token bucket on each port, one per direction.
* bundled links: a token bucket for each, of which a connection takes one.

A bucket lets a lone frame pass at once. So a relay keeps each frame for as long as it takes to be
sent, once for a bus and twice for a switch (to it and from it), which is how hops show in a
measurement; on fast wires that time is shorter than the relay's own. Where switches cut frames
through, a frame is kept once, where it leaves its host.

A host also shapes its own sending, fairly among the hosts it sends to, as Linux does on a real
card. A full queue there is seen by TCP, which holds back: nothing is lost at the sender. Between a
bridge and a medium the relay keeps about 90 full frames, and loses what comes beyond.

Hosts whose NICs have IPv6 addresses alone are started over a network of its own, which the emulated
one knows nothing of: some launchers know IPv4 alone.

A network may change while frames travel: `wire` is told all its states, so that each has the same
interfaces, and `difference` finds what must be said to the kernel and the relay.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field

from eco.lab.relay import Pair
from eco.lab.scenario import Link, Network, Scenario
from eco.zipped import zipped

FRAME = 1514
_BURST_TIME = 250e-6
_PORT_BYTES = 400_000
_STATION_FRAMES = 1000
_HOST_FRAMES = 1000
_HOST_CLASSES = 16
_FASTEST_TIMED = 50e6
MANAGEMENT = "mgmt0"


def address(index: int, domain: int = 0, *, ipv6: bool = False) -> str:
    """The IP address of host number `index` in a broadcast domain, each a subnet of its own."""
    if ipv6:
        return f"fd00:ec0:0:{9 + domain:x}::{index + 1:x}"
    return f"10.{9 + domain}.{(index + 1) >> 8}.{(index + 1) & 255}"


def launch_address(index: int, ipv6: bool) -> str:
    """By which the launcher reaches host number `index`: always one of IPv4."""
    return address(index, -1 if ipv6 else 0)


def common_addresses(scenario: Scenario) -> tuple[str, ...]:
    """Of each host, where some NICs do not join all hosts: its address at one that does."""
    card = scenario.common_card
    if card is None and scenario.ipv6:
        card = 0  # that of the management network would be as good
    if card is None:
        return ()
    return tuple(
        address(index, scenario.domains[scenario.cards(host)[card]], ipv6=scenario.ipv6)
        for index, host in enumerate(scenario.hosts)
    )


def hardware_address(index: int, domain: int = 0) -> str:
    """The Ethernet address of host number `index` in a broadcast domain."""
    return f"02:ec:00:{domain & 255:02x}:{(index + 1) >> 8:02x}:{(index + 1) & 255:02x}"


@dataclass
class Wiring:
    """Lines for `ip -batch` and `tc -batch`, in the lab's namespace and in each host's."""

    links: list[str] = field(default_factory=list)
    routers: list[str] = field(default_factory=list)  # which links carry multicasts
    shaping: list[str] = field(default_factory=list)
    host_links: list[list[str]] = field(default_factory=list)
    host_shaping: list[list[str]] = field(default_factory=list)
    cards: list[str] = field(default_factory=list)
    relays: list[Pair] = field(default_factory=list)

    def bridge(self, name: str, snooping: Sequence[str] = ()) -> None:
        # Never forget an address: a flood to all buses would cost what no real frame costs.
        self.links.append(
            f"link add {name} type bridge ageing_time 360000000 mcast_snooping 0 stp_state 0"
        )
        self.links += [f"link set {name} type bridge {setting}" for setting in snooping]
        self.links.append(f"link set {name} up")

    def relay(self, left: str, right: str, network: Network, link: Link | None = None) -> None:
        """Join two interfaces; frames to the right enter `network`, of frames to the left too
        if it is a switch."""
        timed = network.rate if network.rate <= _FASTEST_TIMED else 0.0
        if link is not None and not network.delays_hops:
            timed = 0.0
        back = timed if network.kind == "switch" and network.delays_hops else 0.0
        way = link or Link(())
        faults = (way.loss, way.burst, way.reorder, way.duplicate)
        times, lost = 1, 0.0
        if network.multicast is not None:
            times = network.multicast.times
            lost = 0.0 if link is not None else network.multicast.loss
        self.relays.append(Pair(left, right, timed, back, way.delay, *faults, times, lost))

    def cable(self, left: str, right: str) -> None:
        self.links.append(f"link add {left} type veth peer name {right}")
        for card in (left, right):
            self.links.append(f"link set {card} up")
            self.cards.append(card)


def snoops(network: Network) -> list[str]:
    """How a network's bridge treats multicasts.

    A bridge copies to all ports while it knows of no querier, and for the first query's answers'
    time. One without a querier takes itself for one, and never asks.
    """
    if not network.snooping:
        return []
    settings = "mcast_snooping 1 mcast_query_response_interval 10"  # in hundredths of a second
    if network.forgets:
        memory, never = round(network.forgets * 100), 8640000
        settings += f" mcast_membership_interval {memory} mcast_query_interval {never}"
        settings += " mcast_startup_query_count 0"
    return [settings, "mcast_querier 1"]


def burst(rate: float) -> int:
    """Bytes that may pass at once: about two frames, more if the clock is too coarse."""
    return max(2 * FRAME, int(rate / 8 * _BURST_TIME))


def bucket(card: str, rate: float) -> str:
    """A token bucket on what leaves through `card`."""
    queue = max(_PORT_BYTES, 2 * burst(rate))
    return f"qdisc add dev {card} root tbf rate {rate:.0f}bit burst {burst(rate)} limit {queue}"


def wire(scenario: Scenario, states: Sequence[Scenario] = ()) -> Wiring:
    """All commands for `scenario`, a network that may become each of `states` later: the same
    networks, hosts and links with other rates, delays and losses."""
    wiring = Wiring()
    every = (scenario, *states)
    timed = {
        n.name
        for state in every
        for n in state.networks
        if n.rate <= _FASTEST_TIMED or n.multicast is not None
    }
    relayed = {n for state in every for n, link in enumerate(state.links) if link.relayed}
    number = {network.name: n for n, network in enumerate(scenario.networks)}
    ports: list[list[str]] = [[] for _ in scenario.networks]
    cards = _cards(scenario)
    wiring.host_links = [["link set lo up"] for _ in scenario.hosts]
    wiring.host_shaping = [[] for _ in scenario.hosts]
    for n, network in enumerate(scenario.networks):
        wiring.bridge(f"br{n}", snoops(network))
        slow = network.name in timed
        ports[n] = [_attach(wiring, network, f"br{n}", card, slow) for card in cards[n]]
    for n, link in enumerate(scenario.links):
        half = link.half
        wiring.bridge(f"core{n}")
        for p, name in enumerate(link.between):
            network = scenario.networks[number[name]]
            inner, outer = f"d{n}.{p}", f"u{n}.{p}"
            if n in relayed or (name in timed and network.delays_hops):
                wiring.cable(inner, f"v{n}.{p}")
                wiring.cable(f"w{n}.{p}", outer)
                wiring.relay(f"w{n}.{p}", f"v{n}.{p}", network, half)
            else:
                wiring.cable(inner, outer)
            wiring.links.append(f"link set {inner} master br{number[name]}")
            if network.snooping:
                # Other switches hear what hosts say, and all multicasts.
                wiring.links.append(f"link set {inner} type bridge_slave mcast_router 2")
            wiring.links.append(f"link set {outer} master core{n}")
            flood = "on" if link.multicast else "off"
            wiring.routers.append(f"link set {outer} type bridge_slave mcast_flood {flood}")
            ports[number[name]].append(inner)
            own = network.rate if network.kind == "switch" else None
            for card, rate in zipped((inner, outer), link.rates(p)):
                if (full := rate or own) is not None:
                    bundled = link.members > 1
                    wiring.shaping += (
                        _bundle(card, full, link.members) if bundled else [bucket(card, full)]
                    )
    for n, network in enumerate(scenario.networks):
        if network.kind == "bus":
            addresses = [card.address for card in cards[n]]
            _make_bus(wiring, f"bus{n}", network.rate, ports[n], addresses)
    if scenario.ipv6:
        _manage(wiring, scenario)
    return wiring


def difference(before: Wiring, after: Wiring) -> Wiring:
    """What makes the wires of `before` those of `after`, both of one network's states."""

    def changed(old: list[str], new: list[str]) -> list[str]:
        known = set(old)
        return [
            line.replace("qdisc add", "qdisc replace", 1).replace("class add", "class change", 1)
            for line in new
            if line not in known
        ]

    return Wiring(
        routers=changed(before.routers, after.routers),
        shaping=changed(before.shaping, after.shaping),
        host_shaping=[
            changed(old, new) for old, new in zipped(before.host_shaping, after.host_shaping)
        ],
        relays=[pair for pair in after.relays if pair not in set(before.relays)],
    )


@dataclass(frozen=True)
class _Card:
    """One host's interface in one network."""

    host: str
    index: int  # the host's number
    name: str  # on the host
    suffix: str  # of the interfaces at its other end
    domain: int
    others: list[int]  # the hosts in the same broadcast domain
    ipv6: bool

    @property
    def address(self) -> str:
        return address(self.index, self.domain, ipv6=self.ipv6)


def _cards(scenario: Scenario) -> list[list[_Card]]:
    """Of each network, those of its hosts."""
    number = {host: index for index, host in enumerate(scenario.hosts)}
    members: dict[int, set[int]] = {domain: set() for domain in scenario.domains}
    for domain, network in zipped(scenario.domains, scenario.networks):
        members[domain] |= {number[host] for host in network.hosts}
    made = dict.fromkeys(scenario.hosts, 0)
    result: list[list[_Card]] = []
    for domain, network in zipped(scenario.domains, scenario.networks):
        result.append([])
        for host in network.hosts:
            place, index = made[host], number[host]
            made[host] += 1
            suffix = f"{index}" if place == 0 else f"{index}.{place}"
            others = sorted(members[domain] - {index})
            result[-1].append(
                _Card(host, index, f"eth{place}", suffix, domain, others, scenario.ipv6)
            )
    return result


def _attach(wiring: Wiring, network: Network, bridge: str, card: _Card, timed: bool) -> str:
    """Join a host to a network; the port that its frames come out of."""
    plug = f"p{card.suffix}"
    wiring.links += [
        f"link add {plug} type veth peer name {card.name} netns {card.host} "
        f"address {hardware_address(card.index, card.domain)}",
        f"link set {plug} up",
    ]
    wiring.cards.append(plug)
    port = plug
    if timed:
        port = f"r{card.suffix}"
        wiring.cable(f"q{card.suffix}", port)
        wiring.relay(plug, f"q{card.suffix}", network)
    wiring.links.append(f"link set {port} master {bridge}")
    if network.snooping:
        wiring.links.append(f"link set {port} type bridge_slave mcast_flood off")
    # Not claimed first, which other hosts would have to be asked for.
    subnet = "64 nodad" if card.ipv6 else "16"
    lines = [
        f"address add {card.address}/{subnet} dev {card.name}",
        f"link set {card.name} up",
    ]
    # Known beforehand, so that no address query is lost or timed on a busy network.
    lines += [
        f"neigh add {address(i, card.domain, ipv6=card.ipv6)} "
        f"lladdr {hardware_address(i, card.domain)} dev {card.name} nud permanent"
        for i in card.others
    ]
    wiring.host_links[card.index] += lines
    rate = network.rate_of(card.host)
    wiring.host_shaping[card.index] += _sender(card.name, rate, card.ipv6)
    if network.kind == "switch":
        wiring.shaping.append(bucket(port, rate))
    return port


def _manage(wiring: Wiring, scenario: Scenario) -> None:
    """A network that starts programs, as fast as the machine is, and carries no multicasts."""
    wiring.bridge("manage")
    for index, host in enumerate(scenario.hosts):
        wiring.links += [
            f"link add m{index} type veth peer name {MANAGEMENT} netns {host} "
            f"address {hardware_address(index, -1)}",
            f"link set m{index} up master manage",
        ]
        wiring.host_links[index] += [
            f"address add {launch_address(index, True)}/16 dev {MANAGEMENT}",
            f"link set {MANAGEMENT} up multicast off",
        ]


def _shared(card: str, rate: float, classes: int, frames: int) -> list[str]:
    """`rate` shared evenly among the busy ones of `classes`, each with a queue of its own."""
    # The bucket limits; the classes under it, each allowed more than it carries, only take turns.
    size = burst(rate)
    lines = [
        f"qdisc add dev {card} root handle 1: tbf rate {rate:.0f}bit burst {size} "
        f"limit {frames * FRAME}",
        f"qdisc add dev {card} parent 1:1 handle 2: htb default 1",
    ]
    for minor in range(1, classes + 1):
        lines += [
            f"class add dev {card} parent 2: classid 2:{minor:x} htb "
            f"rate 100gbit ceil 100gbit burst 100000 cburst 100000 quantum {FRAME}",
            f"qdisc add dev {card} parent 2:{minor:x} pfifo limit {frames}",
        ]
    return lines


def _bundle(card: str, rate: float, members: int) -> list[str]:
    """Buckets beside each other, one of which a connection's ports choose as bundled links do; of
    packets without ports, what stands in their place."""
    each = rate / members
    size = burst(each)
    lines = [f"qdisc add dev {card} root handle 1: htb default 1"]
    for minor in range(1, members + 1):
        lines += [
            f"class add dev {card} parent 1: classid 1:{minor:x} htb rate {each:.0f}bit "
            f"burst {size} cburst {size} quantum {FRAME}",
            f"qdisc add dev {card} parent 1:{minor:x} bfifo limit {max(_PORT_BYTES, 2 * size)}",
        ]
    # Not the lowest bit: Linux gives even ports to all who connect, and odd ones to all who listen.
    bits = (members - 1) << 1
    for source, destination in itertools.product(range(members), repeat=2):
        ports, mask = (source << 17 | destination << 1), (bits << 16 | bits)
        lines.append(
            f"filter add dev {card} parent 1: protocol ip prio 1 u32 "
            f"match u32 {ports:#x} {mask:#x} at 20 flowid 1:{(source ^ destination) + 1:x}"
        )
    return lines


def _sender(card: str, rate: float, ipv6: bool) -> list[str]:
    # Destinations are told apart by the low bits of their address.
    frames = max(_HOST_FRAMES, 4 * burst(rate) // FRAME)
    lines = _shared(card, rate, _HOST_CLASSES, frames)
    protocol, place = ("ipv6", 36) if ipv6 else ("ip", 16)
    for low in range(_HOST_CLASSES):
        lines.append(
            f"filter add dev {card} parent 2: protocol {protocol} prio 1 u32 "
            f"match u32 {low:#x} {_HOST_CLASSES - 1:#x} at {place} flowid 2:{low + 1:x}"
        )
    return lines


def _make_bus(
    wiring: Wiring, bus: str, rate: float, ports: list[str], addresses: list[str]
) -> None:
    wiring.links += [f"link add {bus} type ifb", f"link set {bus} up"]
    # The first class is for what comes from other networks; the others are the hosts'.
    frames = max(_STATION_FRAMES, 2 * burst(rate) // FRAME)
    wiring.shaping += _shared(bus, rate, 1 + len(addresses), frames)
    for n, own in enumerate(addresses):
        protocol, match = (
            ("ipv6", f"ip6 src {own}/128") if ":" in own else ("ip", f"ip src {own}/32")
        )
        wiring.shaping.append(
            f"filter add dev {bus} parent 2: protocol {protocol} prio 1 u32 "
            f"match {match} flowid 2:{n + 2:x}"
        )
    for port in ports:
        wiring.shaping += [
            f"qdisc add dev {port} ingress",
            f"filter add dev {port} parent ffff: protocol all prio 1 u32 match u32 0 0 "
            f"action mirred egress redirect dev {bus}",
        ]
