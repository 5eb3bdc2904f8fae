# SPDX-License-Identifier: BSD-3-Clause
"""Checks of what was measured between hosts: slow hosts, links, losses, multicast, rank order."""

import math
from collections.abc import Iterator, Sequence

from eco import structure
from eco.doctor.facts import Host
from eco.doctor.finding import Finding, Severity
from eco.profile import Profile

# Fewer segments sent again than this are what any TCP does when links fill.
_LOST = 0.005
_FEW_SEGMENTS = 200

# The least gain by another order of ranks that is worth a sentence.
_ORDER_GAIN = 1.3


def check(profile: Profile, before: Sequence[Host], after: Sequence[Host]) -> Iterator[Finding]:
    """All of them. before, after: what hosts said when measuring began and when it ended."""
    yield from _odd(profile)
    yield from _losses(before, after)
    yield from _multicast(profile)
    yield from _order(profile)


def _odd(profile: Profile) -> Iterator[Finding]:
    for odd in profile.odd:
        names = tuple(profile.hosts[host] for host in odd.hosts)
        if odd.what == "slow":
            yield Finding(
                "slow-host",
                Severity.WARNING,
                names,
                "messages take longer than to and from its neighbours",
                "measured",
                f"{odd.factor:.1f} times as long",
                "look for other programs on it (top), its link's speed (ethtool) and power "
                "saving; or leave it out of the host file",
            )
        else:
            yield Finding(
                "asymmetric-link",
                Severity.WARNING,
                names,
                f"from {names[0]} to {names[1]} the link carries less than back",
                "measured",
                f"{odd.factor:.1f} times less",
                "compare speed and duplex of both ends (ethtool), and shaping in routers between",
            )


def losses(before: Sequence[Host], after: Sequence[Host]) -> dict[str, float]:
    """Per host the share of TCP segments that it sent again while the network was measured."""
    first = {host.name: host for host in before}
    found = {}
    for last in after:
        start = first.get(last.name)
        if start is None or None in (start.sent, last.sent, start.sent_again, last.sent_again):
            continue
        sent = (last.sent or 0) - (start.sent or 0)
        again = (last.sent_again or 0) - (start.sent_again or 0)
        if sent >= _FEW_SEGMENTS:
            found[last.name] = again / sent
    return found


def _losses(before: Sequence[Host], after: Sequence[Host]) -> Iterator[Finding]:
    lossy = {name: share for name, share in losses(before, after).items() if share > _LOST}
    if lossy:
        worst = max(lossy, key=lambda name: lossy[name])
        yield Finding(
            "losses",
            Severity.WARNING,
            tuple(lossy),
            f"TCP sent {100 * lossy[worst]:.2g} % of its segments again (worst: {worst})",
            "measured",
            "each loss stops a message for 0.2 s or more",
            "look for errors and drops on the links of these hosts: ip -s link, ethtool -S, and "
            "the counters of the switches between them",
        )


def _multicast(profile: Profile) -> Iterator[Finding]:
    """Hosts of one subnet that do not hear each other, though others do in theirs."""
    if profile.mcast is None or not profile.levels:
        return
    heard: set[int] = set()
    for area in profile.mcast.areas:
        heard |= set(structure.area_hosts(profile, area))
    subnets: dict[int, list[int]] = {}
    for host, subnet in enumerate(profile.levels[-1]):
        subnets.setdefault(subnet, []).append(host)
    for members in subnets.values():
        if len(members) > 2 and not heard & set(members):
            yield Finding(
                "multicast",
                Severity.NOTE,
                tuple(profile.hosts[host] for host in members),
                "multicasts do not reach all of these hosts, which are near each other",
                "measured",
                "ECO sends broadcasts, allgathers and allreduces as single messages there",
                "allow UDP to 239.0.0.0/8 in the firewall of each host, and give the switch an "
                "IGMP querier if it snoops",
            )


def _order(profile: Profile) -> Iterator[Finding]:
    """The launcher's order of hosts is the profile's."""
    cost = profile.partition_cost

    def around(order: Sequence[int]) -> float:
        return sum(cost[a][b] for a, b in zip(order, [*order[1:], order[0]], strict=True))

    hosts = range(len(profile.hosts))
    if len(hosts) < 3 or not math.isfinite(around(hosts)):
        return
    gain = around(hosts) / around(profile.ring)
    if gain > _ORDER_GAIN:
        yield Finding(
            "rank-order",
            Severity.WARNING,
            ("the host file",),
            "its order lets neighbouring ranks cross slow links again and again",
            "measured",
            f"once around all ranks takes {gain:.1f} times as long as in the best known order",
            "give the launcher the order that ECO found: eco measure -o net.json …; eco export "
            "net.json --format openmpi-hostfile, or hydra-hostfile",
        )
