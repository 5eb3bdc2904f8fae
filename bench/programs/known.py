# SPDX-License-Identifier: BSD-3-Clause
"""The programs that programs.py runs: how each is started, and what its output says."""

import re
import shutil
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

_PETSC = "/usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/lib/python3/dist-packages"
_PACKAGES = "/usr/lib/python3/dist-packages"


@dataclass(frozen=True)
class Program:
    """An MPI program of Debian."""

    name: str
    package: str
    words: tuple[str, ...]
    inputs: tuple[str, ...]  # files of the folder inputs
    time: re.Pattern[str] | None  # its last match: seconds; None: the wall time of the command
    result: re.Pattern[str]  # all matches: numbers that must agree
    digits: int
    short: tuple[str, ...] = ()  # more words of a short run
    prepare: tuple[tuple[str, ...], ...] = ()
    log: str = ""  # a file that it writes beside its output
    needs: str = ""  # a file of the package, if `words` name none
    environment: dict[str, str] = field(default_factory=dict)
    rates: dict[str, str] = field(default_factory=dict)  # of its parts: NAME=NUMBER in its output

    @property
    def installed(self) -> bool:
        return shutil.which(self.words[0]) is not None and (
            not self.needs or Path(self.needs).exists()
        )


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def _script(script: str, **more: Any) -> Program:
    """A program for Debian's Python in the folder inputs, which says what it took."""
    words = ("/usr/bin/python3", script)
    took = re.compile(r"^took ([\d.]+) s", re.M)
    return Program(words=words, inputs=(script,), time=took, **more)


_PETSC_CG = _script(
    "poisson.py",
    name="petsc-cg",
    package="python3-petsc4py-real",
    result=re.compile(r"^(\d+) iterations", re.M),
    digits=10,
    needs=_PETSC,
    environment={"PYTHONPATH": _PETSC},
)
_ALL = (
    Program(
        name="lammps",
        package="lammps",
        words=("lmp", "-in", "melt.lammps", "-log", "none"),
        inputs=("melt.lammps",),
        time=re.compile(r"^Loop time of ([\d.]+)", re.M),
        result=re.compile(r"^ +\d+ +([-\d.]+ +[-\d.]+) +0 ", re.M),
        digits=6,
        short=("-var", "steps", "10"),
    ),
    Program(
        name="gromacs",
        package="gromacs",
        words=_words(
            "gmx_mpi -quiet mdrun -s run.tpr -deffnm out -ntomp 1 -reprod -notunepme -dlb no"
        ),
        inputs=("water.mdp", "water.top"),
        prepare=(
            _words("gmx -quiet solvate -cs spc216.gro -box 2.5 2.5 2.5 -o box.gro -p water.top"),
            _words("gmx -quiet grompp -f water.mdp -c box.gro -p water.top -o run.tpr -maxwarn 3"),
        ),
        time=re.compile(r"^ +Time: +[\d.]+ +([\d.]+)", re.M),
        # Of step 0: what follows depends on the order of sums, more with each step.
        result=re.compile(r"^ +0 +0\.0+\n\n +Energies.*\n.*\n((?: +-?\d\.\d+e[+-]\d+)+)", re.M),
        digits=4,
        log="out.log",
        short=("-nsteps", "10"),
    ),
    Program(
        name="cp2k",
        package="cp2k",
        words=("cp2k", "-i", "water.inp"),
        inputs=("water.inp",),
        time=re.compile(r"^ CP2K +\d+ +[\d.]+ +[\d.]+ +[\d.]+ +[\d.]+ +([\d.]+)", re.M),
        result=re.compile(r"Total FORCE_EVAL .*: +(-?[\d.]+)"),
        digits=10,
        environment={"CP2K_DATA_DIR": "/usr/share/cp2k"},
    ),
    _PETSC_CG,
    replace(_PETSC_CG, name="petsc-pipecg", words=(*_PETSC_CG.words, "-ksp_type", "pipecg")),
    _script(
        "fft.py",
        name="mpi4py-fft",
        package="python3-mpi4py-fft",
        result=re.compile(r"^off by (\S+)", re.M),
        digits=10,
        short=("1",),
        needs=f"{_PACKAGES}/mpi4py_fft",
    ),
    _script(
        "regression.py",
        name="mpi4py-sgd",
        package="python3-mpi4py",
        result=re.compile(r"weights ([\d.]+)", re.M),
        digits=6,
        short=("2",),
        needs=f"{_PACKAGES}/mpi4py",
    ),
    Program(
        name="hpcc",
        package="hpcc",
        words=("hpcc",),
        inputs=("hpccinf.txt",),
        time=None,
        # 1 if every part passed its own check of its results.
        result=re.compile(r"^Success=(\d)", re.M),
        digits=1,
        log="hpccoutf.txt",
        rates={
            "HPL": "HPL_Tflops",
            "PTRANS": "PTRANS_GBs",
            "random access": "MPIRandomAccess_GUPs",
            "random access (LCG)": "MPIRandomAccess_LCG_GUPs",
            "FFT": "MPIFFT_Gflops",
        },
    ),
)
PROGRAMS = {program.name: program for program in _ALL}
