# SPDX-License-Identifier: BSD-3-Clause
"""`eco tune --native-algorithms` on real hosts of the lab: each algorithm in a run of its own."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from eco.lab.mpi import PROJECT
from lab_harness import LAB, needs_lab

from eco import algorithms

pytestmark = needs_lab
ECO = PROJECT / "build/release/bin/eco"
PROFILE = PROJECT / "tests/data/three-segments.json"


def tuned(folder: Path, mpi: str, *options: object) -> tuple[dict[str, Any], dict[str, Any]]:
    """What was reported, and the profile after it."""
    out = folder / "net.json"
    if not out.exists():
        out.write_text(PROFILE.read_text())
    launcher = [*LAB, "run", "three-segments", "--mpi", mpi, "--native", "--scale", 100, "--"]
    words = [ECO, "tune", out, "--native-algorithms", "--json", *options, "--", *launcher]
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    report, profile = json.loads(done.stdout), json.loads(out.read_text())
    assert isinstance(report, dict) and isinstance(profile, dict)
    return report, profile


@pytest.mark.parametrize("mpi", ["openmpi", pytest.param("mpich", marks=pytest.mark.long)])
def test_each_algorithm_is_timed(mpi: str, tmp_path: Path) -> None:
    """What was known before stays, and what was tuned otherwise too."""
    before = json.loads(PROFILE.read_text())
    report, profile = tuned(tmp_path, mpi, "--operations", "scan", "--sizes", "8,800")
    assert not report["failed"] and not report["not_timed"]
    entries = profile.pop("native_algorithms")
    assert entries == report["native_algorithms"]
    assert json.dumps(profile) == json.dumps({key: before[key] for key in profile})
    (library,) = {entry["mpi"] for entry in entries}
    assert library.startswith(f"{mpi} ")
    wanted = {
        run.algorithms["scan"] for run in algorithms.runs(library) if "scan" in run.algorithms
    }
    assert [(entry["operation"], entry["bytes"]) for entry in entries] == [
        ("scan", 8),
        ("scan", 800),
    ]
    for entry in entries:
        assert set(entry["times"]) == wanted
        assert (entry["ranks"], entry["hosts"]) == (8, 8)
        assert entry["best"] in {"", *wanted}


@pytest.mark.long
@pytest.mark.alone
@pytest.mark.parametrize("mpi", ["openmpi", "mpich"])
def test_all_of_them(mpi: str, tmp_path: Path) -> None:
    """Every algorithm starts and ends; a second library's times stand beside the first one's."""
    report, profile = tuned(tmp_path, mpi, "--budget", 400, "--sizes", "64,8192")
    assert not report["failed"] and not report["not_timed"]
    found = {(entry["operation"], entry["bytes"]): entry for entry in profile["native_algorithms"]}
    library = profile["native_algorithms"][0]["mpi"]
    for run in algorithms.runs(library):
        for operation, algorithm in run.algorithms.items():
            assert algorithm in found[operation, 64 if operation == "barrier" else 8192]["times"]


@pytest.mark.long
def test_a_short_time(tmp_path: Path) -> None:
    """What was not timed is said, and what was is kept."""
    report, profile = tuned(tmp_path, "openmpi", "--budget", 4, "--operations", "bcast,reduce")
    assert report["not_timed"]
    assert profile.get("native_algorithms", []) == report["native_algorithms"]
