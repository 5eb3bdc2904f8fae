"""The profile: what measuring one network gave (docs/formats.md), as a value.

A `Profile` that `parse` returned is sound: sizes agree, figures are finite and positive, levels
are nested. The complaints are those of the engine, which reads the same file.
"""

import itertools
import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from eco.errors import EcoError, ExitCode

VERSION = 1
LONGEST = 3600.0  # seconds that no message takes
LONGEST_SHORT = 1 << 20  # bytes of a message that goes over one rail
MOST_RATE = 1e13  # bytes per second that no medium carries

Matrix = tuple[tuple[float, ...], ...]


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


@dataclass(frozen=True)
class Medium:
    """What the hosts of one cluster share."""

    level: int
    cluster: int
    kind: str
    rate: float
    uplink: float | None


@dataclass(frozen=True)
class Model:
    """What a message costs the hosts and the way between, and what clusters share."""

    send: tuple[tuple[float, float], ...]
    receive: tuple[tuple[float, float], ...]
    fixed: Matrix
    per_byte: Matrix
    error: float
    media: tuple[Medium, ...]

    def document(self) -> dict[str, Any]:
        """The written form."""
        return {
            "send": [list(parts) for parts in self.send],
            "receive": [list(parts) for parts in self.receive],
            "transfer": {
                "fixed": [list(row) for row in self.fixed],
                "per_byte": [list(row) for row in self.per_byte],
            },
            "error": self.error,
            "media": [dict(vars(medium)) for medium in self.media],
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
                    "latency": [list(row) for row in rail.latency],
                    "bandwidth": [list(row) for row in rail.bandwidth],
                }
                for rail in self.rails
            ],
            "left_out": [dict(vars(entry)) for entry in self.left_out],
            **short,
        }


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
    origin: str = ""

    @property
    def partition_cost(self) -> Matrix:
        """The times that the subnets were found in."""
        return self.minimum[self.sizes.index(self.partition_bytes)]

    def document(self) -> dict[str, Any]:
        """The written form."""
        optional = {
            key: value.document()
            for key, value in (("model", self.model), ("rails", self.rails))
            if value is not None
        }
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
            "minimum": [[list(row) for row in matrix] for matrix in self.minimum],
            "spread": [[list(row) for row in matrix] for matrix in self.spread],
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
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise EcoError(
            f"{path} cannot be read ({error.strerror}); name a profile that 'eco measure' wrote",
            ExitCode.BAD_INPUT,
        ) from None
    except UnicodeDecodeError:
        _refuse(str(path), "not a whole JSON document")
    return parse(text, str(path))


def parse(text: str, origin: str) -> Profile:
    """The profile in a text; `origin` names it in complaints."""
    try:
        root = json.loads(text)
    except ValueError:
        root = None
    if not isinstance(root, dict):
        _refuse(origin, "not a whole JSON document")
    return from_document(root, origin)


def from_document(root: dict[str, Any], origin: str) -> Profile:
    """The profile in a parsed JSON object."""
    try:
        return _from_document(root, origin)
    except OverflowError:  # JSON's whole numbers have no end
        _refuse(origin, "holds a figure that no network has")


def _from_document(root: dict[str, Any], origin: str) -> Profile:
    if "eco_profile" not in root:
        _refuse(origin, "not an ECO profile")
    version = root["eco_profile"]
    if version != VERSION or isinstance(version, bool):
        _refuse(origin, f"is of profile version {json.dumps(version)}, this ECO reads {VERSION}")
    reader = _Reader(origin)
    parameters = reader.get(root, "parameters", dict)
    mpi = reader.get(root, "mpi", dict)
    hosts = tuple(reader.items(root, "hosts", str))
    sizes = tuple(reader.items(parameters, "sizes", int))
    _check_hosts(hosts, origin)
    _check_sizes(sizes, origin)
    profile = Profile(
        created=reader.get(root, "created", str),
        mpi_family=reader.get(mpi, "family", str),
        mpi_version=reader.get(mpi, "version", str),
        hosts=hosts,
        sizes=sizes,
        round_trips=reader.get(parameters, "round_trips", int),
        repeats=reader.get(parameters, "repeats", int),
        partition_bytes=reader.get(parameters, "partition_bytes", int),
        tolerance=reader.number(parameters, "tolerance"),
        minimum=reader.matrices(root, "minimum", len(hosts), len(sizes)),
        spread=reader.matrices(root, "spread", len(hosts), len(sizes)),
        levels=tuple(
            tuple(reader.whole(cluster, "levels") for cluster in reader.listed(level, "levels"))
            for level in reader.get(root, "levels", list)
        ),
        ring=tuple(reader.items(root, "ring", int)),
        tuning=tuple(reader.tuned(entry) for entry in reader.get(root, "tuning", list)),
        model=None
        if root.get("model") is None
        else reader.model(reader.get(root, "model", dict), len(hosts)),
        rails=None
        if root.get("rails") is None
        else reader.rails(reader.get(root, "rails", dict), len(hosts)),
        origin=origin,
    )
    _check(profile)
    return profile


