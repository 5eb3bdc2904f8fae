# SPDX-License-Identifier: BSD-3-Clause
"""Builds what a script here runs; what it is made of, CMakeLists.txt says."""

import shutil
import subprocess
import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
BIN = PROJECT / "build" / "release" / "bin"
ECO = BIN / "eco"
THREE_SEGMENTS = PROJECT / "tests" / "data" / "three-segments.json"


def built(target: str) -> Path:
    """The program of this name, up to date; where that fails the script ends."""
    _build(target)
    return BIN / target


def built_module(target: str) -> Path:
    """The same of an extension module for the Python commands' interpreter."""
    _build(target)
    (found,) = (BIN.parent / "lib").glob(f"{target}.*.so")
    return found


def _build(target: str) -> None:
    words = [PROJECT / "scripts" / "build.sh", "release", target]
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        print(done.stdout[-5000:], file=sys.stderr)
        sys.exit(f"{Path(sys.argv[0]).name}: cannot build {target}")


def built_with_simgrid(target: str) -> Path:
    if shutil.which("smpirun") is None:
        sys.exit(
            f"{Path(sys.argv[0]).name}: SimGrid is missing (Debian: apt install libsimgrid-dev)"
        )
    return built(target)
