# SPDX-License-Identifier: BSD-3-Clause
"""What a profile says about the network: groups within groups, and the figures of each."""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from eco import quantities
from eco.engine import engine
from eco.profile import McastArea, Medium, Profile, Rail, Rails, Tuned
from eco.zipped import zipped

Pair = tuple[int, int]

# Of what the links on the way carry, one connection reaches 0.92 or more on 26 emulated networks
# whose uplinks are one link each; over one of two links of 10 Mbit/s, between switches whose
# ports have 20, it is taken to reach 12, as two frames of a message pass a bucket at once.
_CLEARLY_LESS = 0.75
_ALIKE = 0.9  # of the most that links carry
_HOSTS_OF_EACH, _HOSTS_INSIDE = 4, 16  # of other subnets, and of the own, that are looked at


@dataclass(frozen=True)
class Link:
    """Figures over a set of host pairs: time of the smallest message, transfer rate."""

    least_latency: float
    latency: float  # median
    bandwidth: float | None  # median, bytes on the wire per second; None if not known

    def document(self) -> dict[str, float | None]:
        return {
            "latency_minimum": self.least_latency,
            "latency_median": self.latency,
            "bandwidth": self.bandwidth,
        }


@dataclass(frozen=True)
class Group:
    """Hosts that belong together at one level; a subnet if it has no parts."""

    hosts: tuple[int, ...]
    parts: tuple[Group, ...]
    number: int | None  # of a subnet, its id in the finest level

    @property
    def subnets(self) -> Iterator[Group]:
        if not self.parts:
            yield self
        for part in self.parts:
            yield from part.subnets


def tree(profile: Profile) -> Group:
    """All hosts, their groups by level, down to the subnets."""
    return _group(profile, tuple(range(len(profile.hosts))), 0)


def _group(profile: Profile, hosts: tuple[int, ...], level: int) -> Group:
    if level == len(profile.levels):
        return Group(hosts, (), profile.levels[-1][hosts[0]])
    members: dict[int, list[int]] = {}
    for host in hosts:
        members.setdefault(profile.levels[level][host], []).append(host)
    parts = tuple(_group(profile, tuple(found), level + 1) for found in members.values())
    # A level that divides nothing here is no step of the tree.
    return parts[0] if len(parts) == 1 else Group(hosts, parts, None)


def inside(hosts: Sequence[int]) -> list[Pair]:
    return [(a, b) for at, a in enumerate(hosts) for b in hosts[at + 1 :]]


def across(first: Iterable[int], second: Sequence[int]) -> list[Pair]:
    return [(a, b) for a in first for b in second]


def link(profile: Profile, pairs: Sequence[Pair]) -> Link | None:
    """None if there is no pair."""
    if not pairs:
        return None
    latencies = [profile.minimum[0][a][b] for a, b in pairs]
    rates = [rate for a, b in pairs if (rate := bandwidth(profile, a, b)) is not None]
    return Link(
        min(latencies),
        statistics.median(latencies),
        statistics.median(rates) if rates else None,
    )


def bandwidth(profile: Profile, a: int, b: int) -> float | None:
    """Bytes on the wire per second that one connection between two hosts carries, as predictions
    have it; None if nothing is known to limit it."""
    rate = float(profile.network.rate(a, b))
    return rate if 0 < rate < math.inf else None


def medium(profile: Profile, hosts: Sequence[int]) -> Medium | None:
    """What these hosts share, if they are one cluster of some level and that was measured; rates
    on the wire."""
    own = set(hosts)
    for found in profile.model.media if profile.model else ():
        level = profile.levels[found.level]
        if own == {host for host, cluster in enumerate(level) if cluster == found.cluster}:
            uplink = found.uplink and engine().on_wire(found.uplink)
            into = found.into and engine().on_wire(found.into)
            return replace(found, rate=engine().on_wire(found.rate), uplink=uplink, uplink_in=into)
    return None


