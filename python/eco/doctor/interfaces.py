# SPDX-License-Identifier: BSD-3-Clause
"""Checks of which interfaces the MPI library will take, and should not."""

import ipaddress
from collections.abc import Iterator, Sequence

from eco.doctor.facts import Host, Interface
from eco.doctor.finding import Finding, Severity, listed
from eco.profile import Profile, Rail

# How much slower one NIC must be than another beside it, to be worth leaving out.
_SLOWER = 2.0


def check(hosts: Sequence[Host], profile: Profile | None) -> Iterator[Finding]:
    """All of them. profile: what was measured, if it was."""
    family = "openmpi" if hosts[0].mpi.startswith("Open MPI") else "mpich"
    yield from _not_joining(hosts, family)
    if profile is not None:
        yield from _slow_rails(hosts, profile, family)


def _joining(hosts: Sequence[Host]) -> ipaddress.IPv4Network | None:
    """The network that all hosts are in, each with an address of its own; the fastest such."""
    best: tuple[int, ipaddress.IPv4Network] | None = None
    for network in sorted({each.network for host in hosts for each in host.interfaces}, key=str):
        members = [
            each
            for host in hosts
            for each in host.interfaces
            if each.network == network and not each.bridge and not each.down
        ]
        if len({each.address for each in members}) < len(hosts):
            continue
        speed = min(each.megabits or 0 for each in members)
        if best is None or speed > best[0]:
            best = (speed, network)
    return best[1] if best else None


def _taken(host: Host, interface: Interface, family: str) -> bool:
    """Whether the library will use it, by the settings that reached the rank."""
    if family != "openmpi":
        chosen = host.environment.get("FI_TCP_IFACE", "")
        return not chosen or chosen == interface.name
    if included := host.environment.get("OMPI_MCA_btl_tcp_if_include"):
        return _names(included, interface)
    return not _names(host.environment.get("OMPI_MCA_btl_tcp_if_exclude", ""), interface)


def _names(setting: str, interface: Interface) -> bool:
    for word in setting.split(","):
        if word == interface.name:
            return True
        try:
            if "/" in word and interface.address.ip in ipaddress.ip_network(word, strict=False):
                return True
        except ValueError:
            continue
    return False


def _line(network: ipaddress.IPv4Network, hosts: Sequence[Host], family: str) -> str:
    """What to paste, so that only this network is used."""
    if family == "openmpi":
        return f"add to mpirun: --mca btl_tcp_if_include {network}"
    names = sorted({i.name for host in hosts for i in host.interfaces if i.network == network})
    if len(names) > 1:
        return f"set FI_TCP_IFACE on each host to its interface in {network} ({listed(names)})"
    return f"set FI_TCP_IFACE={names[0]} (or UCX_NET_DEVICES={names[0]}), and add -iface {names[0]}"


def _not_joining(hosts: Sequence[Host], family: str) -> Iterator[Finding]:
    """Bridges of containers and virtual machines, and addresses that several hosts have."""
    wanted = _joining(hosts)
    addresses = [each.address.ip for host in hosts for each in host.interfaces]
    found: dict[str, list[str]] = {}
    for host in hosts:
        for each in host.interfaces:
            twice = addresses.count(each.address.ip) > 1
            if (each.bridge or twice) and _taken(host, each, family):
                found.setdefault(each.name, []).append(host.name)
    if not found or wanted is None:
        return
    names = sorted({host for holders in found.values() for host in holders})
    shared = {
        each.name
        for host in hosts
        for each in host.interfaces
        if each.name in found and addresses.count(each.address.ip) > 1
    }
    why = "has the same address on several hosts" if shared else "is a bridge inside its host"
    yield Finding(
        "interface",
        Severity.ERROR if shared else Severity.WARNING,
        tuple(names),
        f"the MPI library may use {listed(sorted(found))}, which {why}",
        "read",
        "jobs may hang when they connect" if shared else "connections are tried in vain",
        _line(wanted, hosts, family),
    )


def _slow_rails(hosts: Sequence[Host], profile: Profile, family: str) -> Iterator[Finding]:
    if profile.rails is None or len(profile.rails.rails) < 2:
        return
    rates = {rail.network: _rate(rail) for rail in profile.rails.rails}
    best = max(rates, key=lambda network: rates[network])
    for network, rate in rates.items():
        if rate <= 0 or rates[best] < _SLOWER * rate:
            continue
        here = ipaddress.ip_network(network, strict=False)
        users = [
            host.name
            for host in hosts
            for each in host.interfaces
            if each.network == here and _taken(host, each, family)
        ]
        if users:
            yield Finding(
                "slow-interface",
                Severity.WARNING,
                tuple(users),
                f"the MPI library also uses the network {network}, with {rate / 1e6:.2g} MB/s "
                f"beside {rates[best] / 1e6:.2g} MB/s of {best}",
                "measured",
                f"messages there take {rates[best] / rate:.1f} times as long",
                _line(ipaddress.IPv4Network(best, strict=False), hosts, family),
            )


def _rate(rail: Rail) -> float:
    """The median over its pairs; 0 if there are none."""
    count = len(rail.cards)
    found = sorted(
        rail.bandwidth[a][b] for a in range(count) for b in range(a) if rail.bandwidth[a][b] > 0
    )
    return found[len(found) // 2] if found else 0.0
