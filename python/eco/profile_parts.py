# SPDX-License-Identifier: BSD-3-Clause
"""What a profile consists of (docs/formats.md), and each part as read from parsed JSON.

The engine has checked that text before (profile.py), except `survey`, `odd`, `subnets_not_tried`
and `interfaces`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from eco.errors import EcoError, ExitCode
from eco.zipped import zipped


class Matrix(tuple[tuple[float, ...], ...]):
    """Figures between hosts, a row each."""

    # As it was read: rows, or one value for each two subnets and the pairs that differ.
    written: Any = None


def read_matrix(value: Any, subnet: list[int]) -> Matrix:
    """Of a matrix that the engine found sound."""
    if isinstance(value, list):
        found = Matrix(tuple(map(float, row)) for row in value)
    else:
        by_subnet = [[float(row[other]) for other in subnet] for row in value["blocks"]]
        rows = [by_subnet[own].copy() for own in subnet]
        for host, row in enumerate(rows):
            row[host] = 0.0
        figures = iter(value["pairs"])
        for a, b, figure in zipped(figures, figures, figures):
            rows[a][b] = rows[b][a] = float(figure)
        found = Matrix(map(tuple, rows))
    found.written = value
    return found


@dataclass(frozen=True)
class Tuned:
    """What runs one operation, size and layout on this network."""

    mpi: str
    operation: str
    layout: str
    bytes: int
    choice: str
    native: float
    eco: float
    noise: float
    ranks_per_host: int = 1
    predicted: bool = False
    derived: bool = False
    structure: str = ""

    def document(self) -> dict[str, Any]:
        """The written form."""
        found = dict(vars(self))
        if not self.derived:
            del found["derived"]
        if not self.structure:
            del found["structure"]
        return found

    @property
    def for_any(self) -> bool:
        """A prediction that no timing of any library went into."""
        return self.mpi == "any"


@dataclass(frozen=True)
class Medium:
    """What the hosts of one cluster share."""

    level: int
    cluster: int
    kind: str
    rate: float
    uplink: float | None
    burst: float = 0
    uplink_burst: float = 0
    uplink_in: float | None = -1  # what enters, if not as what leaves; -1: as that
    found_by: str = "distance"  # or capacity

    @property
    def into(self) -> float | None:
        """What all that enters shares; None: no limit is known."""
        return self.uplink if self.uplink_in is not None and self.uplink_in < 0 else self.uplink_in

    def document(self) -> dict[str, Any]:
        """The written form; bursts and the like only if there are some."""
        bursts = {
            key: value
            for key, value in (("burst", self.burst), ("uplink_burst", self.uplink_burst))
            if value > 0
        }
        plain = ("level", "cluster", "kind", "rate", "uplink")
        found: dict[str, Any] = {**{key: getattr(self, key) for key in plain}, **bursts}
        if self.into != self.uplink:
            found["uplink_in"] = self.uplink_in
        if self.found_by != "distance":
            found["found_by"] = self.found_by
        return found


@dataclass(frozen=True)
class Model:
    """What a message costs the hosts and the way between, and what clusters share."""

    send: tuple[tuple[float, float], ...]
    receive: tuple[tuple[float, float], ...]
    transfer: Any  # as it was read, for the engine; None: it follows from the times
    error: float
    media: tuple[Medium, ...]
    shared_gap: float = 0  # seconds of each message, where hosts share processors

    def document(self) -> dict[str, Any]:
        """The written form."""
        return {
            "send": [list(parts) for parts in self.send],
            "receive": [list(parts) for parts in self.receive],
            **({} if self.transfer is None else {"transfer": self.transfer}),
            "error": self.error,
            **({"shared_gap": self.shared_gap} if self.shared_gap else {}),
            "media": [medium.document() for medium in self.media],
        }


@dataclass(frozen=True)
class Rail:
    """One of several parallel networks, by what messages over libfabric take there."""

    network: str
    cards: tuple[str | None, ...]
    latency: Matrix
    bandwidth: Matrix


@dataclass(frozen=True)
class LeftOut:
    """An interface that is no rail."""

    host: str
    card: str
    why: str


@dataclass(frozen=True)
class Rails:
    """The networks that join hosts, and what was found beside them."""

    provider: str
    rails: tuple[Rail, ...]
    left_out: tuple[LeftOut, ...]
    longest_short: int | None  # longer messages go in stripes

    def document(self) -> dict[str, Any]:
        """The written form."""
        short = {} if self.longest_short is None else {"longest_short": self.longest_short}
        return {
            "provider": self.provider,
            "rails": [
                {
                    "network": rail.network,
                    "cards": list(rail.cards),
                    "latency": rail.latency.written,
                    "bandwidth": rail.bandwidth.written,
                }
                for rail in self.rails
            ],
            "left_out": [dict(vars(entry)) for entry in self.left_out],
            **short,
        }


@dataclass(frozen=True)
class McastArea:
    """A cluster whose hosts all get what one of them multicasts."""

    level: int  # -1: all hosts
    cluster: int
    rate: float  # bytes on the wire per second
    loss: float
    tried: bool = True  # else the time was over before datagrams arrived at this rate
    send: float = 0  # seconds of processor time of a datagram of full length; 0: not known
    receive: float = 0
    flooded: bool | None = None  # switches copy it to who has not joined; None: not known

    def document(self) -> dict[str, Any]:
        """The written form."""
        return {
            "level": self.level,
            "cluster": self.cluster,
            "rate": self.rate,
            "loss": self.loss,
            **({} if self.tried else {"tried": False}),
            **({"send": self.send} if self.send else {}),
            **({"receive": self.receive} if self.receive else {}),
            **({} if self.flooded is None else {"flooded": self.flooded}),
        }


@dataclass(frozen=True)
class Mcast:
    """Where IP multicast reaches."""

    interfaces: tuple[str | None, ...]  # per host
    payload: int
    areas: tuple[McastArea, ...]
    family: str = "ipv4"  # of all hosts; or ipv6

    def document(self) -> dict[str, Any]:
        """The written form."""
        return {
            "interfaces": list(self.interfaces),
            "payload": self.payload,
            "areas": [area.document() for area in self.areas],
            **({} if self.family == "ipv4" else {"family": self.family}),
        }


@dataclass(frozen=True)
class Survey:
    """Which pairs were timed if not all were, and how sure the subnets are."""

    checks: int  # per host, with random others of its subnet
    not_compared: float  # share of the pairs of subnets
    measured: tuple[tuple[int, ...], ...]  # per size: pairs, one number after the other

    @property
    def pairs(self) -> int:
        """How many were timed, of the size that most were timed with."""
        return max((len(pairs) for pairs in self.measured), default=0) // 2

    def document(self) -> dict[str, Any]:
        """The written form."""
        return {
            "checks": self.checks,
            "not_compared": self.not_compared,
            "measured": [list(pairs) for pairs in self.measured],
        }


@dataclass(frozen=True)
class Odd:
    """What is not as its like."""

    hosts: tuple[int, ...]  # one that is slow; or from where to where a link is the slower
    what: str  # slow or asymmetric
    factor: float


@dataclass(frozen=True)
class OthersTraffic:
    """What a host's NICs carried that is not ECO's, in bytes per second."""

    host: int
    sent: float
    received: float


@dataclass(frozen=True)
class AlgorithmTimes:
    """What the MPI library's own algorithms took for one operation and size."""

    mpi: str
    operation: str
    bytes: int
    ranks: int
    hosts: int
    usual: float  # seconds, with the library's own choice
    best: str  # empty: none is clearly faster than that choice
    times: dict[str, float]  # by the library's own name of the algorithm

    @property
    def call(self) -> tuple[str, str, int, int, int]:
        """What was timed: a profile keeps one entry for each."""
        return self.mpi, self.operation, self.bytes, self.ranks, self.hosts