def one_connection(profile: Profile, hosts: Sequence[int], shared: Medium) -> float | None:
    """What the fastest connection from these hosts to others reaches, if ports and an uplink that
    streams of many hosts have filled carry clearly more: then links or routes lie beside each
    other, and a connection takes one (LAG, ECMP). None if they do not show.

    Nor where others' traffic may have slowed it, where connections among these hosts are no faster
    beside their ports, or where a long message takes less time than its way: then it is not the
    links that a connection waits for. shared: the medium of these hosts.
    """
    if profile.others_traffic or not (shared.uplink or shared.into):
        return None
    own = set(hosts)
    near: dict[int, list[int]] = {}
    for host, cluster in enumerate(profile.levels[-1]):
        if host not in own:
            near.setdefault(cluster, []).append(host)
    others = [host for found in near.values() for host in found[:_HOSTS_OF_EACH]]
    reached, carried = _fastest(profile, across(hosts, others))
    own_reached, own_carried = _fastest(profile, inside(hosts[:_HOSTS_INSIDE]))
    shows = reached < _CLEARLY_LESS * carried and own_reached >= _CLEARLY_LESS * own_carried
    return reached if shows else None


def _fastest(profile: Profile, pairs: Iterable[Pair]) -> tuple[float, float]:
    """Of the pairs whose links carry most, what the fastest connection reaches and what they carry;
    zeros if nothing is known to limit any pair."""
    network = profile.network
    known = [
        (network.rate(a, b), carried)
        for a, b in pairs
        if (carried := network.links_rate(a, b)) < math.inf
        and profile.minimum[0][a][b] < profile.sizes[-1] / carried
    ]
    most = max((carried for _, carried in known), default=0.0)
    return max((pair for pair in known if pair[1] >= _ALIKE * most), default=(0.0, 0.0))


def describe_shared(profile: Profile, hosts: Sequence[int]) -> str:
    """`bus, 9.24 Mbit/s in all`; `switch, 95.5 Mbit/s each, uplink 19.1 Mbit/s`. Empty if it is not
    known what these hosts share."""
    shared = medium(profile, hosts)
    if shared is None:
        return ""
    rate = quantities.rate(shared.rate)
    text = f"{shared.kind}, {rate} {'in all' if shared.kind == 'bus' else 'each'}"
    if shared.uplink or shared.into:
        text += f", {_describe_uplink(shared)}"
    single = one_connection(profile, hosts, shared)
    if single:
        text += f", one connection {quantities.rate(single)} (links side by side)"
    return text


def oversubscription(shared: Medium, hosts: int) -> float | None:
    """How many times what its uplink carries the hosts of a cluster can send, or receive; None if
    the cluster was not found by that."""
    rates = [rate for rate in (shared.uplink, shared.into) if rate]
    if shared.found_by != "capacity" or not rates:
        return None
    return hosts * shared.rate / min(rates)


def _describe_uplink(shared: Medium) -> str:
    """`uplink 19.1 Mbit/s`; `uplink 100 Mbit/s out, 33.1 Mbit/s in`."""
    out, into = (rate and quantities.rate(rate) for rate in (shared.uplink, shared.into))
    if out == into:
        return f"uplink {out}"
    return "uplink " + ", ".join(
        f"{rate} {way}" for rate, way in ((out, "out"), (into, "in")) if rate
    )


def gap(profile: Profile, hosts: Sequence[int]) -> float | None:
    """How clear a boundary is, in Fig. 2's terms: its tolerance is what this must exceed.

    The least, over all links that cross it, of the link's cost over what holds together the hosts
    on one side or the other, whichever is quicker: fast hosts are near to slow ones too.
    """
    cost = profile.partition_cost
    own = set(hosts)
    clusters = _level_of(profile, own)
    if clusters is None or len(own) == len(profile.hosts):
        return None
    others: dict[int, list[int]] = {}
    for host in range(len(profile.hosts)):
        if host not in own:
            others.setdefault(clusters[host], []).append(host)
    inside = _dearest_needed(profile, hosts)
    ratios = []
    for other in others.values():
        held = min(inside, _dearest_needed(profile, other))
        if held < math.inf:
            ratios.append(min(cost[a][b] for a in hosts for b in other) / held)
    return min(ratios, default=None)


def spread(profile: Profile, hosts: Sequence[int]) -> float | None:
    """How far the times across a boundary scattered, relative, as the median of all its links: a
    gap far above it is sure."""
    place = profile.sizes.index(profile.partition_bytes)
    others = [host for host in range(len(profile.hosts)) if host not in set(hosts)]
    found = [profile.spread[place][a][b] for a, b in across(hosts, others)]
    return statistics.median(found) if found else None


def _level_of(profile: Profile, hosts: set[int]) -> tuple[int, ...] | None:
    """The finest level in which these hosts are one cluster."""
    for level in reversed(profile.levels):
        number = level[min(hosts)]
        if hosts == {host for host, cluster in enumerate(level) if cluster == number}:
            return level
    return None


