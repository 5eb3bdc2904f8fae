# SPDX-License-Identifier: BSD-3-Clause
"""The ECO launcher in front of a program, and the profile of the emulated network it needs."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from eco import profile as profiles
from eco import store
from eco.errors import EcoError, ExitCode
from eco.lab import kernel
from eco.lab.mpi import PROJECT, Installation
from eco.lab.quirks import cache_folder
from eco.lab.scenario import Scenario
from eco.lab.wiring import wire

# What is said to `eco measure`, so that a first run takes seconds.
BRIEF = ("--no-tune", "--budget", "20")
_ROOT = Path(__file__).resolve().parents[2]


def own_command(module: str = "eco") -> list[str]:
    """Words that start a module of this package, whatever the user's folder and settings hold."""
    start = (
        f"import sys, runpy; sys.path.insert(0, {str(_ROOT)!r}); "
        f"runpy.run_module({module!r}, run_name='__main__', alter_sys=True)"
    )
    return [sys.executable, "-I", "-c", start]


def eco_launcher() -> Path:
    """The native `eco` command."""
    named = os.environ.get("ECO_LAUNCHER") or os.environ.get("ECO_BIN")
    path = Path(named) if named else PROJECT / "build" / "release" / "bin" / "eco"
    if not store.is_file(path, ExitCode.ENVIRONMENT):
        raise EcoError(
            f"ECO's own command is not at {path}; build it with `make`, or run with --native",
            ExitCode.ENVIRONMENT,
        )
    return path.absolute()


def words_before(profile: Path) -> list[str]:
    """What stands before a program to run it with ECO."""
    return [str(eco_launcher()), "exec", "--profile", str(profile), "--"]


def cached(scenario: Scenario, installation: Installation) -> Path:
    """Where the profile of this network and this MPI is kept, as this build of ECO sees them."""
    network = {key: value for key, value in asdict(scenario).items() if key != "description"}
    name = f"libeco-{installation.family}.so"
    places = (eco_launcher().parent / folder / name for folder in ("../lib", "../lib/eco"))
    looks = (store.look(file, ExitCode.ENVIRONMENT) for file in places)
    built = max((found.st_mtime_ns for found in looks if found), default=0)
    text = json.dumps([network, installation.key, built, asdict(wire(scenario))], sort_keys=True)
    return cache_folder() / f"{hashlib.sha256(text.encode()).hexdigest()[:24]}.json"


def obtain(
    scenario: Scenario, installation: Installation, topology: str | None, lab_words: Sequence[str]
) -> Path:
    """The profile that the user named, the one kept, or else a fresh measurement."""
    if topology is not None:
        path = Path(topology).absolute()
        if not store.is_file(path, ExitCode.BAD_INPUT):
            raise EcoError(f"--topology {topology}: no such file", ExitCode.BAD_INPUT)
        return path
    path = cached(scenario, installation)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        turn = path.with_suffix(".lock").open("w")
    except OSError as error:
        raise EcoError(
            f"{path.parent} cannot be written: {error.strerror}; set XDG_CACHE_HOME to a folder "
            "that can, or give a profile with --topology",
            ExitCode.ENVIRONMENT,
        ) from None
    with turn:
        # Two first runs at once would measure each other's load.
        fcntl.flock(turn, fcntl.LOCK_EX)
        if not _is_sound(path):
            _measure(scenario, installation, path, lab_words)
    return path


def _is_sound(path: Path) -> bool:
    try:
        profiles.read(path)
    except EcoError:
        return False
    return True


def _measure(
    scenario: Scenario, installation: Installation, path: Path, lab_words: Sequence[str]
) -> None:
    given = " ".join(BRIEF)
    print(
        f"eco: measuring {scenario.name} once, briefly (eco measure {given}); kept in {path}; "
        "for more: eco measure -o FILE or eco tune FILE, then --topology FILE",
        file=sys.stderr,
        flush=True,
    )
    measure = [*own_command(), "measure", *BRIEF, "-o", str(path)]
    measure += ["--", *own_command(), "lab", *lab_words]
    env = dict(os.environ, ECO_LAB_LIBRARY=str(installation.preloadable))
    code = subprocess.run(
        measure,
        stdin=subprocess.DEVNULL,
        stdout=sys.stderr,
        env=env,
        preexec_fn=lambda: kernel.die_with_parent(signal.SIGTERM),
    ).returncode
    if code != 0 or not store.is_file(path, ExitCode.ENVIRONMENT):
        raise EcoError(
            f"{scenario.name} could not be measured (code {code}); "
            "give a profile with --topology, or run with --native",
            ExitCode.LAUNCH,
        )
