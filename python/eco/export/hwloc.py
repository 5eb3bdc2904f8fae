# SPDX-License-Identifier: BSD-3-Clause
"""For tools that read hwloc's XML: clusters as groups, hosts as packages of one processor."""

from xml.sax.saxutils import quoteattr

from eco.export.document import Document, comments
from eco.export.network import Network, Switch

_MOST_IN_MATRIX = 256
# Of hwloc's hwloc_distances_kind_e: from the user, and what larger values mean.
_LATENCY, _BANDWIDTH = 2 | 4, 2 | 8
_PER_LINE = 16


def xml(network: Network) -> Document:
    """A topology of hwloc 2, the latencies and rates between hosts as its distances."""
    use = "lstopo -i FILE, or HWLOC_XMLFILE=FILE for any program that uses hwloc"
    cannot = [
        "hosts as such: each is a package with one processor, and its name is the info HostName"
    ]
    small = len(network.hosts) <= _MOST_IN_MATRIX
    if not small:
        cannot.append(f"times between pairs, of more than {_MOST_IN_MATRIX} hosts")
    writer = _Writer(network)
    body = [*writer.machine(), *(writer.distances() if small else [])]
    notes = comments(network.profile, use, cannot, "").replace("--", "- -")
    text = (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<!DOCTYPE topology SYSTEM "hwloc2.dtd">\n'
        f'<!--\n{notes}-->\n<topology version="2.0">\n'
        + "".join(f"{line}\n" for line in body)
        + "</topology>\n"
    )
    return Document(text, tuple(cannot), use)


class _Writer:
    """Numbers the objects of one file; processors by the order of the ring."""

    def __init__(self, network: Network) -> None:
        self._network = network
        self._index = {host: place for place, host in enumerate(network.hosts)}
        self._objects = 0

    def machine(self) -> list[str]:
        hosts = self._network.hosts
        root = self._network.root
        inside = [self._alone("NUMANode", hosts, 0, ' local_memory="0"')]
        if root.parts:
            inside += [line for part in root.parts for line in self._cluster(part)]
        else:
            inside += [line for host in hosts for line in self._package(host)]
        sets = self._sets(hosts)
        allowed = f' allowed_cpuset="{_mask(range(len(hosts)))}" allowed_nodeset="0x00000001"'
        return [f'<object type="Machine" os_index="0"{sets}{allowed}>', *inside, "</object>"]

    def distances(self) -> list[str]:
        profile, hosts = self._network.profile, self._network.hosts
        shortest, longest = profile.minimum[0], profile.minimum[-1]
        more = profile.sizes[-1] - profile.sizes[0]
        latency = [round(1e9 * shortest[a][b]) for a in hosts for b in hosts]
        lines = self._matrix("NetworkLatency", _LATENCY, latency)  # nanoseconds
        if more > 0:
            rates = [
                0
                if a == b
                else round(more / (longest[a][b] - shortest[a][b]) / 1e3)
                if longest[a][b] > shortest[a][b]
                else 0
                for a in hosts
                for b in hosts
            ]
            lines += self._matrix("NetworkBandwidth", _BANDWIDTH, rates)  # kB/s
        return lines

    def _matrix(self, name: str, kind: int, values: list[int]) -> list[str]:
        count = len(self._network.hosts)
        head = f'<distances2 type="PU" nbobjs="{count}" kind="{kind}" name="{name}" indexing="os">'
        return [
            head,
            *_numbers("indexes", list(range(count))),
            *_numbers("u64values", values),
            "</distances2>",
        ]

    def _cluster(self, switch: Switch) -> list[str]:
        if len(switch.hosts) == 1:  # hwloc drops a group of one
            return self._package(switch.hosts[0])
        inside = [line for part in switch.parts for line in self._cluster(part)]
        if not switch.parts:
            inside = [line for host in switch.hosts for line in self._package(host)]
        # Kinds differ, so that hwloc keeps groups that it would else merge.
        head = f'<object type="Group" subtype="Cluster" name="{switch.name}" kind="10"'
        return [f"{head}{self._sets(switch.hosts)}>", *inside, "</object>"]

    def _package(self, host: int) -> list[str]:
        at = self._index[host]
        name = quoteattr(self._network.names[host])
        return [
            f'<object type="Package" os_index="{at}"{self._sets((host,))}>',
            f'<info name="HostName" value={name}/>',
            self._alone("PU", (host,), at),
            "</object>",
        ]

    def _alone(self, kind: str, hosts: tuple[int, ...], index: int, more: str = "") -> str:
        return f'<object type="{kind}" os_index="{index}"{self._sets(hosts)}{more}/>'

    def _sets(self, hosts: tuple[int, ...]) -> str:
        self._objects += 1
        cpus = _mask([self._index[host] for host in hosts])
        return (
            f' cpuset="{cpus}" complete_cpuset="{cpus}" nodeset="0x00000001"'
            f' complete_nodeset="0x00000001" gp_index="{self._objects}"'
        )


def _mask(bits: "range | list[int]") -> str:
    """As hwloc writes sets: words of 32 bits, the highest first."""
    value = sum(1 << bit for bit in bits)
    words = []
    while value:
        words.append(f"0x{value & 0xFFFFFFFF:08x}")
        value >>= 32
    return ",".join(reversed(words))


def _numbers(tag: str, values: list[int]) -> list[str]:
    lines = []
    for start in range(0, len(values), _PER_LINE):
        text = "".join(f"{value} " for value in values[start : start + _PER_LINE])
        lines.append(f'<{tag} length="{len(text)}">{text}</{tag}>')
    return lines