def _dearest_needed(profile: Profile, hosts: Sequence[int]) -> float:
    """The heaviest edge of the hosts' minimal spanning tree; of a lone host infinite.

    So one wrong measurement hides no boundary, as it hides none from Fig. 2.
    """
    if len(hosts) < 2:
        return math.inf
    cost = profile.partition_cost
    joined, rest, dearest = [hosts[0]], set(hosts[1:]), 0.0
    nearest = {host: cost[hosts[0]][host] for host in rest}
    while rest:
        host = min(rest, key=lambda other: nearest[other])
        dearest = max(dearest, nearest[host])
        rest.remove(host)
        joined.append(host)
        nearest = {other: min(nearest[other], cost[host][other]) for other in rest}
    return dearest


def describe(profile: Profile) -> str:
    """One line: `8 hosts in 3 subnets (n0–n2, …)`."""
    subnets = list(tree(profile).subnets)
    hosts = len(profile.hosts)
    count = f"{hosts:,} host{'s' if hosts > 1 else ''}"
    if len(subnets) == 1:
        return f"{count} in one subnet"
    listed = ", ".join(
        quantities.names([profile.hosts[host] for host in subnet.hosts]) for subnet in subnets[:8]
    )
    more = ", …" if len(subnets) > 8 else ""
    return f"{count} in {len(subnets)} subnets ({listed}{more})"


def describe_survey(profile: Profile) -> str:
    """How much was timed, and what could have been missed."""
    survey = profile.survey
    hosts = len(profile.hosts)
    if survey is None or hosts < 2:
        return "every pair of hosts was timed"
    share = survey.pairs / (hosts * (hosts - 1) / 2)
    if share == 1:
        longest = len(survey.measured[-1]) // 2
        return f"every pair of hosts was timed, {longest} of them with long messages too"
    text = (
        f"{survey.pairs} pairs were timed ({share:.0%}), the others have medians of similar pairs"
    )
    if survey.checks:
        text += (
            "; the probability to miss a host that differs from half of its subnet is "
            f"1/{2**survey.checks}"
        )
    if survey.not_compared > 0:
        text += f"; {survey.not_compared:.0%} of the pairs of subnets were not compared"
    return text


def gain(entry: Tuned) -> float:
    """Native over what is used; 1 if the native collective is."""
    if entry.choice == "native" or entry.eco <= 0:
        return 1.0
    return entry.native / entry.eco


def geometric_mean(values: Sequence[float]) -> float | None:
    sound = [value for value in values if value > 0 and math.isfinite(value)]
    return math.exp(sum(map(math.log, sound)) / len(sound)) if sound else None


def summary(profile: Profile) -> dict[str, Any]:
    """What `--json` prints."""
    root = tree(profile)
    subnets = list(root.subnets)
    between = [
        {"subnets": [one.number, two.number]} | found.document()
        for at, one in enumerate(subnets)
        for two in subnets[at + 1 :]
        if (found := link(profile, across(one.hosts, two.hosts)))
    ]
    return {
        "created": profile.created,
        "mpi": {"family": profile.mpi_family, "version": profile.mpi_version},
        "hosts": list(profile.hosts),
        "levels": [list(level) for level in profile.levels],
        "subnets": [_subnet(profile, subnet) for subnet in subnets],
        "between": between,
        "ring": [profile.hosts[host] for host in profile.ring],
        "model": _model(profile),
        "rails": _rails(profile),
        "mcast": _mcast(profile),
        "parameters": profile.document()["parameters"],
        "survey": _survey(profile),
        "odd": [
            {
                "hosts": [profile.hosts[host] for host in odd.hosts],
                "what": odd.what,
                "factor": odd.factor,
            }
            for odd in profile.odd
        ],
        "subnets_not_tried": profile.subnets_not_tried,
        "others_traffic": [
            {"host": profile.hosts[each.host], "sent": each.sent, "received": each.received}
            for each in profile.others_traffic
        ],
        "tuning": [entry.document() | {"ratio": gain(entry)} for entry in profile.tuning],
    }


def _survey(profile: Profile) -> dict[str, Any] | None:
    """Without the lists of pairs."""
    survey = profile.survey
    if survey is None:
        return None
    return {
        "checks": survey.checks,
        "not_compared": survey.not_compared,
        "pairs": survey.pairs,
    }


