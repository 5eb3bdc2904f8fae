# SPDX-License-Identifier: BSD-3-Clause
"""The profile: what measuring one network gave (docs/formats.md), as a value.

A `Profile` that `parse` returned is sound: sizes agree, figures are finite and positive, levels
are nested. The engine, which reads the same files, is what checks them.
"""

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eco.engine import engine, errors
from eco.errors import EcoError, ExitCode

VERSION = 1


class Matrix(tuple[tuple[float, ...], ...]):
    """Figures between hosts, a row each."""

    # As it was read: rows, or one value for each two subnets and the pairs that differ.
    written: Any = None


def _matrix(value: Any, subnet: list[int]) -> Matrix:
    """Of a matrix that the engine found sound."""
    if isinstance(value, list):
        found = Matrix(tuple(map(float, row)) for row in value)
    else:
        by_subnet = [[float(row[other]) for other in subnet] for row in value["blocks"]]
        rows = [by_subnet[own].copy() for own in subnet]
        for host, row in enumerate(rows):
            row[host] = 0.0
        figures = iter(value["pairs"])
        for a, b, figure in zip(figures, figures, figures, strict=True):
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

    def document(self) -> dict[str, Any]:
        """The written form; bursts only if there are some."""
        bursts = {
            key: value
            for key, value in (("burst", self.burst), ("uplink_burst", self.uplink_burst))
            if value > 0
        }
        plain = ("level", "cluster", "kind", "rate", "uplink")
        return {**{key: getattr(self, key) for key in plain}, **bursts}