def _refuse(origin: str, why: str) -> NoReturn:
    raise EcoError(f"{origin}: {why}; measure again with 'eco measure'", ExitCode.BAD_INPUT)


@dataclass(frozen=True)
class _Reader:
    """Takes values of the right kind out of JSON, or complains in one sentence."""

    origin: str

    def get(self, parent: dict[str, Any], key: str, kind: type) -> Any:
        if not isinstance(parent, dict) or key not in parent:
            _refuse(self.origin, f"misses the key {key}")
        value = parent[key]
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            _refuse(self.origin, f"{key} is of the wrong kind")
        return value

    def listed(self, value: Any, key: str) -> list[Any]:
        if not isinstance(value, list):
            _refuse(self.origin, f"{key} is of the wrong kind")
        return value

    def whole(self, value: Any, key: str) -> int:
        if not isinstance(value, int) or isinstance(value, bool):
            _refuse(self.origin, f"{key} is of the wrong kind")
        return value

    def items(self, parent: dict[str, Any], key: str, kind: type) -> list[Any]:
        values: list[Any] = self.get(parent, key, list)
        if any(not isinstance(v, kind) or isinstance(v, bool) for v in values):
            _refuse(self.origin, f"{key} is of the wrong kind")
        return values

    def number(self, parent: dict[str, Any], key: str) -> float:
        value = self.get(parent, key, object)
        if not isinstance(value, (int, float)) or isinstance(value, bool):
            _refuse(self.origin, f"{key} is of the wrong kind")
        return float(value)

    def matrices(
        self, root: dict[str, Any], key: str, hosts: int, sizes: int
    ) -> tuple[Matrix, ...]:
        found = self.get(root, key, list)
        if len(found) != sizes:
            _refuse(self.origin, "needs one matrix per size")
        return tuple(self._matrix(rows, key, hosts) for rows in found)

    def _matrix(self, rows: Any, key: str, hosts: int) -> Matrix:
        if not isinstance(rows, list) or len(rows) != hosts:
            count = len(rows) if isinstance(rows, list) else "no"
            _refuse(self.origin, f"{key} has {count} rows, not one per host")
        if any(not isinstance(row, list) or len(row) != hosts for row in rows):
            _refuse(self.origin, f"{key} is not square")
        for a, row in enumerate(rows):
            for b, value in enumerate(row):
                self._check_time(value, key, a, b)
        return tuple(tuple(float(value) for value in row) for row in rows)

    def _check_time(self, value: Any, key: str, a: int, b: int) -> None:
        if not isinstance(value, (int, float)) or isinstance(value, bool):
            _refuse(self.origin, f"{key} is of the wrong kind")
        sound = math.isfinite(value) and value >= 0
        if key == "minimum" and a != b:
            sound = sound and 0 < value < LONGEST
        if not sound:
            _refuse(
                self.origin,
                f"{key} gives {value:g} between hosts {a} and {b}, which no network takes",
            )

    def model(self, root: dict[str, Any], hosts: int) -> Model:
        transfer = self.get(root, "transfer", dict)
        error = self.number(root, "error")
        self._check_figure(error, 0, 1e6, "error")
        return Model(
            send=self._costs(root, "send", hosts),
            receive=self._costs(root, "receive", hosts),
            fixed=self._matrix(self.get(transfer, "fixed", list), "fixed", hosts),
            per_byte=self._matrix(self.get(transfer, "per_byte", list), "per_byte", hosts),
            error=error,
            media=tuple(self._medium(entry) for entry in self.get(root, "media", list)),
        )

    def _check_figure(self, value: float, least: float, most: float, what: str) -> None:
        if not least <= value < most:
            _refuse(self.origin, f"model: {what} is {value:g}, which no network has")

    def _costs(self, root: dict[str, Any], key: str, hosts: int) -> tuple[tuple[float, float], ...]:
        entries = self.get(root, key, list)
        if len(entries) != hosts:
            _refuse(self.origin, f"model: {key} has {len(entries)} entries, not one per host")
        costs = []
        for host, entry in enumerate(entries):
            if not isinstance(entry, list) or len(entry) != 2:
                _refuse(self.origin, f"model: {key} takes two figures per host")
            fixed, per_byte = (self.number({key: figure}, key) for figure in entry)
            self._check_figure(fixed, 0, LONGEST, f"{key} of host {host}")
            self._check_figure(per_byte, 0, 1, f"{key} per byte of host {host}")
            costs.append((fixed, per_byte))
        return tuple(costs)

    def _medium(self, entry: Any) -> Medium:
        level, cluster = self.get(entry, "level", int), self.get(entry, "cluster", int)
        name = f"medium of level {level}, cluster {cluster}"
        kind = self.get(entry, "kind", str)
        if kind not in ("bus", "switch"):
            _refuse(self.origin, f"model: the {name} is a '{kind}', neither bus nor switch")
        rate = self.number(entry, "rate")
        self._check_figure(rate, 1, MOST_RATE, f"the rate of {name}")
        uplink = None if entry.get("uplink") is None else self.number(entry, "uplink")
        if uplink is not None:
            self._check_figure(uplink, 1, MOST_RATE, f"the uplink of {name}")
        return Medium(level, cluster, kind, rate, uplink)

    def rails(self, root: dict[str, Any], hosts: int) -> Rails:
        rails = tuple(self._rail(entry, hosts) for entry in self.get(root, "rails", list))
        networks = [rail.network for rail in rails]
        for network in networks:
            if networks.count(network) > 1:
                _refuse(self.origin, f"rails: the network {network} is listed twice")
        left_out = tuple(
            LeftOut(*(self.get(entry, key, str) for key in ("host", "card", "why")))
            for entry in self.get(root, "left_out", list)
        )
        short = None if "longest_short" not in root else self.get(root, "longest_short", int)
        if short is not None and not 1 <= short <= LONGEST_SHORT:
            _refuse(self.origin, "rails: longest_short is no length of a short message")
        return Rails(self.get(root, "provider", str), rails, left_out, short)

    def _rail(self, entry: Any, hosts: int) -> Rail:
        cards = self.get(entry, "cards", list)
        if len(cards) != hosts:
            _refuse(self.origin, "rails: cards needs one entry per host")
        if any(card is not None and not isinstance(card, str) for card in cards):
            _refuse(self.origin, "cards is of the wrong kind")
        tables = []
        for key, most in (("latency", LONGEST), ("bandwidth", MOST_RATE)):
            table = self._matrix(self.get(entry, key, list), f"rails: {key}", hosts)
            for a, b in itertools.product(range(hosts), repeat=2):
                if not table[a][b] < most or table[a][b] != table[b][a]:
                    _refuse(
                        self.origin,
                        f"rails: {key} between hosts {a} and {b} is no figure of a rail",
                    )
            tables.append(table)
        return Rail(self.get(entry, "network", str), tuple(cards), *tables)

    def tuned(self, entry: Any) -> Tuned:
        if not isinstance(entry, dict):
            _refuse(self.origin, "tuning is of the wrong kind")
        times = [self.number(entry, key) for key in ("native", "eco")]
        noise = self.number(entry, "noise") if "noise" in entry else 0.0
        if any(not math.isfinite(t) or t < 0 for t in (*times, noise)):
            _refuse(self.origin, "tuning holds a time that is not one")
        shared = self.get(entry, "ranks_per_host", int) if "ranks_per_host" in entry else 1
        if shared < 1:
            _refuse(self.origin, f"tuning is for {shared} ranks per host")
        return Tuned(
            mpi=self.get(entry, "mpi", str),
            operation=self.get(entry, "operation", str),
            layout=self.get(entry, "layout", str),
            bytes=self.get(entry, "bytes", int),
            choice=self.get(entry, "choice", str),
            native=times[0],
            eco=times[1],
            noise=noise,
            ranks_per_host=shared,
            predicted=self.get(entry, "predicted", bool) if "predicted" in entry else False,
        )


