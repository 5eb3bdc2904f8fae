# SPDX-License-Identifier: BSD-3-Clause
"""Whether this machine carries what a scenario asks for: before the program starts, hosts of its
fastest network send at once, at its rate."""

from __future__ import annotations

import math
import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path

from eco import quantities
from eco.errors import EcoError, ExitCode
from eco.lab import traffic
from eco.lab.change import Stream
from eco.lab.scenario import Network, Scenario
from eco.probe import say_on_stderr
from eco.zipped import zipped

# What a network's hosts may send together, bits per second: two processors carried 2.4e9 of
# switched-8 with links 30 times as fast, and half of 8e9.
_ALWAYS_CARRIED = 2e9
_MOST_HOSTS = 16  # that send: more would take seconds to start
_SETTLING, _COUNTING = 0.15, 0.25  # seconds
# Of what is asked for: 0.99 to 1.02 where all of it is carried, 0.5 and less where it is not.
_ENOUGH = 0.8
_LEAST_SHARE = 1e-4


@dataclass(frozen=True)
class Tried:
    """What hosts of one network asked for and got, together, bits per second."""

    network: str
    hosts: int
    wanted: float
    carried: float

    @property
    def share(self) -> float:
        """Of what was asked for."""
        return self.carried / self.wanted

    def __str__(self) -> str:
        carried, wanted = (
            quantities.rate(rate / 8 / self.hosts) for rate in (self.carried, self.wanted)
        )
        return (
            f"this machine carries {carried} for each host of network {self.network!r} when "
            f"{self.hosts} send at once, not {wanted}: what is measured is its processors, not the "
            "network"
        )


def fast_network(scenario: Scenario) -> Network | None:
    """The network whose hosts may send most, by their first NICs, if it may be more than any
    machine carries."""
    tried = [network for network in scenario.networks if len(_senders(scenario, network)) > 1]
    fastest = max(tried, key=lambda network: _demand(scenario, network), default=None)
    if fastest is None or _demand(scenario, fastest) <= _ALWAYS_CARRIED:
        return None
    return fastest


def refuse(scenario: Scenario, scale: float) -> None:
    """End a run whose rates are not carried; where the user asked for faster links, say so only.
    In the lab's own namespace, with the network built."""
    network = fast_network(scenario)
    if network is None:
        return
    found = _try(scenario, network)
    if found.share < _ENOUGH:
        found = _try(scenario, network)  # the machine may have been busy for a moment
    if found.share >= _ENOUGH:
        return
    if scale <= 1:
        lower = 10 ** math.floor(math.log10(max(found.share, _LEAST_SHARE)))
        raise EcoError(
            f"{found}; lower rates stand for faster ones: --scale {scale * lower:g}",
            ExitCode.ENVIRONMENT,
        )
    say_on_stderr(f"eco: note: {found}")


def _senders(scenario: Scenario, network: Network) -> list[str]:
    """Hosts whose first NIC is in the network."""
    number = scenario.networks.index(network)
    return [host for host in network.hosts if scenario.cards(host)[0] == number]


def _demand(scenario: Scenario, network: Network) -> float:
    if network.kind == "bus":
        return network.rate
    return sum(map(network.rate_of, _senders(scenario, network)))


def streams(scenario: Scenario, network: Network) -> list[Stream]:
    """From each host to the next, as fast as both ports are."""
    hosts = _senders(scenario, network)[:_MOST_HOSTS]
    of_bus = network.rate / len(hosts)
    return [
        Stream(
            source,
            target,
            of_bus
            if network.kind == "bus"
            else min(network.rate_of(source), network.rate_of(target)),
        )
        for source, target in zipped(hosts, hosts[1:] + hosts[:1])
    ]


def _try(scenario: Scenario, network: Network) -> Tried:
    asked = streams(scenario, network)
    running: list[int] = []
    try:
        for stream in asked:
            running += traffic.start(scenario, stream)
        time.sleep(_SETTLING)
        before, began = _delivered(), time.monotonic()
        time.sleep(_COUNTING)
        after, spent = _delivered(), time.monotonic() - began
    finally:
        for process in running:
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)
    cards = [f"p{scenario.hosts.index(stream.target)}" for stream in asked]
    got = sum(after[card] - before[card] for card in cards)
    wanted = sum(stream.rate for stream in asked)
    return Tried(network.name, len(asked), wanted, 8 * got / spent)


def _delivered() -> dict[str, int]:
    """Bytes that left each interface of this namespace."""
    counts = {}
    for line in Path("/proc/self/net/dev").read_text(encoding="ascii").splitlines()[2:]:
        card, _, figures = line.partition(":")
        counts[card.strip()] = int(figures.split()[8])
    return counts
