"""bench/peers: the engine in SimGrid builds from what is listed there, and answers."""

import json
import shutil
import subprocess
import sys

import pytest
from cockpit_harness import PROJECT

pytestmark = [
    pytest.mark.long,
    pytest.mark.timeout(1200),
    pytest.mark.skipif(
        shutil.which("smpicxx") is None, reason="SimGrid is missing: apt install libsimgrid-dev"
    ),
]


def test_scale() -> None:
    script = PROJECT / "bench/peers/scale.py"
    words = ["--operations", "bcast,scatter", "--sizes", "1024", "--roots", "1", "--json"]
    done = subprocess.run([sys.executable, script, *words], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for rows in json.loads(done.stdout)["results"].values():
        assert {row["operation"] for row in rows} == {"bcast", "scatter"}
        assert all(0.99 < row["eco"] / row["bound"] < 2 for row in rows)


def test_simulator_beside_simgrids() -> None:
    script = PROJECT / "bench/peers/s4u.py"
    words = ["--draws", "100", "--json"]
    done = subprocess.run([sys.executable, script, *words], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads(done.stdout)["draws"] == 100
