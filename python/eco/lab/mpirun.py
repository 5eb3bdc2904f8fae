# SPDX-License-Identifier: BSD-3-Clause
"""`mpirun` inside a lab's shell: starts a program over the hosts of the lab."""

import json
import os
import shutil
import socket
import sys
from pathlib import Path

from eco.errors import EcoError, ExitCode
from eco.lab import launch, mpi, profile
from eco.lab.program import inspect
from eco.lab.start import LAUNCHERS, SETTINGS

# Options of mpirun and mpiexec whose next words belong to them.
_TAKES_ONE = frozenset(
    (
        *("-n", "-np", "--n", "--np", "-c", "-N", "-npernode", "-ppn", "-x", "-genvlist"),
        *launch.NAME_HOSTS,
        *("-wdir", "--wdir", "-wd", "-map-by", "--map-by", "-bind-to", "--bind-to"),
        *("-rank-by", "--rank-by", "--timeout", "-timeout", "--output", "--prefix", "--tag"),
        *("-iface", "-launcher", "-launcher-exec", "-outfile-pattern", "-errfile-pattern"),
    )
)
_TAKES_TWO = frozenset(["--mca", "-mca", "--prtemca", "--pmixmca", "-genv", "-env", "--gmca"])


def split(words: list[str]) -> tuple[list[str], list[str]]:
    """The launcher's own options, and the program with its arguments."""
    place = 0
    while place < len(words) and words[place].startswith("-"):
        word = words[place]
        place += 3 if word in _TAKES_TWO else 2 if word in _TAKES_ONE else 1
    return words[:place], words[place:]


def start(words: list[str]) -> None:
    """Replace this process by the real launcher."""
    settings = json.loads(SETTINGS.read_text(encoding="utf-8"))
    options, program_words = split(words)
    if not program_words:
        raise EcoError("mpirun [-n RANKS] PROGRAM ARGS…: no program given", ExitCode.USAGE)
    program = inspect(program_words[0], os.environ.get("PATH", os.defpath))
    # As any launcher, it starts what is no MPI program too.
    may_call_mpi = program.family is not None or program.starter
    known = program if may_call_mpi else None
    installation = mpi.choose(known, program_words[0], settings["mpi"])
    placement = launch.Placement(
        **{key: tuple(settings[key]) for key in ("hosts", "all_hosts", "interfaces", "addresses")},
        ipv6=settings["ipv6"],
    )
    quirks = Path(settings["quirks"]) if settings["quirks"] else None
    before: list[str] = []
    if settings["profile"] and may_call_mpi and program.path.name != "eco":
        before = profile.words_before(Path(settings["profile"]))
    # The ranks must find the real launcher, not this one.
    path = os.environ.get("PATH", os.defpath).split(":")
    os.environ["PATH"] = ":".join(folder for folder in path if folder != str(LAUNCHERS))
    env = launch.environment(installation, placement, os.environ, quirks)
    command = launch.command(installation, placement, quirks, socket.gethostname(), options)
    # What the user types or pipes is the launcher's to bring; without it, rank 0 sees the end.
    rank = [] if launch.has_input() else [str(launch.RANK)]
    os.execve(command[0], [*command, *rank, *before, *program_words], env)


def main() -> None:
    """The wrapper's boundary: one sentence for an error."""
    try:
        start(sys.argv[1:])
    except EcoError as error:
        print(f"eco: {error.message}", file=sys.stderr)
        sys.exit(int(error.code))
    except OSError as error:
        tool = shutil.which("mpirun") or "mpirun"
        print(f"eco: {tool} could not be started: {error}", file=sys.stderr)
        sys.exit(int(ExitCode.LAUNCH))


if __name__ == "__main__":
    main()
