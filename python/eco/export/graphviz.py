# SPDX-License-Identifier: BSD-3-Clause
"""For Graphviz: clusters as nested boxes, and between those of one box what messages take."""

import json

from eco import quantities, structure
from eco.export.document import Document, comments
from eco.export.network import Network, Switch


def dot(network: Network) -> Document:
    """An undirected graph."""
    use = "dot -Tsvg FILE > network.svg"
    cannot = ("times of single pairs of hosts: medians between clusters are shown",)
    body = [*_box(network, network.root, 1), *_links(network, network.root)]
    text = "".join(f"{line}\n" for line in body)
    head = comments(network.profile, use, cannot, "//")
    return Document(f"{head}graph eco {{\n  compound=true\n{text}}}\n", cannot, use)


def _box(network: Network, switch: Switch, depth: int) -> list[str]:
    indent = "  " * depth
    title = structure.describe_shared(network.profile, switch.hosts) or switch.name
    lines = [f"{indent}subgraph cluster_{switch.name} {{", f"{indent}  label={_quoted(title)}"]
    for part in switch.parts:
        lines += _box(network, part, depth + 1)
    if not switch.parts:
        lines += [f"{indent}  {_quoted(name)}" for name in network.names_of(switch.hosts)]
    return [*lines, f"{indent}}}"]


def _links(network: Network, switch: Switch) -> list[str]:
    lines = []
    for at, a in enumerate(switch.parts):
        for b in switch.parts[at + 1 :]:
            found = structure.link(network.profile, structure.across(a.hosts, b.hosts))
            if found is None:
                continue
            label = quantities.seconds(found.latency)
            if found.bandwidth:
                label += f", {quantities.rate(found.bandwidth)}"
            ends = " -- ".join(_quoted(network.names[each.hosts[0]]) for each in (a, b))
            lines.append(
                f"  {ends} [label={_quoted(label)}, ltail=cluster_{a.name}, lhead=cluster_{b.name}]"
            )
        lines += _links(network, a)
    return lines


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
