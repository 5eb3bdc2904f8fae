# SPDX-License-Identifier: BSD-3-Clause
"""Networks that are broken on purpose, and what `eco doctor` must say of each."""

from dataclasses import dataclass

FOUR = """
networks:
  a: {kind: switch, rate: 50mbit, hosts: [n0, n1, n2, n3]}
"""

# True there without any fault: Open MPI's MPI_Reduce of 16 KiB takes 8.4 ms, its MPI_Allreduce 4.7.
# It is found if none of the few runs of the latter is disturbed.
OF_THE_LIBRARY = {(FOUR, "openmpi"): ("guidelines",)}


def apart(link: str, there: str = "50mbit", hosts: str = "n3") -> str:
    """Three hosts in one switch; behind a link there are others."""
    return f"""
networks:
  a: {{kind: switch, rate: 50mbit, hosts: [n0, n1, n2]}}
  b: {{kind: switch, rate: {there}, hosts: [{hosts}]}}
links:
  - {{between: [a, b], {link}}}
"""


@dataclass(frozen=True)
class Break:
    """What is wrong, how the lab makes it so, and where the doctor must see it."""

    name: str
    network: str  # a scenario's name, or its text
    check: str
    where: tuple[str, ...]
    faults: tuple[str, ...] = ()  # of fault.sh
    words: tuple[str, ...] = ()  # of `eco lab run`
    severity: str = "warning"
    says: str = ""  # words of its sentence, as a line to paste
    library: str = ""  # where it can happen; empty: both
    beside: tuple[str, ...] = ()  # what else follows from it
    instead: str = ""  # the check that names it where `check` cannot: processors that all are busy


BREAKS = (
    Break(
        "a host that other work keeps busy",
        FOUR,
        "busy-host",
        ("n2",),
        words=("--at", "0s", "host n2 slow=20"),
        beside=("slow-host", "slow-link", "guidelines"),
        instead="slow-host",
    ),
    Break("a link of a fifth", apart("rate: 10mbit"), "slow-link", ("n3",)),
    Break("a switch of a fifth", apart("rate: 50mbit", "10mbit"), "slow-link", ("n3",)),
    Break("a host far away", apart("delay: 4ms"), "slow-host", ("n3",)),
    Break(
        "a link between sites, slower one way",
        apart("rate: 40mbit, back: 8mbit", hosts="n3, n4, n5"),
        "asymmetric-link",
        ("n3", "n0"),
    ),
    Break(
        "a host's link, slower one way",
        apart("rate: 50mbit, back: 10mbit"),
        "asymmetric-link",
        ("n3", "n0"),
    ),
    Break(
        "a lossy link between sites",
        apart("loss: 3%", hosts="n3, n4, n5"),
        "losses",
        ("n0–n5", "n2–n3"),
    ),
    Break(
        "a host that loses packets",
        apart("loss: 3%"),
        "losses",
        ("n3",),
        beside=("slow-host", "slow-link"),  # it is one more link away than the others
    ),
    Break(
        "docker0 on all hosts",
        FOUR,
        "interface",
        ("n0", "n1", "n2", "n3"),
        faults=("all:bridge", "all:any-interface"),
        severity="error",
        says="the same address on several hosts",
        beside=("several-networks",),
    ),
    Break(
        "a bridge on one host",
        FOUR,
        "interface",
        ("n1",),
        faults=("n1:bridge", "all:any-interface"),
        says="10.9.0.0/16",
        library="openmpi",
    ),
    Break(
        "a bridge on one host",
        FOUR,
        "interface",
        ("n1",),
        faults=("n1:bridge",),
        says="-iface eth0",
        library="mpich",
    ),
    Break(
        "a slow NIC beside a fast one",
        "unequal-rails",
        "slow-interface",
        ("n0", "n1", "n2", "n3"),
        says="10.9.0.0/16",
    ),
    Break(
        "a network that joins nothing",
        FOUR,
        "unreachable",
        ("n0", "n1", "n2", "n3"),
        faults=("all:island", "all:any-interface"),
        severity="error",
        says="10.77.0.0/24",
        beside=("several-networks",),
    ),
    Break(
        "a second NIC that joins a site only",
        "rails-and-sites",
        "several-networks",
        ("w0", "w1", "w2", "w3", "e0", "e1", "e2", "e3"),
        faults=("all:any-interface",),
        severity="error",
        says="FI_TCP_IFACE=eth0",
        library="mpich",
    ),
    Break("a host's MTU", FOUR, "mtu", ("n1",), faults=("n1:mtu",), severity="error"),
    Break(
        "a switch with a smaller MTU",
        FOUR,
        "path-mtu",
        ("n0", "n1", "n2", "n3"),
        faults=("all:short-path",),
        severity="error",
        beside=("not-measured",),
    ),
    Break(
        "a router with a smaller MTU",
        FOUR,
        "path-mtu",
        ("n0", "n1", "n2", "n3"),
        faults=("all:routed", "all:short-path"),
        severity="error",
        beside=("not-measured",),
    ),
    Break("a slow clock", FOUR, "slow-clock", ("n2",), faults=("n2:clock",), says="hpet"),
    Break("a governor", FOUR, "governor", ("n0",), faults=("n0:governor",)),
    Break(
        "connections that begin slowly again",
        "two-sites",
        "idle-connections",
        ("n0", "n1", "n2", "n3", "n4", "n5", "n6", "n7"),
        says="sysctl -w net.ipv4.tcp_slow_start_after_idle=0",
    ),
    Break(
        "ranks in a bad order",
        "magpie",
        "rank-order",
        ("the hostfile",),
        words=("--hosts", "8", "--order", "random:3"),
        says="eco export",
        beside=("guidelines",),
    ),
    Break(
        "a collective that contradicts itself",
        FOUR.replace("[n0, n1, n2, n3]", "[n0, n1, n2, n3, n4, n5, n6, n7]"),
        "guidelines",
        ("MPI_Allreduce",),
        faults=("all:pieces",),
        library="openmpi",
    ),
    Break(
        "variables that stay behind",
        FOUR,
        "environment",
        ("n3",),
        faults=("n3:environment",),
        severity="note",
    ),
    Break(
        "UDP is stopped",
        FOUR,
        "udp",
        ("n0", "n2", "n1"),  # who sends, and who does not hear it
        faults=("n1:no-udp",),
        severity="note",
        beside=("multicast",),
    ),
    Break(
        "multicasts are stopped",
        FOUR,
        "multicast",
        ("n0", "n1", "n2", "n3"),
        faults=("all:multicast",),
        severity="note",
    ),
)
# Where TCP must not begin slowly again on connections that have rested.
FAR_APART = ("grid-3", "racks-64", "two-sites")
SOUND = (
    "campus-20",
    "grid-3",
    "magpie",
    "racks-64",
    "rails-and-sites",
    "switched-8",
    "three-segments",
    "two-rails",
    "two-sites",
)
