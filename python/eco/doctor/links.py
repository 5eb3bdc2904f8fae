# SPDX-License-Identifier: BSD-3-Clause
"""Checks of what packets did between hosts: networks that join nothing, losses, lengths."""

import ipaddress
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from eco.doctor.facts import Host, IpNetwork
from eco.doctor.finding import Finding, Severity, listed
from eco.doctor.interfaces import common, may_use, only
from eco.errors import EcoError, ExitCode
from eco.reach import Cut

# So many of one link's packets, about 300, are no accident.
_LOST = 2
# A long message and its packets, for what losses cost.
_LONG, _PACKET = 65536, 1448


@dataclass(frozen=True)
class Way:
    """What came of the packets from one host to another in one network."""

    source: str
    target: str
    network: IpNetwork
    sent: int
    arrived: int
    full_bytes: int
    full_sent: int
    full_arrived: int
    connects: bool  # by TCP

    @property
    def routed(self) -> bool:
        """Between hosts that share no network."""
        return self.network.prefixlen == 0

    @property
    def lost(self) -> int:
        return self.sent - self.arrived


def read(entry: Mapping[str, Any]) -> Way:
    """What one rank told of its packets to another host."""
    try:
        return Way(
            source=str(entry["from"]),
            target=str(entry["to"]),
            network=ipaddress.ip_network(entry["network"]),
            sent=int(entry["sent"]),
            arrived=int(entry["arrived"]),
            full_bytes=int(entry["full_bytes"]),
            full_sent=int(entry["full_sent"]),
            full_arrived=int(entry["full_arrived"]),
            connects=bool(entry.get("connects", True)),
        )
    except (KeyError, TypeError, ValueError):
        raise EcoError("the probe reported invalid figures of a link", ExitCode.LAUNCH) from None


def check(hosts: Sequence[Host], ways: Sequence[Way], cuts: Sequence[Cut]) -> Iterator[Finding]:
    """All of them. cuts: connections that did not come about before packets were sent."""
    place = {host.name: at for at, host in enumerate(hosts)}
    last = len(place)
    ways = sorted(ways, key=lambda w: (place.get(w.source, last), place.get(w.target, last)))
    yield from _unjoined(hosts, ways, cuts)
    yield from _stopped(ways)
    yield from _too_long(ways)
    yield from _losses(ways)


def _unjoined(hosts: Sequence[Host], ways: Sequence[Way], cuts: Sequence[Cut]) -> Iterator[Finding]:
    """Networks that two hosts have addresses in, but that do not join them."""
    joined = {(frozenset((way.source, way.target)), way.network) for way in ways if way.arrived}
    pairs = {(each.source, each.target, each.network) for each in cuts} | {
        (way.source, way.target, way.network)
        for way in ways
        if not way.connects and (frozenset((way.source, way.target)), way.network) not in joined
    }
    place = {host.name: at for at, host in enumerate(hosts)}
    cut = sorted(
        (
            each
            for each in pairs
            if all(name in place and _uses(hosts[place[name]], each[2]) for name in each[:2])
        ),
        key=lambda each: (place[each[0]], place[each[1]]),
    )
    if not cut:
        return
    networks = sorted({each[2] for each in cut}, key=lambda each: (each.version, each))
    names = {name for source, target, _ in cut for name in (source, target)}
    sound = [
        each
        for each in dict.fromkeys(
            [way.network for way in ways if way.connects and not way.routed] + common(hosts)
        )
        if each not in networks
    ]
    advice = "join them: look at cables, VLANs and the firewalls of these hosts"
    if sound:
        advice = only(sound[:1], hosts) + f"; or {advice}"
    source, target, _ = cut[0]
    others = len({frozenset(each[:2]) for each in cut}) - 1
    yield Finding(
        "unreachable",
        Severity.ERROR,
        tuple(host.name for host in hosts if host.name in names),
        f"nothing gets through {listed([str(each) for each in networks])} from {source} to {target}"
        + (f" and between {others} other pairs" if others else "")
        + ", though both have an address there and the MPI library may use it",
        "measured",
        "jobs hang or fail when they connect there",
        advice,
    )


def _uses(host: Host, network: IpNetwork) -> bool:
    return any(each.network == network and may_use(host, each) for each in host.interfaces)


def _stopped(ways: Sequence[Way]) -> Iterator[Finding]:
    reached = {(way.target, way.source, way.network) for way in ways if way.arrived}
    stopped = [
        way
        for way in ways
        if not way.arrived and (way.connects or (way.source, way.target, way.network) in reached)
    ]
    if stopped:
        yield Finding(
            "udp",
            Severity.NOTE,
            _names(stopped),
            f"UDP does not get from {stopped[0].source} to {stopped[0].target}, TCP does",
            "measured",
            "ECO sends no multicasts there, so broadcasts, allgathers and allreduces take longer",
            "allow UDP between these hosts in their firewalls",
        )


def _too_long(ways: Sequence[Way]) -> Iterator[Finding]:
    short = [way for way in ways if way.full_sent and not way.full_arrived]
    if short:
        length = max(way.full_bytes for way in short)
        yield Finding(
            "path-mtu",
            Severity.ERROR,
            _names(short),
            f"packets of {length} B, the MTU of these hosts, do not get from "
            f"{short[0].source} to {short[0].target}, short ones do",
            "measured",
            "long messages stall, and go on in short packets only if the hosts find that out",
            "let the switches and routers between them carry that length, or set a smaller MTU on "
            "all hosts: ip link set DEVICE mtu 1500 (as root)",
        )


def _losses(ways: Sequence[Way]) -> Iterator[Finding]:
    """Where packets were lost: at a host if all of its ways lose some, else on the ways."""
    lossy = [way for way in ways if way.arrived and way.lost >= _LOST]
    if not lossy:
        return
    hosts = _blamed(ways, lossy)
    rest = [way for way in lossy if not {way.source, way.target} & set(hosts)]
    where = tuple(hosts) + tuple(f"{way.source}–{way.target}" for way in _once(rest))
    share = sum(way.lost for way in lossy) / sum(way.sent for way in lossy)
    hit = 1 - (1 - share) ** -(-_LONG // _PACKET)
    yield Finding(
        "losses",
        Severity.WARNING,
        where,
        f"{100 * share:.2g} % of the packets are lost there",
        "measured",
        f"a loss stops a message for up to 0.2 s or more; it hits {100 * hit:.0f} % of the "
        "messages of 65,536 B",
        "look for errors and drops on these links: ip -s link, ethtool -S, cables, and the "
        "counters of the switches between them",
    )


def _blamed(ways: Sequence[Way], lossy: Sequence[Way]) -> list[str]:
    """Hosts that lose packets to or from all hosts that they were tried with, two or more."""
    found = []
    for name in _names(lossy):
        peers = {_other(way, name) for way in ways if name in (way.source, way.target)}
        bad = {_other(way, name) for way in lossy if name in (way.source, way.target)}
        if len(peers) > 1 and bad == peers:
            found.append(name)
    return found


def _other(way: Way, name: str) -> str:
    return way.target if way.source == name else way.source


def _once(ways: Sequence[Way]) -> list[Way]:
    """Of both directions the first."""
    found: dict[frozenset[str], Way] = {}
    for way in ways:
        found.setdefault(frozenset((way.source, way.target)), way)
    return list(found.values())


def _names(ways: Sequence[Way]) -> tuple[str, ...]:
    ends = [way.source for way in ways] + [way.target for way in ways]
    return tuple(dict.fromkeys(ends))
