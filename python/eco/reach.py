# SPDX-License-Identifier: BSD-3-Clause
"""Which networks of the hosts do not join them, as the probe's plain sockets found, and what keeps
the MPI library from these."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from eco.doctor import interfaces
from eco.doctor.facts import Host, IpNetwork
from eco.doctor.finding import listed
from eco.errors import EcoError, ExitCode


@dataclass(frozen=True)
class Cut:
    """A connection that did not come about."""

    source: str
    target: str
    network: IpNetwork
    own: str  # addresses
    theirs: str

    @property
    def routed(self) -> bool:
        """Between hosts that share no network."""
        return self.network.prefixlen == 0


@dataclass(frozen=True)
class Twice:
    """An address that other hosts have too."""

    host: str
    network: IpNetwork
    address: str


@dataclass(frozen=True)
class Reach:
    """What the hosts' sockets found; empty: all that was tried connects."""

    cuts: tuple[Cut, ...] = ()
    twice: tuple[Twice, ...] = ()

    def __add__(self, other: Reach) -> Reach:
        return Reach(
            tuple(dict.fromkeys((*self.cuts, *other.cuts))),
            tuple(dict.fromkeys((*self.twice, *other.twice))),
        )

    @property
    def not_joining(self) -> list[IpNetwork]:
        """Networks that two hosts have addresses in, and that do not join all of these."""
        cut = [each.network for each in self.cuts if not each.routed]
        return list(dict.fromkeys([*cut, *(each.network for each in self.twice)]))


@dataclass(frozen=True)
class Advice:
    """What is wrong, the line that keeps the library from it, and what it then uses."""

    what: str
    line: str
    networks: tuple[IpNetwork, ...]

    @property
    def names(self) -> str:
        """For the probe's `--interfaces`."""
        return ",".join(map(str, self.networks))


def read(entry: Mapping[str, Any]) -> Reach:
    """An event of rank 0's, or what a host told."""
    try:
        return Reach(
            tuple(
                Cut(
                    str(each["from"]),
                    str(each["to"]),
                    ipaddress.ip_network(each["network"]),
                    str(each["own"]),
                    str(each["theirs"]),
                )
                for each in entry.get("failed", ())
            ),
            tuple(
                Twice(
                    str(each["host"]), ipaddress.ip_network(each["network"]), str(each["address"])
                )
                for each in entry.get("twice", ())
            ),
        )
    except (KeyError, TypeError, ValueError, AttributeError):
        raise EcoError("the probe reported invalid networks", ExitCode.LAUNCH) from None


def may_choose(hosts: Sequence[Host]) -> bool:
    """Whether the library may use more than one network."""
    return len(_used(hosts)) > 1


def sound(hosts: Sequence[Host], reach: Reach) -> list[IpNetwork]:
    """Networks that join all hosts, the fastest first."""
    bad = reach.not_joining
    return [each for each in interfaces.common(hosts) if each not in bad]


def advice(hosts: Sequence[Host], reach: Reach, failed: bool) -> Advice | None:
    """What to do about networks that the library may use and that do not join the hosts, if there
    is one that joins all. failed: its messages did not get through, so whatever does not join all
    hosts may be why."""
    good = sound(hosts, reach)
    used = _used(hosts)
    bad = [each for each in used if each in reach.not_joining]
    others = [each for each in used if each not in good and each not in bad] if failed else []
    if not good or not (bad or others):
        return None
    best = tuple(good) if interfaces.family_of(hosts[0]) == "openmpi" else (good[0],)
    return Advice(
        " ".join(sentences(hosts, reach, bad, others)), interfaces.only(best, hosts), best
    )


def sentences(
    hosts: Sequence[Host],
    reach: Reach,
    bad: Sequence[IpNetwork],
    others: Sequence[IpNetwork] = (),
) -> list[str]:
    """One for each way in which networks do not join hosts."""
    found = []
    cut = [each for each in bad if any(each == one.network for one in reach.cuts)]
    twice = [each for each in bad if each not in cut]
    if cut:
        one = next(each for each in reach.cuts if each.network == cut[0])
        found.append(
            f"{_named(hosts, cut)} {_do(cut, 'does', 'do')} not join the hosts that have addresses "
            f"there: {one.source} ({one.own}) cannot connect to {one.target} ({one.theirs})."
        )
    if twice:
        address = next(each.address for each in reach.twice if each.network == twice[0])
        found.append(
            f"{_named(hosts, twice)} {_do(twice, 'joins', 'join')} no hosts: several of them have "
            f"the same address ({address})."
        )
    if others:
        found.append(f"{_named(hosts, others)} {_do(others, 'joins', 'join')} not all hosts.")
    return found


def missing(hosts: Sequence[Host], reach: Reach, one: str, two: str) -> Cut | None:
    """A connection between these two that did not come about, in a network that the library may
    use."""
    pair, used = {one, two}, _used(hosts)
    return next(
        (
            each
            for each in reach.cuts
            if {each.source, each.target} == pair and (each.routed or each.network in used)
        ),
        None,
    )


def _used(hosts: Sequence[Host]) -> list[IpNetwork]:
    return list(
        dict.fromkeys(
            each.network
            for host in hosts
            for each in host.interfaces
            if not each.down and interfaces.may_use(host, each)
        )
    )


def _named(hosts: Sequence[Host], networks: Sequence[IpNetwork]) -> str:
    """With the names of their interfaces, where they are the same on all hosts."""
    return listed([f"{each} ({', '.join(interfaces.cards(hosts, each))})" for each in networks])


def _do(networks: Sequence[IpNetwork], one: str, several: str) -> str:
    return one if len(networks) == 1 else several
