# SPDX-License-Identifier: BSD-3-Clause
"""For MPICH: the coordinates of ranks, and the variables that make its trees use them."""

import math
import statistics
from collections.abc import Sequence

from eco import algorithms, structure
from eco.export import timed
from eco.export.document import Document, comments
from eco.export.network import Network
from eco.profile import AlgorithmTimes

# MPICH 5 has them for these two operations; the words differ.
_TREES = {"BCAST": "pipelined_tree", "ALLREDUCE": "tree"}
_NOT_SLOWER = 0.97  # times as fast; two runs of the same differ as much


def coordinates(network: Network) -> Document:
    """Per rank of one job its group (the widest cluster) and its switch (the subnet)."""
    use = (
        f"MPIR_CVAR_COORDINATES_FILE=FILE for a job of exactly {len(network.ranks)} ranks in this "
        "order of hosts, with the settings of --format mpich-cvars"
    )
    cannot = [
        "latencies and rates: --format mpich-cvars has the latencies",
        "hosts: the file is by rank, so order the hosts by --format hydra-hostfile",
    ]
    levels = network.profile.levels
    if len(levels) > 2:
        cannot.append(
            f"{len(levels) - 2} of {len(levels)} levels: MPICH knows only groups and switches"
        )
    # MPICH skips the first line, whatever it holds.
    lines = ["# rank: group, switch, port (not used)\n"]
    for rank, host in enumerate(network.ranks):
        lines.append(f"{rank}: {levels[0][host]} {levels[-1][host]} -1\n")
    return Document("".join(lines), tuple(cannot), use)


def cvars(network: Network) -> Document:
    """Trees by topology for broadcast and allreduce, with measured latencies as their costs."""
    use = "MPIR_CVAR_COORDINATES_FILE=COORDINATES; . FILE; mpiexec … (MPICH 5)"
    cannot = (
        "rates: MPICH's trees count latencies only",
        "trees for other operations than broadcast and allreduce",
        "ECO's algorithms: MPICH uses its own trees",
    )
    profile, hosts = network.profile, network.hosts
    pairs = structure.inside(hosts)
    wide, narrow = profile.levels[0], profile.levels[-1]
    kinds = {
        "TOPO_SAME_SWITCHES": [p for p in pairs if narrow[p[0]] == narrow[p[1]]],
        "TOPO_DIFF_SWITCHES": [
            p for p in pairs if narrow[p[0]] != narrow[p[1]] and wide[p[0]] == wide[p[1]]
        ],
        "TOPO_DIFF_GROUPS": [p for p in pairs if wide[p[0]] != wide[p[1]]],
    }
    lines = [': "${MPIR_CVAR_COORDINATES_FILE:?name the file of --format mpich-coordinates}"\n']
    lines.append("export MPIR_CVAR_COORDINATES_FILE\n")
    for operation, algorithm in _TREES.items():
        lines.append(f"export MPIR_CVAR_{operation}_INTRA_ALGORITHM={algorithm}\n")
        lines.append(f"export MPIR_CVAR_{operation}_TREE_TYPE=topology_wave\n")
    costs = {
        key: 1e6 * statistics.median(profile.minimum[0][a][b] for a, b in found)
        for key, found in kinds.items()
        if found
    }
    sends = [fixed for fixed, _ in profile.model.send] if profile.model else []
    if sends:
        costs["TOPO_OVERHEAD"] = 1e6 * statistics.median(sends)
    for key, cost in costs.items():
        for operation in _TREES:
            lines.append(f"export MPIR_CVAR_{operation}_{key}={max(1, round(cost))}\n")
    return Document(comments(profile, use, cannot) + "".join(lines), cannot, use)


def own_algorithms(network: Network) -> Document:
    """Per operation the one of MPICH's own algorithms that is best over all sizes."""
    entries = timed.of_library(network.profile, "mpich")
    use = f". FILE; mpiexec … ({entries[0].mpi.replace('mpich', 'MPICH')})"
    cannot = [
        "sizes: a variable applies to all messages of an operation",
        "ECO's algorithms: the variables name MPICH's own",
        "numbers of ranks: the times are for the number of ranks that was timed",
    ]
    lines = []
    most = max(entry.ranks for entry in entries)
    for (operation, ranks), found in timed.by_call(entries).items():
        if ranks != most:
            continue
        best = _best_of_all(found)
        for name, value in algorithms.of_mpich(operation, best).items() if best else ():
            lines.append(f"export {name}={value}\n")
        if not best and any(entry.best for entry in found):
            sizes = ", ".join(f"{entry.bytes} B" for entry in found if entry.best)
            cannot.append(
                f"the best algorithm for {operation} of {sizes}: it is slower for other sizes"
            )
    text = comments(network.profile, use, cannot)
    return Document(text + "".join(lines), tuple(cannot), use)


def _best_of_all(found: Sequence[AlgorithmTimes]) -> str:
    """Faster at some size, and at none slower than MPICH's own choice; empty: none."""
    gains: dict[str, float] = {}
    for name in dict.fromkeys(entry.best for entry in found if entry.best):
        each = [entry.usual / entry.times.get(name, math.inf) for entry in found]
        if min(each) >= _NOT_SLOWER:
            gains[name] = structure.geometric_mean(each) or 0
    return max(gains, key=lambda name: gains[name], default="")
