# SPDX-License-Identifier: BSD-3-Clause
"""The MPI launcher: the command that starts `eco probe` on the hosts, and its MPI library."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from eco.errors import EcoError, ExitCode

FAMILIES = ("openmpi", "mpich", "abi")
_STARTS_MPI = re.compile(r"(mpirun|mpiexec|orterun|prterun)([._-].*)?")
_SIGNS = (
    ("openmpi", re.compile(r"Open ?MPI|OpenRTE|PRRTE", re.IGNORECASE)),
    ("mpich", re.compile(r"HYDRA|MPICH|Intel\(R\) MPI|MVAPICH", re.IGNORECASE)),
)
_LIBRARIES = {
    "openmpi": ("libmpi.so.40",),
    "mpich": ("libmpi.so.12",),
    "abi": ("libmpi_abi.so.1", "libmpi_abi.so.0"),
}


@dataclass(frozen=True)
class Launcher:
    """The words before the program's."""

    words: tuple[str, ...]
    is_lab: bool
    family: str | None
    library: str | None

    def command(self, verb: str, options: Sequence[str]) -> list[str]:
        """The whole command line that starts the probe."""
        own = ["--mpi", self.family] if self.family else []
        library = ["--libmpi", self.library] if self.library else []
        return [*self.words, eco_program(), "probe", *own, verb, *library, *options]


def understand(words: Sequence[str] | None, family: str | None) -> Launcher:
    """The launcher as the user gave it after `--`; fails if it cannot be started."""
    if not words:
        raise EcoError(
            "the MPI launcher is missing: give it last, after --, as in -- mpirun -n 8 "
            "--hostfile hosts",
            ExitCode.USAGE,
        )
    if family is not None and family not in FAMILIES:
        raise EcoError(f"--mpi must be openmpi, mpich or abi, not {family!r}", ExitCode.USAGE)
    if shutil.which(words[0]) is None:
        raise EcoError(f"no launcher {words[0]!r} here or on PATH", ExitCode.LAUNCH)
    _refuse_program(words)
    if _is_lab(words):
        # The lab knows its MPI itself; without -- it would take the probe's options for its own.
        given = list(words)
        return Launcher(tuple(given if "--" in given else [*given, "--"]), True, None, None)
    in_lab = bool(os.environ.get("ECO_LAB_HOSTFILE"))  # in its shell, which has its own mpirun
    starter = next(filter(starts_mpi, words), None)
    path = shutil.which(starter) if starter else None
    family = family or (_family(path) if path else None)
    return Launcher(tuple(words), in_lab, family, _library(path, family))


def starts_mpi(word: str) -> bool:
    """Whether this is a launcher by its name."""
    return _STARTS_MPI.fullmatch(Path(word).name) is not None


def programs(words: Sequence[str]) -> list[str]:
    """Which of a launcher's words may be a program that it would start: files that can be run."""
    found = []
    for before, word in zip(words, words[1:]):
        # Behind an option a word is its value, if it does not look like a file.
        value = before.startswith("-") and before != "--" and "/" not in word
        if not value and not word.startswith("-") and not starts_mpi(word) and shutil.which(word):
            found.append(word)
    return found


def _refuse_program(words: Sequence[str]) -> None:
    from eco.lab.program import inspect  # only here and in the lab

    for word in programs(words):
        if inspect(word, os.environ.get("PATH", os.defpath)).family is not None:
            rest = shlex.join(words[: words.index(word)])
            raise EcoError(
                f"{word} is an MPI program, but ECO starts a program of its own here: end the "
                f"line with the launcher, as in -- {rest}",
                ExitCode.USAGE,
            )


def eco_program() -> str:
    """The native `eco`, by its full path: hosts need not have it on their PATH."""
    built = Path(__file__).resolve().parents[2] / "build" / "release" / "bin" / "eco"
    found = os.environ.get("ECO_BIN") or (str(built) if built.exists() else shutil.which("eco"))
    if not found:
        raise EcoError(
            "the native eco program is missing; build or install ECO", ExitCode.ENVIRONMENT
        )
    return str(Path(found).absolute())


def _is_lab(words: Sequence[str]) -> bool:
    """`eco lab run …`, also as `python -m eco lab run …`."""
    pairs = zip(words, words[1:], words[2:])
    return any("eco" in start and (verb, below) == ("lab", "run") for start, verb, below in pairs)


def _family(path: str) -> str | None:
    # A file, not a pipe: what the launcher leaves behind may hold its output open.
    with tempfile.TemporaryFile() as output:
        try:
            subprocess.run(
                [path, "--version"],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                timeout=10,
            )
        except (OSError, subprocess.TimeoutExpired):
            return None
        output.seek(0)
        text = output.read().decode(errors="replace")
    return next((family for family, sign in _SIGNS if sign.search(text)), None)


def _library(path: str | None, family: str | None) -> str | None:
    """Of an installation that stands in a folder of its own, out of the loader's sight."""
    # Launchers need not hand the variable on, so the option does.
    named = os.environ.get("ECO_LIBMPI")
    if named and family != "abi":
        return named
    if path is None:
        return None
    folder = Path(path).resolve().parent.parent / "lib"
    names = _LIBRARIES[family] if family else (*_LIBRARIES["openmpi"], *_LIBRARIES["mpich"])
    return next((str(folder / name) for name in names if (folder / name).exists()), None)
