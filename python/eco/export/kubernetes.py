# SPDX-License-Identifier: BSD-3-Clause
"""For Kubernetes: node labels with the keys of topograph, and topograph's own model."""

import json

from eco.export.document import Document, comments
from eco.export.network import Network, Switch, check_names

_NAME = r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?"
_LONGEST = 253
_NO_FIGURES = "latencies and rates"


def labels(network: Network) -> Document:
    """A kubectl command for each node; tier 0 is the nearest switch."""
    _check(network)
    use = "sh FILE, with the rights to label nodes; schedulers read fabric.topograph.run/tier-N"
    cannot = (_NO_FIGURES,)
    above = _above(network.root, ())
    lines = []
    for host in network.hosts:
        tiers = " ".join(
            f"fabric.topograph.run/tier-{tier}={name}" for tier, name in enumerate(above[host])
        )
        lines.append(f"kubectl label --overwrite node {network.names[host]} {tiers}\n")
    return Document(comments(network.profile, use, cannot) + "".join(lines), cannot, use)


def topograph(network: Network) -> Document:
    """The model of topograph's test provider: switches, and blocks of nodes below them."""
    _check(network)
    use = "topograph's provider 'test', parameter modelFileName"
    cannot = (_NO_FIGURES,)
    lines = ["switches:"]
    for switch in reversed(list(network.root.below)):
        inside = ", ".join(part.name for part in switch.parts)
        lines.append(
            f"  {switch.name}: {{switches: [{inside}]}}" if inside else f"  {switch.name}: {{}}"
        )
    lines.append("blocks:")
    for switch in network.root.below:
        if not switch.parts:
            nodes = ", ".join(json.dumps(name) for name in network.names_of(switch.hosts))
            lines += [f"- switch: {switch.name}", f"  nodes: [{nodes}]"]
    text = comments(network.profile, use, cannot) + "".join(f"{line}\n" for line in lines)
    return Document(text, cannot, use)


def _above(switch: Switch, over: tuple[str, ...]) -> dict[int, tuple[str, ...]]:
    """Per host the switches over it, the nearest first."""
    path = (switch.name, *over)
    found = {} if switch.parts else dict.fromkeys(switch.hosts, path)
    for part in switch.parts:
        found |= _above(part, path)
    return found


def _check(network: Network) -> None:
    check_names(list(network.names.values()), _LONGEST, _NAME, "Kubernetes")
