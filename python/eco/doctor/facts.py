# SPDX-License-Identifier: BSD-3-Clause
"""What hosts said of themselves (lines of the probe's ranks), as values."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Union

from eco.errors import EcoError, ExitCode
from eco.quantities import natural

MARK = "ECO_DOCTOR"  # a variable that `eco doctor` sets, to see whether it reaches the ranks


# No `|`: this runs, and Python 3.9 has none for types.
IpNetwork = Union[ipaddress.IPv4Network, ipaddress.IPv6Network]


@dataclass(frozen=True)
class Interface:
    """One that is up, with an address; IPv6 where it has no IPv4. The loopback is none."""

    name: str
    address: ipaddress.IPv4Interface | ipaddress.IPv6Interface
    bridge: bool
    down: bool  # without a carrier
    mtu: int | None
    megabits: int | None

    @property
    def network(self) -> IpNetwork:
        return self.address.network


@dataclass(frozen=True)
class Host:
    """As its first rank sees it."""

    name: str
    rank: int
    ranks: int
    build: str
    mpi: str
    kernel: str
    governor: str
    clock: str
    environment: Mapping[str, str]
    interfaces: tuple[Interface, ...]
    tcp: Counters | None
    processors: int
    machine: str  # the same for hosts that share one, as containers do; empty: not known
    load: float | None  # processes that run or would, when this began
    share: float | None  # of the time in which a process wants a processor, that it has one
    slow_restart: bool  # TCP begins slowly again on a connection that has rested


@dataclass(frozen=True)
class Counters:
    """TCP segments of a host."""

    sent: int
    lost: int  # and sent again; without those that had arrived already


def counters(tcp: Mapping[str, Any] | None) -> Counters | None:
    """TCP sends again what may be lost; the receiver says of what it had already."""
    if tcp is None:
        return None
    again = int(tcp["sent_again"]) - int(tcp.get("had_already", 0))
    return Counters(int(tcp["sent"]), max(0, again))


def read(entry: Mapping[str, Any]) -> Host:
    """What one rank told of its host."""
    try:
        return _host(entry)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise EcoError("the probe reported invalid facts of a host", ExitCode.LAUNCH) from None


def read_start(entry: Mapping[str, Any]) -> Host:
    """What one rank told before MPI_Init, when its rank may not be known."""
    return read({"rank": 0, "ranks": 0, **entry})


def once(ranks: Iterable[Host]) -> list[Host]:
    """Hosts in the order of their ranks, each once; where no job joins them, by their names."""
    hosts: dict[str, Host] = {}
    for each in sorted(ranks, key=lambda each: (each.rank, natural(each.name))):
        hosts.setdefault(each.name, each)
    return list(hosts.values())


def _host(entry: Mapping[str, Any]) -> Host:
    return Host(
        name=str(entry["host"]),
        rank=int(entry["rank"]),
        ranks=int(entry["ranks"]),
        build=str(entry["build"]),
        mpi=str(entry["mpi"]),
        kernel=str(entry.get("kernel", "")),
        governor=str(entry.get("governor", "")),
        clock=str(entry.get("clock", "")),
        environment={str(key): str(value) for key, value in entry["environment"].items()},
        interfaces=tuple(_interface(each) for each in entry["interfaces"]),
        tcp=counters(entry.get("tcp")),
        processors=int(entry.get("processors", 0)),
        machine=str(entry.get("machine", "")),
        load=entry.get("load"),
        share=entry.get("processor_share"),
        slow_restart=bool(entry.get("slow_start_after_idle", False))
        # Which sends at the rate that it has measured, whatever the setting.
        and not str(entry.get("congestion_control", "")).startswith("bbr"),
    )


def _interface(entry: Mapping[str, Any]) -> Interface:
    return Interface(
        name=str(entry["name"]),
        address=ipaddress.ip_interface(f"{entry['address']}/{int(entry['prefix'])}"),
        bridge=bool(entry["bridge"]),
        down=bool(entry["down"]),
        mtu=entry.get("mtu"),
        megabits=entry.get("megabits"),
    )
