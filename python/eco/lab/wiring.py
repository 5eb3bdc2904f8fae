"""The commands that build a scenario: pure text, so that it can be looked at and tested.

The bridges live in the lab's own network namespace, each host in one of its own. A frame pays for
a medium exactly once each time it enters it:

* bus: whatever enters, from a host or from a link, is redirected to the bus's one ifb device. Its
  HTB class shares the rate evenly among the stations, each with its own queue, as Ethernet does.
* switch: a token bucket on each port, one per direction.

A bucket lets a lone frame pass at once. So a relay keeps each frame for as long as it takes to be
sent, once for a bus and twice for a switch (to it and from it), which is how hops show in a
measurement; on fast wires that time is shorter than the relay's own.

A host also shapes its own sending, fairly among the hosts it sends to, as Linux does on a real
card. A full queue there is seen by TCP, which holds back: nothing is lost at the sender.
"""

from dataclasses import dataclass, field, replace

from eco.lab.relay import Pair
from eco.lab.scenario import Link, Network, Scenario

FRAME = 1514
_BURST_TIME = 250e-6
_PORT_BYTES = 400_000
_STATION_FRAMES = 1000
_HOST_FRAMES = 1000
_HOST_CLASSES = 16
_FASTEST_TIMED = 50e6


def address(index: int) -> str:
    """The IP address of host number `index`."""
    return f"10.9.{(index + 1) >> 8}.{(index + 1) & 255}"


def hardware_address(index: int) -> str:
    """The Ethernet address of host number `index`."""
    return f"02:ec:00:00:{(index + 1) >> 8:02x}:{(index + 1) & 255:02x}"


@dataclass
class Wiring:
    """Lines for `ip -batch` and `tc -batch`, in the lab's namespace and in each host's."""

    links: list[str] = field(default_factory=list)
    shaping: list[str] = field(default_factory=list)
    host_links: list[list[str]] = field(default_factory=list)
    host_shaping: list[list[str]] = field(default_factory=list)
    cards: list[str] = field(default_factory=list)
    relays: list[Pair] = field(default_factory=list)

    def bridge(self, name: str) -> None:
        # Never forget an address: a flood to all buses would cost what no real frame costs.
        self.links.append(
            f"link add {name} type bridge ageing_time 360000000 mcast_snooping 0 stp_state 0"
        )
        self.links.append(f"link set {name} up")

    def relay(self, left: str, right: str, network: Network, link: Link | None = None) -> None:
        """Join two interfaces; frames to the right enter `network`, of frames to the left too
        if it is a switch."""
        timed = network.rate if network.rate <= _FASTEST_TIMED else 0.0
        back = timed if network.kind == "switch" else 0.0
        delay, loss = (link.delay, link.loss) if link else (0.0, 0.0)
        self.relays.append(Pair(left, right, timed, back, delay, loss))

    def cable(self, left: str, right: str) -> None:
        self.links.append(f"link add {left} type veth peer name {right}")
        for card in (left, right):
            self.links.append(f"link set {card} up")
            self.cards.append(card)


def burst(rate: float) -> int:
    """Bytes that may pass at once: about two frames, more where the clock is too coarse."""
    return max(2 * FRAME, int(rate / 8 * _BURST_TIME))


def bucket(card: str, rate: float) -> str:
    """A token bucket on what leaves through `card`."""
    queue = max(_PORT_BYTES, 2 * burst(rate))
    return f"qdisc add dev {card} root tbf rate {rate:.0f}bit burst {burst(rate)} limit {queue}"


