# SPDX-License-Identifier: BSD-3-Clause
"""The table of formats: what `--format` takes, and who reads each."""

from collections.abc import Callable
from dataclasses import dataclass

from eco.export import graphviz, hosts, hwloc, kubernetes, mpich, openmpi, slurm, ucc
from eco.export.document import Document
from eco.export.network import FULL, SHORT, Network


@dataclass(frozen=True)
class Format:
    """One kind of file."""

    name: str
    title: str
    write: Callable[[Network], Document]
    names: str = FULL  # the usual --names
    by_rank: bool = False  # one job's: --ranks-per-host and --graph count
    timed: bool = False  # of what `eco tune --native-algorithms` timed


FORMATS = (
    Format("slurm-conf", "Slurm's topology.conf", slurm.conf, SHORT),
    Format("slurm-yaml", "Slurm's topology.yaml, 25.05 or later", slurm.yaml, SHORT),
    Format("slurm-hostfile", "host order for srun -m arbitrary", slurm.hostfile, SHORT, True),
    Format("openmpi-rankfile", "host order with cores, Open MPI", hosts.rankfile, by_rank=True),
    Format("openmpi-hostfile", "host order for --map-by seq", hosts.sequential, by_rank=True),
    Format("hydra-hostfile", "host order for MPICH's mpiexec", hosts.hydra, by_rank=True),
    Format("mpich-coordinates", "MPICH's coordinates file", mpich.coordinates, by_rank=True),
    Format("mpich-cvars", "MPICH's settings for trees by topology", mpich.cvars),
    Format(
        "mpich-algorithms",
        "MPICH's settings that name its own algorithms",
        mpich.own_algorithms,
        timed=True,
    ),
    Format("openmpi-rules", "Open MPI's tuned rules, 4.1 and 5.0", openmpi.classic, timed=True),
    Format("openmpi-rules-json", "Open MPI's tuned rules, 6.0", openmpi.rules_json, timed=True),
    Format("ucc-tune", "UCC's tune string", ucc.tune, timed=True),
    Format("kubernetes-labels", "kubectl commands that label nodes", kubernetes.labels),
    Format("topograph", "topograph's model, YAML", kubernetes.topograph),
    Format("graphviz", "a graph for dot", graphviz.dot),
    Format("hwloc-xml", "hwloc's XML, for lstopo", hwloc.xml),
)
