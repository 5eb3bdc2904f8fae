# SPDX-License-Identifier: BSD-3-Clause
"""MPI that begins before main or ends after it, in libraries and global objects of the program."""

import re
import subprocess
from pathlib import Path

import pytest
from mpi_harness import ECO, OPENMPI5, OURS, PROJECT, Mpi, built, here

OBJECTS = sorted((PROJECT / "build" / "release" / "lib").glob("libeco-*.so"))
# Of libstdc++, which is linked in: the reserve for exceptions when memory is short (there is none
# before it has run), and tables that ECO does not use.
THIRD_PARTY = {"eh_alloc.cc", "memory_resource.cc", "system_error.cc"}


@pytest.mark.parametrize(
    ("how", "mpi"),
    [(how, mpi) for how in ("library", "program") for mpi in OURS]
    # Not MPICH, natively neither: a handler that MPI_Init gives to atexit ends the link to the
    # launcher before the library's destructor runs, and the launcher kills ranks so ended.
    + [("destructor", OPENMPI5)],
    ids=lambda one: getattr(one, "name", one),
)
def test_before_and_after_main(
    how: str, mpi: Mpi, profile: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CONSTRUCTS", how)
    program = built(mpi, "constructs")
    words = ["env", "ECO_CHOICE=eco", "ECO_VERBOSE=2", ECO, "exec", "--profile", profile, program]
    run = here(mpi, 4, *words)
    assert run.code == 0, run.text
    places = ["main", "the destructor"]
    if how != "destructor":
        places.insert(0, "the constructor")
    assert re.findall(r"in ([a-z ]+): sum 4 of 4", run.err) == places, run.text
    assert run.planned("allreduce"), run.text


def _symbols(path: Path) -> list[str]:
    listed = subprocess.run(["nm", "-A", path], capture_output=True, text=True, check=True)
    return listed.stdout.splitlines()


@pytest.mark.parametrize("path", [p for p in OBJECTS if "lab" not in p.name], ids=lambda p: p.name)
def test_nothing_needs_a_constructor(path: Path) -> None:
    """A constructor of a library of the program runs before those of what is preloaded."""
    made = {m[1] for line in _symbols(path) if (m := re.search(r"_GLOBAL__sub_I_(\S+)", line))}
    assert made <= THIRD_PARTY, "objects with constructors: make them constinit"


def test_nothing_is_destroyed_at_exit() -> None:
    """Nor after exit has destroyed what it can: destructors of the program come later."""
    parts = [*(PROJECT / "build/release/src/eco").glob("*/libeco_*.a")]
    parts += (PROJECT / "build/release/src/eco/measure").glob("CMakeFiles/eco_measure_*/**/*.o")
    assert parts
    found = [line for part in parts for line in _symbols(part) if line.endswith(" __cxa_atexit")]
    assert not found, "\n".join(found)
