# SPDX-License-Identifier: BSD-3-Clause
"""What the tests here share: the MPI libraries, the programs built with them, runs in the lab."""

import fcntl
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

import pytest

from eco import lab as eco_lab

PROJECT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
BUILD = PROJECT / "build" / "tests-mpi"
ECO = PROJECT / "build" / "release" / "bin" / "eco"
QUIRKS = PROJECT / "build" / "release" / "lib" / "libeco-lab-quirks.so"
DATA = PROJECT / "tests" / "data"
PROFILE = DATA / "three-segments.json"


@dataclass(frozen=True)
class Mpi:
    """One MPI library with its compiler wrappers and launcher."""

    name: str
    family: str
    c: str
    fortran: str
    launcher: str
    environment: Mapping[str, str] = field(default_factory=dict, hash=False)

    @property
    def python(self) -> Path:
        return PROJECT / ".deps" / self.family / "bin" / "python"

    @property
    def in_profiles(self) -> str:
        """What profiles and learned files call our libraries (requirements-*.txt)."""
        return {"openmpi": "openmpi 5.0.11", "mpich": "mpich 5.0.2"}[self.name]


_OPEN_MPI = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
}
# MPICH spins where a rank waits, unless told not to; in the lab it is told.
_MPICH = {"MPIR_CVAR_ENABLE_HEAVY_YIELD": "1", "MPIR_CVAR_POLLS_BEFORE_YIELD": "20"}
_OWN = PROJECT / ".deps"
OPENMPI5 = Mpi(
    "openmpi",
    "openmpi",
    str(_OWN / "openmpi/bin/mpicc"),
    "",
    str(_OWN / "openmpi/bin/mpirun"),
    _OPEN_MPI,
)
MPICH5 = Mpi(
    "mpich",
    "mpich",
    str(_OWN / "mpich/bin/mpicc"),
    "",
    str(_OWN / "mpich/bin/mpiexec"),
    _MPICH,
)
# MPICH's second library, whose handles are those of MPI-5.
STANDARD = Mpi("standard", "mpich", str(_OWN / "mpich/bin/mpicc_abi"), "", MPICH5.launcher, _MPICH)
OPENMPI4 = Mpi(
    "debian-openmpi",
    "openmpi",
    "mpicc.openmpi",
    "mpif90.openmpi",
    "mpirun.openmpi",
    _OPEN_MPI,
)
# MPICH 4.0's reductions through shared memory fail when in place at a root other than 0. Ranks that
# wait sleep as in the lab, by what it preloads; over shared memory that does not work.
MPICH4 = Mpi(
    "debian-mpich",
    "mpich",
    "mpicc.mpich",
    "mpif90.mpich",
    "mpiexec.mpich",
    {"MPIR_CVAR_DEVICE_COLLECTIVES": "none", "UCX_TLS": "tcp,self"},
)
OURS = [OPENMPI5, MPICH5]
DEBIANS = [OPENMPI4, MPICH4]
each = pytest.mark.parametrize("mpi", OURS, ids=lambda mpi: mpi.name)
each_debian = pytest.mark.parametrize("mpi", DEBIANS, ids=lambda mpi: mpi.name)
every = pytest.mark.parametrize("mpi", OURS + DEBIANS, ids=lambda mpi: mpi.name)


def either(test: Callable[..., Any]) -> Any:
    """For what differs little by library: each case runs with one of ours, in turn (conftest.py);
    with both where there is time."""
    return pytest.mark.either(each(test))


def with_one(quick: Mpi, other: Mpi) -> pytest.MarkDecorator:
    """For what takes long and hardly differs by library: the other where there is time."""
    both = [quick, pytest.param(other, marks=pytest.mark.long)]
    return pytest.mark.parametrize("mpi", both, ids=[quick.name, other.name])


@cache
def built(mpi: Mpi, program: str, folder: Path = HERE) -> Path:
    """The program's file, built with this MPI's compiler (`make` there says how)."""
    for tool in (mpi.c, mpi.launcher):
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not installed")
    place = BUILD / mpi.name
    place.mkdir(parents=True, exist_ok=True)
    with open(place / "lock", "w") as lock:  # of another file's tests at the same time
        fcntl.flock(lock, fcntl.LOCK_EX)
        result = subprocess.run(
            [
                *("make", "-s", "-C", str(folder), f"MPICC={mpi.c}", f"MPIF90={mpi.fortran}"),
                *(f"BUILD={place}", str(place / program)),
            ],
            capture_output=True,
            text=True,
        )
    assert result.returncode == 0, result.stdout + result.stderr
    return place / program


def patient(mpi: Mpi) -> dict[str, str]:
    """What makes waiting ranks of Open MPI sleep (idle.c)."""
    return {"LD_PRELOAD": str(built(mpi, "idle.so"))} if mpi.family == "openmpi" else {}


