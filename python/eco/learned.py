# SPDX-License-Identifier: BSD-3-Clause
"""What programs learned of a network while they ran: the file beside its profile, as values."""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eco import profile as profiles
from eco import store, text_files
from eco.errors import EcoError, ExitCode

VERSION = 1
_LONGEST_DATE = 40  # of a file's name


@dataclass(frozen=True)
class Arm:
    """One choice of a class of calls."""

    choice: str
    runs: int
    mean: float  # seconds


@dataclass(frozen=True)
class LearnedClass:
    """Calls of one operation and about one size."""

    mpi: str
    operation: str
    layout: str
    hosts_shared: bool
    ranks: int
    bytes: int  # the least of the class; -1: not known to all ranks
    best: str
    arms: tuple[Arm, ...]
    program: str = ""  # whose calls, if they do not block
    graph: str = ""  # of neighbourhood collectives: a number of their graph on the hosts
    structure: str = ""  # hosts in each group, where not all that were measured take part

    def arm(self, choice: str) -> Arm | None:
        return next((arm for arm in self.arms if arm.choice == choice), None)


def path_of(profile: Path) -> Path:
    """Beside the profile, or in the user's store if that cannot be written; as the engine decides
    (src/eco/learn/learned_file.cpp). Then the profile is read, as its date is in the name."""
    beside = profile.parent / f"{profile.name}.learned"
    closed = beside.exists() and not os.access(beside, os.R_OK | os.W_OK)
    if os.access(profile.parent, os.W_OK) and not closed:
        return beside
    date = re.sub(r"[^A-Za-z0-9]", "", profiles.read(profile).created)[:_LONGEST_DATE]
    return store.folder() / f"{profile.name}.{date}.learned"


def read(path: Path, network: str | None = None) -> list[LearnedClass]:
    """Nothing if there is no file, or one of another measurement than `network`."""
    try:
        text = text_files.read(path)
    except FileNotFoundError:
        return []
    except (OSError, UnicodeDecodeError) as error:
        raise _unreadable(path, str(error)) from None
    if not text:
        return []
    try:
        document = json.loads(text)
        version = document["eco_learned"]
        if version != VERSION:
            raise _unreadable(path, f"is of version {version}, this ECO reads {VERSION}")
        if network is not None and document["network"] != network:
            return []
        return [_class(entry) for entry in document["classes"]]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise _unreadable(path, "is not a learned file of ECO") from None


def _class(entry: dict[str, Any]) -> LearnedClass:
    arms = tuple(
        Arm(str(arm["choice"]), int(arm["runs"]), float(arm["mean"])) for arm in entry["arms"]
    )
    return LearnedClass(
        str(entry["mpi"]),
        str(entry["operation"]),
        str(entry["layout"]),
        bool(entry["hosts_shared"]),
        int(entry["ranks"]),
        int(entry["bytes"]),
        str(entry["best"]),
        arms,
        str(entry.get("program", "")),
        str(entry.get("graph", "")),
        str(entry.get("structure", "")),
    )


def _unreadable(path: Path, why: str) -> EcoError:
    return EcoError(
        f"{path} {why}; programs run without it, and 'eco learn --forget' removes it",
        ExitCode.BAD_INPUT,
    )
