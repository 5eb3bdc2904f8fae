# SPDX-License-Identifier: BSD-3-Clause
"""Checks of what was measured between hosts: slow hosts, links, losses, multicast, rank order."""

import math
import statistics
from collections.abc import Iterator, Mapping, Sequence

from eco import odd, quantities, structure
from eco.doctor.again import Again, SecondLook
from eco.doctor.facts import Counters, Host
from eco.doctor.finding import Finding, Severity
from eco.profile import Profile
from eco.structure import Link
from eco.zipped import zipped

# Fewer segments sent again than this are what any TCP does when links fill.
_LOST = 0.005
_FEW_SEGMENTS = 200

# How much slower one host's link must be than its neighbours'.
_SLOWER = 1.5

# The least gain by another order of ranks that is worth a sentence.
_ORDER_GAIN = 1.3


def check(
    profile: Profile,
    before: Sequence[Host],
    after: Mapping[str, Counters],
    again: SecondLook,
) -> Iterator[Finding]:
    """All of them. before, after: what hosts said when measuring began and when it ended."""
    yield from _others_traffic(profile)
    yield from _asymmetric(profile)
    yield from _slow(profile, again.hosts)
    yield from _losses(before, after)
    yield from _multicast(profile)
    yield from _order(profile, again.order)


def _others_traffic(profile: Profile) -> Iterator[Finding]:
    if profile.others_traffic:
        yield Finding(
            "others-traffic",
            Severity.NOTE,
            tuple(profile.hosts[each.host] for each in profile.others_traffic),
            f"others use the network: {odd.others_traffic(profile)}",
            "read",
            "long messages share the links with it",
            "structure and rates are measured without it; for quieter times, measure later",
        )


def _asymmetric(profile: Profile) -> Iterator[Finding]:
    for each in profile.odd:
        if each.what != "asymmetric":
            continue
        names = tuple(profile.hosts[host] for host in each.hosts)
        yield Finding(
            "asymmetric-link",
            Severity.WARNING,
            names,
            f"from {names[0]} to {names[1]} the rate is lower than back",
            "measured",
            f"{each.factor:.1f} times less",
            "compare speed and duplex of both ends (ethtool), and shaping in routers between",
        )


def _slow(profile: Profile, again: Mapping[str, Again]) -> Iterator[Finding]:
    """Hosts alone in their subnet, because their link carries less, or more slowly, than those of
    the hosts nearest to them: also when timed again."""
    asymmetric = {host for each in profile.odd if each.what == "asymmetric" for host in each.hosts}
    subnets = _subnets(profile)
    groups = [members for members in subnets if len(members) > 1]
    cost = profile.partition_cost
    for members in subnets:
        host = members[0]
        if len(members) > 1 or host in asymmetric or not groups:
            continue
        nearest = min(groups, key=lambda group: min(cost[host][other] for other in group))
        theirs = structure.link(profile, structure.inside(nearest))
        own = structure.link(profile, structure.across(members, nearest))
        name = profile.hosts[host]
        if theirs and own and name in again:
            yield from _slower(name, own, theirs, again[name])


def _slower(name: str, own: Link, theirs: Link, again: Again) -> Iterator[Finding]:
    later, less = own.latency / theirs.latency, 0.0
    if own.bandwidth and theirs.bandwidth:
        less = theirs.bandwidth / own.bandwidth
        if less > _SLOWER and less > later and again.carries_less(_SLOWER):
            yield Finding(
                "slow-link",
                Severity.WARNING,
                (name,),
                f"its link carries {quantities.rate(own.bandwidth)}, those of its neighbours "
                f"{quantities.rate(theirs.bandwidth)}",
                "measured",
                f"long messages to and from it take {less:.1f} times as long",
                "look at its cable, the switch's port and what both agree on (ethtool); if "
                "this is intended, leave the host out of the hostfile, or let ECO avoid its link",
            )
            return
    if later > _SLOWER and again.takes_longer(_SLOWER):
        yield Finding(
            "slow-host",
            Severity.WARNING,
            (name,),
            f"short messages to and from it take {quantities.seconds(own.latency)}, between its "
            f"neighbours {quantities.seconds(theirs.latency)}",
            "measured",
            f"{later:.1f} times as long",
            "if it is not far away: look for other programs on it (top), power saving, and the "
            "route to it (ping, traceroute); or leave it out of the hostfile",
        )