def wire(scenario: Scenario) -> Wiring:
    """All commands for `scenario`."""
    wiring = Wiring()
    index = 0
    all_hosts = len(scenario.hosts)
    number = {network.name: n for n, network in enumerate(scenario.networks)}
    ports: list[list[str]] = [[] for _ in scenario.networks]
    first_host: list[int] = []
    for n, network in enumerate(scenario.networks):
        wiring.bridge(f"br{n}")
        first_host.append(index)
        for host in network.hosts:
            _attach_host(wiring, network, host, index, f"br{n}", all_hosts)
            ports[n].append(f"r{index}" if network.rate <= _FASTEST_TIMED else f"p{index}")
            index += 1
    for n, link in enumerate(scenario.links):
        # Frames go from network to network through two ports: each has its half of delay and loss.
        half = replace(link, delay=link.delay / 2, loss=1 - (1 - link.loss) ** 0.5)
        wiring.bridge(f"core{n}")
        for p, name in enumerate(link.between):
            network = scenario.networks[number[name]]
            inner, outer = f"d{n}.{p}", f"u{n}.{p}"
            if link.relayed or network.rate <= _FASTEST_TIMED:
                wiring.cable(inner, f"v{n}.{p}")
                wiring.cable(f"w{n}.{p}", outer)
                wiring.relay(f"w{n}.{p}", f"v{n}.{p}", network, half)
            else:
                wiring.cable(inner, outer)
            wiring.links.append(f"link set {inner} master br{number[name]}")
            wiring.links.append(f"link set {outer} master core{n}")
            ports[number[name]].append(inner)
            rate = link.rate or (network.rate if network.kind == "switch" else None)
            if rate is not None:
                wiring.shaping.append(bucket(inner, rate))
                wiring.shaping.append(bucket(outer, rate))
    for n, network in enumerate(scenario.networks):
        if network.kind == "bus":
            _make_bus(wiring, f"bus{n}", network, ports[n], first_host[n])
    return wiring


def _attach_host(
    wiring: Wiring, network: Network, host: str, index: int, bridge: str, hosts: int
) -> None:
    card = f"p{index}"
    wiring.links += [
        f"link add {card} type veth peer name eth0 netns {host} address {hardware_address(index)}",
        f"link set {card} up",
    ]
    wiring.cards.append(card)
    port = card
    if network.rate <= _FASTEST_TIMED:
        port = f"r{index}"
        wiring.cable(f"q{index}", port)
        wiring.relay(card, f"q{index}", network)
    wiring.links.append(f"link set {port} master {bridge}")
    lines = [
        "link set lo up",
        f"address add {address(index)}/16 dev eth0",
        "link set eth0 up",
    ]
    # Known beforehand, so that no address query is lost or timed on a busy network.
    lines += [
        f"neigh add {address(i)} lladdr {hardware_address(i)} dev eth0 nud permanent"
        for i in range(hosts)
        if i != index
    ]
    wiring.host_links.append(lines)
    wiring.host_shaping.append(_sender(network.rate))
    if network.kind == "switch":
        wiring.shaping.append(bucket(port, network.rate))


def _shared(card: str, rate: float, classes: int, frames: int) -> list[str]:
    """`rate` shared evenly among the busy ones of `classes`, each with a queue of its own."""
    size = burst(rate)
    top = f"burst {size} cburst {size} quantum {FRAME}"
    lines = [
        f"qdisc add dev {card} root handle 1: htb default 1",
        f"class add dev {card} parent 1: classid 1:ffff htb "
        f"rate {rate:.0f}bit ceil {rate:.0f}bit {top}",
    ]
    for minor in range(1, classes + 1):
        lines += [
            f"class add dev {card} parent 1:ffff classid 1:{minor:x} htb "
            f"rate {rate / classes:.0f}bit ceil {rate:.0f}bit {top}",
            f"qdisc add dev {card} parent 1:{minor:x} pfifo limit {frames}",
        ]
    return lines


def _sender(rate: float) -> list[str]:
    # Destinations are told apart by the low bits of their address.
    frames = max(_HOST_FRAMES, 4 * burst(rate) // FRAME)
    lines = _shared("eth0", rate, _HOST_CLASSES, frames)
    for low in range(_HOST_CLASSES):
        lines.append(
            "filter add dev eth0 parent 1: protocol ip prio 1 u32 "
            f"match u32 {low:#x} {_HOST_CLASSES - 1:#x} at 16 flowid 1:{low + 1:x}"
        )
    return lines


def _make_bus(
    wiring: Wiring, bus: str, network: Network, ports: list[str], first_host: int
) -> None:
    wiring.links += [f"link add {bus} type ifb", f"link set {bus} up"]
    # The first class is for what comes from other networks; the others are the hosts'.
    frames = max(_STATION_FRAMES, 2 * burst(network.rate) // FRAME)
    wiring.shaping += _shared(bus, network.rate, 1 + len(network.hosts), frames)
    for n in range(len(network.hosts)):
        wiring.shaping.append(
            f"filter add dev {bus} parent 1: protocol ip prio 1 u32 "
            f"match ip src {address(first_host + n)}/32 flowid 1:{n + 2:x}"
        )
    for port in ports:
        wiring.shaping += [
            f"qdisc add dev {port} ingress",
            f"filter add dev {port} parent ffff: protocol all prio 1 u32 match u32 0 0 "
            f"action mirred egress redirect dev {bus}",
        ]
