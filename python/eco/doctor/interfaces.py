# SPDX-License-Identifier: BSD-3-Clause
"""Checks of which interfaces the MPI library will take, and should not."""

from __future__ import annotations

import ipaddress
import statistics
from collections import Counter
from collections.abc import Iterator, Sequence

from eco.doctor.facts import Host, Interface, IpNetwork
from eco.doctor.finding import Finding, Severity, listed
from eco.profile import Profile, Rail

# How much slower one NIC must be than another beside it, to be worth leaving out.
_SLOWER = 2.0


def check(hosts: Sequence[Host], profile: Profile | None) -> Iterator[Finding]:
    """All of them. profile: what was measured, if it was."""
    yield from _not_joining(hosts)
    if profile is not None:
        yield from _slow_rails(hosts, profile)


def family_of(host: Host) -> str:
    return "openmpi" if host.mpi.startswith("Open MPI") else "mpich"


def joining(hosts: Sequence[Host]) -> IpNetwork | None:
    """The network that all hosts are in, each with an address of its own; the fastest such."""
    return next(iter(common(hosts)), None)


def common(hosts: Sequence[Host]) -> list[IpNetwork]:
    """Networks in which each host has an address of its own, the fastest first, else in the order
    of interfaces."""
    found = []
    for network in dict.fromkeys(each.network for host in hosts for each in host.interfaces):
        addresses = {each.address for each in _members(hosts, network)}
        if len(addresses) >= len(hosts):
            found.append(network)
    return sorted(found, key=lambda network: -_speed(hosts, network))


def _members(hosts: Sequence[Host], network: IpNetwork) -> list[Interface]:
    return [
        each
        for host in hosts
        for each in host.interfaces
        if each.network == network and not each.bridge and not each.down
    ]


def _speed(hosts: Sequence[Host], network: IpNetwork) -> int:
    return min(each.megabits or 0 for each in _members(hosts, network))


def may_use(host: Host, interface: Interface) -> bool:
    """Whether the library may use it, by the settings that reached the rank."""
    if family_of(host) != "openmpi":
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


def cards(hosts: Sequence[Host], network: IpNetwork) -> list[str]:
    """What hosts call their interfaces in it."""
    return sorted({i.name for host in hosts for i in host.interfaces if i.network == network})


def _for_openmpi(hosts: Sequence[Host], network: IpNetwork) -> str:
    """Open MPI knows networks of IPv4 by their prefix, those of IPv6 by the NICs' names alone."""
    return str(network) if network.version == 4 else ",".join(cards(hosts, network))


def only(networks: Sequence[IpNetwork], hosts: Sequence[Host]) -> str:
    """What to paste, so that the library uses these networks alone; MPICH uses one."""
    if family_of(hosts[0]) == "openmpi":
        include = ",".join(_for_openmpi(hosts, each) for each in networks)
        return f"add to mpirun: --mca btl_tcp_if_include {include}"
    names = cards(hosts, networks[0])
    if len(names) > 1:
        return f"set FI_TCP_IFACE on each host to its interface in {networks[0]} ({listed(names)})"
    return f"set FI_TCP_IFACE={names[0]} (or UCX_NET_DEVICES={names[0]}), and add -iface {names[0]}"


def _not_joining(hosts: Sequence[Host]) -> Iterator[Finding]:
    """Bridges of containers and virtual machines, and addresses that several hosts have."""
    wanted = joining(hosts)
    holders_of = Counter(each.address.ip for host in hosts for each in host.interfaces)
    found: dict[str, list[str]] = {}
    for host in hosts:
        for each in host.interfaces:
            twice = holders_of[each.address.ip] > 1
            if (each.bridge or twice) and may_use(host, each):
                found.setdefault(each.name, []).append(host.name)
    if not found or wanted is None:
        return
    holders = {name for names in found.values() for name in names}
    shared = {
        each.name
        for host in hosts
        for each in host.interfaces
        if each.name in found and holders_of[each.address.ip] > 1
    }
    why = "has the same address on several hosts" if shared else "is a bridge inside its host"
    yield Finding(
        "interface",
        Severity.ERROR if shared else Severity.WARNING,
        tuple(host.name for host in hosts if host.name in holders),
        f"the MPI library may use {listed(sorted(found))}, which {why}",
        "read",
        "jobs may hang when they connect"
        if shared
        else "connections are attempted where none is possible",
        only([wanted], hosts),
    )


def _slow_rails(hosts: Sequence[Host], profile: Profile) -> Iterator[Finding]:
    """Networks that join hosts which a much faster one joins too."""
    for slow, fast, ratio, rate in _slower(profile.rails.rails if profile.rails else ()):
        here, there = _network_of(slow), _network_of(fast)
        if here is None or there is None:
            continue
        users = [
            host.name
            for host in hosts
            for each in host.interfaces
            if each.network == here and may_use(host, each)
        ]
        if users:
            yield Finding(
                "slow-interface",
                Severity.WARNING,
                tuple(users),
                f"the MPI library also uses the network {slow.network}, with {rate / 1e6:.2g} MB/s "
                f"where {fast.network} has {rate * ratio / 1e6:.2g} MB/s",
                "measured",
                f"messages there take {ratio:.1f} times as long",
                only([there], hosts),
            )


def _network_of(rail: Rail) -> IpNetwork | None:
    """None where it is no network of IP, as over verbs: libfabric names that fabric."""
    try:
        return ipaddress.ip_network(rail.network, strict=False)
    except ValueError:
        return None


def _slower(rails: Sequence[Rail]) -> Iterator[tuple[Rail, Rail, float, float]]:
    """Each rail that is slow, the fastest beside it, and medians over the pairs that both join: by
    how many times it is slower, and its rate."""
    for slow in rails:
        found = []
        for fast in rails:
            pairs = [
                (fast.bandwidth[a][b] / slow.bandwidth[a][b], slow.bandwidth[a][b])
                for a in range(len(slow.cards))
                for b in range(a)
                if slow.bandwidth[a][b] > 0 and fast.bandwidth[a][b] > 0
            ]
            if pairs:
                ratio = statistics.median(ratio for ratio, _ in pairs)
                found.append((ratio, fast, statistics.median(rate for _, rate in pairs)))
        ratio, fast, rate = max(found, key=lambda each: each[0], default=(0.0, slow, 0.0))
        if ratio >= _SLOWER:
            yield slow, fast, ratio, rate
