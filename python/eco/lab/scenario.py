# SPDX-License-Identifier: BSD-3-Clause
"""What a scenario is: networks of hosts and the links which join them."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace
from typing import Literal

from eco.zipped import zipped

Kind = Literal["bus", "switch"]
# A switch takes a frame in whole before it sends it on, or sends its head on while the rest comes.
Forwarding = Literal["store-and-forward", "cut-through"]

REORDERED = 2e-3  # so much later comes a frame that others overtake (src/eco/lab/relay.cpp)


@dataclass(frozen=True)
class Multicast:
    """How a Wi-Fi cell carries multicasts: at its basic rate, and nobody asks for lost ones."""

    times: int  # as long as another frame of the same length
    loss: float  # the part that a host does not receive, each host others


@dataclass(frozen=True)
class Network:
    """A shared bus or a switch with its hosts."""

    name: str
    kind: Kind
    rate: float
    hosts: tuple[str, ...]
    # Of a switch: copies multicasts only to ports where somebody has said that it listens. It asks
    # for that now and then (a querier), or, if `forgets` is not 0, nobody does and it forgets so
    # many seconds afterwards.
    snooping: bool = False
    forgets: float = 0.0
    forwarding: Forwarding = "store-and-forward"
    ports: tuple[tuple[str, float], ...] = ()  # hosts whose ports have other rates
    multicast: Multicast | None = None  # of a bus; None: as all frames

    def with_rate(self, rate: float) -> Network:
        """With another rate, of ports that have none of their own; a Wi-Fi cell's basic rate stays,
        as near as a whole part of the rate comes to it."""
        multicast = self.multicast
        if multicast is not None:
            times = max(1, round(multicast.times * rate / self.rate))
            multicast = replace(multicast, times=times)
        return replace(self, rate=rate, multicast=multicast)

    def rate_of(self, host: str) -> float:
        """Of the host's port on a switch."""
        return dict(self.ports).get(host, self.rate)

    @property
    def delays_hops(self) -> bool:
        """Whether a frame is delayed at each hop by what it takes to be sent there."""
        return self.forwarding == "store-and-forward"


@dataclass(frozen=True)
class Link:
    """A bridge between networks; `rate` and `delay` hold from one network to another.

    With `back`, `rate` is that from the first network to the others, `back` that of their frames.
    """

    between: tuple[str, ...]
    rate: float | None = None
    back: float | None = None
    delay: float = 0.0
    loss: float = 0.0
    burst: int = 1  # consecutive frames that a loss takes
    reorder: float = 0.0  # of the frames: come late, so that later ones overtake them
    duplicate: float = 0.0  # of the frames: come twice
    multicast: bool = True  # a router's carries none
    members: int = 1  # links that share the rate; ports of a connection choose one (LAG, ECMP)

    @property
    def relayed(self) -> bool:
        """Whether frames must pass our relay process, the kernel having no delay of its own."""
        return self.delay > 0 or self.has_faults

    @property
    def has_faults(self) -> bool:
        """Whether frames may be lost, overtaken or doubled."""
        return self.loss > 0 or self.reorder > 0 or self.duplicate > 0

    def rates(self, place: int) -> tuple[float | None, float | None]:
        """Out of the network at this place in `between` into the link, and out of the link."""
        back = self.rate if self.back is None else self.back
        return (self.rate, back) if place == 0 else (back, self.rate)

    @property
    def half(self) -> Link:
        """What each of the two ports does that a frame passes on its way over the link."""

        def part(chance: float) -> float:
            return 1 - math.sqrt(1 - chance)

        return replace(
            self,
            delay=self.delay / 2,
            loss=part(self.loss),
            reorder=part(self.reorder),
            duplicate=part(self.duplicate),
        )


@dataclass(frozen=True)
class TrueCluster:
    """Hosts that share something, as whoever wrote the scenario knows."""

    hosts: tuple[str, ...]
    uplink: float | None = None  # what all that leaves shares; None: their ports alone limit it
    uplink_in: float | None = None  # of what enters; None: as what leaves


