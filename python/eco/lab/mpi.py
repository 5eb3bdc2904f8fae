# SPDX-License-Identifier: BSD-3-Clause
"""Finds the MPI installation that a program must be launched with."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from eco.errors import EcoError, ExitCode
from eco.lab.program import SHOWN, Family, Program, family_of

PROJECT = Path(__file__).resolve().parents[3]
_SYSTEM_LIBRARIES = ("/usr/lib", "/lib", "/usr/lib64", "/lib64")
_SYSTEM_LAUNCHERS: dict[Family, tuple[str, ...]] = {
    "openmpi": ("mpirun.openmpi", "mpirun"),
    "mpich": ("mpiexec.mpich", "mpiexec.hydra", "mpiexec"),
}
_LAUNCHERS: dict[Family, tuple[str, ...]] = {
    "openmpi": ("mpirun",),
    "mpich": ("mpiexec.hydra", "mpiexec"),
}
_SONAMES: dict[Family, tuple[str, ...]] = {
    "openmpi": ("libmpi.so.40",),
    "mpich": ("libmpi.so.12", "libmpich.so.12"),
}


@dataclass(frozen=True)
class Installation:
    """One MPI library with its launcher."""

    family: Family
    launcher: Path
    library: Path
    prefix: Path
    system: bool

    @property
    def modern(self) -> bool:
        """Open MPI 5 and later, which launches through PRRTE."""
        return (self.launcher.parent / "prterun").exists()

    @property
    def preloadable(self) -> Path:
        """The library whose functions ECO calls: of MPICH's two interfaces its own."""
        if self.library.name.startswith("libmpi_abi"):
            own = self.library.with_name("libmpi.so.12")
            return own if own.exists() else self.library
        return self.library

    @property
    def key(self) -> str:
        """Text that names this installation, for caches."""
        return f"{self.family}@{self.preloadable.resolve()}"


def dependencies() -> Path:
    """The folder of the project's own MPI installations."""
    return Path(os.environ.get("ECO_DEPS") or PROJECT / ".deps")


def choose(program: Program | None, word: str, wanted: Family | None) -> Installation:
    """The installation for `program`; for none, the wanted family or Open MPI."""
    if program is None:
        return _default(wanted or "openmpi")
    if program.family is not None:
        if wanted is not None and wanted != program.family:
            raise EcoError(
                f"{word} is linked with {SHOWN[program.family]}, not with {SHOWN[wanted]}; "
                f"leave out --mpi or give --mpi {program.family}",
                ExitCode.USAGE,
            )
        if program.library is None:
            return _default(program.family)
        return _of_library(program.family, program.library)
    if wanted is None and not program.starter:
        raise EcoError(
            f"{word} is not an MPI program: no MPI library among those it needs; if it starts "
            "one, say which with --mpi openmpi or --mpi mpich",
            ExitCode.LAUNCH,
        )
    if program.is_python:
        own = _beside(program.path, wanted)
        if own is not None:
            return own
    return _default(wanted or "openmpi")


def _beside(interpreter: Path, wanted: Family | None) -> Installation | None:
    """The MPI in the virtual environment of a Python interpreter, if it has one."""
    folder = interpreter.parent.parent / "lib"
    families: tuple[Family, ...] = (wanted,) if wanted else ("openmpi", "mpich")
    for family in families:
        for soname in _SONAMES[family]:
            if (folder / soname).exists():
                found = _of_library(family, folder / soname)
                if not found.system or str(interpreter).startswith("/usr/"):
                    return found
    return None


def _default(family: Family) -> Installation:
    chosen = os.environ.get("ECO_LAB_LIBRARY")
    if chosen and Path(chosen).exists():
        program_family = family_of(Path(chosen).name)
        if program_family == family:
            return _of_library(family, Path(chosen))
    own = dependencies() / family
    for soname in _SONAMES[family]:
        if (own / "lib" / soname).exists():
            return _of_library(family, own / "lib" / soname)
    for folder in _system_folders():
        for soname in _SONAMES[family]:
            if (folder / soname).exists():
                return _of_library(family, folder / soname)
    raise EcoError(
        f"no {SHOWN[family]} here: neither {own} nor a system package has its library; "
        "run `make` in the project, install the package, or set ECO_DEPS",
        ExitCode.ENVIRONMENT,
    )


def _system_folders() -> list[Path]:
    machine = os.uname().machine
    return [Path(f"/usr/lib/{machine}-linux-gnu"), Path("/usr/lib64"), Path("/usr/lib")]


def _of_library(family: Family, library: Path) -> Installation:
    system = any(str(library).startswith(f"{folder}/") for folder in _SYSTEM_LIBRARIES)
    prefix = Path("/usr") if system else library.parent.parent
    names = _SYSTEM_LAUNCHERS[family] if system else _LAUNCHERS[family]
    for name in names:
        launcher = prefix / "bin" / name
        if launcher.exists():
            return Installation(family, launcher, library, prefix, system)
    raise EcoError(
        f"{library} has no launcher: {prefix}/bin holds no {' or '.join(names)}",
        ExitCode.ENVIRONMENT,
    )