def _check_hosts(hosts: tuple[str, ...], origin: str) -> None:
    if len(set(hosts)) != len(hosts):
        _refuse(origin, "a host is named twice")
    if not hosts:
        _refuse(origin, "no hosts")


def _check_sizes(sizes: tuple[int, ...], origin: str) -> None:
    ascending = all(a < b for a, b in itertools.pairwise(sizes))
    if not sizes or sizes[0] < 0 or not ascending:
        _refuse(origin, "sizes are not ascending message sizes")


def _check(profile: Profile) -> None:
    origin, hosts = profile.origin, len(profile.hosts)
    if profile.partition_bytes not in profile.sizes:
        _refuse(origin, f"partition_bytes, {profile.partition_bytes}, is not among the sizes")
    if not 0 <= profile.tolerance < 10:
        _refuse(origin, "tolerance is out of range")
    if not profile.levels:
        _refuse(origin, "levels is empty")
    for number, level in enumerate(profile.levels):
        if len(level) != hosts:
            _refuse(origin, "a level does not name every host once")
        for cluster in level:
            if not 0 <= cluster < hosts:
                _refuse(origin, f"a level holds the cluster id {cluster}")
        if number and len(set(zip(level, profile.levels[number - 1], strict=True))) != len(
            set(level)
        ):
            _refuse(origin, "levels are not nested")
    _check_media(profile)
    if sorted(profile.ring) != list(range(hosts)):
        _refuse(origin, "ring does not name every host once")


def _check_media(profile: Profile) -> None:
    named = set()
    for medium in profile.model.media if profile.model else ():
        place = medium.level, medium.cluster
        name = f"level {medium.level}, cluster {medium.cluster}"
        levels = profile.levels[medium.level : medium.level + 1] if medium.level >= 0 else ()
        if not levels or levels[0].count(medium.cluster) < 2:
            _refuse(profile.origin, f"model: {name}: there is no such cluster of two hosts or more")
        if place in named:
            _refuse(profile.origin, f"model: {name} has two media")
        named.add(place)
