# SPDX-License-Identifier: BSD-3-Clause
"""Simulated grids: sites of clusters of hosts, as SimGrid's platform, as ECO's profile, and the
bound that no schedule can beat."""

import json
import random
from dataclasses import dataclass
from pathlib import Path

WAN_DELAY, LAN_DELAY, INSIDE_DELAY = 50e-3, 100e-6, 10e-6
WAN_RATE, LAN_RATE, HOST_RATE = 10e6 / 8, 1e9 / 8, 1e9 / 8  # bytes a second
# What moves the same bytes.
VECTORS = {
    "scatterv": "scatter",
    "gatherv": "gather",
    "allgatherv": "allgather",
    "alltoallv": "alltoall",
    "alltoallw": "alltoall",
}
ROOTED = ("bcast", "reduce", "scatter", "gather")


@dataclass(frozen=True)
class Grid:
    """Hosts per cluster, site by site: ((8, 8), (8, 8)) is two sites of two clusters."""

    name: str
    sites: tuple[tuple[int, ...], ...]

    @property
    def clusters(self) -> list[tuple[int, int, int]]:
        """(site, number, hosts) of each cluster."""
        listed = [(s, hosts) for s, site in enumerate(self.sites) for hosts in site]
        return [(site, number, hosts) for number, (site, hosts) in enumerate(listed)]

    @property
    def hosts(self) -> list[str]:
        return [f"c{c}-{h}" for _, c, hosts in self.clusters for h in range(hosts)]

    def placement(self, seed: int | None) -> list[str]:
        """The host of each rank: in order, or shuffled."""
        hosts = self.hosts
        if seed is not None:
            random.Random(seed).shuffle(hosts)
        return hosts

    def platform(self) -> str:
        """SimGrid's description; every wire has a link for each direction."""
        lines = [
            "<?xml version='1.0'?>",
            '<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">',
            '<platform version="4.1">',
            '<zone id="grid" routing="Full">',
        ]
        for _, c, hosts in self.clusters:
            lines.append(
                f'<cluster id="cluster{c}" prefix="c{c}-" suffix="" radical="0-{hosts - 1}" '
                f'speed="10Gf" bw="{HOST_RATE:.0f}Bps" lat="{INSIDE_DELAY / 2}s" '
                f'router_id="c{c}-router"/>'
            )
        for _, c, _ in self.clusters:
            for way in ("out", "in"):
                lines.append(
                    f'<link id="lan{c}-{way}" bandwidth="{LAN_RATE:.0f}Bps" '
                    f'latency="{LAN_DELAY / 2}s"/>'
                )
        for s in range(len(self.sites)):
            for way in ("out", "in"):
                lines.append(
                    f'<link id="wan{s}-{way}" bandwidth="{WAN_RATE:.0f}Bps" '
                    f'latency="{WAN_DELAY / 2}s"/>'
                )
        for site, a, _ in self.clusters:
            for other, b, _ in self.clusters:
                if a == b:
                    continue
                way = [f"lan{a}-out", f"lan{b}-in"]
                if site != other:
                    way[1:1] = [f"wan{site}-out", f"wan{other}-in"]
                links = "".join(f'<link_ctn id="{link}"/>' for link in way)
                lines.append(
                    f'<zoneRoute src="cluster{a}" dst="cluster{b}" gw_src="c{a}-router" '
                    f'gw_dst="c{b}-router" symmetrical="NO">{links}</zoneRoute>'
                )
        return "\n".join([*lines, "</zone>", "</platform>", ""])

    def profile(self) -> str:
        """What measuring this network gives a running program."""
        sites = [s for s, _, hosts in self.clusters for _ in range(hosts)]
        clusters = [c for _, c, hosts in self.clusters for _ in range(hosts)]
        levels = [clusters]
        if len(set(sites)) not in (1, len(set(clusters))):
            levels.insert(0, sites)
        return json.dumps(
            {
                "hosts": self.hosts,
                "levels": levels,
                "ring": list(range(len(self.hosts))),
                "inter_cluster_costs": self.inter_cluster_costs(),
            }
        )

    def inter_cluster_costs(self) -> list[list[float]]:
        """Level, cluster, and what a message takes between its parts: of its sender's link, and in
        all, each as seconds and seconds a byte. Sending costs the ranks themselves nothing."""

        def row(level: int, cluster: int, rate: float, delay: float) -> list[float]:
            return [level, cluster, 0.0, 1 / rate, delay, 1 / rate]

        lan = (LAN_RATE, LAN_DELAY + INSIDE_DELAY)
        wan = (WAN_RATE, WAN_DELAY + LAN_DELAY + INSIDE_DELAY)
        sites_are_a_level = len(self.sites) not in (1, len(self.clusters))
        rows = [row(-1, 0, *(wan if len(self.sites) > 1 else lan))]
        if sites_are_a_level:
            rows += [row(0, s, *lan) for s, site in enumerate(self.sites) if len(site) > 1]
        finest = 1 if sites_are_a_level else 0
        rows += [row(finest, c, HOST_RATE, INSIDE_DELAY) for _, c, n in self.clusters if n > 1]
        return rows

    def write(self, folder: Path, seed: int | None) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "platform.xml").write_text(self.platform())
        (folder / "profile.json").write_text(self.profile())
        (folder / "hosts").write_text("".join(f"{host}\n" for host in self.placement(seed)))

    def bound(self, operation: str, size: int, seed: int | None = None, roots: int = 1) -> float:
        """Seconds, the mean over the roots: the longest shortest path, for each edge of the tree of
        levels the bytes that must cross it, what one site can give to several others, and the
        messages that sums for all take."""
        hosts = self.hosts
        places = [hosts.index(host) for host in self.placement(seed)]
        clusters = [c for _, c, n in self.clusters for _ in range(n)]
        sites = [s for s, _, n in self.clusters for _ in range(n)]
        cluster_of, site_of = ([of[place] for place in places] for of in (clusters, sites))
        ranks = range(len(places))
        edges = [({rank}, HOST_RATE, INSIDE_DELAY) for rank in ranks]
        for of, rate, delay in (
            (cluster_of, LAN_RATE, LAN_DELAY),
            (site_of, WAN_RATE, WAN_DELAY if len(self.sites) > 1 else 0.0),
        ):
            for each in set(of):
                edges.append(({rank for rank in ranks if of[rank] == each}, rate, delay))
        edges = [(inside, rate, delay) for inside, rate, delay in edges if len(inside) < len(ranks)]
        longest = INSIDE_DELAY
        if len(self.clusters) > 1:
            longest += LAN_DELAY
        if len(self.sites) > 1:
            longest += WAN_DELAY
        operation = VECTORS.get(operation, operation)
        rooted = operation in ROOTED
        times = []
        for root in [len(places) * i // roots for i in range(roots)] if rooted else [0]:
            slowest = max(
                delay + _crossing(operation, size, inside, len(places), root) / rate
                for inside, rate, delay in edges
            )
            forwarded = 0.0
            for site in set(site_of):
                inside = {rank for rank in ranks if site_of[rank] == site}
                if not rooted or root in inside:
                    given = _same_for_all(operation, size, len(inside))
                    forwarded = max(forwarded, _forwarded(given / WAN_RATE, len(self.sites) - 1))
            summed = _summed(operation, size, len(self.sites))
            times.append(max(longest, slowest, forwarded, summed))
        return sum(times) / len(times)


def _summed(operation: str, size: int, sites: int) -> float:
    """That each of n sites gets something of all others takes 2(n-1) messages, which all links
    share."""
    if operation != "allreduce" or sites < 2:
        return 0.0
    return WAN_DELAY + 2 * (sites - 1) / sites * size / WAN_RATE


def _forwarded(once: float, others: int) -> float:
    """One site gives the same bytes to others (or gets a sum of them): what crosses its link early
    enough can be forwarded by another one, all else crosses once for each."""
    if others < 2:
        return 0.0
    directly = WAN_DELAY + others * once
    if directly <= 2 * WAN_DELAY:
        return directly
    return 2 * WAN_DELAY + once - WAN_DELAY / others


def _same_for_all(operation: str, size: int, inside: int) -> float:
    if operation in ("bcast", "reduce", "allreduce"):
        return size
    return size * inside if operation == "allgather" else 0


def _runs(inside: set[int], ranks: int) -> int:
    """What must cross for a scan, one way: before each run of contiguous ranks but the first of all
    another sum is needed of those on the other side."""
    runs = sum(rank - 1 not in inside for rank in inside)
    return runs - min(0 in inside, ranks - 1 in inside)


def _crossing(operation: str, size: int, within: set[int], ranks: int, root: int) -> float:
    """Bytes that must cross, one way at least, the edge between the ranks within and the others."""
    inside, outside = len(within), ranks - len(within)
    if operation == "barrier":
        return 0
    if operation in ("scatter", "gather"):
        return size * (outside if root in within else inside)
    if operation in ("scan", "exscan"):
        return size * _runs(within, ranks)
    if operation == "allgather":
        return size * max(inside, outside)
    if operation == "alltoall":
        return size * inside * outside
    if operation.startswith("reduce_scatter"):
        return size * max(inside, outside) / ranks
    return size
