# SPDX-License-Identifier: BSD-3-Clause
"""A check of what TCP does between hosts far apart when a connection has rested."""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from eco import quantities, structure
from eco.doctor.facts import Host, Interface
from eco.doctor.finding import Finding, Severity
from eco.profile import Profile

_SEGMENTS = 10  # that Linux sends at first
_HEADERS = 52  # of IPv4 and TCP in each packet, with a time stamp
_USUAL_MTU = 1500

_BYTES = 256_000  # of a long message
# It must take so many times as long, and so many seconds longer: a connection has rested for more
# than 0.2 s when this begins, and for about a second when all is as at first.
_TIMES, _LONGER = 1.3, 0.010


@dataclass(frozen=True)
class _Way:
    """Between two clusters, or within one, and a long message on a connection that has rested."""

    hosts: tuple[Host, ...]
    ends: tuple[str, str]  # two of them, one of each cluster
    round_trip: float
    rate: float
    first_flight: float  # bytes that are sent before any is acknowledged

    @property
    def senders(self) -> set[str]:
        """Those that begin slowly."""
        return {host.name for host in self.hosts if host.slow_restart}

    @property
    def usual(self) -> float:
        """Seconds of the message at the full rate."""
        return self.round_trip / 2 + _BYTES / self.rate

    @property
    def longer(self) -> float:
        """After each flight the sender waits for the first acknowledgement; then it sends twice as
        much."""
        lost, flight, left = 0.0, self.first_flight, _BYTES - self.first_flight
        while left > 0 and flight < self.round_trip * self.rate:
            lost += self.round_trip - flight / self.rate
            flight *= 2
            left -= flight
        return lost

    @property
    def matters(self) -> bool:
        return self.longer > _LONGER and self.usual + self.longer > _TIMES * self.usual


def check(profile: Profile, hosts: Sequence[Host]) -> Iterator[Finding]:
    """Whether long messages of programs that compute for a while begin slowly."""
    found = [way for way in _ways(profile, hosts) if way.senders and way.matters]
    if not found:
        return
    senders = {name for way in found for name in way.senders}
    worst = max(found, key=lambda way: way.longer)
    yield Finding(
        "idle-connections",
        Severity.WARNING,
        tuple(host.name for host in hosts if host.name in senders),
        f"TCP begins with {worst.first_flight / 1e3:.3g} kB per round trip again on a connection "
        f"that has rested (tcp_slow_start_after_idle is 1), where {' and '.join(worst.ends)} can "
        f"have {worst.round_trip * worst.rate / 1e3:.3g} kB under way "
        f"({quantities.seconds(worst.round_trip)}, {quantities.rate(worst.rate)})",
        "read",
        f"after a second of computing, a message of {_BYTES // 1000} kB takes "
        f"{quantities.seconds(worst.usual + worst.longer)} there instead of "
        f"{quantities.seconds(worst.usual)}",
        "sysctl -w net.ipv4.tcp_slow_start_after_idle=0 on all hosts (as root; it holds for IPv6 "
        "too); to keep it: the same setting in a file of /etc/sysctl.d",
    )


def _ways(profile: Profile, hosts: Sequence[Host]) -> Iterator[_Way]:
    """Between the widest clusters, which all hosts are in; or within the only one."""
    known = {host.name: host for host in hosts}
    root = structure.tree(profile)
    parts = [part.hosts for part in root.parts]
    for one, other in itertools.combinations(parts, 2) if parts else [(root.hosts, root.hosts)]:
        pairs = structure.across(one, other) if parts else structure.inside(one)
        names = [profile.hosts[host] for host in dict.fromkeys((*one, *other))]
        members = tuple(known[name] for name in names if name in known)
        if pairs and members and (figures := _figures(profile, pairs)):
            ends = (profile.hosts[pairs[0][0]], profile.hosts[pairs[0][1]])
            round_trip, rate = figures
            for medium in (structure.medium(profile, part) for part in (one, other)):
                rate = min(rate, (medium and medium.uplink) or rate)
            sides = [
                [known[name] for host in part if (name := profile.hosts[host]) in known]
                for part in (one, other)
            ]
            yield _Way(members, ends, round_trip, rate, _first_flight(*sides))


def _figures(profile: Profile, pairs: Sequence[structure.Pair]) -> tuple[float, float] | None:
    """Round trip and rate, either rather too low: what disturbs a timing only makes it longer."""
    latency = min(profile.minimum[0][a][b] for a, b in pairs)
    longer = statistics.median(profile.minimum[-1][a][b] for a, b in pairs) - latency
    more = profile.sizes[-1] - profile.sizes[0]
    return (2 * latency, more / longer) if more > 0 and longer > 0 else None


def _first_flight(one: Sequence[Host], other: Sequence[Host]) -> float:
    """Bytes: packets are as long as the NICs of both ends allow in the networks that join these;
    if routers do, no longer than usual."""
    nics = [[_nics(host) for host in part] for part in (one, other)]
    here, there = ({each.network for host in part for each in host} for part in nics)
    # Within one cluster both are the same: a network of one host joins nobody.
    hosts = {id(host): found for host, found in zip([*one, *other], [*nics[0], *nics[1]])}.values()
    of_several = {
        network
        for network in here & there
        if sum(any(each.network == network for each in host) for host in hosts) > 1
    }
    mtus = [
        each.mtu or _USUAL_MTU
        for part in nics
        for host in part
        for each in host
        if each.network in of_several
    ]
    if not mtus:
        longest = [
            max(each.mtu or _USUAL_MTU for each in host) for host in [*nics[0], *nics[1]] if host
        ]
        mtus = [*longest, _USUAL_MTU]
    return _SEGMENTS * float(min(mtus) - _HEADERS)


def _nics(host: Host) -> list[Interface]:
    return [each for each in host.interfaces if not (each.bridge or each.down)]
