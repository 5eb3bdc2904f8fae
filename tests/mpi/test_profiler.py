# SPDX-License-Identifier: BSD-3-Clause
"""Tools that are preloaded too: above ECO they see all calls of the program, and ECO gets them from
there; a tool behind ECO is told that it sees none, and the results are the same."""

import re
from pathlib import Path

import pytest
from mpi_harness import ECO, MPICH5, OPENMPI5, PROFILE, Mpi, Run, built, either, lab, with_one

PLANNED = {"ECO_PROFILE": str(PROFILE), "ECO_CHOICE": "eco", "ECO_VERBOSE": "2"}


def stacked(mpi: Mpi, tool: Path, order: str, *program: object, **variables: str) -> Run:
    """The tool alone; with ECO, whichever of the two the user starts first; or behind ECO."""
    join = "$LD_PRELOAD:$0" if order == "behind" else "$0:$LD_PRELOAD"
    preload = ["sh", "-c", f'LD_PRELOAD="{join}" exec "$@"', tool]
    if order == "tool first":
        words = [*preload, ECO, "exec", *program]
        return lab(mpi, *words, eco=False, ranks=4, environment={**variables, **PLANNED})
    return lab(mpi, *preload, *program, eco=order != "alone", ranks=4, environment=variables)


def counted(run: Run) -> list[str]:
    """What the tool says."""
    return [line for line in run.out.splitlines() if line.startswith(("profiler: ", "tracer: "))]


@pytest.mark.lab
@pytest.mark.parametrize("order", ["eco first", "tool first"])
@with_one(OPENMPI5, MPICH5)
def test_profiler_above(mpi: Mpi, order: str) -> None:
    """It wraps MPI functions and calls them by their PMPI names."""
    tool, program = built(mpi, "profiler.so"), built(mpi, "conformance")
    options = [program, "--light", "--sections", "bcast,allreduce"]
    native = stacked(mpi, tool, "alone", *options)
    eco = stacked(mpi, tool, order, *options)
    assert native.code == eco.code == 0, native.err + eco.err
    assert eco.results == native.results
    assert counted(native), native.out
    assert counted(eco) == counted(native)
    assert eco.planned("bcast") and eco.planned("allreduce"), eco.err


@pytest.mark.lab
@pytest.mark.parametrize("order", ["eco first", "tool first"])
@either
def test_tracer_above(mpi: Mpi, order: str, tmp_path: Path) -> None:
    """It wraps what reads and writes files, and adds its counts up by a collective while MPI ends:
    what ECO reads and writes itself is not the program's."""
    tool, options = built(mpi, "tracer.so"), [built(mpi, "writes"), tmp_path]
    native = stacked(mpi, tool, "alone", *options, TRACED=str(tmp_path))
    eco = stacked(mpi, tool, order, *options, TRACED=str(tmp_path))
    assert native.code == eco.code == 0, native.err + eco.err
    assert native.results and eco.results == native.results
    assert counted(native) == [
        "tracer: 1 MPI_Init, 40 files, 480000 bytes written, 480000 read",
    ]
    assert counted(eco) == counted(native)
    assert eco.planned("bcast") and eco.planned("allreduce"), eco.err


@pytest.mark.lab
@pytest.mark.parametrize("tool", ["profiler", "tracer"])
@either
def test_behind(mpi: Mpi, tool: str, tmp_path: Path) -> None:
    """It can count nothing of MPI, which one line says; all else is as without it."""
    options = [built(mpi, "writes"), tmp_path]
    tools = built(mpi, f"{tool}.so")
    native = stacked(mpi, tools, "alone", *options, TRACED=str(tmp_path))
    eco = stacked(mpi, tools, "behind", *options, TRACED=str(tmp_path))
    assert eco.code == 0, eco.err
    assert eco.results == native.results
    assert counted(native) and not counted(eco)
    assert (
        len(re.findall(rf"eco: .*{tool}\.so wraps MPI functions, but comes after ECO", eco.err))
        == 1
    ), eco.err
    assert eco.planned("bcast") and eco.planned("allreduce"), eco.err