@dataclass(frozen=True)
class Run:
    """A finished run."""

    code: int
    out: str
    err: str

    @property
    def text(self) -> str:
        """All it printed but for its plans, thousands of lines that hide why a test failed."""
        return self.out + re.sub(r"(?m)^.*\beco: plan .*\n?", "", self.err)

    @property
    def results(self) -> list[str]:
        """The lines `ok SECTION HASH`."""
        return [line for line in self.out.splitlines() if line.startswith("ok ")]

    def _calls(self) -> Iterator[tuple[str, str, int]]:
        """What ECO says at the end, with ECO_VERBOSE=2: operation, what it used, how often."""
        for line in self.err.splitlines():
            match = re.search(r"\beco: (\w+)(?: \d+ B)? at \S+: (.+) ×(\d+)$", line)
            if match:
                yield match[1], match[2], int(match[3])

    @property
    def used(self) -> dict[str, list[str]]:
        """By operation, what ECO used."""
        found: dict[str, list[str]] = {}
        for operation, what, _ in self._calls():
            found.setdefault(operation, []).append(what)
        return found

    def times(self, operation: str) -> int:
        """How many calls of this operation ECO saw."""
        return sum(times for name, _, times in self._calls() if name == operation)

    def times_of(self, operation: str, choice: str) -> int:
        """How many of them this choice ran."""
        return sum(
            times for name, what, times in self._calls() if (name, what) == (operation, choice)
        )

    def planned(self, operation: str) -> bool:
        """Whether a plan of ECO's was used at least once for this operation."""
        return any(not what.startswith("native") for what in self.used.get(operation, []))


def here(
    mpi: Mpi, ranks: int, *program: object, seconds: float = 120, options: Sequence[str] = ()
) -> Run:
    """Natively on this machine, without the lab. options: the launcher's."""
    words = [mpi.launcher, *options, "-n", str(ranks), *map(str, program)]
    sleeping = {"LD_PRELOAD": str(QUIRKS)} if mpi is MPICH4 else patient(mpi)
    try:
        done = subprocess.run(
            words,
            capture_output=True,
            stdin=subprocess.DEVNULL,
            text=True,
            timeout=seconds,
            env={**os.environ, **mpi.environment, **sleeping},
        )
    except subprocess.TimeoutExpired as late:
        _hang(late)
    return Run(done.returncode, done.stdout, done.stderr)


def lab(
    mpi: Mpi,
    *program: object,
    eco: bool,
    ranks: int | None = None,
    hosts: int | None = None,
    per_host: int = 1,
    order: str = "block",
    choice: str = "eco",
    scale: float = 100,
    environment: Mapping[str, str] | None = None,
    seconds: float = 200,
    scenario: str = "three-segments",
    profile: Path = PROFILE,
    at: tuple[str, ...] = (),
) -> Run:
    """In the lab, natively or with ECO, which then must plan all itself."""
    options = eco_lab.Options(
        mpi="mpich" if mpi.family == "mpich" else "openmpi",
        np=ranks,
        hosts=hosts,
        ranks_per_host=per_host,
        order=order,
        native=not eco,
        topology=str(profile) if eco else None,
        scale=scale,
        at=at,
    )
    # Most profiles here are of networks that are slower than the lab's.
    checks = {"ECO_NETWORK_CHECK": "off"}
    settings = {"ECO_VERBOSE": "2", "ECO_CHOICE": choice} | checks if eco else {}
    words = [str(word) for word in program]
    try:
        done = eco_lab.run(
            scenario,
            words,
            options=options,
            timeout=seconds,
            env={**mpi.environment, **patient(mpi), **settings, **(environment or {})},
        )
    except subprocess.TimeoutExpired as late:
        _hang(late)
    return Run(done.returncode, done.stdout, done.stderr)


_known: dict[str, Run] = {}


def natively(mpi: Mpi, *program: object, **where: Any) -> Run:
    """What the program does in the lab without ECO: run once for all tests that compare with it."""
    key = repr((mpi.name, program, sorted(where.items())))
    if key not in _known:
        _known[key] = lab(mpi, *program, eco=False, **where)
    return _known[key]


def _hang(late: subprocess.TimeoutExpired) -> NoReturn:
    def tail(text: str | bytes | None) -> str:
        return (text.decode(errors="replace") if isinstance(text, bytes) else text or "")[-3000:]

    pytest.fail(f"no end within {late.timeout} s\n{tail(late.stdout)}\n{tail(late.stderr)}")


def same_results(native: Run, eco: Run, operations: Sequence[str]) -> None:
    """Both ended well with the same hashes, and ECO did plan these operations."""
    assert native.code == 0, native.text
    assert eco.code == 0, eco.text
    assert native.results, native.out
    different = [
        pair for pair in zip(native.results, eco.results, strict=False) if len({*pair}) > 1
    ]
    assert not different, f"native and ECO differ: {different}"
    assert len(eco.results) == len(native.results)
    assert "all ok" in eco.out
    missed = [operation for operation in operations if not eco.planned(operation)]
    assert not missed, f"ECO planned none of {missed}; it says\n{eco.err[-4000:]}"