@dataclass(frozen=True)
class Model:
    """What a message costs the hosts and the way between, and what clusters share."""

    send: tuple[tuple[float, float], ...]
    receive: tuple[tuple[float, float], ...]
    transfer: Any  # as it was read, for the engine; None: it follows from the times
    error: float
    media: tuple[Medium, ...]

    def document(self) -> dict[str, Any]:
        """The written form."""
        return {
            "send": [list(parts) for parts in self.send],
            "receive": [list(parts) for parts in self.receive],
            **({} if self.transfer is None else {"transfer": self.transfer}),
            "error": self.error,
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


@dataclass(frozen=True)
class Mcast:
    """Where the network's own multicast reaches."""

    interfaces: tuple[str | None, ...]  # per host
    payload: int
    areas: tuple[McastArea, ...]

    def document(self) -> dict[str, Any]:
        """The written form."""
        return {
            "interfaces": list(self.interfaces),
            "payload": self.payload,
            "areas": [dict(vars(area)) for area in self.areas],
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
class Profile:
    """Hosts, times between them, and what follows from these."""

    created: str
    mpi_family: str
    mpi_version: str
    hosts: tuple[str, ...]
    sizes: tuple[int, ...]
    round_trips: int
    repeats: int
    partition_bytes: int
    tolerance: float
    minimum: tuple[Matrix, ...]
    spread: tuple[Matrix, ...]
    levels: tuple[tuple[int, ...], ...]
    ring: tuple[int, ...]
    tuning: tuple[Tuned, ...]
    model: Model | None = None
    rails: Rails | None = None
    mcast: Mcast | None = None  # None: not tried
    survey: Survey | None = None  # None: every pair was timed
    odd: tuple[Odd, ...] = ()
    origin: str = ""

    @property
    def partition_cost(self) -> Matrix:
        """The times that the subnets were found in."""
        return self.minimum[self.sizes.index(self.partition_bytes)]

    def document(self) -> dict[str, Any]:
        """The written form."""
        optional: dict[str, Any] = {
            key: value.document()
            for key, value in (
                ("survey", self.survey),
                ("model", self.model),
                ("rails", self.rails),
                ("mcast", self.mcast),
            )
            if value is not None
        }
        if self.odd:
            optional["odd"] = [
                dict(vars(entry)) | {"hosts": list(entry.hosts)} for entry in self.odd
            ]
        return {
            "eco_profile": VERSION,
            "created": self.created,
            "mpi": {"family": self.mpi_family, "version": self.mpi_version},
            "hosts": list(self.hosts),
            "parameters": {
                "sizes": list(self.sizes),
                "round_trips": self.round_trips,
                "repeats": self.repeats,
                "partition_bytes": self.partition_bytes,
                "tolerance": self.tolerance,
            },
            "minimum": [matrix.written for matrix in self.minimum],
            "spread": [matrix.written for matrix in self.spread],
            "levels": [list(level) for level in self.levels],
            "ring": list(self.ring),
            "tuning": [dict(vars(entry)) for entry in self.tuning],
        } | optional


def to_json(profile: Profile) -> str:
    """A key a line, a choice a line: a profile can be read and compared by eye."""
    lines = []
    for key, value in profile.document().items():
        if key == "tuning" and value:
            text = "[\n" + ",\n".join(f"  {json.dumps(entry)}" for entry in value) + "\n]"
        else:
            text = json.dumps(value)
        lines.append(f"{json.dumps(key)}: {text}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def read(path: Path) -> Profile:
    """The profile in a file."""
    return read_both(path)[0]


def read_both(path: Path) -> tuple[Profile, Any]:
    """The profile in a file, and the engine's of the same text; the file may be a pipe."""
    origin = os.fsencode(path).decode(errors="replace")
    try:
        text = path.read_text(encoding="utf-8-sig", errors="surrogateescape")
    except OSError as error:
        raise EcoError(
            f"{origin} cannot be read ({error.strerror}); name a profile that 'eco measure' wrote",
            ExitCode.BAD_INPUT,
        ) from None
    return _parse(text, origin)


def parse(text: str, origin: str) -> Profile:
    """The profile in a text; `origin` names it in complaints."""
    return _parse(text, origin)[0]


def _parse(text: str, origin: str) -> tuple[Profile, Any]:
    checked = _check(text, origin)
    try:
        root = json.loads(text)
    except RecursionError:  # something deep under a key that nobody reads
        raise EcoError(f"{origin}: is nested too deeply", ExitCode.BAD_INPUT) from None
    return _profile(root, origin), checked


def from_document(root: dict[str, Any], origin: str) -> Profile:
    """The profile in a parsed JSON object."""
    _check(json.dumps(root), origin)
    return _profile(root, origin)


def _check(text: str, origin: str) -> Any:
    with errors():
        return engine().parse_profile(text.encode("utf-8", "surrogateescape"), origin)


def _profile(root: dict[str, Any], origin: str) -> Profile:
    parameters = root["parameters"]
    model, rails, survey = (root.get(key) for key in ("model", "rails", "survey"))
    mcast = root.get("mcast")
    subnet = root["levels"][-1]
    return Profile(
        created=root["created"],
        mpi_family=root["mpi"]["family"],
        mpi_version=root["mpi"]["version"],
        hosts=tuple(root["hosts"]),
        sizes=tuple(parameters["sizes"]),
        round_trips=parameters["round_trips"],
        repeats=parameters["repeats"],
        partition_bytes=parameters["partition_bytes"],
        tolerance=float(parameters["tolerance"]),
        minimum=tuple(_matrix(value, subnet) for value in root["minimum"]),
        spread=tuple(_matrix(value, subnet) for value in root["spread"]),
        levels=tuple(tuple(level) for level in root["levels"]),
        ring=tuple(root["ring"]),
        tuning=tuple(_tuned(entry) for entry in root["tuning"]),
        model=None if model is None else _model(model),
        rails=None if rails is None else _rails(rails, subnet),
        mcast=None if mcast is None else _mcast(mcast),
        survey=None if survey is None else _survey(survey, origin),
        odd=tuple(_odd(entry, root["hosts"], origin) for entry in root.get("odd", [])),
        origin=origin,
    )


def _survey(root: Any, origin: str) -> Survey:
    try:
        survey = Survey(
            int(root["checks"]),
            float(root["not_compared"]),
            tuple(tuple(map(int, pairs)) for pairs in root["measured"]),
        )
    except (KeyError, TypeError, ValueError):
        raise EcoError(f"{origin}: survey has the wrong type", ExitCode.BAD_INPUT) from None
    return survey


def _odd(root: Any, hosts: list[str], origin: str) -> Odd:
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


def _tuned(entry: dict[str, Any]) -> Tuned:
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
    )


def _model(root: dict[str, Any]) -> Model:
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
            )
            for medium in root["media"]
        ),
    )


def _mcast(root: dict[str, Any]) -> Mcast:
    return Mcast(
        interfaces=tuple(root["interfaces"]),
        payload=root["payload"],
        areas=tuple(
            McastArea(area["level"], area["cluster"], float(area["rate"]), float(area["loss"]))
            for area in root["areas"]
        ),
    )


def _rails(root: dict[str, Any], subnet: list[int]) -> Rails:
    return Rails(
        provider=root["provider"],
        rails=tuple(
            Rail(
                rail["network"],
                tuple(rail["cards"]),
                _matrix(rail["latency"], subnet),
                _matrix(rail["bandwidth"], subnet),
            )
            for rail in root["rails"]
        ),
        left_out=tuple(
            LeftOut(entry["host"], entry["card"], entry["why"]) for entry in root["left_out"]
        ),
        longest_short=root.get("longest_short"),
    )