@dataclass(frozen=True)
class Scenario:
    """A whole emulated network."""

    name: str
    description: str
    networks: tuple[Network, ...]
    links: tuple[Link, ...]
    default_hosts: int | None = None  # used if no number is given; None: all
    ipv6: bool = False  # NICs in the networks have no IPv4 addresses
    # What `eco measure` is to find: clusters, wider ones first. Empty: one subnet; None: not said.
    truth: tuple[TrueCluster, ...] | None = None
    slow: tuple[tuple[str, float], ...] = ()  # hosts whose processes get one part in so many

    @property
    def hosts(self) -> tuple[str, ...]:
        """All hosts, network by network, as the scenario lists them; each once."""
        return tuple(dict.fromkeys(host for network in self.networks for host in network.hosts))

    @property
    def domains(self) -> tuple[int, ...]:
        """Of each network the number of its broadcast domain: networks that links join share one.

        Domain 0 is the first network's.
        """
        domain = list(range(len(self.networks)))
        number = {network.name: n for n, network in enumerate(self.networks)}
        for link in self.links:
            joined = {domain[number[name]] for name in link.between}
            domain = [min(joined) if d in joined else d for d in domain]
        order = {d: n for n, d in enumerate(dict.fromkeys(domain))}
        return tuple(order[d] for d in domain)

    def cards(self, host: str) -> tuple[int, ...]:
        """The networks (by number) that a host has a NIC in: eth0, eth1 and so on."""
        return tuple(n for n, network in enumerate(self.networks) if host in network.hosts)

    @property
    def interfaces(self) -> tuple[str, ...]:
        """Names of the interfaces by which all hosts that have one reach each other.

        Open MPI assumes that any two NICs it is given do, and ends the job if not.
        """
        return tuple(f"eth{n}" for n, found in enumerate(self._columns) if len(found - {None}) == 1)

    @property
    def common_card(self) -> int | None:
        """The first NIC (0 for eth0) that every host has and by which all reach each other; None if
        all NICs are such, so that any will do, or if none is."""
        columns = self._columns
        common = [n for n, found in enumerate(columns) if len(found) == 1]
        return common[0] if 0 < len(common) < len(columns) else None

    @property
    def _columns(self) -> list[set[int | None]]:
        """Of eth0, eth1 and so on: the domains that hosts have it in; None where one lacks it."""
        cards = [[self.domains[n] for n in self.cards(host)] for host in self.hosts]
        return [{*found} for found in itertools.zip_longest(*cards)]

    def scaled(self, factor: float) -> Scenario:
        """The same network with every rate multiplied; delays stay."""
        networks = tuple(
            replace(
                n,
                rate=n.rate * factor,
                ports=tuple((host, rate * factor) for host, rate in n.ports),
            )
            for n in self.networks
        )
        links = tuple(
            replace(
                link,
                rate=None if link.rate is None else link.rate * factor,
                back=None if link.back is None else link.back * factor,
            )
            for link in self.links
        )
        return replace(self, networks=networks, links=links)

    def with_hosts(self, count: int) -> Scenario:
        """Keep `count` hosts, spread over the networks in proportion to their size.

        Hosts are handed out one at a time to the network which has the smallest share of its
        own hosts so far, the first one listed on a tie, so every network takes part as soon as
        there are as many hosts as networks. A host in several networks counts in its first.
        """
        total = len(self.hosts)
        if not 1 <= count <= total:
            raise ValueError(f"--hosts {count}: scenario {self.name} has 1 to {total} hosts")
        home = {host: self.cards(host)[0] for host in self.hosts}
        own = [[h for h in n.hosts if home[h] == i] for i, n in enumerate(self.networks)]
        kept = [0] * len(self.networks)
        for _ in range(count):
            free = [i for i in range(len(own)) if kept[i] < len(own[i])]
            chosen = min(free, key=lambda i: kept[i] / len(own[i]))
            kept[chosen] += 1
        stay = {host for hosts, k in zipped(own, kept) for host in hosts[:k]}
        networks = tuple(
            replace(n, hosts=tuple(h for h in n.hosts if h in stay)) for n in self.networks
        )
        slow = tuple((host, factor) for host, factor in self.slow if host in stay)
        return replace(self, networks=networks, slow=slow)
