"""What a scenario is: networks of hosts and the links which join them."""

from dataclasses import dataclass, replace
from typing import Literal

Kind = Literal["bus", "switch"]


@dataclass(frozen=True)
class Network:
    """A shared bus or a switch with its hosts."""

    name: str
    kind: Kind
    rate: float
    hosts: tuple[str, ...]


@dataclass(frozen=True)
class Link:
    """A bridge between networks; `rate` and `delay` hold from one network to another."""

    between: tuple[str, ...]
    rate: float | None = None
    delay: float = 0.0
    loss: float = 0.0

    @property
    def relayed(self) -> bool:
        """Whether frames must pass our relay process, the kernel having no delay of its own."""
        return self.delay > 0 or self.loss > 0


@dataclass(frozen=True)
class Scenario:
    """A whole emulated network."""

    name: str
    description: str
    networks: tuple[Network, ...]
    links: tuple[Link, ...]

    @property
    def hosts(self) -> tuple[str, ...]:
        """All hosts, network by network, as the scenario lists them."""
        return tuple(host for network in self.networks for host in network.hosts)

    def scaled(self, factor: float) -> "Scenario":
        """The same network with every rate multiplied; delays stay."""
        networks = tuple(replace(n, rate=n.rate * factor) for n in self.networks)
        links = tuple(
            replace(link, rate=None if link.rate is None else link.rate * factor)
            for link in self.links
        )
        return replace(self, networks=networks, links=links)

    def with_hosts(self, count: int) -> "Scenario":
        """Keep `count` hosts, spread over the networks in proportion to their size.

        Hosts are handed out one at a time to the network which has the smallest share of its
        own hosts so far, the first one listed on a tie, so every network takes part as soon as
        there are as many hosts as networks.
        """
        total = len(self.hosts)
        if not 1 <= count <= total:
            raise ValueError(f"--hosts {count}: scenario {self.name} has 1 to {total} hosts")
        kept = [0] * len(self.networks)
        open_networks = [i for i, n in enumerate(self.networks) if n.hosts]
        for _ in range(count):
            free = [i for i in open_networks if kept[i] < len(self.networks[i].hosts)]
            chosen = min(free, key=lambda i: kept[i] / len(self.networks[i].hosts))
            kept[chosen] += 1
        networks = tuple(
            replace(n, hosts=n.hosts[:k]) for n, k in zip(self.networks, kept, strict=True)
        )
        return replace(self, networks=networks)
