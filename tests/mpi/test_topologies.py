# SPDX-License-Identifier: BSD-3-Clause
"""Process topologies with reorder, on ranks whose neighbours are on other segments."""

import json
from pathlib import Path
from typing import Any

import pytest
from mpi_harness import Mpi, Run, built, either, here, lab, natively

FUNCTIONS = ("Cart_create", "Graph_create", "Dist_graph_create", "Dist_graph_create_adjacent")
ORDER = "random:1"


def _numbers(run: Run) -> list[str]:
    """Per communicator, who has which rank of it."""
    assert run.code == 0, run.text
    assert "all ok" in run.out
    return [line for line in run.out.splitlines() if line.startswith("ranks ")]


def _reorders(file: Path) -> dict[str, list[dict[str, Any]]]:
    rows: dict[str, list[dict[str, Any]]] = {}
    for row in json.loads(file.read_text())["reorders"]:
        rows.setdefault(row["function"], []).append(row)
    return rows


@either
def test_native(mpi: Mpi) -> None:
    run = here(mpi, 8, built(mpi, "topologies"))
    assert run.code == 0, run.err
    assert "all ok" in run.out


@pytest.mark.lab
@either
def test_numbers_are_the_librarys(mpi: Mpi, tmp_path: Path) -> None:
    """By default, with a report and without; a program that goes on with its old ranks is right."""
    program, file = built(mpi, "topologies"), tmp_path / "report.json"
    words = (program, "numbers")
    expected = _numbers(natively(mpi, *words, order=ORDER))
    quiet = {"ECO_VERBOSE": "0"}
    assert _numbers(lab(mpi, *words, eco=True, order=ORDER, environment=quiet)) == expected
    told = lab(mpi, *words, eco=True, order=ORDER, environment={"ECO_REPORT": str(file)})
    assert _numbers(told) == expected
    rows = _reorders(file)
    for function in FUNCTIONS:
        assert f"eco: MPI_{function} of 8 ranks" in told.err
        for row in rows[f"MPI_{function}"]:
            assert row["numbering"] in ("kept", "library")
            assert 0 <= row["crossing"] <= 1 and 0 <= row["otherwise"] <= 1
    # Ranks in random order, so there is something to gain.
    assert all(any(row["busiest"] < 1 for row in rows[f"MPI_{name}"]) for name in FUNCTIONS)


@pytest.mark.lab
@either
def test_placed(mpi: Mpi, tmp_path: Path) -> None:
    program, file = built(mpi, "topologies"), tmp_path / "report.json"
    settings = {"ECO_REORDER": "on", "ECO_REPORT": str(file)}
    run = lab(mpi, program, eco=True, order=ORDER, environment=settings)
    native = _numbers(natively(mpi, program, "numbers", order=ORDER))
    assert all(one != other for one, other in zip(native, _numbers(run), strict=True))
    rows = _reorders(file)
    for function in FUNCTIONS:
        assert any(
            row["numbering"] == "eco" and row["busiest"] < 1 for row in rows[f"MPI_{function}"]
        )
    assert "ECO renumbered the ranks" in run.err


@pytest.mark.lab
@either
def test_what_placing_would_gain(mpi: Mpi, tmp_path: Path) -> None:
    """The same figures before and after, from the other side; where ECO is off, too."""
    words = (built(mpi, "topologies"), "numbers")
    found = []
    for number, settings in enumerate(({}, {"ECO_REORDER": "on"}, {"ECO_DISABLE": "1"})):
        file = tmp_path / f"{number}.json"
        given = {"ECO_VERBOSE": "0", "ECO_REPORT": str(file), **settings}
        _numbers(lab(mpi, *words, eco=True, order=ORDER, environment=given))
        found.append(
            [
                row
                for row in _reorders(file)["MPI_Cart_create"]
                if row["numbering"] in ("kept", "eco")
            ]
        )
    for kept, placed, off in zip(*found, strict=True):
        assert (placed["numbering"], kept["numbering"]) == ("eco", "kept")
        assert kept["crossing"] == pytest.approx(placed["otherwise"])
        assert kept["otherwise"] == pytest.approx(placed["crossing"])
        assert kept["busiest"] == pytest.approx(placed["busiest"])
        assert off == kept
