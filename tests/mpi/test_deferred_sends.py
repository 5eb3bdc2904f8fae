# SPDX-License-Identifier: BSD-3-Clause
"""Sends over a long way end after their call: nothing is lost, changed or kept waiting by that."""

import re
from pathlib import Path

import pytest
from mpi_harness import DATA, OURS, Mpi, built, lab

FORMS = ["blocking", "nonblocking", "persistent"]
CHOICES = ["eco", "tree:top=star,inner=star,segments=3,rotate=all"]
# Each form with one library and one choice; all together where there is time.
CASES = [
    pytest.param(
        *(form, mpi, choice),
        id=f"{form}-{mpi.name}-{'tree' if c else 'eco'}",
        marks=[] if (m, c) == (f % 2, f // 2) else [pytest.mark.long],
    )
    for f, form in enumerate(FORMS)
    for m, mpi in enumerate(OURS)
    for c, choice in enumerate(CHOICES)
]


@pytest.mark.lab
@pytest.mark.alone
@pytest.mark.parametrize(("form", "mpi", "choice"), CASES)
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
