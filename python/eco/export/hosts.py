# SPDX-License-Identifier: BSD-3-Clause
"""The order of hosts for launchers: Open MPI's rankfile and sequential hostfile, Hydra's."""

import itertools
from collections import Counter

from eco.export.document import Document, comments
from eco.export.network import Network, check_names

_NAME = r"[A-Za-z0-9_][A-Za-z0-9_.-]*"
_LONGEST = 255
_ONLY_ORDER = "anything but the order of hosts"


def rankfile(network: Network) -> Document:
    """A host and a core for each rank."""
    _check(network, "Open MPI")
    use = (
        "Open MPI 5: mpirun --map-by rankfile:file=FILE …; "
        f"Open MPI 4: mpirun --rankfile FILE -n {len(network.ranks)} …"
    )
    cannot = (
        _ONLY_ORDER,
        "how many cores a host has: rank i of a host is bound to its core i",
    )
    used: Counter[int] = Counter()
    lines = []
    for rank, host in enumerate(network.ranks):
        lines.append(f"rank {rank}={network.names[host]} slot={used[host]}\n")
        used[host] += 1
    return Document(comments(network.profile, use, cannot) + "".join(lines), cannot, use)


def sequential(network: Network) -> Document:
    """A line for each rank."""
    _check(network, "Open MPI")
    use = (
        "Open MPI 5: mpirun --hostfile FILE --map-by seq …; "
        "Open MPI 4: mpirun --hostfile FILE --mca rmaps seq …"
    )
    cannot = (_ONLY_ORDER, "cores, so add --bind-to none or core as you need")
    lines = "".join(f"{network.names[host]}\n" for host in network.ranks)
    return Document(comments(network.profile, use, cannot) + lines, cannot, use)


def hydra(network: Network) -> Document:
    """A line for each host, or for each sequence of ranks on one."""
    _check(network, "Hydra")
    use = f"MPICH: mpiexec -f FILE -n {len(network.ranks)} …"
    cannot = (_ONLY_ORDER,)
    lines = "".join(
        f"{network.names[host]}:{len(list(run))}\n"
        for host, run in itertools.groupby(network.ranks)
    )
    return Document(comments(network.profile, use, cannot) + lines, cannot, use)


def _check(network: Network, consumer: str) -> None:
    check_names(list(network.names.values()), _LONGEST, _NAME, consumer)
