# SPDX-License-Identifier: BSD-3-Clause
"""The host of each rank: along the profile's ring, or near those that a rank talks to."""

import re
from collections.abc import Sequence
from pathlib import Path

from eco import text_files
from eco.engine import engine, errors
from eco.errors import EcoError, ExitCode

_MOST_RANKS = 4096
_MOST_HERE = 1_000_000


def by_ring(hosts: Sequence[int], ranks_per_host: int) -> tuple[int, ...]:
    """Contiguous ranks on each host, hosts in the order of the ring."""
    if not 1 <= ranks_per_host <= _MOST_HERE // max(1, len(hosts)):
        raise EcoError(
            f"--ranks-per-host {ranks_per_host}: must be from 1 to {_MOST_HERE // len(hosts)}",
            ExitCode.USAGE,
        )
    return tuple(host for host in hosts for _ in range(ranks_per_host))


def by_graph(text: str, ranks: Sequence[int], graph: Path) -> tuple[int, ...]:
    """The slots `ranks` given to the vertices of a graph, neighbours near each other.

    text: the profile, for the engine.
    """
    if len(ranks) > _MOST_RANKS:
        raise EcoError(
            f"--graph: {len(ranks)} ranks; at most {_MOST_RANKS} can be placed", ExitCode.USAGE
        )
    edges = read_graph(graph, len(ranks))
    with errors():
        profile = engine().parse_profile(text.encode(), "the profile")
        hierarchy = engine().build_hierarchy(profile, list(ranks))
        network = engine().build_network(profile)
        placed = engine().place(network, hierarchy, list(ranks), edges)
    return tuple(ranks[slot] for slot in placed)


def read_graph(path: Path, ranks: int) -> list[tuple[int, int, float]]:
    """Lines `RANK RANK [WEIGHT]`."""
    try:
        text = text_files.read(path, "replace")
    except OSError as error:
        raise EcoError(
            f"--graph {path} cannot be read: {error.strerror}", ExitCode.BAD_INPUT
        ) from None
    edges = []
    for number, line in enumerate(text.splitlines(), 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        figures = [word for word in words if re.fullmatch(r"\d{1,15}(\.\d{0,15})?", word)]
        whole = all(word.isdecimal() for word in words[:2])
        if len(figures) != len(words) or not 2 <= len(words) <= 3 or not whole:
            raise EcoError(
                f"{path}, line {number}: must be 'RANK RANK' or 'RANK RANK WEIGHT'",
                ExitCode.BAD_INPUT,
            )
        a, b = int(words[0]), int(words[1])
        if max(a, b) >= ranks:
            raise EcoError(
                f"{path}, line {number}: rank {max(a, b)}, but these hosts have {ranks} ranks; "
                "give --ranks-per-host",
                ExitCode.BAD_INPUT,
            )
        edges.append((a, b, float(words[2]) if len(words) == 3 else 1.0))
    return edges
