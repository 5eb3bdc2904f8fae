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

    def bound(self, operation: str, size: int) -> float:
        """Seconds: the longest shortest path, and for each edge of the tree of levels the bytes
        that must cross it."""
        ranks = len(self.hosts)
        per_site = [sum(site) for site in self.sites]
        edges = [(1, HOST_RATE, INSIDE_DELAY)]
        edges += [(hosts, LAN_RATE, LAN_DELAY) for _, _, hosts in self.clusters]
        if len(self.sites) > 1:
            edges += [(inside, WAN_RATE, WAN_DELAY) for inside in per_site]
            longest = WAN_DELAY + LAN_DELAY + INSIDE_DELAY
        elif len(self.clusters) > 1:
            longest = LAN_DELAY + INSIDE_DELAY
        else:
            longest = INSIDE_DELAY
        slowest = max(
            delay + _crossing(operation, size, inside, ranks) / rate
            for inside, rate, delay in edges
            if inside < ranks
        )
        return max(longest, slowest)


def _crossing(operation: str, size: int, inside: int, ranks: int) -> float:
    """Bytes that must cross, one way at least, the edge between `inside` ranks and the others."""
    outside = ranks - inside
    operation = VECTORS.get(operation, operation)
    if operation == "barrier":
        return 0
    if operation in ("scatter", "gather"):  # the root is on one side: the smaller loss counts
        return size * min(inside, outside)
    if operation == "allgather":
        return size * max(inside, outside)
    if operation == "alltoall":
        return size * inside * outside
    if operation.startswith("reduce_scatter"):
        return size * max(inside, outside) / ranks
    return size