def losses(before: Sequence[Host], after: Mapping[str, Counters]) -> dict[str, float]:
    """Per host the share of TCP segments that were lost while the network was measured."""
    found = {}
    for host in before:
        first, last = host.tcp, after.get(host.name)
        if first and last and last.sent - first.sent >= _FEW_SEGMENTS:
            found[host.name] = (last.lost - first.lost) / (last.sent - first.sent)
    return found


def _losses(before: Sequence[Host], after: Mapping[str, Counters]) -> Iterator[Finding]:
    lossy = {name: share for name, share in losses(before, after).items() if share > _LOST}
    if lossy:
        worst = max(lossy, key=lambda name: lossy[name])
        yield Finding(
            "losses",
            Severity.WARNING,
            tuple(lossy),
            f"{100 * lossy[worst]:.2g} % of the TCP segments that it sends are lost (worst: "
            f"{worst})",
            "measured",
            "each loss stops a message for up to 0.2 s or more",
            "look for errors and drops on the links of these hosts: ip -s link, ethtool -S, and "
            "the counters of the switches between them",
        )


def _multicast(profile: Profile) -> Iterator[Finding]:
    """Hosts of one subnet that do not reach each other, though others do in theirs."""
    if profile.mcast is None:
        return
    reached: set[int] = set()
    for area in profile.mcast.areas:
        reached |= set(structure.area_hosts(profile, area))
    for members in _subnets(profile):
        if len(members) > 2 and not reached & set(members):
            yield Finding(
                "multicast",
                Severity.NOTE,
                tuple(profile.hosts[host] for host in members),
                "multicasts do not reach all of these hosts, which are near each other",
                "measured",
                "ECO sends broadcasts, allgathers and allreduces as single messages there",
                "allow UDP to 239.192.0.0/14 (by IPv6 to ff18::/16) in the firewall of each host, "
                "and give the switch an IGMP querier (by IPv6 an MLD querier) if it snoops",
            )


def _subnets(profile: Profile) -> list[tuple[int, ...]]:
    """The hosts of each."""
    return [subnet.hosts for subnet in structure.tree(profile).subnets]


def _order(profile: Profile, again: float) -> Iterator[Finding]:
    """The launcher's order of hosts is the profile's. Of two subnets all pairs count alike: where
    there is one, no order is better than another, whatever single times say."""
    subnet = profile.levels[-1]
    times: dict[tuple[int, int], list[float]] = {}
    for a, row in enumerate(profile.partition_cost):
        for b, cost in enumerate(row):
            if a != b:
                times.setdefault((subnet[a], subnet[b]), []).append(cost)
    usual = {pair: statistics.median(found) for pair, found in times.items()}

    def around(order: Sequence[int]) -> float:
        following = [*order[1:], order[0]]
        return sum(usual[subnet[a], subnet[b]] for a, b in zipped(order, following))

    hosts = range(len(profile.hosts))
    if len(hosts) < 3 or not 0 < around(profile.ring) < math.inf:
        return
    gain = min(around(hosts) / around(profile.ring), again)
    if gain > _ORDER_GAIN:
        yield Finding(
            "rank-order",
            Severity.WARNING,
            ("the hostfile",),
            "its order puts neighbouring ranks on different sides of slow links",
            "measured",
            f"sending once around all ranks takes {gain:.1f} times as long as in the best known "
            "order",
            "give the launcher the order that ECO found: eco measure -o net.json …; eco export "
            "net.json --format openmpi-hostfile, or hydra-hostfile",
        )