def _model(profile: Profile) -> dict[str, Any] | None:
    """Without the matrices, media with their hosts by name."""
    if profile.model is None:
        return None
    found = profile.model.document()
    found.pop("transfer", None)
    for entry in found["media"]:
        level = profile.levels[entry["level"]]
        entry["hosts"] = [
            name for name, cluster in zipped(profile.hosts, level) if cluster == entry["cluster"]
        ]
    return found


def _rails(profile: Profile) -> dict[str, Any] | None:
    """Without the matrices: what each rail carries, and the hosts that have it."""
    if profile.rails is None:
        return None
    found = profile.rails.document()
    for entry, rail in zipped(found["rails"], profile.rails.rails):
        del entry["cards"], entry["latency"], entry["bandwidth"]
        entry |= rail_figures(profile, rail)
    return found


def _mcast(profile: Profile) -> dict[str, Any] | None:
    """The areas with their hosts by name."""
    if profile.mcast is None:
        return None
    found = profile.mcast.document()
    for entry, area in zipped(found["areas"], profile.mcast.areas):
        entry["hosts"] = [profile.hosts[host] for host in area_hosts(profile, area)]
    return found


def describe_mcast(profile: Profile) -> str:
    """The widest areas, and how fast datagrams may be sent there; empty if it was not tried."""
    if profile.mcast is None:
        return ""
    parts: list[str] = []
    named: set[int] = set()
    for area in profile.mcast.areas:
        hosts = area_hosts(profile, area)
        if named.issuperset(hosts):
            continue
        named.update(hosts)
        everyone = len(hosts) == len(profile.hosts)
        names = "all hosts" if everyone else quantities.names([profile.hosts[h] for h in hosts])
        rate = quantities.rate(area.rate) + (f", {area.loss:.1%} lost" if area.loss else "")
        parts.append(f"{names} at {rate}{'' if area.tried else ' (a rate that was not tried)'}")
    by = "by IPv6 " if profile.mcast.family == "ipv6" else ""
    return f"{by}reaches {'; '.join(parts)}" if parts else "works nowhere"


def area_hosts(profile: Profile, area: McastArea) -> list[int]:
    """Which hosts reach each other there."""
    if area.level < 0:
        return list(range(len(profile.hosts)))
    level = profile.levels[area.level]
    return [host for host, cluster in enumerate(level) if cluster == area.cluster]


def most_rails(rails: Rails) -> int:
    """That join one pair of hosts."""
    joined = (
        sum(rail.bandwidth[a][b] > 0 for rail in rails.rails)
        for a, b in itertools.combinations(range(len(rails.rails[0].cards)), 2)
    )
    return max(joined, default=0)


def rail_figures(profile: Profile, rail: Rail) -> dict[str, Any]:
    """The medians over the pairs that a rail joins, of one subnet and of two (None: no such pair),
    and the card of each host that has one."""
    joined = {
        (a, b)
        for a, b in itertools.combinations(range(len(profile.hosts)), 2)
        if rail.bandwidth[a][b] > 0
    }
    subnet = profile.levels[-1]
    near = {(a, b) for a, b in joined if subnet[a] == subnet[b]}
    return {
        "cards": {host: card for host, card in zipped(profile.hosts, rail.cards) if card},
        **(_carries(rail, joined) or {"latency": 0.0, "bandwidth": 0.0}),
        "inside": _carries(rail, near),
        "between": _carries(rail, joined - near),
    }


def _carries(rail: Rail, pairs: set[Pair]) -> dict[str, float] | None:
    if not pairs:
        return None
    return {
        "latency": statistics.median(rail.latency[a][b] for a, b in pairs),
        "bandwidth": statistics.median(rail.bandwidth[a][b] for a, b in pairs),
    }


def _subnet(profile: Profile, subnet: Group) -> dict[str, Any]:
    found = link(profile, inside(subnet.hosts))
    figures: dict[str, Any] = dict(found.document()) if found else {}
    shared = medium(profile, subnet.hosts)
    figures["medium"] = (
        {
            "kind": shared.kind,
            "rate": shared.rate,
            "uplink": shared.uplink,
            "uplink_in": shared.into,
            "found_by": shared.found_by,
            "one_connection": one_connection(profile, subnet.hosts, shared),
        }
        if shared
        else None
    )
    return {
        "number": subnet.number,
        "hosts": [profile.hosts[host] for host in subnet.hosts],
        "gap": gap(profile, subnet.hosts),
        "gap_spread": spread(profile, subnet.hosts),
    } | figures
