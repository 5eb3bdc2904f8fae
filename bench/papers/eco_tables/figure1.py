# SPDX-License-Identifier: BSD-3-Clause
"""Table 1: broadcasts on the six hosts of Fig. 1, by hand.

The figure is lost from the text we have. Its caption and the text give: three subnets of two
hosts; the binary trees (children 2i and 2i + 1, from a in the order a…f, from d in the order
d, e, f, a, b, c); "two nodes can send messages simultaneously". A search over all pairs of six
hosts, costs 1 to 3 inside and 1 to 7 between subnets, finds networks that give 7, 9, 8, 7. This is
the simplest: one cost inside and one between subnets, subnets of neighbours around the circle
a…f. In it different hosts send at once, each host one message after another, in the order of
the alphabet. Several spanning trees have the least weight, 9; the paper's is one of those that
join the subnets at a.
"""

from collections.abc import Iterable

HOSTS = "abcdef"
SUBNETS = ("fa", "bc", "de")
INSIDE, BETWEEN = 1, 3
MINIMAL_TREE = ("ab", "ae", "af", "bc", "de")
PRINTED = {("a", "mst"): 7, ("a", "binary"): 9, ("d", "mst"): 8, ("d", "binary"): 7}


def cost(one: str, two: str) -> int:
    return INSIDE if any(one in subnet and two in subnet for subnet in SUBNETS) else BETWEEN


def binary_tree(root: str) -> list[str]:
    """Hosts from `root` on, wrapping around; host i sends to 2i and 2i + 1."""
    at = HOSTS.index(root)
    order = HOSTS[at:] + HOSTS[:at]
    return [order[child // 2 - 1] + order[child - 1] for child in range(2, len(order) + 1)]


def eco_tree(root: str) -> list[str]:
    """Section 4: the root on top, subnets as vertices, each reached once."""
    leaders = {subnet: root if root in subnet else min(subnet) for subnet in SUBNETS}
    across = [root + leader for leader in leaders.values() if leader != root]
    inside = [
        leader + host for subnet, leader in leaders.items() for host in subnet if host != leader
    ]
    return across + inside


def weight(edges: Iterable[str]) -> int:
    return sum(cost(edge[0], edge[1]) for edge in edges)


def least_weight() -> int:
    """Of any spanning tree (Kruskal)."""
    group = {host: host for host in HOSTS}
    pairs = sorted((cost(a, b), a, b) for a in HOSTS for b in HOSTS if a < b)
    total = 0
    for each, a, b in pairs:
        if group[a] != group[b]:
            total += each
            old = group[b]
            group = {host: group[a] if top == old else top for host, top in group.items()}
    return total


def completion(edges: Iterable[str], root: str, far_first: bool = False) -> int:
    """When all have the message. A host sends on in the alphabet's order, or the far ones first."""
    near: dict[str, list[str]] = {host: [] for host in HOSTS}
    for edge in edges:
        near[edge[0]].append(edge[1])
        near[edge[1]].append(edge[0])

    def end(host: str, parent: str, start: int) -> int:
        last = start
        children = sorted(
            (child for child in near[host] if child != parent),
            key=lambda child: (-cost(host, child) if far_first else 0, child),
        )
        for child in children:
            start += cost(host, child)
            last = max(last, end(child, host, start))
        return last

    return end(root, "", 0)


def table() -> dict[str, dict[str, int]]:
    """Ours, by the root."""
    assert weight(MINIMAL_TREE) == least_weight()
    return {
        root: {
            "mst": completion(MINIMAL_TREE, root),
            "binary": completion(binary_tree(root), root),
            "eco": completion(eco_tree(root), root, far_first=True),
        }
        for root in ("a", "d")
    }
