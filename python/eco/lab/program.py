# SPDX-License-Identifier: BSD-3-Clause
"""What a program is linked with."""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from eco import store
from eco.errors import EcoError, ExitCode

Family = Literal["openmpi", "mpich"]
SHOWN: dict[Family, str] = {"openmpi": "Open MPI", "mpich": "MPICH"}

# Debian names its MPICH libmpich; Intel MPI, MVAPICH and Cray share MPICH's libmpi.so.12.
_LIBRARIES: tuple[tuple[re.Pattern[str], Family], ...] = (
    (re.compile(r"libmpi\.so\.40"), "openmpi"),
    (re.compile(r"libmpi\.so\.12"), "mpich"),
    (re.compile(r"libmpich\.so\.12"), "mpich"),
    (re.compile(r"libmpi_abi\.so(\.\d+)?"), "mpich"),
)
_STARTERS = re.compile(
    r"python[0-9.]*|(ba|da|z|k)?sh|busybox|perl|ruby|julia|node|lua[0-9.]*|Rscript|R|env|time|"
    r"timeout|nice|numactl|taskset|valgrind.*|gdb|strace|xargs|stdbuf|eco"
)


@dataclass(frozen=True)
class Program:
    """A program as found on this machine."""

    path: Path
    family: Family | None
    library: Path | None
    starter: bool

    @property
    def is_python(self) -> bool:
        """Whether it is Python or a script for it."""
        return self.path.name.startswith("python") or _shebang(self.path).find("python") >= 0


def family_of(library_name: str) -> Family | None:
    """The family that a library's file name tells."""
    for pattern, family in _LIBRARIES:
        if pattern.fullmatch(library_name):
            return family
    return None


def inspect(word: str, search_path: str) -> Program:
    """Find the program and the MPI library among its needed libraries."""
    found = shutil.which(word, path=search_path)
    if found is None:
        status = store.look(Path(word), ExitCode.NOT_RUN)
        if status and stat.S_ISREG(status.st_mode):
            raise EcoError(f"{word} is not executable; try chmod +x {word}", ExitCode.NOT_RUN)
        if status and stat.S_ISDIR(status.st_mode) and "/" in word:
            raise EcoError(f"{word} is a folder, not a program", ExitCode.NOT_RUN)
        raise EcoError(f"no program {word!r} here or on PATH", ExitCode.NOT_FOUND)
    path = Path(found).absolute()
    if not os.access(path, os.R_OK):
        raise EcoError(
            f"{word} cannot be read, so its MPI is unknown; try chmod +r {word}", ExitCode.NOT_RUN
        )
    if not _is_elf(path):
        return Program(path, None, None, True)
    try:
        listing = subprocess.run(["ldd", str(path)], capture_output=True, text=True).stdout
    except FileNotFoundError:
        raise EcoError(
            f"no program 'ldd' on PATH, so the MPI library of {word} is unknown; install it "
            "(Debian: libc-bin) or add its folder to PATH",
            ExitCode.LAUNCH,
        ) from None
    for line in listing.splitlines():
        match = re.match(r"\s*(\S+)(?: => (\S+))?", line)
        if match is None:
            continue
        family = family_of(Path(match[1]).name)
        if family is not None:
            place = match[2] or match[1]
            library = Path(place) if place.startswith("/") else None
            return Program(path, family, library, False)
    return Program(path, None, None, _STARTERS.fullmatch(path.name) is not None)


def _is_elf(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF"


def _shebang(path: Path) -> str:
    with path.open("rb") as file:
        line = file.readline(256)
    return line.decode(errors="replace") if line.startswith(b"#!") else ""
