# SPDX-License-Identifier: BSD-3-Clause
"""The molecular dynamics programs: physics, agreement with each other, and with ECO."""

import json
from pathlib import Path
from typing import Any

import pytest
from mpi_harness import (
    MPICH5,
    OPENMPI4,
    OPENMPI5,
    PROJECT,
    Mpi,
    Run,
    built,
    each,
    here,
    lab,
    with_one,
)

EXAMPLES = PROJECT / "examples"
PROGRAM = ["--atoms", "500", "--steps", "40", "--json"]


def figures(run: Run) -> dict[str, Any]:
    assert run.code == 0, run.text
    lines = [line for line in run.out.splitlines() if line.startswith("{")]
    result: dict[str, Any] = json.loads(lines[-1])
    return result


def md(mpi: Mpi, language: str) -> list[Path]:
    if language == "python":
        return [mpi.python, EXAMPLES / "md.py"]
    return [built(mpi, {"c": "md", "fortran": "md-fortran"}[language], EXAMPLES)]


def test_energy_is_conserved() -> None:
    """The error of velocity Verlet shrinks with the square of the step."""
    program = md(OPENMPI5, "c")
    drifts = []
    for steps, timestep in ((100, 0.004), (200, 0.002)):
        options = ["--atoms", 500, "--steps", steps, "--timestep", timestep, "--json"]
        drifts.append(figures(here(OPENMPI5, 2, *program, *options))["drift"])
    coarse, fine = drifts
    assert coarse < 5e-3
    assert fine < coarse / 2


def test_ranks_and_languages_agree() -> None:
    energies = [
        figures(here(OPENMPI5, 1, *md(OPENMPI5, "c"), *PROGRAM))["energy"],
        figures(here(OPENMPI5, 3, *md(OPENMPI5, "c"), *PROGRAM))["energy"],
        figures(here(OPENMPI5, 2, *md(OPENMPI5, "python"), *PROGRAM))["energy"],
        figures(here(OPENMPI4, 2, *md(OPENMPI4, "fortran"), *PROGRAM))["energy"],
    ]
    assert energies == pytest.approx([energies[0]] * 4, abs=2e-9)


@pytest.mark.lab
@pytest.mark.parametrize("language", ["c", "python"])
@with_one(OPENMPI5, MPICH5)
def test_with_eco(mpi: Mpi, language: str) -> None:
    program = md(mpi, language)
    options = ["--atoms", 1000, "--steps", 5, "--json"]
    native = lab(mpi, *program, *options, eco=False)
    eco = lab(mpi, *program, *options, eco=True)
    assert figures(eco)["energy"] == pytest.approx(figures(native)["energy"], abs=1e-9)
    assert eco.planned("allgatherv") and eco.planned("allreduce"), eco.err


SPARSE = ["--bytes", 3000, "--degree", 3, "--steps", 2, "--json"]


@pytest.mark.lab
@pytest.mark.parametrize(
    ("form", "operation"),
    [
        ("", "neighbor_allgather"),
        ("--uneven", "neighbor_allgatherv"),
        ("--multicast --sources 3", "multicast"),
    ],
)
@each
def test_sparse_graph(mpi: Mpi, form: str, operation: str) -> None:
    """Checks every byte itself."""
    run = lab(mpi, built(mpi, "sparse", EXAMPLES), *SPARSE, *form.split(), eco=True)
    assert figures(run)["ranks"] == 8
    assert run.planned(operation), run.err


@pytest.mark.lab
def test_no_model_no_forwarding() -> None:
    """Where media were not measured, the library's own neighbourhood collectives run."""
    run = lab(OPENMPI5, built(OPENMPI5, "sparse", EXAMPLES), *SPARSE, eco=True, choice="auto")
    assert figures(run)["ranks"] == 8
    assert run.used["neighbor_allgather"] == ["native"], run.err
