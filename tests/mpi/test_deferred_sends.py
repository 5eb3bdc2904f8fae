# SPDX-License-Identifier: BSD-3-Clause
"""Sends over a long way end after their call: nothing is lost, changed or kept waiting by that."""

import re
from pathlib import Path

import pytest
from mpi_harness import DATA, Mpi, built, each, lab


@pytest.mark.lab
@pytest.mark.alone
@pytest.mark.parametrize("choice", ["eco", "tree:top=star,inner=star,segments=3,rotate=all"])
@pytest.mark.parametrize("form", ["blocking", "nonblocking", "persistent"])
@each
def test_deferred_sends(mpi: Mpi, form: str, choice: str, tmp_path: Path) -> None:
    run = lab(
        mpi,
        built(mpi, "deferred_sends"),
        form,
        tmp_path / "through",
        eco=True,
        ranks=5,
        choice=choice,
        scale=1,
        scenario=str(DATA / "three-levels.yaml"),
        profile=DATA / "three-levels.json",
    )
    assert run.code == 0, run.err
    for name in ["bcast", "allreduce"]:
        assert run.planned(
            {"nonblocking": f"i{name}", "persistent": f"{name}_init"}.get(form, name)
        )
    waited = re.search(r"waited ([0-9.]+) of ([0-9.]+) s", run.out)
    assert waited, run.out
    # What was sent is there long before its sender calls MPI again.
    assert float(waited[1]) < float(waited[2]) / 2
