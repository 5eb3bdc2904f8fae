# SPDX-License-Identifier: BSD-3-Clause
"""For Slurm: topology.conf, topology.yaml (from 25.05 on), and the host order of one job."""

from __future__ import annotations

import json
import shutil
import subprocess

from eco.errors import EcoError, ExitCode
from eco.export.document import Document, comments
from eco.export.network import Network, check_names, listed, ranges
from eco.probe import say_on_stderr

LONGEST_NAME = 64
_NAME = r"[A-Za-z0-9_][A-Za-z0-9_.-]*"
_NO_FIGURES = "latencies and rates: Slurm's tree has only switches"


def conf(network: Network) -> Document:
    """A line for each switch, leaves first."""
    _check(network)
    use = "install as topology.conf beside slurm.conf; slurm.conf: TopologyPlugin=topology/tree"
    cannot = (_NO_FIGURES,)
    lines = []
    for switch in network.root.below:
        if switch.parts:
            inside = f"Switches={','.join(part.name for part in switch.parts)}"
        else:
            inside = f"Nodes={ranges(network.names_of(switch.hosts))}"
        lines.append(f"SwitchName={switch.name} {inside}\n")
    return Document(comments(network.profile, use, cannot) + "".join(lines), cannot, use)


def yaml(network: Network) -> Document:
    """One topology of the type tree."""
    _check(network)
    use = "install as topology.yaml beside slurm.conf (Slurm 25.05 or later)"
    cannot = (_NO_FIGURES,)
    lines = ["---", "- topology: eco", "  cluster_default: true", "  tree:", "    switches:"]
    for switch in reversed(list(network.root.below)):
        lines.append(f"      - switch: {switch.name}")
        if switch.parts:
            children = ",".join(part.name for part in switch.parts)
            lines.append(f"        children: {json.dumps(children)}")
        else:
            nodes = ranges(network.names_of(switch.hosts))
            lines.append(f"        nodes: {json.dumps(nodes)}")
    text = comments(network.profile, use, cannot) + "".join(f"{line}\n" for line in lines)
    return Document(text, cannot, use)


def hostfile(network: Network) -> Document:
    """The host of each task, for one job."""
    _check(network)
    use = f"SLURM_HOSTFILE=FILE srun -n {len(network.ranks)} --distribution=arbitrary …"
    cannot = ("anything but the order of hosts",)
    lines = "".join(f"{network.names[host]}\n" for host in network.ranks)
    return Document(comments(network.profile, use, cannot) + lines, cannot, use)


def _check(network: Network) -> None:
    names = list(network.names.values())
    check_names(names, LONGEST_NAME, _NAME, "Slurm")
    known = known_nodes()
    if known is None:
        return
    unknown = [name for name in names if name not in known]
    if unknown:
        raise EcoError(
            f"Slurm has no node {listed(unknown)}: sinfo shows {listed(sorted(known))}; give "
            "Slurm's names by --names FILE, or the nodes to export by --hosts",
            ExitCode.BAD_INPUT,
        )
    others = sorted(known - set(names))
    if others:
        say_on_stderr(f"eco: Slurm's node {listed(others)} is not in this export")


def known_nodes() -> set[str] | None:
    """The nodes of the Slurm that answers here; None if there is none."""
    if shutil.which("sinfo") is None:
        return None
    try:
        answer = subprocess.run(
            ["sinfo", "--noheader", "--Node", "--format=%N"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=10,
        )
    except (OSError, subprocess.TimeoutExpired):
        answer = None
    if answer is None or answer.returncode != 0:
        say_on_stderr("eco: Slurm does not answer here, so its node names were not compared")
        return None
    return set(answer.stdout.split())