def read_algorithms(root: Any, origin: str) -> AlgorithmTimes:
    try:
        entry = AlgorithmTimes(
            mpi=str(root["mpi"]),
            operation=str(root["operation"]),
            bytes=int(root["bytes"]),
            ranks=int(root["ranks"]),
            hosts=int(root["hosts"]),
            usual=float(root["usual"]),
            best=str(root["best"]),
            times={str(name): float(time) for name, time in root["times"].items()},
        )
    except (AttributeError, KeyError, TypeError, ValueError):
        raise EcoError(
            f"{origin}: native_algorithms has the wrong type", ExitCode.BAD_INPUT
        ) from None
    if entry.best and entry.best not in entry.times:
        raise EcoError(
            f"{origin}: native_algorithms has no time of {entry.best}, which it says is best",
            ExitCode.BAD_INPUT,
        )
    figures = [entry.usual, *entry.times.values()]
    if min(figures) <= 0 or not all(map(math.isfinite, figures)) or entry.ranks < 2:
        raise EcoError(
            f"{origin}: native_algorithms has a time or a number of ranks that cannot be",
            ExitCode.BAD_INPUT,
        )
    return entry


def read_survey(root: Any, origin: str) -> Survey:
    try:
        survey = Survey(
            int(root["checks"]),
            float(root["not_compared"]),
            tuple(tuple(map(int, pairs)) for pairs in root["measured"]),
        )
    except (KeyError, TypeError, ValueError):
        raise EcoError(f"{origin}: survey has the wrong type", ExitCode.BAD_INPUT) from None
    return survey


