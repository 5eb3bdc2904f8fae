# SPDX-License-Identifier: BSD-3-Clause
"""An MPI library whose ABI nobody knows: its own functions run, and one line says so."""

import os
import subprocess
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]
SOURCE = Path(__file__).resolve().parent / "unknown_mpi.c"


def _compile(*words: object) -> None:
    done = subprocess.run(["cc", "-Wall", "-Wextra", "-Werror", *map(str, words)], text=True)
    assert done.returncode == 0


@pytest.mark.parametrize("family", ["openmpi", "mpich", "abi"])
@pytest.mark.parametrize(
    ("options", "name"),
    [([], "HPE HMPT 2.28"), (["-DSAYS_NOTHING"], "libmpi.so")],
    ids=["named", "nameless"],
)
def test_falls_back_to_native(tmp_path: Path, family: str, options: list[str], name: str) -> None:
    library, program = tmp_path / "libmpi.so", tmp_path / "program"
    _compile(*options, "-DLIBRARY", "-shared", "-fPIC", "-o", library, SOURCE)
    _compile("-o", program, SOURCE, library, f"-Wl,-rpath,{tmp_path}")
    preload = PROJECT / "build" / "release" / "lib" / f"libeco-{family}.so"
    run = subprocess.run(
        [program],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, "LD_PRELOAD": str(preload)},
    )
    assert (run.returncode, run.stdout) == (0, "2\n"), run.stderr
    lines = run.stderr.splitlines()
    assert len(lines) == 1 and f"MPI library is {name}, whose ABI ECO does not know" in lines[0]
