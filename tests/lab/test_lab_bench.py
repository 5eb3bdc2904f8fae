# SPDX-License-Identifier: BSD-3-Clause
"""Timing in the lab: `eco bench` on ranks in the launcher's order, or in its own."""

import json
import subprocess

import pytest
from eco.lab.mpi import PROJECT
from lab_harness import LAB, needs_lab

pytestmark = needs_lab
ECO = PROJECT / "build/release/bin/eco"
PROFILE = PROJECT / "tests/data/three-segments.json"


@pytest.mark.parametrize(
    ("order", "layout"),
    [([], "scattered"), (["--order", "launched"], "scattered"), (["--order", "near"], "near")],
)
def test_order(order: list[str], layout: str) -> None:
    words = ["--topology", PROFILE, "--operations", "barrier", "--repeats", 1, "--json", *order]
    launcher = [*LAB, "run", "three-segments", "--native", "--scale", 100]
    command = [ECO, "bench", *words, "--", *launcher, "--order", "random:1", "--"]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (result,) = json.loads(done.stdout)["results"]
    assert (result["layout"], result["ranks"]) == (layout, 8)