def read_odd(root: Any, hosts: list[str], origin: str) -> Odd:
    try:
        odd = Odd(tuple(map(int, root["hosts"])), str(root["what"]), float(root["factor"]))
    except (KeyError, TypeError, ValueError):
        raise EcoError(f"{origin}: odd has the wrong type", ExitCode.BAD_INPUT) from None
    wanted = {"slow": 1, "asymmetric": 2}.get(odd.what)
    if wanted != len(odd.hosts) or not all(0 <= host < len(hosts) for host in odd.hosts):
        raise EcoError(
            f"{origin}: odd has an entry that is neither a slow host nor a link",
            ExitCode.BAD_INPUT,
        )
    return odd


def read_others_traffic(root: Any, hosts: int, origin: str) -> OthersTraffic:
    try:
        found = OthersTraffic(int(root["host"]), float(root["sent"]), float(root["received"]))
    except (KeyError, TypeError, ValueError):
        raise EcoError(f"{origin}: others_traffic has the wrong type", ExitCode.BAD_INPUT) from None
    if not (0 <= found.host < hosts and found.sent >= 0 and found.received >= 0):
        raise EcoError(f"{origin}: others_traffic has an impossible entry", ExitCode.BAD_INPUT)
    return found


def read_count(root: dict[str, Any], key: str, origin: str) -> int:
    """Of a key that may be absent: then 0."""
    count = root.get(key, 0)
    if not isinstance(count, int) or count < 0:
        raise EcoError(f"{origin}: {key} is no number of things", ExitCode.BAD_INPUT)
    return count


def read_words(root: dict[str, Any], key: str, origin: str) -> tuple[str, ...]:
    """Of a key that may be absent: then none."""
    words = root.get(key, [])
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise EcoError(f"{origin}: {key} is no list of words", ExitCode.BAD_INPUT)
    return tuple(words)


def read_tuned(entry: dict[str, Any]) -> Tuned:
    return Tuned(
        mpi=entry["mpi"],
        operation=entry["operation"],
        layout=entry["layout"],
        bytes=entry["bytes"],
        choice=entry["choice"],
        native=float(entry["native"]),
        eco=float(entry["eco"]),
        noise=float(entry.get("noise", 0)),
        ranks_per_host=entry.get("ranks_per_host", 1),
        predicted=entry.get("predicted", False),
        derived=entry.get("derived", False),
        structure=entry.get("structure", ""),
    )


def read_model(root: dict[str, Any]) -> Model:
    return Model(
        send=tuple((float(fixed), float(per_byte)) for fixed, per_byte in root["send"]),
        receive=tuple((float(fixed), float(per_byte)) for fixed, per_byte in root["receive"]),
        transfer=root.get("transfer"),
        error=float(root["error"]),
        media=tuple(
            Medium(
                medium["level"],
                medium["cluster"],
                medium["kind"],
                float(medium["rate"]),
                None if medium.get("uplink") is None else float(medium["uplink"]),
                float(medium.get("burst", 0)),
                float(medium.get("uplink_burst", 0)),
                None if medium.get("uplink_in", -1) is None else float(medium.get("uplink_in", -1)),
                medium.get("found_by", "distance"),
            )
            for medium in root["media"]
        ),
        shared_gap=float(root.get("shared_gap", 0)),
    )


def _read_flooded(area: dict[str, Any]) -> bool | None:
    flooded = area.get("flooded")
    if flooded is not None and not isinstance(flooded, bool):
        raise TypeError(f"flooded is {flooded!r}, neither true nor false")
    return flooded


def read_mcast(root: dict[str, Any]) -> Mcast:
    return Mcast(
        interfaces=tuple(root["interfaces"]),
        payload=root["payload"],
        family=root.get("family", "ipv4"),
        areas=tuple(
            McastArea(
                area["level"],
                area["cluster"],
                float(area["rate"]),
                float(area["loss"]),
                tried=area.get("tried", True),
                send=float(area.get("send", 0)),
                receive=float(area.get("receive", 0)),
                flooded=_read_flooded(area),
            )
            for area in root["areas"]
        ),
    )


def read_rails(root: dict[str, Any], subnet: list[int]) -> Rails:
    return Rails(
        provider=root["provider"],
        rails=tuple(
            Rail(
                rail["network"],
                tuple(rail["cards"]),
                read_matrix(rail["latency"], subnet),
                read_matrix(rail["bandwidth"], subnet),
            )
            for rail in root["rails"]
        ),
        left_out=tuple(
            LeftOut(entry["host"], entry["card"], entry["why"]) for entry in root["left_out"]
        ),
        longest_short=root.get("longest_short"),
    )
