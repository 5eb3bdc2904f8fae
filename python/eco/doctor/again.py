# SPDX-License-Identifier: BSD-3-Clause
"""The second look at what seemed slow: hosts, beside their nearest; the order of ranks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from eco.zipped import zipped


@dataclass(frozen=True)
class Visits:
    """The least half round trip of each visit, of the shortest and of the longest messages."""

    short: tuple[float, ...]
    long: tuple[float, ...]

    @property
    def more(self) -> tuple[float, ...]:
        """What the long ones take longer."""
        return tuple(long - short for short, long in zipped(self.short, self.long))


@dataclass(frozen=True)
class Again:
    """own: between the host and the nearest in a subnet of several; beside: from there to its own
    nearest."""

    own: Visits
    beside: Visits

    def takes_longer(self, factor: float) -> bool:
        """Whether short messages to the host surely take `factor` times as long."""
        return _clearly(self.own.short, self.beside.short, factor)

    def carries_less(self, factor: float) -> bool:
        """Whether its link surely has less than 1 / `factor` of the rate."""
        return _clearly(self.own.more, self.beside.more, factor)


@dataclass(frozen=True)
class SecondLook:
    """hosts: by name. order: how many times as long once around all hosts takes in the launcher's
    order as in the best known; 0 where that was not looked at again."""

    hosts: Mapping[str, Again]
    order: float = 0.0


def read(event: Mapping[str, Any]) -> SecondLook:
    """The probe's event."""
    hosts = {
        str(each["host"]): Again(_visits(each["own"]), _visits(each["beside"]))
        for each in event["hosts"]
    }
    orders = event.get("orders")
    return SecondLook(hosts, orders["given"] / orders["ring"] if orders else 0.0)


def _visits(entry: Mapping[str, Sequence[float]]) -> Visits:
    return Visits(*(tuple(map(float, entry[key])) for key in ("short", "long")))


def _clearly(own: Sequence[float], beside: Sequence[float], factor: float) -> bool:
    """One visit of each may be off: of the others each is longer than all beside."""
    return len(own) > 2 and sorted(own)[1] > factor * sorted(beside)[-2]
