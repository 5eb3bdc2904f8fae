# SPDX-License-Identifier: BSD-3-Clause
"""The table of formats: what `--format` takes, and who reads each."""

from collections.abc import Callable
from dataclasses import dataclass

from eco.export import graphviz, hosts, hwloc, kubernetes, mpich, slurm
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


FORMATS = (
    Format("slurm-conf", "Slurm's topology.conf", slurm.conf, SHORT),
    Format("slurm-yaml", "Slurm's topology.yaml, 25.05 or later", slurm.yaml, SHORT),
    Format("slurm-hostfile", "host order for srun -m arbitrary", slurm.hostfile, SHORT, True),
    Format("openmpi-rankfile", "host order with cores, Open MPI", hosts.rankfile, by_rank=True),
    Format("openmpi-hostfile", "host order for --map-by seq", hosts.sequential, by_rank=True),
    Format("hydra-hostfile", "host order for MPICH's mpiexec", hosts.hydra, by_rank=True),
    Format("mpich-coordinates", "MPICH's coordinates file", mpich.coordinates, by_rank=True),
    Format("mpich-cvars", "MPICH's settings for trees by topology", mpich.cvars),
    Format("kubernetes-labels", "kubectl commands that label nodes", kubernetes.labels),
    Format("topograph", "topograph's model, YAML", kubernetes.topograph),
    Format("graphviz", "a graph for dot", graphviz.dot),
    Format("hwloc-xml", "hwloc's XML, for lstopo", hwloc.xml),
)
