# SPDX-License-Identifier: BSD-3-Clause
"""What the tests here share: `eco export`, and scripts that run on the lab's hosts as on a site."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from eco.lab.mpi import PROJECT, dependencies

HERE = Path(__file__).resolve().parent
ECO = PROJECT / "build" / "release" / "bin" / "eco"
DATA = PROJECT / "tests" / "data"
PROFILE = DATA / "three-segments-measured.json"
SCENARIO = "three-segments"


def needs(*tools: str) -> pytest.MarkDecorator:
    """Skipped where one of these is not installed; scripts/packages.apt names their packages."""
    path = f"{os.environ.get('PATH', os.defpath)}:/usr/sbin:/sbin"
    missing = [tool for tool in tools if shutil.which(tool, path=path) is None]
    return pytest.mark.skipif(bool(missing), reason=f"{', '.join(missing)} is not installed")


def export(
    profile: Path, kind: str, out: Path, *more: object, **variables: str
) -> "subprocess.CompletedProcess[str]":
    """`eco export`, to a file; fails if it does."""
    done = attempt(profile, "--format", kind, "-o", out, *more, **variables)
    assert done.returncode == 0, done.stderr
    return done


def attempt(*words: object, **variables: str) -> "subprocess.CompletedProcess[str]":
    """`eco export` as a user gives it."""
    return subprocess.run(
        [sys.executable, "-m", "eco", "export", *map(str, words)],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, "ECO_BIN": str(ECO), "COLUMNS": "100", **variables},
    )


def on_site(
    script: str,
    folder: Path,
    *,
    family: str = "openmpi",
    services: tuple[str, ...] = (),
    scenario: str = SCENARIO,
    seconds: float = 120,
    **request: object,
) -> "subprocess.CompletedProcess[str]":
    """The script on the first host, in the folder; it knows $ECO and $LAB_HOSTS."""
    path = folder / "script.sh"
    path.write_text(f"cd {folder}\n{script}")
    asked = {"services": services, "family": family, "logs": str(folder), **request}
    return subprocess.run(
        [sys.executable, str(HERE / "inside.py"), scenario, str(path), json.dumps(asked)],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=seconds,
        env={**os.environ, "ECO": str(ECO), "ECO_BIN": str(ECO)},
    )


def built(compiler: str, folder: Path, source: Path = HERE.parent / "lab" / "where.c") -> Path:
    """An MPI program; `where.c` prints the host of each rank."""
    program = folder / f"{source.stem}-{Path(compiler).name}"
    subprocess.run([compiler, "-O1", "-o", f"{program}.bin", str(source)], check=True)
    # Open MPI 5's launcher does not always bring rank 0 the end of /dev/null.
    program.write_text(f"#!/bin/sh\nexec {program}.bin </dev/null\n")
    program.chmod(0o755)
    return program


def own(family: str, tool: str) -> Path:
    """Of the project's own MPI libraries."""
    path = dependencies() / family / "bin" / tool
    if not path.exists():
        pytest.skip(f"the project's own {family} is not there: run make")
    return path


def hosts_in(path: Path) -> list[str]:
    """Of a file with a host a line."""
    lines = [line.partition("#")[0].strip() for line in path.read_text().splitlines()]
    return [line.partition(":")[0] for line in lines if line]
