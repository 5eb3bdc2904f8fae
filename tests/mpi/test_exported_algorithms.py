# SPDX-License-Identifier: BSD-3-Clause
"""Exported choices of the library's own algorithms, as the real library reads them: it is seen from
how much the root of a broadcast sends, not from times."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from mpi_harness import ECO, MPICH4, MPICH5, OPENMPI4, OPENMPI5, PROFILE, Mpi, built, lab, with_one

pytestmark = pytest.mark.lab
SHORT, LONG, RANKS = 3000, 30000, 8
VERSIONS = {OPENMPI4: "openmpi 4.1.4", OPENMPI5: "openmpi 5.0.11", MPICH5: "mpich 5.0.2"}


def export(mpi: Mpi, kind: str, best: dict[int, str], folder: Path) -> Path:
    """A file of a profile in which these algorithms of broadcasts were timed as the best."""
    entries = [
        {"mpi": VERSIONS.get(mpi, "mpich 4.0.2"), "operation": "bcast", "bytes": size, "usual": 2.0}
        | {"ranks": RANKS, "hosts": RANKS, "best": name, "times": dict.fromkeys(best.values(), 1.0)}
        for size, name in best.items()
    ]
    profile, out = folder / "profile.json", folder / "exported"
    profile.write_text(json.dumps(json.loads(PROFILE.read_text()) | {"native_algorithms": entries}))
    words = [sys.executable, "-m", "eco", "export", profile, "--format", kind, "-o", out]
    variables = {**os.environ, "ECO_BIN": str(ECO)}
    subprocess.run([str(word) for word in words], check=True, env=variables)
    return out


def sent(mpi: Mpi, ranks: int = RANKS, **variables: str) -> dict[int, float]:
    """By size, how many times the root sends a message."""
    run = lab(mpi, built(mpi, "sent"), SHORT, LONG, eco=False, hosts=ranks, environment=variables)
    assert run.code == 0, run.err
    return {int(size): float(times) for size, times in re.findall(r"sent (\d+): (.*)", run.out)}


@with_one(OPENMPI5, OPENMPI4)
def test_openmpi_follows_its_rules(mpi: Mpi, tmp_path: Path) -> None:
    """By size, for the number of ranks that was timed, and for no other."""
    rules = export(mpi, "openmpi-rules", {1000: "basic_linear", LONG: "pipeline"}, tmp_path)
    settings = {
        "OMPI_MCA_coll_tuned_use_dynamic_rules": "1",
        "OMPI_MCA_coll_tuned_dynamic_rules_filename": str(rules),
    }
    found = sent(mpi, **settings)
    assert RANKS - 1 <= found[SHORT] < RANKS, "a star sends to every other rank"
    assert 1 <= found[LONG] < 1.5, "a pipeline sends once"
    assert sent(mpi, RANKS - 2, **settings)[LONG] > 1.5, "the rules are not for these ranks"


@with_one(MPICH5, MPICH4)
def test_mpich_follows_its_variables(mpi: Mpi, tmp_path: Path) -> None:
    """In a binomial tree of 8 the root sends three times; when it scatters first, less."""
    for name, least, most in (("binomial", 3, 3.6), ("scatter_ring_allgather", 1.5, 2.5)):
        path = export(mpi, "mpich-algorithms", {SHORT: name, LONG: name}, tmp_path)
        found = dict(re.findall(r"^export (\w+)=(\w+)$", path.read_text(), re.MULTILINE))
        assert found == {"MPIR_CVAR_BCAST_INTRA_ALGORITHM": name}
        assert least <= sent(mpi, **found)[LONG] < most
