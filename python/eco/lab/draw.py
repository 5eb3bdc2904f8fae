# SPDX-License-Identifier: BSD-3-Clause
"""A scenario as a tree of text, and as plain values."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from eco.lab.scenario import REORDERED, Link, Network, Scenario
from eco.lab.units import show_delay, show_rate
from eco.lab.wiring import address
from eco.zipped import zipped


def tree(scenario: Scenario) -> str:
    """The network: each broadcast domain from its first link (or its only network) downwards."""
    lines = [f"{scenario.name}: {scenario.description}".rstrip(": ")]
    index = {host: i for i, host in enumerate(scenario.hosts)}
    networks = {network.name: network for network in scenario.networks}
    names = [network.name for network in scenario.networks]
    domains = dict(zipped(names, scenario.domains))
    drawn_links: set[int] = set()
    slow = dict(scenario.slow)

    def hosts_of(network: Network, indent: str) -> None:
        rest = [
            (n, link)
            for n, link in enumerate(scenario.links)
            if n not in drawn_links and network.name in link.between
        ]
        for i, host in enumerate(network.hosts):
            last = i == len(network.hosts) - 1 and not rest
            own = address(index[host], domains[network.name], ipv6=scenario.ipv6)
            slower = f", {slow[host]:g} times slower" if host in slow else ""
            lines.append(f"{indent}{'└─' if last else '├─'} {host}  {own}{slower}")
        for i, (n, link) in enumerate(rest):
            last = i == len(rest) - 1
            lines.append(f"{indent}{'└─' if last else '├─'} {describe_link(link)}")
            link_down(n, link, indent + ("   " if last else "│  "), network.name)

    def link_down(number: int, link: Link, indent: str, above: str | None) -> None:
        drawn_links.add(number)
        below = [name for name in link.between if name != above]
        for i, name in enumerate(below):
            last = i == len(below) - 1
            network = networks[name]
            lines.append(f"{indent}{'└─' if last else '├─'} {describe_network(network)}")
            hosts_of(network, indent + ("   " if last else "│  "))

    for domain in range(max(domains.values()) + 1):
        first = next(
            (n for n, x in enumerate(scenario.links) if domains[x.between[0]] == domain), None
        )
        if first is not None:
            lines.append(describe_link(scenario.links[first]))
            link_down(first, scenario.links[first], "", None)
        else:
            network = next(x for x in scenario.networks if domains[x.name] == domain)
            lines.append(describe_network(network))
            hosts_of(network, "")
    return "\n".join(lines)


def describe_network(network: Network) -> str:
    """One line about a network."""
    count = len(network.hosts)
    sharing = "shared by all" if network.kind == "bus" else "each port"
    hosts = "1 host" if count == 1 else f"{count} hosts"
    text = f"{network.name}: {network.kind}, {show_rate(network.rate)} {sharing}, {hosts}"
    if network.ports:
        text += " (" + ", ".join(f"{host} {show_rate(rate)}" for host, rate in network.ports) + ")"
    if not network.delays_hops:
        text += ", cuts frames through"
    if network.multicast is not None:
        text += f", multicasts at {show_rate(network.rate / network.multicast.times)}"
        if network.multicast.loss:
            text += f" and {network.multicast.loss * 100:g} % of them lost"
    if network.snooping:
        text += ", multicasts only to hosts that listen"
    if network.forgets:
        text += f", forgets groups after {network.forgets:g} s"
    return text


def describe_link(link: Link) -> str:
    """One line about a link."""
    rate = "full speed" if link.rate is None else show_rate(link.rate)
    text = f"bridge between {', '.join(link.between)}: {rate}"
    if link.back is not None:
        text += f" from {link.between[0]}, {show_rate(link.back)} back"
    if link.members > 1:
        text += f" over {link.members} links, of which a connection takes one"
    if link.delay:
        text += f", {show_delay(link.delay)} each way"
    if link.loss:
        text += f", loses {link.loss * 100:g} % of the frames"
        if link.burst > 1:
            text += f", {link.burst} consecutive ones at a time"
    if link.reorder:
        text += f", delays {link.reorder * 100:g} % of the frames by {REORDERED * 1e3:g} ms"
    if link.duplicate:
        text += f", doubles {link.duplicate * 100:g} % of the frames"
    if not link.multicast:
        text += ", carries no multicasts"
    return text


def values(scenario: Scenario) -> dict[str, Any]:
    """For --json: rates in bit/s, delays in seconds, losses and other faults as fractions."""
    data = asdict(scenario)
    for network in data["networks"]:
        network["ports"] = dict(network["ports"])
    data["slow"] = dict(scenario.slow)
    ipv6 = scenario.ipv6
    data["addresses"] = {host: address(i, ipv6=ipv6) for i, host in enumerate(scenario.hosts)}
    data["interfaces"] = {
        host: [address(i, scenario.domains[n], ipv6=ipv6) for n in scenario.cards(host)]
        for i, host in enumerate(scenario.hosts)
    }
    return data
