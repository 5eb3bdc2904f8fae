# SPDX-License-Identifier: BSD-3-Clause
"""Whether this machine carries what a scenario asks for: before the program starts, all hosts of a
fast network send at once, at its rate."""

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
from eco.lab.units import show_rate
from eco.probe import say_on_stderr
from eco.zipped import zipped

# Of a network's ports together, bits per second: two processors carried 2.4e9 of switched-8 with
# links 30 times as fast, and half of 8e9.
_ALWAYS_CARRIED = 1e9
_SETTLING, _COUNTING = 0.15, 0.25  # seconds
# Of a port's rate: 0.99 to 1.02 where all of it is carried, 0.5 and less where it is not.
_ENOUGH = 0.8
_LEAST_SHARE = 1e-4  # of 100 Gbit/s, the highest rate


@dataclass(frozen=True)
class Shortfall:
    """The network of which the least share is carried."""

    network: str
    rate: float  # that each host asks for, bits per second
    carried: float  # for each host, in the mean

    @property
    def share(self) -> float:
        """Of the rate."""
        return self.carried / self.rate

    def __str__(self) -> str:
        return (
            f"this machine carries {quantities.rate(self.carried / 8)} for each host of network "
            f"{self.network!r} when all send at once, not {show_rate(self.rate)}: what is measured "
            "is its processors, not the network"
        )


def refuse(scenario: Scenario, scale: float) -> None:
    """Ends a run whose rates are not carried; where the user asked for faster links, says so only.
    In the lab's own namespace, with the network built."""
    # Once more, as the machine may have been busy for a moment.
    found = _check(scenario) and _check(scenario)
    if found is None:
        return
    if scale <= 1:
        lower = 10 ** math.floor(math.log10(max(found.share, _LEAST_SHARE)))
        raise EcoError(
            f"{found}; lower rates stand for faster ones: --scale {scale * lower:g}",
            ExitCode.ENVIRONMENT,
        )
    say_on_stderr(f"eco: note: {found}")


def _check(scenario: Scenario) -> Shortfall | None:
    """None if all is carried, or is so little that it always is. Of the fastest networks the one of
    which least is carried; the hosts of one alone send at the same time."""
    asked = [
        network
        for network in scenario.networks
        if len(_first_cards(scenario, network)) > 1
        and sum(map(network.rate_of, network.hosts)) > _ALWAYS_CARRIED
    ]
    fastest = max((network.rate for network in asked), default=0.0)
    found = [_carried(scenario, network) for network in asked if network.rate == fastest]
    short = min(found, key=lambda each: each.share, default=None)
    return short if short and short.share < _ENOUGH else None


def _first_cards(scenario: Scenario, network: Network) -> list[str]:
    number = scenario.networks.index(network)
    return [host for host in network.hosts if scenario.cards(host)[0] == number]


def _carried(scenario: Scenario, network: Network) -> Shortfall:
    """With a stream from each host to the next."""
    hosts = _first_cards(scenario, network)
    # On a bus all share what is sent.
    rate = network.rate / len(hosts) if network.kind == "bus" else network.rate
    running: list[int] = []
    try:
        for source, target in zipped(hosts, hosts[1:] + hosts[:1]):
            running += traffic.start(scenario, Stream(source, target, rate))
        time.sleep(_SETTLING)
        before, began = _delivered(), time.monotonic()
        time.sleep(_COUNTING)
        after, spent = _delivered(), time.monotonic() - began
    finally:
        for process in running:
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)
    cards = [f"p{scenario.hosts.index(host)}" for host in hosts]
    got = sum(after[card] - before[card] for card in cards)
    return Shortfall(network.name, rate, 8 * got / len(hosts) / spent)


def _delivered() -> dict[str, int]:
    """Bytes that left each interface of this namespace."""
    counts = {}
    for line in Path("/proc/self/net/dev").read_text(encoding="ascii").splitlines()[2:]:
        card, _, figures = line.partition(":")
        counts[card.strip()] = int(figures.split()[8])
    return counts
