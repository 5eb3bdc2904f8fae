# SPDX-License-Identifier: BSD-3-Clause
"""The profile: what measuring one network gave (docs/formats.md), as a value.

A `Profile` that `parse` returned is sound: sizes agree, figures are finite and positive, levels
are nested. The engine, which reads the same files, is what checks them.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eco import text_files
from eco.engine import engine, errors
from eco.errors import EcoError, ExitCode
from eco.profile_parts import (
    AlgorithmTimes,
    LeftOut,
    Matrix,
    Mcast,
    McastArea,
    Medium,
    Model,
    Odd,
    OthersTraffic,
    Rail,
    Rails,
    Survey,
    Tuned,
    read_algorithms,
    read_count,
    read_matrix,
    read_mcast,
    read_model,
    read_odd,
    read_others_traffic,
    read_rails,
    read_survey,
    read_tuned,
    read_words,
)

if TYPE_CHECKING:
    from eco import _engine

__all__ = [
    "AlgorithmTimes",
    "LeftOut",
    "Matrix",
    "Mcast",
    "McastArea",
    "Medium",
    "Model",
    "Odd",
    "OthersTraffic",
    "Profile",
    "Rail",
    "Rails",
    "Survey",
    "Tuned",
    "from_document",
    "parse",
    "read",
    "read_both",
    "to_json",
]

VERSION = 1
_MOST_CHECKS = 500  # of a survey, per host; a few are usual


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
    subnets_not_tried: int = 0  # for links that are slower one way
    others_traffic: tuple[OthersTraffic, ...] = ()  # while the network was measured
    interfaces: tuple[str, ...] = ()  # that the MPI library was told to use
    native_algorithms: tuple[AlgorithmTimes, ...] = ()
    origin: str = ""

    @property
    def partition_cost(self) -> Matrix:
        """The times that the subnets were found in."""
        return self.minimum[self.sizes.index(self.partition_bytes)]

    @cached_property
    def network(self) -> _engine.Network:
        """The engine's model: what `eco plan` and running programs predict with."""
        with errors():
            return engine().build_network(_check(to_json(self), self.origin))

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
        if self.subnets_not_tried:
            optional["subnets_not_tried"] = self.subnets_not_tried
        if self.others_traffic:
            optional["others_traffic"] = [dict(vars(entry)) for entry in self.others_traffic]
        if self.interfaces:
            optional["interfaces"] = list(self.interfaces)
        if self.native_algorithms:
            optional["native_algorithms"] = [dict(vars(entry)) for entry in self.native_algorithms]
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
            "tuning": [entry.document() for entry in self.tuning],
        } | optional


def to_json(profile: Profile) -> str:
    """A key a line, a choice a line: a profile can be read and compared by eye."""
    lines = []
    for key, value in profile.document().items():
        if key in ("tuning", "native_algorithms") and value:
            text = "[\n" + ",\n".join(f"  {json.dumps(entry)}" for entry in value) + "\n]"
        else:
            text = json.dumps(value)
        lines.append(f"{json.dumps(key)}: {text}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def read(path: Path) -> Profile:
    """The profile in a file."""
    return read_both(path)[0]


def read_both(path: Path) -> tuple[Profile, _engine.Profile]:
    """The profile in a file, and the engine's of the same text; the file may be a pipe."""
    origin = os.fsencode(path).decode(errors="replace")
    try:
        text = text_files.read(path, "surrogateescape")
    except OSError as error:
        raise EcoError(
            f"{origin} cannot be read ({error.strerror}); name a profile that 'eco measure' wrote",
            ExitCode.BAD_INPUT,
        ) from None
    return _parse(text, origin)


def parse(text: str, origin: str) -> Profile:
    """The profile in a text; `origin` names it in complaints."""
    return _parse(text, origin)[0]


def _parse(text: str, origin: str) -> tuple[Profile, _engine.Profile]:
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


def _check(text: str, origin: str) -> _engine.Profile:
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
        minimum=tuple(read_matrix(value, subnet) for value in root["minimum"]),
        spread=tuple(read_matrix(value, subnet) for value in root["spread"]),
        levels=tuple(tuple(level) for level in root["levels"]),
        ring=tuple(root["ring"]),
        tuning=tuple(read_tuned(entry) for entry in root["tuning"]),
        model=None if model is None else read_model(model),
        rails=None if rails is None else read_rails(rails, subnet),
        mcast=None if mcast is None else read_mcast(mcast),
        survey=None if survey is None else _survey(survey, len(root["hosts"]), origin),
        odd=tuple(read_odd(entry, root["hosts"], origin) for entry in _list(root, "odd", origin)),
        subnets_not_tried=read_count(root, "subnets_not_tried", origin),
        others_traffic=tuple(
            read_others_traffic(entry, len(root["hosts"]), origin)
            for entry in _list(root, "others_traffic", origin)
        ),
        interfaces=read_words(root, "interfaces", origin),
        native_algorithms=tuple(
            read_algorithms(entry, origin) for entry in _list(root, "native_algorithms", origin)
        ),
        origin=origin,
    )


def _survey(root: Any, hosts: int, origin: str) -> Survey:
    """Checked here: the engine does not read it."""
    survey = read_survey(root, origin)
    why = ""
    if not 0 <= survey.checks <= _MOST_CHECKS:
        why = f"survey has {survey.checks} checks for each host"
    elif not 0 <= survey.not_compared <= 1:
        why = f"survey's share that was not compared is {survey.not_compared:g}"
    elif any(
        len(pairs) % 2 or not all(0 <= host < hosts for host in pairs) for pairs in survey.measured
    ):
        why = "survey lists no pairs of hosts"
    if why:
        raise EcoError(f"{origin}: {why}", ExitCode.BAD_INPUT)
    return survey


def _list(root: dict[str, Any], key: str, origin: str) -> list[Any]:
    value = root.get(key, [])
    if not isinstance(value, list):
        raise EcoError(f"{origin}: {key} has the wrong type", ExitCode.BAD_INPUT)
    return value
