# SPDX-License-Identifier: BSD-3-Clause
"""What hosts said of themselves (the probe's `facts` events), as values."""

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from eco.errors import EcoError, ExitCode

MARK = "ECO_DOCTOR"  # a variable that `eco doctor` sets, to see whether it reaches the ranks


@dataclass(frozen=True)
class Interface:
    """One that is up and has an IPv4 address; the loopback is none."""

    name: str
    address: ipaddress.IPv4Interface
    bridge: bool
    down: bool  # without a carrier
    mtu: int | None
    megabits: int | None

    @property
    def network(self) -> ipaddress.IPv4Network:
        return self.address.network


@dataclass(frozen=True)
class Host:
    """As its first rank sees it."""

    name: str
    build: str
    mpi: str
    kernel: str
    governor: str
    clock: str
    environment: Mapping[str, str]
    interfaces: tuple[Interface, ...]
    sent: int | None  # TCP segments
    sent_again: int | None


def read(event: Mapping[str, Any]) -> list[Host]:
    """Hosts in the order of their ranks, each once."""
    hosts: dict[str, Host] = {}
    try:
        for entry in event["ranks"]:
            host = _host(entry)
            hosts.setdefault(host.name, host)
    except (KeyError, TypeError, ValueError):
        raise EcoError("the probe reported invalid facts of a host", ExitCode.LAUNCH) from None
    return list(hosts.values())


def _host(entry: Mapping[str, Any]) -> Host:
    tcp = entry.get("tcp", {})
    return Host(
        name=str(entry["host"]),
        build=str(entry["build"]),
        mpi=str(entry["mpi"]),
        kernel=str(entry.get("kernel", "")),
        governor=str(entry.get("governor", "")),
        clock=str(entry.get("clock", "")),
        environment={str(key): str(value) for key, value in entry["environment"].items()},
        interfaces=tuple(_interface(each) for each in entry["interfaces"]),
        sent=tcp.get("sent"),
        sent_again=tcp.get("sent_again"),
    )


def _interface(entry: Mapping[str, Any]) -> Interface:
    return Interface(
        name=str(entry["name"]),
        address=ipaddress.IPv4Interface(f"{entry['address']}/{int(entry['prefix'])}"),
        bridge=bool(entry["bridge"]),
        down=bool(entry["down"]),
        mtu=entry.get("mtu"),
        megabits=entry.get("megabits"),
    )
